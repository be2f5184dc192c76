#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "formats_support.h"
#include "gltf_sketch.h"
#include "sinew/deform/posing.h"
#include "sinew/io/gltf.h"

namespace sinew::gltf_read_test {
namespace {

using test::GltfSketch;
using test::Json;
using test::skinnedSquare;

const Vec3 kUp = Vec3::UnitY();

TEST(GltfRead, GivesNodesPartsBindingsAndWeights) {
  const CharacterFile file = skinnedSquare().read();
  const Character& c = file.character;
  EXPECT_EQ(c.name, "sketch");
  EXPECT_EQ(file.format, "glTF binary");
  ASSERT_EQ(c.skeleton.size(), 3);
  EXPECT_EQ(c.skeleton[1].name, "knee");
  EXPECT_EQ(c.skeleton[1].parent, 0);
  ASSERT_EQ(c.mesh.vertexCount(), 4);
  EXPECT_EQ(c.mesh.points.col(3), Vec3(1, 1, 0));
  ASSERT_EQ(c.mesh.faces.size(), 2u);
  EXPECT_EQ(c.mesh.faces[1][2], 3u);
  ASSERT_EQ(c.mesh.parts.size(), 1u);
  EXPECT_EQ(c.mesh.parts[0].node, 2);
  EXPECT_TRUE(c.mesh.parts[0].skinned);
  ASSERT_EQ(c.skin.bindings.size(), 2u);
  EXPECT_EQ(c.skin.bindings[1].joint, 1);
  EXPECT_EQ(c.skin.bindings[1].jointFromRest.translation(), Vec3(0, -1, 0));
  EXPECT_EQ(c.skin.weights.weight(2, 1), 1.0);
  EXPECT_TRUE(file.problems.empty());
}

TEST(GltfRead, IgnoresTheTransformOfASkinnedMeshNode) {
  GltfSketch s = skinnedSquare();
  s.json["nodes"][2]["translation"] = {5, 5, 5};
  const Character c = s.read().character;
  EXPECT_LT((posePoints(c, restPose(c)) - c.mesh.points).norm(), 1e-12);
}

TEST(GltfRead, PutsAnUnskinnedMeshWhereItsNodesPlaceIt) {
  GltfSketch s;
  s.add<float>({1, 0, 0, 0, 1, 0, 0, 0, 1}, "VEC3");
  s.json["nodes"] = Json::parse(
      R"([{"children": [1], "scale": [2, 2, 2]}, {"mesh": 0, "translation": [1, 0, 0], "rotation": [0, 0, 0.7071067811865476, 0.7071067811865476]}])");
  s.json["meshes"] = Json::parse(R"([{"primitives": [{"attributes": {"POSITION": 0}}]}])");
  const Character c = s.read().character;
  EXPECT_EQ(c.skeleton[0].name, "node0");
  EXPECT_FALSE(c.mesh.parts[0].skinned);
  const Points posed = posePoints(c, restPose(c));
  EXPECT_LT((posed.col(0) - Vec3(2, 2, 0)).norm(), 1e-12);
  EXPECT_LT((posed.col(1) - Vec3(0, 0, 0)).norm(), 1e-12);
  ASSERT_EQ(c.mesh.faces.size(), 1u);
}

TEST(GltfRead, TakesAMatrixApart) {
  // Mirrored in x, scaled by 2, turned by 90 degrees about z, moved.
  GltfSketch s;
  s.json["nodes"] = Json::parse(R"([{"matrix": [0, -2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 3, 4, 5, 1]}])");
  const CharacterFile file = s.read();
  const Affine local = file.character.skeleton[0].rest.parentFromJoint();
  Mat3 expected;
  expected << 0, -2, 0, -2, 0, 0, 0, 0, 2;
  EXPECT_LT((local.linear() - expected).norm(), 1e-12);
  EXPECT_EQ(local.translation(), Vec3(3, 4, 5));
  EXPECT_LT(file.character.skeleton[0].rest.scale.x(), 0);
  EXPECT_TRUE(file.problems.empty());
}

TEST(GltfRead, TellsOfShearInAMatrix) {
  GltfSketch s;
  s.json["nodes"] = Json::parse(R"([{"matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}])");
  const CharacterFile file = s.read();
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_NE(file.problems[0].find("shear"), std::string::npos);
}

