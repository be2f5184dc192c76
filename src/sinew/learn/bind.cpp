// First weights in four steps: the surface with its seams closed (bind_surface), the bones of the skeleton
// (bind_bones), which bones each point sees through the body (bind_sight), and weights by one of the methods
// (bind_geodesic, bind_heat).
#include "sinew/learn/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/character/pose.h"
#include "sinew/learn/bind/methods.h"

namespace sinew::bind {
namespace {

constexpr const char* kWhere = "bind";

/// Times the stages of a call.
class BindClock {
 public:
  explicit BindClock(BindReport& report) : report_(report) {}
  void finish(const char* name) {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    report_.stages.push_back({name, seconds});
    report_.seconds += seconds;
    last_ = now;
  }

 private:
  BindReport& report_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

const MethodRow& rowOf(BindMethod method) {
  return *std::find_if(kMethods.begin(), kMethods.end(), [&](const MethodRow& row) { return row.method == method; });
}

void checkOptions(const BindOptions& options) {
  checkChoice(options.method, "method", kWhere);
  SINEW_CHECK(options.maxInfluences >= 1, kWhere,
              fmt::format("a vertex needs at least 1 influence, not {}", options.maxInfluences));
  SINEW_CHECK(std::isfinite(options.falloff) && options.falloff > 0, kWhere,
              fmt::format("the falloff is {}; it must be positive", options.falloff));
  SINEW_CHECK(std::isfinite(options.heat) && options.heat > 0, kWhere,
              fmt::format("the heat is {}; it must be positive", options.heat));
  SINEW_CHECK(options.leastWeight >= 0 && options.leastWeight < 1, kWhere,
              fmt::format("the least weight is {}; it must be at least 0 and below 1", options.leastWeight));
}

std::vector<int> chosenJoints(const Skeleton& skeleton, const BindOptions& options) {
  SINEW_CHECK(!skeleton.empty(), kWhere, "the skeleton has no joints; give a file with a skeleton");
  std::vector<int> joints = options.joints;
  if (joints.empty()) {
    joints.resize(toSize(skeleton.size()));
    std::iota(joints.begin(), joints.end(), 0);
  }
  std::vector<bool> taken(toSize(skeleton.size()), false);
  for (const int joint : joints) {
    SINEW_CHECK(joint >= 0 && joint < skeleton.size(), kWhere,
                fmt::format("joint {} is requested, but the skeleton has {}", joint, skeleton.size()));
    SINEW_CHECK(!taken[toSize(joint)], kWhere, fmt::format("joint '{}' is given twice", skeleton[joint].name));
    taken[toSize(joint)] = true;
  }
  return joints;
}

std::vector<Binding> bindingsAtRest(const Skeleton& skeleton, std::span<const Affine> worldFromJoint,
                                    std::span<const int> joints) {
  std::vector<Binding> bindings;
  for (const int joint : joints) {
    const Affine& world = worldFromJoint[toSize(joint)];
    const double size = world.linear().norm();
    SINEW_CHECK(std::abs(world.linear().determinant()) > 1e-12 * size * size * size, kWhere,
                fmt::format("joint '{}' has scale 0 at rest, so no skin can be bound to it; give it a scale",
                            skeleton[joint].name));
    bindings.push_back({joint, world.inverse()});
  }
  return bindings;
}

/// The largest weights of one point, scaled to sum 1.
std::vector<Influence> columnOf(const WeightTable& table, Index point, const BindOptions& options) {
  std::vector<Influence> column;
  Index largest = 0;
  table.row(point).maxCoeff(&largest);
  for (Index b = 0; b < table.cols(); ++b) {
    const double weight = table(point, b);
    if (b == largest || (weight > 0 && weight >= options.leastWeight)) {
      column.push_back({static_cast<std::uint32_t>(b), weight});
    }
  }
  std::sort(column.begin(), column.end(), [](const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.binding < b.binding;
  });
  column.resize(std::min(column.size(), toSize(options.maxInfluences)));
  double sum = 0;
  for (const Influence& influence : column) sum += influence.weight;
  for (Influence& influence : column) influence.weight /= sum;
  return column;
}

SkinWeights weightsOf(const Surface& surface, const WeightTable& table, const BindOptions& options) {
  std::vector<std::vector<Influence>> ofPoint(toSize(surface.pointCount()));
  parallelFor(surface.pointCount(), 512, [&](Index p) { ofPoint[toSize(p)] = columnOf(table, p, options); });
  std::vector<std::uint32_t> offsets{0};
  std::vector<Influence> influences;
  for (const std::uint32_t point : surface.pointOfVertex) {
    influences.insert(influences.end(), ofPoint[point].begin(), ofPoint[point].end());
    offsets.push_back(static_cast<std::uint32_t>(influences.size()));
  }
  return {toSize(table.cols()), std::move(offsets), std::move(influences)};
}

void countUnreached(const Surface& surface, std::span<const Follower> followers, BindReport& report) {
  std::vector<bool> unreached(surface.pieces.size(), false);
  for (const Follower& follower : followers) unreached[follower.piece] = true;
  report.unreachedPieces = static_cast<Index>(followers.size());
  for (const std::uint32_t point : surface.pointOfVertex) report.unreached += unreached[surface.pieceOf[point]] ? 1 : 0;
}

/// A skeleton is expected inside its mesh and of nearly the same size.
void comparePlaces(const Mesh& mesh, std::span<const Affine> worldFromJoint, std::span<const int> joints,
                   BindReport& report) {
  constexpr double kOutside = 0.1;       // how far joints may be from the mesh's box, in its diagonals
  constexpr double kMostOutside = 0.25;  // share of the joints
  constexpr double kLargest = 1.3;       // times the mesh's diagonal
  constexpr double kSmallest = 0.5;      // for a skeleton of several joints
  Points places(3, static_cast<Index>(joints.size()));
  for (Index j = 0; j < places.cols(); ++j) {
    const int joint = joints[toSize(j)];
    places.col(j) = worldFromJoint[toSize(joint)].translation();
  }
  const BoundingBox body = boundingBox(mesh.points);
  const double diagonal = body.diagonal();
  if (!(diagonal > 0)) return;
  const double ratio = boundingBox(places).diagonal() / diagonal;
  if (ratio > kLargest || (ratio < kSmallest && joints.size() >= 4)) {
    report.warnings.push_back(
        fmt::format("the joints span {:.3g} times the size of the mesh ({:.3g} and {:.3g}); if the units differ, scale "
                    "one to match the other",
                    ratio, boundingBox(places).diagonal(), diagonal));
  }
  Index outside = 0;
  for (Index j = 0; j < places.cols(); ++j) {
    const Vec3 nearest = places.col(j).cwiseMax(body.low).cwiseMin(body.high);
    outside += (nearest - places.col(j)).norm() > kOutside * diagonal ? 1 : 0;
  }
  if (static_cast<double>(outside) > kMostOutside * static_cast<double>(places.cols())) {
    report.warnings.push_back(
        fmt::format("{} of {} joints are outside the mesh; move the skeleton inside it (both are in world space)",
                    outside, places.cols()));
  }
}

void tellUnreached(Index vertices, BindReport& report) {
  if (report.unreached == 0) return;
  report.warnings.push_back(fmt::format(
      "{} of {} vertices see no bone and follow the nearest one rigidly; check that the skeleton is inside the mesh",
      report.unreached, vertices));
}

void countIdle(const Skeleton& skeleton, std::span<const int> joints, const std::vector<Bone>& bones,
               const SkinWeights& weights, BindReport& report) {
  std::vector<std::string> idle;
  std::vector<bool> moves(bones.size(), false);
  for (Index v = 0; v < weights.vertexCount(); ++v) {
    for (const Influence& influence : weights[v]) moves[influence.binding] = true;
  }
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (bones[b].segments.empty()) continue;
    ++report.bones;
    if (moves[b]) continue;
    ++report.idle;
    idle.push_back(skeleton[joints[b]].name);
  }
  if (idle.empty()) return;
  report.warnings.push_back(fmt::format(
      "{} of {} joints move no vertex: {}; exclude them with --joint, or check that they are inside the mesh",
      report.idle, report.bones, quotedNames(idle)));
}

}  // namespace
}  // namespace sinew::bind

