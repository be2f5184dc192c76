// Reduced-rank regression (Izenman 1975): with the corrections P pulled back into the rest pose (3 per vertex x
// samples) and the cardinal weights C of the centres at the samples,
//
//   min over D, W of  | P - D W C |^2,  rank W = K
//
// C = L Y with orthonormal rows of Y and L L^T = C C^T; with P Y^T = U S V^T the solution is W = V_K^T L^-1. So all
// K are nested, and W is known before any displacement. The displacements are fitted afterwards, in the metric of the
// posed shape (fit.cpp).
#include "sinew/learn/pose_space_morphs/shapes.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/deform/pose_space_morphs.h"
#include "sinew/math/decompositions.h"

namespace sinew::pose_space_morphs {
namespace {

/// Relative to the mean of the diagonal of C C^T.
constexpr double kGramRidge = 1e-9;
/// Squared singular values below this share of the largest are rounding.
constexpr double kShapeRounding = 1e-13;
/// Poses between and around the examples become centres up to this many in all.
constexpr Index kMostCentres = 400;
/// How much errors at poses that are only possible centres count.
constexpr double kCentreWeight = 0.3;
/// Centres closer than this, relative to the reach of the examples, tell nothing new.
constexpr double kLeastCentreGap = 0.05;

/// The model's examples, and samples between them, each as far as possible from those before.
Eigen::MatrixXd centresOf(const MorphFit& fit, const PoseSpaceModel& model, const PoseSpaceWeights& fade) {
  const Eigen::VectorXd scales = model.poseSpace.scales();
  Eigen::MatrixXd centres = model.poses;
  std::vector<Eigen::VectorXd> candidates;
  for (const MorphSample& sample : fit.samples()) {
    if (sample.role != SampleRole::HeldOut && fade.fade(sample.coordinates) == 1)
      candidates.push_back(sample.coordinates);
  }
  const auto away = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& centre) {
    return (x - centre).cwiseProduct(scales).norm();
  };
  std::vector<double> nearest(candidates.size(), std::numeric_limits<double>::infinity());
  double reach = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (const auto& centre : centres.colwise()) nearest[i] = std::min(nearest[i], away(candidates[i], centre));
  }
  for (const auto& centre : centres.colwise()) reach = std::max(reach, away(centre, centres.col(0)));
  while (centres.cols() < kMostCentres && !candidates.empty()) {
    const auto farthest = std::max_element(nearest.begin(), nearest.end());
    if (*farthest <= kLeastCentreGap * reach) break;
    const Eigen::VectorXd next = candidates[toSize(farthest - nearest.begin())];
    centres.conservativeResize(Eigen::NoChange, centres.cols() + 1);
    centres.rightCols(1) = next;
    for (std::size_t i = 0; i < candidates.size(); ++i) nearest[i] = std::min(nearest[i], away(candidates[i], next));
  }
  return centres;
}

/// W: all shapes that are not rounding, by falling size. `cardinal` without the rest pose.
Eigen::MatrixXd reducedRank(const MorphFit& fit, const Eigen::MatrixXd& cardinal) {
  Eigen::MatrixXd pulled = fit.pulledBack();
  Eigen::MatrixXd fitted = cardinal;
  for (Index s = 0; s < fitted.cols(); ++s) {
    const SampleRole role = fit.samples()[toSize(s)].role;
    const double weight = role == SampleRole::Fitted ? 1 : role == SampleRole::HeldOut ? 0 : kCentreWeight;
    pulled.col(s) *= weight;
    fitted.col(s) *= weight;
  }
  Eigen::MatrixXd gram = fitted * fitted.transpose();
  gram.diagonal().array() += std::max(kGramRidge * gram.trace() / static_cast<double>(gram.rows()), 1e-300);
  const Eigen::LLT<Eigen::MatrixXd> factor(gram);
  const Eigen::MatrixXd whitened = factor.matrixL().solve(fitted);
  const Eigen::MatrixXd image = pulled * whitened.transpose();
  const SymmetricEigen found = symmetricEigen(image.transpose() * image);
  const Index count = found.values.size();
  Index kept = 0;
  while (kept < count && found.values[count - 1 - kept] > kShapeRounding * std::max(0.0, found.values[count - 1]))
    ++kept;
  const Eigen::MatrixXd main = found.vectors.rightCols(kept).rowwise().reverse();
  return factor.matrixU().solve(main).transpose();
}

