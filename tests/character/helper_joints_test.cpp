#include "sinew/character/helper_joints.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/character/attach.h"
#include "sinew/character/character.h"
#include "sinew/character/mirror.h"
#include "sinew/character/pose_space.h"
#include "sinew/math/rotation.h"
#include "support/allocations.h"
#include "support/message_of.h"
#include "support/test_arm.h"

namespace sinew::helper_joints_test {
namespace {

using test::messageOf;

Quat turnAbout(const Vec3& axis, double degrees) {
  return Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis.normalized()));
}

/// Appends a joint with its rule and a binding that keeps the rest pose as it is.
int addHelper(Character& character, HelperJoint helper, const std::string& name, int parent,
              const LocalTransform& rest) {
  std::vector<Joint> joints(character.skeleton.joints().begin(), character.skeleton.joints().end());
  helper.joint = static_cast<int>(joints.size());
  joints.push_back({name, parent, rest});
  character.skeleton = Skeleton(joints);
  PosedJoints posed;
  poseJoints(character.skeleton, {}, restPose(character.skeleton), posed);
  character.skin.bindings.push_back({helper.joint, posed.worldFromJoint.back().inverse()});
  character.skin.weights = character.skin.weights.widened(character.skin.bindings.size());
  character.helpers.push_back(helper);
  return helper.joint;
}

HelperJoint halfOf(int source, double share = 0.5) {
  HelperJoint helper;
  helper.kind = HelperKind::Half;
  helper.source = source;
  helper.share = share;
  return helper;
}

HelperJoint bulgeOf(int source, double gain, const Vec3& direction = Vec3::UnitX()) {
  HelperJoint helper;
  helper.kind = HelperKind::Bulge;
  helper.source = source;
  helper.gain = gain;
  helper.direction = direction;
  return helper;
}

/// A twist or bend joint of `lower`, whose bone is along x.
HelperJoint partOf(HelperKind kind, double share) {
  HelperJoint helper;
  helper.kind = kind;
  helper.source = 2;
  helper.share = share;
  return helper;
}

/// Joints root, upper, lower (0, 1, 2), then a half joint of lower (3) and bulge joints on both bones (4, 5).
Character armWithHelpers() {
  Character arm = test::testArm();
  addHelper(arm, halfOf(2), "lower_half", 1, arm.skeleton[2].rest);
  LocalTransform middle;
  middle.translation = Vec3(0.5, 0, 0);
  middle.rotation = turnAbout(Vec3::UnitZ(), 90);
  addHelper(arm, bulgeOf(2, 4), "lower_bulge_upper_y_grow", 1, middle);
  addHelper(arm, bulgeOf(2, -0.9), "lower_bulge_lower_y_shrink", 2, middle);
  return arm;
}

double difference(const PosedJoints& a, const PosedJoints& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.worldFromRest.size(); ++i)
    most = std::max(most, (a.worldFromRest[i].matrix() - b.worldFromRest[i].matrix()).norm());
  return most;
}

TEST(HelperJoints, AreAtRestWhereTheirSourcesAre) {
  const Character arm = armWithHelpers();
  const Pose rest = restPose(arm);
  for (const HelperJoint& helper : arm.helpers) {
    const LocalTransform local = helperTransform(arm.skeleton, helper, rest);
    const LocalTransform& own = arm.skeleton[helper.joint].rest;
    EXPECT_LT((local.parentFromJoint().matrix() - own.parentFromJoint().matrix()).norm(), 1e-12);
  }
  PosedJoints posed;
  poseJoints(arm, rest, posed);
  for (const Affine& worldFromRest : posed.worldFromRest)
    EXPECT_LT((worldFromRest.matrix() - Affine::Identity().matrix()).norm(), 1e-12);
}

