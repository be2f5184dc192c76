#include "sinew/character/mirror.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "support/message_of.h"
#include "support/test_arm.h"

namespace sinew::mirror_test {
namespace {

using test::messageOf;

/// Tubes of rings of vertices. Each joint's rest frame is turned at random, left
/// and right differently; names say nothing unless they are given.
struct BodyMaker {
  std::vector<Joint> joints;
  std::vector<Affine> world;
  std::vector<Vec3> points;
  std::vector<std::vector<Influence>> columns;
  Faces faces;
  Lcg random{7};

  int joint(const std::string& name, int parent, const Vec3& place) {
    const Vec3 turn = 2 * random.vector();
    Affine worldFromJoint = Affine::Identity();
    worldFromJoint.linear() = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
    worldFromJoint.translation() = place;
    Joint made{name, parent, {}};
    const Affine local =
        parent < 0 ? worldFromJoint : world[static_cast<std::size_t>(parent)].inverse() * worldFromJoint;
    made.rest.translation = local.translation();
    made.rest.rotation = Quat(Mat3(local.linear()));
    joints.push_back(made);
    world.push_back(worldFromJoint);
    return static_cast<int>(joints.size()) - 1;
  }

  /// A tube of 9 rings of 8 from `start` to `end`; the second half belongs to `far`, the middle to both.
  void tube(const Vec3& start, const Vec3& end, const Vec3& across, int near, int far) {
    const auto first = static_cast<std::uint32_t>(points.size());
    const Vec3 other = (end - start).normalized().cross(across);
    for (int ring = 0; ring < 9; ++ring) {
      for (int side = 0; side < 8; ++side) {
        const double angle = 2 * std::numbers::pi * (side + 0.25) / 8;
        const double part = ring / 8.0;
        points.emplace_back(start + part * (end - start) +
                            0.15 * (std::cos(angle) * across + (1.2 - 0.4 * part) * std::sin(angle) * other));
        const double w = std::clamp(2 * part - 0.5, 0.0, 1.0);
        columns.push_back({{static_cast<std::uint32_t>(near), 1 - w}, {static_cast<std::uint32_t>(far), w}});
      }
    }
    for (std::uint32_t ring = 0; ring < 8; ++ring) {
      for (std::uint32_t side = 0; side < 8; ++side) {
        const std::uint32_t a = first + 8 * ring + side;
        const std::uint32_t b = first + 8 * ring + (side + 1) % 8;
        faces.add(std::array{a, b, b + 8, a + 8});
      }
    }
  }

  /// What is on one side, again on the other.
  void mirrorTube(std::uint32_t firstPoint, int near, int far) {
    const auto shift = static_cast<std::uint32_t>(points.size()) - firstPoint;
    const std::size_t end = points.size();
    for (std::size_t p = firstPoint; p < end; ++p) {
      points.emplace_back(-points[p].x(), points[p].y(), points[p].z());
      columns.push_back({{static_cast<std::uint32_t>(near), columns[p][0].weight},
                         {static_cast<std::uint32_t>(far), columns[p][1].weight}});
    }
    const std::size_t faceEnd = faces.size();
    for (std::size_t f = 0; f < faceEnd; ++f) {
      const auto face = faces[f];
      if (face[0] < firstPoint) continue;
      const std::array twin = {face[3] + shift, face[2] + shift, face[1] + shift, face[0] + shift};
      faces.add(twin);
    }
  }

