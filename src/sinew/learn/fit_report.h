// What a rigger wants to know of a fitted skin.
#pragma once

#include <string>
#include <vector>

#include "sinew/learn/fit.h"

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

/// Sentences on the drift of the rest, locks that hold error, points that did not converge. `problem` has the rest
/// shape at which the alternation ended.
std::vector<std::string> fitWarnings(const Character& character, const FitProblem& problem,
                                     const AlternationOptions& options, const Alternation& fit);

}  // namespace sinew
