#include "sinew/manipulate/drag_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "sinew/base/parallel.h"
#include "sinew/samples/samples.h"
#include "support/allocations.h"
#include "support/message_of.h"
#include "support/surfaces.h"
#include "support/test_arm.h"

namespace sinew::drag_weights_test {
namespace {

using test::bentArmPose;
using test::messageOf;
using test::testArm;

constexpr Index kElbow = 10 * 12;  ///< in the middle ring of the test arm: half upper, half lower

/// The skin after a drag, posed.
Points posedWith(const Character& character, const SkinWeights& weights, const Pose& pose) {
  Character changed = character;
  changed.skin.weights = weights;
  return posePoints(changed, pose);
}

/// Between two bones more joints: every vertex may follow upper, lower and root.
Character threeJoints() {
  Character arm = testArm();
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < arm.mesh.vertexCount(); ++v) {
    columns.push_back({{0, 0.2}});
    for (const Influence& influence : arm.skin.weights[v])
      columns.back().push_back({influence.binding, 0.8 * influence.weight});
  }
  arm.skin.weights = SkinWeights::fromColumns(3, columns);
  return arm;
}

Pose twistedPose(const Character& arm) {
  Pose pose = bentArmPose(arm);
  pose.local[1].rotation = Quat(Eigen::AngleAxisd(0.9, Vec3(0.2, 1, 0.4).normalized()));
  return pose;
}

/// The test arm as in files: the side 0 of the tube is a seam with duplicated vertices.
Character armWithSeam() {
  Character arm = testArm();
  const Index old = arm.mesh.vertexCount();
  Points points(3, old + 21);
  points.leftCols(old) = arm.mesh.points;
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < old; ++v) columns.emplace_back(arm.skin.weights[v].begin(), arm.skin.weights[v].end());
  for (Index ring = 0; ring < 21; ++ring) {
    points.col(old + ring) = arm.mesh.points.col(12 * ring);
    columns.push_back(columns[static_cast<std::size_t>(12 * ring)]);
  }
  for (std::uint32_t& corner : arm.mesh.faces.corner) {
    // Quads of the last side come back to side 0: there they take the second vertices.
    const std::size_t face = static_cast<std::size_t>(&corner - arm.mesh.faces.corner.data()) / 4;
    if (face % 12 == 11 && corner % 12 == 0) corner = static_cast<std::uint32_t>(old + corner / 12);
  }
  arm.mesh.points = points;
  arm.mesh.parts[0].vertexCount = points.cols();
  arm.skin.weights = SkinWeights::fromColumns(3, columns);
  return arm;
}

TEST(DragSession, PutsAVertexWhereItsHullIsNearest) {
  const Character arm = testArm();
  const Pose pose = bentArmPose(arm);
  DragSession session(arm, {.vertices = {kElbow}, .pose = pose}, {.presentOnly = true});
  const ReachableSet set = session.reachable(0);
  ASSERT_EQ(set.hull.dimension, 1);
  ASSERT_EQ(set.joints.size(), 2u);
  EXPECT_EQ(session.vertices()[0].start, posePoints(arm, pose).col(kElbow));

  // A quarter of the way along the segment, and beside it by less than that matters.
  const Vec3 along = set.corners.col(1) - set.corners.col(0);
  const Vec3 beside = 0.1 * along.unitOrthogonal();
  session.drag(set.corners.col(0) + 0.25 * along + beside);
  const DraggedVertex& vertex = session.vertices()[0];
  EXPECT_NEAR(vertex.distance, 0.1, 1e-12);
  EXPECT_FALSE(vertex.reachable);
  EXPECT_LT((vertex.reached - (set.corners.col(0) + 0.25 * along)).norm(), 1e-12);
  ASSERT_EQ(session.weights(0).size(), 2u);
  EXPECT_NEAR(session.weights(0)[0].weight, 0.75, 1e-9);
  EXPECT_EQ(arm.skin.bindings[session.weights(0)[0].binding].joint, set.joints[0]);
  const Points posed = posedWith(arm, session.finish(), pose);
  EXPECT_LT((posed.col(kElbow) - vertex.reached).norm(), 1e-9);
  // Nothing else moves.
  Points others = posed - posePoints(arm, pose);
  others.col(kElbow).setZero();
  EXPECT_TRUE(others.isZero(0));
}

