// Radial basis functions with a polynomial part: Buhmann, "Radial Basis Functions" (2003); the same system as
// Lewis, Cordner and Fong use without polynomial for pose-space deformation (SIGGRAPH 2000).
//
//   [ K + rho S  P ] [lambda]   [data]
//   [ P^T        0 ] [  c   ] = [ 0  ]
//
// The system is symmetric, so s(x) = [phi(x), p(x)] . [lambda, c] = sum_k c_k(x) data_k with
//   c(x) = the first rows of the inverse times [phi(x), p(x)].
// Departures: the kernel block is divided by its largest entry and the polynomial is taken in orthogonal directions
// of the points, so that the units of the points do not matter; directions in which they do not extend are left out.
//
// Additive kernels K(x, y) = sum_b a_b k(x_b, y_b) over blocks of coordinates (Duvenaud, Nickisch and Rasmussen,
// "Additive Gaussian processes", 2011) assume that joints act independently, so that few points suffice in many
// dimensions. Narrow Gaussians around the points represent what such a sum cannot, instead of a ridge: K + local G,
// G_gg = 1. Errors of left-out points in closed form: Rippa, "An algorithm for selecting a good value for the parameter
// c in radial basis function interpolation" (1999).
#include "sinew/math/rbf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/math/decompositions.h"
#include "sinew/math/rbf/block_sums.h"
#include "sinew/math/rbf/point_pairs.h"

