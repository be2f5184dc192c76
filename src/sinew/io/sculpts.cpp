#include "sinew/io/sculpts.h"

#include "sinew/io/examples/match.h"

namespace sinew {

SculptFile readSculpt(const std::filesystem::path& mesh, const Character& character, const Points& posed,
                      const ReadSculptOptions& options) {
  SculptFile file;
  const examples::Shape sculpt = examples::readShape(mesh, options.rules, options.progress);
  examples::SculptMatcher matcher(character);
  if (!options.rest.empty()) matcher.matchRestMesh(options.rest, options.rules, file.notes);
  file.points = matcher.carry(mesh, sculpt.points, posed);
  file.warnings = matcher.check(mesh, sculpt, file.points, posed, {.force = options.force, .inPose = options.inPose});
  if (matcher.allMatched()) return file;
  for (Index v = 0; v < character.mesh.vertexCount(); ++v) file.known.push_back(matcher.isMatched(v));
  return file;
}

}  // namespace sinew
