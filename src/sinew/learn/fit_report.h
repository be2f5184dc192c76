// What a rigger wants to know of a fitted skin.
#pragma once

#include <string>
#include <vector>

#include "sinew/learn/fit.h"
#include "sinew/learn/fit_leave_one_out.h"
#include "sinew/learn/fit_pulls.h"

namespace sinew {

/// Errors of a character against examples, over the vertices that a skin moves; vertices that a sculpt does not cover
/// count as met.
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

/// Sentences on joints that no example exercises, too few examples, examples that count for nothing.
std::vector<std::string> exampleWarnings(const Character& character, const ExampleSet& set, const FitProblem& problem);

/// Sentences on the drift of the rest and on points that did not converge. `problem` has the rest shape at which the
/// alternation ended.
std::vector<std::string> fitWarnings(const FitProblem& problem, const AlternationOptions& options,
                                     const Alternation& fit);

/// Sentences on regions that get worse where an example is left out, on those whose weights stayed because the examples
/// do not determine better ones, and where nothing could be left out. `choices`: per region, or empty where the
/// strength was given.
std::vector<std::string> leftOutWarnings(const Character& character, const FitProblem& problem,
                                         const PointRegions& regions, const std::vector<RegionChoice>& choices,
                                         const LeftOutErrors& errors);

}  // namespace sinew
