// The shapes are the main directions of the corrections P that are pulled back into the rest pose (3 per vertex x
// samples), and their weights at the samples the projections of P:
//
//   min over D, C of  | P - D C |^2,  rank D C = K
//
// All K are nested. For the K that is taken, displacements and weights are fitted to each other in the metric of the
// posed shape (fit.cpp). Players that compute weights interpolate those of the samples: centres are the examples and
// samples between and around them.
#include "sinew/learn/pose_space_morphs/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/base/random.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/math/decompositions.h"

namespace sinew::pose_space_morphs {
namespace {

/// Squared singular values below this share of the largest are rounding.
constexpr double kShapeRounding = 1e-13;
/// Poses between and around the examples become centres up to this many in all.
/// How much errors at poses that are only possible centres count.
constexpr double kCentreWeight = 0.3;
/// Centres closer than this, relative to the reach of the examples, tell nothing new.
constexpr double kLeastCentreGap = 0.02;
/// Tried beside the model's own kernel.
constexpr const char* kPlainKernel = "cubic";
/// Radii of kernels, in mean distances of centres to their nearest others, which are denser than the examples: wider
/// ones are too smooth to be solved for.
constexpr double kRadii = 4;
/// Subspace iterations, and directions beyond those wanted.
constexpr int kIterations = 3;
constexpr Index kSpareDirections = 8;
constexpr std::uint32_t kDirectionSeed = 23;

/// The samples at which weights are interpolated: rest, the examples, each as far as possible from those before, and
/// possible centres in their order, which are as dense as the examples; then other samples.
std::vector<std::size_t> centresOf(const MorphFit& fit, const PoseSpaceModel& model, const PoseSpaceWeights& fade,
                                   std::size_t most) {
  const Eigen::VectorXd scales = model.poseSpace.scales();
  const std::span<const MorphSample> samples = fit.samples();
  const auto away = [&](std::size_t a, std::size_t b) {
    return (samples[a].coordinates - samples[b].coordinates).cwiseProduct(scales).norm();
  };
  std::vector<std::size_t> centres = {0};
  std::vector<double> nearest(samples.size());
  double reach = 0;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    nearest[s] = away(s, 0);
    if (samples[s].example) reach = std::max(reach, nearest[s]);
  }
  const auto add = [&](std::size_t centre) {
    centres.push_back(centre);
    for (std::size_t s = 0; s < samples.size(); ++s) nearest[s] = std::min(nearest[s], away(s, centre));
  };
  while (centres.size() < most) {
    std::size_t farthest = 0;
    for (std::size_t s = 1; s < samples.size(); ++s) {
      if (samples[s].example && nearest[s] > nearest[farthest]) farthest = s;
    }
    if (farthest == 0 || nearest[farthest] <= 1e-6 * reach) break;
    add(farthest);
  }
  for (const SampleRole role : {SampleRole::Centre, SampleRole::Fitted}) {
    for (std::size_t s = 1; s < samples.size() && centres.size() < most; ++s) {
      if (samples[s].role != role || fade.fade(samples[s].coordinates) < 1) continue;
      if (nearest[s] > kLeastCentreGap * reach) add(s);
    }
  }
  return centres;
}

/// Orthonormal main directions of the columns, at most `most`, by falling size: subspace iteration from random ones.
Eigen::MatrixXd mainDirections(const Eigen::MatrixXd& columns, Index most) {
  const Index count = std::min({most + kSpareDirections, columns.rows(), columns.cols()});
  Lcg random(kDirectionSeed);
  Eigen::MatrixXd start(columns.cols(), count);
  for (double& value : start.reshaped()) value = random.symmetric();
  Eigen::MatrixXd directions = thinQr(columns * start).q;
  for (int i = 0; i < kIterations; ++i) directions = thinQr(columns * (columns.transpose() * directions)).q;
  const Eigen::MatrixXd projected = directions.transpose() * columns;
  const SymmetricEigen found = symmetricEigen(projected * projected.transpose());
  Index kept = 0;
  while (kept < std::min(most, count) &&
         found.values[count - 1 - kept] > kShapeRounding * std::max(0.0, found.values[count - 1]))
    ++kept;
  return directions * found.vectors.rightCols(kept).rowwise().reverse();
}

/// Weights of all shapes that are not rounding, by falling size, at all samples.
Eigen::MatrixXd shapeWeights(const MorphFit& fit, Index most) {
  const Eigen::MatrixXd pulled = fit.pulledBack();
  if (pulled.rows() == 0) return Eigen::MatrixXd(0, pulled.cols());
  Eigen::MatrixXd fitted = pulled;
  for (Index s = 0; s < fitted.cols(); ++s) {
    const SampleRole role = fit.samples()[toSize(s)].role;
    fitted.col(s) *= role == SampleRole::Fitted ? 1 : role == SampleRole::HeldOut ? 0 : kCentreWeight;
  }
  return mainDirections(fitted, most).transpose() * pulled;
}

/// Makes the largest weight over the scored samples 1. Returns what it was.
Eigen::VectorXd scaleToOne(const MorphFit& fit, Eigen::MatrixXd& basis) {
  Eigen::VectorXd sizes(basis.rows());
  for (Index k = 0; k < basis.rows(); ++k) {
    Index at = 0;
    sizes[k] = basis.row(k).head(fit.scoredCount()).cwiseAbs().maxCoeff(&at);
    if (basis(k, at) != 0) basis.row(k) /= basis(k, at);
  }
  return sizes;
}

/// The mean distance of columns to their nearest others.
double meanGap(const Eigen::MatrixXd& places) {
  double sum = 0;
  for (Index i = 0; i < places.cols() && places.cols() > 1; ++i) {
    Eigen::VectorXd squares = (places.colwise() - places.col(i)).colwise().squaredNorm();
    squares[i] = std::numeric_limits<double>::infinity();
    sum += std::sqrt(squares.minCoeff());
  }
  return sum / static_cast<double>(places.cols());
}

/// How far each centre's weights are from those that all others predict there; targets count by their size.
double leftOutError(const RbfInterpolator& interpolator, const Eigen::MatrixXd& weights, const Eigen::VectorXd& sizes) {
  const RbfLeftOut left = interpolator.weightsWithoutEach();
  double sum = 0;
  for (Index k = 0; k < weights.cols(); ++k) {
    if (std::binary_search(left.undetermined.begin(), left.undetermined.end(), k)) continue;
    const Eigen::VectorXd missed = weights * left.weights.row(k).transpose() - weights.col(k);
    sum += missed.cwiseProduct(sizes).squaredNorm();
  }
  return sum;
}

/// The kernel of the model; or instead of a wide one of many examples, cubes of distances where these predict centres
/// better from all others. Between few examples, cubes would be steeper than the model far from all centres, where no
/// centre shows it.
RbfOptions bestInterpolation(const PoseSpaceModel& model, const RbfOptions& first, const Eigen::MatrixXd& centres,
                             const Eigen::MatrixXd& weights, const Eigen::VectorXd& sizes) {
  const Eigen::VectorXd scales = model.poseSpace.scales();
  RbfOptions own = first;
  if (own.radius > 0) own.radius = std::min(own.radius, kRadii * meanGap(scales.asDiagonal() * centres));
  if (!model.lowRank() || own.radius <= 0) return own;
  RbfOptions plain = first;
  plain.kernel = kPlainKernel;
  plain.radius = 0;
  const auto error = [&](const RbfOptions& options) {
    return leftOutError({centres, options, scales}, weights, sizes);
  };
  return error(plain) < error(own) ? plain : own;
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
  MorphWeighting result;
  result.method = MorphMethod::Svd;
  result.interpolation = model.interpolation;
  result.interpolation.ridge = 0;
  result.interpolation.confidence.clear();
  Eigen::MatrixXd basis = shapeWeights(fit, limits.maxMorphs);
  const Eigen::VectorXd sizes = scaleToOne(fit, basis);
  CountSearch search(fit, basis, limits, progress);
  const Index count = search.run();
  result.trade = search.table();
  result.basis = basis.topRows(count);
  if (count > 0) result.basis = fit.improved(result.basis);
  scaleToOne(fit, result.basis);
  const std::vector<std::size_t> centres = centresOf(fit, model, fadingOf(model), toSize(limits.mostCentres));
  result.knots.resize(model.poseSpace.dimensions(), static_cast<Index>(centres.size()));
  result.mixing.resize(count, result.knots.cols());
  for (Index c = 0; c < result.knots.cols(); ++c) {
    result.knots.col(c) = fit.samples()[centres[toSize(c)]].coordinates;
    result.mixing.col(c) = result.basis.col(static_cast<Index>(centres[toSize(c)]));
  }
  result.interpolation = bestInterpolation(model, result.interpolation, result.knots, result.mixing, sizes.head(count));
  for (Index k = 0; k < count; ++k) result.names.push_back(fmt::format("shape {}", k + 1));
  return result;
}

}  // namespace sinew::pose_space_morphs