  Character make() {
    Character character;
    character.skeleton = Skeleton(joints);
    character.mesh.points.resize(3, static_cast<Index>(points.size()));
    for (std::size_t p = 0; p < points.size(); ++p) character.mesh.points.col(static_cast<Index>(p)) = points[p];
    character.mesh.faces = faces;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      character.skin.bindings.push_back({static_cast<int>(j), world[j].inverse()});
    }
    character.skin.weights = SkinWeights::fromColumns(joints.size(), columns);
    return character;
  }
};

/// Joints 0 hips, 1 chest, 2 and 3 one arm, 4 and 5 the other.
Character testBody(const std::array<std::string, 6>& names = {"a", "b", "c", "d", "e", "f"}) {
  BodyMaker maker;
  maker.joint(names[0], -1, Vec3(0, 0, 0));
  maker.joint(names[1], 0, Vec3(0, 0.5, 0));
  maker.joint(names[2], 1, Vec3(0.2, 1, 0));
  maker.joint(names[3], 2, Vec3(0.7, 1, 0));
  maker.joint(names[4], 1, Vec3(-0.2, 1, 0));
  maker.joint(names[5], 4, Vec3(-0.7, 1, 0));
  maker.tube(Vec3(0.3, 0, 0), Vec3(0.3, 1, 0), Vec3::UnitX(), 0, 1);
  maker.mirrorTube(0, 0, 1);
  const auto arms = static_cast<std::uint32_t>(maker.points.size());
  maker.tube(Vec3(0.2, 1, 0), Vec3(1.2, 1.1, 0), Vec3::UnitZ(), 2, 3);
  maker.mirrorTube(arms, 4, 5);
  return maker.make();
}

Pose randomPose(const Character& character, std::uint32_t seed) {
  Lcg random(seed);
  Pose pose = restPose(character);
  for (LocalTransform& local : pose.local) {
    const Vec3 turn = random.vector();
    local.rotation = local.rotation * Quat(Eigen::AngleAxisd(turn.norm(), turn.normalized()));
    local.translation += 0.1 * random.vector();
    local.scale *= 1 + 0.2 * random.symmetric();
  }
  return pose;
}

/// The linear blend, spelled out.
Points posed(const Character& character, const Pose& pose) {
  PosedJoints joints;
  poseJoints(character, pose, joints);
  Points points = Points::Zero(3, character.mesh.vertexCount());
  for (Index v = 0; v < points.cols(); ++v) {
    for (const Influence& influence : character.skin.weights[v]) {
      points.col(v) +=
          influence.weight * (joints.worldFromRest[influence.binding] * Vec3(character.mesh.points.col(v)));
    }
  }
  return points;
}

double largestDifference(const Pose& a, const Pose& b) {
  double most = 0;
  for (std::size_t j = 0; j < a.local.size(); ++j) {
    most = std::max({most, (a.local[j].translation - b.local[j].translation).norm(),
                     (a.local[j].rotation.toRotationMatrix() - b.local[j].rotation.toRotationMatrix()).norm(),
                     (a.local[j].scale - b.local[j].scale).norm()});
  }
  return most;
}

TEST(FindMirror, PairsJointsByPlaceWhateverTheirNamesAndAxes) {
  for (const auto& names : {std::array<std::string, 6>{"a", "b", "c", "d", "e", "f"},
                            std::array<std::string, 6>{"hips", "chest", "arm_l", "hand_l", "arm_r", "hand_r"},
                            // Names that lie: places decide.
                            std::array<std::string, 6>{"left", "right", "arm_l", "hand_r", "arm_r", "hand_l"}}) {
    const MirrorMap map = findMirror(testBody(names));
    EXPECT_EQ(map.axis, 0);
    EXPECT_NEAR(map.offset, 0, 1e-12);
    EXPECT_EQ(map.joint, (std::vector<int>{0, 1, 4, 5, 2, 3})) << names[0];
    EXPECT_EQ(map.report.jointPairs, 2);
    EXPECT_EQ(map.report.centreJoints, 2);
    EXPECT_EQ(map.report.unmatchedVertices, 0);
    EXPECT_EQ(map.report.surfacePartners, 0);
    EXPECT_LT(map.report.max, 1e-12);
    EXPECT_TRUE(map.report.warnings.empty());
  }
}

TEST(FindMirror, TheMapOfVerticesIsAnInvolution) {
  const MirrorMap map = findMirror(testBody());
  for (std::size_t v = 0; v < map.vertex.size(); ++v) {
    ASSERT_EQ(map.vertex[v].kind, MirrorPlace::Kind::Vertex);
    EXPECT_EQ(map.vertex[map.vertex[v].vertex[0]].vertex[0], v);
  }
}

TEST(FindMirror, FindsThePlaneOfABodyThatStandsElsewhere) {
  Character body = testBody();
  const Eigen::Isometry3d motion =
      Eigen::Translation3d(3, 0, -2) * Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitY());
  std::vector<Joint> joints(body.skeleton.joints().begin(), body.skeleton.joints().end());
  joints[0].rest.translation = motion * joints[0].rest.translation;
  joints[0].rest.rotation = Quat(Mat3(motion.linear())) * joints[0].rest.rotation;
  body.skeleton = Skeleton(joints);
  // The mesh stays where the skin binds it: only the skeleton's rest tells where the body is in the world.
  const MirrorMap map = findMirror(body);
  EXPECT_EQ(map.axis, 2);
  EXPECT_NEAR(map.offset, -2, 1e-9);
  EXPECT_EQ(map.report.unmatchedVertices, 0);
  const Pose pose = randomPose(body, 4);
  const Points wanted = mirrorPoints(map, posed(body, pose), body.mesh.points);
  EXPECT_LT((posed(body, mirrorPose(body, map, pose)) - wanted).norm(), 1e-11);
}