TEST(DragSession, LeavesWeightsAsTheyAreAtRestAndWithoutMotion) {
  const Character arm = testArm();
  DragSession atRest(arm, {.vertices = {kElbow}, .pose = restPose(arm)});
  atRest.move(Vec3(0.1, 0.2, 0));
  EXPECT_EQ(atRest.reachable(0).hull.dimension, 0);
  EXPECT_FALSE(atRest.vertices()[0].reachable);
  EXPECT_EQ(atRest.finish(), arm.skin.weights);

  DragSession still(arm, {.vertices = {kElbow, kElbow + 13}, .pose = bentArmPose(arm)}, {.soft = 0.3});
  still.move(Vec3(0.05, 0, 0));
  EXPECT_NE(still.finish(), arm.skin.weights);
  still.move(Vec3::Zero());
  for (std::size_t k = 0; k < still.vertices().size(); ++k) {
    EXPECT_TRUE(still.vertices()[k].reachable);
    for (const Influence& influence : still.weights(k))
      EXPECT_NEAR(influence.weight, arm.skin.weights.weight(still.vertices()[k].vertex, influence.binding), 1e-12);
  }
}

TEST(DragSession, MovesTheTargetWithTheWorld) {
  const Character arm = threeJoints();
  const Pose pose = twistedPose(arm);
  const Eigen::Isometry3d motion = Eigen::Translation3d(3, -2, 1) * Eigen::AngleAxisd(1.1, Vec3(1, -1, 2).normalized());
  const Vec3 way(0.2, -0.1, 0.15);
  DragSession here(arm, {.vertices = {kElbow}, .pose = pose});
  DragSession there(arm, {.vertices = {kElbow}, .pose = movedBy(arm.skeleton, pose, motion)});
  here.move(way);
  there.move(motion.linear() * way);
  EXPECT_NEAR(there.vertices()[0].distance, here.vertices()[0].distance, 1e-12);
  EXPECT_LT((motion * here.vertices()[0].reached - there.vertices()[0].reached).norm(), 1e-12);
  for (std::size_t i = 0; i < here.weights(0).size(); ++i)
    EXPECT_NEAR(here.weights(0)[i].weight, there.weights(0)[i].weight, 1e-9);
}

TEST(DragSession, KeepsLockedWeightsAndShowsWhatIsLeft) {
  const Character arm = threeJoints();
  const Pose pose = twistedPose(arm);
  DragSession free(arm, {.vertices = {kElbow}, .pose = pose});
  DragSession session(arm, {.vertices = {kElbow}, .pose = pose}, {.locked = {0}});
  const ReachableSet set = session.reachable(0);
  EXPECT_EQ(free.reachable(0).hull.dimension, 2);
  EXPECT_EQ(set.hull.dimension, 1);
  EXPECT_LT(set.hull.diameter, free.reachable(0).hull.diameter);
  session.move(Vec3(0.4, 0.3, -0.2));
  free.move(Vec3(0.4, 0.3, -0.2));
  const SkinWeights weights = session.finish();
  EXPECT_EQ(weights.weight(kElbow, 0), arm.skin.weights.weight(kElbow, 0));
  EXPECT_NE(weights.weight(kElbow, 1), arm.skin.weights.weight(kElbow, 1));
  EXPECT_GE(session.vertices()[0].distance, free.vertices()[0].distance);
  EXPECT_LT((posedWith(arm, weights, pose).col(kElbow) - session.vertices()[0].reached).norm(), 1e-9);

  DragSession all(arm, {.vertices = {kElbow}, .pose = pose}, {.locked = {0, 1, 2}});
  all.move(Vec3(0.4, 0.3, -0.2));
  EXPECT_EQ(all.finish(), arm.skin.weights);
  EXPECT_EQ(all.reachable(0).hull.dimension, 0);
}

