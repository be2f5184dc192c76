// The biped's masses: an adult of eight heads, 1.80 m tall, in an A-pose, facing +z, standing on y = 0. Left is +x.
#include "sinew/samples/characters/biped.h"
#include "sinew/samples/characters/torso_flesh.h"

namespace sinew::body {
namespace {

Group bipedHead() {
  Group g{"head", 0, 0.035, {}};
  auto& p = g.primitives;
  p.push_back(taperedCapsule({0, 1.470, -0.034}, {0, 1.610, -0.008}, 0.060, 0.052, 0.03));
  both(p, taperedCapsule({0.022, 1.482, 0.022}, {0.056, 1.632, -0.022}, 0.013, 0.014, 0.02));   // neck strap
  p.push_back(ellipsoid({0, 1.706, -0.014}, {0.074, 0.094, 0.094}, 0.03));                      // skull
  p.push_back(ellipsoid({0, 1.655, 0.026}, {0.060, 0.082, 0.066}, 0.03));                       // face
  both(p, taperedCapsule({0.050, 1.632, -0.002}, {0.014, 1.592, 0.070}, 0.015, 0.014, 0.025));  // jaw
  p.push_back(ellipsoid({0, 1.589, 0.076}, {0.020, 0.015, 0.014}, 0.015));                      // chin
  both(p, taperedCapsule({0.012, 1.712, 0.079}, {0.040, 1.711, 0.064}, 0.011, 0.010, 0.020));   // brow
  both(p, ellipsoid({0.042, 1.668, 0.054}, {0.026, 0.018, 0.018}, 0.030));                      // cheek bone
  p.push_back(taperedCapsule({0, 1.706, 0.080}, {0, 1.666, 0.099}, 0.0090, 0.0128, 0.012));     // nose
  both(p, ellipsoid({0.011, 1.662, 0.091}, {0.0095, 0.0085, 0.013}, 0.008));                    // wings of the nose
  p.push_back(ellipsoid({0, 1.631, 0.077}, {0.030, 0.018, 0.016}, 0.014));                      // mouth
  p.push_back(ellipsoid({0, 1.6372, 0.0885}, {0.022, 0.0062, 0.0088}, 0.005));                  // lips
  p.push_back(ellipsoid({0, 1.6250, 0.0865}, {0.019, 0.0068, 0.0088}, 0.005));
  both(p, ellipsoid({0.031, 1.694, 0.064}, {0.014, 0.011, 0.014}, 0.008));                                    // eye
  both(p, ellipsoid({0.073, 1.676, -0.008}, {0.032, 0.0115, 0.019}, {0.05, 1, -0.2}, {1, 0, -0.35}, 0.010));  // ear
  return g;
}

Group leg() {
  const Vec3 h = kBiped.hip;
  const Vec3 k = kBiped.knee;
  const Vec3 a = kBiped.ankle;
  const Vec3 ball = kBiped.ball;
  const Vec3 toe = kBiped.toe;
  const Vec3 thigh = (k - h).normalized();
  const Vec3 shin = (a - k).normalized();
  Group g{"leg_l", 0, 0.045, {}};
  auto& p = g.primitives;
  p.push_back(taperedCapsule(h + 0.02 * thigh, k, 0.080, 0.048, 0.03));
  p.push_back(ellipsoid(h + 0.185 * thigh + Vec3(0.004, 0, 0.030), {0.170, 0.064, 0.052}, thigh, kX, 0.03));  // rectus
  p.push_back(
      ellipsoid(h + 0.070 * thigh + Vec3(0.040, 0, -0.006), {0.120, 0.040, 0.060}, thigh, kX, 0.04));  // outer hip
  p.push_back(ellipsoid(h + 0.235 * thigh + Vec3(0.036, 0, 0.012), {0.150, 0.038, 0.050}, thigh, kX, 0.03));  // vastus
  p.push_back(
      ellipsoid(h + 0.335 * thigh + Vec3(-0.028, 0, 0.020), {0.070, 0.030, 0.034}, thigh, kX, 0.025));  // teardrop
  p.push_back(
      ellipsoid(h + 0.210 * thigh + Vec3(0.0, 0, -0.034), {0.175, 0.056, 0.046}, thigh, kX, 0.03));  // hamstrings
  p.push_back(
      ellipsoid(h + 0.110 * thigh + Vec3(-0.026, 0, -0.004), {0.125, 0.052, 0.060}, thigh, kX, 0.03));  // adductors
  // Knee: condyles and the cap.
  p.push_back(ellipsoid(k + Vec3(0, -0.004, -0.002), {0.052, 0.049, 0.046}, thigh, kX, 0.03));
  p.push_back(ellipsoid(k + Vec3(0, 0.006, 0.036), {0.028, 0.024, 0.017}, thigh, kX, 0.02));
  // Shin: the bone in front, two heads of the calf behind, thin above the ankle.
  p.push_back(taperedCapsule(k, a + Vec3(0, 0.03, 0), 0.045, 0.031, 0.03));
  p.push_back(ellipsoid(k + 0.115 * shin + Vec3(-0.020, 0, -0.026), {0.112, 0.034, 0.036}, shin, kX, 0.025));
  p.push_back(ellipsoid(k + 0.105 * shin + Vec3(0.020, 0, -0.024), {0.100, 0.032, 0.034}, shin, kX, 0.025));
  p.push_back(ellipsoid(k + 0.130 * shin + Vec3(0.008, 0, 0.014), {0.140, 0.032, 0.030}, shin, kX, 0.025));
  p.push_back(taperedCapsule(k + 0.22 * shin + Vec3(0, 0, -0.030), a + Vec3(0, -0.010, -0.036), 0.017, 0.014, 0.025));
  both(p, ellipsoid(a + Vec3(0.027, 0.004, 0.002), {0.013, 0.016, 0.015}, 0.015));  // outer and (below) inner ankle
  p.pop_back();
  p.push_back(ellipsoid(a + Vec3(-0.027, 0.012, 0.004), {0.013, 0.016, 0.015}, 0.015));
  // Foot: heel, instep, outer edge, ball, toes.
  const Vec3 heel(a.x(), 0.034, a.z() - 0.032);
  p.push_back(taperedCapsule(a + Vec3(0, -0.005, 0), heel, 0.034, 0.0335, 0.03));
  p.push_back(ellipsoid({a.x(), 0.020, a.z() - 0.030}, {0.034, 0.0195, 0.036}, 0.015));
  p.push_back(
      flattenedCapsule(a + Vec3(0, -0.012, 0.012), ball + Vec3(-0.004, 0.012, 0), 0.036, 0.026, kX, 1.0, 0.85, 0.03));
  p.push_back(taperedCapsule({heel.x() + 0.012, 0.019, heel.z()}, {ball.x() + 0.026, 0.017, ball.z() - 0.010}, 0.019,
                             0.0165, 0.02));
  p.push_back(ellipsoid({a.x() + 0.012, 0.026, 0.5 * (a.z() + ball.z())}, {0.026, 0.022, 0.075}, 0.02));
  p.push_back(ellipsoid(ball + Vec3(0.002, -0.004, 0), {0.049, 0.0205, 0.036}, 0.018));
  p.push_back(
      taperedCapsule(ball + Vec3(-0.026, -0.004, 0.006), toe + Vec3(-0.022, 0.000, -0.004), 0.018, 0.0150, 0.010));
  for (int t = 1; t < 5; ++t) {
    const double x = -0.024 + 0.0168 * t + 0.004;
    const Vec3 tip = toe + Vec3(x, -0.003, -0.004 - 0.0085 * t);
    p.push_back(taperedCapsule(ball + Vec3(x - 0.002, -0.006, 0.004 - 0.002 * t), tip, 0.0120, 0.0102, 0.008));
  }
  return g;
}

}  // namespace

std::vector<Group> bipedFlesh() {
  std::vector<Group> groups{torsoGroup(Vec3::Zero()), bipedHead(), leg(), armGroup(kBiped.arm, "arm_l", 0)};
  const std::size_t firstOfSides = 2;
  const int arm = 3;
  for (const Group& finger : fingerGroups(kBiped.arm, "_l", arm)) groups.push_back(finger);
  groups.push_back(thumbGroup(kBiped.arm, "thumb_l", arm));
  // The right side; children name their mirrored parent.
  const std::size_t left = groups.size();
  for (std::size_t g = firstOfSides; g < left; ++g) {
    Group right = mirrored(groups[g]);
    if (right.parent >= static_cast<int>(firstOfSides)) right.parent += static_cast<int>(left - firstOfSides);
    groups.push_back(right);
  }
  return groups;
}

}  // namespace sinew::body
