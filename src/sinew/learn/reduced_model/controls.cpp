// Per control and example: with area weights that sum to 1, C = cov(x), B = sum w (y - ym)(x - xm)^T, R = polar(B),
// lambda = ridge tr(C) / 3,
//   F = (B + lambda R)(C + lambda I)^-1,   d = ym - F xm.
// Departure: the paper has no ridge. Flat and small groups then get mirrored maps, which a fit does not show, but
// gradients made of them are useless.
#include "sinew/learn/reduced_model/controls.h"

#include <Eigen/LU>
#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/math/decompositions.h"
#include "sinew/math/rigid_fit.h"

namespace sinew::reduced_model {
namespace {

constexpr double kLeastStretch = 0.25;
constexpr double kMostStretch = 3;
constexpr int kTries = 12;

/// Sums over the triangles of a control.
struct Moments {
  double weight = 0;
  Vec3 meanRest = Vec3::Zero();
  Vec3 meanPosed = Vec3::Zero();
  Mat3 restRest = Mat3::Zero();
  Mat3 posedRest = Mat3::Zero();
};

Affine solve(const Moments& m, double ridge) {
  Affine map = Affine::Identity();
  const double size = m.restRest.trace() / 3;
  const Mat3 rotation = nearestRotation(m.posedRest);
  if (!(size > 0)) {
    // A single point: only a translation is determined.
    map.translation() = m.meanPosed - m.meanRest;
    return map;
  }
  map.linear() = rotation;
  // Ten fourfold steps take a ridge of 0.1 to 1e5: practically the rotation itself.
  double lambda = std::max(ridge, 1e-9) * size;
  for (int attempt = 0; attempt < kTries && std::isfinite(ridge); ++attempt, lambda *= 4) {
    const Mat3 linear = (m.posedRest + lambda * rotation) * (m.restRest + lambda * Mat3::Identity()).inverse();
    const Vec3 stretch = singularValues3(linear);
    if (linear.determinant() > 0 && stretch[2] >= kLeastStretch && stretch[0] <= kMostStretch) {
      map.linear() = linear;
      break;
    }
  }
  map.translation() = m.meanPosed - map.linear() * m.meanRest;
  return map;
}

std::vector<Affine> exampleTransforms(const ReducedSurface& surface, const Points& rest, const Points& posed,
                                      std::span<const std::uint32_t> labels, Index controls, double ridge) {
  std::vector<Moments> moments(toSize(controls));
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    Moments& m = moments[labels[t]];
    const double area = triangleSize(rest, surface.triangles[t]).first;
    m.weight += area;
    m.meanRest += area * centroid(surface.triangles[t], rest);
    m.meanPosed += area * centroid(surface.triangles[t], posed);
  }
  for (Moments& m : moments) {
    if (!(m.weight > 0)) continue;
    m.meanRest /= m.weight;
    m.meanPosed /= m.weight;
  }
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    Moments& m = moments[labels[t]];
    if (!(m.weight > 0)) continue;
    const double share = triangleSize(rest, surface.triangles[t]).first / m.weight;
    const Vec3 x = centroid(surface.triangles[t], rest) - m.meanRest;
    const Vec3 y = centroid(surface.triangles[t], posed) - m.meanPosed;
    m.restRest += share * x * x.transpose();
    m.posedRest += share * y * x.transpose();
  }
  std::vector<Affine> maps;
  for (const Moments& m : moments) maps.push_back(solve(m, ridge));
  return maps;
}

}  // namespace

std::vector<std::vector<Affine>> controlTransforms(const ReducedSurface& surface, const Points& rest,
                                                   std::span<const Points> aligned,
                                                   std::span<const std::uint32_t> labels, Index controls,
                                                   double ridge) {
  std::vector<std::vector<Affine>> maps(aligned.size());
  parallelFor(static_cast<Index>(aligned.size()), 1, [&](Index i) {
    const auto e = toSize(i);
    if (aligned[e] == rest) {
      maps[e].assign(toSize(controls), Affine::Identity());
    } else {
      maps[e] = exampleTransforms(surface, rest, aligned[e], labels, controls, ridge);
    }
  });
  return maps;
}

}  // namespace sinew::reduced_model
