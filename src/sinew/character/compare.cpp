// Error metrics, as numbered in docs/notation.md.
#include "sinew/character/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"

namespace sinew {
namespace {

constexpr const char* kCompareWhere = "compare";
constexpr Index kGrain = 8192;

void checkPair(const ConstPointsRef& truth, const ConstPointsRef& other) {
  SINEW_CHECK(truth.cols() == other.cols(), kCompareWhere,
              fmt::format("the shapes have {} and {} vertices; only shapes with the same vertices can be compared",
                          truth.cols(), other.cols()));
  checkFinite(truth, kCompareWhere, "the first shape");
  checkFinite(other, kCompareWhere, "the second shape");
}

void checkDiagonal(double restDiagonal, double largest) {
  SINEW_CHECK(std::isfinite(restDiagonal) && restDiagonal >= 0 && (restDiagonal > 0 || largest == 0), kCompareWhere,
              fmt::format("the diagonal of the rest shape is {}; errors are relative to it, so it must be positive",
                          restDiagonal));
}

void writeDistances(const ConstPointsRef& truth, const ConstPointsRef& other, Eigen::Ref<Eigen::VectorXd> distances) {
  parallelFor(truth.cols(), kGrain, [&](Index v) { distances[v] = (truth.col(v) - other.col(v)).norm(); });
}

double sumOfSquares(const Eigen::Ref<const Eigen::VectorXd>& values) {
  return parallelSum(values.size(), kGrain,
                     [&](Index begin, Index end) { return values.segment(begin, end - begin).squaredNorm(); });
}

/// Nearest rank: the smallest value that at least 95 % do not exceed. Reorders `values`.
double percentile95(Eigen::Ref<Eigen::VectorXd> values) {
  const Index count = values.size();
  if (count == 0) return 0;
  const Index rank = (95 * count + 99) / 100;  // ceil(0.95 n) in integers
  double* const nth = values.data() + rank - 1;
  std::nth_element(values.data(), nth, values.data() + count);
  return *nth;
}

/// Everything but p95 of distances with this sum of squares.
ShapeError summarise(const Eigen::Ref<const Eigen::VectorXd>& distances, double squares, double restDiagonal) {
  ShapeError error;
  if (distances.size() == 0) return error;
  error.max = distances.maxCoeff(&error.maxVertex);
  checkDiagonal(restDiagonal, error.max);
  error.rms = std::sqrt(squares / static_cast<double>(distances.size()));
  error.rmsPercent = restDiagonal > 0 ? 100 * error.rms / restDiagonal : 0;
  return error;
}

/// |A - avg(A)|^2 of one frame: its vertices about their mean.
double spread(const ConstPointsRef& frame) {
  if (frame.cols() == 0) return 0;
  const Vec3 mean = frame.rowwise().mean();
  return parallelSum(frame.cols(), kGrain, [&](Index begin, Index end) {
    return (frame.middleCols(begin, end - begin).colwise() - mean).squaredNorm();
  });
}

double ratio(double numerator, double denominator) {
  if (numerator == 0) return 0;
  return denominator > 0 ? numerator / denominator : std::numeric_limits<double>::infinity();
}

}  // namespace

Eigen::VectorXd vertexDistances(const ConstPointsRef& truth, const ConstPointsRef& other) {
  checkPair(truth, other);
  Eigen::VectorXd distances(truth.cols());
  writeDistances(truth, other, distances);
  return distances;
}

ShapeError errorOfDistances(Eigen::VectorXd distances, double restDiagonal) {
  checkDiagonal(restDiagonal, 0);
  ShapeError error = summarise(distances, sumOfSquares(distances), restDiagonal);
  error.p95 = percentile95(distances);
  return error;
}

ShapeError compareShapes(const ConstPointsRef& truth, const ConstPointsRef& other, double restDiagonal) {
  return errorOfDistances(vertexDistances(truth, other), restDiagonal);
}

SequenceErrors::SequenceErrors(Index vertices, std::size_t frames, double restDiagonal, double mostDistances)
    : vertices_(vertices), diagonal_(restDiagonal), distances_(vertices) {
  checkDiagonal(restDiagonal, 0);
  const double all = static_cast<double>(vertices) * static_cast<double>(frames);
  stride_ = std::max<Index>(1, static_cast<Index>(std::ceil(all / mostDistances)));
  kept_.reserve(static_cast<std::size_t>(all / static_cast<double>(stride_)) + frames);
}

const ShapeError& SequenceErrors::add(const ConstPointsRef& truth, const ConstPointsRef& other) {
  return add(truth, other, {});
}

const ShapeError& SequenceErrors::add(const ConstPointsRef& truth, const ConstPointsRef& other,
                                      std::span<const double> mask) {
  const auto frame = static_cast<Index>(error_.perFrame.size());
  SINEW_CHECK(truth.cols() == vertices_, kCompareWhere,
              fmt::format("frame {} has {} vertices, frame 0 has {}", frame, truth.cols(), vertices_));
  checkPair(truth, other);
  writeDistances(truth, other, distances_);
  for (std::size_t v = 0; v < mask.size(); ++v) {
    if (mask[v] == 0) distances_[static_cast<Index>(v)] = 0;
  }
  for (Index v = 0; v < vertices_; v += stride_) kept_.push_back(distances_[v]);
  const double squares = sumOfSquares(distances_);
  ShapeError found = summarise(distances_, squares, diagonal_);
  found.p95 = percentile95(distances_);
  if (vertices_ > 0 && (error_.maxFrame < 0 || found.max > error_.total.max)) {
    error_.maxFrame = frame;
    error_.total.max = found.max;
    error_.total.maxVertex = found.maxVertex;
  }
  squares_ += squares;
  spreads_ += spread(truth);
  error_.perFrame.push_back(found);
  return error_.perFrame.back();
}

SequenceError SequenceErrors::result() const {
  SequenceError error = error_;
  if (kept_.empty()) return error;
  const double norm = std::sqrt(squares_);
  const double count = static_cast<double>(vertices_) * static_cast<double>(error.perFrame.size());
  error.total.rms = norm / std::sqrt(count);
  error.total.rmsPercent = diagonal_ > 0 ? 100 * error.total.rms / diagonal_ : 0;
  Eigen::VectorXd kept = Eigen::Map<const Eigen::VectorXd>(kept_.data(), static_cast<Index>(kept_.size()));
  error.total.p95 = percentile95(kept);
  error.distortion = 100 * ratio(norm, std::sqrt(spreads_));
  error.erms = ratio(1000 * norm / std::sqrt(3 * count) * 2, diagonal_);
  return error;
}

SequenceError compareSequences(std::span<const Points> truth, std::span<const Points> other, double restDiagonal) {
  SINEW_CHECK(truth.size() == other.size(), kCompareWhere,
              fmt::format("the sequences have {} and {} frames", truth.size(), other.size()));
  checkDiagonal(restDiagonal, 0);
  if (truth.empty()) return {};
  SequenceErrors errors(truth.front().cols(), truth.size(), restDiagonal, std::numeric_limits<double>::infinity());
  for (std::size_t f = 0; f < truth.size(); ++f) errors.add(truth[f], other[f]);
  return errors.result();
}

}  // namespace sinew
