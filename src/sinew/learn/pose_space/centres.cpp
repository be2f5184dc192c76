// A function that interpolates by kernels at M centres is determined by its values z at these, s(x) = z a(x) with a the
// cardinal functions of the centres, so least squares over N examples with values V is linear:
//   min over z of  sum_i w_i |z a(x_i) - v_i|^2,   H = A W A^T,   z = V W A^T H^-1,
// and the error at example i of the fit without it is r_i / (1 - h_i), h_i = w_i a_i^T H^-1 a_i. Centres are chosen
// greedily (orthogonal least squares: Chen, Cowan and Grant 1991, here by the largest residual), several per step.
// Errors of interpolations without one or two of their points: Rippa (1999), with B the inverse of the system and
// C = B V the coefficients, e_i = C_i / B_ii, and without i and j the solution of their two by two system.
#include "sinew/learn/pose_space/centres.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sinew::pose_space {
namespace {

/// On the diagonal of H, relative to its mean: steadies centres that hardly any example is near.
constexpr double kSteadyCentres = 1e-11;
/// Errors beyond this many medians count less.
constexpr double kFollows = 3;
constexpr int kRounds = 4;
/// Share of a step's centres in those that are there.
constexpr double kStep = 0.3;
constexpr double kTrimmed = 0.05;
/// An outlier is off by more than this many medians of all errors, and its neighbours are predicted with less than this
/// share of their squared error without it.
constexpr double kOff = 4;
constexpr double kHelped = 0.5;
constexpr std::size_t kNeighbours = 8;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Least squares at some centres.
class Fitter {
 public:
  explicit Fitter(const CentreProblem& problem)
      : problem_(problem), weights_(Eigen::VectorXd::Ones(problem.values.cols())) {
    for (Index i = 0; i < weights_.size() && !problem.interpolation.confidence.empty(); ++i)
      weights_[i] = std::min(1.0, problem.interpolation.confidence[toSize(i)]);
    confidence_ = weights_;
  }

  /// Cardinal functions of the centres but rest, at all examples.
  void setCentres(std::vector<Index> centres) {
    centres_ = std::move(centres);
    RbfOptions options = problem_.interpolation;
    options.confidence.clear();
    const RbfInterpolator interpolator(Eigen::MatrixXd(problem_.poses(Eigen::all, centres_)), options, problem_.scales);
    cardinal_.resize(static_cast<Index>(centres_.size()), problem_.values.cols());
    for (Index i = 0; i < cardinal_.cols(); ++i) interpolator.weights(problem_.poses.col(i), cardinal_.col(i));
  }

  void solve() {
    const Eigen::MatrixXd free = cardinal_.bottomRows(cardinal_.rows() - 1);
    const Eigen::MatrixXd weighted = free * weights_.asDiagonal();
    Eigen::MatrixXd normal = weighted * free.transpose();
    normal.diagonal().array() +=
        std::max(kSteadyCentres * normal.trace() / static_cast<double>(std::max<Index>(1, normal.rows())), 1e-300);
    const Eigen::LLT<Eigen::MatrixXd> factors(normal);
    const Eigen::MatrixXd right = weighted * problem_.values.transpose();
    values_ = Eigen::MatrixXd::Zero(problem_.values.rows(), cardinal_.rows());
    values_.rightCols(free.rows()) = factors.solve(right).transpose();
    residuals_ = problem_.values - values_ * cardinal_;
    const Eigen::MatrixXd half = factors.matrixL().solve(free);
    leverage_ = half.colwise().squaredNorm().transpose().cwiseProduct(weights_);
  }

  /// Errors at left-out examples, a column each.
  [[nodiscard]] Eigen::MatrixXd leftOutErrors() const {
    return residuals_ * (1 - leverage_.array()).max(1e-6).inverse().matrix().asDiagonal();
  }