TEST(DragSession, LimitsAddsAndChoosesJoints) {
  const Character arm = threeJoints();
  const Pose pose = twistedPose(arm);
  DragSession two(arm, {.vertices = {kElbow}, .pose = pose}, {.maxInfluences = 2});
  two.move(Vec3(0.1, 0.05, 0));
  EXPECT_LE(two.weights(0).size(), 2u);

  const Character plain = testArm();
  DragSession without(plain, {.vertices = {kElbow}, .pose = twistedPose(plain)}, {.presentOnly = true});
  DragSession with(plain, {.vertices = {kElbow}, .pose = twistedPose(plain)}, {.presentOnly = true, .added = {0}});
  const Vec3 target = with.reachable(0).corners.rowwise().mean();
  without.drag(target);
  with.drag(target);
  EXPECT_GT(without.vertices()[0].distance, 0.01);
  EXPECT_TRUE(with.vertices()[0].reachable);
  EXPECT_EQ(with.weights(0).size(), 3u);
  EXPECT_FALSE(with.suggestion(0));
  const std::optional<JointSuggestion> suggestion = without.suggestion(0);
  ASSERT_TRUE(suggestion);
  EXPECT_EQ(suggestion->joint, 0);
  EXPECT_NEAR(suggestion->distance, 0, 1e-9);
  // A locked joint does not help.
  DragSession locked(plain, {.vertices = {kElbow}, .pose = twistedPose(plain)}, {.presentOnly = true, .locked = {0}});
  locked.drag(target);
  EXPECT_FALSE(locked.suggestion(0));

  DragSession chosen(arm, {.vertices = {kElbow}, .pose = pose}, {.joints = {0, 2}});
  EXPECT_EQ(chosen.reachable(0).joints, (std::vector<int>{0, 2}));
  chosen.move(Vec3(0.1, 0, 0));
  EXPECT_EQ(chosen.finish().weight(kElbow, 1), 0);
}

TEST(DragSession, TheSuggestedJointIsTheBestOfThoseNearby) {
  const Character biped = makeSample("biped", {.vertices = 2000}).character;
  Pose pose = restPose(biped);
  for (std::size_t j = 1; j < pose.local.size(); ++j)
    pose.local[j].rotation = pose.local[j].rotation * Quat(Eigen::AngleAxisd(0.4, Vec3(1, 0.3, 0.2).normalized()));
  int suggested = 0;
  for (const Index vertex : {Index{100}, Index{400}, Index{700}, Index{1100}, Index{1500}, Index{1800}}) {
    DragSession session(biped, {.vertices = {vertex}, .pose = pose}, {.presentOnly = true});
    session.move(Vec3(0.15, 0.1, -0.2));
    const std::optional<JointSuggestion> suggestion = session.suggestion(0);
    double best = std::numeric_limits<double>::infinity();
    const auto apart = [&](int a, int b) {
      std::vector<int> chain;
      for (int j = a; j >= 0; j = biped.skeleton[j].parent) chain.push_back(j);
      for (int j = b, down = 0; j >= 0; j = biped.skeleton[j].parent, ++down) {
        const auto common = std::find(chain.begin(), chain.end(), j);
        if (common != chain.end()) return down + static_cast<int>(common - chain.begin());
      }
      return 100;
    };
    for (const Binding& binding : biped.skin.bindings) {
      int bones = 100;
      for (const Influence& one : biped.skin.weights[vertex])
        bones = std::min(bones, apart(biped.skin.bindings[one.binding].joint, binding.joint));
      if (bones > 2) continue;
      DragSession other(biped, {.vertices = {vertex}, .pose = pose}, {.presentOnly = true, .added = {binding.joint}});
      other.move(Vec3(0.15, 0.1, -0.2));
      best = std::min(best, other.vertices()[0].distance);
      if (suggestion && suggestion->joint == binding.joint) {
        EXPECT_NEAR(other.vertices()[0].distance, suggestion->distance, 1e-9);
      }
    }
    if (!suggestion) {
      EXPECT_GT(best, 0.95 * session.vertices()[0].distance) << vertex;
      continue;
    }
    ++suggested;
    EXPECT_NEAR(suggestion->distance, best, 1e-9);
  }
  EXPECT_GT(suggested, 0);
}