TEST(GltfRead, ReadsMatricesWithoutExtent) {
  for (const char* matrix : {"[0,0,0,0, 0,0,0,0, 0,0,0,0, 0,0,0,1]", "[2,0,0,0, 0,0,0,0, 0,0,0,0, 0,0,0,1]",
                             "[1,0,0,0, 0,0,0,0, 0,0,3,0, 0,0,0,1]", "[0,0,0,0, 0,5,0,0, 0,0,0,0, 0,0,0,1]"}) {
    GltfSketch s;
    s.json["nodes"] = Json::array({Json{{"matrix", Json::parse(matrix)}}});
    const Character c = s.read().character;
    const Affine local = c.skeleton[0].rest.parentFromJoint();
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(local(k, k), s.json["nodes"][0]["matrix"][static_cast<std::size_t>(5 * k)].get<double>(), 1e-12)
          << matrix;
    }
    EXPECT_NEAR(c.skeleton[0].rest.rotation.norm(), 1, 1e-12);
  }
}

TEST(GltfRead, NumbersVerticesOverMeshesAndPrimitivesAlsoWhereTheyShareAccessors) {
  GltfSketch s = skinnedSquare();
  s.json["meshes"][0]["primitives"].push_back(s.primitive());
  s.json["meshes"].push_back(Json::parse(R"({"primitives": [{"attributes": {"POSITION": 0}, "mode": 0}]})"));
  s.json["nodes"].push_back(Json::parse(R"({"mesh": 1, "translation": [0, 0, 7]})"));
  s.json["nodes"].push_back(Json::parse(R"({"mesh": 1})"));
  const Character c = s.read().character;
  ASSERT_EQ(c.mesh.vertexCount(), 12);
  ASSERT_EQ(c.mesh.parts.size(), 3u);
  EXPECT_EQ(c.mesh.parts[1].firstVertex, 4);
  EXPECT_EQ(c.mesh.faces[3][0], 6u);
  EXPECT_EQ(c.mesh.parts[2].mesh, 1);
  EXPECT_EQ(c.mesh.parts[2].node, 3);
  EXPECT_EQ(c.mesh.parts[2].instances, 2);
  EXPECT_EQ(c.mesh.parts[2].faceCount, 0u);
  EXPECT_EQ(posePoints(c, restPose(c)).col(8), Vec3(0, 0, 7));
}

