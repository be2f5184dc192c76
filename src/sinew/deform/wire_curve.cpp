// Catmull and Rom 1974. The nearest point is a root of g(t) = (C(t) - p) . C'(t) where g rises; it is bracketed by the
// samples and found by Newton's method, with bisection where a step leaves the bracket or g falls.
#include "sinew/deform/wire_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

Index WireCurve::segmentAt(double t) const {
  return std::clamp<Index>(static_cast<Index>(std::floor(t)), 0, segments() - 1);
}

Vec3 WireCurve::at(double t) const {
  const Index s = segmentAt(t);
  const double x = t - static_cast<double>(s);
  const auto c = coefficients_.middleCols<4>(4 * s);
  return c.col(0) + x * (c.col(1) + x * (c.col(2) + x * c.col(3)));
}

Vec3 WireCurve::slope(double t) const {
  const Index s = segmentAt(t);
  const double x = t - static_cast<double>(s);
  const auto c = coefficients_.middleCols<4>(4 * s);
  return c.col(1) + x * (2 * c.col(2) + (3 * x) * c.col(3));
}

Vec3 WireCurve::curvature(double t) const {
  const Index s = segmentAt(t);
  const double x = t - static_cast<double>(s);
  const auto c = coefficients_.middleCols<4>(4 * s);
  return 2 * c.col(2) + (6 * x) * c.col(3);
}

void fitWireCurve(const ConstPointsRef& points, PointsRef coefficients) {
  const Index last = points.cols() - 1;
  for (Index s = 0; s < last; ++s) {
    const Vec3 p1 = points.col(s);
    const Vec3 p2 = points.col(s + 1);
    const Vec3 p0 = s > 0 ? Vec3(points.col(s - 1)) : Vec3(2 * p1 - p2);
    const Vec3 p3 = s + 2 <= last ? Vec3(points.col(s + 2)) : Vec3(2 * p2 - p1);
    coefficients.col(4 * s) = p1;
    coefficients.col(4 * s + 1) = 0.5 * (p2 - p0);
    coefficients.col(4 * s + 2) = p0 - 2.5 * p1 + 2 * p2 - 0.5 * p3;
    coefficients.col(4 * s + 3) = 1.5 * (p1 - p2) + 0.5 * (p3 - p0);
  }
}

double sampleWireCurve(const WireCurve& curve, PointsRef samples) {
  double fastest = 0;
  for (Index i = 0; i < samples.cols(); ++i) {
    const double t = static_cast<double>(i) / kWireSamples;
    samples.col(i) = curve.at(t);
  }
  for (Index s = 0; s < curve.segments(); ++s) {
    // The slope is a quadratic: it stays in the hull of its three Bezier points.
    const auto t = static_cast<double>(s);
    const Vec3 first = curve.slope(t);
    const Vec3 bend = curve.curvature(t);
    const Vec3 middle = first + 0.5 * bend;
    // Coefficient 3 is (p'(1) - p'(0) - p''(0)) / 3, taken from inside the segment because slope(t + 1) is the next's.
    const Vec3 end = 4 * curve.slope(t + 0.5) - first - 2 * middle;
    fastest = std::max({fastest, first.norm(), middle.norm(), end.norm()});
  }
  return fastest * 0.5 / kWireSamples;
}

namespace {

/// The root of g in (low, high) from `start`, where the distance falls towards the bracket's inside.
double refine(const WireCurve& curve, const Vec3& point, double low, double high, double start) {
  double t = start;
  for (int i = 0; i < 64 && high - low > 1e-15 * (1 + high); ++i) {
    const Vec3 offset = curve.at(t) - point;
    const Vec3 slope = curve.slope(t);
    const double g = offset.dot(slope);
    if (g == 0) break;
    (g > 0 ? high : low) = t;
    const double rise = slope.squaredNorm() + offset.dot(curve.curvature(t));
    double next = rise > 0 ? t - g / rise : low;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - t) < 1e-16 * (1 + t)) break;
    t = next;
  }
  return t;
}

}  // namespace

NearestOnCurve nearestOnCurve(const WireCurve& curve, const ConstPointsRef& samples, double stray, double reach,
                              const Vec3& point) {
  const Index last = samples.cols() - 1;
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i <= last; ++i) least = std::min(least, (samples.col(i) - point).squaredNorm());
  const double nearest = std::sqrt(least);
  NearestOnCurve best{0, nearest};
  if (nearest - stray > reach) return best;

  best.distance = std::numeric_limits<double>::infinity();
  const auto squared = [&](Index i) { return (samples.col(i) - point).squaredNorm(); };
  // A dip farther than this cannot hold the minimum: the curve comes at most `stray` nearer than its samples.
  const double cut = (nearest + stray) * (nearest + stray);
  for (Index i = 0; i <= last; ++i) {
    const double here = squared(i);
    if (here > cut || (i > 0 && squared(i - 1) < here) || (i < last && squared(i + 1) < here)) continue;
    const double t = static_cast<double>(i) / kWireSamples;
    const double step = 1.0 / kWireSamples;
    const double downhill = (curve.at(t) - point).dot(curve.slope(t));
    double found = t;
    if (downhill > 0 && i > 0) found = refine(curve, point, t - step, t, t - 0.5 * step);
    if (downhill < 0 && i < last) found = refine(curve, point, t, t + step, t + 0.5 * step);
    const double distance = (curve.at(found) - point).norm();
    if (distance < best.distance) best = {found, distance};
  }
  return best;
}

}  // namespace sinew
