// Meshes that several nodes place, perhaps with several skins.
#include <gtest/gtest.h>

#include "io/gltf_sketch.h"
#include "sinew/base/error.h"
#include "sinew/character/weld.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/io/gltf.h"
#include "sinew/io/obj.h"
#include "support/data.h"

namespace sinew::gltf_instances_test {
namespace {

using test::GltfSketch;
using test::Json;

/// The square of gltf_sketch.h, placed a second time by another skin with joints of its own, 10 to the right.
GltfSketch twoSkins() {
  GltfSketch s = test::skinnedSquare();
  s.json["nodes"].push_back(Json::parse(R"({"name": "hip2", "children": [4], "translation": [10, 0, 0]})"));
  s.json["nodes"].push_back(Json::parse(R"({"name": "knee2", "translation": [0, 1, 0]})"));
  s.json["nodes"].push_back(Json::parse(R"({"name": "again", "mesh": 0, "skin": 1})"));
  s.json["skins"].push_back(Json::parse(R"({"joints": [3, 4], "inverseBindMatrices": 4})"));
  s.json["scenes"][0]["nodes"] = {0, 2, 3, 5};
  return s;
}

Points placedRest(const CharacterFile& file, const Pose& pose) {
  return PlacedPoser(file.character, instancesOf(file)).pose(pose);
}

TEST(GltfInstances, EachSkinMovesItsOwnPlace) {
  const CharacterFile file = twoSkins().read();
  EXPECT_EQ(file.character.mesh.vertexCount(), 4) << "the mesh counts once";
  EXPECT_EQ(file.character.mesh.parts[0].instances, 2);
  ASSERT_EQ(instancesOf(file).size(), 1u);
  EXPECT_EQ(instancesOf(file)[0].node, 5);
  Pose pose = restPose(file.character);
  pose.local[4].translation = Vec3(0, 3, 0);  // the second knee
  const Points placed = placedRest(file, pose);
  ASSERT_EQ(placed.cols(), 8);
  EXPECT_LT((Vec3(placed.col(2)) - Vec3(0, 1, 0)).norm(), 1e-12);
  EXPECT_LT((Vec3(placed.col(4)) - Vec3(10, 0, 0)).norm(), 1e-12);
  EXPECT_LT((Vec3(placed.col(6)) - Vec3(10, 3, 0)).norm(), 1e-12);
}

TEST(GltfInstances, ANodeWithoutASkinCarriesTheMeshAsItIs) {
  GltfSketch s = test::skinnedSquare();
  s.json["nodes"].push_back(Json::parse(R"({"name": "again", "mesh": 0, "translation": [0, 0, 7]})"));
  const CharacterFile file = s.read();
  const Points placed = placedRest(file, restPose(file.character));
  ASSERT_EQ(placed.cols(), 8);
  EXPECT_LT((Vec3(placed.col(7)) - Vec3(1, 1, 7)).norm(), 1e-12);
  EXPECT_EQ(skinJoints(file.character), (std::vector<int>{0, 1})) << "what carries a place is no joint of the skin";
}

TEST(GltfInstances, ASkinIsTheFirstPlaceAlsoBehindANodeWithoutOne) {
  GltfSketch s = test::skinnedSquare();
  s.json["nodes"][0]["mesh"] = 0;  // the hip shows it too
  const CharacterFile file = s.read();
  EXPECT_TRUE(file.character.mesh.parts[0].skinned);
  EXPECT_EQ(file.character.mesh.parts[0].node, 2);
  ASSERT_EQ(instancesOf(file).size(), 1u);
  EXPECT_EQ(instancesOf(file)[0].node, 0);
}

TEST(GltfInstances, MeshFilesHoldEveryPlaceInNodeOrder) {
  const CharacterFile file = twoSkins().read();
  LostList lost;
  const CharacterFile read = parseObj(formatObj(file, {}, lost), "placed.obj");
  ASSERT_EQ(read.character.mesh.vertexCount(), 8);
  EXPECT_EQ(read.character.mesh.faces.size(), 4u);
  EXPECT_EQ(read.character.mesh.points, placedRest(file, restPose(file.character)));
}

TEST(GltfInstances, ASkinWithTooFewJointsIsRefused) {
  GltfSketch s = twoSkins();
  s.json["skins"][1]["joints"] = {3};
  s.json["skins"][1].erase("inverseBindMatrices");
  const CharacterFile file = s.read();
  try {
    static_cast<void>(instancesOf(file));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("nodes[5] places meshes[0], whose vertices refer to joint 1"), std::string::npos)
        << error.what();
  }
}

TEST(GltfInstances, NodesKeepTheWeightsOfTheirMorphTargets) {
  GltfSketch s = test::skinnedSquare();
  const std::size_t up = s.add<float>({0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3");
  s.primitive()["targets"] = {{{"POSITION", up}}};
  s.json["meshes"][0]["weights"] = {0.5};
  s.json["nodes"].push_back(Json::parse(R"({"mesh": 0, "skin": 0, "weights": [0.25]})"));
  const CharacterFile file = s.read();
  const Points placed = placedRest(file, restPose(file.character));
  EXPECT_NEAR(placed(2, 0), 0.5, 1e-12);
  EXPECT_NEAR(placed(2, 4), 0.25, 1e-12);
}

TEST(GltfInstances, WritingKeepsTheFileAsItIs) {
  const GltfSketch s = twoSkins();
  const Json before = test::opened(s.glb()).json;
  EXPECT_EQ(test::opened(test::rewritten(s.read())).json["nodes"], before["nodes"]);
}

TEST(GltfInstances, ChangedWeightsMoveEveryPlace) {
  CharacterFile file = twoSkins().read();
  std::vector<std::vector<Influence>> columns(4, {{0, 0.25}, {1, 0.75}});
  file.character.skin.weights = SkinWeights::fromColumns(file.character.skin.bindings.size(), columns);
  const CharacterFile back = test::opened(test::rewritten(file)).read();
  EXPECT_EQ(back.character.skin.weights, file.character.skin.weights);
  Pose pose = restPose(back.character);
  pose.local[4].translation = Vec3(0, 3, 0);  // the second knee, by 2
  const Points placed = placedRest(back, pose);
  ASSERT_EQ(placed.cols(), 8);
  EXPECT_NEAR(placed(1, 6) - placed(1, 2), 1.5, 1e-6);
}

TEST(GltfInstances, WeightsOfAJointThatAnotherSkinLacksAreRefused) {
  CharacterFile file = twoSkins().read();
  Character& character = file.character;
  std::vector<Joint> joints;
  for (int j = 0; j < character.skeleton.size(); ++j) joints.push_back(character.skeleton[j]);
  joints.push_back({"helper", 0, {}});
  character.skeleton = Skeleton(joints);
  const auto helper = static_cast<std::uint32_t>(character.skin.bindings.size());
  character.skin.bindings.push_back({character.skeleton.size() - 1, Affine::Identity(), 0});
  std::vector<std::vector<Influence>> columns(4, {{0, 0.25}, {helper, 0.75}});
  character.skin.weights = SkinWeights::fromColumns(character.skin.bindings.size(), columns);
  try {
    (void)test::rewritten(file);
    FAIL() << "was written";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("which has no such joint"), std::string::npos) << error.what();
  }
}

TEST(GltfInstances, RealFilesArePlacedAsOftenAsTheySay) {
  SINEW_NEEDS_DATA();
  struct Row {
    const char* name;
    int instances;
    Index placed;  // in vertices of the whole file; 0: not counted here
  };
  for (const Row& row :
       {Row{"RecursiveSkeletons", 84, 0}, Row{"InterpolationTest", 9, 0}, Row{"NegativeScaleTest", 2, 0}}) {
    const auto path = test::dataDir() / "gltf-more" / (std::string(row.name) + ".glb");
    if (!std::filesystem::exists(path)) continue;
    const CharacterFile file = readCharacter(path);
    int most = 0;
    Index expected = 0;
    for (const MeshPart& part : file.character.mesh.parts) {
      most = std::max(most, part.instances);
      expected += part.vertexCount * part.instances;
    }
    EXPECT_EQ(most, row.instances) << row.name;
    EXPECT_EQ(placedRest(file, restPose(file.character)).cols(), expected) << row.name;
  }
}

TEST(GltfInstances, CubesOfSeveralNodesAreNotWelded) {
  SINEW_NEEDS_DATA();
  const auto path = test::dataDir() / "gltf-more" / "AnimatedColorsCube.glb";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const Character cubes = readCharacter(path).character;
  const WeldMap map = weldCharacter(cubes, cubes.mesh.points);
  std::vector<int> meshOf(static_cast<std::size_t>(cubes.mesh.vertexCount()));
  for (const MeshPart& part : cubes.mesh.parts)
    std::fill_n(meshOf.begin() + part.firstVertex, part.vertexCount, part.mesh);
  for (std::size_t v = 0; v < meshOf.size(); ++v)
    EXPECT_EQ(meshOf[v], meshOf[map.firstVertex[map.pointOfVertex[v]]]) << "vertex " << v;
}

}  // namespace
}  // namespace sinew::gltf_instances_test
