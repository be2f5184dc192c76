// Curves of wires: Catmull-Rom splines through control points, and the nearest point on them. Only wire.cpp and its
// tests look in here.
#pragma once

#include "sinew/base/types.h"

namespace sinew::wire {

/// A view of a curve through n points: segment s holds columns 4 s .. 4 s + 3, its coefficients of 1, x, x^2, x^3 for
/// x in [0, 1]. The parameter t runs from 0 to n - 1 and is i at control point i.
class WireCurve {
 public:
  /// `coefficients` must outlive the view and be contiguous.
  explicit WireCurve(const Eigen::Map<Points>& coefficients)
      : coefficients_(coefficients.data()), segments_(coefficients.cols() / 4) {}

  struct Jet {
    Vec3 point;
    Vec3 slope;      ///< first derivative by t
    Vec3 curvature;  ///< second derivative by t
  };

  [[nodiscard]] Index segments() const { return segments_; }
  [[nodiscard]] Jet at(double t) const;

 private:
  const double* coefficients_;
  Index segments_;
};

/// Columns that a curve through `points` points takes.
constexpr Index coefficientColumns(Index points) {
  return 4 * (points - 1);
}

/// Samples that nearestOnCurve starts from: kWireSamples per segment, and the end.
constexpr Index kWireSamples = 16;
constexpr Index sampleColumns(Index points) {
  return kWireSamples * (points - 1) + 1;
}

/// The uniform Catmull-Rom spline through at least two points; its ends run straight on (the neighbours beyond them are
/// mirror images), so two points give a line of constant speed.
void fitWireCurve(const ConstPointsRef& points, PointsRef coefficients);

/// Fills the samples and returns how far the curve may stray from the nearest of them.
double sampleWireCurve(const WireCurve& curve, PointsRef samples);

struct NearestOnCurve {
  double t = 0;
  double distance = 0;
};

/// The global minimum of the distance: every dip of the sampled distance is refined to rounding. Continuous but for
/// points with two nearest ones. An infinite distance means: surely farther than `reach`. `stray` comes from
/// sampleWireCurve.
NearestOnCurve nearestOnCurve(const WireCurve& curve, const ConstPointsRef& samples, double stray, double reach,
                              const Vec3& point);

}  // namespace sinew::wire
