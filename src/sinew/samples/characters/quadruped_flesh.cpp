// The quadruped's masses: a lean dog, 0.62 m at the withers.
#include "sinew/samples/characters/quadruped.h"

#include <array>

namespace sinew::body {
namespace {

Group trunk() {
  Group g{"trunk", -1, 0, {}};
  auto& p = g.primitives;
  p.push_back(ellipsoid({0, 0.500, 0.130}, {0.250, 0.108, 0.150}, {0, 0.05, 1}, kX, 0.06));       // ribs
  p.push_back(ellipsoid({0, 0.528, -0.110}, {0.210, 0.082, 0.098}, {0, 0.10, -1}, kX, 0.08));     // loin, tucked up
  p.push_back(ellipsoid({0, 0.545, -0.290}, {0.125, 0.088, 0.098}, kZ, kX, 0.06));                // croup
  p.push_back(ellipsoid({0, 0.468, 0.292}, {0.062, 0.062, 0.086}, kZ, kX, 0.07));                 // prow
  p.push_back(ellipsoid({0, 0.600, 0.190}, {0.110, 0.042, 0.045}, {0, 0.05, 1}, kX, 0.05));       // withers
  p.push_back(taperedCapsule({0, 0.600, -0.320}, {0, 0.605, 0.150}, 0.030, 0.032, 0.05));         // spine
  both(p, ellipsoid({0.058, 0.540, 0.198}, {0.112, 0.036, 0.062}, {-0.22, 1, -0.72}, kX, 0.06));  // shoulder blade
  both(p, ellipsoid({0.058, 0.520, -0.330}, {0.095, 0.050, 0.080}, {0.15, 1, 0.2}, kX, 0.04));    // rump
  return g;
}

Group quadrupedHead() {
  const QuadrupedLandmarks& q = kQuadruped;
  Group g{"head", 0, 0.06, {}};
  auto& p = g.primitives;
  p.push_back(flattenedCapsule({0, 0.555, 0.235}, q.head + Vec3(0, -0.015, -0.005), 0.104, 0.066, kX, 0.82, 1.0, 0.05));
  p.push_back(ellipsoid({0, 0.775, 0.452}, {0.082, 0.060, 0.058}, {0, -0.15, 1}, kX, 0.035));                // skull
  both(p, ellipsoid({0.034, 0.745, 0.455}, {0.055, 0.030, 0.042}, {0, -0.2, 1}, kX, 0.03));                  // cheek
  p.push_back(flattenedCapsule({0, 0.752, 0.505}, {0, 0.728, 0.628}, 0.042, 0.026, kX, 0.92, 1.0, 0.03));    // muzzle
  p.push_back(flattenedCapsule({0, 0.716, 0.480}, {0, 0.697, 0.600}, 0.025, 0.0175, kX, 1.0, 0.85, 0.014));  // jaw
  p.push_back(ellipsoid({0, 0.738, 0.652}, {0.013, 0.016, 0.013}, kZ, kX, 0.008));                           // nose
  both(p, ellipsoid({0.028, 0.797, 0.500}, {0.024, 0.015, 0.012}, {-0.2, -0.3, 1}, kX, 0.016));              // brow
  both(p, ellipsoid({0.034, 0.781, 0.512}, {0.011, 0.010, 0.010}, kX, kY, 0.004));                           // eye
  return g;
}

// An upright ear: a leaf, broad above its root, that opens forwards and to the side.
Group ear() {
  const QuadrupedLandmarks& q = kQuadruped;
  const Vec3 up = (q.earTip - q.ear).normalized();
  const Vec3 open = Vec3(0.50, 0.0, 0.87) - Vec3(0.50, 0.0, 0.87).dot(up) * up;
  const Vec3 face = open.normalized();
  const double height = (q.earTip - q.ear).norm();
  Group g{"ear_l", 1, 0.020, {}};
  auto& p = g.primitives;
  p.push_back(flattenedCapsule(q.ear - 0.012 * up, q.earTip, 0.0290, 0.0075, face, 0.44, 1.0, 0.010));
  p.push_back(ellipsoid(q.ear + 0.38 * height * up, {0.066, 0.0110, 0.0280}, up, face, 0.010));
  // The hollow, deepest near the root; the rim stands around it.
  p.push_back(carving(flattenedCapsule(q.ear + 0.020 * up + 0.0125 * face, q.ear + 0.78 * height * up + 0.0062 * face,
                                       0.0205, 0.0060, face, 0.62, 1.0, 0.006)));
  return g;
}

Group tail() {
  const QuadrupedLandmarks& q = kQuadruped;
  Group g{"tail", 0, 0.05, {}};
  const std::array<Vec3, 6> line{q.tail + Vec3(0, -0.005, 0.04),
                                 0.5 * (q.tail + q.tailMiddle) + Vec3(0, 0.009, 0),
                                 q.tailMiddle + Vec3(0, 0.004, 0),
                                 0.5 * (q.tailMiddle + q.tailLow) + Vec3(0, 0.003, 0),
                                 q.tailLow,
                                 q.tailTip};
  constexpr std::array<double, 6> kRadius{0.034, 0.033, 0.034, 0.035, 0.032, 0.011};
  for (std::size_t k = 0; k + 1 < line.size(); ++k) {
    g.primitives.push_back(taperedCapsule(line[k], line[k + 1], kRadius[k], kRadius[k + 1], 0.006));
  }
  return g;
}

void paw(std::vector<Primitive>& p, const Vec3& ankle, const Vec3& toe) {
  p.push_back(ellipsoid({ankle.x(), 0.030, 0.5 * (ankle.z() + toe.z()) + 0.004}, {0.038, 0.033, 0.028}, kZ, kX, 0.02));
  for (const double x : {-0.026, -0.0088, 0.0088, 0.026}) {
    const double back = std::abs(x) > 0.02 ? 0.014 : 0.0;
    p.push_back(taperedCapsule({toe.x() + 0.6 * x, 0.034, toe.z() - 0.034}, {toe.x() + x, 0.0155, toe.z() - back},
                               0.0170, 0.0145, 0.009));
  }
}

Group frontLeg() {
  const QuadrupedLandmarks& q = kQuadruped;
  const Vec3 upper = (q.elbow - q.shoulder).normalized();
  const Vec3 lower = (q.carpus - q.elbow).normalized();
  Group g{"front_l", 0, 0.08, {}};
  auto& p = g.primitives;
  p.push_back(taperedCapsule(q.shoulder, q.elbow, 0.046, 0.040, 0.03));
  p.push_back(ellipsoid(q.shoulder + 0.075 * upper + Vec3(0.006, 0.014, -0.038), {0.092, 0.038, 0.050}, upper, kX,
                        0.045));  // triceps
  p.push_back(ellipsoid(q.elbow + Vec3(0, 0.004, -0.024), {0.020, 0.020, 0.018}, 0.02));
  p.push_back(taperedCapsule(q.elbow, q.carpus, 0.039, 0.0235, 0.03));
  p.push_back(ellipsoid(q.elbow + 0.050 * lower + Vec3(0.004, 0, 0.006), {0.070, 0.034, 0.036}, lower, kX, 0.03));
  p.push_back(ellipsoid(q.carpus + Vec3(0, 0, 0.002), {0.027, 0.032, 0.026}, 0.02));
  p.push_back(taperedCapsule(q.carpus, q.frontPaw, 0.0235, 0.0240, 0.02));
  paw(p, q.frontPaw, q.frontToe);
  return g;
}

Group hindLeg() {
  const QuadrupedLandmarks& q = kQuadruped;
  const Vec3 thigh = (q.knee - q.hip).normalized();
  const Vec3 shin = (q.hock - q.knee).normalized();
  Group g{"hind_l", 0, 0.05, {}};
  auto& p = g.primitives;
  p.push_back(taperedCapsule(q.hip, q.knee, 0.070, 0.044, 0.03));
  p.push_back(
      ellipsoid(q.hip + Vec3(0.010, -0.085, -0.030), {0.130, 0.048, 0.078}, {0.08, -1, 0.12}, kX, 0.04));  // thigh
  p.push_back(
      ellipsoid(q.hip + 0.10 * thigh + Vec3(0.006, 0, 0.024), {0.095, 0.042, 0.042}, thigh, kX, 0.035));  // quadriceps
  p.push_back(ellipsoid(q.knee + Vec3(0, -0.002, 0.012), {0.034, 0.038, 0.032}, 0.03));
  p.push_back(taperedCapsule(q.knee, q.hock, 0.040, 0.0225, 0.03));
  p.push_back(
      ellipsoid(q.knee + 0.075 * shin + Vec3(0, -0.002, -0.018), {0.085, 0.030, 0.034}, shin, kX, 0.03));  // calf
  p.push_back(taperedCapsule(q.knee + 0.13 * shin + Vec3(0, 0.012, -0.018), q.hock + Vec3(0, 0.012, -0.026), 0.014,
                             0.0135, 0.02));
  p.push_back(ellipsoid(q.hock + Vec3(0, 0.004, -0.010), {0.024, 0.026, 0.027}, 0.02));
  p.push_back(taperedCapsule(q.hock, q.hindPaw, 0.0230, 0.0235, 0.02));
  paw(p, q.hindPaw, q.hindToe);
  return g;
}

}  // namespace

std::vector<Group> quadrupedFlesh() {
  std::vector<Group> groups{trunk(), quadrupedHead(), ear(), tail(), frontLeg(), hindLeg()};
  for (const int left : {2, 4, 5}) groups.push_back(mirrored(groups[toSize(left)]));
  return groups;
}

}  // namespace sinew::body
