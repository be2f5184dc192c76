// For a binding i under the binding p of its nearest joint above: the mean over its points v of
//   sum_e f_e |(T_i,e - T_p,e) v|^2 / sum_e f_e,
// a quadratic form of v, so ten products per point whatever the number of poses.
#include "sinew/learn/fit/weights_exercise.h"

#include <algorithm>
#include <cmath>

#include "sinew/character/mesh.h"
#include "sinew/learn/fit/weights_moments.h"

namespace sinew::fit {
namespace {

constexpr double kWeightsExerciseLeastWeight = 1e-3;

/// The binding in the same skin of the nearest joint above, or -1.
int parentBinding(const Character& character, std::size_t binding) {
  const Binding& own = character.skin.bindings[binding];
  for (int j = character.skeleton[own.joint].parent; j >= 0; j = character.skeleton[j].parent) {
    for (std::size_t b = 0; b < character.skin.bindings.size(); ++b) {
      if (character.skin.bindings[b].joint == j && character.skin.bindings[b].skin == own.skin)
        return static_cast<int>(b);
    }
  }
  return -1;
}

}  // namespace

std::vector<double> exerciseOf(const Character& character, const FitProblem& problem,
                               const std::vector<std::vector<Influence>>& columns) {
  const std::size_t count = character.skin.bindings.size();
  const Vec3 centre = boundingBox(problem.rest).centre();
  double confidence = 0;
  for (const double c : problem.confidence) confidence += c;
  std::vector<double> exercise(count, 0);
  if (!(confidence > 0)) return exercise;

  std::vector<int> parents(count, -1);
  std::vector<Monomials> moments(count, Monomials::Zero());
  for (std::size_t b = 0; b < count; ++b) {
    parents[b] = parentBinding(character, b);
    if (parents[b] < 0) continue;
    std::vector<Affine> against(problem.exampleCount());
    for (std::size_t e = 0; e < against.size(); ++e) {
      Affine& difference = against[e];
      difference.matrix() =
          problem.worldFromRest[e][b].matrix() - problem.worldFromRest[e][toSize(parents[b])].matrix();
      difference.translation() += difference.linear() * centre;
    }
    moments[b] = momentOf(against, against, problem.confidence);
  }

  std::vector<double> sums(count, 0);
  std::vector<double> points(count, 0);
  for (std::size_t p = 0; p < columns.size(); ++p) {
    const Monomials monomials = monomialsOf(problem.rest.col(static_cast<Index>(p)) - centre);
    for (const auto* column : {&columns[p], &problem.prior[p]}) {
      for (const Influence& influence : *column) {
        if (influence.weight < kWeightsExerciseLeastWeight) continue;
        sums[influence.binding] += std::max(0.0, moments[influence.binding].dot(monomials));
        points[influence.binding] += 1;
      }
    }
  }
  for (std::size_t b = 0; b < count; ++b) {
    if (points[b] > 0) exercise[b] = std::sqrt(sums[b] / (points[b] * confidence)) / problem.diagonal;
  }
  for (std::size_t b = 0; b < count; ++b) {
    if (parents[b] < 0) continue;
    const auto parent = toSize(parents[b]);
    if (parents[parent] < 0) exercise[parent] = std::max(exercise[parent], exercise[b]);
  }
  return exercise;
}

}  // namespace sinew::fit
