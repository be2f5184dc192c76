// Any commands and messages in any order: the session answers or refuses, never crashes, and what it keeps on disk can
// be read again.
#include "studio/random_use.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static sinew::studio::test::RandomUse use;
  use.play({data, size});
  return 0;
}