  void trustLess() {
    const Eigen::VectorXd errors = leftOutErrors().colwise().norm();
    const double usual = kFollows * median({errors.data() + 1, errors.data() + errors.size()});
    for (Index i = 1; i < weights_.size(); ++i) {
      const double over = usual > 0 ? errors[i] / usual : 0;
      weights_[i] = confidence_[i] * (over > 1 ? 1 / (over * over) : 1);
    }
  }

  [[nodiscard]] const std::vector<Index>& centres() const { return centres_; }
  [[nodiscard]] const Eigen::MatrixXd& residuals() const { return residuals_; }
  [[nodiscard]] const Eigen::VectorXd& weights() const { return weights_; }

  [[nodiscard]] CentreFit result() const {
    const Eigen::MatrixXd errors = leftOutErrors();
    return {centres_, values_, problem_.values - errors, weights_, trimmedRms(errors)};
  }

 private:
  const CentreProblem& problem_;
  Eigen::VectorXd weights_;
  Eigen::VectorXd confidence_;
  std::vector<Index> centres_;
  Eigen::MatrixXd cardinal_;  // centres x examples
  Eigen::MatrixXd values_;
  Eigen::MatrixXd residuals_;
  Eigen::VectorXd leverage_;
};

/// Squared distances of all examples to one.
Eigen::VectorXd squaresTo(const Eigen::MatrixXd& places, Index example) {
  return (places.colwise() - places.col(example)).colwise().squaredNorm();
}

/// Adds `count` examples, each where `errors` times the distance to what was added in this step is largest.
void addWorst(const Eigen::MatrixXd& places, const Eigen::VectorXd& errors, Index count, Eigen::VectorXd& nearest,
              std::vector<Index>& centres) {
  Eigen::VectorXd closeness = Eigen::VectorXd::Ones(errors.size());
  const Eigen::VectorXd before = nearest;
  for (Index added = 0; added < count; ++added) {
    Index best = -1;
    double most = -1;
    for (Index i = 0; i < errors.size(); ++i) {
      if (!(nearest[i] > 0)) continue;  // a centre, or at one
      const double value = errors[i] * closeness[i];
      if (value > most) {
        most = value;
        best = i;
      }
    }
    if (best < 0) break;
    centres.push_back(best);
    const Eigen::VectorXd away = squaresTo(places, best);
    nearest = nearest.cwiseMin(away);
    closeness = closeness.cwiseMin((away.array() / before.array().max(1e-300)).min(1).matrix());
  }
  std::sort(centres.begin(), centres.end());
}

}  // namespace

double trimmedRms(const Eigen::MatrixXd& errors) {
  const Index count = errors.cols() - 1;
  if (count < 1) return 0;
  Eigen::VectorXd squares = errors.rightCols(count).colwise().squaredNorm();
  std::sort(squares.data(), squares.data() + count);
  const Index kept = count - static_cast<Index>(kTrimmed * static_cast<double>(count));
  return std::sqrt(squares.head(kept).sum() / static_cast<double>(kept));
}

CentreFit allCentres(const CentreProblem& problem) {
  const Index count = problem.values.cols();
  CentreFit fit;
  fit.centres.resize(toSize(count));
  std::iota(fit.centres.begin(), fit.centres.end(), Index{0});
  fit.values = problem.values;
  fit.trust = Eigen::VectorXd::Ones(count);
  const RbfInterpolator interpolator(problem.poses, problem.interpolation, problem.scales);
  fit.steepness = interpolator.cardinal().leftCols(interpolator.centres().cols()).cwiseAbs().maxCoeff();
  const RbfLeftOut without = interpolator.weightsWithoutEach();
  Eigen::MatrixXd weights = without.weights;
  // Nothing is known of an example that alone determines a direction: its correction is taken as lost.
  for (const Index k : without.undetermined) weights.row(k).setZero();
  fit.leftOut = problem.values * weights.transpose();
  fit.leftOut.col(0) = problem.values.col(0);
  fit.error = trimmedRms(problem.values - fit.leftOut);
  return fit;
}