namespace sinew {

std::string BindReport::sentence() const {
  std::string text = fmt::format("{} bones over {} points in {} {}, {:.2g} s", bones, points, pieces,
                                 pieces == 1 ? "piece" : "pieces", seconds);
  if (unreached > 0) {
    text += fmt::format("; {} vertices in {} {} see no bone and follow the nearest one rigidly", unreached,
                        unreachedPieces, unreachedPieces == 1 ? "piece" : "pieces");
  }
  if (idle > 0) text += fmt::format("; {} {} no vertex", idle, idle == 1 ? "bone moves" : "bones move");
  return text;
}

BindResult bindSkin(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options, const Progress& progress) {
  checkMesh(mesh, bind::kWhere);
  bind::checkOptions(options);
  const bind::MethodRow& method = bind::rowOf(options.method);
  const std::vector<int> joints = bind::chosenJoints(skeleton, options);
  PosedJoints posed;
  poseJoints(skeleton, {}, restPose(skeleton), posed);
  BindResult result;
  result.skin.bindings = bind::bindingsAtRest(skeleton, posed.worldFromJoint, joints);
  if (mesh.vertexCount() == 0) return result;

  bind::BindClock clock(result.report);
  report(progress, {0, "preparing the surface"});
  const bind::Surface surface = bind::makeSurface(mesh, options.weldTolerance);
  clock.finish("surface");
  report(progress, {0.3, "looking for bones"});
  const std::vector<bind::Bone> bones = bind::makeBones(skeleton, posed.worldFromJoint, joints, surface);
  const std::vector<bind::Seen> seen = bind::nearestInSight(surface, bones);
  const std::vector<bind::Follower> followers = bind::followers(surface, bones, seen);
  clock.finish("sight");
  const Progress share = [&progress](const ProgressState& state) {
    return !progress || progress({0.4 + 0.6 * state.fraction, state.stage, state.value});
  };
  const bind::WeightTable table = method.weights({surface, bones, seen, followers, options, share});
  clock.finish("weights");
  result.skin.weights = bind::weightsOf(surface, table, options);
  clock.finish("influences");
  result.report.points = surface.pointCount();
  result.report.pieces = static_cast<Index>(surface.pieces.size());
  bind::countUnreached(surface, followers, result.report);
  bind::comparePlaces(mesh, posed.worldFromJoint, joints, result.report);
  bind::tellUnreached(mesh.vertexCount(), result.report);
  bind::countIdle(skeleton, joints, bones, result.skin.weights, result.report);
  report(progress, {1, "done"});
  return result;
}

}  // namespace sinew
