#include "sinew/deform/wire.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/deform/wire/curve.h"

namespace sinew::wire_test {
namespace {

const PosedJoints kNoJoints;

Points polyline(std::initializer_list<Vec3> points) {
  Points curve(3, static_cast<Index>(points.size()));
  Index i = 0;
  for (const Vec3& point : points) curve.col(i++) = point;
  return curve;
}

/// A line along x from -2 to 2, moved and turned by the driven curve.
Wire straight(const Vec3& from, const Vec3& to) {
  Wire wire;
  wire.reference = polyline({Vec3(-2, 0, 0), Vec3(2, 0, 0)});
  wire.driven = polyline({from, to});
  return wire;
}

Vec3 moved(std::vector<Wire> wires, const Vec3& point, double exponent = 1) {
  WireOptions options;
  options.wires = std::move(wires);
  options.exponent = exponent;
  return WireDeformer(options).deform(point, kNoJoints).col(0);
}

double falloff(double x) {
  return (1 - x * x) * (1 - x * x);
}

TEST(Wire, CarriesPointsAlongByTheirFalloff) {
  const Vec3 shift(0.3, 1, 0);
  const Wire wire = straight(Vec3(-2, 0, 0) + shift, Vec3(2, 0, 0) + shift);
  EXPECT_LE((moved({wire}, Vec3(0.5, 0, 0)) - Vec3(0.8, 1, 0)).norm(), 1e-14) << "on the curve: all the way";
  EXPECT_LE((moved({wire}, Vec3(0.5, 0, 0.5)) - Vec3(0.5, 0, 0.5) - falloff(0.5) * shift).norm(), 1e-14);
  const Vec3 beyond(0.5, 1.0001, 0);
  EXPECT_EQ(moved({wire}, beyond), beyond);
  const Vec3 pastTheEnd(2.6, 0, 0);
  EXPECT_LE((moved({wire}, pastTheEnd) - pastTheEnd - falloff(0.6) * shift).norm(), 1e-14);
}

TEST(Wire, DoesNothingWhereItsCurvesAreTheSame) {
  Wire wire;
  wire.reference = polyline({Vec3(-1, 0, 0), Vec3(0, 1, 0.3), Vec3(1, 0.2, 0), Vec3(2, 0, 1)});
  Lcg random(1);
  for (int i = 0; i < 200; ++i) {
    const Vec3 point = 1.5 * random.vector();
    EXPECT_EQ(moved({wire}, point), point);
  }
}

TEST(Wire, TurnsThePointsNearItAsItsTangentTurns) {
  // The driven curve runs along y through the same middle: a quarter turn about z.
  Wire wire = straight(Vec3(0, -2, 0), Vec3(0, 2, 0));
  wire.radius = 1e6;  // F = 1 nearly everywhere
  EXPECT_LE((moved({wire}, Vec3(0, 0.5, 0.25)) - Vec3(-0.5, 0, 0.25)).norm(), 1e-9);
  EXPECT_LE((moved({wire}, Vec3(1, 0.5, 0)) - Vec3(-0.5, 1, 0)).norm(), 1e-9);
  wire.rotation = 0;
  EXPECT_LE((moved({wire}, Vec3(1, 0.5, 0)) - Vec3(0, 1.5, 0)).norm(), 1e-9) << "carried, not turned";
}

TEST(Wire, TurnsByAPartOfTheAngleWhereItsInfluenceIsPart) {
  const Wire wire = straight(Vec3(0, -2, 0), Vec3(0, 2, 0));
  const double angle = falloff(0.5) * std::numbers::pi / 2;
  const Vec3 expected(-0.5 * std::sin(angle), 0.5 * std::cos(angle), 0);
  EXPECT_LE((moved({wire}, Vec3(0, 0.5, 0)) - expected).norm(), 1e-14);
}

TEST(Wire, ScalesTheDistanceFromTheCurve) {
  Wire wire = straight(Vec3(-2, 0, 0), Vec3(2, 0, 0));
  wire.scale = 3;
  const Vec3 point(0.3, 0.4, 0.3);
  const double factor = 1 + 2 * falloff(0.5);
  EXPECT_LE((moved({wire}, point) - Vec3(0.3, 0.4 * factor, 0.3 * factor)).norm(), 1e-14);
}

TEST(Wire, SharesAPointWithOthersByTheirInfluence) {
  const Wire up = straight(Vec3(-2, 1, 0), Vec3(2, 1, 0));
  Wire across;
  across.reference = polyline({Vec3(0, 0.6, -2), Vec3(0, 0.6, 2)});
  across.driven = polyline({Vec3(0.5, 0.6, -2), Vec3(0.5, 0.6, 2)});
  const Vec3 point(0, 0.2, 0);
  const double f1 = falloff(0.2);
  const double f2 = falloff(0.4);
  for (const double m : {1.0, 3.0}) {
    const Vec3 expected = point + (std::pow(f1, m) * f1 * Vec3(0, 1, 0) + std::pow(f2, m) * f2 * Vec3(0.5, 0, 0)) /
                                      (std::pow(f1, m) + std::pow(f2, m));
    EXPECT_LE((moved({up, across}, point, m) - expected).norm(), 1e-14);
    EXPECT_LE((moved({across, up}, point, m) - expected).norm(), 1e-14);
  }
  EXPECT_LE((moved({up, across}, point, 1e4) - point - f1 * Vec3(0, 1, 0)).norm(), 1e-12)
      << "a large exponent gives the point to the strongest, without underflow";
}

TEST(Wire, IsContinuousAcrossItsRadiusAndItsEnds) {
  Wire wire;
  wire.reference = polyline({Vec3(-1, 0, 0), Vec3(0, 0.4, 0.2), Vec3(1, 0, 0)});
  wire.driven = polyline({Vec3(-1, 0.5, 0), Vec3(0, 1, 0.2), Vec3(1.2, 0, 0.5)});
  Wire other = straight(Vec3(-2, 0, 1), Vec3(2, 0, 1));
  other.radius = 0.7;
  WireOptions options;
  options.wires = {wire, other};
  const WireDeformer deformer(options);
  // Up from below, past the ends and out at the top; the centre of curvature is far.
  Points line(3, 20001);
  for (const Vec3& from : {Vec3(0.1, -1.2, 0.05), Vec3(-2.5, 0.1, 0.3), Vec3(-2, -0.9, -0.8)}) {
    const Vec3 to = -from + Vec3(0.2, 0.1, 0.4);
    for (Index i = 0; i <= 20000; ++i) line.col(i) = from + (to - from) * (static_cast<double>(i) / 20000);
    const Points result = deformer.deform(line, kNoJoints);
    const double step = (to - from).norm() / 20000;
    EXPECT_LE((result.rightCols(20000) - result.leftCols(20000)).colwise().norm().maxCoeff(), 12 * step);
  }
}

TEST(Wire, FollowsItsJoints) {
  PosedJoints joints;
  joints.worldFromRest.assign(3, Affine::Identity());
  joints.worldFromRest[1].translation() = Vec3(0, 5, 0);
  joints.worldFromRest[2].translation() = Vec3(0, 6, 0);
  Wire wire;
  wire.reference = polyline({Vec3(-2, 0, 0), Vec3(2, 0, 0)});
  wire.referenceBindings = {1};
  wire.drivenBindings = {2, 2};
  WireOptions options;
  options.wires = {wire};
  EXPECT_LE((WireDeformer(options).deform(Vec3(0, 5, 0), joints).col(0) - Vec3(0, 6, 0)).norm(), 1e-14);
  // Before the skin the same is seen from joint 1: it lies 1 above.
  options.placement = {.space = PointSpace::Rest, .follow = 1};
  EXPECT_LE((WireDeformer(options).deform(Vec3(0, 0, 0), joints).col(0) - Vec3(0, 1, 0)).norm(), 1e-14);
}

std::string refusal(const WireOptions& options) {
  try {
    const WireDeformer deformer(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "it was accepted";
}

TEST(Wire, RefusesSettingsThatDoNotFit) {
  const Wire good = straight(Vec3(-2, 1, 0), Vec3(2, 1, 0));
  const auto with = [&](auto change) {
    WireOptions options;
    options.wires = {good, good};
    change(options.wires[1]);
    return refusal(options);
  };
  EXPECT_EQ(with([](Wire&) {}), "it was accepted");
  EXPECT_EQ(with([](Wire& w) { w.reference.resize(3, 1); }),
            "wire: the reference of wire 1 has 1 points; a curve needs at least 2");
  EXPECT_EQ(with([](Wire& w) { w.driven = Points::Zero(3, 5); }),
            "wire: the curves of wire 1 have 2 and 5 points; both must have the same number");
  EXPECT_EQ(with([](Wire& w) { w.radius = 0; }), "wire: the radius of wire 1 is 0; it must be above 0");
  EXPECT_EQ(
      with([](Wire& w) {
        w.drivenBindings = {0, 1, 2};
      }),
      "wire: the driven curve of wire 1 binds 3 of 2 points; give no joint, one for all points, or one per point");
  EXPECT_EQ(with([](Wire& w) { w.drivenBindings = {0}; }),
            "wire: one curve of wire 1 follows joints and the other does not move; let both follow joints, or let the "
            "whole wire follow a joint");
  EXPECT_NE(with([](Wire& w) { w.driven(0, 0) = std::nan(""); }), "it was accepted");
  EXPECT_NE(with([](Wire& w) { w.scale = std::nan(""); }), "it was accepted");
  EXPECT_EQ(refusal({.exponent = 0}), "wire: the exponent is 0; it must be above 0");
  WireOptions before;
  before.wires = {good};
  before.wires[0].referenceBindings = before.wires[0].drivenBindings = {0};
  before.placement.space = PointSpace::Rest;
  EXPECT_EQ(refusal(before),
            "wire: wire 0 is applied before the skin and its curves follow joints; set 'follow' to the joint whose "
            "frame it uses");
}

TEST(Wire, RefusesAJointThatIsMissing) {
  Wire wire = straight(Vec3(-2, 1, 0), Vec3(2, 1, 0));
  wire.referenceBindings = wire.drivenBindings = {4};
  WireOptions options;
  options.wires = {wire};
  EXPECT_THROW((void)WireDeformer(options).deform(Vec3::Zero(), kNoJoints), Error);
}

/// A curve with its memory.
struct TestCurve {
  explicit TestCurve(const Points& points)
      : memory(3, wire::coefficientColumns(points.cols())), samples(3, wire::sampleColumns(points.cols())) {
    wire::fitWireCurve(points, memory);
    stray = wire::sampleWireCurve(curve(), samples);
  }
  wire::WireCurve curve() { return wire::WireCurve(Eigen::Map<Points>(memory.data(), 3, memory.cols())); }
  wire::NearestOnCurve nearest(const Vec3& point, double reach = 100) {
    return wire::nearestOnCurve(curve(), samples, stray, reach, point);
  }

  Points memory;
  Points samples;
  double stray = 0;
};

TEST(WireCurve, PassesThroughItsPointsWithAContinuousSlope) {
  const Points points = polyline({Vec3(0, 0, 0), Vec3(1, 2, 0), Vec3(3, 1, 1), Vec3(4, 4, 2), Vec3(4, 5, 0)});
  TestCurve curve(points);
  for (Index i = 0; i < points.cols(); ++i) {
    EXPECT_LE((curve.curve().at(static_cast<double>(i)).point - points.col(i)).norm(), 1e-14);
  }
  for (Index i = 1; i + 1 < points.cols(); ++i) {
    const auto t = static_cast<double>(i);
    const Vec3 expected = 0.5 * (points.col(i + 1) - points.col(i - 1));
    EXPECT_LE((curve.curve().at(t).slope - expected).norm(), 1e-14);
    EXPECT_LE((curve.curve().at(t - 1e-12).slope - expected).norm(), 1e-10);
  }
}

TEST(WireCurve, DerivativesAgreeWithFiniteDifferences) {
  TestCurve curve(polyline({Vec3(0, 0, 0), Vec3(1, 2, 0), Vec3(3, 1, 1), Vec3(4, 4, 2)}));
  const double h = 1e-5;
  for (double t = 0.05; t < 3; t += 0.1) {
    const wire::WireCurve::Jet here = curve.curve().at(t);
    const Vec3 ahead = curve.curve().at(t + h).point;
    const Vec3 behind = curve.curve().at(t - h).point;
    EXPECT_LE((here.slope - (ahead - behind) / (2 * h)).norm(), 1e-8);
    EXPECT_LE((here.curvature - (ahead - 2 * here.point + behind) / (h * h)).norm(), 1e-4);
  }
}

TEST(WireCurve, FindsTheNearestPointThatADenseSearchFinds) {
  // A bent, nearly closed curve with a doubled control point: several dips, slopes that vanish.
  TestCurve curve(polyline(
      {Vec3(1, 0, 0), Vec3(0, 1, 0.2), Vec3(-1, 0, 0), Vec3(-1, 0, 0), Vec3(0, -1, -0.3), Vec3(0.9, -0.2, 0.1)}));
  Lcg random(12);
  for (int trial = 0; trial < 150; ++trial) {
    const Vec3 point = 1.5 * random.vector();
    double dense = 1e9;
    for (int i = 0; i <= 4000; ++i) dense = std::min(dense, (curve.curve().at(5.0 * i / 4000).point - point).norm());
    const wire::NearestOnCurve found = curve.nearest(point);
    ASSERT_LE(found.distance, dense + 1e-12);
    ASSERT_GE(found.distance, dense - 2e-3);
    ASSERT_NEAR((curve.curve().at(found.t).point - point).norm(), found.distance, 1e-15);
    const wire::WireCurve::Jet jet = curve.curve().at(found.t);
    if (found.t > 0 && found.t < 5) {
      ASSERT_NEAR((jet.point - point).dot(jet.slope), 0, 1e-10);
    }
  }
}

TEST(WireCurve, SaysFarOnlyWhereTheCurveIsBeyondReach) {
  TestCurve curve(polyline({Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(4, 4, 0)}));
  Lcg random(3);
  for (int trial = 0; trial < 500; ++trial) {
    const Vec3 point = 6 * random.vector();
    const double distance = curve.nearest(point).distance;
    const double limited = curve.nearest(point, 1.0).distance;
    if (distance < 1) {
      ASSERT_EQ(limited, distance);
    } else {
      ASSERT_GE(limited, 1);
    }
  }
}

}  // namespace
}  // namespace sinew::wire_test