/// Searches the number of targets; what was tried becomes the table.
class CountSearch {
 public:
  CountSearch(const MorphFit& fit, const Eigen::MatrixXd& basis, const MorphLimits& limits, const Progress& progress)
      : fit_(fit), basis_(basis), limits_(limits), progress_(progress) {}

  Index run() {
    const Index most = std::min<Index>(limits_.maxMorphs, basis_.rows());
    Index fails = 0;  // this many are too few
    Index enough = 0;
    for (Index count = 1; enough == 0 && fails < most; count = std::min(most, std::max(count + 1, count * 4 / 3))) {
      if (rmsOf(count) <= limits_.asked) {
        enough = count;
      } else {
        fails = count;
      }
    }
    if (enough == 0) return worthwhile();
    while (enough - fails > 1) {
      const Index middle = (fails + enough) / 2;
      (rmsOf(middle) <= limits_.asked ? enough : fails) = middle;
    }
    return enough;
  }

  std::vector<PoseSpaceTrade> table() {
    std::sort(tried_.begin(), tried_.end(), [](const auto& a, const auto& b) { return a.morphs < b.morphs; });
    return std::move(tried_);
  }

 private:
  double rmsOf(Index count) {
    report(progress_, {static_cast<double>(tried_.size()) / static_cast<double>(tried_.size() + 8), "morph targets"});
    tried_.push_back(tradeOf(fit_, basis_.topRows(count), MorphMethod::Svd, limits_));
    return tried_.back().rms;
  }

  /// None is enough: the fewest that are about as good as the best.
  Index worthwhile() const {
    double best = std::numeric_limits<double>::infinity();
    for (const PoseSpaceTrade& row : tried_) best = std::min(best, row.rms);
    for (const PoseSpaceTrade& row : tried_) {
      if (row.rms <= best / kWorth) return row.morphs;
    }
    return 0;
  }

  const MorphFit& fit_;
  const Eigen::MatrixXd& basis_;
  const MorphLimits& limits_;
  const Progress& progress_;
  std::vector<PoseSpaceTrade> tried_;
};

}  // namespace

MorphWeighting chooseMorphShapes(const MorphFit& fit, const PoseSpaceModel& model, const MorphLimits& limits,
                                 const Progress& progress) {
  const PoseSpaceWeights fade = fadingOf(model);
  MorphWeighting result;
  result.method = MorphMethod::Svd;
  result.knots = centresOf(fit, model, fade);
  result.interpolation = model.interpolation;
  result.interpolation.ridge = 0;
  result.interpolation.confidence.clear();
  const RbfInterpolator rbf(result.knots, result.interpolation, model.poseSpace.scales());
  Eigen::MatrixXd cardinal(result.knots.cols() - 1, static_cast<Index>(fit.samples().size()));
  for (Index s = 0; s < cardinal.cols(); ++s) {
    const Eigen::VectorXd& x = fit.samples()[toSize(s)].coordinates;
    cardinal.col(s) = rbf.weights(x).tail(cardinal.rows()) * fade.fade(x);
  }
  if (cardinal.rows() == 0) return result;
  Eigen::MatrixXd mixing = reducedRank(fit, cardinal);
  Eigen::MatrixXd basis = mixing * cardinal;
  for (Index k = 0; k < basis.rows(); ++k) {
    Index at = 0;
    basis.row(k).head(fit.scoredCount()).cwiseAbs().maxCoeff(&at);
    const double scale = basis(k, at) != 0 ? 1 / basis(k, at) : 1;
    basis.row(k) *= scale;
    mixing.row(k) *= scale;
  }
  CountSearch search(fit, basis, limits, progress);
  const Index count = search.run();
  result.trade = search.table();
  result.basis = basis.topRows(count);
  result.mixing = Eigen::MatrixXd::Zero(count, result.knots.cols());
  result.mixing.rightCols(cardinal.rows()) = mixing.topRows(count);
  for (Index k = 0; k < count; ++k) result.names.push_back(fmt::format("shape {}", k + 1));
  return result;
}

}  // namespace sinew::pose_space_morphs
