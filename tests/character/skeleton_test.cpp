#include "sinew/character/skeleton.h"

#include <gtest/gtest.h>

#include "sinew/base/error.h"

namespace sinew::skeleton_test {
namespace {

TEST(Skeleton, OrderPutsEveryJointAfterItsParent) {
  const Skeleton skeleton({{"hand", 2, {}}, {"root", -1, {}}, {"arm", 1, {}}, {"other root", -1, {}}});
  std::vector<int> place(4);
  for (int i = 0; i < 4; ++i) place[static_cast<std::size_t>(skeleton.order()[static_cast<std::size_t>(i)])] = i;
  EXPECT_LT(place[1], place[2]);
  EXPECT_LT(place[2], place[0]);
  EXPECT_EQ(skeleton.order().size(), 4u);
  EXPECT_EQ(skeleton.children(1), std::vector<int>{2});
  EXPECT_TRUE(skeleton.children(0).empty());
}

TEST(Skeleton, CyclesAreRefusedAndAJointOnTheCycleIsNamed) {
  try {
    // 0 hangs below the cycle 1 -> 2 -> 1 without being part of it.
    const Skeleton skeleton({{"leaf", 1, {}}, {"a", 2, {}}, {"b", 1, {}}, {"root", -1, {}}});
    FAIL() << "a cycle was accepted";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("leaf"), std::string::npos) << text;
    EXPECT_TRUE(text.find("'a'") != std::string::npos || text.find("'b'") != std::string::npos) << text;
  }
  EXPECT_THROW(Skeleton({{"self", 0, {}}}), Error);
}

TEST(Skeleton, ParentsOutOfRangeAreRefused) {
  EXPECT_THROW(Skeleton({{"a", 1, {}}}), Error);
  EXPECT_THROW(Skeleton({{"a", -2, {}}}), Error);
}

TEST(Skeleton, UnknownNamesSuggestTheNearest) {
  const Skeleton skeleton({{"shoulder", -1, {}}, {"elbow", 0, {}}, {"elbow", 1, {}}});
  EXPECT_EQ(skeleton.index("elbow"), 1);
  EXPECT_FALSE(skeleton.find("Elbow").has_value());
  try {
    (void)skeleton.index("elbwo");
    FAIL() << "an unknown joint was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::NotFound);
    EXPECT_NE(std::string(error.what()).find("did you mean 'elbow'"), std::string::npos) << error.what();
  }
  try {
    (void)skeleton.index("xyz");
    FAIL() << "an unknown joint was found";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("did you mean"), std::string::npos) << error.what();
  }
}

TEST(LocalTransform, ScalesThenTurnsThenMoves) {
  LocalTransform local;
  local.scale = Vec3(2, 1, 1);
  local.rotation = Quat(Eigen::AngleAxisd(std::acos(0.0), Vec3::UnitZ()));
  local.translation = Vec3(10, 0, 0);
  EXPECT_LT((local.parentFromJoint() * Vec3(1, 0, 0) - Vec3(10, 2, 0)).norm(), 1e-12);
}

}  // namespace
}  // namespace sinew::skeleton_test