TEST(DragSession, SeamsMoveTogether) {
  const Character arm = armWithSeam();
  const Index twin = 21 * 12 + 10;
  for (const Index vertex : {kElbow, twin}) {
    DragSession session(arm, {.vertices = {vertex}, .pose = bentArmPose(arm)}, {.soft = 0.3});
    EXPECT_EQ(std::vector<std::uint32_t>(session.seam(0).begin(), session.seam(0).end()),
              (std::vector<std::uint32_t>{kElbow, static_cast<std::uint32_t>(twin)}));
    session.move(Vec3(0.05, 0.1, 0));
    const SkinWeights weights = session.finish();
    for (Index ring = 0; ring < 21; ++ring) {
      for (std::uint32_t b = 0; b < 3; ++b) EXPECT_EQ(weights.weight(12 * ring, b), weights.weight(252 + ring, b));
    }
    EXPECT_NE(weights.weight(kElbow, 1), arm.skin.weights.weight(kElbow, 1));
    // The seam does not stop the selection: both sides of it follow.
    for (const Index beside : {kElbow + 1, kElbow + 11}) {
      const auto follower = std::find_if(session.vertices().begin(), session.vertices().end(),
                                         [beside](const DraggedVertex& other) { return other.vertex == beside; });
      ASSERT_NE(follower, session.vertices().end());
      EXPECT_GT(follower->share, 0.5);
      EXPECT_NE(weights.weight(beside, 1), arm.skin.weights.weight(beside, 1));
    }
  }
  EXPECT_NE(messageOf([&] {
              DragSession(arm, {.vertices = {kElbow, twin}, .pose = restPose(arm)});
            }).find("are the same point of the skin"),
            std::string::npos);
}

TEST(DragSession, FollowersFadeOutOverTheSurface) {
  const Character arm = testArm(81, 48);
  const Index middle = 40 * 48;
  const Points posed = posePoints(arm, bentArmPose(arm, 0, 0));
  for (const auto& [fall, name] : kChoices<Falloff>) {
    DragSession session(arm, {.vertices = {middle}, .pose = bentArmPose(arm, 0, 0)}, {.soft = 0.25, .falloff = fall});
    ASSERT_GT(session.vertices().size(), 200u);
    for (const DraggedVertex& vertex : session.vertices()) {
      // The tube unrolls: along x, and around by radius times angle.
      const Vec3 rest = arm.mesh.points.col(vertex.vertex);
      const double way = std::hypot(rest.x(), 0.2 * std::atan2(rest.z(), rest.y()));
      EXPECT_NEAR(vertex.share, falloffShare(fall, std::min(1.0, way / 0.25)), fall == Falloff::Round ? 0.15 : 0.03)
          << name << " " << way;
      EXPECT_LT((vertex.start - posed.col(vertex.vertex)).norm(), 1e-14);
    }
    // No vertex within the radius is missing.
    for (Index v = 0; v < arm.mesh.vertexCount(); ++v) {
      const Vec3 rest = arm.mesh.points.col(v);
      if (std::hypot(rest.x(), 0.2 * std::atan2(rest.z(), rest.y())) > 0.24) continue;
      EXPECT_TRUE(std::any_of(session.vertices().begin(), session.vertices().end(),
                              [v](const DraggedVertex& vertex) { return vertex.vertex == v; }));
    }
  }
}

