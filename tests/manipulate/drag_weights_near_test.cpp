// Drags answer on every vertex: joints near a vertex may move it, far ones never, and soft drags stay smooth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/character/skin.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"
#include "sinew/manipulate/drag_weights.h"
#include "sinew/manipulate/drag_weights/solve.h"
#include "sinew/samples/samples.h"
#include "support/allocations.h"
#include "support/data.h"

namespace sinew::drag_weights_near_test {
namespace {

int bonesApart(const Skeleton& skeleton, int a, int b) {
  std::vector<int> chain;
  for (int j = a; j >= 0; j = skeleton[j].parent) chain.push_back(j);
  for (int j = b, down = 0; j >= 0; j = skeleton[j].parent, ++down) {
    const auto common = std::find(chain.begin(), chain.end(), j);
    if (common != chain.end()) return down + static_cast<int>(common - chain.begin());
  }
  return 1000;
}

struct Body {
  Character character;
  Pose pose;
  double height = 0;
  std::shared_ptr<const DragSurface> surface;
  PosedJoints joints;
  Points posed;
  std::vector<std::set<std::uint32_t>> ring;  ///< per point

  Body(Character made, const Pose& bent) : character(std::move(made)), pose(bent) {
    surface = std::make_shared<const DragSurface>(character);
    const BoundingBox box = boundingBox(posePoints(character, restPose(character)));
    height = (box.high - box.low).maxCoeff();
    poseJoints(character, pose, joints);
    posed = posePoints(character, pose);
    ring.resize(surface->weld().firstVertex.size());
    for (const Triangle& triangle : triangulate(character.mesh)) {
      for (std::size_t c = 0; c < 3; ++c) {
        const std::uint32_t a = surface->weld().pointOfVertex[triangle[c]];
        const std::uint32_t b = surface->weld().pointOfVertex[triangle[(c + 1) % 3]];
        if (a != b) ring[a].insert(b), ring[b].insert(a);
      }
    }
  }

  [[nodiscard]] int jointOf(const Influence& one) const { return character.skin.bindings[one.binding].joint; }
  [[nodiscard]] const std::string& nameOf(const Influence& one) const { return character.skeleton[jointOf(one)].name; }

  /// Bones from an influence to the nearest joint that moves a vertex.
  [[nodiscard]] int bonesFrom(Index v, const Influence& influence) const {
    int least = 1000;
    for (const Influence& own : character.skin.weights[v])
      least = std::min(least, bonesApart(character.skeleton, jointOf(own), jointOf(influence)));
    return least;
  }

  /// Joints that move vertices within three rings.
  [[nodiscard]] std::set<int> around(Index v) const {
    std::set<std::uint32_t> points{surface->weld().pointOfVertex[toSize(v)]};
    for (int k = 0; k < 3; ++k) {
      for (const std::uint32_t point : std::set<std::uint32_t>(points))
        points.insert(ring[point].begin(), ring[point].end());
    }
    std::set<int> found;
    for (const std::uint32_t point : points) {
      for (const std::uint32_t other : surface->verticesOf(point)) {
        for (const Influence& one : character.skin.weights[static_cast<Index>(other)]) found.insert(jointOf(one));
      }
    }
    return found;
  }

  /// Weights after a drag without a soft selection: valid, within the limit, and on no joint that is far.
  void expectSound(Index v, std::span<const Influence> column, int most) const {
    double sum = 0;
    for (const Influence& one : column) {
      sum += one.weight;
      EXPECT_GE(one.weight, 0) << v;
      if (character.skin.weights.weight(v, one.binding) > 0) continue;
      const int bones = bonesFrom(v, one);
      EXPECT_TRUE(bones == 1 || (bones == 2 && around(v).contains(jointOf(one)))) << v << " got " << nameOf(one);
    }
    EXPECT_NEAR(sum, 1, 1e-9) << v;
    EXPECT_LE(static_cast<int>(column.size()),
              std::max(most, most > 0 ? 1 : std::max(4, character.skin.weights.maxInfluences())));
  }