TEST(FindMirror, JointsInOnePlaceAreToldApartByWhatHangsOnThem) {
  // Two hip joints in the very middle, with a leg each, and a third that carries nothing.
  BodyMaker maker;
  maker.joint("root", -1, Vec3(0, 1, 0));
  maker.joint("p", 0, Vec3(0, 1, 0));
  maker.joint("q", 0, Vec3(0, 1, 0));
  maker.joint("r", 0, Vec3(0, 1, 0));
  maker.joint("s", 1, Vec3(0.3, 0.5, 0));
  maker.joint("t", 3, Vec3(-0.3, 0.5, 0));
  maker.tube(Vec3(0.3, 1, 0), Vec3(0.3, 0, 0), Vec3::UnitX(), 1, 4);
  maker.mirrorTube(0, 3, 5);
  const MirrorMap map = findMirror(maker.make());
  EXPECT_EQ(map.joint, (std::vector<int>{0, 3, 2, 1, 5, 4}));
}

TEST(FindMirror, NamesSettleWhatPlacesCannot) {
  // Leaves in one place that move nothing: only their names are left.
  BodyMaker maker;
  maker.joint("root", -1, Vec3(0, 0, 0));
  for (const char* name : {"tip", "eye.L", "brow_rgt", "brow_lft", "eye.R"}) maker.joint(name, 0, Vec3(0, 1, 0));
  maker.joint("spine", 0, Vec3(0, 0.5, 0));
  maker.tube(Vec3(0.3, 1, 0), Vec3(0.3, 0, 0), Vec3::UnitX(), 0, 6);
  maker.mirrorTube(0, 0, 6);
  const MirrorMap map = findMirror(maker.make(), {.axis = MirrorAxis::X});
  EXPECT_EQ(map.joint, (std::vector<int>{0, 1, 5, 4, 3, 2, 6}));
}

TEST(FindMirror, SplitVerticesOfASeamAndClosedLipsFindTheirOwn) {
  Character body = testBody();
  // Doubles the vertices of the arms' last rings, turned inside out: the same places, the opposite normals.
  const Index count = body.mesh.vertexCount();
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < count; ++v) columns.emplace_back(body.skin.weights[v].begin(), body.skin.weights[v].end());
  body.mesh.points.conservativeResize(3, 2 * count);
  body.mesh.points.rightCols(count) = body.mesh.points.leftCols(count);
  for (std::size_t v = 0; v < static_cast<std::size_t>(count); ++v) columns.push_back(columns[v]);
  const std::size_t faces = body.mesh.faces.size();
  for (std::size_t f = 0; f < faces; ++f) {
    const auto face = body.mesh.faces[f];
    const auto shift = static_cast<std::uint32_t>(count);
    const std::array inside = {face[3] + shift, face[2] + shift, face[1] + shift, face[0] + shift};
    body.mesh.faces.add(inside);
  }
  body.skin.weights = SkinWeights::fromColumns(body.skin.bindings.size(), columns);
  const MirrorMap map = findMirror(body);
  for (std::size_t v = 0; v < map.vertex.size(); ++v) {
    const bool outer = v < static_cast<std::size_t>(count);
    EXPECT_EQ(map.vertex[v].vertex[0] < count, outer) << "vertex " << v << " left its own lip";
  }
}

TEST(FindMirror, RefusesABodyThatIsNotSymmetric) {
  const Character arm = test::testArm();
  const std::string along = messageOf([&] { (void)findMirror(arm, {.axis = MirrorAxis::X, .offset = 1.0}); });
  EXPECT_NE(along.find("not symmetric in x = 1"), std::string::npos) << along;
  const std::string both = messageOf([&] { (void)findMirror(arm); });
  EXPECT_NE(both.find("no left and right joints"), std::string::npos) << both;
  const std::string axis = messageOf([&] { (void)findMirror(arm, {.axis = static_cast<MirrorAxis>(9)}); });
  EXPECT_NE(axis.find("unknown axis '9'; the choices are auto, x, y, z"), std::string::npos) << axis;
  const std::string offset = messageOf([&] { (void)findMirror(arm, {.offset = 0.0}); });
  EXPECT_NE(offset.find("give the axis too"), std::string::npos) << offset;
  EXPECT_EQ(findMirror(arm, {.axis = MirrorAxis::Y}).report.centreJoints, 3);
}

