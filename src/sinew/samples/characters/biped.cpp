// `biped`: an adult with 25 joints. Joint frames have x along the bone and z as the hinge: a rotation about +z is the
// natural bend of elbows, knees, hips and spine.
#include "sinew/samples/characters/biped.h"

#include "sinew/samples/body/build.h"

namespace sinew::body {
namespace {

std::vector<JointSpec> bipedTrunk() {
  std::vector<JointSpec> rows{
      joint("hips", "", {0, 0.950, 0}, {0, 1.050, 0}, kZ, "torso", 0.08),
      joint("spine", "hips", {0, 1.060, -0.010}, {0, 1.205, -0.012}, kZ, "torso", 0.075),
      joint("chest", "spine", {0, 1.205, -0.012}, {0, 1.470, -0.024}, kZ, "torso", 0.085),
      joint("neck", "chest", {0, 1.505, -0.026}, {0, 1.600, -0.006}, kZ, "head", 0.035),
      joint("head", "neck", {0, 1.608, -0.004}, {0, 1.780, 0.004}, kZ, "head", 0.032),
  };
  rows[3].gate = "head";
  rows[3].gateWidth = 0.035;
  return rows;
}

std::vector<JointSpec> armJoints() {
  const BipedLandmarks& b = kBiped;
  std::vector<JointSpec> rows{
      joint("clavicle_l", "chest", {0.022, 1.462, 0.020}, b.arm.shoulder, kY, "torso", 0.05),
      joint("upper_arm_l", "clavicle_l", b.arm.shoulder, b.arm.elbow, kZ, "upper_arm_l", 0.06),
      joint("forearm_l", "upper_arm_l", b.arm.elbow, b.arm.wrist, kZ, "forearm_l", 0.060),
      joint("hand_l", "forearm_l", b.arm.wrist, b.arm.knuckles, {-1, -1, 0}, "hand_l", 0.030),
      joint("fingers_l", "hand_l", b.arm.knuckles, b.arm.fingertips, {-1, -1, 0}, "hand_l", 0.016),
      joint("thumb_l", "hand_l", b.arm.thumb, b.arm.thumbTip, {0.3, -1, 0}, "hand_l", 0.014),
  };
  rows[0].planes = {{{0.075, 1.44, 0}, kX, 0.065}, {{0.10, 1.385, 0}, {0.25, 1, 0}, 0.065}};
  rows[1].planes = {{b.arm.shoulder + Vec3(-0.004, 0.004, 0), b.arm.elbow - b.arm.shoulder + Vec3(0.08, 0, 0), 0.100}};
  rows[1].gate = "arm_l";
  rows[1].gateWidth = 0.065;
  rows[1].spreadTwist = true;
  rows[2].spreadTwist = true;
  rows[5].gate = "thumb_l";
  rows[5].gateWidth = 0.012;
  return rows;
}

std::vector<JointSpec> legJoints() {
  const BipedLandmarks& b = kBiped;
  std::vector<JointSpec> rows{
      joint("thigh_l", "hips", b.hip, b.knee, kZ, "thigh_l", 0.09),
      joint("shin_l", "thigh_l", b.knee, b.ankle, -kZ, "shin_l", 0.065),
      joint("foot_l", "shin_l", b.ankle, b.ball, kY, "foot_l", 0.040),
      joint("toes_l", "foot_l", b.ball, b.toe, kY, "foot_l", 0.024),
  };
  rows[0].planes = {{b.hip + Vec3(0, -0.012, 0), {0.30, -1, 0.10}, 0.105}, {{0, 0.9, 0}, kX, 0.020}};
  rows[0].gate = "leg_l";
  rows[0].gateWidth = 0.070;
  rows[0].spreadTwist = true;
  rows[2].planes = {{b.ankle, {0, -1, 0.30}, 0.040}};
  return rows;
}

std::vector<Muscle> bipedLeftMuscles() {
  const BipedLandmarks& b = kBiped;
  const Vec3 out = kZ.cross(b.arm.elbow - b.arm.shoulder).normalized();
  const Vec3 thigh = (b.knee - b.hip).normalized();
  const Vec3 shin = (b.ankle - b.knee).normalized();
  const Vec3 none = Vec3::Zero();
  const auto on = [](const Vec3& head, const Vec3& along, double at, const Vec3& off) {
    return Vec3(head + at * along + off);
  };
  std::vector<Muscle> muscles = armMuscles(b.arm, "_l");
  const std::vector<Muscle> others{
      // Shoulder: the trapezius rises with the arm, the pectoral with a forward reach, the latissimus when it is drawn
      // in.
      {"upper_arm_l", out, {0.09, 1.495, -0.04}, {0.14, 1.480, -0.03}, 0.040, 0.022, kY},
      {"upper_arm_l", kZ, {0.06, 1.345, 0.09}, {0.11, 1.360, 0.07}, 0.050, 0.026, kZ},
      {"upper_arm_l", -out, {0.10, 1.25, -0.09}, {0.13, 1.32, -0.08}, 0.050, 0.016, -kZ},
      // Hip: the glute stretches in a squat and gathers in a stride, the front of the thigh rises.
      {"thigh_l", kZ, {0.08, 0.93, -0.12}, {0.09, 0.89, -0.11}, 0.070, 0.012, -kZ},
      {"thigh_l", -kZ, {0.08, 0.95, -0.12}, {0.08, 0.92, -0.13}, 0.055, 0.030, -kZ},
      {"thigh_l", kZ, on(b.hip, thigh, 0.12, 0.06 * kZ), on(b.hip, thigh, 0.20, 0.06 * kZ), 0.060, 0.014, kZ},
      // Knee: hamstrings gather, the calf is pushed out, the cap stands forward.
      {"shin_l", -kZ, on(b.hip, thigh, 0.18, -0.07 * kZ), on(b.hip, thigh, 0.28, -0.065 * kZ), 0.055, 0.020, -kZ},
      {"shin_l", -kZ, on(b.knee, shin, 0.08, -0.055 * kZ), on(b.knee, shin, 0.14, -0.055 * kZ), 0.050, 0.018, -kZ},
      {"shin_l", -kZ, b.knee + Vec3(-0.03, 0, 0), b.knee + Vec3(0.03, 0, 0), 0.055, -0.016, none},
      {"shin_l", -kZ, b.knee + Vec3(0, 0.01, 0.05), b.knee + Vec3(0, -0.01, 0.05), 0.026, 0.010, kZ},
      // Ankle: the calf works on tiptoe, the tendon's hollow fills.
      {"foot_l", -kY, on(b.knee, shin, 0.09, Vec3(-0.015, 0, -0.06)), on(b.knee, shin, 0.15, Vec3(-0.015, 0, -0.06)),
       0.040, 0.060, -kZ},
      {"foot_l", kY, on(b.knee, shin, 0.10, Vec3(0.02, 0, 0.04)), on(b.knee, shin, 0.18, Vec3(0.015, 0, 0.04)), 0.035,
       0.045, kZ},
      {"fingers_l", {-1, -1, 0}, b.arm.wrist, b.arm.knuckles, 0.03, 0.006, none},
  };
  muscles.insert(muscles.end(), others.begin(), others.end());
  return muscles;
}

std::vector<ChartSpec> leftCharts() {
  const BipedLandmarks& b = kBiped;
  const Vec3 in(-1, -1, 0);
  return {
      {"upper_arm_l", b.arm.shoulder, b.arm.elbow, in},
      {"forearm_l", b.arm.elbow, b.arm.wrist, in},
      {"hand_l", b.arm.wrist, b.arm.fingertips, in},
      {"thigh_l", b.hip, b.knee, -kX},
      {"shin_l", b.knee, b.ankle, -kX},
      {"foot_l", {b.ankle.x(), 0.04, b.ankle.z() - 0.03}, b.toe, -kY},
  };
}

}  // namespace

BodySpec bipedBody() {
  BodySpec spec;
  spec.name = "biped";
  spec.fine = 25000;
  spec.groups = bipedFlesh();
  spec.fineZones = {handZone(kBiped.arm), mirrored(handZone(kBiped.arm))};
  spec.joints = bipedTrunk();
  for (const auto& rows : {armJoints(), legJoints()}) {
    spec.joints.insert(spec.joints.end(), rows.begin(), rows.end());
    for (const JointSpec& row : rows) spec.joints.push_back(mirrored(row));
  }
  spec.charts = {{"torso", {0, 0.90, -0.01}, {0, 1.46, -0.02}, -kZ}, {"head", {0, 1.52, -0.02}, {0, 1.72, 0.0}, -kZ}};
  for (const ChartSpec& chart : leftCharts()) {
    spec.charts.push_back(chart);
    spec.charts.push_back(mirrored(chart));
  }
  spec.muscles = {{"spine", kZ, {0, 1.06, 0.09}, {0, 1.12, 0.09}, 0.060, 0.050, kZ},  // the belly folds
                  {"chest", kZ, {0, 1.16, 0.09}, {0, 1.20, 0.09}, 0.055, 0.040, kZ}};
  for (const Muscle& muscle : bipedLeftMuscles()) {
    spec.muscles.push_back(muscle);
    spec.muscles.push_back(mirrored(muscle));
  }
  addBipedPoses(spec);
  return spec;
}

Sample makeBiped(const SampleOptions& options, const Progress& progress) {
  return buildSample(bipedBody(), options.vertices, progress);
}

}  // namespace sinew::body
