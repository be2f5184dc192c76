// Mirrors poses and sculpts. With S the reflection and A_j the linear rest transform of joint j in the world, the joint
// k = partner(j) is to move away from its rest as the mirror image of what j does:
//   W'_k W0_k^-1 = S (W_j W0_j^-1) S.
// In local transforms, with M_j = A_k^-1 S A_j (and M = S for the world above the roots), that is
//   L'_k = M_parent L_j M_j^-1,  t'_k = t0_k + M_parent (t_j - t0_j),
// whatever axes the joints of the two sides have. At rest it gives the rest of k.
#include "sinew/character/mirror.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/base/text.h"
#include "sinew/character/mirror/parts.h"
#include "sinew/math/rotation.h"

namespace sinew::mirror {
namespace {

constexpr Index kMirrorGrain = 1024;
constexpr Index kLeastAlone = 4;        ///< one in so many vertices without a partner is too many
constexpr double kExactPartner = 1e-4;  ///< diagonals: partners whose shapes mirror each other at rest

bool sameTransform(const LocalTransform& a, const LocalTransform& b) {
  return a.translation == b.translation && a.rotation.coeffs() == b.rotation.coeffs() && a.scale == b.scale;
}

/// rotation * scale with the signs of a rest scale and the quaternion in the hemisphere of its rest.
void splitLinear(const Mat3& linear, const LocalTransform& rest, LocalTransform& local) {
  for (int i = 0; i < 3; ++i) local.scale[i] = std::copysign(linear.col(i).norm(), rest.scale[i]);
  Mat3 turned = linear;
  for (int i = 0; i < 3; ++i) turned.col(i) /= local.scale[i] == 0 ? 1 : local.scale[i];
  local.rotation = Quat(polarDecomposition(turned).rotation);
  if (local.rotation.dot(rest.rotation) < 0) local.rotation.coeffs() *= -1;
}

/// Changes of frame for all joints, and the rest transforms they come from.
class PoseMirror {
 public:
  PoseMirror(const Character& character, const MirrorMap& map)
      : skeleton_(character.skeleton), helpers_(character.helpers), map_(map) {
    SINEW_CHECK(
        map.joint.size() == toSize(skeleton_.size()), "mirror",
        fmt::format("the mirror was found for {} joints, the skeleton has {}", map.joint.size(), skeleton_.size()));
    poseJoints(skeleton_, {}, restPose(skeleton_), rest_);
  }

  [[nodiscard]] Pose mirrored(const Pose& pose) const {
    Pose result = restPose(skeleton_);
    PosedJoints posed;
    poseJoints(skeleton_, {}, pose, posed);
    std::vector<Affine> made(pose.local.size());
    for (const int k : skeleton_.order()) {
      if (isHelper(helpers_, k)) continue;
      LocalTransform& local = result.local[toSize(k)];
      const int above = skeleton_[k].parent;
      const Affine worldFromParent = above < 0 ? Affine::Identity() : made[toSize(above)];
      mirrorJoint(k, pose, posed, worldFromParent, local);
      made[toSize(k)] = worldFromParent * local.parentFromJoint();
    }
    applyHelpers(skeleton_, helpers_, result);
    return result;
  }

 private:
  [[nodiscard]] int partner(int joint) const { return joint < 0 ? -1 : map_.joint[toSize(joint)]; }

  void mirrorJoint(int k, const Pose& pose, const PosedJoints& posed, const Affine& worldFromParent,
                   LocalTransform& local) const {
    const int j = partner(k);
    if (j < 0) return;
    const LocalTransform& rest = skeleton_[j].rest;
    const LocalTransform& moved = pose.local[toSize(j)];
    const int below = skeleton_[j].parent;
    const int above = skeleton_[k].parent;
    const bool sameTree = below < 0 ? above < 0 : partner(below) == above;
    // A joint at rest stays there to the bit, so that it does not begin to drive anything.
    if (sameTree && sameTransform(rest, moved)) return;
    const Mat3 parentChange = frameChange(map_, rest_.worldFromJoint, below, above);
    const Mat3 change = frameChange(map_, rest_.worldFromJoint, j, k);
    const LocalTransform restOfPartner = skeleton_[k].rest;
    Mat3 linear = parentChange * moved.parentFromJoint().linear() * change.inverse();
    if (!sameTree) {
      // The trees differ: use the orientation of the joint in the world.
      Mat3 world = posed.worldFromJoint[toSize(j)].linear();
      world.row(map_.axis) *= -1;
      linear = worldFromParent.linear().inverse() * world * change.inverse();
    }
    splitLinear(linear, restOfPartner, local);
    local.translation = restOfPartner.translation + parentChange * (moved.translation - rest.translation);
  }

