// After Kurihara and Miyata (SCA 2004), who take the skin weights themselves. That fails away from the joints: the
// elbow's turn belongs to the forearm, whose weight is 0 at the biceps, so elbow examples fall onto the rest pose
// there. s (1 - s) is large where a joint bends the skin, and the floor keeps every example apart everywhere.
#include "sinew/learn/pose_space/groups.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace sinew::pose_space {
namespace {

constexpr double kFloor = kLeastGroupWeight;
constexpr double kFinestStep = 1e-3;
/// Relative: how much the joints at both ends of a bone count on its skin besides, so that what counts changes as
/// smoothly as the skin weights.
constexpr double kEnds = 0.1;
/// If no driver counts more than about this, all fade equally to the floor.
constexpr double kRigid = 0.02;
/// Relative weights are rounded in steps that grow with them, from about this size: a joint that hardly counts and one
/// that does not differ as much in what is learned as one that counts half and one that counts whole.
constexpr double kSmall = 0.02;

/// Weights as they are rounded, and back.
double roundedScale(double weight, bool relative) {
  return relative ? std::log1p((weight - kFloor) / (1 - kFloor) / kSmall) : weight;
}
double weightOf(double scaled, bool relative) {
  return relative ? kFloor + (1 - kFloor) * kSmall * std::expm1(scaled) : std::max(kFloor, scaled);
}

/// Per binding: whether its joint is `joint` or below it.
std::vector<bool> bindingsBelow(const Character& character, int joint) {
  std::vector<bool> below(toSize(character.skeleton.size()), false);
  for (const int j : character.skeleton.order()) {
    const int parent = character.skeleton[j].parent;
    below[toSize(j)] = j == joint || (parent >= 0 && below[toSize(parent)]);
  }
  std::vector<bool> result;
  for (const Binding& binding : character.skin.bindings) result.push_back(below[toSize(binding.joint)]);
  return result;
}

/// Per binding: whether `joint` is at an end of its bone: its own joint, or the next one below it that moves skin.
std::vector<bool> bonesThatMeet(const Character& character, int joint) {
  std::vector<bool> bound(toSize(character.skeleton.size()), false);
  for (const Binding& binding : character.skin.bindings) bound[toSize(binding.joint)] = true;
  int above = character.skeleton[joint].parent;
  while (above >= 0 && !bound[toSize(above)]) above = character.skeleton[above].parent;
  std::vector<bool> result;
  for (const Binding& binding : character.skin.bindings)
    result.push_back(binding.joint == joint || binding.joint == above);
  return result;
}

/// Drivers x affected vertices. `relative`: to the driver that bends a vertex most.
Eigen::MatrixXd jointWeights(const Character& character, const PoseSpaceModel& model, bool relative) {
  const auto& drivers = model.poseSpace.drivers;
  Eigen::MatrixXd weights(static_cast<Index>(drivers.size()), static_cast<Index>(model.vertices.size()));
  for (std::size_t d = 0; d < drivers.size(); ++d) {
    const auto row = static_cast<Index>(d);
    if (drivers[d].kind == DriverKind::Channel) {
      weights.row(row).setOnes();
      continue;
    }
    const std::vector<bool> below = bindingsBelow(character, drivers[d].source);
    const std::vector<bool> meets = bonesThatMeet(character, drivers[d].source);
    for (Index i = 0; i < weights.cols(); ++i) {
      double s = 0;
      double ends = 0;
      for (const Influence& influence : character.skin.weights[model.vertices[toSize(i)]]) {
        if (below[influence.binding]) s += influence.weight;
        if (meets[influence.binding]) ends += influence.weight;
      }
      weights(row, i) = 4 * s * (1 - s) + (relative ? kEnds * ends : 0);
    }
  }
  if (!relative) return weights.cwiseMax(kFloor);
  for (Index i = 0; i < weights.cols(); ++i) weights.col(i) /= weights.col(i).maxCoeff() + kRigid;
  return kFloor + (1 - kFloor) * weights.array();
}

using Key = std::vector<int>;

/// Columns rounded to multiples of `step`, or nothing if there are more than `most` different ones.
std::map<Key, std::uint32_t> distinct(const Eigen::MatrixXd& weights, double step, int most) {
  std::map<Key, std::uint32_t> groups;
  Key key(toSize(weights.rows()));
  for (Index i = 0; i < weights.cols(); ++i) {
    for (Index d = 0; d < weights.rows(); ++d) {
      key[toSize(d)] = static_cast<int>(std::lround(weights(d, i) / step));
    }
    groups.emplace(key, 0);
    if (groups.size() > toSize(most)) return {};
  }
  std::uint32_t number = 0;
  for (auto& [unused, group] : groups) group = number++;
  return groups;
}

}  // namespace

void groupVertices(const Character& character, int mostGroups, bool relative, PoseSpaceModel& model) {
  model.groupOf.clear();
  model.groupWeights.resize(0, 0);
  if (model.vertices.empty()) return;
  const Eigen::MatrixXd weights =
      jointWeights(character, model, relative).unaryExpr([&](double weight) { return roundedScale(weight, relative); });
  double step = kFinestStep;
  std::map<Key, std::uint32_t> groups = distinct(weights, step, mostGroups);
  while (groups.empty()) {
    step *= 2;
    groups = distinct(weights, step, mostGroups);
  }
  model.groupWeights.resize(weights.rows(), static_cast<Index>(groups.size()));
  for (const auto& [key, group] : groups) {
    for (std::size_t d = 0; d < key.size(); ++d) {
      model.groupWeights(static_cast<Index>(d), group) = weightOf(key[d] * step, relative);
    }
  }
  Key key(toSize(weights.rows()));
  for (Index i = 0; i < weights.cols(); ++i) {
    for (Index d = 0; d < weights.rows(); ++d) {
      key[toSize(d)] = static_cast<int>(std::lround(weights(d, i) / step));
    }
    model.groupOf.push_back(groups.at(key));
  }
}

}  // namespace sinew::pose_space