TEST(DragSession, FollowersOfSeveralVerticesTakeTheirMean) {
  const Character arm = testArm(81, 48);
  const Index left = 38 * 48;
  const Index right = 42 * 48;
  DragSession session(arm, {.vertices = {left, right}, .pose = bentArmPose(arm)}, {.soft = 0.4});
  Points targets(3, 2);
  targets.col(0) = session.vertices()[0].start + Vec3(0.1, 0, 0);
  targets.col(1) = session.vertices()[1].start + Vec3(-0.1, 0.02, 0);
  session.drag(targets);
  for (const DraggedVertex& vertex : session.vertices()) {
    const Vec3 way = vertex.target - vertex.start;
    EXPECT_LE(way.norm(), 0.1021);
    // Halfway between them the two ways cancel.
    if (vertex.vertex == 40 * 48) {
      EXPECT_NEAR(way.x(), 0, 0.02);
    }
  }
  EXPECT_LT((session.vertices()[0].target - targets.col(0)).norm(), 1e-15);
  session.move(Vec3(0, 0.05, 0));
  for (const DraggedVertex& vertex : session.vertices())
    EXPECT_LT((vertex.target - vertex.start - vertex.share * Vec3(0, 0.05, 0)).norm(), 1e-12);

  session.scale(1.5);
  const Vec3 centroid = 0.5 * (session.vertices()[0].start + session.vertices()[1].start);
  EXPECT_LT((session.vertices()[0].target - centroid - 1.5 * (session.vertices()[0].start - centroid)).norm(), 1e-15);
}

TEST(DragSurface, MeasuresFromSeveralPointsAndThroughSpace) {
  const Character arm = testArm();
  const DragSurface surface(arm);
  const Points rest = posePoints(arm, restPose(arm));
  DragSurface::Search search;
  std::vector<DragSurface::Near> one;
  std::vector<DragSurface::Near> other;
  std::vector<DragSurface::Near> both;
  const std::uint32_t a = surface.weld().pointOfVertex[kElbow];
  const std::uint32_t b = surface.weld().pointOfVertex[kElbow + 30];
  surface.within(rest, a, 0.4, search, one);
  surface.within(rest, b, 0.4, search, other);
  surface.within(rest, std::vector<std::uint32_t>{a, b}, 0.4, search, both);
  std::map<std::uint32_t, double> nearest;
  for (const auto* list : {&one, &other}) {
    for (const auto& near : *list) {
      const auto known = nearest.find(near.point);
      if (known == nearest.end() || near.distance < known->second) nearest[near.point] = near.distance;
    }
  }
  ASSERT_EQ(both.size(), nearest.size());
  // Where the fronts of both meet, a path may be unfolded over corners of either.
  for (const auto& near : both) EXPECT_NEAR(near.distance, nearest.at(near.point), 0.02);
  std::vector<DragSurface::Near> ball;
  surface.withinBall(rest, a, 0.4, ball);
  EXPECT_EQ(ball.front().point, a);
  EXPECT_GT(ball.size(), one.size());
  for (const auto& near : ball) {
    const Vec3 way = rest.col(surface.weld().firstVertex[near.point]) - rest.col(surface.weld().firstVertex[a]);
    EXPECT_LT(near.distance, 0.4);
    EXPECT_NEAR(near.distance, way.norm(), 1e-12);
  }
}