  const Skeleton& skeleton_;
  std::span<const HelperJoint> helpers_;
  const MirrorMap& map_;
  PosedJoints rest_;
};

/// In degrees, a tenth of a percent of the diagonal (or of a scale) counting as a degree.
double transformDifference(const LocalTransform& a, const LocalTransform& b, double diagonal) {
  constexpr double kDegrees = 180 / std::numbers::pi;
  return std::max({kDegrees * a.rotation.normalized().angularDistance(b.rotation.normalized()),
                   1000 * (a.translation - b.translation).norm() / diagonal,
                   1000 * (a.scale - b.scale).cwiseAbs().maxCoeff()});
}

/// The largest over all joints and morph weights. Helper joints follow others, regardless of their entries in a pose.
double poseDifference(const Character& character, const Pose& a, const Pose& b, double diagonal) {
  double most = 0;
  for (std::size_t j = 0; j < a.local.size(); ++j) {
    if (isHelper(character.helpers, static_cast<int>(j))) continue;
    most = std::max(most, transformDifference(a.local[j], b.local[j], diagonal));
  }
  for (std::size_t m = 0; m < a.morphWeights.size(); ++m) {
    most = std::max(most, 1000 * std::abs(a.morphWeights[m] - b.morphWeights[m]));
  }
  return most;
}

/// What the pose moves that has no partner, in words; empty if there is nothing.
std::string movesAlone(const Character& character, const MirrorMap& map, const Pose& pose, double diagonal) {
  constexpr double kStill = 0.01;  // degrees: files in float are not exact
  for (std::size_t j = 0; j < map.joint.size(); ++j) {
    const Joint& joint = character.skeleton[static_cast<int>(j)];
    const auto& alone = map.report.unmatchedJoints;
    if (map.joint[j] >= 0 || std::find(alone.begin(), alone.end(), joint.name) == alone.end()) continue;
    if (transformDifference(joint.rest, pose.local[j], diagonal) > kStill) return fmt::format("joint '{}'", joint.name);
  }
  for (std::size_t m = 0; m < map.morph.size(); ++m) {
    const MorphTarget& morph = character.morphs[m];
    if (map.morph[m] < 0 && pose.morphWeights[m] != morph.defaultWeight)
      return fmt::format("morph target '{}'", morph.name);
  }
  return {};
}

class ExampleMirror {
 public:
  ExampleMirror(const Character& character, const ExampleSet& set, const MirrorOptions& options)
      : character_(character), options_(options), diagonal_(boundingBox(character.mesh.points).diagonal()) {
    result_.map = findMirror(character, options);
    checkPartners(result_.map.report);
    result_.set = set;
    for (const Example& example : set.examples) names_.insert(example.name);
  }

  MirrorResult run() {
    const std::size_t given = result_.set.examples.size();
    for (std::size_t e = 0; e < given; ++e) mirror(e, given);
    if (!symmetric_.empty()) {
      const bool one = symmetric_.size() == 1;
      result_.notes.push_back(
          fmt::format("{} {} not doubled: {}", quotedNames(symmetric_), one ? "is" : "are",
                      one ? "its pose is its own mirror image" : "their poses are their own mirror images"));
    }
    mirrorDrivers();
    return std::move(result_);
  }

 private:
  void mirror(std::size_t e, std::size_t given) {
    const Example& example = result_.set.examples[e];
    checkExample(example);
    if (const std::string alone = movesAlone(character_, result_.map, example.pose, diagonal_); !alone.empty()) {
      leaveOut("'{}' is not mirrored: it moves {}, which has no partner", example.name, alone);
      return;
    }
    const Pose pose = mirrorPose(character_, result_.map, example.pose);
    if (poseDifference(character_, pose, example.pose, diagonal_) <= options_.samePoseDegrees) {
      symmetric_.push_back(example.name);
      return;
    }
    for (std::size_t other = 0; other < given; ++other) {
      const Example& there = result_.set.examples[other];
      if (there.pose.local.size() != pose.local.size() || there.pose.morphWeights.size() != pose.morphWeights.size())
        continue;  // rejected in its own turn
      if (poseDifference(character_, pose, there.pose, diagonal_) > options_.samePoseDegrees) continue;
      leaveOut("'{}' is not mirrored: its mirror image is already the example '{}'", example.name, there.name);
      return;
    }
    Example made = mirroredExample(example, pose);
    result_.added.push_back(made.name);
    result_.set.examples.push_back(std::move(made));
  }

