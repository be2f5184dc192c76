// Mirroring on rigs that others made.
#include "sinew/character/mirror.h"

#include <gtest/gtest.h>

#include "sinew/io/formats.h"
#include "support/data.h"

namespace sinew {
namespace {

std::string partnerOf(const Character& character, const MirrorMap& map, const std::string& joint) {
  const int partner = map.joint[static_cast<std::size_t>(character.skeleton.index(joint))];
  return partner < 0 ? "none" : character.skeleton[partner].name;
}

TEST(MirrorData, JointsWhoseNamesDoNotMatchAreFoundByPlace) {
  SINEW_NEEDS_DATA();
  const Character man = readCharacter(test::dataDir() / "gltf/CesiumMan.glb").character;
  const MirrorMap map = findMirror(man);
  EXPECT_EQ(map.axis, 0);
  // The left arm is numbered from the hand up, the right one from the shoulder down.
  EXPECT_EQ(partnerOf(man, map, "Skeleton_arm_joint_R"), "Skeleton_arm_joint_L__4_");
  EXPECT_EQ(partnerOf(man, map, "Skeleton_arm_joint_R__2_"), "Skeleton_arm_joint_L__3_");
  EXPECT_EQ(partnerOf(man, map, "Skeleton_arm_joint_R__3_"), "Skeleton_arm_joint_L__2_");
  EXPECT_TRUE(map.report.unmatchedJoints.empty());
  EXPECT_EQ(map.report.unmatchedVertices, 0);
}

TEST(MirrorData, TheFoxIsSymmetricToAHundredthOfAPercent) {
  SINEW_NEEDS_DATA();
  const Character fox = readCharacter(test::dataDir() / "gltf/Fox.glb").character;
  const MirrorMap map = findMirror(fox);
  EXPECT_EQ(partnerOf(fox, map, "b_LeftHand_011"), "b_RightHand_08");
  EXPECT_GT(map.report.vertexPartners, 1600);
  EXPECT_EQ(map.report.unmatchedVertices, 0);
  EXPECT_LT(map.report.rmsPercent, 0.02);
}

}  // namespace
}  // namespace sinew
