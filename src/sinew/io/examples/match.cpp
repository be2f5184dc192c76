// A sculpt is identified by its own rest mesh. That mesh may show the character in world space of the rest pose, or the
// bind shape (the rest points); if the two differ by one motion, the sculpts are moved by it.
#include "sinew/io/examples/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/character/weld.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"

namespace sinew::examples {
namespace {

constexpr const char* kRemedy =
    R"(export it from the character's own mesh, or name its own rest mesh ("rest" in an examples file, --rest-mesh; )"
    R"(--rest of sinew invert))";

/// The one map from rest points to world space that all vertices share, if there is one.
std::optional<Affine> commonMotion(const Character& character, const Points& rest, const Points& world) {
  if (!character.hasSkin() || character.mesh.vertexCount() == 0) return std::nullopt;
  PosedJoints joints;
  poseJoints(character, restPose(character), joints);
  const Affine& motion = joints.worldFromRest[character.skin.weights[0].front().binding];
  const Points moved = (motion.linear() * rest).colwise() + motion.translation();
  const double tolerance = 1e-6 * boundingBox(world).diagonal();
  if ((moved - world).colwise().norm().maxCoeff() > tolerance) return std::nullopt;
  return motion;
}

/// Fewer unmatched vertices, then no transform.
bool isBetter(const MatchResult& a, const MatchResult& b) {
  if (a.unmatched != b.unmatched) return a.unmatched < b.unmatched;
  return a.plain() && !b.plain();
}

}  // namespace

Shape readShape(const std::filesystem::path& path, const FileRules& rules, const Progress& progress) {
  CharacterFile file = readCharacter(path, {.progress = progress, .rules = rules, .facesOptional = true});
  if (file.character.mesh.vertexCount() == 0)
    throw Error(ErrorCode::BadInput, "has no mesh; give a file with a mesh", path.string());
  return {posePoints(file.character, restPose(file.character)), std::move(file.character.mesh.faces)};
}

SculptMatcher::SculptMatcher(const Character& character, const Points& madeOn)
    : character_(character), restPoints_(madeOn.cols() > 0 ? madeOn : character.mesh.points) {
  if (madeOn.cols() == 0) {
    world_ = posePoints(character, restPose(character));
    return;
  }
  SINEW_CHECK(madeOn.cols() == character.mesh.vertexCount(), "examples",
              fmt::format("the stored rest shape of the sculpts has {} vertices, the character {}", madeOn.cols(),
                          character.mesh.vertexCount()));
  Character before = character;
  before.mesh.points = madeOn;
  world_ = posePoints(before, restPose(before));
}

const WeldMap& SculptMatcher::welded() const {
  if (!weld_) weld_ = weldCharacter(character_, restPoints_);
  return *weld_;
}

void SculptMatcher::matchRestMesh(const std::filesystem::path& path, const FileRules& rules,
                                  std::vector<std::string>& notes) {
  const Points sculptRest = readShape(path, rules).points;
  restPath_ = path;
  restCount_ = sculptRest.cols();
  MatchResult match = matchRest(world_, sculptRest);
  std::string space;
  if (match.unmatched > 0 || !match.plain()) {
    MatchResult bound = matchRest(restPoints_, sculptRest);
    if (isBetter(bound, match)) {
      match = std::move(bound);
      worldFromMatch_ = commonMotion(character_, restPoints_, world_).value_or(Affine::Identity());
      space = " in the bind shape";
    }
  }
  const Index count = character_.mesh.vertexCount();
  if (match.unmatched == count) {
    throw Error(ErrorCode::BadInput,
                fmt::format("is the rest mesh of another character: its {} vertices match none of the {} here, in any "
                            "units or axes; give examples of this character, or export its rest shape in its rest pose",
                            restCount_, count),
                path.string());
  }
  if (2 * match.unmatched > count) {
    throw Error(ErrorCode::BadInput,
                fmt::format("{} of the character's {} vertices have no match in this rest mesh of {} vertices ({}); "
                            "export the character's own rest shape, in its rest pose",
                            match.unmatched, count, restCount_, match.sentence),
                path.string());
  }
  notes.push_back(fmt::format("{}: {}{}", path.filename().string(), match.sentence, space));
  if (match.unmatched > 0) {
    notes.push_back(fmt::format("{}: {} of the character's {} vertices have no match and are ignored in the examples",
                                path.filename().string(), match.unmatched, count));
  }
  match_ = std::move(match);
  rest_ = carry(path, sculptRest, world_);
}

Points SculptMatcher::carry(const std::filesystem::path& path, const Points& sculpt, const Points& otherwise) const {
  const Index count = character_.mesh.vertexCount();
  if (match_) {
    if (sculpt.cols() != restCount_) {
      throw Error(ErrorCode::BadInput,
                  fmt::format("has {} vertices, but the rest mesh '{}' has {}; export both from the same mesh",
                              sculpt.cols(), restPath_.filename().string(), restCount_),
                  path.string());
    }
    Points carried = carryOver(*match_, sculpt, otherwise);
    if (worldFromMatch_.matrix() == Affine::Identity().matrix()) return carried;
    for (Index v = 0; v < count; ++v) {
      if (isMatched(v)) carried.col(v) = worldFromMatch_ * Vec3(carried.col(v));
    }
    return carried;
  }
  Points carried;
  if (sculpt.cols() == count) {
    carried = sculpt;
  } else if (const auto columns = writtenColumns(character_, sculpt.cols())) {
    carried = fromWritten(*columns, sculpt, otherwise);
  } else if (sculpt.cols() == welded().pointCount()) {
    carried = unweldedPoints(welded(), sculpt);
  } else {
    throw Error(ErrorCode::BadInput,
                fmt::format("has {} vertices, but the character has {} ({} points with welded seams); {}",
                            sculpt.cols(), count, welded().pointCount(), kRemedy),
                path.string());
  }
  return carried;
}

bool SculptMatcher::holdsAllPlaces(Index sculptVertices) const {
  const auto& parts = character_.mesh.parts;
  const bool several = std::any_of(parts.begin(), parts.end(), [](const MeshPart& part) { return part.instances > 1; });
  return several && !match_ && sculptVertices != character_.mesh.vertexCount() &&
         writtenColumns(character_, sculptVertices).has_value();
}

std::vector<std::int64_t> SculptMatcher::columnsOf(Index sculptVertices) const {
  if (match_) return match_->sculptVertex;
  const Index count = character_.mesh.vertexCount();
  std::vector<std::int64_t> columns(toSize(count));
  const auto written = sculptVertices == count ? std::nullopt : writtenColumns(character_, sculptVertices);
  for (std::size_t v = 0; v < columns.size(); ++v) {
    columns[v] = sculptVertices == count ? static_cast<std::int64_t>(v)
                 : written               ? static_cast<std::int64_t>((*written)[v])
                                         : static_cast<std::int64_t>(welded().pointOfVertex[v]);
  }
  return columns;
}

std::vector<std::array<std::uint32_t, 2>> SculptMatcher::joinedBy(const Faces& faces, Index sculptVertices) const {
  constexpr std::uint32_t kNoVertex = ~0U;
  // A vertex of the character for each of the sculpt's.
  std::vector<std::uint32_t> vertexOf(toSize(sculptVertices), kNoVertex);
  const std::vector<std::int64_t> columns = columnsOf(sculptVertices);
  for (std::size_t v = 0; v < columns.size(); ++v) {
    if (columns[v] >= 0) vertexOf[toSize(columns[v])] = static_cast<std::uint32_t>(v);
  }
  std::vector<std::array<std::uint32_t, 2>> joined;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto face = faces[f];
    for (std::size_t i = 0; i < face.size(); ++i) {
      const std::uint32_t a = vertexOf[face[i]];
      const std::uint32_t b = vertexOf[face[(i + 1) % face.size()]];
      if (a != kNoVertex && b != kNoVertex) joined.push_back({a, b});
    }
  }
  return joined;
}

