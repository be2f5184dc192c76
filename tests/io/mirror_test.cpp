// Mirroring on third-party rigs.
#include "sinew/character/mirror.h"

#include <gtest/gtest.h>

#include "sinew/io/formats.h"
#include "support/data.h"

namespace sinew::mirror_test {
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

TEST(MirrorData, PartnersAreFoundInTheShapeThatWasModelledSymmetrically) {
  SINEW_NEEDS_DATA();
  // The rest pose of this file is not symmetric; the shape in which it was bound is, but for a few vertices.
  const Character man = readCharacter(test::dataDir() / "gltf/CesiumMan.glb").character;
  const MirrorMap map = findMirror(man);
  EXPECT_GE(map.report.vertexPartners, 3269);
  const MirrorPlace& armpit = map.vertex[1681];
  ASSERT_EQ(armpit.kind, MirrorPlace::Kind::Vertex);
  EXPECT_EQ(man.mesh.points.col(armpit.vertex[0]), man.mesh.points.col(2579)) << "the chest, not the arm beside it";
  for (std::size_t v = 0; v < map.vertex.size(); ++v) {
    if (map.vertex[v].kind != MirrorPlace::Kind::Vertex) continue;
    const MirrorPlace& back = map.vertex[map.vertex[v].vertex[0]];
    ASSERT_EQ(back.kind, MirrorPlace::Kind::Vertex) << v;
    EXPECT_EQ(man.mesh.points.col(back.vertex[0]), man.mesh.points.col(static_cast<Index>(v))) << v;
    EXPECT_NEAR(map.side[v], -map.side[map.vertex[v].vertex[0]], 0.02) << v;
  }
}

TEST(MirrorData, TheFoxIsSymmetricToAHundredthOfAPercent) {
  SINEW_NEEDS_DATA();
  const Character fox = readCharacter(test::dataDir() / "gltf/Fox.glb").character;
  const MirrorMap map = findMirror(fox);
  EXPECT_EQ(partnerOf(fox, map, "b_LeftHand_011"), "b_RightHand_08");
  EXPECT_GT(map.report.vertexPartners, 1600);
  EXPECT_EQ(map.report.unmatchedVertices, 0);
  // Partners are vertices if the triangles agree, even if a point between vertices would be slightly nearer.
  EXPECT_LT(map.report.rmsPercent, 0.025);
}

}  // namespace
}  // namespace sinew::mirror_test