  /// The largest difference of a weight between neighbours.
  [[nodiscard]] double steepest(const SkinWeights& weights) const {
    double worst = 0;
    const auto& first = surface->weld().firstVertex;
    for (std::uint32_t point = 0; point < ring.size(); ++point) {
      for (const std::uint32_t other : ring[point]) {
        for (const Influence& one : weights[first[point]])
          worst = std::max(worst, one.weight - weights.weight(first[other], one.binding));
      }
    }
    return worst;
  }
};

const Pose& poseNamed(const Sample& sample, std::string_view name) {
  for (const ExampleSet* set : {&sample.examples, &sample.heldOut}) {
    for (const auto& example : set->examples) {
      if (example.name == name) return example.pose;
    }
  }
  throw std::runtime_error("no such pose");
}

Body bentBiped(std::string_view pose = "elbows90", Index vertices = 6000) {
  const Sample sample = makeSample("biped", {.vertices = vertices});
  return {sample.character, poseNamed(sample, pose)};
}

Vec3 randomDirection(Lcg& random) {
  Vec3 d = random.vector();
  while (d.norm() > 1 || d.norm() < 0.1) d = random.vector();
  return d.normalized();
}

/// Characters that are bent everywhere, by a seed.
Pose wildPose(const Character& character, Lcg& random, double angle) {
  Pose pose = restPose(character);
  for (LocalTransform& local : pose.local)
    local.rotation = local.rotation * Quat(Eigen::AngleAxisd(angle * random.symmetric(), randomDirection(random)));
  return pose;
}

bool isOfArm(const Body& body, Index v) {
  const std::string& name = body.nameOf(body.character.skin.weights[v].front());
  return name.starts_with("upper_arm") || name.starts_with("forearm");
}

struct Tally {
  int vertices = 0;
  int asked = 0;  ///< with a direction that joints within so many bones serve
  int moved = 0;  ///< of these, at least half of the way
  int still = 0;  ///< of these, not at all
};

/// Drags every vertex chosen by 2 % of the height in a random direction. Where no weights of joints within so many
/// bones of the vertex' strongest joint would bring it half of the way, another direction is drawn: the hull of these
/// positions is what the body around the vertex can do at all in this pose, however the drag chooses its joints.
Tally dragAll(const Body& body, const std::function<bool(Index)>& chosen, const DragOptions& options,
              std::uint32_t seed, int bones = 2) {
  const Skin& skin = body.character.skin;
  const double way = 0.02 * body.height;
  Tally tally;
  Lcg random(seed);
  drag_weights::ReachSolver solver;
  for (Index v = 0; v < body.character.mesh.vertexCount(); ++v) {
    if (!chosen(v)) continue;
    ++tally.vertices;
    std::vector<Vec3> places;
    const int strongest = body.jointOf(skin.weights[v].front());
    for (std::size_t b = 0; b < skin.bindings.size(); ++b) {
      if (bonesApart(body.character.skeleton, skin.bindings[b].joint, strongest) <= bones)
        places.emplace_back(body.joints.worldFromRest[b] * Vec3(body.character.mesh.points.col(v)));
    }
    Points corners(3, static_cast<Index>(places.size()));
    for (std::size_t k = 0; k < places.size(); ++k) corners.col(static_cast<Index>(k)) = places[k];
    const Vec3 start = body.posed.col(v);
    Vec3 direction = Vec3::Zero();
    for (int draw = 0; draw < 60; ++draw) {
      const Vec3 drawn = randomDirection(random);
      if ((solver.nearest(corners, start + way * drawn, false) - start).norm() < 0.5 * way) continue;
      direction = drawn;
      break;
    }
    if (direction.isZero(0)) continue;
    ++tally.asked;
    DragSession session(body.character, {.vertices = {v}, .pose = body.pose}, options, body.surface);
    session.move(way * direction);
    const double moved = (session.vertices()[0].reached - start).norm();
    tally.moved += moved >= 0.5 * way ? 1 : 0;
    tally.still += moved < 1e-6 * way ? 1 : 0;
    body.expectSound(v, session.weights(0), options.maxInfluences);
  }
  return tally;
}

TEST(NearJoints, EveryVertexOfTheArmAnswers) {
  const Body body = bentBiped();
  const auto arm = [&](Index v) { return isOfArm(body, v); };
  const Tally before = dragAll(body, arm, {.presentOnly = true}, 1);
  EXPECT_GT(before.vertices, 500);
  EXPECT_GT(before.still, before.asked / 3) << "most vertices of the arm have one influence";
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    const Tally tally = dragAll(body, arm, {.maxInfluences = seed == 3 ? 4 : 0}, seed);
    EXPECT_GE(tally.asked, 0.95 * tally.vertices);
    EXPECT_GE(tally.moved, 0.9 * tally.asked) << tally.still << " of " << tally.asked << " did not move";
  }
}

/// Directions of parents and children are served; of those that only joints two bones away would serve, most.
void expectAnswers(const Body& body, const std::function<bool(Index)>& chosen, std::uint32_t seed,
                   const std::string& what) {
  const Tally bone = dragAll(body, chosen, {}, seed, 1);
  EXPECT_GT(bone.asked, 50) << what;
  EXPECT_GE(bone.moved, 0.9 * bone.asked) << what << ": " << bone.moved << " of " << bone.asked;
  const Tally bones = dragAll(body, chosen, {.maxInfluences = 4}, seed, 2);
  EXPECT_GE(bones.moved, 0.8 * bones.asked) << what << ": " << bones.moved << " of " << bones.asked;
  const Tally present = dragAll(body, chosen, {.presentOnly = true}, seed, 2);
  EXPECT_GT(bones.moved, present.moved + bones.asked / 3) << what;
}

TEST(NearJoints, AnswerInOtherPosesAndOnOtherCharacters) {
  for (const char* pose : {"elbows130_twist60", "reach"}) {
    const Body body = bentBiped(pose, 3000);
    expectAnswers(
        body, [&](Index v) { return v % 2 == 0 && isOfArm(body, v); }, 5, pose);
  }
  Lcg random(11);
  const Character limb = makeSample("limb", {.vertices = 1000}).character;
  expectAnswers(
      {limb, wildPose(limb, random, 1.2)}, [](Index v) { return v % 2 == 0; }, 6, "limb");
}

TEST(NearJoints, AnswerOnCharactersFromFiles) {
  SINEW_NEEDS_DATA()
  for (const char* name : {"CesiumMan", "Fox"}) {
    const Character character = readCharacter(test::dataDir() / "gltf" / (std::string(name) + ".glb")).character;
    Lcg random(17);
    expectAnswers(
        {character, wildPose(character, random, 0.8)}, [](Index v) { return v % 4 == 0; }, 7, name);
  }
}

TEST(NearJoints, AreUsedOnlyWhereNeeded) {
  const Body body = bentBiped();
  int inside = 0;
  for (Index v = 0; v < body.character.mesh.vertexCount(); v += 7) {
    if (body.character.skin.weights[v].size() < 2) continue;
    DragSession present(body.character, {.vertices = {v}, .pose = body.pose}, {.presentOnly = true}, body.surface);
    const ReachableSet set = present.reachable(0);
    if (set.hull.diameter < 0.02 * body.height) continue;
    ++inside;
    // A target inside the hull of the present joints needs no other.
    const Vec3 target = 0.5 * (present.vertices()[0].start + Vec3(set.corners.rowwise().mean()));
    DragSession near(body.character, {.vertices = {v}, .pose = body.pose}, {}, body.surface);
    EXPECT_GE(near.reachable(0).joints.size(), set.joints.size());
    present.drag(target);
    near.drag(target);
    ASSERT_EQ(near.weights(0).size(), present.weights(0).size()) << v;
    for (const Influence& one : present.weights(0)) {
      const auto other = std::find_if(near.weights(0).begin(), near.weights(0).end(),
                                      [&](const Influence& o) { return o.binding == one.binding; });
      ASSERT_NE(other, near.weights(0).end());
      EXPECT_NEAR(other->weight, one.weight, 1e-3) << v;
    }
    near.move(Vec3::Zero());
    for (const Influence& one : near.weights(0))
      EXPECT_NEAR(one.weight, body.character.skin.weights.weight(v, one.binding), 1e-9);
  }
  EXPECT_GT(inside, 20);
}

TEST(NearJoints, AreNotOfferedWithLocksChosenJointsOrNegativeWeights) {
  const Body body = bentBiped();
  const Skeleton& skeleton = body.character.skeleton;
  Index v = 0;
  while (body.nameOf(body.character.skin.weights[v].front()) != "upper_arm_l" ||
         body.character.skin.weights[v].size() != 1)
    ++v;
  const auto nearOf = [&](DragOptions options) {
    const ReachableSet set =
        DragSession(body.character, {.vertices = {v}, .pose = body.pose}, std::move(options), body.surface)
            .reachable(0);
    std::set<std::string> names;
    for (std::size_t c = 0; c < set.joints.size(); ++c) {
      if (set.near[c] != 0) names.insert(skeleton[set.joints[c]].name);
    }
    return names;
  };
  const std::set<std::string> open = nearOf({});
  EXPECT_TRUE(open.contains("forearm_l") && open.contains("clavicle_l"));
  // Even a selection of the whole body offers no joints that are far away.
  const std::set<std::string> wide = nearOf({.soft = 10 * body.height});
  for (const char* far : {"fingers_l", "forearm_r", "thigh_l", "head"}) EXPECT_FALSE(wide.contains(far)) << far;
  EXPECT_TRUE(wide.contains("chest") || wide.contains("hand_l"));
  EXPECT_FALSE(nearOf({.locked = {skeleton.index("forearm_l")}}).contains("forearm_l"));
  EXPECT_TRUE(nearOf({.presentOnly = true}).empty());
  EXPECT_TRUE(nearOf({.negative = true}).empty());
  EXPECT_TRUE(nearOf({.joints = {skeleton.index("upper_arm_l")}}).empty());
  EXPECT_FALSE(nearOf({.added = {skeleton.index("forearm_l")}}).contains("forearm_l"));
}

TEST(NearJoints, DragsDoNotAllocate) {
  const Body body = bentBiped("reach", 2000);
  const ThreadLimit limit(1);
  Lcg random(4);
  std::size_t limited = 0;
  for (Index v = 3; v < body.character.mesh.vertexCount(); v += 97) {
    for (const int most : {0, 2}) {
      DragSession session(body.character, {.vertices = {v}, .pose = body.pose},
                          {.soft = 0.05 * body.height, .maxInfluences = most}, body.surface);
      session.move(1e-4 * randomDirection(random));
      const std::size_t before = test::allocationCount();
      for (int step = 0; step < 20; ++step) {
        session.move(body.height * random.uniform() * randomDirection(random));
        limited += session.weights(0).size() == 2 ? 1 : 0;
      }
      ASSERT_EQ(test::allocationCount(), before) << v;
    }
  }
  EXPECT_GT(limited, 20u);
}

TEST(SoftDragWithNearJoints, ChangesWeightsNoSteeperThanTheFalloff) {
  const Body body = bentBiped();
  const double before = body.steepest(body.character.skin.weights);
  const double diagonal = boundingBox(body.posed).diagonal();
  const auto& pointOf = body.surface->weld().pointOfVertex;
  const auto& first = body.surface->weld().firstVertex;
  Lcg random(21);
  int gained = 0;
  double lipschitz = 0;
  for (Index v = 0; v < body.character.mesh.vertexCount(); v += 61) {
    if (!isOfArm(body, v)) continue;
    for (const double radius : {0.03, 0.08}) {
      DragSession session(body.character, {.vertices = {v}, .pose = body.pose}, {.soft = radius * diagonal},
                          body.surface);
      session.move(0.02 * body.height * randomDirection(random));
      const SkinWeights after = session.finish();
      ASSERT_LE(body.steepest(after), 1.5 * before) << v;
      std::vector<double> share(first.size(), 0);
      for (const DraggedVertex& one : session.vertices()) {
        share[pointOf[toSize(one.vertex)]] = one.share;
        const auto column = after[one.vertex];
        EXPECT_LE(static_cast<int>(column.size()), 4);
        for (const Influence& influence : column) {
          const bool is = body.character.skin.weights.weight(one.vertex, influence.binding) == 0;
          gained += is ? 1 : 0;
          // Followers take joints of the lead, and of these only such as are near them.
          if (is) {
            EXPECT_LE(body.bonesFrom(one.vertex, influence), 2) << one.vertex;
          }
        }
      }
      // No pair of neighbours differs more than before and by their shares of the lead's change.
      const auto apart = [&](const SkinWeights& a, std::uint32_t p, const SkinWeights& b, std::uint32_t q) {
        double sum = 0;
        for (std::uint32_t k = 0; k < a.bindingCount(); ++k)
          sum += std::pow(a.weight(first[p], k) - b.weight(first[q], k), 2);
        return std::sqrt(sum);
      };
      const SkinWeights& old = body.character.skin.weights;
      const std::uint32_t lead = pointOf[toSize(v)];
      const double change = apart(after, lead, old, lead);
      for (std::uint32_t p = 0; p < share.size(); ++p) {
        for (const std::uint32_t q : body.ring[p]) {
          if (share[p] == 0 && share[q] == 0) continue;
          const double allowed = apart(old, p, old, q) + std::abs(share[p] - share[q]) * change;
          lipschitz = std::max(lipschitz, apart(after, p, after, q) - allowed);
        }
      }
    }
  }
  EXPECT_GT(gained, 100) << "nothing was dragged";
  // Removing weights below 0.0001, the limit of influences, and joints near only to one of the two.
  EXPECT_LT(lipschitz, 0.02);
}

}  // namespace
}  // namespace sinew::drag_weights_near_test
