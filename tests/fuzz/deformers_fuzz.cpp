// Any text as the settings of a lattice and of wires: an operator that moves points to finite places, or an Error.
#include <cstdlib>

#include "fuzz_files.h"
#include "sinew/base/error.h"
#include "sinew/deform/deformer.h"
#include "sinew/io/deformer_files.h"
#include "support/test_arm.h"

namespace {

const sinew::Character& arm() {
  static const sinew::Character made = sinew::test::testArm(3, 3);
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  sinew::fuzz::writeSeeds(
      *argc, *argv,
      {R"({"low": [-1, -1, -1], "high": [1, 1, 1], "resolution": [2, 2, 2], "follow": "upper", "outside": "pass",
 "border": 0.1, "displacements": [[0,0,0],[0,0,0],[0,0.2,0],[0,0.2,0],[0,0,0],[0,0,0],[0,0.2,0],[0,0.2,0]]})",
       R"({"low": [-1, -1, -1], "high": [1, 1, 1], "resolution": [2, 2, 2], "outside": "clamp", "bindings":
 ["upper","upper","upper","upper","lower","lower","lower","lower"]})",
       R"({"wires": [{"reference": [[-1,0,0],[0,0,0],[1,0,0]], "driven": [[-1,0,0],[0,0.2,0],[1,0,0]], "radius": 0.5,
 "scale": 1, "rotation": 1}], "exponent": 1, "follow": "lower"})",
       R"({"wires": [{"reference": [[-1,0,0],[1,0,0]], "reference-bindings": "upper", "driven-bindings": ["upper", "lower"],
 "radius": 0.3}]})"});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A lattice of many control points is slow, not wrong.
  if (size > 4096) return 0;
  const std::filesystem::path path = sinew::fuzz::scratch().write("fuzz.json", sinew::fuzz::textOf(data, size));
  for (const char* kind : {"lattice", "wire"}) {
    try {
      const sinew::DeformerPtr made = sinew::readDeformer(kind, path, arm(), sinew::PointSpace::Posed);
      if (made == nullptr) std::abort();
    } catch (const sinew::Error&) {
      continue;
    }
  }
  return 0;
}