TEST(GltfRead, KeepsTheBindingsOfSeveralSkinsApart) {
  GltfSketch s = skinnedSquare();
  const std::size_t shifted = s.add<float>(
      {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 4, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, "MAT4");
  s.json["skins"].push_back({{"joints", {1, 0}}, {"inverseBindMatrices", shifted}});
  s.json["meshes"].push_back(s.json["meshes"][0]);
  s.json["nodes"].push_back({{"mesh", 1}, {"skin", 1}});
  const Character c = s.read().character;
  ASSERT_EQ(c.skin.bindings.size(), 4u);
  EXPECT_EQ(c.skin.bindings[2].joint, 1);
  EXPECT_EQ(c.skin.weights.weight(4, 2), 1.0);
  const Points posed = posePoints(c, restPose(c));
  EXPECT_LT((posed.col(2) - Vec3(0, 1, 0)).norm(), 1e-12);
  EXPECT_LT((posed.col(4) - Vec3(0, 1, 4)).norm(), 1e-12);
  EXPECT_LT((posed.col(6) - Vec3(0, 1, 0)).norm(), 1e-12);
}

TEST(GltfRead, ExpandsStripsAndFansInTheirOrder) {
  GltfSketch s = skinnedSquare();
  const std::size_t strip = s.add<std::uint8_t>({0, 1, 2, 3, 3, 0}, "SCALAR");
  s.primitive()["indices"] = strip;
  s.primitive()["mode"] = 5;
  const Mesh strips = s.read().character.mesh;
  ASSERT_EQ(strips.faces.size(), 2u);  // the two flat ones are stitches
  EXPECT_EQ(std::vector<std::uint32_t>(strips.faces[1].begin(), strips.faces[1].end()),
            (std::vector<std::uint32_t>{1, 3, 2}));
  s.primitive()["mode"] = 6;
  s.primitive()["indices"] = s.add<std::uint32_t>({0, 1, 3, 2}, "SCALAR");
  const Mesh fan = s.read().character.mesh;
  ASSERT_EQ(fan.faces.size(), 2u);
  EXPECT_EQ(std::vector<std::uint32_t>(fan.faces[1].begin(), fan.faces[1].end()),
            (std::vector<std::uint32_t>{3, 2, 0}));
}

TEST(GltfRead, DecodesInterleavedAndNormalisedData) {
  GltfSketch s = skinnedSquare();
  // Interleaved as 3 shorts of position, 1 of padding, 2 of texture coordinates: 12 bytes each.
  const std::vector<std::int16_t> mixed = {0,     0,      0, 9, 0,      32767,  //
                                           32767, 0,      0, 9, 16384,  0,      //
                                           0,     -32768, 0, 9, -32767, 100,    //
                                           1,     2,      3, 9, 4,      5};
  const std::size_t view = s.view(mixed);
  s.json["bufferViews"][view]["byteStride"] = 12;
  s.json["extensionsRequired"] = {"KHR_mesh_quantization"};
  s.json["accessors"].push_back(
      {{"bufferView", view}, {"componentType", 5122}, {"count", 4}, {"type", "VEC3"}, {"normalized", true}});
  s.primitive()["attributes"]["POSITION"] = s.json["accessors"].size() - 1;
  s.json["accessors"].push_back(
      {{"bufferView", view}, {"byteOffset", 8}, {"componentType", 5122}, {"count", 4}, {"type", "VEC2"}});
  s.primitive()["attributes"]["TEXCOORD_0"] = s.json["accessors"].size() - 1;
  const Mesh mesh = s.read().character.mesh;
  EXPECT_EQ(mesh.points.col(1), Vec3(1, 0, 0));
  EXPECT_EQ(mesh.points.col(2), Vec3(0, -1, 0));
  EXPECT_EQ(mesh.points.col(3), Vec3(1, 2, 3) / 32767);
  EXPECT_EQ(mesh.uvs.col(1), Eigen::Vector2d(16384, 0));
}

TEST(GltfRead, ReadsNormalisedWeightsAndAddsAJointNamedTwice) {
  GltfSketch s = skinnedSquare();
  s.primitive()["attributes"]["WEIGHTS_0"] =
      s.add<std::uint8_t>({255, 0, 0, 0, 51, 204, 0, 0, 255, 0, 0, 0, 127, 128, 0, 0}, "VEC4", true);
  s.primitive()["attributes"]["JOINTS_0"] =
      s.add<std::uint16_t>({0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0}, "VEC4");
  const SkinWeights weights = s.read().character.skin.weights;
  EXPECT_NEAR(weights.weight(1, 1), 0.8, 1e-12);
  EXPECT_EQ(weights[3].size(), 1u);
  EXPECT_NEAR(weights.weight(3, 1), 1.0, 1e-12);
}

TEST(GltfRead, ReadsEightInfluences) {
  GltfSketch s = skinnedSquare();
  for (int j = 2; j < 8; ++j) {
    s.json["nodes"].push_back(Json{{"name", "extra" + std::to_string(j)}});
    s.json["skins"][0]["joints"].push_back(s.json["nodes"].size() - 1);
  }
  s.json["skins"][0].erase("inverseBindMatrices");
  std::vector<std::uint8_t> low;
  std::vector<std::uint8_t> high;
  for (int v = 0; v < 4; ++v) {
    low.insert(low.end(), {0, 1, 2, 3});
    high.insert(high.end(), {4, 5, 6, 7});
  }
  s.primitive()["attributes"]["JOINTS_0"] = s.add(low, "VEC4");
  s.primitive()["attributes"]["WEIGHTS_0"] = s.add(std::vector<float>(16, 0.125f), "VEC4");
  s.primitive()["attributes"]["JOINTS_1"] = s.add(high, "VEC4");
  s.primitive()["attributes"]["WEIGHTS_1"] = s.add(std::vector<float>(16, 0.125f), "VEC4");
  const SkinWeights weights = s.read().character.skin.weights;
  EXPECT_EQ(weights.maxInfluences(), 8);
  EXPECT_EQ(weights.weight(3, 7), 0.125);
}

TEST(GltfRead, NormalisesSumsAndTellsOfThem) {
  GltfSketch s = skinnedSquare();
  s.poke<float>(2, 4, 0.5f);
  const CharacterFile file = s.read();
  EXPECT_EQ(file.character.skin.weights.weight(1, 0), 1.0);
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_NE(file.problems[0].find("vertex 1 sum to 0.5"), std::string::npos) << file.problems[0];
}

TEST(GltfRead, ExpandsSparseAccessorsWithAndWithoutABufferView) {
  GltfSketch s = skinnedSquare();
  const std::size_t indices = s.view(std::vector<std::uint8_t>{1, 3});
  const std::size_t values = s.view(std::vector<float>{9, 8, 7, 6, 5, 4});
  const Json sparse = {{"count", 2},
                       {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
                       {"values", {{"bufferView", values}}}};
  s.json["accessors"][0]["sparse"] = sparse;
  s.json["accessors"].push_back({{"componentType", 5126}, {"count", 4}, {"type", "VEC3"}, {"sparse", sparse}});
  s.primitive()["targets"] = Json::array({Json{{"POSITION", s.json["accessors"].size() - 1}}});
  const Character c = s.read().character;
  EXPECT_EQ(c.mesh.points.col(1), Vec3(9, 8, 7));
  EXPECT_EQ(c.mesh.points.col(2), Vec3(0, 1, 0));
  ASSERT_EQ(c.morphs.size(), 1u);
  EXPECT_EQ(c.morphs[0].deltas.col(3), Vec3(6, 5, 4));
  EXPECT_TRUE(c.morphs[0].deltas.col(0).isZero(0));
}

TEST(GltfRead, GivesOneMorphTargetPerMeshOverAllItsPrimitives) {
  GltfSketch s = skinnedSquare();
  s.json["meshes"][0]["primitives"].push_back(s.primitive());
  const std::size_t smile = s.add<float>({1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "VEC3");
  const std::size_t frown = s.add<float>({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0}, "VEC3");
  s.json["meshes"][0]["primitives"][0]["targets"] = {{{"POSITION", smile}}, {{"POSITION", frown}}};
  s.json["meshes"][0]["primitives"][1]["targets"] = {{{"POSITION", frown}}, {{"NORMAL", smile}}};
  s.json["meshes"][0]["extras"] = {{"targetNames", {"smile", "frown"}}};
  s.json["meshes"][0]["weights"] = {0.25, 0.5};
  Character c = s.read().character;
  ASSERT_EQ(c.morphs.size(), 2u);
  EXPECT_EQ(c.morphs[0].name, "smile");
  EXPECT_EQ(c.morphs[0].deltas.cols(), 8);
  EXPECT_EQ(c.morphs[0].deltas(1, 7), 2.0);
  EXPECT_EQ(c.morphs[0].normalDeltas.cols(), 0);
  EXPECT_EQ(c.morphs[1].normalDeltas(0, 4), 1.0);
  EXPECT_EQ(c.morphs[1].defaultWeight, 0.5);
  s.json["nodes"][2]["weights"] = {1, 0};
  c = s.read().character;
  EXPECT_EQ(c.morphs[0].defaultWeight, 1.0);
}

/// The square with an animation of each interpolation and path.
GltfSketch animatedSquare() {
  GltfSketch s = skinnedSquare();
  s.primitive()["targets"] = {{{"POSITION", 0}}, {{"POSITION", 0}}};
  const std::size_t times = s.add<float>({0, 1}, "SCALAR");
  const auto half = static_cast<float>(std::numbers::sqrt2 / 2);
  const std::size_t turns = s.add<float>({0, 0, 0, 1, 0, 0, half, half}, "VEC4");
  const std::size_t moves = s.add<float>({0, 0, 0, 0, 1, 0, 0, 0, 2, /**/ 0, 0, 0, 4, 1, 0, 0, 0, 0}, "VEC3");
  const std::size_t scales = s.add<float>({1, 1, 1, 2, 2, 2}, "VEC3");
  const std::size_t weights = s.add<float>({0, 1, 1, 0}, "SCALAR");
  s.json["animations"] = Json::array({Json{{"name", "all"},
                                           {"samplers",
                                            {{{"input", times}, {"output", turns}},
                                             {{"input", times}, {"output", moves}, {"interpolation", "CUBICSPLINE"}},
                                             {{"input", times}, {"output", scales}, {"interpolation", "STEP"}},
                                             {{"input", times}, {"output", weights}}}},
                                           {"channels",
                                            {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "rotation"}}}},
                                             {{"sampler", 1}, {"target", {{"node", 0}, {"path", "translation"}}}},
                                             {{"sampler", 2}, {"target", {{"node", 1}, {"path", "scale"}}}},
                                             {{"sampler", 3}, {"target", {{"node", 2}, {"path", "weights"}}}},
                                             {{"sampler", 0}, {"target", {{"path", "pointer"}}}}}}}});
  return s;
}

