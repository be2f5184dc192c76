// I. Baran, J. Popovic: Automatic Rigging and Animation of 3D Characters (2007), section 4: the skin as a heated
// surface at equilibrium, where each bone in turn is at temperature 1 and the others at 0,
//   (L + M H) w_b = M H p_b,   H_vv = c / d(v)^2,   p_b(v) = 1 where bone b is the nearest in sight,
// split evenly where several are equally near. H is 0 if no bone is in sight. One factorisation serves all bones.
//
// Departure: a piece from which no bone is seen follows its nearest bone (there the system would be singular).
#include <Eigen/SparseCholesky>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/learn/bind/methods.h"

namespace sinew::bind {
namespace {

constexpr double kEquallyNear = 1.0001;  // as the paper's own program has it

/// p: per bone, the points that it heats and how much of each.
Eigen::MatrixXd heatedPoints(const BindInput& input) {
  Eigen::MatrixXd heated = Eigen::MatrixXd::Zero(input.surface.pointCount(), static_cast<Index>(input.bones.size()));
  parallelFor(input.surface.pointCount(), 256, [&](Index p) {
    const Seen& seen = input.seen[toSize(p)];
    if (seen.bone < 0) return;
    const Vec3 here = input.surface.points.col(p);
    for (std::size_t b = 0; b < input.bones.size(); ++b) {
      const Bone::Nearest nearest = input.bones[b].nearest(here);
      const bool equal =
          static_cast<int>(b) == seen.bone || (nearest.distance <= kEquallyNear * seen.distance &&
                                               sees(input.surface, static_cast<std::uint32_t>(p), nearest.point));
      if (equal) heated(p, static_cast<Index>(b)) = 1;
    }
    heated.row(p) /= heated.row(p).sum();
  });
  for (const Follower& follower : input.followers) {
    for (const std::uint32_t p : input.surface.pieces[follower.piece].points) heated(p, follower.bone) = 1;
  }
  return heated;
}

}  // namespace

WeightTable heatWeights(const BindInput& input) {
  const SurfaceLaplacian& laplacian = input.surface.laplacian;
  const Index points = input.surface.pointCount();
  report(input.progress, {0, "finding heated points"});
  const Eigen::MatrixXd heated = heatedPoints(input);
  // At a bone on the skin itself H would be infinite.
  double least = std::max(0.1 * laplacian.meanEdge, 1e-9 * input.surface.diagonal);
  if (least == 0) least = 1;  // a single point
  Eigen::VectorXd strength = Eigen::VectorXd::Zero(points);
  for (Index p = 0; p < points; ++p) {
    const double distance = std::max(input.seen[toSize(p)].distance, least);
    if (heated.row(p).sum() > 0) strength[p] = laplacian.mass[p] * input.options.heat / (distance * distance);
  }
  report(input.progress, {0.1, "factoring the surface"});
  const Eigen::SimplicialLDLT<SparseMatrix> solver(shiftedLaplacian(laplacian, strength, 1));
  SINEW_CHECK(solver.info() == Eigen::Success, "bind",
              "the surface could not be factored; its coordinates may be too large or too small");
  report(input.progress, {0.5, "solving bones"});
  WeightTable weights(points, heated.cols());
  parallelFor(heated.cols(), 1,
              [&](Index b) { weights.col(b) = solver.solve(strength.cwiseProduct(heated.col(b))).cwiseMax(0.0); });
  weights.array().colwise() /= weights.rowwise().sum().array();
  return weights;
}

}  // namespace sinew::bind
