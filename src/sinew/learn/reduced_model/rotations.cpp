// Rotation sequences (James and Twigg 2005, section 3; reduced by principal components): with the frame
// A = [e1, e2, n / sqrt|n|] of a triangle, D = A_example A_rest^-1 and D = R S, the sequence is
//   z = (vec R_1 ... vec R_P) / sqrt(2 P)
// Departure: distances are scaled to be root mean square angles, so that a bandwidth is an angle on any model.
#include "sinew/learn/reduced_model/rotations.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/math/decompositions.h"
#include "sinew/math/rigid_fit.h"

namespace sinew::reduced_model {
namespace {

constexpr std::size_t kMostExamples = 64;
constexpr Index kProbe = 500;       // vertices used to distinguish examples
constexpr double kSame = 1e-4;      // of the diagonal: examples nearer (root mean square) are one
constexpr double kVariance = 0.99;  // kept by the principal components
constexpr Index kGrain = 256;

Mat3 triangleFrame(const Triangle& triangle, const Points& points) {
  Mat3 frame;
  frame.col(0) = points.col(triangle[1]) - points.col(triangle[0]);
  frame.col(1) = points.col(triangle[2]) - points.col(triangle[0]);
  const Vec3 normal = frame.col(0).cross(frame.col(1));
  const double length = normal.norm();
  frame.col(2) = length > 0 ? Vec3(normal / std::sqrt(length)) : Vec3::Zero();
  return frame;
}

/// Farthest-point choice of examples that differ from the rest and from each other.
std::vector<std::size_t> distinctExamples(const Points& rest, const std::vector<Points>& aligned) {
  const Index stride = std::max<Index>(1, rest.cols() / kProbe);
  const double diagonal = boundingBox(rest).diagonal();
  const auto distance = [&](const Points& a, const Points& b) {
    double sum = 0;
    Index count = 0;
    for (Index v = 0; v < rest.cols(); v += stride, ++count) sum += (a.col(v) - b.col(v)).squaredNorm();
    return std::sqrt(sum / static_cast<double>(count));
  };
  std::vector<double> nearest(aligned.size());
  for (std::size_t e = 0; e < aligned.size(); ++e) nearest[e] = distance(rest, aligned[e]);
  std::vector<std::size_t> chosen;
  while (chosen.size() < kMostExamples && chosen.size() < aligned.size()) {
    const auto far = std::max_element(nearest.begin(), nearest.end());
    if (*far <= kSame * diagonal) break;
    chosen.push_back(toSize(far - nearest.begin()));
    for (std::size_t e = 0; e < aligned.size(); ++e)
      nearest[e] = std::min(nearest[e], distance(aligned[chosen.back()], aligned[e]));
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

/// Draws triangles by area, `count` of them, one from each of as many equal stretches of the summed area.
std::vector<Index> drawByArea(const Eigen::VectorXd& areas, Index count, Lcg& random) {
  std::vector<Index> drawn;
  double passed = 0;
  Index t = 0;
  for (Index i = 0; i < count; ++i) {
    const double at = (static_cast<double>(i) + random.uniform()) / static_cast<double>(count);
    while (t + 1 < areas.size() && passed + areas[t] < at) passed += areas[t++];
    drawn.push_back(t);
  }
  return drawn;
}

/// One triangle's sequence, unreduced.
class SequenceMaker {
 public:
  SequenceMaker(const ReducedSurface& surface, const Points& rest, const std::vector<Points>& aligned)
      : surface_(surface), rest_(rest), aligned_(aligned), examples_(distinctExamples(rest, aligned)) {}

  [[nodiscard]] Index size() const { return 9 * static_cast<Index>(examples_.size()); }

  void operator()(Index triangle, Eigen::Ref<Eigen::VectorXf> z) const {
    const Triangle& corners = surface_.triangles[toSize(triangle)];
    const double scale = 1 / std::sqrt(2.0 * static_cast<double>(examples_.size()));
    const Mat3 restFrame = triangleFrame(corners, rest_).inverse();
    Index row = 0;
    for (const std::size_t example : examples_) {
      const Mat3 rotation = nearestRotation(triangleFrame(corners, aligned_[example]) * restFrame);
      z.segment<9>(row) = (scale * rotation).reshaped().cast<float>();
      row += 9;
    }
  }

 private:
  const ReducedSurface& surface_;
  const Points& rest_;
  const std::vector<Points>& aligned_;
  std::vector<std::size_t> examples_;
};

struct Projection {
  Eigen::VectorXf mean;
  Eigen::MatrixXf axes;  // columns
  double spread = 0;
};

Projection principalAxes(const Eigen::MatrixXf& sequences, const Eigen::VectorXf& weights) {
  Projection projection;
  projection.mean = sequences * weights;
  const Eigen::MatrixXf centred = (sequences.colwise() - projection.mean) * weights.cwiseSqrt().asDiagonal();
  const Eigen::MatrixXf covariance = centred * centred.transpose();
  const SymmetricEigen eigen = symmetricEigen(covariance.cast<double>());
  const Eigen::VectorXd values = eigen.values.cwiseMax(0);
  const double total = values.sum();
  projection.spread = std::sqrt(total);
  double kept = 0;
  Index count = 0;
  while (count < values.size() && kept < kVariance * total) kept += values[values.size() - 1 - count++];
  projection.axes = eigen.vectors.rightCols(count).rowwise().reverse().cast<float>();
  return projection;
}

/// Slivers take the mean of their neighbours, wave by wave where those are slivers too.
void fillSlivers(const TriangleGraph& graph, std::vector<std::uint8_t>& known, Eigen::MatrixXf& points) {
  for (bool changed = true; changed;) {
    std::vector<std::size_t> filled;
    for (std::size_t t = 0; t < known.size(); ++t) {
      if (known[t] != 0) continue;
      Eigen::VectorXf sum = Eigen::VectorXf::Zero(points.rows());
      float count = 0;
      for (const std::uint32_t other : graph[t]) {
        if (known[other] == 0) continue;
        sum += points.col(other);
        ++count;
      }
      if (count == 0) continue;
      points.col(static_cast<Index>(t)) = sum / count;
      filled.push_back(t);
    }
    for (const std::size_t t : filled) known[t] = 1;
    changed = !filled.empty();
  }
}

}  // namespace

bool hasRotation(const Triangle& triangle, const Points& rest) {
  const auto [doubleArea, longest] = triangleSize(rest, triangle);
  return doubleArea > 1e-6 * longest;
}

Mat3 triangleRotation(const Triangle& triangle, const Points& rest, const Points& posed) {
  if (!hasRotation(triangle, rest)) return Mat3::Identity();
  return nearestRotation(triangleFrame(triangle, posed) * triangleFrame(triangle, rest).inverse());
}

RotationFeatures rotationFeatures(const ReducedSurface& surface, const TriangleGraph& graph, const Points& rest,
                                  const std::vector<Points>& aligned, int kernelPoints, int seeds, int seed) {
  RotationFeatures features;
  const Index triangles = surface.triangleCount();
  std::vector<std::uint8_t> known(toSize(triangles));
  features.areas.resize(triangles);
  for (Index t = 0; t < triangles; ++t) {
    const Triangle& triangle = surface.triangles[toSize(t)];
    features.areas[t] = 0.5 * triangleSize(rest, triangle).first;
    known[toSize(t)] = hasRotation(triangle, rest) ? 1 : 0;
  }
  features.slivers = std::count(known.begin(), known.end(), 0);
  const double area = features.areas.sum();
  if (area > 0) features.areas /= area;

  const SequenceMaker sequence(surface, rest, aligned);
  features.points.resize(0, triangles);
  if (sequence.size() == 0 || features.slivers == triangles) return features;

  // A sample represents all triangles: in the density and in its principal axes.
  Eigen::VectorXd drawn = features.areas;
  for (Index t = 0; t < triangles; ++t)
    if (known[toSize(t)] == 0) drawn[t] = 0;
  drawn /= drawn.sum();
  auto random = Lcg(static_cast<std::uint32_t>(seed));
  const bool all = triangles <= kernelPoints;
  std::vector<Index> kernel;
  for (Index t = 0; all && t < triangles; ++t)
    if (drawn[t] > 0) kernel.push_back(t);
  if (!all) kernel = drawByArea(drawn, kernelPoints, random);
  const auto count = static_cast<Index>(kernel.size());
  Eigen::MatrixXf sequences(sequence.size(), count);
  Eigen::VectorXf weights(count);
  parallelFor(count, kGrain, [&](Index i) { sequence(kernel[toSize(i)], sequences.col(i)); });
  for (Index i = 0; i < count; ++i)
    weights[i] = all ? static_cast<float>(drawn[kernel[toSize(i)]]) : 1.0F / static_cast<float>(count);
  const Projection projection = principalAxes(sequences, weights);
  features.spread = projection.spread;
  features.kernel = projection.axes.transpose() * (sequences.colwise() - projection.mean);
  if (all) {
    for (const Index t : kernel) features.kernelWeights.push_back(drawn[t] * static_cast<double>(count));
  }

  features.points.resize(projection.axes.cols(), triangles);
  // Blocks are the same on any number of threads, and so are the bits of their products.
  parallelFor((triangles + kGrain - 1) / kGrain, 1, [&](Index b) {
    const Index first = b * kGrain;
    const Index size = std::min(kGrain, triangles - first);
    Eigen::MatrixXf block(sequence.size(), size);
    for (Index i = 0; i < size; ++i) {
      block.col(i) = projection.mean;
      if (known[toSize(first + i)] != 0) sequence(first + i, block.col(i));
    }
    features.points.middleCols(first, size).noalias() =
        projection.axes.transpose() * (block.colwise() - projection.mean);
  });
  fillSlivers(graph, known, features.points);
  const std::vector<Index> climbers = drawByArea(drawn, std::min<Index>(seeds, triangles), random);
  features.seeds.resize(features.points.rows(), static_cast<Index>(climbers.size()));
  for (std::size_t i = 0; i < climbers.size(); ++i)
    features.seeds.col(static_cast<Index>(i)) = features.points.col(climbers[i]);
  return features;
}

}  // namespace sinew::reduced_model