TEST(GltfRead, PlaysEachInterpolation) {
  const Character c = animatedSquare().read().character;
  ASSERT_EQ(c.clips.size(), 1u);
  EXPECT_EQ(c.clips[0].channels.size(), 4u);
  const Pose pose = clipPose(c, "all", 0.5);
  EXPECT_NEAR(pose.local[1].rotation.angularDistance(Quat::Identity()), std::numbers::pi / 4, 1e-6);
  // Hermite at a half: (v0 + v1) / 2 + (b0 - a1) / 8 with v0 = (0, 1, 0), v1 = (4, 1, 0), b0 = (0, 0, 2), a1 = 0.
  EXPECT_NEAR(pose.local[0].translation.x(), 2, 1e-12);
  EXPECT_NEAR(pose.local[0].translation.y(), 1, 1e-12);
  EXPECT_NEAR(pose.local[0].translation.z(), 2.0 / 8, 1e-12);
  EXPECT_EQ(pose.local[1].scale, Vec3::Ones());
  EXPECT_EQ(pose.morphWeights, (std::vector<double>{0.5, 0.5}));
}

TEST(GltfRead, PosesThePartBelowAMovedJoint) {
  const Character c = skinnedSquare().read().character;
  Pose pose = restPose(c);
  pose.local[1].rotation = Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()));
  const Points posed = posePoints(c, pose);
  EXPECT_LT((posed.col(3) - (kUp + kUp)).norm(), 1e-12);
  EXPECT_LT((posed.col(1) - Vec3::UnitX()).norm(), 1e-12);
}

