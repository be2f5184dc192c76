// Any bytes as an OBJ: only sinew::Error may escape, and what was read must come back from what is written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sinew/base/error.h"
#include "sinew/io/obj.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// Coordinates whose squares overflow have no normals, so they only go through the plain parts.
bool isTame(const sinew::Points& points) {
  return points.cwiseAbs().maxCoeff() < 1e100;
}

void roundTrip(sinew::CharacterFile file) {
  sinew::LostList lost;
  const std::string same = sinew::formatObj(file, {}, lost);
  require(sinew::parseObj(same, "same.obj", {.tolerant = true}).character.mesh.points == file.character.mesh.points);
  if (!isTame(file.character.mesh.points)) return;

  file.character.mesh.points.array() += 0.1;
  const sinew::Mesh edited =
      sinew::parseObj(sinew::formatObj(file, {}, lost), "edited.obj", {.tolerant = true}).character.mesh;
  require(edited.points == file.character.mesh.points);
  require(edited.faces.corner == file.character.mesh.faces.corner);
  require(edited.cornerUv == file.character.mesh.cornerUv);

  const sinew::Mesh plain = sinew::parseObj(sinew::formatObj(file.character.mesh), "plain.obj").character.mesh;
  require(plain.points == file.character.mesh.points);
  require(plain.faces.corner == file.character.mesh.faces.corner);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const bool tolerant : {false, true}) {
    sinew::CharacterFile file;
    try {
      file =
          sinew::parseObj(std::string(reinterpret_cast<const char*>(data), size), "fuzz.obj", {.tolerant = tolerant});
    } catch (const sinew::Error&) {
      continue;
    }
    roundTrip(std::move(file));
  }
  return 0;
}