TEST(DragSession, KeepsOtherPosesMoreAsAlphaGrows) {
  const Character arm = threeJoints();
  Pose other = bentArmPose(arm, 40, -60);
  other.local[1].rotation = Quat(Eigen::AngleAxisd(-0.7, Vec3(0.5, 0.1, 1).normalized()));
  DragSession session(arm, {.vertices = {kElbow}, .pose = twistedPose(arm), .also = {other}});
  double missed = -1;
  double moved = std::numeric_limits<double>::infinity();
  const Vec3 before = posePoints(arm, other).col(kElbow);
  for (const double alpha : {0.0, 0.1, 1.0}) {
    session.setAlpha(alpha);
    session.move(Vec3(0.1, -0.15, 0.1));
    const double miss = session.vertices()[0].distance;
    EXPECT_GE(miss, missed - 1e-12);
    EXPECT_LE(session.movedIn(0, 0), moved + 1e-12);
    missed = miss;
    moved = session.movedIn(0, 0);
    EXPECT_NEAR((posedWith(arm, session.finish(), other).col(kElbow) - before).norm(), moved, 1e-9);
  }
  EXPECT_GT(moved, 0);
  EXPECT_EQ(session.reachable(0, 1).hull.dimension, 2);
}

TEST(DragSession, NegativeWeightsReachFartherButAreNoSkin) {
  const Character arm = testArm();
  DragSession session(arm, {.vertices = {kElbow}, .pose = bentArmPose(arm)}, {.negative = true});
  const ReachableSet set = session.reachable(0);
  session.drag(1.5 * set.corners.col(0) - 0.5 * set.corners.col(1));
  EXPECT_TRUE(session.vertices()[0].reachable);
  EXPECT_NEAR(session.weights(0)[0].weight, 1.5, 1e-9);
  EXPECT_NEAR(session.weights(0)[1].weight, -0.5, 1e-9);
  EXPECT_NE(messageOf([&] { (void)session.finish(); }).find("skins do not support negative weights"),
            std::string::npos);
}

TEST(DragSession, OneStepBackAndForthIsPlainData) {
  const Character arm = testArm();
  DragSession session(arm, {.vertices = {kElbow}, .pose = bentArmPose(arm)}, {.soft = 0.4});
  session.move(Vec3(0.1, 0, 0.1));
  const SkinWeights changed = session.finish();
  EXPECT_EQ(withColumns(arm.skin.weights, session.after()), changed);
  EXPECT_EQ(withColumns(changed, session.before()), arm.skin.weights);
}

TEST(DragSession, StartsWhereMorphTargetsPutTheVertex) {
  Character arm = testArm();
  MorphTarget bulge{.name = "bulge", .deltas = Points::Zero(3, arm.mesh.vertexCount())};
  bulge.deltas.col(kElbow) = Vec3(0, 0.1, 0.03);
  arm.morphs.push_back(bulge);
  Pose pose = bentArmPose(arm);
  pose.morphWeights = {1};
  DragSession session(arm, {.vertices = {kElbow}, .pose = pose});
  EXPECT_LT((session.vertices()[0].start - posePoints(arm, pose).col(kElbow)).norm(), 1e-15);
  session.move(Vec3(0.05, 0.05, 0));
  EXPECT_LT((posedWith(arm, session.finish(), pose).col(kElbow) - session.vertices()[0].reached).norm(), 1e-9);
}

TEST(DragSession, GivesTheSameBitsOnAnyNumberOfThreadsWithoutAllocating) {
  const Character biped = makeSample("biped", {.vertices = 4000}).character;
  Pose pose = restPose(biped);
  for (LocalTransform& local : pose.local)
    local.rotation = local.rotation * Quat(Eigen::AngleAxisd(0.3, Vec3(1, 0.3, 0.2).normalized()));
  const auto drag = [&](int threads) {
    const ThreadLimit limit(threads);
    DragSession session(biped, {.vertices = {1200, 2500}, .pose = pose}, {.soft = 0.4});
    EXPECT_GT(session.vertices().size(), 100u);
    session.move(Vec3(0.02, 0.01, 0));
    const std::size_t before = test::allocationCount();
    session.move(Vec3(0.05, 0.02, -0.03));
    if (threads == 1) {
      EXPECT_EQ(test::allocationCount(), before);
    }
    EXPECT_TRUE(session.converged());
    return session.finish();
  };
  EXPECT_EQ(drag(1), drag(3));
}