TEST(HelperJoints, AHalfJointTurnsBy45OfA90DegreeBend) {
  const Character arm = armWithHelpers();
  Pose pose = restPose(arm);
  for (const Vec3& axis : {Vec3(0, 0, 1), Vec3(1, 0, 0), Vec3(1, -2, 0.5)}) {
    pose.local[2].rotation = arm.skeleton[2].rest.rotation * turnAbout(axis, 90);
    const LocalTransform local = helperTransform(arm.skeleton, arm.helpers[0], pose);
    EXPECT_LT(local.rotation.angularDistance(arm.skeleton[2].rest.rotation * turnAbout(axis, 45)), 1e-12);
    pose.local[2].rotation.coeffs() *= -1;  // the same turn
    EXPECT_LT(local.rotation.angularDistance(helperTransform(arm.skeleton, arm.helpers[0], pose).rotation), 1e-12);
  }
  pose.local[2].translation += Vec3(0, 0.3, 0);
  const LocalTransform moved = helperTransform(arm.skeleton, arm.helpers[0], pose);
  EXPECT_LT((moved.translation - pose.local[2].translation).norm(), 1e-15);
}

TEST(HelperJoints, AShareOfATurnIsThatShare) {
  const Character arm = test::testArm();
  for (const double share : {0.0, 0.25, 1.0}) {
    Character extended = arm;
    addHelper(extended, halfOf(2, share), "part", 1, arm.skeleton[2].rest);
    Pose pose = restPose(extended);
    pose.local[2].rotation = arm.skeleton[2].rest.rotation * turnAbout(Vec3::UnitX(), 80);
    const Quat turned = helperTransform(extended.skeleton, extended.helpers[0], pose).rotation;
    EXPECT_LT(turned.angularDistance(arm.skeleton[2].rest.rotation * turnAbout(Vec3::UnitX(), share * 80)), 1e-12);
  }
}

TEST(HelperJoints, TwistAndBendJointsTakeTheTwoPartsOfATurn) {
  const Character arm = test::testArm();
  const Quat swing = turnAbout(Vec3(0, 0.3, 1), 70);
  const Quat twist = turnAbout(Vec3::UnitX(), -50);
  for (const double share : {0.0, 0.5, 1.0}) {
    const auto turned = [&](HelperKind kind) {
      Character extended = arm;
      addHelper(extended, partOf(kind, share), "part", 1, arm.skeleton[2].rest);
      Pose pose = restPose(extended);
      pose.local[2].rotation = arm.skeleton[2].rest.rotation * swing * twist;
      return arm.skeleton[2].rest.rotation.conjugate() *
             helperTransform(extended.skeleton, extended.helpers[0], pose).rotation;
    };
    EXPECT_LT(turned(HelperKind::Twist).angularDistance(swing * turnAbout(Vec3::UnitX(), -50 * share)), 1e-12);
    EXPECT_LT(turned(HelperKind::Bend).angularDistance(turnAbout(Vec3(0, 0.3, 1), 70 * share)), 1e-12);
  }
}

TEST(HelperJoints, ABulgeAt120DegreesScalesBy1Point75) {
  Character arm = test::testArm();
  addHelper(arm, bulgeOf(2, 1), "bulge", 1, {});
  Pose pose = restPose(arm);
  pose.local[2].rotation = arm.skeleton[2].rest.rotation * turnAbout(Vec3::UnitZ(), 120);
  EXPECT_LT((helperTransform(arm.skeleton, arm.helpers[0], pose).scale - Vec3(1.75, 1, 1)).norm(), 1e-12);
  pose.local[2].rotation = arm.skeleton[2].rest.rotation * turnAbout(Vec3::UnitY(), -120);
  EXPECT_NEAR(helperTransform(arm.skeleton, arm.helpers[0], pose).scale.x(), 1.75, 1e-12);
  // A twist about the bone bends nothing.
  pose.local[2].rotation = arm.skeleton[2].rest.rotation * turnAbout(Vec3::UnitX(), 120);
  EXPECT_NEAR(helperTransform(arm.skeleton, arm.helpers[0], pose).scale.x(), 1, 1e-12);
}

