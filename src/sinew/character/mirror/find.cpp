// The plane of symmetry of a body, and everyone's partner across it. Planes across the three axes are tried through the
// origin, the middle of the body's box, its roots and the median of its joints; the one wins that explains most joints
// and vertices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/character/mirror/parts.h"
#include "sinew/math/point_grid.h"

namespace sinew::mirror {

Points blended(const Character& character, const Pose& pose) {
  Points points;
  applyMorphs(character, pose.morphWeights, points);
  if (!character.hasSkin()) return points;
  PosedJoints posed;
  poseJoints(character, pose, posed);
  parallelFor(points.cols(), 1024, [&](Index v) {
    Vec3 sum = Vec3::Zero();
    for (const Influence& influence : character.skin.weights[v]) {
      sum += influence.weight * (posed.worldFromRest[influence.binding] * Vec3(points.col(v)));
    }
    points.col(v) = sum;
  });
  return points;
}

namespace {

/// Fills means over the joints below each, over the skin that each moves, and who is needed by the skin. What helper
/// joints move counts for their sources, so that a body with helpers on one side only is as symmetric as without.
void describeJoints(Body& body) {
  const Skeleton& skeleton = body.character.skeleton;
  const auto count = toSize(skeleton.size());
  std::vector<double> joints(count, 1);
  std::vector<double> skin(count, 0);
  body.follows.assign(count, -1);
  for (const HelperJoint& helper : body.character.helpers) body.follows[toSize(helper.joint)] = helper.source;
  body.moved.assign(count, Vec3::Zero());
  body.needed.assign(count, false);
  for (std::size_t j = 0; j < count; ++j) body.below.emplace_back(body.worldFromJoint[j].translation());
  if (body.character.hasSkin()) {
    for (Index v = 0; v < body.rest.cols(); ++v) {
      for (const Influence& influence : body.character.skin.weights[v]) {
        const int joint = body.character.skin.bindings[influence.binding].joint;
        const int source = body.follows[toSize(joint)];
        const auto j = toSize(source < 0 ? joint : source);
        body.moved[j] += influence.weight * body.rest.col(v);
        skin[j] += influence.weight;
        body.needed[j] = true;
      }
    }
  }
  const auto order = skeleton.order();
  for (std::size_t i = count; i-- > 0;) {
    const auto j = toSize(order[i]);
    const int parent = skeleton[order[i]].parent;
    if (parent < 0 || body.follows[j] >= 0) continue;
    const auto p = toSize(parent);
    body.below[p] += body.below[j];
    joints[p] += joints[j];
    if (body.needed[j]) body.needed[p] = true;
  }
  for (std::size_t j = 0; j < count; ++j) {
    body.below[j] /= joints[j];
    body.moved[j] = skin[j] > 0 ? Vec3(body.moved[j] / skin[j]) : Vec3(body.worldFromJoint[j].translation());
  }
}

}  // namespace

Body restBody(const Character& character) {
  Body body{character, {}, {}, {}, 1, {}, {}, {}, {}, {}};
  const Pose rest = restPose(character);
  body.rest = blended(character, rest);
  body.triangles = triangulate(character.mesh);
  computeNormals(body.rest, body.triangles, body.normals);
  PosedJoints posed;
  poseJoints(character.skeleton, {}, rest, posed);
  body.worldFromJoint = std::move(posed.worldFromJoint);
  body.diagonal = boundingBox(body.rest).diagonal();
  if (!(body.diagonal > 0)) body.diagonal = 1;
  describeJoints(body);
  return body;
}

namespace {

constexpr char kAxisNames[] = {'x', 'y', 'z'};

/// A plane that was tried.
struct Trial {
  MirrorMap plane;
  double jointShare = 1;   ///< of the joints that the skin needs, those with a partner
  double vertexShare = 1;  ///< of sampled vertices, those whose image is near the body
  double error = 0;        ///< mean distances of these images to the nearest vertex, and of joints to their partners
  bool pairs = false;      ///< some joint has another one as partner

