// Error metrics, as numbered in docs/notation.md.
#include "sinew/character/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/character/sequence_comparison.h"

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

SequenceComparison::SequenceComparison(Index frames, double restDiagonal) : frames_(frames), diagonal_(restDiagonal) {
  checkDiagonal(restDiagonal, 0);
}

void SequenceComparison::add(const ConstPointsRef& truth, const ConstPointsRef& other) {
  if (vertices_ < 0) {
    vertices_ = truth.cols();
    distances_.resize(vertices_ * frames_);
  }
  SINEW_CHECK(added_ < frames_, kCompareWhere, fmt::format("only {} frames were announced", frames_));
  SINEW_CHECK(truth.cols() == vertices_, kCompareWhere,
              fmt::format("frame {} has {} vertices, frame 0 has {}", added_, truth.cols(), vertices_));
  checkPair(truth, other);
  auto part = distances_.segment(added_ * vertices_, vertices_);
  writeDistances(truth, other, part);
  const double frameSquares = sumOfSquares(part);
  ShapeError frameError = summarise(part, frameSquares, diagonal_);
  frameError.p95 = percentile95(part);  // reorders the frame's distances: only their multiset is needed from here on
  if (vertices_ > 0 && (error_.maxFrame < 0 || frameError.max > error_.total.max)) {
    error_.maxFrame = added_;
    error_.total.max = frameError.max;
    error_.total.maxVertex = frameError.maxVertex;
  }
  error_.perFrame.push_back(frameError);
  squares_ += frameSquares;
  spreads_ += spread(truth);
  ++added_;
}

SequenceError SequenceComparison::finish() {
  SequenceError error = std::move(error_);
  if (vertices_ <= 0 || added_ == 0) return error;
  const double norm = std::sqrt(squares_);
  const auto all = distances_.head(added_ * vertices_);
  const auto count = static_cast<double>(all.size());
  error.total.rms = norm / std::sqrt(count);
  error.total.rmsPercent = diagonal_ > 0 ? 100 * error.total.rms / diagonal_ : 0;
  error.total.p95 = percentile95(distances_.head(added_ * vertices_));
  error.distortion = 100 * ratio(norm, std::sqrt(spreads_));
  error.erms = ratio(1000 * norm / std::sqrt(3 * count) * 2, diagonal_);
  return error;
}

SequenceError compareSequences(std::span<const Points> truth, std::span<const Points> other, double restDiagonal) {
  SINEW_CHECK(truth.size() == other.size(), kCompareWhere,
              fmt::format("the sequences have {} and {} frames", truth.size(), other.size()));
  SequenceComparison comparison(static_cast<Index>(truth.size()), restDiagonal);
  for (std::size_t f = 0; f < truth.size(); ++f) comparison.add(truth[f], other[f]);
  return comparison.finish();
}

}  // namespace sinew