TEST(HelperJoints, ALimbThatIsBentAtRestStartsAt1) {
  Character arm = test::testArm();
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  joints[2].rest.rotation = turnAbout(Vec3(1, 2, 3), 70);
  arm.skeleton = Skeleton(joints);
  addHelper(arm, bulgeOf(2, 4), "bulge", 1, {});
  Pose pose = restPose(arm);
  EXPECT_NEAR(helperTransform(arm.skeleton, arm.helpers[0], pose).scale.x(), 1, 1e-12);
  pose.local[2].rotation = pose.local[2].rotation * turnAbout(Vec3::UnitZ(), 90);
  EXPECT_NEAR(helperTransform(arm.skeleton, arm.helpers[0], pose).scale.x(), 3, 1e-12);
}

TEST(HelperJoints, RootMotionCommutesWithTheRules) {
  const Character arm = armWithHelpers();
  const Pose pose = test::bentArmPose(test::testArm());
  Pose extended = restPose(arm);
  std::copy(pose.local.begin(), pose.local.end(), extended.local.begin());
  const Eigen::Isometry3d motion = Eigen::Translation3d(1, 2, 3) * Eigen::AngleAxisd(1.1, Vec3(1, 2, -1).normalized());
  PosedJoints here;
  PosedJoints there;
  poseJoints(arm, extended, here);
  poseJoints(arm, movedBy(arm.skeleton, extended, motion), there);
  for (std::size_t b = 0; b < here.worldFromRest.size(); ++b) {
    const Affine moved = motion * here.worldFromRest[b];
    EXPECT_LT((moved.matrix() - there.worldFromRest[b].matrix()).norm(), 1e-12);
  }
  EXPECT_GT((here.worldFromRest[3].matrix() - here.worldFromRest[2].matrix()).norm(), 0.1);
}

TEST(HelperJoints, RulesWinOverWhatAPoseSays) {
  const Character arm = armWithHelpers();
  Pose said = restPose(arm);
  said.local[2].rotation = turnAbout(Vec3::UnitZ(), 90);
  Pose ruled = said;
  said.local[3].rotation = turnAbout(Vec3::UnitX(), 33);
  said.local[4].scale = Vec3(9, 9, 9);
  applyHelpers(arm.skeleton, arm.helpers, ruled);
  PosedJoints a;
  PosedJoints b;
  poseJoints(arm, said, a);
  poseJoints(arm.skeleton, arm.skin.bindings, ruled, b);
  EXPECT_LT(difference(a, b), 1e-13);
}

TEST(HelperJoints, PosingAllocatesNothingAfterTheFirstCall) {
  const Character arm = armWithHelpers();
  Pose pose = restPose(arm);
  PosedJoints posed;
  poseJoints(arm, pose, posed);
  pose.local[2].rotation = turnAbout(Vec3::UnitZ(), 50);
  const std::size_t before = test::allocationCount();
  poseJoints(arm, pose, posed);
  EXPECT_EQ(test::allocationCount(), before);
}

TEST(HelperJoints, SayTheirRulesInWords) {
  const Character arm = armWithHelpers();
  EXPECT_EQ(helperRule(arm.skeleton, arm.helpers[0]), "half of lower's turn");
  EXPECT_EQ(helperRule(arm.skeleton, halfOf(2, 0.25)), "0.25 of lower's turn");
  EXPECT_EQ(helperRule(arm.skeleton, arm.helpers[1]), "grows with lower's bend");
  EXPECT_EQ(helperRule(arm.skeleton, arm.helpers[2]), "shrinks with lower's bend");
  EXPECT_EQ(helperRule(arm.skeleton, partOf(HelperKind::Twist, 0)), "lower's bend without its twist");
  EXPECT_EQ(helperRule(arm.skeleton, partOf(HelperKind::Twist, 0.5)), "lower's bend with half of its twist");
  EXPECT_EQ(helperRule(arm.skeleton, partOf(HelperKind::Bend, 0.5)), "half of lower's bend without its twist");
}