TEST(FindMirror, ReportsAPartThatOnlyOneSideHas) {
  BodyMaker maker;
  maker.joint("root", -1, Vec3(0, 0, 0));
  maker.joint("left", 0, Vec3(0.3, 0.5, 0));
  maker.joint("right", 0, Vec3(-0.3, 0.5, 0));
  maker.joint("bag", 0, Vec3(0.8, 0.5, 0));
  maker.tube(Vec3(0.3, 0, 0), Vec3(0.3, 1, 0), Vec3::UnitX(), 0, 1);
  maker.mirrorTube(0, 0, 2);
  maker.tube(Vec3(0.8, 0, 0), Vec3(0.8, 1, 0), Vec3::UnitX(), 0, 3);
  const Character body = maker.make();
  const MirrorMap map = findMirror(body, {.axis = MirrorAxis::X, .offset = 0.0});
  EXPECT_EQ(map.report.unmatchedVertices, 72);
  EXPECT_EQ(map.report.firstUnmatchedVertex, 144);
  ASSERT_EQ(map.report.warnings.size(), 2u);
  EXPECT_NE(map.report.warnings[0].find("'bag'"), std::string::npos);

  ExampleSet set;
  Pose lifts = restPose(body);
  lifts.local[1].rotation = lifts.local[1].rotation * Quat(Eigen::AngleAxisd(0.5, Vec3::UnitX()));
  Pose swings = restPose(body);
  swings.local[3].rotation = swings.local[3].rotation * Quat(Eigen::AngleAxisd(0.5, Vec3::UnitX()));
  set.examples = {{"lifts", lifts, posed(body, lifts), {}, 1}, {"swings", swings, posed(body, swings), {}, 1}};
  const MirrorResult result = mirrorExamples(body, set, {.axis = MirrorAxis::X, .offset = 0.0});
  ASSERT_EQ(result.added, std::vector<std::string>{"lifts_mirrored"});
  const Example& made = result.set.examples.back();
  ASSERT_EQ(made.mask.size(), 216u);
  EXPECT_EQ(made.mask[10], 1);
  EXPECT_EQ(made.mask[144], 0);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_NE(result.notes[0].find("'swings' is not mirrored: it moves joint 'bag'"), std::string::npos);
}

