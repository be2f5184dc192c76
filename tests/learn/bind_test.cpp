#include "sinew/learn/bind.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/base/error.h"
#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/character/pose.h"
#include "support/surfaces.h"
#include "support/test_arm.h"

namespace sinew::bind_test {
namespace {

Mesh meshOf(const test::Surface& surface) {
  Mesh mesh;
  mesh.points = surface.points;
  for (const Triangle& t : surface.triangles) mesh.faces.add(t);
  return mesh;
}

/// Joints at places in the world, without rotation.
Skeleton skeletonAt(const std::vector<std::pair<int, Vec3>>& places) {
  std::vector<Joint> joints;
  for (const auto& [parent, place] : places) {
    Joint joint{"j" + std::to_string(joints.size()), parent, {}};
    joint.rest.translation = parent < 0 ? place : Vec3(place - places[static_cast<std::size_t>(parent)].second);
    joints.push_back(joint);
  }
  return Skeleton(joints);
}

/// A closed tube along a path, with the path's points as rings.
test::Surface sweep(const std::vector<Vec3>& path, double radius, int sides) {
  test::Surface tube;
  const int rings = static_cast<int>(path.size());
  tube.points.resize(3, rings * sides + 2);
  const auto at = [sides](int ring, int side) { return static_cast<std::uint32_t>(ring * sides + side % sides); };
  for (int i = 0; i < rings; ++i) {
    const auto p = static_cast<std::size_t>(i);
    const Vec3 tangent = (path[std::min(p + 1, path.size() - 1)] - path[p == 0 ? 0 : p - 1]).normalized();
    const Vec3 u = Vec3::UnitZ();
    const Vec3 v = tangent.cross(u);
    // The end rings are drawn in, so that the tube is round there.
    const double r = radius * (i == 0 || i + 1 == rings ? 0.6 : 1.0);
    for (int j = 0; j < sides; ++j) {
      const double angle = 2 * std::numbers::pi * j / sides;
      tube.points.col(at(i, j)) = path[p] + r * (std::cos(angle) * u + std::sin(angle) * v);
    }
  }
  const auto first = static_cast<std::uint32_t>(rings * sides);
  tube.points.col(first) = path.front() - 0.2 * radius * (path[1] - path[0]).normalized();
  tube.points.col(first + 1) = path.back() + 0.2 * radius * (path.back() - path[path.size() - 2]).normalized();
  tube.triangles = test::tubeTriangles(rings, sides);
  return tube;
}

constexpr double kRadius = 1;
constexpr double kFinger = 10;

/// Two fingers side by side, joined below by a bend: one surface. `gap` is what lies between their skins.
Mesh fingersOfOneHand(double gap) {
  const double apart = 2 * kRadius + gap;
  std::vector<Vec3> path;
  for (int i = 0; i <= 40; ++i) path.emplace_back(0, kFinger * (40 - i) / 40.0, 0);
  for (int i = 1; i < 20; ++i) {
    const double angle = std::numbers::pi * i / 20;
    path.emplace_back(0.5 * apart * (1 - std::cos(angle)), -0.5 * apart * std::sin(angle), 0);
  }
  for (int i = 0; i <= 40; ++i) path.emplace_back(apart, kFinger * i / 40.0, 0);
  return meshOf(sweep(path, kRadius, 24));
}

/// The same as two pieces without a palm.
Mesh fingersApart(double gap) {
  const double apart = 2 * kRadius + gap;
  const test::Surface left = test::capsuleSurface(Vec3(0, 0, 0), Vec3(0, kFinger, 0), kRadius, 40, 24);
  const test::Surface right = test::capsuleSurface(Vec3(apart, 0, 0), Vec3(apart, kFinger, 0), kRadius, 40, 24);
  return meshOf(test::joined(left, right));
}

/// Palm 0, then joints 1 to 3 of the left finger and 4 to 6 of the right one.
Skeleton handSkeleton(double gap) {
  const double apart = 2 * kRadius + gap;
  return skeletonAt({{-1, Vec3(0.5 * apart, -0.5 * apart, 0)},
                     {0, Vec3(0, 0.5, 0)},
                     {1, Vec3(0, 4, 0)},
                     {2, Vec3(0, 7, 0)},
                     {0, Vec3(apart, 0.5, 0)},
                     {4, Vec3(apart, 4, 0)},
                     {5, Vec3(apart, 7, 0)}});
}

/// The largest weight that a finger's skin gives to the other finger's joints, away from the palm.
double bleeding(const Mesh& mesh, const Skin& skin, double gap) {
  double most = 0;
  for (Index v = 0; v < mesh.vertexCount(); ++v) {
    if (mesh.points(1, v) < 2.5) continue;
    const bool left = mesh.points(0, v) < kRadius + 0.5 * gap - 1e-9;
    const bool between = std::abs(mesh.points(0, v) - (kRadius + 0.5 * gap)) <= 1e-9;
    double other = 0;
    for (const Influence& influence : skin.weights[v]) {
      const bool onLeft = influence.binding >= 1 && influence.binding <= 3;
      const bool onRight = influence.binding >= 4;
      if (between ? false : (left ? onRight : onLeft)) other += influence.weight;
    }
    most = std::max(most, other);
  }
  return most;
}

TEST(Bind, FingersOfOneHandDoNotBleedIntoEachOther) {
  for (const auto& [method, name] : kChoices<BindMethod>) {
    for (const double gap : {0.4, 0.1, 0.02}) {
      const Mesh mesh = fingersOfOneHand(gap);
      const BindResult bound = bindSkin(mesh, handSkeleton(gap), {.method = method});
      EXPECT_EQ(bound.report.pieces, 1);
      EXPECT_EQ(bound.report.unreached, 0);
      EXPECT_LT(bleeding(mesh, bound.skin, gap), 1e-3) << name << " gap " << gap;
    }
  }
}

TEST(Bind, SeparateFingersThatTouchOrOverlapDoNotBleed) {
  for (const auto& [method, name] : kChoices<BindMethod>) {
    for (const double gap : {0.3, 0.0, -0.2}) {
      const Mesh mesh = fingersApart(gap);
      const BindResult bound = bindSkin(mesh, handSkeleton(gap), {.method = method});
      EXPECT_EQ(bound.report.pieces, 2);
      // Fingers are distinguished by vertex number, since positions are ambiguous where they touch.
      const Index half = mesh.vertexCount() / 2;
      for (Index v = 0; v < mesh.vertexCount(); ++v) {
        for (const Influence& influence : bound.skin.weights[v]) {
          if (influence.binding == 0) continue;
          EXPECT_EQ(influence.binding <= 3, v < half) << name << " gap " << gap << " vertex " << v;
        }
      }
    }
  }
}

TEST(Bind, WeightsAlongAnArmAreMonotoneSymmetricAndRigidAwayFromTheElbow) {
  const Mesh mesh = meshOf(test::capsuleSurface(Vec3(-5, 0, 0), Vec3(5, 0, 0), 1, 60, 16));
  const Skeleton skeleton = skeletonAt({{-1, Vec3(-5, 0, 0)}, {0, Vec3(0, 0, 0)}, {1, Vec3(5, 0, 0)}});
  for (const auto& [method, name] : kChoices<BindMethod>) {
    // The last joint ends the lower bone and is no bone itself.
    const BindResult bound = bindSkin(mesh, skeleton, {.method = method, .joints = {0, 1}});
    for (int side = 0; side < 16; ++side) {
      double before = -1e-9;
      for (int ring = 0; ring < 60; ++ring) {
        const Index v = ring * 16 + side;
        const double lower = bound.skin.weights.weight(v, 1);
        EXPECT_GE(lower, before - 1e-9) << name << " ring " << ring;
        before = lower;
        EXPECT_NEAR(lower + bound.skin.weights.weight((59 - ring) * 16 + side, 1), 1, 0.02) << name;
        EXPECT_NEAR(lower, bound.skin.weights.weight(ring * 16, 1), 0.02) << name << " around the limb";
        const double x = mesh.points(0, v);
        if (std::abs(x) > 3) {
          EXPECT_NEAR(lower, x > 0 ? 1 : 0, method == BindMethod::Geodesic ? 0 : 0.05) << name;
        }
      }
    }
  }
}

TEST(Bind, BlendIsASmoothstepOfTheLimbsRadius) {
  const Mesh mesh = meshOf(test::capsuleSurface(Vec3(-5, 0, 0), Vec3(5, 0, 0), 1, 200, 24));
  const Skeleton skeleton = skeletonAt({{-1, Vec3(-5, 0, 0)}, {0, Vec3(0, 0, 0)}, {1, Vec3(5, 0, 0)}});
  const BindResult bound = bindSkin(mesh, skeleton, {.falloff = 2, .joints = {0, 1}});
  for (Index v = 0; v < mesh.vertexCount(); ++v) {
    const double t = std::clamp(0.5 + mesh.points(0, v) / 4, 0.0, 1.0);
    EXPECT_NEAR(bound.skin.weights.weight(v, 1), t * t * (3 - 2 * t), 0.02);
  }
}

TEST(Bind, BoneOffTheAxisStillBlendsEvenlyAroundTheLimb) {
  const Mesh mesh = meshOf(test::capsuleSurface(Vec3(-5, 0, 0), Vec3(5, 0, 0), 1, 60, 16));
  const Skeleton skeleton = skeletonAt({{-1, Vec3(-5, 0.6, 0)}, {0, Vec3(0, 0.6, 0)}, {1, Vec3(5, 0.6, 0)}});
  const BindResult bound = bindSkin(mesh, skeleton, {.joints = {0, 1}});
  double most = 0;  // the bone is four times nearer on one side than on the other
  for (Index v = 0; v < 60 * 16; ++v) {
    most = std::max(most, std::abs(bound.skin.weights.weight(v, 1) - bound.skin.weights.weight(v / 16 * 16, 1)));
  }
  EXPECT_LT(most, 0.08);
}

TEST(Bind, SplitSeamsGetEqualWeightsBitForBit) {
  const test::Surface tube = test::capsuleSurface(Vec3(-3, 0, 0), Vec3(3, 0, 0), 1, 30, 12);
  const Skeleton skeleton = skeletonAt({{-1, Vec3(-3, 0, 0)}, {0, Vec3(0, 0, 0)}});
  // Every triangle gets vertices of its own, as flat shading does.
  Mesh split;
  split.points.resize(3, static_cast<Index>(3 * tube.triangles.size()));
  std::vector<std::uint32_t> origin;
  for (const Triangle& t : tube.triangles) {
    const auto first = static_cast<std::uint32_t>(origin.size());
    for (const std::uint32_t corner : t) {
      split.points.col(static_cast<Index>(origin.size())) = tube.points.col(corner);
      origin.push_back(corner);
    }
    split.faces.add(std::array{first, first + 1, first + 2});
  }
  for (const auto& [method, name] : kChoices<BindMethod>) {
    const BindResult bound = bindSkin(split, skeleton, {.method = method});
    EXPECT_EQ(bound.report.points, tube.points.cols());
    EXPECT_EQ(bound.report.pieces, 1);
    std::vector<Index> firstOf(static_cast<std::size_t>(tube.points.cols()), -1);
    for (std::size_t v = 0; v < origin.size(); ++v) {
      Index& first = firstOf[origin[v]];
      if (first < 0) first = static_cast<Index>(v);
      const auto a = bound.skin.weights[first];
      const auto b = bound.skin.weights[static_cast<Index>(v)];
      EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    }
    const BindResult whole = bindSkin(meshOf(tube), skeleton, {.method = method});
    for (std::size_t v = 0; v < origin.size(); ++v) {
      EXPECT_NEAR(bound.skin.weights.weight(static_cast<Index>(v), 1), whole.skin.weights.weight(origin[v], 1), 1e-9);
    }
  }
}

TEST(Bind, PieceThatSeesNoBoneFollowsTheNearestRigidly) {
  const test::Surface arm = test::capsuleSurface(Vec3(-5, 0, 0), Vec3(5, 0, 0), 1, 40, 16);
  const test::Surface button = test::capsuleSurface(Vec3(3, 1.5, 0), Vec3(3.2, 1.5, 0), 0.2, 6, 8);
  const Mesh mesh = meshOf(test::joined(arm, button));
  const Skeleton skeleton = skeletonAt({{-1, Vec3(-5, 0, 0)}, {0, Vec3(0, 0, 0)}});
  for (const auto& [method, name] : kChoices<BindMethod>) {
    const BindResult bound = bindSkin(mesh, skeleton, {.method = method});
    EXPECT_EQ(bound.report.pieces, 2);
    EXPECT_EQ(bound.report.unreachedPieces, 1);
    EXPECT_EQ(bound.report.unreached, button.points.cols());
    for (Index v = arm.points.cols(); v < mesh.vertexCount(); ++v) {
      ASSERT_EQ(bound.skin.weights[v].size(), 1u) << name;
      EXPECT_EQ(bound.skin.weights[v][0], (Influence{1, 1.0}));
    }
    EXPECT_NE(bound.report.sentence().find("see no bone"), std::string::npos) << bound.report.sentence();
  }
}

TEST(Bind, WarnsWhereSkeletonAndMeshDoNotFit) {
  const Character arm = test::testArm(41, 24);
  const auto warningsOf = [&](double scale, const Vec3& shift) {
    std::vector<std::pair<int, Vec3>> places;
    for (int j = 0; j < 5; ++j) places.emplace_back(j - 1, scale * Vec3(-0.9 + 0.4 * j, 0, 0) + shift);
    std::string all;
    for (const std::string& warning : bindSkin(arm.mesh, skeletonAt(places)).report.warnings) all += warning + "\n";
    return all;
  };
  EXPECT_EQ(warningsOf(1, Vec3::Zero()), "");
  EXPECT_NE(warningsOf(0.01, Vec3::Zero()).find("times the size of the mesh"), std::string::npos);
  EXPECT_NE(warningsOf(100, Vec3::Zero()).find("times the size of the mesh"), std::string::npos);
  EXPECT_NE(warningsOf(100, Vec3::Zero()).find("move no vertex: 'j"), std::string::npos)
      << warningsOf(100, Vec3::Zero());
  const std::string elsewhere = warningsOf(1, Vec3(0, 5, 0));
  EXPECT_NE(elsewhere.find("5 of 5 joints are outside the mesh"), std::string::npos) << elsewhere;
  EXPECT_NE(elsewhere.find("vertices see no bone"), std::string::npos) << elsewhere;
}

TEST(Bind, SleeveOverAnArmIsBoundLikeTheArm) {
  // The arm's skin lies between the sleeve and the bones: it must not hide them.
  const test::Surface arm = test::capsuleSurface(Vec3(-5, 0, 0), Vec3(5, 0, 0), 1, 50, 16);
  const test::Surface sleeve = test::capsuleSurface(Vec3(-5, 0, 0), Vec3(5, 0, 0), 1.1, 50, 16);
  const Mesh mesh = meshOf(test::joined(arm, sleeve));
  const Skeleton skeleton = skeletonAt({{-1, Vec3(-5, 0, 0)}, {0, Vec3(0, 0, 0)}});
  for (const auto& [method, name] : kChoices<BindMethod>) {
    const BindResult bound = bindSkin(mesh, skeleton, {.method = method});
    EXPECT_EQ(bound.report.unreached, 0);
    for (Index v = 0; v < arm.points.cols(); ++v) {
      EXPECT_NEAR(bound.skin.weights.weight(v, 1), bound.skin.weights.weight(v + arm.points.cols(), 1), 0.05) << name;
    }
  }
}

TEST(Bind, InsideOutAndOpenMeshesAreBoundTheSameWay) {
  const Character open = test::testArm(41, 16);
  Mesh turned = open.mesh;
  Mesh faces;
  for (std::size_t f = 0; f < turned.faces.size(); ++f) {
    const auto face = turned.faces[f];
    faces.faces.add(std::vector<std::uint32_t>(face.rbegin(), face.rend()));
  }
  turned.faces = faces.faces;
  for (const auto& [method, name] : kChoices<BindMethod>) {
    const BindResult a = bindSkin(open.mesh, open.skeleton, {.method = method});
    const BindResult b = bindSkin(turned, open.skeleton, {.method = method});
    EXPECT_EQ(a.report.unreached, 0);
    EXPECT_EQ(b.report.unreached, 0);
    for (Index v = 0; v < open.mesh.vertexCount(); ++v) {
      EXPECT_NEAR(a.skin.weights.weight(v, 2), b.skin.weights.weight(v, 2), 1e-6);
      // The root stands on its only child and moves nothing itself.
      EXPECT_EQ(a.skin.weights.weight(v, 0), 0);
    }
    EXPECT_GT(a.skin.weights.weight(open.mesh.vertexCount() - 1, 2), 0.97);
    EXPECT_LT(a.skin.weights.weight(0, 2), 0.03);
  }
}

TEST(Bind, RestPoseStaysWhereItIs) {
  std::vector<Joint> joints;
  const Character arm = test::testArm();
  for (Joint joint : arm.skeleton.joints()) {
    joint.rest.rotation = Quat(Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized()));
    joint.rest.scale = Vec3::Constant(1.5);
    joints.push_back(joint);
  }
  const Skeleton skeleton(joints);
  const BindResult bound = bindSkin(arm.mesh, skeleton);
  ASSERT_EQ(bound.skin.bindings.size(), 3u);
  PosedJoints posed;
  poseJoints(skeleton, bound.skin.bindings, restPose(skeleton), posed);
  for (const Affine& worldFromRest : posed.worldFromRest) {
    EXPECT_LT((worldFromRest.matrix() - Affine::Identity().matrix()).norm(), 1e-9);
  }
}

TEST(Bind, HandAtTheEndOfAChainGetsTheSkinBeyondTheWrist) {
  const Mesh mesh = meshOf(test::capsuleSurface(Vec3(-5, 0, 0), Vec3(5, 0, 0), 1, 60, 16));
  const Skeleton skeleton = skeletonAt({{-1, Vec3(-5, 0, 0)}, {0, Vec3(0, 0, 0)}, {1, Vec3(3, 0, 0)}});
  for (const auto& [method, name] : kChoices<BindMethod>) {
    const BindResult bound = bindSkin(mesh, skeleton, {.method = method});
    for (Index v = 0; v < mesh.vertexCount(); ++v) {
      if (mesh.points(0, v) > 5) {
        EXPECT_GT(bound.skin.weights.weight(v, 2), 0.9) << name;
      }
      if (mesh.points(0, v) > 0.5 && mesh.points(0, v) < 2) {
        EXPECT_GT(bound.skin.weights.weight(v, 1), 0.5) << name;
      }
    }
  }
}

TEST(Bind, OnlyChosenJointsMoveVerticesAndOthersArePassedThrough) {
  const Mesh mesh = meshOf(test::capsuleSurface(Vec3(-5, 0, 0), Vec3(5, 0, 0), 1, 40, 12));
  const Skeleton skeleton = skeletonAt({{-1, Vec3(0, -50, 0)},  // a scene node
                                        {0, Vec3(-5, 0, 0)},
                                        {1, Vec3(-2, 0, 0)},  // left out
                                        {2, Vec3(0, 0, 0)},
                                        {3, Vec3(5, 0, 0)}});  // an end marker, left out
  const BindResult bound = bindSkin(mesh, skeleton, {.joints = {3, 1}});
  ASSERT_EQ(bound.skin.bindings.size(), 2u);
  EXPECT_EQ(bound.skin.bindings[0].joint, 3);
  EXPECT_EQ(bound.skin.bindings[1].joint, 1);
  for (Index v = 0; v < mesh.vertexCount(); ++v) {
    if (mesh.points(0, v) > 2) {
      EXPECT_GT(bound.skin.weights.weight(v, 0), 0.95);
    }
    if (mesh.points(0, v) < -2) {
      EXPECT_GT(bound.skin.weights.weight(v, 1), 0.95);
    }
  }
}

TEST(Bind, InfluencesAreLimited) {
  const double gap = 0.4;
  const Mesh mesh = fingersOfOneHand(gap);
  for (const auto& [method, name] : kChoices<BindMethod>) {
    for (const int most : {1, 2, 3}) {
      const BindResult bound = bindSkin(mesh, handSkeleton(gap), {.method = method, .maxInfluences = most});
      EXPECT_LE(bound.skin.weights.maxInfluences(), most);
    }
  }
}

TEST(Bind, HardMeshesAreBoundAllTheSame) {
  test::Surface tube = test::capsuleSurface(Vec3(-3, 0, 0), Vec3(3, 0, 0), 1, 30, 12);
  const Index clean = tube.points.cols();
  tube.points.conservativeResize(3, clean + 5);
  tube.points.col(clean) = Vec3(2, 4, 0);  // loose
  tube.points.col(clean + 1) = Vec3(0, 3, 0);
  tube.points.col(clean + 2) = Vec3(0.1, 3, 0);
  tube.points.col(clean + 3) = Vec3(0.2, 3, 0);  // with the two above: a triangle without area, on its own
  tube.points.col(clean + 4) = Vec3(0, 0, 2);
  const auto c = static_cast<std::uint32_t>(clean);
  tube.triangles.push_back({c + 1, c + 2, c + 3});
  tube.triangles.push_back({40, 41, c + 4});  // a fin: an edge with three triangles
  tube.triangles.push_back({50, 50, 51});     // a repeated corner
  tube.triangles.push_back(tube.triangles[20]);
  tube.triangles.push_back({60, 72, 84});  // a sliver over others
  const Mesh mesh = meshOf(tube);
  const Skeleton skeleton = skeletonAt({{-1, Vec3(-3, 0, 0)}, {0, Vec3(0, 0, 0)}});
  for (const auto& [method, name] : kChoices<BindMethod>) {
    const BindResult bound = bindSkin(mesh, skeleton, {.method = method});
    ASSERT_EQ(bound.skin.weights.vertexCount(), mesh.vertexCount());
    EXPECT_EQ(bound.report.pieces, 3);
    EXPECT_EQ(bound.report.unreached, 4);
    EXPECT_EQ(bound.skin.weights.weight(clean, 1), 1) << "the loose vertex is nearest to the lower bone";
    EXPECT_GT(bound.skin.weights.weight(29 * 12, 1), 0.97);
    EXPECT_GT(bound.skin.weights.weight(0, 0), 0.97);
  }
}

TEST(Bind, PointsWithoutFacesFollowTheirNearestBones) {
  Mesh mesh;
  mesh.points.resize(3, 3);
  mesh.points << -1, 1, 5,  //
      0, 1, 0,              //
      0, 0, 0;
  const Skeleton skeleton = skeletonAt({{-1, Vec3(-2, 0, 0)}, {0, Vec3(0, 0, 0)}, {1, Vec3(4, 0, 0)}});
  for (const auto& [method, name] : kChoices<BindMethod>) {
    const BindResult bound = bindSkin(mesh, skeleton, {.method = method});
    EXPECT_EQ(bound.skin.weights.weight(0, 0), 1);
    EXPECT_EQ(bound.skin.weights.weight(1, 1), 1);
    EXPECT_EQ(bound.skin.weights.weight(2, 2), 1);
    EXPECT_EQ(bound.report.unreached, 3);
  }
}

TEST(Bind, OneJointOrOneVertexIsEnough) {
  const Mesh ball = meshOf(test::sphereSurface(1, 8, 12));
  Mesh speck;
  speck.points = Points::Zero(3, 1);
  const Skeleton one = skeletonAt({{-1, Vec3(0.1, 0, 0)}});
  for (const auto& [method, name] : kChoices<BindMethod>) {
    const BindResult bound = bindSkin(ball, one, {.method = method});
    for (Index v = 0; v < ball.vertexCount(); ++v) EXPECT_EQ(bound.skin.weights.weight(v, 0), 1);
    EXPECT_EQ(bindSkin(speck, one, {.method = method}).skin.weights.weight(0, 0), 1);
    EXPECT_EQ(bindSkin(speck, skeletonAt({{-1, Vec3::Zero()}, {0, Vec3::Zero()}}), {.method = method})
                  .skin.weights.vertexCount(),
              1);
  }
  EXPECT_EQ(bindSkin(Mesh{}, one).skin.weights.vertexCount(), 0);
}

TEST(Bind, MovesWithTheWorld) {
  const double gap = 0.4;
  Mesh mesh = fingersOfOneHand(gap);
  const Skeleton skeleton = handSkeleton(gap);
  const Eigen::Isometry3d motion =
      Eigen::Translation3d(30, -20, 10) * Eigen::AngleAxisd(1.2, Vec3(1, -1, 2).normalized());
  Mesh moved = mesh;
  moved.points = (motion * mesh.points).eval();
  std::vector<Joint> joints(skeleton.joints().begin(), skeleton.joints().end());
  joints[0].rest.translation = motion * joints[0].rest.translation;
  joints[0].rest.rotation = Quat(motion.linear());
  for (const auto& [method, name] : kChoices<BindMethod>) {
    const BindResult a = bindSkin(mesh, skeleton, {.method = method});
    const BindResult b = bindSkin(moved, Skeleton(joints), {.method = method});
    double most = 0;
    for (Index v = 0; v < mesh.vertexCount(); ++v) {
      for (std::uint32_t j = 0; j < 7; ++j) {
        most = std::max(most, std::abs(a.skin.weights.weight(v, j) - b.skin.weights.weight(v, j)));
      }
    }
    EXPECT_LT(most, 0.01) << name;
  }
}

TEST(Bind, SameBitsOnOneAndManyThreads) {
  const double gap = 0.4;
  const Mesh mesh = fingersOfOneHand(gap);
  for (const auto& [method, name] : kChoices<BindMethod>) {
    const BindResult many = bindSkin(mesh, handSkeleton(gap), {.method = method});
    const ThreadLimit one(1);
    EXPECT_EQ(many.skin.weights, bindSkin(mesh, handSkeleton(gap), {.method = method}).skin.weights) << name;
  }
}

std::string refusal(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options = {}) {
  try {
    (void)bindSkin(mesh, skeleton, options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Bind, RefusesWhatCannotBeBound) {
  const Character arm = test::testArm();
  EXPECT_NE(refusal(arm.mesh, Skeleton()).find("no joints"), std::string::npos);
  EXPECT_NE(refusal(arm.mesh, arm.skeleton, {.method = static_cast<BindMethod>(7)})
                .find("unknown method '7'; the choices are geodesic, heat"),
            std::string::npos);
  EXPECT_NE(refusal(arm.mesh, arm.skeleton, {.maxInfluences = 0}).find("at least 1"), std::string::npos);
  EXPECT_NE(refusal(arm.mesh, arm.skeleton, {.falloff = -1}).find("falloff"), std::string::npos);
  EXPECT_NE(refusal(arm.mesh, arm.skeleton, {.heat = 0}).find("heat"), std::string::npos);
  EXPECT_NE(refusal(arm.mesh, arm.skeleton, {.joints = {3}}).find("joint 3"), std::string::npos);
  EXPECT_NE(refusal(arm.mesh, arm.skeleton, {.joints = {1, 1}}).find("twice"), std::string::npos);
  Mesh broken = arm.mesh;
  broken.points(0, 5) = std::nan("");
  EXPECT_NE(refusal(broken, arm.skeleton).find("vertex 5"), std::string::npos);
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  joints[1].rest.scale = Vec3(1, 0, 1);
  EXPECT_NE(refusal(arm.mesh, Skeleton(joints)).find("'upper'"), std::string::npos);
}

TEST(Bind, ProgressRisesAndCanStopTheWork) {
  const Character arm = test::testArm();
  for (const auto& [method, name] : kChoices<BindMethod>) {
    double last = -1;
    (void)bindSkin(arm.mesh, arm.skeleton, {.method = method}, [&](const ProgressState& state) {
      EXPECT_GE(state.fraction, last);
      last = state.fraction;
      return true;
    });
    EXPECT_EQ(last, 1);
    try {
      (void)bindSkin(arm.mesh, arm.skeleton, {.method = method},
                     [](const ProgressState& state) { return state.fraction < 0.5; });
      FAIL() << "the work went on";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::Cancelled);
    }
  }
}

}  // namespace
}  // namespace sinew::bind_test
