// Characters whose poses are made from known weights, and priors that are wrong.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/fit/weights.h"
#include "sinew/samples/samples.h"

namespace sinew::test {

/// Examples at the given poses by linear blend, with noise of up to `noise` per coordinate.
inline ExampleSet blendedExamples(const Character& character, const std::vector<Pose>& poses, double noise = 0) {
  ExampleSet set;
  Lcg random(4);
  for (const Pose& pose : poses) {
    Example example;
    example.name = "pose " + std::to_string(set.examples.size());
    example.pose = pose;
    example.points = posePoints(character, pose);
    if (noise > 0) {
      for (double& value : example.points.reshaped()) value += noise * random.symmetric();
    }
    set.examples.push_back(std::move(example));
  }
  return set;
}

/// Every vertex rigidly on the joint after its heaviest.
inline Character wronglyBound(const Character& character) {
  Character wrong = character;
  const std::size_t count = character.skin.bindings.size();
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < character.mesh.vertexCount(); ++v) {
    const std::size_t heaviest = character.skin.weights[v].front().binding;
    columns.push_back({{static_cast<std::uint32_t>((heaviest + 1) % count), 1.0}});
  }
  wrong.skin.weights = SkinWeights::fromColumns(count, columns);
  return wrong;
}

/// A sample at few vertices, posed at its examples' poses and at rest by its own weights.
struct Planted {
  explicit Planted(const std::string& sample, double noise = 0) {
    const Sample made = makeSample(sample, {.vertices = 1000});
    truth = made.character;
    std::vector<Pose> poses = {restPose(truth)};
    for (const Example& example : made.examples.examples) poses.push_back(example.pose);
    set = blendedExamples(truth, poses, noise * boundingBox(truth.mesh.points).diagonal());
    wrong = wronglyBound(truth);
  }
  Character truth;
  Character wrong;
  ExampleSet set;
};

/// Per vertex the largest difference of two sets of weights.
inline Eigen::VectorXd weightDifferences(const SkinWeights& a, const SkinWeights& b) {
  Eigen::VectorXd differences = Eigen::VectorXd::Zero(a.vertexCount());
  for (Index v = 0; v < a.vertexCount(); ++v) {
    for (const Influence& i : a[v])
      differences[v] = std::max(differences[v], std::abs(i.weight - b.weight(v, i.binding)));
    for (const Influence& i : b[v])
      differences[v] = std::max(differences[v], std::abs(i.weight - a.weight(v, i.binding)));
  }
  return differences;
}

inline double rmsOf(const Eigen::VectorXd& values) {
  return std::sqrt(values.squaredNorm() / static_cast<double>(values.size()));
}

/// Invariants of fitted columns.
inline bool feasible(const std::vector<std::vector<Influence>>& columns, int most) {
  return std::all_of(columns.begin(), columns.end(), [most](const std::vector<Influence>& column) {
    double sum = 0;
    bool fine = !column.empty() && column.size() <= static_cast<std::size_t>(most);
    for (std::size_t i = 0; i < column.size(); ++i) {
      fine = fine && column[i].weight > 0 && column[i].weight <= 1;
      fine = fine && (i == 0 || column[i].weight <= column[i - 1].weight);
      sum += column[i].weight;
    }
    return fine && std::abs(sum - 1) <= 1e-12;
  });
}

}  // namespace sinew::test