  void leaveOut(fmt::format_string<const std::string&, const std::string&> sentence, const std::string& name,
                const std::string& why) {
    result_.notes.push_back(fmt::format(sentence, name, why));
  }

  void checkPartners(const MirrorReport& report) const {
    const Index vertices = character_.mesh.vertexCount();
    SINEW_CHECK(
        options_.force || kLeastAlone * report.unmatchedVertices < vertices ||
            report.vertexPartners >= report.unmatchedVertices,
        "mirror",
        fmt::format("the mesh is not symmetric: of {} vertices {} have a mirrored vertex, {} only a place on the "
                    "surface, and {} none; sculpt both sides, or mirror anyway with --force",
                    vertices, report.vertexPartners, report.surfacePartners, report.unmatchedVertices));
  }

  void checkExample(const Example& example) const {
    const Index vertices = character_.mesh.vertexCount();
    SINEW_CHECK(example.pose.local.size() == result_.map.joint.size() &&
                    example.pose.morphWeights.size() == result_.map.morph.size(),
                "mirror", fmt::format("the pose of example '{}' does not belong to this character", example.name));
    SINEW_CHECK(example.points.cols() == vertices, "mirror",
                fmt::format("example '{}' has {} vertices, the character has {}", example.name, example.points.cols(),
                            vertices));
    SINEW_CHECK(example.mask.empty() || static_cast<Index>(example.mask.size()) == vertices, "mirror",
                fmt::format("example '{}' has a mask of {} values for {} vertices", example.name, example.mask.size(),
                            vertices));
    checkFinite(example.points, "mirror", ("example '" + example.name + "'").c_str());
  }

  [[nodiscard]] Example mirroredExample(const Example& example, const Pose& pose) {
    Example made;
    made.name = freeName(otherSide(example.name).value_or(example.name + "_mirrored"));
    made.pose = pose;
    made.confidence = example.confidence;
    made.points = mirrorSculpt(character_, result_.map, example.pose, pose, example.points);
    if (example.mask.empty() && result_.map.report.unmatchedVertices == 0) return made;
    made.mask.assign(toSize(made.points.cols()), 0);
    for (std::size_t v = 0; v < made.mask.size(); ++v) {
      const MirrorPlace& place = result_.map.vertex[v];
      if (place.kind == MirrorPlace::Kind::None) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        made.mask[v] += place.weight[k] * (example.mask.empty() ? 1 : example.mask[place.vertex[k]]);
      }
    }
    return made;
  }

  std::string freeName(const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2; !names_.insert(name).second; ++number) name = fmt::format("{}_{}", wanted, number);
    return name;
  }

  /// What drives on one side drives on the other.
  void mirrorDrivers() {
    std::vector<Driver>& drivers = result_.set.drivers;
    const std::size_t given = drivers.size();
    for (std::size_t d = 0; d < given; ++d) {
      const int partner = result_.map.joint[toSize(character_.skeleton.index(drivers[d].joint))];
      if (partner < 0) continue;
      const std::string& name = character_.skeleton[partner].name;
      const bool known =
          std::any_of(drivers.begin(), drivers.end(), [&](const Driver& driver) { return driver.joint == name; });
      if (!known) drivers.push_back({name, drivers[d].weight});
    }
  }

  const Character& character_;
  const MirrorOptions& options_;
  double diagonal_;
  MirrorResult result_;
  std::unordered_set<std::string> names_;
  std::vector<std::string> symmetric_;  // examples that are their own mirror image
};

void checkSize(const MirrorMap& map, Index columns, const char* what) {
  SINEW_CHECK(static_cast<Index>(map.vertex.size()) == columns, "mirror",
              fmt::format("the mirror was found for {} vertices, {} has {}", map.vertex.size(), what, columns));
}

}  // namespace
}  // namespace sinew::mirror

