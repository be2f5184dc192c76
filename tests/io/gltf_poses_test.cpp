// Named poses.
#include <gtest/gtest.h>

#include "formats_support.h"
#include "gltf_sketch.h"
#include "schema_misfit.h"
#include "support/test_arm.h"

namespace sinew::gltf_poses_test {
namespace {

using test::expectRefused;
using test::GltfSketch;
using test::Json;
using test::rewritten;

constexpr const char* kBlock = "SINEW_poses";

CharacterFile reread(const CharacterFile& file) {
  return readGltfFromMemory(rewritten(file), {}, "arm");
}

/// An arm as it comes from a file, with a pose of a joint and one that is the rest.
CharacterFile posedArm() {
  CharacterFile made;
  made.character = test::testArm();
  CharacterFile file = reread(made);
  SavedPose bent{"bent by a third", restPose(file.character)};
  bent.pose.local[1].rotation = Quat(Eigen::AngleAxisd(1.0 / 3, Vec3(1, 2, 3).normalized()));
  bent.pose.local[1].translation += Vec3(0.1, 1e-17, -1.0 / 3);
  bent.pose.local[1].scale = Vec3(1, 0.7, 1);
  file.poses = {bent, {"rest again", restPose(file.character)}};
  return file;
}

void expectSame(const Pose& found, const Pose& wanted) {
  ASSERT_EQ(found.local.size(), wanted.local.size());
  for (std::size_t j = 0; j < wanted.local.size(); ++j) {
    EXPECT_EQ(found.local[j].translation, wanted.local[j].translation);
    EXPECT_EQ(found.local[j].rotation.coeffs(), wanted.local[j].rotation.coeffs());
    EXPECT_EQ(found.local[j].scale, wanted.local[j].scale);
  }
  EXPECT_EQ(found.morphWeights, wanted.morphWeights);
}

TEST(GltfPoses, ComeBackBitForBit) {
  const CharacterFile file = posedArm();
  const CharacterFile back = reread(file);
  ASSERT_EQ(back.poses.size(), 2u);
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_EQ(back.poses[p].name, file.poses[p].name);
    expectSame(back.poses[p].pose, file.poses[p].pose);
  }
  EXPECT_EQ(back.blocks, std::vector<std::string>{kBlock});
  EXPECT_TRUE(back.problems.empty());
  EXPECT_EQ(rewritten(back), rewritten(reread(back)));
}

TEST(GltfPoses, GoIntoAFreshFileToo) {
  CharacterFile file = posedArm();
  file.source = nullptr;
  const CharacterFile back = reread(file);
  ASSERT_EQ(back.poses.size(), 2u);
  EXPECT_EQ(back.poses[0].pose.local[1].rotation.coeffs(), file.poses[0].pose.local[1].rotation.coeffs());
}

TEST(GltfPoses, KeepMorphWeights) {
  CharacterFile file = posedArm();
  file.character.morphs.push_back({.name = "smile", .deltas = Points::Ones(3, file.character.mesh.vertexCount())});
  file = reread(file);
  ASSERT_EQ(file.character.morphs.size(), 1u);
  SavedPose smiling{"smiling", restPose(file.character)};
  smiling.pose.morphWeights[0] = 0.3;
  file.poses = {smiling};
  const CharacterFile back = reread(file);
  ASSERT_EQ(back.poses.size(), 1u);
  expectSame(back.poses[0].pose, smiling.pose);
}

TEST(GltfPoses, GoWhenTheyAreTakenAway) {
  CharacterFile file = reread(posedArm());
  file.poses.clear();
  const std::string bytes = rewritten(file);
  EXPECT_EQ(bytes.find(kBlock), std::string::npos);
  EXPECT_TRUE(readGltfFromMemory(bytes, {}, "arm").blocks.empty());
}

TEST(GltfPoses, FitTheirSchema) {
  const Json schema = test::publishedSchema(kBlock);
  Json block = test::opened(rewritten(posedArm())).json["extensions"][kBlock];
  EXPECT_EQ(test::misfit(schema, block), "");
  block["poses"][0]["joints"][0]["scale"] = 1;
  EXPECT_NE(test::misfit(schema, block), "");
}

TEST(GltfPoses, AreLeftOutWhereTheirJointsAreGone) {
  GltfSketch sketch = test::opened(rewritten(posedArm()));
  sketch.json["extensions"][kBlock]["poses"][0]["joints"][0]["name"] = "tail";
  const CharacterFile file = readGltfFromMemory(sketch.glb(), {}, "arm");
  ASSERT_EQ(file.poses.size(), 1u);
  EXPECT_EQ(file.poses[0].name, "rest again");
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_NE(file.problems[0].find("tail"), std::string::npos);
}

TEST(GltfPoses, AreRefusedWhereTheyAreDamaged) {
  const std::string bytes = rewritten(posedArm());
  const auto refuses = [&](const auto& damage) {
    GltfSketch sketch = test::opened(bytes);
    damage(sketch.json["extensions"][kBlock]);
    expectRefused([&] { static_cast<void>(readGltfFromMemory(sketch.glb(), {}, "arm")); }, {kBlock});
  };
  refuses([](Json& block) { block = 3; });
  refuses([](Json& block) { block["poses"] = 3; });
  refuses([](Json& block) { block["poses"][0].erase("name"); });
  refuses([](Json& block) { block["poses"][0]["joints"][0]["rotation"] = {0, 0, 0, 0}; });
  refuses([](Json& block) { block["poses"][0]["joints"][0]["translation"] = {0, 0}; });
  refuses([](Json& block) { block["poses"][0]["joints"][0]["joint"] = -1; });
}

TEST(GltfPoses, AreNotMoreThanTheFilesBytesJustify) {
  GltfSketch sketch = test::opened(rewritten(posedArm()));
  for (int i = 0; i < 5000; ++i) sketch.json["nodes"].push_back(Json::object());
  for (int i = 0; i < 1000; ++i) sketch.json["extensions"][kBlock]["poses"].push_back(Json{{"name", ""}});
  expectRefused([&] { static_cast<void>(readGltfFromMemory(sketch.glb(), {}, "arm")); },
                {kBlock, "more poses than the file"});
}

TEST(GltfPoses, ThatCouldNotBeReadAgainAreNotWritten) {
  const test::TemporaryFolder folder;
  CharacterFile file = posedArm();
  file.poses.front().pose.local.back().rotation = Quat(0, 0, 0, 0);
  for (const char* name : {"arm.glb", "arm.gltf"}) {
    expectRefused([&] { writeCharacter(folder / name, file); }, {name, "cannot be read back", kBlock});
    EXPECT_TRUE(folder.names().empty());
  }
}

}  // namespace
}  // namespace sinew::gltf_poses_test