TEST(GltfRead, ReadsTextFilesWithDataUrisAndWithBinFilesOfOddNames) {
  const test::TemporaryFolder folder;
  GltfSketch s = skinnedSquare();
  const Character direct = s.read().character;
  folder.write("bytes of ä #1.bin", s.bin);
  s.json["buffers"] = {{{"byteLength", s.bin.size()}, {"uri", "bytes%20of%20%C3%A4%20%231.bin"}}};
  const Character beside = readGltf(folder.write("a.gltf", "\xEF\xBB\xBF" + s.json.dump(1))).character;
  EXPECT_EQ(beside.mesh.points, direct.mesh.points);
  EXPECT_EQ(beside.name, "a");
  s.json["buffers"] = {{{"byteLength", 3}, {"uri", "data:application/octet-stream;base64,AAEC"}}};
  s.json["bufferViews"] = {{{"buffer", 0}, {"byteLength", 3}}};
  s.json["accessors"] = {{{"bufferView", 0}, {"componentType", 5121}, {"count", 1}, {"type", "VEC3"}}};
  s.json["meshes"] = {{{"primitives", {{{"attributes", {{"POSITION", 0}}}}}}}};
  s.json.erase("skins");
  s.json["nodes"][2].erase("skin");
  EXPECT_EQ(readGltf(folder.write("b.gltf", s.json.dump())).character.mesh.points.col(0), Vec3(0, 1, 2));
}

TEST(GltfRead, NamesOwnBlocks) {
  GltfSketch s = skinnedSquare();
  s.json["extensions"] = {{"SINEW_other", Json::object()}, {"OTHER", 1}};
  EXPECT_EQ(s.read().blocks, std::vector<std::string>{"SINEW_other"});
}

TEST(GltfRead, ReadsAFileWithoutMeshesOrNodes) {
  GltfSketch s;
  EXPECT_EQ(s.read().character.mesh.vertexCount(), 0);
  s.add<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3");
  s.json["meshes"] = Json::parse(R"([{"primitives": [{"attributes": {"POSITION": 0}}]}])");
  const Character c = s.read().character;
  EXPECT_EQ(c.mesh.faces.size(), 1u);
  EXPECT_FALSE(c.hasSkin());
}

}  // namespace
}  // namespace sinew::gltf_read_test