TEST(CheckHelpers, NamesEachFault) {
  const Character arm = armWithHelpers();
  const auto faultOf = [&](const std::function<void(std::vector<HelperJoint>&)>& change) {
    std::vector<HelperJoint> helpers = arm.helpers;
    change(helpers);
    return messageOf([&] { checkHelpers(arm.skeleton, helpers, "arm"); });
  };
  EXPECT_EQ(faultOf([](auto&) {}), "no error");
  EXPECT_EQ(faultOf([](auto& h) { h[0].joint = 6; }), "arm: a helper rule refers to joint 6 of a skeleton with 6");
  EXPECT_EQ(faultOf([](auto& h) { h[0].source = -1; }), "arm: a helper rule refers to joint -1 of a skeleton with 6");
  EXPECT_EQ(faultOf([](auto& h) { h.push_back(h[0]); }), "arm: joint 'lower_half' has two helper rules");
  EXPECT_EQ(faultOf([](auto& h) { h[0].source = 4; }),
            "arm: helper joint 'lower_half' follows 'lower_bulge_upper_y_grow', which is a helper itself");
  EXPECT_EQ(faultOf([](auto& h) { h[0].source = 1; }),
            "arm: helper joint 'lower_half' does not have the same parent as 'upper', which it follows");
  EXPECT_EQ(
      faultOf([](auto& h) { h[2].kind = HelperKind::Half; }),
      "arm: helper joint 'lower_bulge_lower_y_shrink' does not have the same parent as 'lower', which it follows");
  EXPECT_EQ(faultOf([](auto& h) { h[0].share = 1.5; }),
            "arm: helper joint 'lower_half' has the share 1.5; it must be between 0 and 1");
  EXPECT_EQ(faultOf([](auto& h) { h[1].gain = -1; }),
            "arm: helper joint 'lower_bulge_upper_y_grow' has a gain of -1; it must be above -1");
  EXPECT_EQ(faultOf([](auto& h) { h[1].direction *= 2; }),
            "arm: the direction of helper joint 'lower_bulge_upper_y_grow' is not a unit vector");
  Character other = arm;
  addHelper(other, bulgeOf(0, 1), "sway", 0, {});
  EXPECT_EQ(messageOf([&] { checkCharacter(other, "arm"); }),
            "arm: helper joint 'sway' follows the root 'root', whose rotation moves the whole body");
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  joints.push_back({"ring", 3, {}});
  EXPECT_EQ(messageOf([&] { checkHelpers(Skeleton(joints), arm.helpers, "arm"); }),
            "arm: joint 'ring' is a child of helper joint 'lower_half'");
}

TEST(HelperJoints, NeverDriveAPoseSpace) {
  const Character arm = armWithHelpers();
  ExampleSet set;
  Example bent;
  bent.name = "bent";
  bent.pose = restPose(arm);
  bent.pose.local[2].rotation = turnAbout(Vec3::UnitZ(), 90);
  applyHelpers(arm.skeleton, arm.helpers, bent.pose);
  bent.points = arm.mesh.points;
  set.examples = {bent};
  const PoseSpaceChoice choice = choosePoseSpace(arm, set, RotationCoordinates::SwingTwist);
  ASSERT_EQ(choice.space.drivers.size(), 1u);
  EXPECT_EQ(choice.space.drivers[0].name, "lower");
  // The bulge joint below `lower` is no bone: the axis is that of an arm without helpers.
  Character bare = test::testArm();
  ExampleSet bareSet = set;
  bareSet.examples[0].pose.local.resize(3);
  EXPECT_EQ(choice.space.drivers, choosePoseSpace(bare, bareSet, RotationCoordinates::SwingTwist).space.drivers);
  set.drivers = {{"lower_half", 1}};
  EXPECT_EQ(messageOf([&] { (void)choosePoseSpace(arm, set); }),
            "pose space: the driver 'lower_half' is a helper joint that follows 'lower'; use 'lower' instead");
}

