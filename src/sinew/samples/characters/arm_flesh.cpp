#include "sinew/samples/characters/arm_flesh.h"

#include <array>

namespace sinew::body {
namespace {

// Along the hand, out of the palm, towards the thumb.
struct HandFrame {
  explicit HandFrame(const ArmLandmarks& arm)
      : wrist(arm.wrist),
        knuckles(arm.knuckles),
        along((arm.knuckles - arm.wrist).normalized()),
        palm(-kZ.cross(along).normalized()),
        side(palm.cross(along)) {}

  [[nodiscard]] Vec3 knuckle(const struct Finger& finger) const;

  Vec3 wrist, knuckles, along, palm, side;
};

// Fingers are slightly spread: the gap between two is about 4 mm at the root and 10 mm at the tips, so a mesh of a few
// thousand vertices still separates them.
struct Finger {
  std::string name;
  double across;  ///< of its knuckle, towards the thumb, metres
  double back;    ///< of its knuckle behind the line of knuckles
  double fan;     ///< slope towards the thumb
  double length;
  double radius;
};
const std::array<Finger, 4> kFingers{{{"index", 0.0306, 0.004, 0.075, 0.074, 0.0081},
                                      {"middle", 0.0102, 0.000, 0.010, 0.083, 0.0083},
                                      {"ring", -0.0102, 0.004, -0.060, 0.077, 0.0080},
                                      {"little", -0.0296, 0.012, -0.140, 0.062, 0.0070}}};

Vec3 HandFrame::knuckle(const Finger& finger) const {
  return knuckles + finger.across * side - finger.back * along;
}

// Palm: the bones of the hand fan out from the wrist to the knuckles; pads of the thumb and the little finger.
void addPalm(std::vector<Primitive>& p, const ArmLandmarks& arm) {
  const HandFrame h(arm);
  for (const Finger& finger : kFingers) {
    const Vec3 start = h.wrist + 0.008 * h.along + 0.45 * finger.across * h.side;
    p.push_back(flattenedCapsule(start, h.knuckle(finger), 0.0150, 0.0128, h.palm, 0.86, 1.0, 0.014));
  }
  p.push_back(ellipsoid(h.wrist + 0.045 * h.along + 0.004 * h.palm, {0.050, 0.0125, 0.032}, h.along, h.palm, 0.014));
  p.push_back(ellipsoid(h.wrist + 0.036 * h.along + 0.024 * h.side + 0.009 * h.palm, {0.038, 0.0155, 0.018},
                        h.along + 0.45 * h.side, h.palm, 0.014));
  p.push_back(ellipsoid(h.wrist + 0.042 * h.along - 0.024 * h.side + 0.008 * h.palm, {0.036, 0.0125, 0.014}, h.along,
                        h.palm, 0.014));
}

}  // namespace

ArmLandmarks armLandmarks(const Vec3& shoulder, const Vec3& upper, const Vec3& fore, const Vec3& hand) {
  ArmLandmarks arm;
  arm.shoulder = shoulder;
  arm.elbow = shoulder + 0.275 * upper.normalized();
  arm.wrist = arm.elbow + 0.251 * fore.normalized();
  const Vec3 along = hand.normalized();
  arm.knuckles = arm.wrist + 0.086 * along;
  arm.fingertips = arm.knuckles + 0.081 * along;
  const HandFrame h(arm);
  arm.thumb = arm.wrist + 0.026 * h.along + 0.026 * h.side + 0.008 * h.palm;
  arm.thumbTip = arm.wrist + 0.079 * h.along + 0.070 * h.side + 0.020 * h.palm;
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
  addPalm(p, arm);
  return g;
}

std::vector<Group> fingerGroups(const ArmLandmarks& arm, const std::string& suffix, int parent) {
  const HandFrame h(arm);
  std::vector<Group> groups;
  for (const Finger& finger : kFingers) {
    const Vec3 root = h.knuckle(finger);
    const Vec3 along = (h.along + finger.fan * h.side).normalized();
    const Vec3 first = root + 0.46 * finger.length * along + 0.001 * h.palm;
    const Vec3 second = root + 0.76 * finger.length * along + 0.006 * h.palm;
    const Vec3 tip = root + finger.length * along + 0.014 * h.palm;
    const double r = finger.radius;
    Group g{finger.name + suffix, parent, 0.008, {}};
    g.primitives.push_back(taperedCapsule(root - 0.010 * along, first, 1.06 * r, 0.98 * r, 0.005));
    g.primitives.push_back(taperedCapsule(first, second, 0.98 * r, 0.90 * r, 0.005));
    g.primitives.push_back(taperedCapsule(second, tip, 0.90 * r, 0.74 * r, 0.005));
    groups.push_back(g);
  }
  return groups;
}

Group thumbGroup(const ArmLandmarks& arm, const std::string& name, int parent) {
  const HandFrame h(arm);
  const Vec3 a = arm.thumb;
  const Vec3 b = arm.thumbTip;
  // The knuckle points to the side, the last bone turns back along the hand.
  const Vec3 knuckle = a + 0.48 * (b - a) + 0.004 * h.side;
  const Vec3 last = a + 0.80 * (b - a) + 0.004 * h.side;
  Group g{name, parent, 0.012, {}};
  g.primitives.push_back(taperedCapsule(a, knuckle, 0.0135, 0.0112, 0.008));
  g.primitives.push_back(taperedCapsule(knuckle, last, 0.0112, 0.0104, 0.006));
  g.primitives.push_back(taperedCapsule(last, b, 0.0104, 0.0078, 0.006));
  return g;
}

FineZone handZone(const ArmLandmarks& arm) {
  const Vec3 along = arm.fingertips - arm.wrist;
  return {arm.wrist - 0.25 * along, along, kX, 0.10, 0.40};
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