std::vector<std::string> SculptMatcher::check(const std::filesystem::path& path, const Shape& sculpt,
                                              const Points& points, const Points& posed,
                                              const SculptRules& rules) const {
  if (!check_) check_ = std::make_unique<SculptCheck>(character_);
  SculptView view{.points = points, .posed = posed, .inPose = rules.inPose};
  view.facesAgree = sculpt.points.cols() == acceptedVertices_ && sculpt.faces.corner == accepted_.corner &&
                    sculpt.faces.start == accepted_.start;
  if (!view.facesAgree) view.joined = joinedBy(sculpt.faces, sculpt.points.cols());
  if (!allMatched()) {
    for (Index v = 0; v < character_.mesh.vertexCount(); ++v) view.known.push_back(isMatched(v));
  }
  SculptFindings found = check_->check(view);
  if (found.doubt && !rules.force)
    throw Error(ErrorCode::BadInput, *found.doubt + ", " + rules.unlessForced, path.string());
  if (found.doubt) found.warnings.insert(found.warnings.begin(), *found.doubt);
  if (!found.doubt && !view.joined.empty()) {
    accepted_ = sculpt.faces;
    acceptedVertices_ = sculpt.points.cols();
  }
  for (std::string& warning : found.warnings) warning = fmt::format("{}: {}", path.filename().string(), warning);
  return std::move(found.warnings);
}

std::vector<double> SculptMatcher::carryValues(const std::vector<double>& values, Index sculptVertices) const {
  const std::vector<std::int64_t> columns = columnsOf(sculptVertices);
  std::vector<double> carried(columns.size(), 0);
  for (std::size_t v = 0; v < columns.size(); ++v) {
    if (columns[v] >= 0) carried[v] = values[toSize(columns[v])];
  }
  return carried;
}

}  // namespace sinew::examples