namespace sinew {

Pose mirrorPose(const Character& character, const MirrorMap& map, const Pose& pose) {
  SINEW_CHECK(pose.morphWeights.size() == map.morph.size(), "mirror",
              fmt::format("the pose has {} morph weights, the mirror was found for {}", pose.morphWeights.size(),
                          map.morph.size()));
  Pose mirrored = mirror::PoseMirror(character, map).mirrored(pose);
  for (std::size_t m = 0; m < map.morph.size(); ++m) {
    mirrored.morphWeights.push_back(map.morph[m] < 0 ? character.morphs[m].defaultWeight
                                                     : pose.morphWeights[toSize(map.morph[m])]);
  }
  return mirrored;
}

std::vector<JointMirror> jointMirrors(const Character& character, const MirrorMap& map) {
  const Skeleton& skeleton = character.skeleton;
  SINEW_CHECK(
      map.joint.size() == toSize(skeleton.size()), "mirror",
      fmt::format("the mirror was found for {} joints, the skeleton has {}", map.joint.size(), skeleton.size()));
  PosedJoints rest;
  poseJoints(skeleton, {}, restPose(skeleton), rest);
  // M = A_to^-1 S A_from rotates and reflects; -M only rotates, and the two signs cancel in M R M^-1.
  const auto turn = [&](int from, int to) {
    return Quat(polarDecomposition(-mirror::frameChange(map, rest.worldFromJoint, from, to)).rotation);
  };
  std::vector<JointMirror> mirrors(map.joint.size());
  for (int j = 0; j < skeleton.size(); ++j) {
    const int k = map.joint[toSize(j)];
    if (k < 0 || k == j || isHelper(character.helpers, j)) continue;
    const int above = skeleton[j].parent;
    const int aboveOfPartner = above < 0 ? -1 : map.joint[toSize(above)];
    if ((above >= 0 && aboveOfPartner < 0) || aboveOfPartner != skeleton[k].parent) continue;
    mirrors[toSize(j)] = {k, turn(above, aboveOfPartner), turn(j, k)};
  }
  return mirrors;
}

Points mirrorPoints(const MirrorMap& map, const ConstPointsRef& points, const ConstPointsRef& otherwise) {
  mirror::checkSize(map, points.cols(), "the shape");
  mirror::checkSize(map, otherwise.cols(), "the values for vertices without a partner");
  Points mirrored(3, points.cols());
  parallelFor(points.cols(), mirror::kMirrorGrain, [&](Index v) {
    const MirrorPlace& place = map.vertex[toSize(v)];
    mirrored.col(v) =
        place.kind == MirrorPlace::Kind::None ? Vec3(otherwise.col(v)) : map.point(columnAt(place, points));
  });
  return mirrored;
}

Points mirrorSculpt(const Character& character, const MirrorMap& map, const Pose& pose, const Pose& mirrored,
                    const ConstPointsRef& sculpt) {
  mirror::checkSize(map, sculpt.cols(), "the sculpt");
  const Points correction = sculpt - mirror::blended(character, pose);
  const Points rest = mirror::blended(character, restPose(character));
  const double exact = mirror::kExactPartner * boundingBox(rest).diagonal();
  Points result = mirror::blended(character, mirrored);
  parallelFor(sculpt.cols(), mirror::kMirrorGrain, [&](Index v) {
    const MirrorPlace& place = map.vertex[toSize(v)];
    if (place.kind == MirrorPlace::Kind::None) return;
    if (place.kind == MirrorPlace::Kind::Vertex &&
        (map.point(rest.col(place.vertex[0])) - rest.col(v)).norm() <= exact) {
      result.col(v) = map.point(sculpt.col(place.vertex[0]));
    } else {
      result.col(v) += map.direction(columnAt(place, correction));
    }
  });
  return result;
}

MirrorResult mirrorExamples(const Character& character, const ExampleSet& set, const MirrorOptions& options) {
  return mirror::ExampleMirror(character, set, options).run();
}

Vec3 columnAt(const MirrorPlace& place, const ConstPointsRef& columns) {
  if (place.kind == MirrorPlace::Kind::Vertex) return columns.col(place.vertex[0]);
  return place.weight[0] * columns.col(place.vertex[0]) + place.weight[1] * columns.col(place.vertex[1]) +
         place.weight[2] * columns.col(place.vertex[2]);
}

}  // namespace sinew
