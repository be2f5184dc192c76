// What a rigger wants to know of a fitted skin.
#pragma once

#include <string>
#include <vector>

#include "sinew/learn/fit.h"
#include "sinew/learn/fit/leave_one_out.h"
#include "sinew/learn/fit/pulls.h"

namespace sinew::fit {

/// Errors of a character against examples, over the skinned vertices; vertices that a sculpt does not cover count as
/// matched.
struct ExampleErrors {
  ShapeError total;
  std::vector<ShapeError> examples;
};

/// Collects shapes, example after example.
class ErrorCollector {
 public:
  /// `fitted`: the vertices that count.
  ErrorCollector(std::vector<std::uint32_t> fitted, std::size_t examples, double diagonal);

  void add(const Example& example, const ConstPointsRef& shape);
  [[nodiscard]] ExampleErrors finish();

 private:
  std::vector<std::uint32_t> fitted_;
  double diagonal_;
  Eigen::VectorXd all_;
  Index used_ = 0;
  ExampleErrors errors_;
};

/// The vertices that a problem fits.
std::vector<std::uint32_t> fittedVertices(const FitProblem& problem);

/// By plain linear blend skinning.
ExampleErrors skinErrors(const Character& character, const ExampleSet& set, const FitProblem& problem);

/// Joints with weights that no counted example moves relative to their parents. Joints without a weighted ancestor are
/// skipped.
std::vector<int> stillJoints(const Character& character, const ExampleSet& set, const FitProblem& problem);

/// Sentences on still joints: those whose weights stayed, and those whose weights (or helper joints) changed all the
/// same, on the grounds of other joints. `columns`: the fitted weights of the problem's points.
std::vector<std::string> stillWarnings(const Character& character, const FitProblem& problem,
                                       const std::vector<int>& still,
                                       const std::vector<std::vector<Influence>>& columns);

/// Sentences on too few examples and ignored examples.
std::vector<std::string> exampleWarnings(const ExampleSet& set, const FitProblem& problem);

/// Sentences on the drift of the rest and on points that did not converge. `problem` has the rest shape at which the
/// alternation ended.
std::vector<std::string> fitWarnings(const FitProblem& problem, const AlternationOptions& options,
                                     const Alternation& fit);

/// Sentences on regions whose leave-one-out error rises, on those whose weights stay because the examples do not
/// determine better ones, and on a missing leave-one-out error. `choices`: per region, or empty if the strength was
/// given. `plain`: the same fit without smoothness and normals, if these were requested; otherwise null. `cut`: the own
/// weights were limited to the maximum number of joints per vertex.
std::vector<std::string> leftOutWarnings(const Character& character, const FitProblem& problem,
                                         const PointRegions& regions, const std::vector<RegionChoice>& choices,
                                         const FitOptions& options, bool cut, const LeftOutErrors& errors,
                                         const LeftOutErrors* plain);

/// Sentences on mirror pairs that do not fit into --max-helpers.
std::vector<std::string> budgetWarnings(const std::vector<HelperTrial>& helpers, int most);

/// Sentences on examples that are mirror images of others on a skin whose weights are not symmetric.
std::vector<std::string> mirrorWarnings(const Character& character, const ExampleSet& set, const MirrorMap& mirror);

}  // namespace sinew::fit
