// Catmull and Rom 1974. The nearest point is a root of g(t) = (C(t) - p) . C'(t) where g rises; it is bracketed by the
// samples and found by Newton's method, with bisection where a step leaves the bracket or g falls.
#include "sinew/deform/wire/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew::wire {

WireCurve::Jet WireCurve::at(double t) const {
  // Parameters are not negative, so the cast rounds down.
  const Index segment = std::min(static_cast<Index>(t), segments_ - 1);
  const double x = t - static_cast<double>(segment);
  const double* c = coefficients_ + 12 * segment;
  Jet jet;
  for (Index axis = 0; axis < 3; ++axis) {
    const double c0 = c[axis];
    const double c1 = c[3 + axis];
    const double c2 = c[6 + axis];
    const double c3 = c[9 + axis];
    jet.point[axis] = c0 + x * (c1 + x * (c2 + x * c3));
    jet.slope[axis] = c1 + x * (2 * c2 + 3 * x * c3);
    jet.curvature[axis] = 2 * c2 + 6 * x * c3;
  }
  return jet;
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
  for (Index i = 0; i < samples.cols(); ++i) samples.col(i) = curve.at(static_cast<double>(i) / kWireSamples).point;
  double fastest = 0;
  for (Index s = 0; s < curve.segments(); ++s) {
    // The slope is a quadratic: it stays in the hull of its three Bezier points, which follow from two of its values.
    // The second is taken in the middle, because the end belongs to the next segment.
    const WireCurve::Jet start = curve.at(static_cast<double>(s));
    const Vec3 middle = start.slope + 0.5 * start.curvature;
    const Vec3 end = 4 * curve.at(static_cast<double>(s) + 0.5).slope - start.slope - 2 * middle;
    fastest = std::max({fastest, start.slope.norm(), middle.norm(), end.norm()});
  }
  return fastest * 0.5 / kWireSamples;
}

namespace {

/// The root of g in (low, high), whose one end is a sampled dip that falls towards the other.
double refine(const WireCurve& curve, const Vec3& point, double low, double high) {
  double t = 0.5 * (low + high);
  const double rounding = 4e-16 * (1 + high);
  for (int i = 0; i < 64 && high - low > rounding; ++i) {
    const WireCurve::Jet jet = curve.at(t);
    const Vec3 offset = jet.point - point;
    const double g = offset.dot(jet.slope);
    const double rise = jet.slope.squaredNorm() + offset.dot(jet.curvature);
    // Converged: the step is below rounding. Tested before the bracket, whose end t becomes.
    if (std::abs(g) <= rounding * rise) break;
    (g > 0 ? high : low) = t;
    t = rise > 0 ? t - g / rise : low;
    if (!(t > low && t < high)) t = 0.5 * (low + high);
  }
  return t;
}

}  // namespace

NearestOnCurve nearestOnCurve(const WireCurve& curve, const ConstPointsRef& samples, double stray, double reach,
                              const Vec3& point) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  constexpr double kStep = 1.0 / kWireSamples;
  const Index last = samples.cols() - 1;
  const auto squared = [&](Index i) { return (samples.col(i) - point).squaredNorm(); };

  NearestOnCurve best{0, kFar};
  // A local minimum farther than this cannot be the global one: the curve is at most `stray` nearer than its samples.
  double cut = (reach + stray) * (reach + stray);
  double before = kFar;
  double here = squared(0);
  for (Index i = 0; i <= last; ++i) {
    const double after = i < last ? squared(i + 1) : kFar;
    if (here <= cut && here <= before && here <= after) {
      const double t = static_cast<double>(i) * kStep;
      const WireCurve::Jet jet = curve.at(t);
      const double uphill = (jet.point - point).dot(jet.slope);
      double found = t;
      if (uphill > 0 && i > 0) found = refine(curve, point, t - kStep, t);
      if (uphill < 0 && i < last) found = refine(curve, point, t, t + kStep);
      const double distance = (curve.at(found).point - point).norm();
      if (distance < best.distance) best = {found, distance};
      cut = std::min(cut, (distance + stray) * (distance + stray));
    }
    before = here;
    here = after;
  }
  return best;
}

}  // namespace sinew::wire
