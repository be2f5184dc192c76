#include "sinew/learn/invert/box.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/character/correspondence.h"
#include "sinew/math/decompositions.h"

namespace sinew::invert {
namespace {

/// Fewer bits than this are rounding of the operator, not randomness.
constexpr int kFullPrecision = 44;
constexpr double kProbe = 1e-3;  // displacement, in diagonals

int significantBits(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  int exponent = 0;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::abs(std::frexp(value, &exponent)), 53));
  return 53 - std::countr_zero(mantissa);
}

Index countMoved(const Points& before, const Points& after, double threshold) {
  Index moved = 0;
  for (Index v = 0; v < before.cols(); ++v) {
    if (!((after.col(v) - before.col(v)).norm() <= threshold)) ++moved;
  }
  return moved;
}

}  // namespace

Seams::Seams(const Points& rest, const Points& moved, const Points& sculpt, double diagonal) {
  const WeldMap map = weld(rest);
  if (map.pointCount() == rest.cols()) return;
  std::vector<std::vector<std::uint32_t>> ofPoint(toSize(map.pointCount()));
  for (std::size_t v = 0; v < map.pointOfVertex.size(); ++v)
    ofPoint[map.pointOfVertex[v]].push_back(static_cast<std::uint32_t>(v));
  const auto isTwin = [&](std::uint32_t a, std::uint32_t b) {
    return (moved.col(a) - moved.col(b)).norm() <= 1e-6 * diagonal &&
           (sculpt.col(a) - sculpt.col(b)).norm() <= 1e-4 * diagonal;
  };
  for (std::vector<std::uint32_t>& all : ofPoint) {
    // Lips that touch at rest and part in the pose are two groups.
    while (all.size() > 1) {
      const auto others =
          std::stable_partition(all.begin() + 1, all.end(), [&](std::uint32_t v) { return isTwin(all.front(), v); });
      if (others - all.begin() > 1) groups_.emplace_back(all.begin(), others);
      all.erase(all.begin(), others);
    }
  }
}

void Seams::average(Points& points) const {
  for (const std::vector<std::uint32_t>& group : groups_) {
    Vec3 sum = Vec3::Zero();
    for (const std::uint32_t v : group) sum += points.col(v);
    sum /= static_cast<double>(group.size());
    for (const std::uint32_t v : group) points.col(v) = sum;
  }
}

void Box::raw(const Points& points, Points& moved) {
  map_(points, moved);
  ++calls_;
  SINEW_CHECK(
      moved.cols() == vertices_, "invert",
      fmt::format("the operator returned {} points for {}; it must return every vertex", moved.cols(), vertices_));
}

void Box::operator()(const Points& points, Points& moved) {
  raw(points, moved);
  seams.average(moved);
}

Probe probe(Box& box, const Points& rest, const Points& moved, double diagonal) {
  Probe found;
  const Index count = rest.cols();
  Lcg random(7);
  std::vector<bool> displaced(toSize(count), false);
  Points trial = rest;
  for (Index v = 0; v < count; ++v) {
    const Vec3 way = random.vector();
    if (v != 0 && random.uniform() > 0.125) continue;
    displaced[toSize(v)] = true;
    trial.col(v) += kProbe * diagonal * (way + Vec3::Constant(1.0 / 3));
  }
  Points after;
  box.raw(trial, after);

  int bits = 0;
  for (Index v = 0; v < count; ++v) {
    if (!displaced[toSize(v)]) continue;
    for (int axis = 0; axis < 3; ++axis) bits = std::max(bits, significantBits(after(axis, v)));
  }
  if (bits > 0 && bits < kFullPrecision) found.bits = bits;
  found.noise = std::ldexp(1.0, -found.bits) * moved.cwiseAbs().maxCoeff();

  const double threshold = 1e-7 * kProbe * diagonal + 8 * found.noise;
  std::vector<Index> dragged;
  for (Index v = 0; v < count; ++v) {
    if (!displaced[toSize(v)] && !((after.col(v) - moved.col(v)).norm() <= threshold)) dragged.push_back(v);
  }
  if (dragged.empty()) return found;
  // It is not point-wise. How many vertices one vertex moves is measured at three of those that moved.
  found.nonLocal = 2;
  for (const std::size_t share : {1, 2, 3}) {
    trial = rest;
    const Index v = dragged[(dragged.size() - 1) * share / 4];
    trial.col(v) += kProbe * diagonal * Vec3(1, 0.7, -0.4);
    box.raw(trial, after);
    found.nonLocal = std::max(found.nonLocal, countMoved(moved, after, threshold));
  }
  return found;
}

Conditioning condition(const std::vector<Mat3>& jacobians, double regularisation) {
  const auto count = static_cast<Index>(jacobians.size());
  Conditioning found;
  found.smallest.resize(count);
  std::vector<double> largest(jacobians.size());
  parallelFor(count, 512, [&](Index v) {
    const Vec3 values = singularValues3(jacobians[toSize(v)]);
    largest[toSize(v)] = values[0];
    found.smallest[v] = values[2];
  });
  if (count > 0) {
    const auto middle = largest.begin() + count / 2;
    std::nth_element(largest.begin(), middle, largest.end());
    if (*middle > 0) found.scale = *middle;
  }
  found.smallest /= found.scale;
  found.singular.resize(jacobians.size());
  found.ridge.resize(count);
  for (Index v = 0; v < count; ++v) {
    const bool singular = found.smallest[v] < kSingularShare;
    found.singular[toSize(v)] = singular;
    found.ridge[v] = (singular ? std::max(regularisation, kSingularMu) : regularisation) * found.scale * found.scale;
  }
  return found;
}

}  // namespace sinew::invert
