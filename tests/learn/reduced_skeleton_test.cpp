#include "sinew/learn/reduced_skeleton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "learn/moving_meshes.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/decompose.h"
#include "support/message_of.h"

namespace sinew::reduced_skeleton_test {
namespace {

using test::MovingMeshes;

ReducedResult rigidModel(const MovingMeshes& moving) {
  return decomposeSkin(moving.mesh, moving.examples, moving.names, moving.rest, {.bones = 14});
}

TEST(ReducedSkeleton, PlaysARigidModelExactlyAtItsKeys) {
  const MovingMeshes& moving = test::movingQuadruped();
  const ReducedResult learned = rigidModel(moving);
  const ReducedCharacter made = reducedCharacter(moving.mesh, learned.model);
  EXPECT_EQ(made.character.skeleton.size(), 14);
  EXPECT_LT(made.error.total.rmsPercent, 1e-10);
  ASSERT_EQ(made.character.clips.size(), 1u);
  EXPECT_EQ(made.character.clips[0].name, "sequence");
  EXPECT_NEAR(made.character.clips[0].seconds(), (static_cast<double>(moving.examples.size()) - 1) / 24, 1e-12);
  // As any player of characters sees it, against the input meshes.
  CharacterPoser poser(made.character);
  double worst = 0;
  for (std::size_t e = 0; e < moving.examples.size(); ++e) {
    const Points played = poser.pose(clipPose(made.character, "sequence", static_cast<double>(e) / 24));
    worst = std::max(worst, compareShapes(moving.examples[e], played, learned.report.diagonal).rms);
  }
  EXPECT_LT(worst, 1.0001 * std::max_element(learned.report.fit.perFrame.begin(), learned.report.fit.perFrame.end(),
                                             [](const ShapeError& a, const ShapeError& b) { return a.rms < b.rms; })
                                ->rms);
}

TEST(ReducedSkeleton, RestsAtTheRest) {
  const MovingMeshes& moving = test::movingQuadruped();
  const ReducedResult learned = rigidModel(moving);
  const ReducedCharacter made = reducedCharacter(moving.mesh, learned.model);
  CharacterPoser poser(made.character);
  const Points rest = poser.pose(restPose(made.character));
  EXPECT_LT((rest - learned.model.rest).norm(), 1e-12 * learned.model.rest.norm());
}

TEST(ReducedSkeleton, IsOneTreeOfNamedJoints) {
  const MovingMeshes& moving = test::movingQuadruped();
  const ReducedCharacter made = reducedCharacter(moving.mesh, rigidModel(moving).model);
  std::set<std::string> names;
  int roots = 0;
  for (const Joint& joint : made.character.skeleton.joints()) {
    names.insert(joint.name);
    roots += joint.parent < 0 ? 1 : 0;
  }
  EXPECT_EQ(roots, 1);
  EXPECT_EQ(names.size(), 14u);
  EXPECT_TRUE(names.contains("control_07"));
}

TEST(ReducedSkeleton, PlaysAffineControlsExactlyByTwoJointsAndNearlyByOne) {
  const MovingMeshes& moving = test::movingQuadruped();
  const ReducedResult learned = learnReducedModel(moving.mesh, moving.examples, moving.names);
  const ReducedCharacter nested = reducedCharacter(moving.mesh, learned.model);
  EXPECT_EQ(nested.character.skeleton.size(), 2 * learned.report.controls + 1);
  EXPECT_LT(nested.error.total.rmsPercent, 1e-10);
  const ReducedCharacter nearest = reducedCharacter(moving.mesh, learned.model, {.joints = ControlJoints::Nearest});
  EXPECT_EQ(nearest.character.skeleton.size(), learned.report.controls + 1);
  EXPECT_GT(nearest.error.total.rmsPercent, 1e-3);
  EXPECT_LT(nearest.error.total.rmsPercent, 1);
}

TEST(ReducedSkeleton, HangsControlsOnThoseTheyShareVerticesWith) {
  // Three controls in a row and one apart.
  Points rest(3, 7);
  rest << 0, 1, 2, 3, 4, 9, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0;
  const std::vector<std::vector<Influence>> columns{{{0, 1.0}}, {{0, 0.5}, {1, 0.5}}, {{1, 1.0}}, {{1, 0.5}, {2, 0.5}},
                                                    {{2, 1.0}}, {{3, 1.0}},           {{3, 1.0}}};
  const std::vector<int> parents = controlHierarchy(rest, SkinWeights::fromColumns(4, columns));
  EXPECT_EQ(parents, (std::vector<int>{1, 2, -1, 2}));
}

TEST(ReducedSkeleton, RefusesAMeshOfAnotherSize) {
  const MovingMeshes moving = test::movingTube();
  const ReducedResult learned = learnReducedModel(moving.mesh, moving.examples, {}, moving.rest);
  Mesh other = moving.mesh;
  other.points.conservativeResize(3, 5);
  EXPECT_NE(test::messageOf([&] { reducedCharacter(other, learned.model); }).find("5 vertices"), std::string::npos);
}

}  // namespace
}  // namespace sinew::reduced_skeleton_test
