// Corrections of many examples depend on each other: D = shapes * coefficients with few shapes, and the coefficients
// are interpolated instead of the corrections (docs/methods/many_examples.md). What is cut off is a small share of what
// the model gets wrong anyway, at examples that are left out.
#include "sinew/learn/pose_space/many.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/check.h"
#include "sinew/learn/pose_space/ridge.h"
#include "sinew/learn/pose_space/spread.h"

namespace sinew::pose_space {
namespace {

constexpr const char* kManyWhere = "pose-space deformation";
/// What a rank cuts off may be this share of the leave-one-out error,
constexpr double kCutShare = 0.05;
/// or this much (rms over the vertices that are corrected, in diagonals), which nobody sees.
constexpr double kUnseen = 1e-5;
/// Confidence of outliers: they hardly count.
constexpr double kOutlier = 0.02;
/// A quarter of the centres with at most this many times the error: the examples are noisy, and fewer may be better.
constexpr double kNoisy = 1.1;
constexpr Index kLeastCentres = 12;
/// Corrections are smooth functions of the pose, which wide multiquadrics predict better than cubes of distances where
/// examples are dense. Radii in mean distances to the nearest example,
constexpr const char* kWideKernel = "multiquadric";
constexpr double kWideRadii[] = {4, 8, 16};
/// each of which must lower the least error to this share.
constexpr double kSmoother = 0.9;
/// Beyond this, rounding would show.
constexpr double kSteepest = 1e9;

}  // namespace

ManyExamples::ManyExamples(const Corrections& corrections, const PoseSpaceOptions& options, double diagonal,
                           PoseSpaceModel& model)
    : model_(model), centres_(options.centres), poses_(model.poses), scales_(model.poseSpace.scales()) {
  chooseKernel(corrections, options);
  unseen_ = kUnseen * diagonal * std::sqrt(static_cast<double>(corrections.vertices.size()));
  const Index rank = rankFor(corrections, options.rank);
  takeShapes(corrections, rank, model.deltas, model.layer, model.coefficients);
  shapes_.resize(rank);
  for (Index k = 0; k < rank; ++k) {
    shapes_[k] = std::sqrt(corrections.few.squares[k]) * corrections.few.coefficients.row(k).cwiseAbs().maxCoeff();
  }
  sculpted_ = model.coefficients;
  coefficients_ = sculpted_;
}

CentreProblem ManyExamples::problem(const Eigen::MatrixXd& values) const {
  return {poses_, values, scales_, model_.interpolation};
}

void ManyExamples::chooseKernel(const Corrections& corrections, const PoseSpaceOptions& options) {
  const Eigen::MatrixXd values = corrections.few.squares.cwiseSqrt().asDiagonal() * corrections.few.coefficients;
  all_ = allCentres(problem(values));
  if (options.kernel == kAutomaticKernel) {
    const std::string first = model_.interpolation.kernel;
    model_.interpolation.kernel = first == "linear" ? "cubic" : "linear";
    CentreFit other = allCentres(problem(values));
    if (other.error < all_.error) {
      all_ = std::move(other);
    } else {
      model_.interpolation.kernel = first;
    }
    tryWideKernels(values);
  }
  if (static_cast<std::size_t>(values.cols()) <= kFewExamples) return;
  outliers_ = outliersOf(problem(values), all_);
  if (outliers_.empty()) return;
  for (const Index k : outliers_) model_.interpolation.confidence[toSize(k)] *= kOutlier;
  all_ = allCentres(problem(values));
}

void ManyExamples::tryWideKernels(const Eigen::MatrixXd& values) {
  if (static_cast<std::size_t>(values.cols()) <= kFewExamples) return;
  const double gap = meanGap(problem(values));
  RbfOptions best = model_.interpolation;
  for (const double gaps : kWideRadii) {
    model_.interpolation.kernel = kWideKernel;
    model_.interpolation.radius = gaps * gap;
    CentreFit other = allCentres(problem(values));
    if (other.steepness > kSteepest) break;
    if (!(other.error < kSmoother * all_.error)) continue;
    all_ = std::move(other);
    best = model_.interpolation;
  }
  model_.interpolation = best;
}

Index ManyExamples::rankFor(const Corrections& corrections, int wanted) const {
  const Eigen::VectorXd& squares = corrections.few.squares;
  const Index most = std::min(squares.size(), kMostLowRankShapes);
  SINEW_CHECK(most > 0 || wanted <= 0, kManyWhere, "no example differs from plain skinning, so there is no rank");
  if (wanted == kFullRank) return most;
  if (wanted > 0) return std::min<Index>(wanted, most);
  // Of what is cut off, only the part counts that could have been predicted: noise has directions of its own.
  const Eigen::VectorXd predictable = predictableSquares(corrections);
  const auto examples = static_cast<double>(corrections.few.coefficients.cols()) - 1;
  const double allowed = std::pow(std::max(kCutShare * all_.error, unseen_), 2) * examples;
  double cut = corrections.few.lost + predictable.sum();
  Index rank = 0;
  while (rank < most && (cut > allowed || rank == 0)) cut -= predictable[rank++];
  return rank;
}

Eigen::VectorXd ManyExamples::predictableSquares(const Corrections& corrections) const {
  Eigen::VectorXd counts = Eigen::VectorXd::Ones(all_.leftOut.cols());
  for (const Index k : outliers_) counts[k] = 0;
  const Eigen::MatrixXd values = corrections.few.squares.cwiseSqrt().asDiagonal() * corrections.few.coefficients;
  const Eigen::VectorXd squares = values.cwiseAbs2() * counts;
  return (squares - (values - all_.leftOut).cwiseAbs2() * counts).cwiseMax(0);
}

void ManyExamples::smooth(double rho, const Eigen::MatrixXd& products) {
  std::vector<Index> all(toSize(sculpted_.cols()) - 1);
  std::iota(all.begin(), all.end(), Index{1});
  coefficients_.rightCols(sculpted_.cols() - 1) =
      sculpted_.rightCols(sculpted_.cols() - 1) * ridgeSmoother(model_, all, products, rho).transpose();
  model_.coefficients = coefficients_;
}

CentreFit ManyExamples::automaticCentres(const CentreProblem& problem, Index most, const Progress& progress) const {
  const Index count = problem.values.cols();
  CentreFit best = count <= most ? allCentres(problem) : fewCentres(problem, most, progress);
  if (static_cast<std::size_t>(count) <= kFewExamples) return best;
  CentreFit quarter = fewCentres(problem, std::max(kLeastCentres, std::min(most, count) / 4), progress);
  if (quarter.error > kNoisy * best.error) return fewUnseen(problem, std::move(best), std::move(quarter), progress);
  best = std::move(quarter);
  for (const Index share : {2, 8, 16}) {
    if (count / share < kLeastCentres || count / share >= most) continue;
    CentreFit fit = fewCentres(problem, count / share, progress);
    if (fit.error < best.error) best = std::move(fit);
  }
  return best;
}

CentreFit ManyExamples::fewUnseen(const CentreProblem& problem, CentreFit best, CentreFit quarter,
                                  const Progress& progress) const {
  const auto all = static_cast<Index>(best.centres.size());
  if (all / 4 < kLeastCentres) return best;
  if (quarter.error > unseen_) {
    CentreFit half = fewCentres(problem, all / 2, progress);
    return half.error > unseen_ ? best : half;
  }
  for (const Index share : {8, 16}) {
    if (all / share < kLeastCentres) break;
    CentreFit fewer = fewCentres(problem, all / share, progress);
    if (fewer.error > unseen_) break;
    quarter = std::move(fewer);
  }
  return quarter;
}

void ManyExamples::chooseCentres(Index most, const Progress& progress) {
  const Eigen::MatrixXd values = shapes_.asDiagonal() * coefficients_;
  const CentreProblem examples = problem(values);
  const Index count = values.cols();
  if (centres_ == kAllCentres || (centres_ > 0 && centres_ >= count - 1)) {
    fit_ = allCentres(examples);
  } else if (centres_ > 0) {
    fit_ = fewCentres(examples, centres_ + 1, progress);  // and rest
  } else {
    fit_ = automaticCentres(examples, most, progress);
  }
  if (interpolates()) return;
  Eigen::MatrixXd coefficients = shapes_.cwiseInverse().asDiagonal() * fit_.values;
  // What is fitted is trusted: confidences and outliers are in the fit.
  const bool confident = !model_.interpolation.confidence.empty();
  if (confident) std::fill(model_.interpolation.confidence.begin(), model_.interpolation.confidence.end(), 1.0);
  model_.coefficients = coefficients_;
  keepExamples(fit_.centres, coefficients, model_);
}

Eigen::MatrixXd ManyExamples::leftOut(std::size_t k) const {
  return shapes_.cwiseInverse().asDiagonal() * fit_.leftOut.col(static_cast<Index>(k));
}

}  // namespace sinew::pose_space
