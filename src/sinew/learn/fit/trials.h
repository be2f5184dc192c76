// Weights of single points, fitted to some of the examples and tried at the others.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "sinew/learn/fit/weights.h"
#include "sinew/math/simplex_least_squares.h"

namespace sinew::fit {

/// Which examples are left out together: one at a time where they are few.
struct Folds {
  std::vector<int> ofExample;  ///< per example of the problem; -1: never left out (it counts for nothing, or is the
                               ///< rest pose that was added)
  int count = 0;

  /// Of the first `examples` of a problem, those with some confidence; at most `most` folds, every so-many-th together.
  Folds(const FitProblem& problem, std::size_t examples, int most);
};

/// One point and its candidate joints. Owns the memory for repeated use; one per thread.
class PointTrials {
 public:
  PointTrials(const FitProblem& problem, const WeightOptions& options, const Folds& folds);

  /// Takes up a point with the bindings that may move it, ascending, all that its own weights name among them. False
  /// where there is nothing to fit: locked, or covered by no example.
  bool open(Index point, std::span<const std::uint32_t> bindings);

  /// Weights by index in the bindings given to `open`, at most maxInfluences of them above 0: fitted to all folds
  /// except one (-1: to all), using only the entries for which `allowed` is not 0 (empty: all). `w` is the start;
  /// `target` is pulled to with the strength mu (Gram units, see `unit`).
  void fit(int leftOut, const Eigen::Ref<const Eigen::VectorXd>& target, double mu, std::span<const char> allowed,
           Eigen::VectorXd& w);

  /// Squared distance at an example, times its factor.
  [[nodiscard]] double error(std::size_t example, const Eigen::Ref<const Eigen::VectorXd>& w) const;
  /// The same, summed over the examples of a fold.
  [[nodiscard]] double foldError(int fold, const Eigen::Ref<const Eigen::VectorXd>& w) const;

  /// A column as weights by index.
  [[nodiscard]] Eigen::VectorXd byPlace(const std::vector<Influence>& column) const;
  [[nodiscard]] std::vector<Influence> column(const Eigen::Ref<const Eigen::VectorXd>& w) const;

  /// Gram units of a strength of 1: three times the factors of all examples, times the squared diagonal.
  [[nodiscard]] double unit() const { return unit_; }
  /// How far the examples separate the joints of the point: the mean over `marked` entries of the squared distance,
  /// summed over examples, between the positions by each joint and by the own weights.
  [[nodiscard]] double spread(std::span<const char> marked) const;

 private:
  const FitProblem& problem_;
  const WeightOptions& options_;
  const Folds& folds_;
  std::vector<char> lockedBinding_;
  std::vector<char> lockedPoint_;
  Index point_ = 0;
  double unit_ = 0;
  double free_ = 1;  // what locked joints leave
  int most_ = 0;
  std::vector<std::uint32_t> bindings_;
  std::vector<char> fixed_;               // per entry: locked
  Eigen::VectorXd own_;                   // per entry: own weights
  Eigen::MatrixXd columns_;               // displacements, three rows per example
  Eigen::MatrixXd total_;                 // their Gram matrix
  std::vector<Eigen::MatrixXd> perFold_;  // the part of each fold
  std::vector<int> used_;
  Eigen::MatrixXd gram_;
  Eigen::VectorXd linear_;
  Eigen::VectorXd weights_;
  SimplexScratch scratch_;
};

}  // namespace sinew::fit