TEST(DragSession, RefusesWhatItCannotDrag) {
  const Character arm = testArm();
  const Pose pose = bentArmPose(arm);
  const auto start = [&](std::vector<Index> vertices, DragOptions options = {}) {
    return messageOf([&] { DragSession(arm, {.vertices = std::move(vertices), .pose = pose}, std::move(options)); });
  };
  EXPECT_NE(start({999}).find("there is no vertex 999; the character has 252"), std::string::npos);
  EXPECT_NE(start({-1}).find("there is no vertex -1"), std::string::npos);
  EXPECT_NE(start({}).find("no vertex is given"), std::string::npos);
  EXPECT_NE(start({5, 5}).find("are the same point"), std::string::npos);
  EXPECT_NE(start({5}, {.soft = -1}).find("soft radius is -1"), std::string::npos);
  EXPECT_NE(start({5}, {.falloff = static_cast<Falloff>(9)}).find("smooth, linear, sharp, round"), std::string::npos);
  EXPECT_NE(
      start({5}, {.secondStage = static_cast<SecondStage>(9)}).find("unknown second stage '9'; the choices are l2, l1"),
      std::string::npos);
  EXPECT_NE(start({5}, {.alpha = std::nan("")}).find("alpha"), std::string::npos);
  EXPECT_NE(start({5}, {.added = {7}}).find("there is no joint 7"), std::string::npos);
  EXPECT_NE(start({kElbow}, {.maxInfluences = 1, .locked = {1}}).find("1 locked influences"), std::string::npos);

  Character bare = arm;
  bare.skin = {};
  EXPECT_NE(messageOf([&] { DragSession(bare, {.vertices = {5}, .pose = pose}); }).find("no skin"), std::string::npos);
  Character loose = arm;
  loose.mesh.parts[0].skinned = false;
  EXPECT_NE(messageOf([&] { DragSession(loose, {.vertices = {5}, .pose = pose}); }).find("without a skin"),
            std::string::npos);

  DragSession session(arm, {.vertices = {kElbow}, .pose = pose});
  EXPECT_NE(messageOf([&] { session.drag(Points(3, 2)); }).find("2 targets for 1 vertices"), std::string::npos);
  EXPECT_NE(messageOf([&] { session.drag(Vec3(0, std::nan(""), 0)); }).find("target"), std::string::npos);
}

TEST(DragSurface, MeasuresAlongThePlane) {
  const test::Surface grid = test::gridSurface(40);
  Character sheet = testArm();
  sheet.mesh = {};
  sheet.mesh.points = grid.points;
  for (const Triangle& t : grid.triangles) sheet.mesh.faces.add(t);
  sheet.skin.weights = SkinWeights::rigid(3, grid.points.cols(), 1);
  const DragSurface surface(sheet);
  DragSurface::Search search;
  std::vector<DragSurface::Near> found;
  const std::uint32_t centre = 20 * 41 + 20;
  for (int round = 0; round < 2; ++round) {
    surface.within(grid.points, centre, 0.4, search, found);
    EXPECT_EQ(found[0].point, centre);
    std::size_t inside = 0;
    for (Index v = 0; v < grid.points.cols(); ++v)
      inside += (grid.points.col(v) - grid.points.col(centre)).norm() < 0.4 ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(found.size()), static_cast<double>(inside), 12);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double straight = (grid.points.col(found[i].point) - grid.points.col(centre)).norm();
      EXPECT_NEAR(found[i].distance, straight, 0.01 * straight + 1e-12);
      if (i > 0) {
        EXPECT_GE(found[i].distance, found[i - 1].distance - 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace sinew::drag_weights_test
