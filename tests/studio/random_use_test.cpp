// Thousands of random messages and commands, valid and not, to one session.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "random_use.h"

namespace sinew::studio {
namespace {

/// SINEW_RANDOM_MESSAGES sets how many.
std::size_t wantedMessages() {
  const char* wanted = std::getenv("SINEW_RANDOM_MESSAGES");
  return wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 2000;
}

TEST(RandomUse, LeavesADocumentThatCanBeSavedAndRestored) {
  test::RandomUse use;
  std::mt19937 random(20);
  std::size_t sent = 0;
  while (sent < wantedMessages()) {
    std::vector<std::uint8_t> bytes(500 + random() % 4000);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    ASSERT_NO_THROW(sent += use.play(bytes)) << "after " << sent << " messages";
  }
  // Enough of them are right to change something.
  EXPECT_GT(use.steps(), sent / 200);
  std::printf("%zu messages and commands, %zu steps\n", sent, use.steps());
}

}  // namespace
}  // namespace sinew::studio