  [[nodiscard]] double quality() const { return std::min(jointShare, vertexShare); }
};

void checkOptions(const Character& character, const MirrorOptions& options) {
  checkCharacter(character, "mirror");
  checkChoice(options.axis, "axis", "mirror");
  SINEW_CHECK(character.mesh.vertexCount() > 0, "mirror", "the character has no vertices");
  for (const double value :
       {options.tolerance, options.surfaceReach, options.jointTolerance, options.samePoseDegrees}) {
    SINEW_CHECK(std::isfinite(value) && value >= 0, "mirror",
                fmt::format("a tolerance is {}, but it must be zero or more", value));
  }
  SINEW_CHECK(!options.offset || std::isfinite(*options.offset), "mirror", "the plane's offset is not a finite number");
  SINEW_CHECK(!options.offset || options.axis != MirrorAxis::Auto, "mirror",
              "an offset alone does not define a plane; give the axis too: x, y or z");
}

std::vector<double> offsetsToTry(const Body& body, int axis, const std::optional<double>& given) {
  if (given) return {*given};
  std::vector<double> offsets = {0, boundingBox(body.rest).centre()[axis]};
  std::vector<double> joints;
  for (std::size_t j = 0; j < body.worldFromJoint.size(); ++j) {
    if (body.needed[j]) joints.push_back(body.worldFromJoint[j].translation()[axis]);
    if (body.character.skeleton[static_cast<int>(j)].parent < 0 && body.needed[j]) offsets.push_back(joints.back());
  }
  if (!joints.empty()) {
    std::nth_element(joints.begin(), joints.begin() + static_cast<std::ptrdiff_t>(joints.size() / 2), joints.end());
    offsets.push_back(joints[joints.size() / 2]);
  }
  std::vector<double> distinct;
  for (const double offset : offsets) {
    const bool known = std::any_of(distinct.begin(), distinct.end(),
                                   [&](double other) { return std::abs(other - offset) <= 1e-6 * body.diagonal; });
    if (!known) distinct.push_back(offset);
  }
  return distinct;
}

/// Vertex spacing: the mean over the triangles' edges.
double meanEdge(const Body& body) {
  if (body.triangles.empty()) return 0;
  double sum = 0;
  for (const Triangle& t : body.triangles) {
    for (std::size_t k = 0; k < 3; ++k) sum += (body.rest.col(t[k]) - body.rest.col(t[(k + 1) % 3])).norm();
  }
  return sum / (3 * static_cast<double>(body.triangles.size()));
}

void judge(const Body& body, const PointGrid& grid, const MirrorOptions& options, Trial& trial) {
  constexpr Index kSamples = 2000;
  MirrorMap& plane = trial.plane;
  plane.joint = jointPartners(body, plane, options.jointTolerance * body.diagonal);
  Index needed = 0;
  Index matched = 0;
  double jointGaps = 0;
  for (std::size_t j = 0; j < plane.joint.size(); ++j) {
    if (!body.needed[j]) continue;
    ++needed;
    if (plane.joint[j] < 0) continue;
    const auto partner = toSize(plane.joint[j]);
    ++matched;
    trial.pairs = trial.pairs || partner != j;
    jointGaps +=
        (plane.point(body.worldFromJoint[j].translation()) - body.worldFromJoint[partner].translation()).norm();
  }
  if (needed > 0) trial.jointShare = static_cast<double>(matched) / static_cast<double>(needed);
  const Index count = std::min(kSamples, body.rest.cols());
  Index hits = 0;
  for (Index i = 0; i < count; ++i) {
    const PointGrid::Hit hit = grid.nearest(plane.point(body.rest.col(i * body.rest.cols() / count)));
    if (hit.point >= 0) ++hits;
    trial.error += hit.point >= 0 ? std::sqrt(hit.squaredDistance) : grid.radius();
  }
  trial.vertexShare = static_cast<double>(hits) / static_cast<double>(count);
  trial.error /= static_cast<double>(count);
  if (matched > 0) trial.error += jointGaps / static_cast<double>(matched);
}

/// Throws if no plane, or more than one without left and right, explains the body.
Trial choosePlane(const Body& body, const MirrorOptions& options) {
  const int wanted = static_cast<int>(options.axis) - static_cast<int>(MirrorAxis::X);  // -1: any
  const PointGrid grid(body.rest, std::max({options.surfaceReach * body.diagonal, meanEdge(body), 1e-9}));
  std::vector<Trial> trials;
  for (int axis = 0; axis < 3; ++axis) {
    if (wanted >= 0 && axis != wanted) continue;
    for (const double offset : offsetsToTry(body, axis, options.offset)) {
      Trial trial;
      trial.plane.axis = axis;
      trial.plane.offset = offset;
      judge(body, grid, options, trial);
      trials.push_back(std::move(trial));
    }
  }
  const double best = std::max_element(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) {
                        return a.quality() < b.quality();
                      })->quality();
  std::erase_if(trials, [&](const Trial& trial) { return trial.quality() < 0.95 * best; });
  std::stable_sort(trials.begin(), trials.end(),
                   [](const Trial& a, const Trial& b) { return a.pairs != b.pairs ? a.pairs : a.error < b.error; });
  const Trial& first = trials.front();
  if (wanted < 0 && !first.pairs && first.quality() > 0.5) {
    for (const Trial& other : trials) {
      SINEW_CHECK(other.plane.axis == first.plane.axis, "mirror",
                  fmt::format("the body has no left and right joints and is symmetric in {} and in {}; give the axis "
                              "of the mirror plane",
                              kAxisNames[first.plane.axis], kAxisNames[other.plane.axis]));
    }
  }
  return trials.front();
}

/// Morph targets whose displacements are each other's mirror image, to a twentieth.
void pairMorphs(const Body& body, MirrorMap& map) {
  const Character& character = body.character;
  const std::size_t count = character.morphs.size();
  std::vector<Points> deltas(count);
  for (std::size_t m = 0; m < count; ++m) {
    const MorphTarget& morph = character.morphs[m];
    deltas[m] = Points::Zero(3, body.rest.cols());
    deltas[m].middleCols(morph.firstVertex, morph.deltas.cols()) = morph.deltas;
  }
  map.morph.assign(count, -1);
  for (std::size_t m = 0; m < count; ++m) {
    if (map.morph[m] >= 0) continue;
    Points image(3, body.rest.cols());
    for (Index v = 0; v < image.cols(); ++v) {
      const MirrorPlace& place = map.vertex[toSize(v)];
      image.col(v) =
          place.kind == MirrorPlace::Kind::None ? Vec3(Vec3::Zero()) : map.direction(columnAt(place, deltas[m]));
    }
    double least = 0.05;
    for (std::size_t k = m; k < count; ++k) {
      if (map.morph[k] >= 0) continue;
      const bool named = k == m || otherSide(character.morphs[m].name) == character.morphs[k].name;
      const double size = std::max({image.norm(), deltas[k].norm(), 1e-300});
      const double cost = (image - deltas[k]).norm() / size + (named ? 0 : 1e-3);
      if (cost > least || (cost == least && map.morph[m] >= 0)) continue;
      least = cost;
      map.morph[m] = static_cast<int>(k);
    }
    if (map.morph[m] >= 0) map.morph[toSize(map.morph[m])] = static_cast<int>(m);
  }
}

void measureVertices(const Body& body, const MirrorMap& map, MirrorReport& report) {
  double squares = 0;
  for (Index v = 0; v < body.rest.cols(); ++v) {
    const MirrorPlace& place = map.vertex[toSize(v)];
    if (place.kind == MirrorPlace::Kind::None) {
      if (report.unmatchedVertices++ == 0) report.firstUnmatchedVertex = v;
      continue;
    }
    ++(place.kind == MirrorPlace::Kind::Vertex ? report.vertexPartners : report.surfacePartners);
    const double gap = (map.point(columnAt(place, body.rest)) - body.rest.col(v)).norm();
    squares += gap * gap;
    report.max = std::max(report.max, gap);
  }
  const Index matched = report.vertexPartners + report.surfacePartners;
  if (matched > 0) report.rms = std::sqrt(squares / static_cast<double>(matched));
  report.rmsPercent = 100 * report.rms / body.diagonal;
}

void describe(const Body& body, MirrorMap& map) {
  MirrorReport& report = map.report;
  const Skeleton& skeleton = body.character.skeleton;
  for (std::size_t j = 0; j < map.joint.size(); ++j) {
    const int partner = map.joint[j];
    if (partner == static_cast<int>(j)) ++report.centreJoints;
    if (partner > static_cast<int>(j)) ++report.jointPairs;
    if (partner < 0 && body.needed[j]) report.unmatchedJoints.push_back(skeleton[static_cast<int>(j)].name);
  }
  for (std::size_t m = 0; m < map.morph.size(); ++m) {
    if (map.morph[m] < 0) report.unmatchedMorphs.push_back(body.character.morphs[m].name);
  }
  measureVertices(body, map, report);
  report.sentence = fmt::format(
      "mirrored in {} = {:.4g}: {} pairs of joints and {} at the centre; {} vertices have a vertex as partner, {} a "
      "point of the surface, {} none; asymmetry {:.2g} % of the diagonal",
      kAxisNames[map.axis], map.offset + 0.0, report.jointPairs, report.centreJoints, report.vertexPartners,
      report.surfacePartners, report.unmatchedVertices, report.rmsPercent);
  if (!report.unmatchedJoints.empty()) {
    report.warnings.push_back(fmt::format("no partner was found for {}; examples that move them are not mirrored",
                                          quotedNames(report.unmatchedJoints)));
  }
  if (!report.unmatchedMorphs.empty()) {
    report.warnings.push_back(
        fmt::format("no mirrored morph target was found for {}; examples that use them are not mirrored",
                    quotedNames(report.unmatchedMorphs)));
  }
  if (report.unmatchedVertices > 0) {
    report.warnings.push_back(
        fmt::format("{} of {} vertices (the first is {}) have no partner; mirrored examples do not change them",
                    report.unmatchedVertices, body.rest.cols(), report.firstUnmatchedVertex));
  }
}

}  // namespace
}  // namespace sinew::mirror

