// Many examples: few shapes, few centres, outliers.
#pragma once

#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/pose_space.h"
#include "sinew/learn/pose_space/centres.h"
#include "sinew/learn/pose_space/gather.h"

namespace sinew::pose_space {

/// Up to this many examples are the sculpts of a rigger: by default each is matched exactly, with shapes of its own
/// (docs/methods/many_examples.md).
inline constexpr std::size_t kFewExamples = 32;
/// By default at most this many examples are centres: a model with N of them costs N^3 when it is loaded.
inline constexpr Index kMostCentres = 1024;
/// The same where groups of vertices have systems of their own.
inline constexpr Index kMostGroupedCentres = 256;

/// Corrections of low rank in the course of becoming a model. Columns are examples, the first is rest.
class ManyExamples {
 public:
  /// Chooses the kernel of the model (if it is automatic) and the shapes. `model` has its poses, of all examples.
  ManyExamples(const Corrections& corrections, const PoseSpaceOptions& options, double diagonal, PoseSpaceModel& model);

  [[nodiscard]] Index rank() const { return shapes_.size(); }
  /// Examples that contradict those around them. They count little.
  [[nodiscard]] const std::vector<Index>& outliers() const { return outliers_; }
  /// Shapes x all examples, as the examples have them.
  [[nodiscard]] const Eigen::MatrixXd& sculpted() const { return sculpted_; }

  /// Smooths the coefficients: a ridge (pose_space/ridge.h).
  void smooth(double rho, const Eigen::MatrixXd& products);
  /// Chooses the centres, and keeps only those in the model. `most`: by default.
  void chooseCentres(Index most, const Progress& progress);
  /// Whether each example is a centre: the model then interpolates them all.
  [[nodiscard]] bool interpolates() const { return fit_.centres.size() == toSize(sculpted_.cols()); }
  /// Shapes x 1: what the least-squares fit without example k predicts at its pose. Unless interpolates().
  [[nodiscard]] Eigen::MatrixXd leftOut(std::size_t k) const;

 private:
  [[nodiscard]] CentreProblem problem(const Eigen::MatrixXd& values) const;
  void chooseKernel(const Corrections& corrections, const PoseSpaceOptions& options);
  void tryWideKernels(const Eigen::MatrixXd& values);
  [[nodiscard]] Index rankFor(const Corrections& corrections, int wanted) const;
  /// Per direction: squares of the corrections less those of the errors at left-out examples.
  [[nodiscard]] Eigen::VectorXd predictableSquares(const Corrections& corrections) const;
  [[nodiscard]] CentreFit automaticCentres(const CentreProblem& problem, Index most, const Progress& progress) const;
  /// As few centres as keep the error invisible, or `best`.
  [[nodiscard]] CentreFit fewUnseen(const CentreProblem& problem, CentreFit best, CentreFit quarter,
                                    const Progress& progress) const;

  PoseSpaceModel& model_;
  int centres_;
  Eigen::MatrixXd poses_;  // of all examples
  Eigen::VectorXd scales_;
  CentreFit all_;           // in all directions
  double unseen_ = 0;       // the largest invisible error, in the units of `all_.error`
  Eigen::VectorXd shapes_;  // sizes: errors of coefficients in scene units
  Eigen::MatrixXd sculpted_;
  Eigen::MatrixXd coefficients_;  // smoothed
  std::vector<Index> outliers_;
  CentreFit fit_;
};

}  // namespace sinew::pose_space
