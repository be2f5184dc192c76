// Error metrics, as numbered in docs/notation.md.
#include "sinew/character/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

SequenceError compareSequences(std::span<const Points> truth, std::span<const Points> other, double restDiagonal) {
  SINEW_CHECK(truth.size() == other.size(), kCompareWhere,
              fmt::format("the sequences have {} and {} frames", truth.size(), other.size()));
  checkDiagonal(restDiagonal, 0);
  SequenceError error;
  if (truth.empty()) return error;
  const Index vertices = truth.front().cols();
  const auto frames = static_cast<Index>(truth.size());
  Eigen::VectorXd distances(vertices * frames);
  double squares = 0;
  double spreads = 0;
  for (Index f = 0; f < frames; ++f) {
    const Points& frame = truth[toSize(f)];
    SINEW_CHECK(frame.cols() == vertices, kCompareWhere,
                fmt::format("frame {} has {} vertices, frame 0 has {}", f, frame.cols(), vertices));
    checkPair(frame, other[toSize(f)]);
    auto part = distances.segment(f * vertices, vertices);
    writeDistances(frame, other[toSize(f)], part);
    const double frameSquares = sumOfSquares(part);
    ShapeError frameError = summarise(part, frameSquares, restDiagonal);
    frameError.p95 = percentile95(part);  // reorders the frame's distances: only their multiset is needed from here on
    if (vertices > 0 && (error.maxFrame < 0 || frameError.max > error.total.max)) {
      error.maxFrame = f;
      error.total.max = frameError.max;
      error.total.maxVertex = frameError.maxVertex;
    }
    error.perFrame.push_back(frameError);
    squares += frameSquares;
    spreads += spread(frame);
  }
  if (vertices == 0) return error;
  const double norm = std::sqrt(squares);
  const auto count = static_cast<double>(distances.size());
  error.total.rms = norm / std::sqrt(count);
  error.total.rmsPercent = restDiagonal > 0 ? 100 * error.total.rms / restDiagonal : 0;
  error.total.p95 = percentile95(distances);
  error.distortion = 100 * ratio(norm, std::sqrt(spreads));
  error.erms = ratio(1000 * norm / std::sqrt(3 * count) * 2, restDiagonal);
  return error;
}

}  // namespace sinew