namespace sinew {

MirrorMap findMirror(const Character& character, const MirrorOptions& options) {
  mirror::checkOptions(character, options);
  const mirror::Body body = mirror::restBody(character);
  MirrorMap map = mirror::choosePlane(body, options).plane;
  const mirror::MirrorShape shape = mirror::symmetricShape(body, map, options.tolerance);
  map.vertex = mirror::vertexPartners(body, shape, map.joint, options.tolerance * shape.diagonal,
                                      options.surfaceReach * shape.diagonal);
  for (Index v = 0; v < body.rest.cols(); ++v)
    map.side.push_back(shape.sign * (shape.points(shape.plane.axis, v) - shape.plane.offset));
  mirror::pairMorphs(body, map);
  mirror::describe(body, map);
  const MirrorReport& report = map.report;
  const auto needed = toSize(std::count(body.needed.begin(), body.needed.end(), true));
  SINEW_CHECK(2 * report.unmatchedJoints.size() <= needed && 2 * report.unmatchedVertices <= body.rest.cols(), "mirror",
              fmt::format("the body is not symmetric in {} = {:.4g}: {} of {} joints and {} of {} vertices have no "
                          "partner; give another axis or plane, or sculpt both sides",
                          mirror::kAxisNames[map.axis], map.offset + 0.0, report.unmatchedJoints.size(), needed,
                          report.unmatchedVertices, body.rest.cols()));
  return map;
}

}  // namespace sinew
