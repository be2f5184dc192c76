// Poses of the biped. Rotations are (twist about the bone, swing, bend) in degrees. For arms a swing of +y raises the
// arm sideways; for thighs it opens the hip.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/samples/characters/biped.h"

namespace sinew::body {
namespace {

using Turns = std::vector<JointTurn>;

// `alike`: rotations of left joints that both sides make; `plain`: the others.
PoseSpec pose(const char* name, const Turns& alike, const Turns& plain = {}, const Vec3& shift = Vec3::Zero()) {
  PoseSpec spec{name, plain, shift};
  for (const JointTurn& turn : alike) turnBoth(spec, turn.joint, turn.degrees);
  return spec;
}

// A stride: the left leg at phase 0 swings through, the right one half a cycle behind; arms against legs.
PoseSpec stride(double phase) {
  PoseSpec spec{"", {}, {}};
  for (const bool left : {true, false}) {
    const double t = 2 * std::numbers::pi * (phase + (left ? 0.0 : 0.5));
    const double swing = std::sin(t);
    const double lift = std::max(0.0, std::cos(t));
    const Turns turns{
        {"thigh_l", {0, 0, 26 * swing + 4}},
        {"shin_l", {0, 0, 6 + 52 * lift * lift + 6 * std::max(0.0, -swing)}},
        {"foot_l", {0, 0, 8 * swing - 10 * std::max(0.0, -swing) * (1 - lift)}},
        {"toes_l", {0, 0, 22 * std::pow(std::max(0.0, -swing), 2)}},
        {"upper_arm_l", {0, -30, -20 * swing}},
        {"forearm_l", {0, 0, 18 - 12 * swing}},
        {"clavicle_l", {0, -3 * swing, 0}},
    };
    for (const JointTurn& turn : turns) spec.turns.push_back(left ? turn : mirrored(turn));
  }
  const double t = 2 * std::numbers::pi * phase;
  spec.turns.push_back({"hips", {6 * std::sin(t), 0, 2}});
  spec.turns.push_back({"spine", {-4 * std::sin(t), 0, 1}});
  spec.turns.push_back({"chest", {-7 * std::sin(t), 0, 2}});
  spec.turns.push_back({"head", {5 * std::sin(t), 0, -3}});
  spec.rootShift = Vec3(0, -0.012 + 0.012 * std::cos(2 * t), 0);
  return spec;
}

// The rotation, in the joint's rest frame, that undoes a tilt: degrees of local = rest * Rz * Ry * Rx.
Vec3 degreesOf(const Mat3& turn) {
  const double y = std::asin(std::clamp(-turn(2, 0), -1.0, 1.0));
  const double z = std::atan2(turn(1, 0), turn(0, 0));
  const double x = std::atan2(turn(2, 1), turn(2, 2));
  return Vec3(x, y, z) * 180 / std::numbers::pi;
}

// The same pose standing on y = 0: each foot rotated about the vertical only, the hips lowered until the lower ankle is
// as high as at rest.
PoseSpec standing(const Skeleton& skeleton, PoseSpec spec) {
  PosedJoints rest, posed;
  poseJoints(skeleton, {}, restPose(skeleton), rest);
  poseJoints(skeleton, {}, makePose(skeleton, spec), posed);
  double height = 1e9;
  for (const char* name : {"foot_l", "foot_r"}) {
    const int foot = skeleton.index(name);
    const int shin = skeleton[foot].parent;
    const Mat3 restFrame = rest.worldFromJoint[foot].linear();
    const Vec3 ahead = posed.worldFromJoint[foot].linear() * restFrame.transpose() * Vec3::UnitZ();
    const Mat3 flat = Eigen::AngleAxisd(std::atan2(ahead.x(), ahead.z()), Vec3::UnitY()).toRotationMatrix() * restFrame;
    const Mat3 local = posed.worldFromJoint[shin].linear().transpose() * flat;
    std::erase_if(spec.turns, [&](const JointTurn& turn) { return turn.joint == name; });
    spec.turns.push_back({name, degreesOf(skeleton[foot].rest.rotation.toRotationMatrix().transpose() * local)});
    height =
        std::min(height, posed.worldFromJoint[foot].translation().y() - rest.worldFromJoint[foot].translation().y());
  }
  spec.rootShift.y() -= height;
  return spec;
}

}  // namespace

void addBipedPoses(BodySpec& spec) {
  const Skeleton skeleton = makeSkeleton(spec);
  spec.examples = {
      pose("elbows90", {{"forearm_l", {0, 0, 90}}}),
      pose("elbows130_twist60", {{"forearm_l", {60, 0, 130}}}),
      pose("elbows70_twist-60", {{"forearm_l", {-60, 0, 70}}}),
      pose("forearms_twist80", {{"forearm_l", {80, 0, 0}}}),
      pose("forearms_twist-80", {{"forearm_l", {-80, 0, 0}}, {"hand_l", {0, 0, 40}}}),
      pose("arms_up", {{"clavicle_l", {0, 0, 26}}, {"upper_arm_l", {0, 80, 0}}}),
      pose("arms_forward", {{"clavicle_l", {0, -12, 0}}, {"upper_arm_l", {0, 25, 85}}}),
      pose("arms_forward_low", {{"upper_arm_l", {0, -5, 55}}}),
      pose("arms_half_raised", {{"clavicle_l", {0, -4, 10}}, {"upper_arm_l", {0, 45, 45}}}),
      pose("arms_down", {{"upper_arm_l", {0, -38, 0}}, {"fingers_l", {0, 0, 30}}}),
      pose("arms_back_fists", {{"upper_arm_l", {0, -15, -45}}, {"fingers_l", {0, 0, 80}}, {"thumb_l", {0, 0, 30}}}),
      pose("knees90", {{"shin_l", {0, 0, 90}}}),
      pose("hips90_knees120", {{"thigh_l", {0, 0, 90}}, {"shin_l", {0, 0, 120}}}),
      pose("hips_open45", {{"thigh_l", {0, 45, 0}}}),
      standing(skeleton, pose("crouch", {{"thigh_l", {0, 25, 62}}, {"shin_l", {0, 0, 90}}})),
      pose("stride_left", {},
           {{"thigh_l", {0, 0, 55}},
            {"shin_l", {0, 0, 50}},
            {"thigh_r", {0, 0, -28}},
            {"shin_r", {0, 0, 20}},
            {"foot_r", {0, 0, -25}},
            {"toes_r", {0, 0, 35}}}),
      pose("stride_right", {},
           {{"thigh_r", {0, 0, 55}},
            {"shin_r", {0, 0, 50}},
            {"thigh_l", {0, 0, -28}},
            {"shin_l", {0, 0, 20}},
            {"foot_l", {0, 0, -25}},
            {"toes_l", {0, 0, 35}}}),
      pose("bow60", {}, {{"spine", {0, 0, 30}}, {"chest", {0, 0, 30}}, {"head", {0, 0, 20}}}),
      pose("lean_back", {}, {{"spine", {0, 0, -16}}, {"chest", {0, 0, -18}}, {"neck", {0, 0, -20}}}),
      pose("turn_left", {}, {{"spine", {25, 0, 0}}, {"chest", {25, 0, 0}}, {"neck", {25, 0, 0}}, {"head", {25, 0, 0}}}),
      pose("turn_right", {},
           {{"spine", {-25, 0, 0}}, {"chest", {-25, 0, 0}}, {"neck", {-25, 0, 0}}, {"head", {-25, 0, 0}}}),
  };
  spec.heldOut = {
      pose("elbows60_twist30", {{"forearm_l", {30, 0, 60}}}),
      pose("elbows110", {{"forearm_l", {0, 0, 110}}}),
      pose("arms_half_up", {{"clavicle_l", {0, 0, 8}}, {"upper_arm_l", {0, 42, 15}}, {"forearm_l", {0, 0, 30}}}),
      pose("reach", {{"clavicle_l", {0, -6, 8}}, {"upper_arm_l", {0, 40, 60}}, {"forearm_l", {20, 0, 25}}}),
      standing(skeleton,
               pose("squat", {{"thigh_l", {0, 14, 75}}, {"shin_l", {0, 0, 100}}, {"upper_arm_l", {0, 10, 60}}},
                    {{"spine", {0, 0, 14}}, {"chest", {0, 0, 8}}})),
      pose("knees60", {{"shin_l", {0, 0, 60}}}),
      pose("bow30_turn20", {}, {{"spine", {10, 0, 15}}, {"chest", {10, 0, 15}}}),
  };
  ClipSpec walk{"walk", 0.05, {}};
  constexpr int kSteps = 22;
  for (int k = 0; k <= kSteps; ++k) walk.poses.push_back(stride(static_cast<double>(k) / kSteps));
  ClipSpec rom{"rom", 0.6, {pose("", {})}};
  for (const PoseSpec& example : spec.examples) {
    rom.poses.push_back(example);
    rom.poses.push_back(pose("", {}));
  }
  spec.clips = {walk, rom};
  spec.drivers = {};
}

}  // namespace sinew::body
