// `limb`: a shoulder with three degrees of freedom, elbow and wrist, on a torso; the middle of the chest is the origin.
// The arm extends to +x, slightly below the horizontal; the front is +z.
#include "sinew/samples/body/build.h"
#include "sinew/samples/characters/arm_flesh.h"
#include "sinew/samples/characters/torso_flesh.h"

namespace sinew::body {
namespace {

ArmLandmarks landmarks() {
  return armLandmarks({0.172, 0.150, -0.012}, {0.90, -0.43, -0.03}, {0.90, -0.42, 0.10}, {0.90, -0.41, 0.16});
}

// The position of the torso of an adult who stands on the ground.
const Vec3 kShift(0, -1.30, 0);

// A clean cut through a stump: a large ball removes everything beyond `at` in a direction.
Primitive cutAt(const Vec3& at, const Vec3& direction) {
  constexpr double kBall = 0.6;
  return carving(ellipsoid(at + kBall * direction.normalized(), Vec3::Constant(kBall), 0.012));
}

// A torso as sculptors make it: cut at the neck, the other arm and the thighs.
Group torso() {
  Group g = torsoGroup(kShift);
  auto& p = g.primitives;
  p.push_back(taperedCapsule({0, 0.170, -0.034}, {0, 0.330, -0.004}, 0.060, 0.054, 0.035));  // neck
  both(p, taperedCapsule({0.022, 0.182, 0.022}, {0.056, 0.332, -0.022}, 0.013, 0.014, 0.02));
  p.push_back(cutAt({0, 0.275, -0.014}, {0, 1, 0.15}));
  return g;
}

Group otherArm(const ArmLandmarks& arm) {
  Group stump = mirrored(armGroup(arm, "stump_l", 0));
  Vec3 across = arm.elbow - arm.shoulder;
  across.x() = -across.x();
  const Vec3 shoulder(-arm.shoulder.x(), arm.shoulder.y(), arm.shoulder.z());
  // The deltoid and the upper arm without the rest.
  stump.primitives.resize(4);
  stump.primitives.push_back(cutAt(shoulder + 0.40 * across, across));
  return stump;
}

Group thighStump() {
  const Vec3 hip = Vec3(0.098, 0.930, 0.0) + kShift;
  const Vec3 thigh = Vec3(0.024, -0.430, 0.010).normalized();
  Group g{"thigh_l", 0, 0.045, {}};
  auto& p = g.primitives;
  p.push_back(taperedCapsule(hip + 0.02 * thigh, hip + 0.40 * thigh, 0.080, 0.050, 0.03));
  p.push_back(ellipsoid(hip + 0.185 * thigh + Vec3(0.004, 0, 0.030), {0.170, 0.064, 0.052}, thigh, kX, 0.03));
  p.push_back(ellipsoid(hip + 0.070 * thigh + Vec3(0.040, 0, -0.006), {0.120, 0.040, 0.060}, thigh, kX, 0.04));
  p.push_back(ellipsoid(hip + 0.210 * thigh + Vec3(0.0, 0, -0.034), {0.175, 0.056, 0.046}, thigh, kX, 0.03));
  p.push_back(ellipsoid(hip + 0.110 * thigh + Vec3(-0.026, 0, -0.004), {0.125, 0.052, 0.060}, thigh, kX, 0.03));
  p.push_back(cutAt(hip + 0.150 * thigh, thigh));
  return g;
}

std::vector<Group> flesh(const ArmLandmarks& arm) {
  std::vector<Group> groups{torso(), armGroup(arm, "arm", 0)};
  for (const Group& finger : fingerGroups(arm, "", 1)) groups.push_back(finger);
  groups.push_back(thumbGroup(arm, "thumb", 1));
  groups.push_back(otherArm(arm));
  groups.push_back(thighStump());
  groups.push_back(mirrored(groups.back()));
  return groups;
}

std::vector<JointSpec> joints(const ArmLandmarks& arm) {
  const Vec3 in = kZ.cross(arm.shoulder - arm.elbow);
  std::vector<JointSpec> rows(4);
  rows[0] = {.name = "torso",
             .parent = "",
             .head = Vec3::Zero(),
             .tail = 0.2 * kY,
             .hinge = kX,
             .chart = "torso",
             .planes = {}};
  rows[1] = {.name = "upper_arm",
             .parent = "torso",
             .head = arm.shoulder,
             .tail = arm.elbow,
             .hinge = hingeTowards(arm.shoulder, arm.elbow, kZ),
             .chart = "upper_arm",
             .gate = "arm",
             .gateWidth = 0.065,
             .planes = {{arm.shoulder + Vec3(-0.006, 0.004, 0), arm.elbow - arm.shoulder + Vec3(0.08, 0, 0), 0.100}},
             .spreadTwist = true};
  rows[2] = {.name = "forearm",
             .parent = "upper_arm",
             .head = arm.elbow,
             .tail = arm.wrist,
             .hinge = hingeTowards(arm.elbow, arm.wrist, kZ),
             .chart = "forearm",
             .softness = 0.060,
             .planes = {},
             .spreadTwist = true};
  rows[3] = {.name = "hand",
             .parent = "forearm",
             .head = arm.wrist,
             .tail = arm.knuckles,
             .hinge = hingeTowards(arm.wrist, arm.knuckles, in),
             .chart = "hand",
             .softness = 0.032,
             .planes = {}};
  return rows;
}

std::vector<Muscle> muscles(const ArmLandmarks& arm) {
  const Vec3 out = kZ.cross(arm.elbow - arm.shoulder).normalized();
  std::vector<Muscle> rows = armMuscles(arm, "");
  rows.push_back({"upper_arm", out, {0.08, 0.200, -0.04}, {0.13, 0.185, -0.03}, 0.040, 0.022, kY});   // trapezius
  rows.push_back({"upper_arm", kZ, {0.06, 0.045, 0.09}, {0.11, 0.060, 0.07}, 0.050, 0.030, kZ});      // pectoral
  rows.push_back({"upper_arm", -kZ, {0.07, 0.05, -0.11}, {0.09, 0.10, -0.11}, 0.050, 0.030, -kZ});    // blade
  rows.push_back({"upper_arm", -out, {0.11, -0.05, -0.09}, {0.13, 0.03, -0.08}, 0.050, 0.016, -kZ});  // latissimus
  return rows;
}

PoseSpec pose(const char* name, const Vec3& shoulder, double elbow, double twist = 0, double wrist = 0) {
  return {name, {{"upper_arm", shoulder}, {"forearm", {twist, 0, elbow}}, {"hand", {0, 0, wrist}}}};
}

}  // namespace

// Shoulder rotations are (twist, raise, forward).
BodySpec limbBody() {
  const ArmLandmarks arm = landmarks();
  const Vec3 under = kZ.cross(arm.shoulder - arm.elbow);
  BodySpec spec;
  spec.name = "limb";
  spec.fine = 16000;
  spec.groups = flesh(arm);
  spec.fineZones = {handZone(arm)};
  spec.joints = joints(arm);
  spec.charts = {{"torso", {0, -0.15, -0.01}, {0, 0.20, -0.02}, -kX},
                 {"upper_arm", arm.shoulder, arm.elbow, under},
                 {"forearm", arm.elbow, arm.wrist, under},
                 {"hand", arm.wrist, arm.fingertips, under}};
  spec.muscles = muscles(arm);
  spec.examples = {
      pose("raise70", {0, 70, 0}, 0),
      pose("lower45", {0, -45, 0}, 0),
      pose("forward80", {0, 0, 80}, 0),
      pose("back35", {0, 0, -35}, 0),
      pose("twist30", {30, 0, 0}, 0),
      pose("twist60", {60, 0, 0}, 0),
      pose("twist-50", {-50, 0, 0}, 0),
      pose("elbow60", {0, 0, 0}, 60),
      pose("elbow120", {0, 0, 0}, 120),
      pose("forearm_twist40", {0, 0, 0}, 0, 40),
      pose("forearm_twist80", {0, 0, 0}, 0, 80),
      pose("forearm_twist-35", {0, 0, 0}, 0, -35),
      pose("forearm_twist-70", {0, 0, 0}, 0, -70),
      pose("elbow100_twist70", {0, 0, 0}, 100, 70),
      pose("elbow100_twist-60", {0, 0, 0}, 100, -60),
      pose("wrist60", {0, 0, 0}, 0, 0, 60),
      pose("wrist-55", {0, 0, 0}, 0, 0, -55),
      pose("raise45_forward55", {0, 45, 55}, 0),
      pose("lower35_back20", {0, -35, -20}, 0),
      pose("raise60_elbow100", {0, 60, 10}, 100),
      pose("forward70_elbow90", {0, 10, 70}, 90),
      pose("lower40_elbow130", {0, -40, 15}, 130),
  };
  spec.heldOut = {
      pose("raise35_forward30", {0, 35, 30}, 20),
      pose("lower25_elbow90", {0, -25, 10}, 90),
      pose("forward45_elbow45_twist30", {0, 0, 45}, 45, 30),
      pose("twist30_elbow75", {30, 0, 0}, 75, 0, 20),
      pose("raise50_wrist-30", {0, 50, 0}, 30, 0, -30),
      pose("back20_elbow100", {0, -10, -20}, 100, -30),
  };
  ClipSpec rom{"rom", 0.6, {pose("", Vec3::Zero(), 0)}};
  for (const PoseSpec& example : spec.examples) {
    rom.poses.push_back(example);
    rom.poses.push_back(pose("", Vec3::Zero(), 0));
  }
  spec.clips = {rom};
  spec.drivers = {"upper_arm", "forearm", "hand"};
  return spec;
}

Sample makeLimb(const SampleOptions& options, const Progress& progress) {
  return buildSample(limbBody(), options.vertices, progress);
}

}  // namespace sinew::body
