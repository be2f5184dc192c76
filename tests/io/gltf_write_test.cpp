#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "formats_support.h"
#include "gltf_sketch.h"
#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/io/gltf.h"
#include "support/test_arm.h"

namespace sinew::gltf_write_test {
namespace {

using test::GltfSketch;
using test::Json;
using test::opened;
using test::rewritten;
using test::skinnedSquare;

CharacterFile fresh(const Character& character) {
  CharacterFile file;
  file.character = character;
  return file;
}

CharacterFile readBack(const CharacterFile& file) {
  return readGltfFromMemory(rewritten(file), {}, "back");
}

double worst(const Points& a, const Points& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

/// The arm with texture corners (a seam along its first side), two morph targets and a clip of each interpolation.
Character richArm() {
  Character arm = test::testArm();
  const int sides = 12;
  for (std::size_t f = 0; f < arm.mesh.faces.size(); ++f) {
    for (const std::uint32_t v : arm.mesh.faces[f]) {
      const bool wraps = f % sides == sides - 1 && v % sides == 0;
      arm.mesh.cornerUv.push_back(v + (wraps ? 21u * sides : 0u));
    }
  }
  arm.mesh.uvs.resize(2, 2 * 21 * sides);
  for (Index i = 0; i < arm.mesh.uvs.cols(); ++i) arm.mesh.uvs.col(i) << 0.001 * static_cast<double>(i), 0.25;
  for (const char* name : {"bulge", "dent"}) {
    MorphTarget morph;
    morph.name = name;
    morph.deltas = 0.1 * arm.mesh.points;
    morph.defaultWeight = 0.25;
    arm.morphs.push_back(morph);
  }
  Clip clip;
  clip.name = "all";
  ClipChannel turn{ClipPath::Rotation, Interpolation::Linear, 2, 0, {0, 0.5, 1}, Eigen::MatrixXd::Zero(4, 3)};
  turn.values << 0, 0, 0, 0, 0, 0, 0, std::sin(0.2), std::sin(0.4), 1, std::cos(0.2), std::cos(0.4);
  ClipChannel move{ClipPath::Translation, Interpolation::CubicSpline, 0, 0, {0, 1}, Eigen::MatrixXd::Random(3, 6)};
  ClipChannel grow{ClipPath::Scale, Interpolation::Step, 1, 0, {0, 1}, Eigen::MatrixXd::Constant(3, 2, 1.5)};
  ClipChannel weigh{ClipPath::Weights, Interpolation::Linear, 0, 0, {0, 0.5, 1}, Eigen::MatrixXd::Random(2, 3)};
  clip.channels = {turn, move, grow, weigh};
  arm.clips.push_back(clip);
  return arm;
}

TEST(GltfWrite, FreshArmComesBackExactToFloat) {
  const Character arm = test::testArm();
  const CharacterFile file = readBack(fresh(arm));
  const Character& back = file.character;
  EXPECT_TRUE(file.problems.empty());
  ASSERT_EQ(back.mesh.vertexCount(), arm.mesh.vertexCount());
  EXPECT_LT(worst(back.mesh.points, arm.mesh.points), 1e-7);
  EXPECT_EQ(back.mesh.faces.size(), 2 * arm.mesh.faces.size());
  ASSERT_EQ(back.skeleton.size(), arm.skeleton.size() + 1);
  for (int j = 0; j < arm.skeleton.size(); ++j) {
    EXPECT_EQ(back.skeleton[j].name, arm.skeleton[j].name);
    EXPECT_EQ(back.skeleton[j].parent, arm.skeleton[j].parent);
    EXPECT_EQ(back.skeleton[j].rest.translation, arm.skeleton[j].rest.translation);
  }
  ASSERT_EQ(back.skin.bindings.size(), arm.skin.bindings.size());
  for (Index v = 0; v < arm.mesh.vertexCount(); ++v) {
    for (std::uint32_t b = 0; b < 3; ++b)
      EXPECT_NEAR(back.skin.weights.weight(v, b), arm.skin.weights.weight(v, b), 1e-7);
  }
  Pose pose = test::bentArmPose(arm);
  const Points expected = posePoints(arm, pose);
  pose.local.push_back(back.skeleton[3].rest);
  EXPECT_LT(worst(posePoints(back, pose), expected), 1e-6);
}

TEST(GltfWrite, FreshFileTellsOfSplitPolygons) {
  const GltfFiles files = gltfToMemory("arm.glb", fresh(test::testArm()));
  ASSERT_EQ(files.lost.size(), 1u);
  EXPECT_NE(files.lost[0].find("240 polygons were split into triangles"), std::string::npos) << files.lost[0];
}

TEST(GltfWrite, SplitsVerticesAtTextureSeamsAfterTheOriginals) {
  const Character arm = richArm();
  const Character back = readBack(fresh(arm)).character;
  ASSERT_EQ(back.mesh.vertexCount(), arm.mesh.vertexCount() + 21);
  EXPECT_LT(worst(back.mesh.points.leftCols(arm.mesh.vertexCount()), arm.mesh.points), 1e-7);
  // Each corner has the position and the texture coordinate that it had; triangles and quads differ, so by value.
  for (std::size_t c = 0; c < back.mesh.faces.corner.size(); ++c) {
    const std::uint32_t v = back.mesh.faces.corner[c];
    const double u = back.mesh.uvs(0, v) * 1000;
    const auto original = static_cast<Index>(std::lround(u)) % arm.mesh.vertexCount();
    EXPECT_LT((back.mesh.points.col(v) - arm.mesh.points.col(original)).norm(), 1e-6);
  }
  EXPECT_EQ(back.morphs[0].deltas.cols(), back.mesh.vertexCount());
}

TEST(GltfWrite, FreshMorphsAndClipsPlayTheSame) {
  const Character arm = richArm();
  const Character back = readBack(fresh(arm)).character;
  ASSERT_EQ(back.morphs.size(), 2u);
  EXPECT_EQ(back.morphs[1].name, "dent");
  EXPECT_EQ(back.morphs[1].defaultWeight, 0.25);
  ASSERT_EQ(back.clips.size(), 1u);
  EXPECT_EQ(back.clips[0].channels[1].interpolation, Interpolation::CubicSpline);
  for (const double time : {0.0, 0.2, 0.5, 0.77, 1.0}) {
    const Points a = posePoints(arm, clipPose(arm, "all", time));
    const Points b = posePoints(back, clipPose(back, "all", time));
    EXPECT_LT(worst(b.leftCols(a.cols()), a), 2e-6) << time;
  }
}

TEST(GltfWrite, WritesAsManyInfluencesAsThereAre) {
  Character arm = test::testArm();
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  std::vector<std::vector<Influence>> columns(static_cast<std::size_t>(arm.mesh.vertexCount()));
  for (int j = 3; j < 9; ++j) {
    joints.push_back({"extra" + std::to_string(j), 0, {}});
    arm.skin.bindings.push_back({j, Affine::Identity()});
  }
  arm.skeleton = Skeleton(joints);
  for (auto& column : columns) {
    for (std::uint32_t b = 0; b < 9; ++b) column.push_back({b, (b + 1.0) / 45});
  }
  arm.skin.weights = SkinWeights::fromColumns(9, columns);
  const Character back = readBack(fresh(arm)).character;
  EXPECT_EQ(back.skin.weights.maxInfluences(), 9);
  EXPECT_NEAR(back.skin.weights.weight(5, 8), 0.2, 1e-7);
}

TEST(GltfWrite, GivesTwoBindingsOfOneJointAJointEach) {
  Character arm = test::testArm();
  arm.skin.bindings[0] = arm.skin.bindings[2];
  arm.skin.bindings[0].jointFromRest.translation() += Vec3(0, 1, 0);
  std::vector<std::vector<Influence>> columns(static_cast<std::size_t>(arm.mesh.vertexCount()), {{0, 0.5}, {2, 0.5}});
  arm.skin.weights = SkinWeights::fromColumns(3, columns);
  const Character back = readBack(fresh(arm)).character;
  EXPECT_LT(worst(posePoints(back, restPose(back)), posePoints(arm, restPose(arm))), 1e-6);
}

TEST(GltfWrite, GivesJointsWithoutACommonRootOne) {
  Character arm = test::testArm();
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  joints[2].parent = -1;
  joints[2].rest.translation = Vec3::Zero();
  arm.skeleton = Skeleton(joints);
  const GltfSketch written = opened(rewritten(fresh(arm)));
  EXPECT_EQ(written.json["scenes"][0]["nodes"].size(), 2u);
  const Character back = readBack(fresh(arm)).character;
  EXPECT_LT(worst(posePoints(back, restPose(back)), posePoints(arm, restPose(arm))), 1e-6);
}

TEST(GltfWrite, WritesMeshesWithoutASkeleton) {
  Character arm = test::testArm();
  arm.skeleton = {};
  arm.skin = {};
  const Character back = readBack(fresh(arm)).character;
  EXPECT_EQ(back.mesh.vertexCount(), arm.mesh.vertexCount());
  EXPECT_EQ(back.skeleton.size(), 1);
}

TEST(GltfWrite, RefusesWhatFloatsCannotHold) {
  Character arm = test::testArm();
  arm.mesh.points(0, 3) = 1e300;
  test::expectRefused([&] { rewritten(fresh(arm)); }, {"out.glb", "too large", "scale"});
}

TEST(GltfWrite, ReplacesBytesThatAreNoText) {
  Character arm = test::testArm();
  arm.name = "\xff\xfe";
  arm.mesh.parts[0].name = "\xff";
  EXPECT_NO_THROW(readBack(fresh(arm)));
}

TEST(GltfPatch, UnchangedCharactersGiveTheSameBytes) {
  const std::string glb = skinnedSquare().glb();
  EXPECT_EQ(rewritten(readGltfFromMemory(glb, {}, "x")), glb);
}

TEST(GltfPatch, WritesMovedPointsWithTheirBounds) {
  CharacterFile file = skinnedSquare().read();
  file.character.mesh.points.col(3) = Vec3(5, 6, 7);
  const GltfSketch written = opened(rewritten(file));
  const std::size_t position = written.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"];
  EXPECT_EQ(written.json["accessors"][position]["max"], Json({5.0, 6.0, 7.0}));
  EXPECT_EQ(written.json["accessors"].size(), 5u) << "the old accessor is gone";
  EXPECT_EQ(written.json["bufferViews"].size(), 5u);
  const Character back = written.read().character;
  EXPECT_EQ(back.mesh.points, file.character.mesh.points);
  EXPECT_EQ(back.skin.weights, file.character.skin.weights);
}

TEST(GltfPatch, LeavesOtherUsersOfASharedAccessorAlone) {
  GltfSketch s = skinnedSquare();
  s.json["meshes"][0]["primitives"].push_back(s.primitive());
  CharacterFile file = s.read();
  file.character.mesh.points.col(0) = Vec3(-1, -1, -1);
  const Character back = readBack(file).character;
  EXPECT_EQ(back.mesh.points, file.character.mesh.points);
}

TEST(GltfPatch, DoesNotGrowWhenWrittenAgainAndAgain) {
  CharacterFile file = skinnedSquare().read();
  std::size_t first = 0;
  for (int round = 0; round < 5; ++round) {
    file.character.mesh.points *= 1.5;
    file.character.skin.weights = SkinWeights::fromColumns(
        2, std::vector<std::vector<Influence>>(4, {{0, 0.5 + 0.1 * round}, {1, 0.5 - 0.1 * round}}));
    const std::string bytes = rewritten(file);
    if (round == 1) first = bytes.size();
    if (round > 1) {
      EXPECT_LE(bytes.size(), first + 64);
    }
    const Character expected = file.character;
    file = readGltfFromMemory(bytes, {}, "x");
    EXPECT_LT(worst(file.character.mesh.points, expected.mesh.points), 1e-5);
    EXPECT_NEAR(file.character.skin.weights.weight(0, 0), expected.skin.weights.weight(0, 0), 1e-6);
  }
}

TEST(GltfPatch, KeepsAccessorsThatUnknownExtensionsMayUse) {
  GltfSketch s = skinnedSquare();
  s.json["nodes"][0]["extensions"] = {{"EXT_mesh_gpu_instancing", {{"attributes", {{"TRANSLATION", 0}}}}}};
  CharacterFile file = s.read();
  file.character.mesh.points *= 2;
  const GltfSketch written = opened(rewritten(file));
  EXPECT_EQ(written.json["accessors"][0], s.json["accessors"][0]);
}

TEST(GltfPatch, AppendsJointsAndBindings) {
  CharacterFile file = skinnedSquare().read();
  Character& c = file.character;
  std::vector<Joint> joints(c.skeleton.joints().begin(), c.skeleton.joints().end());
  Joint helper{"helper", 1, {}};
  helper.rest.translation = Vec3(0.5, 0, 0);
  joints.push_back(helper);
  joints.push_back({"loose", -1, {}});
  joints[1].rest.translation = Vec3(0, 1.25, 0);
  c.skeleton = Skeleton(joints);
  Binding binding{3, Affine::Identity()};
  binding.jointFromRest.translation() = Vec3(-0.5, -1, 0);
  c.skin.bindings.push_back(binding);
  c.skin.weights =
      SkinWeights::fromColumns(3, std::vector<std::vector<Influence>>(4, {{0, 0.5}, {1, 0.25}, {2, 0.25}}));
  const CharacterFile back = readBack(file);
  ASSERT_EQ(back.character.skeleton.size(), 5);
  EXPECT_EQ(back.character.skeleton[3].parent, 1);
  EXPECT_EQ(back.character.skeleton[3].name, "helper");
  EXPECT_EQ(opened(rewritten(file)).json["scenes"][0]["nodes"], Json({0, 2, 4}));
  Pose pose = restPose(c);
  pose.local[3].rotation = Quat(Eigen::AngleAxisd(0.7, Vec3(1, 1, 0).normalized()));
  EXPECT_LT(worst(posePoints(back.character, pose), posePoints(c, pose)), 1e-6);
}

TEST(GltfPatch, BindsAnewToFewerAndOtherJoints) {
  CharacterFile file = skinnedSquare().read();
  Character& c = file.character;
  Binding binding{1, Affine::Identity()};
  binding.jointFromRest.translation() = Vec3(0, -2, 0);
  c.skin.bindings = {binding};
  c.skin.weights = SkinWeights::rigid(1, 4, 0);
  const GltfSketch written = opened(rewritten(file));
  EXPECT_EQ(written.json["skins"][0]["joints"], Json({1}));
  EXPECT_EQ(written.json["nodes"].size(), 3u);
  const Character back = written.read().character;
  EXPECT_LT(worst(posePoints(back, restPose(back)), posePoints(c, restPose(c))), 1e-6);
}

TEST(GltfPatch, GivesASkinToAMeshThatHadNone) {
  GltfSketch s = skinnedSquare();
  s.json.erase("skins");
  s.json["nodes"][2].erase("skin");
  s.json["nodes"][2]["translation"] = {3, 0, 0};
  CharacterFile file = s.read();
  Character& c = file.character;
  ASSERT_EQ(c.skin.bindings.size(), 1u);
  c.skin.bindings.push_back({0, Affine::Identity()});
  c.skin.bindings.push_back({1, Affine::Identity()});
  c.skin.weights = SkinWeights::fromColumns(3, std::vector<std::vector<Influence>>(4, {{1, 0.75}, {2, 0.25}}));
  const Character back = readBack(file).character;
  EXPECT_TRUE(back.mesh.parts[0].skinned);
  EXPECT_LT(worst(posePoints(back, restPose(back)), posePoints(c, restPose(c))), 1e-6);
}

TEST(GltfPatch, AddsChangesAndRemovesMorphTargets) {
  CharacterFile file = skinnedSquare().read();
  for (const char* name : {"a", "b", "c"}) {
    MorphTarget morph;
    morph.name = name;
    morph.firstVertex = 1;  // only a part of the mesh
    morph.deltas = Points::Random(3, 2);
    file.character.morphs.push_back(morph);
  }
  file.character.morphs[1].defaultWeight = 0.5;
  CharacterFile back = readBack(file);
  ASSERT_EQ(back.character.morphs.size(), 3u);
  EXPECT_EQ(back.character.morphs[2].name, "c");
  EXPECT_EQ(back.character.morphs[1].defaultWeight, 0.5);
  EXPECT_TRUE(back.character.morphs[2].deltas.col(0).isZero(0));
  EXPECT_LT(worst(back.character.morphs[2].deltas.middleCols(1, 2), file.character.morphs[2].deltas), 1e-6);

  const Points kept = back.character.morphs[2].deltas;
  back.character.morphs.erase(back.character.morphs.begin());
  back.character.morphs[0].deltas *= 2;
  const GltfSketch written = opened(rewritten(back));
  EXPECT_EQ(written.json["meshes"][0]["extras"]["targetNames"], Json({"b", "c"}));
  EXPECT_EQ(written.json["meshes"][0]["weights"], Json({0.5, 0.0}));
  CharacterFile again = written.read();
  EXPECT_EQ(again.character.morphs[1].deltas, kept);
  again.character.morphs.clear();
  EXPECT_EQ(opened(rewritten(again)).json["meshes"][0]["primitives"][0].contains("targets"), false);
}

TEST(GltfPatch, AddsAndChangesClipsAndKeepsChannelsOfOtherKinds) {
  GltfSketch s = skinnedSquare();
  const std::size_t times = s.add<float>({0, 1}, "SCALAR");
  const std::size_t values = s.add<float>({0, 0, 0, 1, 1, 1}, "VEC3");
  s.json["nodes"][0]["matrix"] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  s.json["animations"] = Json::array({Json{
      {"name", "walk"},
      {"extras", 5},
      {"samplers", {{{"input", times}, {"output", values}}, {{"input", times}, {"output", values}}}},
      {"channels",
       {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "translation"}}}},
        {{"sampler", 1},
         {"target", {{"path", "pointer"}, {"extensions", {{"KHR_animation_pointer", {{"pointer", "/x"}}}}}}}}}}}});
  CharacterFile file = s.read();
  file.character.clips[0].channels[0].values(0, 1) = 3;
  Clip extra;
  extra.name = "run";
  extra.channels.push_back({ClipPath::Rotation, Interpolation::Step, 0, 0, {0.5}, Eigen::Vector4d(0, 0, 0, 1)});
  file.character.clips.push_back(extra);
  const GltfSketch written = opened(rewritten(file));
  ASSERT_EQ(written.json["animations"].size(), 2u);
  EXPECT_EQ(written.json["animations"][0]["extras"], 5);
  EXPECT_EQ(written.json["animations"][0]["channels"].size(), 2u);
  EXPECT_EQ(written.json["animations"][0]["channels"][0]["target"]["path"], "pointer");
  EXPECT_FALSE(written.json["nodes"][0].contains("matrix")) << "an animated node must not have a matrix";
  const Character back = written.read().character;
  EXPECT_EQ(back.clips[0].channels[0].values(0, 1), 3.0);
  EXPECT_EQ(back.clips[1].channels[0].interpolation, Interpolation::Step);
  file.character.clips.erase(file.character.clips.begin());
  EXPECT_EQ(opened(rewritten(file)).json["animations"].size(), 1u);
}

TEST(GltfPatch, WeightsChannelsFollowNewTargets) {
  CharacterFile file = fresh(richArm());
  file = readBack(file);
  MorphTarget more = file.character.morphs[0];
  more.name = "more";
  more.defaultWeight = 0.125;
  file.character.morphs.push_back(more);
  const Character back = readBack(file).character;
  ASSERT_EQ(back.morphs.size(), 3u);
  const Pose pose = clipPose(back, "all", 0.3);
  EXPECT_NEAR(pose.morphWeights[2], 0.125, 1e-7);
  EXPECT_NEAR(pose.morphWeights[1], clipPose(file.character, "all", 0.3).morphWeights[1], 1e-7);
}

TEST(GltfPatch, OtherVerticesMakeAFreshFileAndSaySo) {
  CharacterFile file = skinnedSquare().read();
  file.character = test::testArm();
  const GltfFiles files = gltfToMemory("a.glb", file);
  ASSERT_FALSE(files.lost.empty());
  EXPECT_NE(files.lost[0].find("different vertices"), std::string::npos);
}

}  // namespace
}  // namespace sinew::gltf_write_test