double meanGap(const CentreProblem& problem) {
  const Eigen::MatrixXd places = problem.scales.asDiagonal() * problem.poses;
  const double same = 1e-12 * squaresTo(places, 0).maxCoeff();
  double sum = 0;
  double count = 0;
  for (Index i = 0; i < places.cols(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const double square : squaresTo(places, i)) nearest = square > same ? std::min(nearest, square) : nearest;
    if (!std::isfinite(nearest)) continue;
    sum += std::sqrt(nearest);
    count += 1;
  }
  return count > 0 ? sum / count : 0;
}

CentreFit fewCentres(const CentreProblem& problem, Index count, const Progress& progress) {
  const Eigen::MatrixXd places = problem.scales.asDiagonal() * problem.poses;
  Eigen::VectorXd nearest = squaresTo(places, 0);
  std::vector<Index> centres = {0};
  // The first ones by distance alone: as many as a linear polynomial takes, so that it is determined.
  const Index first = std::min(count - 1, problem.poses.rows() + 2);
  for (Index i = 0; i < first; ++i) addWorst(places, nearest, 1, nearest, centres);
  Fitter fitter(problem);
  for (;;) {
    const auto now = static_cast<Index>(centres.size());
    report(progress, {static_cast<double>(now) / static_cast<double>(count), "centres"});
    fitter.setCentres(centres);
    fitter.solve();
    if (now >= count) break;
    const Eigen::VectorXd errors =
        fitter.residuals().colwise().norm().transpose().cwiseProduct(fitter.weights().cwiseSqrt());
    const Index step = std::min(count - now, std::max<Index>(1, static_cast<Index>(kStep * static_cast<double>(now))));
    addWorst(places, errors, step, nearest, centres);
    if (static_cast<Index>(centres.size()) == now) break;  // all poses are centres
  }
  for (int round = 0; round < kRounds; ++round) {
    fitter.trustLess();
    fitter.solve();
  }
  return fitter.result();
}

std::vector<Index> outliersOf(const CentreProblem& problem, const CentreFit& all) {
  const Eigen::MatrixXd errors = problem.values - all.leftOut;
  const Eigen::VectorXd sizes = errors.colwise().norm();
  const double usual = median({sizes.data() + 1, sizes.data() + sizes.size()});
  std::vector<Index> suspects;
  for (Index i = 1; i < sizes.size(); ++i) {
    if (sizes[i] > kOff * usual) suspects.push_back(i);
  }
  if (suspects.empty()) return {};
  const RbfInterpolator interpolator(problem.poses, problem.interpolation, problem.scales);
  const RbfLeftOut without = interpolator.weightsWithoutEach();
  const Eigen::MatrixXd places = problem.scales.asDiagonal() * problem.poses;
  std::vector<Index> outliers;
  for (const Index i : suspects) {
    const Eigen::VectorXd away = squaresTo(places, i);
    std::vector<Index> order(toSize(away.size()));
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return away[a] < away[b] || (away[a] == away[b] && a < b); });
    double with = 0;
    double less = 0;
    std::size_t seen = 0;
    for (const Index j : order) {
      if (seen == kNeighbours) break;
      if (j == i || j == 0 || away[j] <= 0) continue;
      ++seen;
      // e_j without i: the left-out weights m(j, i) of each in the other's prediction give the two by two system.
      const double of = without.weights(j, i) * without.weights(i, j);
      if (!(std::abs(1 - of) > 1e-9)) continue;
      const Eigen::VectorXd error = (errors.col(j) + without.weights(j, i) * errors.col(i)) / (1 - of);
      with += errors.col(j).squaredNorm();
      less += error.squaredNorm();
    }
    if (less < kHelped * with) outliers.push_back(i);
  }
  return outliers;
}

}  // namespace sinew::pose_space