/// Two arms along +x and -x below a chest at the origin: joints 0 chest, 1 and 2 the left arm, 3 and 4 the right, whose
/// frames are turned.
Character twoArms() {
  std::vector<Joint> joints(5);
  joints[0].name = "chest";
  for (const bool left : {true, false}) {
    const int first = left ? 1 : 3;
    const double side = left ? 1 : -1;
    Joint& upper = joints[static_cast<std::size_t>(first)];
    upper.name = left ? "upper_l" : "upper_r";
    upper.parent = 0;
    upper.rest.translation = Vec3(0.2 * side, 0, 0);
    if (!left) upper.rest.rotation = turnAbout(Vec3::UnitZ(), 180);
    Joint& lower = joints[static_cast<std::size_t>(first) + 1];
    lower.name = left ? "lower_l" : "lower_r";
    lower.parent = first;
    lower.rest.translation = Vec3(0.5, 0, 0);
  }
  Character body;
  body.skeleton = Skeleton(joints);
  PosedJoints posed;
  poseJoints(body.skeleton, {}, restPose(body.skeleton), posed);
  for (int j = 0; j < 5; ++j)
    body.skin.bindings.push_back({j, posed.worldFromJoint[static_cast<std::size_t>(j)].inverse()});
  std::vector<std::vector<Influence>> columns;
  std::vector<Vec3> points;
  for (const double side : {1.0, -1.0}) {
    const auto first = side > 0 ? 1u : 3u;
    const auto base = static_cast<std::uint32_t>(points.size());
    for (int ring = 0; ring < 11; ++ring) {
      const double x = 0.1 * ring;
      const double w = std::clamp(2 * x - 0.9, 0.0, 1.0);
      for (int k = 0; k < 8; ++k) {
        const double a = 0.25 * std::numbers::pi * (k + 0.3);
        points.emplace_back(side * (0.2 + x), 0.1 * std::cos(a), 0.15 * std::sin(a));
        columns.push_back({{first, 1 - w}, {first + 1, w}});
      }
    }
    for (std::uint32_t i = 0; i < 10; ++i) {
      for (std::uint32_t k = 0; k < 8; ++k) {
        const std::uint32_t a = base + 8 * i + k;
        const std::uint32_t b = base + 8 * i + (k + 1) % 8;
        body.mesh.faces.add(side > 0 ? std::array{a, b, b + 8, a + 8} : std::array{a + 8, b + 8, b, a});
      }
    }
  }
  body.mesh.points.resize(3, static_cast<Index>(points.size()));
  for (std::size_t p = 0; p < points.size(); ++p) body.mesh.points.col(static_cast<Index>(p)) = points[p];
  body.skin.weights = SkinWeights::fromColumns(5, columns);
  return body;
}

/// Half of the elbow's weights on the half joint, a tenth of the upper arm's on the bulge joint.
void useHelpers(Character& body, int source, std::uint32_t half, std::uint32_t bulge) {
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < body.mesh.vertexCount(); ++v) {
    std::vector<Influence> column(body.skin.weights[v].begin(), body.skin.weights[v].end());
    for (std::size_t i = column.size(); i-- > 0;) {
      const auto lower = static_cast<std::uint32_t>(source);
      if (column[i].binding != lower && column[i].binding + 1 != lower) continue;
      const double moved = column[i].weight / 4;
      column[i].weight -= moved;
      column.push_back({column[i].binding == lower ? half : bulge, moved});
    }
    columns.push_back(column);
  }
  body.skin.weights = SkinWeights::fromColumns(body.skin.bindings.size(), columns);
}

Points blended(const Character& character, const Pose& pose) {
  PosedJoints joints;
  poseJoints(character, pose, joints);
  Points points = Points::Zero(3, character.mesh.vertexCount());
  for (Index v = 0; v < points.cols(); ++v) {
    for (const Influence& influence : character.skin.weights[v])
      points.col(v) +=
          influence.weight * (joints.worldFromRest[influence.binding] * Vec3(character.mesh.points.col(v)));
  }
  return points;
}

/// Joints 5 and 6 are half and bulge joint of the left elbow, 7 and 8 of the right.
Character twoArmsWithHelpers(bool bothSides) {
  Character body = twoArms();
  for (const int source : {2, 4}) {
    if (source == 4 && !bothSides) break;
    const auto half = static_cast<std::uint32_t>(
        addHelper(body, halfOf(source), body.skeleton[source].name + "_half", source - 1, body.skeleton[source].rest));
    LocalTransform middle;
    middle.translation = Vec3(0.25, 0, 0);
    middle.rotation = turnAbout(Vec3::UnitZ(), 90);
    const auto bulge = static_cast<std::uint32_t>(
        addHelper(body, bulgeOf(source, 4), body.skeleton[source].name + "_bulge", source - 1, middle));
    useHelpers(body, source, half, bulge);
  }
  return body;
}

