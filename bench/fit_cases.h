// Characters whose weights are fitted, and their examples.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/deform/dual_quaternion_blend.h"
#include "sinew/learn/fit/weights.h"
#include "sinew/samples/samples.h"

namespace sinew::bench {

struct FitCase {
  Index vertices = 100000;
  int joints = 30;
  int poses = 40;
};

/// The biped with half joints (then joints of other shares of a turn) beside its own until it has so many.
inline Character jointedBiped(Index vertices, int joints) {
  Character character = makeSample("biped", {.vertices = vertices}).character;
  std::vector<Joint> all(character.skeleton.joints().begin(), character.skeleton.joints().end());
  const std::size_t own = character.skin.bindings.size();
  for (int k = 0; static_cast<int>(character.skin.bindings.size()) < joints; ++k) {
    const std::size_t place = (static_cast<std::size_t>(k) * 7) % own;
    const Binding binding = character.skin.bindings[place];
    const Joint source = all[static_cast<std::size_t>(binding.joint)];
    if (source.parent < 0) continue;
    const double share = std::fmod(0.5 + 0.21 * std::floor(static_cast<double>(k) / static_cast<double>(own)), 1.0);
    character.helpers.push_back({.joint = static_cast<int>(all.size()), .source = binding.joint, .share = share});
    character.skin.bindings.push_back({static_cast<int>(all.size()), binding.jointFromRest, binding.skin});
    all.push_back({fmt::format("{}_{}", source.name, k), source.parent, source.rest});
  }
  character.skeleton = Skeleton(std::move(all));
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < character.mesh.vertexCount(); ++v) {
    const auto column = character.skin.weights[v];
    columns.emplace_back(column.begin(), column.end());
  }
  character.skin.weights = SkinWeights::fromColumns(character.skin.bindings.size(), columns);
  return character;
}

/// Random poses of all joints; dual quaternions with waves are the truth, so no weights meet it exactly.
inline ExampleSet fitExamples(const Character& character, int poses) {
  const DualQuaternionBlend sculptor(character.skin);
  const double size = boundingBox(character.mesh.points).diagonal();
  ExampleSet set;
  Lcg random(9);
  for (int k = 0; k < poses; ++k) {
    Example example;
    example.name = fmt::format("example {}", k + 1);
    example.pose = restPose(character);
    for (LocalTransform& local : example.pose.local)
      local.rotation = local.rotation * Quat(Eigen::AngleAxisd(0.6 * random.symmetric(), random.vector().normalized()));
    PosedJoints joints;
    poseJoints(character, example.pose, joints);
    Points waves = character.mesh.points;
    const double shift = random.symmetric();
    for (double& c : waves.reshaped()) c += 0.003 * size * std::sin(20 * c / size + shift);
    example.points = sculptor.deform(waves, joints);
    set.examples.push_back(std::move(example));
  }
  return set;
}

/// The problem of a case; the rest pose counts among its poses.
struct FitStage {
  explicit FitStage(const FitCase& wanted) : character(jointedBiped(wanted.vertices, wanted.joints)) {
    problem = fit::makeFitProblem(character, fitExamples(character, wanted.poses - 1));
  }
  Character character;
  fit::FitProblem problem;
};

}  // namespace sinew::bench
