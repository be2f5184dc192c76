#include "sinew/samples/arm_flesh.h"

#include <array>

namespace sinew::body {
namespace {

const Vec3 kX = Vec3::UnitX();
const Vec3 kZ = Vec3::UnitZ();

}  // namespace

ArmLandmarks armLandmarks(const Vec3& shoulder, const Vec3& upper, const Vec3& fore, const Vec3& hand) {
  ArmLandmarks arm;
  arm.shoulder = shoulder;
  arm.elbow = shoulder + 0.275 * upper.normalized();
  arm.wrist = arm.elbow + 0.251 * fore.normalized();
  const Vec3 along = hand.normalized();
  arm.knuckles = arm.wrist + 0.086 * along;
  arm.fingertips = arm.knuckles + 0.081 * along;
  arm.thumb = arm.wrist + 0.027 * along + 0.026 * kZ;
  arm.thumbTip = arm.wrist + 0.067 * along + 0.070 * kZ;
  return arm;
}

Group armGroup(const ArmLandmarks& arm, const std::string& name, int parent) {
  const Vec3 s = arm.shoulder;
  const Vec3 e = arm.elbow;
  const Vec3 w = arm.wrist;
  const Vec3 upper = (e - s).normalized();
  const Vec3 fore = (w - e).normalized();
  const Vec3 out = kZ.cross(upper);  // away from the body
  const Vec3 palm = -kZ.cross(fore);
  const Vec3 k = arm.knuckles;
  Group g{name, parent, 0.045, {}};
  auto& p = g.primitives;
  p.push_back(taperedCapsule(s, e, 0.047, 0.037, 0.02));
  p.push_back(ellipsoid(s + 0.030 * upper + 0.010 * out, {0.078, 0.052, 0.058}, upper, out, 0.03));  // deltoid
  p.push_back(ellipsoid(s + 0.160 * upper + 0.020 * kZ, {0.092, 0.036, 0.032}, upper, out, 0.02));   // biceps
  p.push_back(
      ellipsoid(s + 0.145 * upper - 0.020 * kZ + 0.004 * out, {0.098, 0.040, 0.034}, upper, out, 0.02));  // triceps
  p.push_back(ellipsoid(e, {0.034, 0.041, 0.034}, fore, out, 0.02));
  p.push_back(ellipsoid(e - 0.030 * kZ + 0.004 * fore, {0.022, 0.013, 0.012}, fore, out, 0.014));  // elbow
  p.push_back(flattenedCapsule(e, w, 0.036, 0.0275, palm, 0.80, 1.0, 0.02));
  p.push_back(ellipsoid(e + 0.075 * fore + 0.014 * kZ - 0.012 * palm, {0.088, 0.028, 0.030}, fore, palm, 0.02));
  p.push_back(ellipsoid(e + 0.080 * fore - 0.010 * kZ + 0.014 * palm, {0.092, 0.028, 0.032}, fore, palm, 0.02));
  // Palm: flat, broader at the knuckles; the ball of the thumb.
  const Vec3 hand = (k - w).normalized();
  const Vec3 side = -hand.cross(palm).normalized();  // to the thumb
  p.push_back(flattenedCapsule(w + 0.018 * hand, k - 0.012 * hand, 0.031, 0.041, palm, 0.44, 1.0, 0.022));
  p.push_back(ellipsoid(w + 0.038 * hand + 0.022 * side + 0.010 * palm, {0.036, 0.016, 0.018}, hand + 0.35 * side, palm,
                        0.014));
  p.push_back(ellipsoid(w + 0.045 * hand - 0.024 * side + 0.009 * palm, {0.036, 0.013, 0.015}, hand, palm, 0.014));
  return g;
}

Group fingersGroup(const ArmLandmarks& arm, const std::string& name, int parent) {
  const Vec3 k = arm.knuckles;
  const Vec3 hand = (arm.fingertips - k).normalized();
  const Vec3 palm = -(kZ.cross(hand)).normalized();
  const Vec3 side = -hand.cross(palm).normalized();
  Group g{name, parent, 0.010, {}};
  constexpr std::array<double, 4> kLength{0.072, 0.081, 0.075, 0.058};
  for (int f = 0; f < 4; ++f) {
    const Vec3 root = k + (0.0258 - 0.0170 * f) * side - (f == 3 ? 0.008 : 0.0) * hand;
    const Vec3 middle = root + 0.5 * kLength[f] * hand + 0.002 * palm;
    const Vec3 tip = root + kLength[f] * hand + 0.009 * palm;
    const double size = f == 3 ? 0.86 : 1.0;
    g.primitives.push_back(taperedCapsule(root - 0.016 * hand, middle, 0.0118 * size, 0.0110 * size, 0.005));
    g.primitives.push_back(taperedCapsule(middle, tip, 0.0110 * size, 0.0098 * size, 0.005));
  }
  return g;
}

Group thumbGroup(const ArmLandmarks& arm, const std::string& name, int parent) {
  Group g{name, parent, 0.014, {}};
  const Vec3 a = arm.thumb;
  const Vec3 b = arm.thumbTip;
  const Vec3 middle = 0.5 * (a + b) + 0.004 * (b - a).cross(kX).normalized();
  g.primitives.push_back(taperedCapsule(a, middle, 0.0150, 0.0122, 0.008));
  g.primitives.push_back(taperedCapsule(middle, b, 0.0120, 0.0095, 0.008));
  return g;
}

std::vector<Muscle> armMuscles(const ArmLandmarks& b, const std::string& suffix) {
  const std::string elbow = "forearm" + suffix;
  const std::string shoulder = "upper_arm" + suffix;
  const Vec3 upper = (b.elbow - b.shoulder).normalized();
  const Vec3 fore = (b.wrist - b.elbow).normalized();
  const Vec3 out = kZ.cross(upper);
  const auto onUpper = [&](double at, const Vec3& off) { return Vec3(b.shoulder + at * upper + off); };
  const auto onFore = [&](double at, const Vec3& off) { return Vec3(b.elbow + at * fore + off); };
  return {
      {elbow, kZ, onUpper(0.12, 0.03 * kZ), onUpper(0.19, 0.03 * kZ), 0.042, 0.024, kZ},
      {elbow, kZ, onUpper(0.10, -0.03 * kZ), onUpper(0.18, -0.03 * kZ), 0.045, -0.007, -kZ},
      {elbow, kZ, onFore(0.05, 0.02 * kZ), onFore(0.11, 0.015 * kZ), 0.036, 0.012, kZ},
      {elbow, kZ, onFore(0.0, -0.02 * kZ), onFore(0.0, 0.02 * kZ), 0.042, -0.009, Vec3::Zero()},
      {elbow, kZ, onFore(0.0, -0.036 * kZ), onFore(0.01, -0.04 * kZ), 0.020, 0.009, -kZ},
      {shoulder, out, onUpper(0.00, 0.03 * out), onUpper(0.06, 0.03 * out), 0.045, 0.018, out},
  };
}

}  // namespace sinew::body
