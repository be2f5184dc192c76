// `arm`: a right-angled study of one elbow. The upper arm starts at the origin as a rounded stump and runs along +x;
// the elbow bends upwards (+y), the palm looks up.
#include "sinew/samples/body/build.h"
#include "sinew/samples/exact_arm.h"

namespace sinew::body {
namespace {

constexpr double kElbow = 0.30;
constexpr double kWrist = 0.56;

std::vector<Group> flesh() {
  const Vec3 x = Vec3::UnitX();
  const Vec3 y = Vec3::UnitY();
  Group arm{"arm", -1, 0, {}};
  auto& p = arm.primitives;
  // Upper arm: bone and fat, deltoid, biceps above, triceps below.
  p.push_back(taperedCapsule({0.0, 0, 0}, {kElbow, -0.002, 0}, 0.052, 0.039, 0.03));
  p.push_back(ellipsoid({0.035, 0.012, 0.006}, {0.085, 0.056, 0.058}, x, y, 0.03));
  p.push_back(ellipsoid({0.165, 0.020, 0.002}, {0.098, 0.036, 0.036}, x, y, 0.02));
  p.push_back(ellipsoid({0.150, -0.022, -0.004}, {0.100, 0.034, 0.040}, x, y, 0.02));
  // Elbow: two knuckles of the humerus and the point of the ulna.
  p.push_back(ellipsoid({kElbow, 0, 0}, {0.036, 0.034, 0.043}, x, y, 0.02));
  p.push_back(ellipsoid({kElbow + 0.006, -0.032, -0.004}, {0.022, 0.012, 0.014}, x, y, 0.016));
  // Forearm: thick flexors near the elbow, flat wrist.
  p.push_back(flattenedCapsule({kElbow, -0.002, 0}, {kWrist, 0, 0}, 0.040, 0.029, y, 0.80, 1.0, 0.025));
  p.push_back(ellipsoid({kElbow + 0.075, 0.010, 0.020}, {0.090, 0.032, 0.028}, x, y, 0.02));
  p.push_back(ellipsoid({kElbow + 0.080, -0.006, -0.018}, {0.095, 0.032, 0.028}, x, y, 0.02));
  // A closed fist: palm, four rolled fingers, the thumb across them.
  p.push_back(ellipsoid({kWrist + 0.050, -0.004, 0.0}, {0.052, 0.024, 0.043}, x, y, 0.02));
  p.push_back(ellipsoid({kWrist + 0.060, 0.016, 0.0}, {0.034, 0.020, 0.037}, x, y, 0.01));
  for (int k = 0; k < 4; ++k) {
    const double z = 0.030 - 0.0195 * k;
    const double size = (k == 1 || k == 2) ? 1.0 : 0.93;
    p.push_back(
        ellipsoid({kWrist + 0.082 + 0.004 * size, 0.008, z}, {0.024 * size, 0.032 * size, 0.0118}, x, y, 0.006));
    p.push_back(
        taperedCapsule({kWrist + 0.078, 0.033 * size, z}, {kWrist + 0.050, 0.030 * size, z}, 0.0110, 0.0098, 0.006));
  }
  p.push_back(taperedCapsule({kWrist + 0.020, 0.004, 0.034}, {kWrist + 0.054, 0.026, 0.047}, 0.019, 0.0140, 0.014));
  p.push_back(taperedCapsule({kWrist + 0.054, 0.026, 0.047}, {kWrist + 0.082, 0.045, 0.026}, 0.0135, 0.0105, 0.008));
  return {arm};
}

}  // namespace

BodySpec armBody() {
  const Vec3 x = Vec3::UnitX();
  const Vec3 y = Vec3::UnitY();
  const Vec3 z = Vec3::UnitZ();
  BodySpec spec;
  spec.name = "arm";
  spec.fine = 12000;
  spec.groups = flesh();
  spec.joints = {{.name = "upper_arm",
                  .parent = "",
                  .head = Vec3::Zero(),
                  .tail = kElbow * x,
                  .hinge = z,
                  .chart = "upper_arm",
                  .planes = {}},
                 {.name = "forearm",
                  .parent = "upper_arm",
                  .head = kElbow * x,
                  .tail = kWrist * x,
                  .hinge = z,
                  .chart = "forearm",
                  .softness = 0.075,
                  .planes = {},
                  .spreadTwist = true}};
  spec.charts = {{"upper_arm", -0.02 * x, kElbow * x, -y}, {"forearm", kElbow * x, (kWrist + 0.08) * x, -y}};
  spec.muscles = {
      {"forearm", y, {0.11, 0.03, 0}, {0.20, 0.03, 0}, 0.050, 0.036, y},                           // biceps
      {"forearm", y, {0.10, -0.03, 0}, {0.19, -0.03, 0}, 0.050, -0.007, -y},                       // triceps, stretched
      {"forearm", y, {kElbow + 0.06, 0.02, 0.02}, {kElbow + 0.12, 0.015, 0.01}, 0.040, 0.014, y},  // flexors
      {"forearm", y, {kElbow, -0.02, 0}, {kElbow, 0.02, 0}, 0.050, -0.012, Vec3::Zero()},  // takes back the swelling
      {"forearm", y, {kElbow, -0.035, 0}, {kElbow + 0.01, -0.04, 0}, 0.022, 0.010, -y},    // the point of the elbow
  };
  const auto pose = [](const char* name, double bend, double twist) {
    return PoseSpec{name, {{"forearm", {twist, 0, bend}}}};
  };
  spec.examples = {pose("elbow30", 30, 0),
                   pose("elbow60", 60, 0),
                   pose("elbow90", 90, 0),
                   pose("elbow120", 120, 0),
                   pose("elbow140", 140, 0),
                   pose("twist60", 0, 60),
                   pose("twist-60", 0, -60),
                   pose("elbow60_twist60", 60, 60),
                   pose("elbow60_twist-60", 60, -60),
                   pose("elbow120_twist60", 120, 60),
                   pose("elbow120_twist-60", 120, -60)};
  spec.heldOut = {pose("elbow45", 45, 0),   pose("elbow75_twist30", 75, 30),
                  pose("elbow100", 100, 0), pose("elbow100_twist-45", 100, -45),
                  pose("twist40", 0, 40),   pose("elbow130_twist20", 130, 20)};
  spec.clips = {{"flex",
                 0.5,
                 {pose("", 0, 0), pose("", 60, 0), pose("", 130, 0), pose("", 130, 60), pose("", 60, -60),
                  pose("", 0, -30), pose("", 0, 0)}}};
  spec.drivers = {"forearm"};
  return spec;
}

Sample makeArm(const SampleOptions& options, const Progress& progress) {
  return options.exact ? makeExactArm() : buildSample(armBody(), options.vertices, progress);
}

}  // namespace sinew::body
