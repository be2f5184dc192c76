// Weights from distances over the surface, by the heat method (math/heat_distance.cpp).
//
// For a point that sees bone b at position c_b and distance d_b, and whose nearest visible bone is at c and d,
//   e_b = (d_b^2 - d^2) / |c_b - c|
// is how far it lies beyond the border between the two bones: on a straight limb exactly the length s past the joint
// (d_b^2 = d^2 + s^2, |c_b - c| = s), between bones side by side twice the distance from the plane between them. It is
// 0 on the border and smooth across it, whatever the triangles do. From the points that see a bone, e_b is continued
// over the surface to those that do not: e_b(v) = min over seeing u of e_b(u) + way(u, v).
//
// The weight of bone b is k(x_b) / sum k, with x_b = e_b / (f R): R is the radius of the limb around the point, f the
// falloff, and k = S / (1 - S), S(x) = (1 - x)^2 (2 + x) / 4. So between two bones the weight is a smoothstep over f R
// on both sides of the joint, and beyond it exactly 0 or 1. Last, the weights flow over a quarter of R,
// (M + L (R/4)^2) w' = M w, which smooths the corners where three bones meet; on coarser meshes it changes almost
// nothing.
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/learn/bind/methods.h"
#include "sinew/math/heat_distance.h"

namespace sinew::bind {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kSmoothing = 0.25;  ///< of the limb's radius

/// Flows of values over the surface, (M + L l^2) x = M values, with a length l = factor * size that changes from point
/// to point.
class Flow {
 public:
  Flow(const BindInput& input, Eigen::VectorXd mass, const Eigen::VectorXd& size, double factor)
      : mass_(std::move(mass)) {
    const SurfaceLaplacian& laplacian = input.surface.laplacian;
    Eigen::VectorXd factors(static_cast<Index>(laplacian.edges.size()));
    for (Index e = 0; e < factors.size(); ++e) {
      const WeightedEdge& edge = laplacian.edges[toSize(e)];
      const double length = 0.5 * factor * (size[edge.a] + size[edge.b]);
      factors[e] = length * length;
    }
    solver_.compute(shiftedLaplacian(laplacian, mass_, factors));
    SINEW_CHECK(solver_.info() == Eigen::Success, "bind",
                "the surface could not be factored; its coordinates may be too large or too small");
  }

  [[nodiscard]] Eigen::VectorXd operator()(const Eigen::VectorXd& values) const {
    return solver_.solve(mass_.cwiseProduct(values));
  }

 private:
  Eigen::VectorXd mass_;
  Eigen::SimplicialLDLT<SparseMatrix> solver_;
};

/// R: distances to the bones, averaged around the limb by a flow as long as the limb is wide, so that the arm does not
/// affect the fingers. Points that see no bone hardly count.
Eigen::VectorXd limbRadius(const BindInput& input) {
  const SurfaceLaplacian& laplacian = input.surface.laplacian;
  const Index count = input.surface.pointCount();
  Eigen::VectorXd distance(count);
  Eigen::VectorXd mass = laplacian.mass;
  for (Index p = 0; p < count; ++p) {
    const Seen& seen = input.seen[toSize(p)];
    distance[p] = seen.distance;
    if (seen.bone < 0) mass[p] *= 1e-3;
  }
  double least = 1e-4 * input.surface.diagonal;
  if (least == 0) least = 1;  // a single point
  return Flow(input, mass, distance, 2)(distance).cwiseMax(least);
}

/// e_b where bone b is in sight and near enough to matter.
std::vector<DistanceSource> seenExcess(const BindInput& input, int bone, const Eigen::VectorXd& radius) {
  std::vector<DistanceSource> sources;
  for (std::uint32_t p = 0; p < input.seen.size(); ++p) {
    const Seen& seen = input.seen[p];
    if (seen.bone < 0) continue;
    if (seen.bone == bone) {
      sources.push_back({p, 0.0});
      continue;
    }
    const Bone::Nearest nearest = input.bones[toSize(bone)].nearest(input.surface.points.col(p));
    if (!std::isfinite(nearest.distance)) return {};
    const double apart = (nearest.point - seen.at).norm();
    // Never negative: a nearer bone that is hidden at its nearest position is not visible.
    const double more = std::max(0.0, nearest.distance * nearest.distance - seen.distance * seen.distance);
    const double excess = apart > 1e-12 * input.surface.diagonal ? more / apart : 0.0;
    if (excess <= 1.25 * input.options.falloff * radius[p] && sees(input.surface, p, nearest.point)) {
      sources.push_back({p, excess});
    }
  }
  return sources;
}

double blend(double x) {
  if (!(x < 1)) return 0;
  const double step = 0.25 * (1 - x) * (1 - x) * (2 + x);
  return step / (1 - step);
}

/// Row by row, from excess to weights.
void excessToWeights(const BindInput& input, const Eigen::VectorXd& radius, WeightTable& table) {
  parallelFor(table.rows(), 512, [&](Index p) {
    const double least = table.row(p).minCoeff();
    if (least == kFar) {  // the piece sees no bone; it is a follower
      table.row(p).setZero();
      return;
    }
    const double width = input.options.falloff * radius[p];
    for (Index b = 0; b < table.cols(); ++b) table(p, b) = blend((table(p, b) - least) / width);
    table.row(p) /= table.row(p).sum();
  });
}

}  // namespace

WeightTable geodesicWeights(const BindInput& input) {
  report(input.progress, {0, "measuring limbs"});
  const Eigen::VectorXd radius = limbRadius(input);
  report(input.progress, {0.1, "factoring the surface"});
  const HeatDistance heat(input.surface.points, input.surface.triangles);
  report(input.progress, {0.5, "measuring distances"});
  WeightTable table(input.surface.pointCount(), static_cast<Index>(input.bones.size()));
  parallelFor(table.cols(), 1, [&](Index b) {
    const std::vector<DistanceSource> sources = seenExcess(input, static_cast<int>(b), radius);
    table.col(b) = heat.distance(sources);
    for (const DistanceSource& source : sources) table(source.point, b) = source.distance;
  });
  report(input.progress, {0.8, "blending"});
  excessToWeights(input, radius, table);
  for (const Follower& follower : input.followers) {
    for (const std::uint32_t p : input.surface.pieces[follower.piece].points) table(p, follower.bone) = 1;
  }
  const Flow flow(input, input.surface.laplacian.mass, radius, kSmoothing);
  parallelFor(table.cols(), 1, [&](Index b) {
    if (table.col(b).maxCoeff() > 0) table.col(b) = flow(table.col(b)).cwiseMax(0.0);
  });
  table.array().colwise() /= table.rowwise().sum().array();
  return table;
}

}  // namespace sinew::bind
