// Examples in the form for the solvers of skin fitting: welded points, and their positions by each joint alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/character/example_set.h"

namespace sinew::fit {

/// What the weights of a point keep to where the examples do not decide.
struct PointPull {
  double strength = 0;              ///< mu of the pull, per pose and squared diagonal
  double natural = 0;               ///< the strength that counts as 1 at this point (fit/pulls.h)
  bool near = false;                ///< only joints next to those of its own weights may move the point
  std::vector<Influence> target{};  ///< the weights to keep to; empty: its own
};

/// Only points moved by a skin: vertices of parts that follow a node keep their binding. Vertices of one skin at the
/// same rest position are one point. So are coincident vertices of several skins: such a point is in the rest space of
/// its first vertex, and only joints that all its skins bind may move it.
struct FitProblem {
  std::vector<std::uint32_t> pointOfVertex;            ///< per vertex of the character; kNotFitted for others
  std::vector<std::uint32_t> firstVertex;              ///< per point: its representative vertex, ascending
  Points rest;                                         ///< 3 x points, in the rest space of their skin
  std::vector<std::uint32_t> skinOf;                   ///< per point: a row of `candidates`
  std::vector<std::vector<std::uint32_t>> candidates;  ///< per skin, or border of skins: bindings that may move points
  std::vector<Points> targets;                         ///< per example, then the rest pose where it was added: 3 x
                                                       ///< points, world space; of several vertices their mean
  std::vector<std::vector<Affine>> worldFromRest;      ///< per example, per binding
  std::vector<double> confidence;                      ///< per example: a factor of its squared error
  std::vector<std::vector<double>> masks;              ///< per example: a factor per point, or empty
  std::vector<std::vector<Influence>> prior;           ///< per point: the character's own weights
  std::vector<PointPull> pulls;                        ///< per point, or empty: WeightOptions::prior for all
  double diagonal = 1;                                 ///< of the rest shape in world space

  [[nodiscard]] Index pointCount() const { return rest.cols(); }
  [[nodiscard]] std::size_t exampleCount() const { return targets.size(); }
  [[nodiscard]] double factor(std::size_t example, Index point) const {
    return confidence[example] * (masks[example].empty() ? 1.0 : masks[example][toSize(point)]);
  }
};
inline constexpr std::uint32_t kNotFitted = 0xffffffffu;

/// Examples (the rest pose is added as one where none of them is at rest) on a character that has a skin. Morph targets
/// that a pose weighs are part of the rest there: rejected with a sentence where they differ from the rest pose's.
/// Throws BadInput for sizes that do not fit, values that are not finite, no example, no skin.
FitProblem makeFitProblem(const Character& character, const ExampleSet& set);

/// Weights per point back on every vertex: welded vertices get the same column (on the border of skins, the same by
/// joint), others keep theirs.
SkinWeights weightsOfVertices(const Character& character, const FitProblem& problem,
                              const std::vector<std::vector<Influence>>& columns);

}  // namespace sinew::fit
