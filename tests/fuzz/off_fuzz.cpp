// Any bytes as an OFF: only sinew::Error may escape, and what was read must come back from what is written.
#include <cstdlib>

#include "fuzz_files.h"
#include "sinew/base/error.h"
#include "sinew/io/off.h"

namespace {

void roundTrip(sinew::CharacterFile file) {
  sinew::LostList lost;
  const std::string same = sinew::formatOff(file, {}, lost);
  if (sinew::parseOff(same, "same.off", {.tolerant = true}).character.mesh.points != file.character.mesh.points)
    std::abort();
  // Coordinates whose squares overflow have no normals, so they only go through the plain part.
  if (file.character.mesh.vertexCount() == 0 || file.character.mesh.points.cwiseAbs().maxCoeff() > 1e100) return;
  file.character.mesh.points.array() += 0.1;
  const sinew::Mesh edited =
      sinew::parseOff(sinew::formatOff(file, {}, lost), "edited.off", {.tolerant = true}).character.mesh;
  if (edited.points != file.character.mesh.points || edited.faces.corner != file.character.mesh.faces.corner)
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  sinew::fuzz::writeSeeds(
      *argc, *argv,
      {"OFF\n# a comment\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3 255 0 0\n",
       "STCNOFF 3 1 0\n0 0 0 0 0 1 255 0 0 255 0 0\n1 0 0 0 0 1 1 1 1 1 1 0\n0 1 0 0 0 1 1 1 1 1 0 1\n3 0 1 2\n",
       "4 1 4\n0 0 0\n1 0 0\n1 1 0\n0 1 1e-3\n4 0 1 2 3\n"});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const bool tolerant : {false, true}) {
    sinew::CharacterFile file;
    try {
      file = sinew::parseOff(sinew::fuzz::textOf(data, size), "fuzz.off", {.tolerant = tolerant});
    } catch (const sinew::Error&) {
      continue;
    }
    roundTrip(std::move(file));
  }
  return 0;
}