Pose bentElbow(const Character& body, int elbow) {
  Pose pose = restPose(body);
  pose.local[static_cast<std::size_t>(elbow)].rotation = turnAbout(Vec3(0.4, 0.2, 1), 80);
  return pose;
}

TEST(MirrorOfHelpers, IsTheHelperOfTheMirroredSource) {
  const Character body = twoArmsWithHelpers(true);
  const MirrorMap map = findMirror(body, {.axis = MirrorAxis::X});
  EXPECT_EQ(map.joint, (std::vector<int>{0, 3, 4, 1, 2, 7, 8, 5, 6}));
  EXPECT_TRUE(map.report.warnings.empty());
  Pose pose = bentElbow(body, 2);
  pose.local[5].rotation = turnAbout(Vec3::UnitX(), 170);  // no one asks it
  const Pose mirrored = mirrorPose(body, map, pose);
  const Points wanted = mirrorPoints(map, blended(body, pose), body.mesh.points);
  EXPECT_LT((blended(body, mirrored) - wanted).colwise().norm().maxCoeff(), 1e-12);
  EXPECT_GT((wanted - body.mesh.points).norm(), 0.5);
}

TEST(MirrorOfHelpers, HelpersOfOneSideDisturbNothing) {
  const Character body = twoArmsWithHelpers(false);
  const MirrorMap map = findMirror(body, {.axis = MirrorAxis::X});
  EXPECT_EQ(map.joint, (std::vector<int>{0, 3, 4, 1, 2, -1, -1}));
  EXPECT_TRUE(map.report.unmatchedJoints.empty());
  ExampleSet set;
  Example example;
  example.name = "bend_l";
  example.pose = bentElbow(body, 2);
  applyHelpers(body.skeleton, body.helpers, example.pose);
  example.points = blended(body, example.pose);
  set.examples = {example};
  const MirrorResult result = mirrorExamples(body, set, {.axis = MirrorAxis::X});
  EXPECT_EQ(result.added, std::vector<std::string>{"bend_r"});
  // The helpers of the left elbow are at rest where only the right one bends.
  const Pose& pose = result.set.examples[1].pose;
  for (const std::size_t j : {5u, 6u})
    EXPECT_LT(
        (pose.local[j].parentFromJoint().matrix() - body.skeleton[static_cast<int>(j)].rest.parentFromJoint().matrix())
            .norm(),
        1e-12);
}

TEST(AttachSkeleton, TakesRulesOverOnlyWithTheirJoints) {
  const Character rig = armWithHelpers();
  EXPECT_EQ(deformingJoints(rig), (std::vector<int>{0, 1, 2}));
  Character mesh;
  mesh.mesh = rig.mesh;
  const AttachResult bones = attachSkeleton(mesh, rig, deformingJoints(rig));
  EXPECT_EQ(bones.character.skeleton.size(), 3);
  EXPECT_TRUE(bones.character.helpers.empty());
  checkCharacter(bones.character, "test");
  const std::vector<int> all = {1, 2, 3, 5};
  const AttachResult wide = attachSkeleton(mesh, rig, all);
  EXPECT_EQ(wide.character.skeleton.size(), 5);
  ASSERT_EQ(wide.character.helpers.size(), 2u);
  EXPECT_EQ(wide.character.skeleton[wide.character.helpers[0].joint].name, "lower_half");
  EXPECT_EQ(wide.character.skeleton[wide.character.helpers[1].joint].name, "lower_bulge_lower_y_shrink");
  EXPECT_EQ(wide.character.skeleton[wide.character.helpers[1].source].name, "lower");
  checkCharacter(wide.character, "test");
}

}  // namespace
}  // namespace sinew::helper_joints_test