namespace sinew {
namespace {

constexpr const char* kRbfWhere = "interpolation";
/// Directions in which the points extend less than this, relative to the widest, get no polynomial.
constexpr double kLeastExtent = 1e-6;
/// What a point of confidence c adds to its ridge: kDoubt (1/c - 1), relative to the largest entry.
constexpr double kDoubt = 0.05;

/// A diagonal entry of the inverse below this (kernel values are at most 1): without that point a polynomial is not
/// determined.
constexpr double kDetermined = 1e-9;
/// The radius of a narrow Gaussian in distances to the nearest other point: it is 0.02 there.
constexpr double kLocalRadii = 0.5;
/// exp(-50) of a narrow Gaussian is nothing next to a kernel of a ten-thousandth of its height.
constexpr double kNegligible = 50;
constexpr double kNegligibleTo = 1e-4;
/// The kernel that is 0 everywhere.
constexpr std::string_view kNoKernel = "none";

int degreeOf(const RbfOptions& options, const RbfKernelRow& kernel) {
  checkChoice(options.polynomial, "polynomial", kRbfWhere);
  if (options.polynomial == RbfPolynomial::Auto) return kernel.defaultDegree;
  const int degree = options.polynomial == RbfPolynomial::None       ? -1
                     : options.polynomial == RbfPolynomial::Constant ? 0
                                                                     : 1;
  SINEW_CHECK(degree >= kernel.neededDegree, kRbfWhere,
              fmt::format("the {} kernel is ill-posed with the polynomial '{}'; use linear, or another kernel",
                          kernel.name, nameOf(options.polynomial)));
  return degree;
}

void checkOptions(const Eigen::Ref<const Eigen::MatrixXd>& points, const RbfOptions& options) {
  SINEW_CHECK(points.cols() > 0, kRbfWhere, "there is no point to interpolate");
  SINEW_CHECK(points.allFinite(), kRbfWhere, "a coordinate is not a finite number");
  SINEW_CHECK(std::isfinite(options.radius) && options.radius >= 0, kRbfWhere,
              fmt::format("the radius is {}; it must be positive, or 0 for automatic", options.radius));
  SINEW_CHECK(std::isfinite(options.ridge) && options.ridge >= 0, kRbfWhere,
              fmt::format("the ridge is {}; it must not be negative", options.ridge));
  SINEW_CHECK(options.mergeDistance >= 0, kRbfWhere,
              fmt::format("the merging distance is {}; it must not be negative", options.mergeDistance));
  SINEW_CHECK(options.confidence.empty() || static_cast<Index>(options.confidence.size()) == points.cols(), kRbfWhere,
              fmt::format("there are {} confidences for {} points", options.confidence.size(), points.cols()));
  for (const double c : options.confidence) {
    SINEW_CHECK(c > 0 && std::isfinite(c), kRbfWhere, fmt::format("a confidence is {}; it must be above 0", c));
  }
}

/// Twice the largest distance from the centre, or 1 for a single position.
double sizeOf(const Eigen::Ref<const Eigen::MatrixXd>& points) {
  const Eigen::VectorXd middle = points.rowwise().mean();
  const double size = 2 * (points.colwise() - middle).colwise().norm().maxCoeff();
  return size > 0 ? size : 1;
}

/// Orthogonal directions in which the centres extend, divided by their size.
Eigen::MatrixXd extentBasis(const Eigen::MatrixXd& centres, const Eigen::VectorXd& origin, double size) {
  return orthonormalBasis(centres.colwise() - origin, kLeastExtent) / size;
}

}  // namespace

std::vector<int> mergedPoints(const Eigen::Ref<const Eigen::MatrixXd>& points, double distance) {
  std::vector<Index> firsts;
  return rbf::groupPoints(points, distance * sizeOf(points), firsts);
}

RbfInterpolator::RbfInterpolator(const Eigen::Ref<const Eigen::MatrixXd>& points, const RbfOptions& options,
                                 const Eigen::Ref<const Eigen::VectorXd>& scales, const RbfBlocks& blocks,
                                 const Eigen::Ref<const Eigen::MatrixXd>& mixing)
    : RbfInterpolator(points, options, scales, blocks, mixing, nullptr) {}

RbfInterpolator::RbfInterpolator(const Eigen::Ref<const Eigen::MatrixXd>& points, const RbfOptions& options,
                                 const Eigen::Ref<const Eigen::VectorXd>& scales, const RbfBlocks& blocks,
                                 const Eigen::Ref<const Eigen::MatrixXd>& mixing, const RbfPairs* pairs)
    : kernel_(&rbfKernel(options.kernel)),
      scales_(scales.size() == 0 ? Eigen::VectorXd(Eigen::VectorXd::Ones(points.rows())) : Eigen::VectorXd(scales)) {
  checkOptions(points, options);
  SINEW_CHECK(scales_.size() == points.rows() && scales_.allFinite(), kRbfWhere,
              fmt::format("there are {} scales for {} coordinates", scales_.size(), points.rows()));
  SINEW_CHECK(mixing.cols() == 0 || mixing.cols() == points.cols(), kRbfWhere,
              fmt::format("the mixing has {} columns for {} points", mixing.cols(), points.cols()));
  degree_ = degreeOf(options, *kernel_);
  const Eigen::MatrixXd scaled = scales_.asDiagonal() * points;
  const double size = sizeOf(scaled);
  groupOf_ = rbf::groupPoints(scaled, options.mergeDistance * size, firsts_);
  const auto count = static_cast<Index>(firsts_.size());
  centres_.resize(points.rows(), count);
  for (Index g = 0; g < count; ++g) centres_.col(g) = points.col(firsts_[toSize(g)]);
  const Eigen::MatrixXd places = scales_.asDiagonal() * centres_;
  const Eigen::VectorXd nearest = rbf::nearestOthers(rbf::distancesBetween(places));
  const rbf::Gaps gaps = rbf::gapsOf(nearest);
  largestGap_ = gaps.largest;
  largestGapOfOthers_ = gaps.largestOfOthers;
  if (kernel_->usesRadius) radius_ = options.radius > 0 ? options.radius : kernel_->defaultRadii * gaps.mean;
  if (kernel_->usesRadius && radius_ <= 0) radius_ = 1;  // one centre: any radius interpolates it

  origin_ = centres_.rowwise().mean();
  if (degree_ == 1) {
    basis_ = scales_.asDiagonal() * extentBasis(places, scales_.cwiseProduct(origin_), size);
  } else {
    basis_.resize(points.rows(), 0);
  }
  setBlocks(blocks);
  setLocal(options, nearest);
  if (mixing.cols() > 0 && mixing.rows() == 0) {
    cardinal_.resize(0, count + (degree_ < 0 ? 0 : 1 + basis_.cols()));
  } else {
    solve(kernelMatrix(pairs), options, mixing);
  }
}

void RbfInterpolator::setBlocks(const RbfBlocks& blocks) {
  const bool additive = kernel_->block != nullptr;
  if (additive) additive_ = toSize(kernel_ - additiveKernels().data());
  if (!additive && blocks.sizes.empty()) return;
  const std::vector<int> sizes = blocks.sizes.empty() ? std::vector<int>{static_cast<int>(dimensions())} : blocks.sizes;
  const auto count = static_cast<Index>(sizes.size());
  SINEW_CHECK(blocks.weights.size() == 0 || blocks.weights.size() == count, kRbfWhere,
              fmt::format("there are {} weights for {} blocks of coordinates", blocks.weights.size(), count));
  blockWeights_ = blocks.weights.size() == 0 ? Eigen::VectorXd(Eigen::VectorXd::Ones(count)) : blocks.weights;
  blockSquares_.resize(count);
  bool even = true;
  Index first = 0;
  for (Index b = 0; b < count; ++b) {
    const Index size = sizes[toSize(b)];
    SINEW_CHECK(size > 0 && std::isfinite(blockWeights_[b]) && blockWeights_[b] >= 0, kRbfWhere,
                fmt::format("block {} has {} coordinates and the weight {}", b, size, blockWeights_[b]));
    SINEW_CHECK(first + size <= dimensions(), kRbfWhere,
                fmt::format("the blocks have more than the {} coordinates of the points", dimensions()));
    if (additive && blockWeights_[b] > 0) blocks_.push_back({b, first, size, blockWeights_[b]});
    blockSquares_[b] = scales_[first] * scales_[first];
    even = even && (scales_.segment(first, size).array() == scales_[first]).all();
    first += size;
  }
  SINEW_CHECK(first == dimensions(), kRbfWhere,
              fmt::format("the blocks have {} coordinates, the points {}", first, dimensions()));
  if (!even) blockSquares_.resize(0);
}

void RbfInterpolator::setLocal(const RbfOptions& options, const Eigen::VectorXd& nearest) {
  SINEW_CHECK(std::isfinite(options.local) && options.local >= 0, kRbfWhere,
              fmt::format("the local part is {}; it must be 0 or more", options.local));
  SINEW_CHECK(kernel_->block == nullptr || options.local > 0, kRbfWhere,
              fmt::format("the kernel {} cannot interpolate every point; give it a local part above 0", kernel_->name));
  if (options.local == 0) return;
  const Index count = centres_.cols();
  double diagonal = 0;
  for (Index g = 0; g < count; ++g) diagonal += std::abs(kernelAt(centres_.col(g), g, 0)) / static_cast<double>(count);
  local_ = options.local * (diagonal > 0 ? diagonal : 1);
  localRadii_ = kLocalRadii * nearest;
}

double RbfInterpolator::kernelAt(const Eigen::Ref<const Eigen::VectorXd>& x, Index g, double distance) const {
  if (kernel_->block == nullptr) return kernel_->value(distance, radius_);
  double sum = 0;
  for (const Block& block : blocks_) {
    BlockPair pair = rbf::squaredPair(x, centres_, g, block.first, block.first + block.size);
    pair.distance = std::sqrt(pair.distance);
    sum += block.weight * kernel_->block(pair);
  }
  return sum;
}

double RbfInterpolator::withLocal(double kernel, Index g, double distance, double& gaussian) const {
  if (local_ == 0) return kernel;
  const double r = distance / localRadii_[g];
  // Below half of the last bit of the kernel: the sum would be the same.
  if (r * r > kNegligible && std::abs(kernel) > kNegligibleTo * local_) return kernel;
  if (gaussian < 0) gaussian = std::exp(-r * r);
  return kernel + kernel_->ridgeSign * local_ * gaussian;
}

double RbfInterpolator::withLocal(double kernel, Index g, double distance) const {
  double gaussian = -1;
  return withLocal(kernel, g, distance, gaussian);
}

/// Row i: all centres as seen from centre i. `pairs` or null.
Eigen::MatrixXd RbfInterpolator::kernelMatrix(const RbfPairs* pairs) const {
  const Index count = centres_.cols();
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(count, count);
  const bool shared = pairs != nullptr && kernel_->block != nullptr;
  if (shared) addShared(pairs->kernels[additive_], matrix);
  for (Index i = 0; i < count; ++i) {
    for (Index g = 0; g <= i; ++g) {
      const double distance = (centres_.col(i) - centres_.col(g)).cwiseProduct(scales_).norm();
      const double kernel = shared ? matrix(i, g) : kernelAt(centres_.col(i), g, distance);
      matrix(i, g) = withLocal(kernel, g, distance);
      matrix(g, i) = withLocal(kernel, i, distance);
    }
  }
  return matrix;
}

/// The kernels of a table of all pairs of points, block after block.
void RbfInterpolator::addShared(const Eigen::MatrixXd& table, Eigen::MatrixXd& matrix) const {
  const Index points = pointCount();
  const Index count = centres_.cols();
  for (const Block& block : blocks_) {
    const Eigen::Map<const Eigen::MatrixXd> values(table.col(block.number).data(), points, points);
    if (count == points) {
      matrix += block.weight * values;
    } else {
      matrix += block.weight * values(firsts_, firsts_);
    }
  }
}

double RbfInterpolator::condition() const {
  if (centres_.cols() < 2) return 1;
  const Eigen::MatrixXd kernel = kernelMatrix(nullptr);
  const Eigen::VectorXd values = symmetricEigenvalues(0.5 * (kernel + kernel.transpose())).cwiseAbs();
  return values.maxCoeff() / std::max(values.minCoeff(), std::numeric_limits<double>::min());
}

void RbfInterpolator::solve(const Eigen::MatrixXd& kernel, const RbfOptions& options,
                            const Eigen::Ref<const Eigen::MatrixXd>& mixing) {
  const Index count = centres_.cols();
  // How much each point counts in its group, and how far its group is trusted.
  const auto confidence = [&](std::size_t i) { return options.confidence.empty() ? 1.0 : options.confidence[i]; };
  Eigen::VectorXd total = Eigen::VectorXd::Zero(count);
  Eigen::VectorXd trust = Eigen::VectorXd::Zero(count);
  for (std::size_t i = 0; i < groupOf_.size(); ++i) {
    total[groupOf_[i]] += confidence(i);
    trust[groupOf_[i]] = std::max(trust[groupOf_[i]], confidence(i));
  }

  double scale = kernel.cwiseAbs().maxCoeff();
  if (scale <= 0) scale = 1;  // a single centre of a kernel that is 0 there
  const Index terms = degree_ < 0 ? 0 : 1 + basis_.cols();
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(count + terms, count + terms);
  system.topLeftCorner(count, count) = kernel / scale;
  for (Index g = 0; g < count; ++g) {
    system(g, g) += kernel_->ridgeSign * (options.ridge + kDoubt * std::max(0.0, 1 / trust[g] - 1));
    if (terms > 0) system(g, count) = system(count, g) = 1;
    for (Index b = 0; b < basis_.cols(); ++b) {
      system(g, count + 1 + b) = system(count + 1 + b, g) = basis_.col(b).dot(centres_.col(g) - origin_);
    }
  }
  // What point i adds to the data of its centre.
  const auto part = [&](std::size_t i) { return confidence(i) / total[groupOf_[i]]; };
  // Without its polynomial a kernel can be singular, as one that is 0 at its only centre: then the weights of least
  // norm.
  if (mixing.cols() > 0) {
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(count + terms, mixing.rows());
    for (std::size_t i = 0; i < groupOf_.size(); ++i)
      right.row(groupOf_[i]) += part(i) * mixing.col(static_cast<Index>(i)).transpose();
    cardinal_ = solveOrLeastNorm(system, right).transpose();
    cardinal_.leftCols(count) /= scale;
    return;
  }
  // Narrow Gaussians of different radii make it unsymmetric: row i of the transposed inverse holds what data i adds to
  // each coefficient.
  Eigen::MatrixXd inverse = inverseOrPseudoInverse(system).transpose().topRows(count);
  determined_.resize(toSize(count));
  for (Index g = 0; g < count; ++g) determined_[toSize(g)] = std::abs(inverse(g, g)) > kDetermined ? 1 : 0;
  inverse.leftCols(count) /= scale;

  cardinal_.resize(static_cast<Index>(groupOf_.size()), count + terms);
  for (std::size_t i = 0; i < groupOf_.size(); ++i) {
    cardinal_.row(static_cast<Index>(i)) = inverse.row(groupOf_[i]) * part(i);
  }
}

void RbfInterpolator::weights(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::Ref<Eigen::VectorXd> weights) const {
  const Index count = centres_.cols();
  weights.setZero();
  for (Index g = 0; g < count; ++g) {
    const double distance = (x - centres_.col(g)).cwiseProduct(scales_).norm();
    weights += withLocal(kernelAt(x, g, distance), g, distance) * cardinal_.col(g);
  }
  if (degree_ >= 0) weights += cardinal_.col(count);
  for (Index b = 0; b < basis_.cols(); ++b) weights += basis_.col(b).dot(x - origin_) * cardinal_.col(count + 1 + b);
}

double RbfInterpolator::distancesTo(std::span<const Index> rows, const RbfTables& tables,
                                    std::span<double> distances) const {
  rbf::blockSums(tables.squares, blockSquares_, rows, distances);
  double nearest = std::numeric_limits<double>::infinity();
  for (double& distance : distances) {
    distance = std::sqrt(distance);
    nearest = std::min(nearest, distance);
  }
  return nearest;
}

double RbfInterpolator::addWeights(const Eigen::MatrixXd& matrix, const Eigen::Ref<const Eigen::VectorXd>& x,
                                   const RbfTables& tables, double factor, Eigen::Ref<Eigen::VectorXd> weights,
                                   RbfNear* near) const {
  SINEW_CHECK(blockSquares_.size() == tables.squares.cols() && pointCount() == tables.squares.rows(), kRbfWhere,
              "the tables do not match these points and blocks");
  SINEW_CHECK(matrix.cols() == cardinal_.cols() && matrix.rows() == weights.size(), kRbfWhere,
              fmt::format("the matrix is {} x {}, but there are {} weights and {} functions", matrix.rows(),
                          matrix.cols(), weights.size(), cardinal_.cols()));
  const Index count = centres_.cols();
  const bool additive = kernel_->block != nullptr;
  const bool zero = kernel_->name == kNoKernel;
  RbfNear own;
  const bool shared = near != nullptr && count == pointCount() && count <= RbfNear::kMost;
  RbfNear& here = shared ? *near : own;
  double nearest = here.known ? here.nearest : std::numeric_limits<double>::infinity();
  std::array<double, RbfNear::kMost> factors = {};
  for (Index first = 0; first < count; first += RbfNear::kMost) {
    const auto size = toSize(std::min(RbfNear::kMost, count - first));
    const std::span<const Index> rows(firsts_.data() + first, size);
    if (!here.known) {
      nearest = std::min(nearest, distancesTo(rows, tables, {here.distances.data(), size}));
      std::fill_n(here.gaussians.begin(), size, -1.0);
    }
    if (additive && !zero) rbf::blockSums(tables.kernels[additive_], blockWeights_, rows, {factors.data(), size});
    for (std::size_t i = 0; i < size; ++i) {
      const double kernel = zero ? 0 : additive ? factors[i] : kernel_->value(here.distances[i], radius_);
      factors[i] = factor * withLocal(kernel, first + static_cast<Index>(i), here.distances[i], here.gaussians[i]);
    }
    rbf::addColumns(matrix, first, {factors.data(), size}, weights);
  }
  if (shared) here.known = true;
  here.nearest = nearest;
  if (degree_ >= 0) weights += factor * matrix.col(count);
  for (Index b = 0; b < basis_.cols(); ++b)
    weights += factor * basis_.col(b).dot(x - origin_) * matrix.col(count + 1 + b);
  return nearest;
}

Eigen::VectorXd RbfInterpolator::weights(const Eigen::Ref<const Eigen::VectorXd>& x) const {
  SINEW_CHECK(x.size() == dimensions(), kRbfWhere,
              fmt::format("the point has {} coordinates, the space has {}", x.size(), dimensions()));
  Eigen::VectorXd result(weightCount());
  weights(x, result);
  return result;
}

RbfLeftOut RbfInterpolator::weightsWithoutEach() const {
  SINEW_CHECK(determined_.size() == firsts_.size(), kRbfWhere, "mixed weights cannot leave out points");
  const Index points = pointCount();
  RbfLeftOut result{Eigen::MatrixXd::Zero(points, points), {}};
  for (Index k = 0; k < points; ++k) {
    const int centre = groupOf_[toSize(k)];
    if (determined_[toSize(centre)] == 0) {
      result.undetermined.push_back(k);
      result.weights.row(k).setConstant(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    double own = 0;
    for (Index j = 0; j < points; ++j) {
      if (groupOf_[toSize(j)] == centre) own += cardinal_(j, centre);
    }
    for (Index j = 0; j < points; ++j) {
      if (groupOf_[toSize(j)] != centre) result.weights(k, j) = -cardinal_(j, centre) / own;
    }
  }
  return result;
}

Eigen::Matrix2Xd RbfInterpolator::gapsWithoutEach(bool first) const {
  const Index count = centres_.cols();
  const Eigen::MatrixXd places = scales_.asDiagonal() * centres_;
  Eigen::Matrix2Xd gaps = Eigen::Matrix2Xd::Zero(2, pointCount());
  if (count < 2) return gaps;
  // Without one centre, those that have it as their nearest have the second nearest instead.
  std::vector<Index> nearest(toSize(count));
  Eigen::VectorXd shortest(count);
  Eigen::VectorXd second(count);
  Eigen::VectorXd distances(count);
  for (Index g = 0; g < count; ++g) {
    distances = (places.colwise() - places.col(g)).colwise().norm();
    distances[g] = std::numeric_limits<double>::infinity();
    shortest[g] = distances.minCoeff(&nearest[toSize(g)]);
    distances[nearest[toSize(g)]] = std::numeric_limits<double>::infinity();
    second[g] = distances.minCoeff();
  }
  for (Index k = 0; k < pointCount(); ++k) {
    const Index left = groupOf_[toSize(k)];
    gaps(0, k) = shortest[left];
    for (Index g = first ? 0 : 1; g < count && count > 2; ++g) {
      if (g != left) gaps(1, k) = std::max(gaps(1, k), nearest[toSize(g)] == left ? second[g] : shortest[g]);
    }
  }
  return gaps;
}

double RbfInterpolator::nearest(const Eigen::Ref<const Eigen::VectorXd>& x) const {
  double nearest = std::numeric_limits<double>::infinity();
  for (Index g = 0; g < centres_.cols(); ++g) {
    nearest = std::min(nearest, (x - centres_.col(g)).cwiseProduct(scales_).norm());
  }
  return nearest;
}

double RbfInterpolator::nearest(const RbfTables& tables) const {
  double nearest = std::numeric_limits<double>::infinity();
  std::array<double, 64> distances = {};
  for (std::size_t first = 0; first < firsts_.size(); first += distances.size()) {
    const std::size_t size = std::min(distances.size(), firsts_.size() - first);
    nearest = std::min(nearest, distancesTo({firsts_.data() + first, size}, tables, {distances.data(), size}));
  }
  return nearest;
}

}  // namespace sinew
