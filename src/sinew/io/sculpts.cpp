#include "sinew/io/sculpts.h"

#include <fmt/format.h>

#include "sinew/base/error.h"
#include "sinew/character/mesh.h"
#include "sinew/character/weld.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/io/examples_match.h"

namespace sinew {
namespace {

constexpr const char* kRemedy =
    R"(export it from the character's own mesh, or name its own rest mesh (--rest, or "rest" in an examples file))";

/// Without a rest mesh the number of vertices tells which is which.
Points byCount(const std::filesystem::path& path, const Points& sculpt, const Character& character, const Points& posed,
               std::vector<std::string>& notes) {
  const Index count = character.mesh.vertexCount();
  const double ratio = boundingBox(sculpt).diagonal() / boundingBox(posed).diagonal();
  if (ratio > 5 || ratio < 0.2) {
    notes.push_back(fmt::format("{}: is {:.3g} times the size of the character; if it is in other units, {}",
                                path.filename().string(), ratio, kRemedy));
  }
  if (sculpt.cols() == count) return sculpt;
  if (const auto columns = writtenColumns(character, sculpt.cols())) return fromWritten(*columns, sculpt, posed);
  const WeldMap seams = weldCharacter(character, character.mesh.points);
  if (sculpt.cols() == seams.pointCount()) return unweldedPoints(seams, sculpt);
  throw Error(ErrorCode::BadInput,
              fmt::format("has {} vertices, but the character has {} ({} points where seams are closed); {}",
                          sculpt.cols(), count, seams.pointCount(), kRemedy),
              path.string());
}

}  // namespace

SculptFile readSculpt(const std::filesystem::path& mesh, const Character& character, const Points& posed,
                      const std::filesystem::path& rest) {
  SculptFile file;
  const Points sculpt = readShape(mesh);
  if (rest.empty()) {
    file.points = byCount(mesh, sculpt, character, posed, file.notes);
    return file;
  }
  SculptMatcher matcher(character);
  matcher.matchRestMesh(rest, file.notes);
  file.points = matcher.carry(mesh, sculpt, posed, file.notes);
  if (matcher.allMatched()) return file;
  for (Index v = 0; v < character.mesh.vertexCount(); ++v) file.known.push_back(matcher.isMatched(v));
  return file;
}

}  // namespace sinew