TEST(MirrorPose, PosesTheMirrorImageForJointsWithAnyAxes) {
  const Character body = testBody();
  const MirrorMap map = findMirror(body);
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const Pose pose = randomPose(body, seed);
    const Points image = mirrorPoints(map, posed(body, pose), body.mesh.points);
    EXPECT_LT((posed(body, mirrorPose(body, map, pose)) - image).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(MirrorPose, TwiceIsTheSamePose) {
  const Character body = testBody();
  const MirrorMap map = findMirror(body);
  const Pose pose = randomPose(body, 11);
  const Pose mirrored = mirrorPose(body, map, pose);
  EXPECT_GT(largestDifference(pose, mirrored), 0.1);
  EXPECT_LT(largestDifference(pose, mirrorPose(body, map, mirrored)), 1e-12);
}

TEST(MirrorPose, LeavesJointsAtRestToTheBit) {
  const Character body = testBody();
  const MirrorMap map = findMirror(body);
  Pose pose = restPose(body);
  EXPECT_EQ(largestDifference(mirrorPose(body, map, pose), pose), 0);
  pose.local[3].rotation = pose.local[3].rotation * Quat(Eigen::AngleAxisd(1, Vec3::UnitX()));
  const Pose mirrored = mirrorPose(body, map, pose);
  for (const std::size_t still : {0u, 1u, 2u, 3u, 4u}) {
    EXPECT_EQ(mirrored.local[still].rotation.coeffs(), body.skeleton[static_cast<int>(still)].rest.rotation.coeffs());
  }
  EXPECT_NEAR(mirrored.local[5].rotation.angularDistance(body.skeleton[5].rest.rotation), 1, 1e-12);
}

TEST(MirrorPose, WorksWhereOneSideIsScaledByMinusOne) {
  // Some tools mirror a limb by a joint of negative scale.
  Character body = testBody();
  std::vector<Joint> joints(body.skeleton.joints().begin(), body.skeleton.joints().end());
  joints[4].rest.scale = Vec3(-1, 1, 1);
  body.skeleton = Skeleton(joints);
  PosedJoints rest;
  poseJoints(body.skeleton, {}, restPose(body.skeleton), rest);
  // Joint 5 moved with it: put it back in its place.
  joints[5].rest.translation = rest.worldFromJoint[4].inverse() * Vec3(-0.7, 1, 0);
  body.skeleton = Skeleton(joints);
  poseJoints(body.skeleton, {}, restPose(body.skeleton), rest);
  for (Binding& binding : body.skin.bindings) {
    binding.jointFromRest = rest.worldFromJoint[static_cast<std::size_t>(binding.joint)].inverse();
  }
  const MirrorMap map = findMirror(body);
  Pose pose = randomPose(body, 3);
  for (std::size_t j = 0; j < pose.local.size(); ++j)
    pose.local[j].scale = body.skeleton[static_cast<int>(j)].rest.scale;
  const Points image = mirrorPoints(map, posed(body, pose), body.mesh.points);
  EXPECT_LT((posed(body, mirrorPose(body, map, pose)) - image).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(MirrorPose, MorphTargetsOfTheTwoSidesChangePlaces) {
  Character body = testBody();
  const MirrorMap plain = findMirror(body);
  const Index count = body.mesh.vertexCount();
  Lcg random(5);
  Points one = Points::Zero(3, count);
  for (Index v = 144; v < 216; ++v) one.col(v) = random.vector();
  Points two(3, count);
  for (Index v = 0; v < count; ++v) {
    two.col(v) = plain.direction(one.col(plain.vertex[static_cast<std::size_t>(v)].vertex[0]));
  }
  Points both = one + two;
  Points lone = Points::Zero(3, count);
  lone.col(150) = Vec3(0, 1, 0);
  body.morphs = {{"one", 0, 0, one}, {"both", 0, 0, both}, {"two", 0, 0, two}, {"lone", 0, 0, lone}};
  const MirrorMap map = findMirror(body);
  EXPECT_EQ(map.morph, (std::vector<int>{2, 1, 0, -1}));
  Pose pose = restPose(body);
  pose.morphWeights = {0.25, 0.5, 0.75, 0};
  EXPECT_EQ(mirrorPose(body, map, pose).morphWeights, (std::vector<double>{0.75, 0.5, 0.25, 0}));
}

/// A sculpt that is no skinning: waves over the posed shape.
Points sculpted(const Character& body, const Pose& pose) {
  Points points = posed(body, pose);
  for (Index v = 0; v < points.cols(); ++v) points(1, v) += 0.05 * std::sin(3 * points(0, v) + points(2, v));
  return points;
}

TEST(MirrorExamples, AddsEachSideOnceAndKeepsWhatIsThere) {
  const Character body = testBody({"hips", "chest", "arm_l", "hand_l", "arm_r", "hand_r"});
  const MirrorMap map = findMirror(body);
  const Pose raise = [&] {
    Pose pose = restPose(body);
    pose.local[2].rotation = pose.local[2].rotation * Quat(Eigen::AngleAxisd(0.8, Vec3(1, 2, 3).normalized()));
    return pose;
  }();
  Pose open = raise;
  open.local[4] = mirrorPose(body, map, raise).local[4];
  const Pose stride = randomPose(body, 20);
  const Pose other = mirrorPose(body, map, stride);
  ExampleSet set;
  set.drivers = {{"arm_l", 0.5}};
  set.examples = {{"raise_left", raise, sculpted(body, raise), {}, 0.5},
                  {"open", open, sculpted(body, open), {}, 1},
                  {"one", stride, sculpted(body, stride), {}, 1},
                  {"two", other, sculpted(body, other), {}, 1}};
  const MirrorResult result = mirrorExamples(body, set);
  ASSERT_EQ(result.added, std::vector<std::string>{"raise_right"});
  ASSERT_EQ(result.set.examples.size(), 5u);
  EXPECT_EQ(result.set.examples[4].confidence, 0.5);
  ASSERT_EQ(result.notes.size(), 3u);
  EXPECT_NE(result.notes[0].find("already the example 'two'"), std::string::npos);
  EXPECT_EQ(result.notes[2], "'open' is not doubled: its pose is its own mirror image");
  ASSERT_EQ(result.set.drivers.size(), 2u);
  EXPECT_EQ(result.set.drivers[1].joint, "arm_r");
  EXPECT_EQ(result.set.drivers[1].weight, 0.5);
  // Mirroring the mirrored sculpt gives back the same bits.
  const Example& made = result.set.examples[4];
  const Points back = mirrorPoints(result.map, made.points, made.points);
  EXPECT_EQ(back, set.examples[0].points);
  // Now that both sides are there, nothing is added any more.
  EXPECT_TRUE(mirrorExamples(body, result.set).added.empty());
}

TEST(MirrorExamples, AreRefusedWhereManyVerticesHaveNoPartnerAndFewHaveAVertex) {
  Character body = testBody();
  for (Index v = 0; v < body.mesh.vertexCount(); ++v) {
    // The sides have different topologies, and one arm is bent away beyond its third ring.
    if (body.mesh.points(0, v) > 0) body.mesh.points(v < 144 ? 1 : 0, v) += 0.02;
    if (v >= 144 && body.mesh.points(0, v) > 0.5) body.mesh.points(1, v) += 0.2;
  }
  const MirrorOptions options{.axis = MirrorAxis::X, .offset = 0.0};
  const MirrorReport report = findMirror(body, options).report;
  ASSERT_GT(4 * report.unmatchedVertices, body.mesh.vertexCount());
  ASSERT_LT(report.vertexPartners, report.unmatchedVertices);
  ExampleSet set;
  const Pose pose = randomPose(body, 1);
  set.examples = {{"left", pose, posed(body, pose), {}, 1}};
  const std::string message = messageOf([&] { (void)mirrorExamples(body, set, options); });
  EXPECT_NE(message.find("the mesh is not symmetric"), std::string::npos) << message;
  EXPECT_NE(message.find("--force"), std::string::npos) << message;
  MirrorOptions forced = options;
  forced.force = true;
  EXPECT_EQ(mirrorExamples(body, set, forced).added.size(), 1u);
}

TEST(MirrorExamples, NamesStayUniqueAndSizesAreChecked) {
  const Character body = testBody();
  const Pose one = randomPose(body, 1);
  const Pose two = randomPose(body, 2);
  ExampleSet set;
  set.examples = {{"left", one, posed(body, one), {}, 1}, {"right", two, posed(body, two), {}, 1}};
  EXPECT_EQ(mirrorExamples(body, set).added, (std::vector<std::string>{"right_2", "left_2"}));
  set.examples[1].points.conservativeResize(3, 7);
  const std::string message = messageOf([&] { (void)mirrorExamples(body, set); });
  EXPECT_NE(message.find("'right' has 7 vertices"), std::string::npos) << message;
  set.examples[1].points = posed(body, two);
  set.examples[1].pose.local.pop_back();
  EXPECT_NE(messageOf([&] { (void)mirrorExamples(body, set); }).find("'right'"), std::string::npos);
}

TEST(MirrorExamples, TheSameBitsOnOneThreadAndOnSeveral) {
  const Character body = testBody();
  const Pose pose = randomPose(body, 9);
  ExampleSet set;
  set.examples = {{"one", pose, sculpted(body, pose), {}, 1}};
  const MirrorResult several = mirrorExamples(body, set);
  const ThreadLimit one(1);
  EXPECT_EQ(mirrorExamples(body, set).set.examples[1].points, several.set.examples[1].points);
}

TEST(OtherSide, KnowsTheMannersOfNaming) {
  const std::pair<const char*, const char*> rows[] = {{"hand_l", "hand_r"},
                                                      {"Arm.L", "Arm.R"},
                                                      {"L_knee", "R_knee"},
                                                      {"mixamorig:LeftArm", "mixamorig:RightArm"},
                                                      {"leftHand", "rightHand"},
                                                      {"lShldr", "rShldr"},
                                                      {"footR", "footL"},
                                                      {"LArm", "RArm"},
                                                      {"FOOT_LFT", "FOOT_RGT"},
                                                      {"main_gauche", "main_droite"},
                                                      {"Hand links", "Hand rechts"},
                                                      {"左足", "右足"},
                                                      {"stride_left", "stride_right"},
                                                      {"l", "r"},
                                                      {"DEF-thigh.L.001", "DEF-thigh.R.001"}};
  for (const auto& [one, other] : rows) {
    EXPECT_EQ(otherSide(one).value_or("none"), other);
    EXPECT_EQ(otherSide(other).value_or("none"), one);
  }
  for (const char* name : {"", "spine", "lower", "roll", "leftover2", "Root", "hips_01"}) {
    EXPECT_FALSE(otherSide(name)) << name;
  }
}

}  // namespace
}  // namespace sinew::mirror_test
