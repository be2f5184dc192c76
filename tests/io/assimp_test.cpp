// Small files are written here by hand, so that their content is known; real files are read if the data is available.
#include "sinew/io/assimp.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <regex>

#include "formats_support.h"
#include "sinew/character/mesh.h"
#include "sinew/deform/posing.h"

namespace sinew::test::assimp_test {
namespace {

/// In process, so that sanitizers see faults.
const ReadOptions kHere{.rules = {.foreign = {.inProcess = true}}};

/// A strip of two quads along y, bound to `lower` and `upper` (at y = 1) with weights that do not sum to 1, and a clip
/// that turns `upper` about z from 0 to 90 degrees in 2 seconds.
std::string colladaArm(const std::string& weights = "2 1 0.5 0.25 0.5", const std::string& counts = "1 1 2 2 1 1",
                       const std::string& pairs = "0 0 0 0 0 2 1 2 0 2 1 2 1 1 1 1") {
  return R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="meter" meter="1"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="strip" name="strip"><mesh>
 <source id="strip-p"><float_array id="strip-pa" count="18">0 0 0 1 0 0 0 1 0 1 1 0 0 2 0 1 2 0</float_array>
  <technique_common><accessor source="#strip-pa" count="6" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
 <source id="strip-t"><float_array id="strip-ta" count="8">0 0 1 0 1 1 0 0.75</float_array>
  <technique_common><accessor source="#strip-ta" count="4" stride="2"><param name="S" type="float"/><param name="T" type="float"/></accessor></technique_common></source>
 <vertices id="strip-v"><input semantic="POSITION" source="#strip-p"/></vertices>
 <polylist count="2"><input semantic="VERTEX" source="#strip-v" offset="0"/><input semantic="TEXCOORD" source="#strip-t" offset="1" set="0"/>
  <vcount>4 4</vcount><p>0 0 1 1 3 2 2 3 2 0 3 1 5 2 4 3</p></polylist>
</mesh></geometry></library_geometries>
<library_controllers><controller id="skin"><skin source="#strip">
 <bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>
 <source id="j"><Name_array id="ja" count="2">lower upper</Name_array><technique_common><accessor source="#ja" count="2" stride="1"><param name="JOINT" type="name"/></accessor></technique_common></source>
 <source id="b"><float_array id="ba" count="32">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 1 0 0 0 0 1 0 -1 0 0 1 0 0 0 0 1</float_array><technique_common><accessor source="#ba" count="2" stride="16"><param name="TRANSFORM" type="float4x4"/></accessor></technique_common></source>
 <source id="w"><float_array id="wa" count="5">)" +
         weights +
         R"(</float_array><technique_common><accessor source="#wa" count="5" stride="1"><param name="WEIGHT" type="float"/></accessor></technique_common></source>
 <joints><input semantic="JOINT" source="#j"/><input semantic="INV_BIND_MATRIX" source="#b"/></joints>
 <vertex_weights count="6"><input semantic="JOINT" source="#j" offset="0"/><input semantic="WEIGHT" source="#w" offset="1"/><vcount>)" +
         counts + "</vcount><v>" + pairs + R"(</v></vertex_weights>
</skin></controller></library_controllers>
<library_animations><animation id="turn">
 <source id="ti"><float_array id="tia" count="2">0 2</float_array><technique_common><accessor source="#tia" count="2" stride="1"><param name="TIME" type="float"/></accessor></technique_common></source>
 <source id="to"><float_array id="toa" count="2">0 90</float_array><technique_common><accessor source="#toa" count="2" stride="1"><param name="ANGLE" type="float"/></accessor></technique_common></source>
 <source id="tn"><Name_array id="tna" count="2">LINEAR LINEAR</Name_array><technique_common><accessor source="#tna" count="2" stride="1"><param name="INTERPOLATION" type="name"/></accessor></technique_common></source>
 <sampler id="ts"><input semantic="INPUT" source="#ti"/><input semantic="OUTPUT" source="#to"/><input semantic="INTERPOLATION" source="#tn"/></sampler>
 <channel source="#ts" target="upper/rotateZ.ANGLE"/>
</animation></library_animations>
<library_visual_scenes><visual_scene id="scene">
 <node id="lower" name="lower" sid="lower" type="JOINT">
  <node id="upper" name="upper" sid="upper" type="JOINT"><translate sid="t">0 1 0</translate><rotate sid="rotateZ">0 0 1 0</rotate></node></node>
 <node id="body" name="body"><instance_controller url="#skin"><skeleton>#lower</skeleton></instance_controller></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene></COLLADA>
)";
}

/// The posed position of the vertex at a rest position.
Vec3 posedAt(const Character& character, const Points& posed, const Vec3& rest) {
  for (Index v = 0; v < posed.cols(); ++v) {
    if ((character.mesh.points.col(v) - rest).norm() < 1e-6) return posed.col(v);
  }
  ADD_FAILURE() << "no vertex at " << rest.transpose();
  return Vec3::Zero();
}

TEST(Assimp, ReadsASkinnedColladaFile) {
  const TemporaryFolder folder;
  const CharacterFile file = readCharacter(folder.write("arm.dae", colladaArm()), kHere);
  const Character& arm = file.character;
  EXPECT_EQ(file.format, "Collada");
  EXPECT_EQ(arm.name, "arm");
  EXPECT_EQ(arm.mesh.vertexCount(), 6) << "corners that agree are one vertex";
  ASSERT_EQ(arm.mesh.faces.size(), 2u);
  EXPECT_EQ(arm.mesh.faces[0].size(), 4u) << "quads stay quads";
  EXPECT_EQ(skinJoints(arm).size(), 2u);
  const int upper = arm.skeleton.index("upper");
  EXPECT_EQ(arm.skeleton[arm.skeleton[upper].parent].name, "lower");
  EXPECT_TRUE(posePoints(arm, restPose(arm)).isApprox(arm.mesh.points, 1e-6));
  ASSERT_EQ(arm.mesh.parts.size(), 1u);
  EXPECT_TRUE(arm.mesh.parts[0].skinned);
}

/// The arm with two more controllers on its strip: one bound as it is, one in a space moved along x.
std::string colladaArms() {
  std::string text = colladaArm();
  const std::string end = "</controller>";
  const std::size_t first = text.find("<controller ");
  const std::string one = text.substr(first, text.find(end) + end.size() - first);
  std::string copies;
  std::string places;
  for (const char* suffix : {"_b", "_c"}) {
    std::string copy = std::regex_replace(one, std::regex("id=\"(\\w+)\""), std::string("id=\"$1") + suffix + "\"");
    copy = std::regex_replace(copy, std::regex("\"#([jbw]a?)\""), std::string("\"#$1") + suffix + "\"");
    if (suffix[1] == 'c') {
      copy = std::regex_replace(copy, std::regex("1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 1 0 0 0"),
                                "1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1 1 0 0 5");
    }
    copies += copy;
    places += std::string("<node id=\"body") + suffix + "\" name=\"body" + suffix +
              "\"><instance_controller url=\"#skin" + suffix +
              "\"><skeleton>#lower</skeleton></instance_controller></node>";
  }
  text.insert(text.find(end) + end.size(), copies);
  text.insert(text.find("</visual_scene>"), places);
  return text;
}

TEST(Assimp, MeshesOfOneRestSpaceShareASkin) {
  const TemporaryFolder folder;
  const Character arms = readAssimp(folder.write("arms.dae", colladaArms())).character;
  ASSERT_EQ(arms.mesh.parts.size(), 3u);
  const auto skinOf = [&](std::size_t part) {
    return arms.skin.bindings[arms.skin.weights[arms.mesh.parts[part].firstVertex][0].binding].skin;
  };
  EXPECT_EQ(arms.skin.bindings.size(), 4u);
  EXPECT_EQ(skinOf(0), 0);
  EXPECT_EQ(skinOf(1), 0);
  EXPECT_EQ(skinOf(2), 1);
  // In glTF the two spaces are two skins.
  const TemporaryFolder out;
  CharacterFile file;
  file.character = arms;
  file.character.mesh.uvs.resize(2, 0);
  file.character.mesh.cornerUv.clear();
  writeCharacter(out / "arms.glb", file);
  const Character back = readCharacter(out / "arms.glb").character;
  EXPECT_EQ(back.skin.bindings.back().skin, 1);
  EXPECT_EQ(back.skin.bindings.size(), 4u);
  EXPECT_LT((posePoints(back, restPose(back)) - posePoints(arms, restPose(arms))).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Assimp, JoinsCornersInTheOrderInWhichTheyFirstAppear) {
  const TemporaryFolder folder;
  const Character arm = readAssimp(folder.write("arm.dae", colladaArm())).character;
  Points expected(3, 6);
  expected.transpose() << 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 2, 0, 0, 2, 0;
  EXPECT_TRUE(arm.mesh.points.isApprox(expected)) << arm.mesh.points;
}

TEST(Assimp, ScalesWeightsToOneAndSaysSo) {
  const TemporaryFolder folder;
  const CharacterFile file = readAssimp(folder.write("arm.dae", colladaArm()));
  const SkinWeights& weights = file.character.skin.weights;
  for (Index v = 0; v < weights.vertexCount(); ++v) {
    double sum = 0;
    for (const Influence& influence : weights[v]) sum += influence.weight;
    EXPECT_DOUBLE_EQ(sum, 1);
  }
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_NE(file.problems[0].find("did not sum to 1 (the largest deviation: 2)"), std::string::npos)
      << file.problems[0];
}

TEST(Assimp, TurnsTextureCoordinatesUpsideDown) {
  const TemporaryFolder folder;
  const Mesh mesh = readAssimp(folder.write("arm.dae", colladaArm())).character.mesh;
  ASSERT_EQ(mesh.cornerUv.size(), 8u);
  EXPECT_EQ(mesh.uvs.col(mesh.cornerUv[0]), Eigen::Vector2d(0, 1));
  EXPECT_EQ(mesh.uvs.col(mesh.cornerUv[3]), Eigen::Vector2d(0, 0.25));
}

TEST(Assimp, PlaysItsClipInSeconds) {
  const TemporaryFolder folder;
  const Character arm = readAssimp(folder.write("arm.dae", colladaArm())).character;
  ASSERT_EQ(arm.clips.size(), 1u);
  EXPECT_NEAR(arm.clips[0].seconds(), 2, 1e-6);
  const Points posed = posePoints(arm, clipPose(arm, "0", 2));
  EXPECT_LT((posedAt(arm, posed, {1, 2, 0}) - Vec3(-1, 2, 0)).norm(), 1e-5);
  EXPECT_LT((posedAt(arm, posed, {1, 0, 0}) - Vec3(1, 0, 0)).norm(), 1e-5);
  EXPECT_LT((posedAt(arm, posed, {1, 1, 0}) - Vec3(0.5, 1.5, 0)).norm(), 1e-5) << "half and half";
}

TEST(Assimp, VerticesWithoutWeightsFollowTheNodeOfTheirMesh) {
  const TemporaryFolder folder;
  const CharacterFile file =
      readAssimp(folder.write("arm.dae", colladaArm("1 1 0.5 0.25 0.5", "1 0 2 2 1 1", "0 0 0 2 1 2 0 2 1 2 1 1 1 1")));
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_NE(file.problems[0].find("1 vertex of the mesh 'strip' had no weights"), std::string::npos);
  const Character& arm = file.character;
  const Binding& free = arm.skin.bindings[arm.skin.weights[1][0].binding];
  EXPECT_EQ(arm.skeleton[free.joint].name, "body");
  EXPECT_EQ(free.skin, -1);
}

TEST(Assimp, RefusesNegativeWeightsUnlessItMayMendThem) {
  const TemporaryFolder folder;
  const auto path = folder.write("arm.smd",
                                 "version 1\nnodes\n0 \"root\" -1\n1 \"tip\" 0\nend\nskeleton\ntime 0\n0 0 0 0 0 0 0\n"
                                 "1 0 1 0 0 0 0\nend\ntriangles\nskin\n0 0 0 0 0 0 1 0 0 2 0 1.5 1 -0.5\n"
                                 "0 1 0 0 0 0 1 1 0 1 0 1\n0 0 1 0 0 0 1 0 1 1 0 1\nend\n");
  expectRefused([&] { readAssimp(path); }, {"arm.smd", "vertex 0", "weight -0.5", "fix"});
  const CharacterFile mended = readAssimp(path, {.tolerant = true});
  ASSERT_FALSE(mended.problems.empty());
  EXPECT_NE(mended.problems[0].find("negative"), std::string::npos) << mended.problems[0];
  EXPECT_EQ(mended.character.skin.weights[0].size(), 1u);
}

TEST(Assimp, ReadsASkeletonWithoutAMesh) {
  const TemporaryFolder folder;
  const CharacterFile file = readCharacter(folder.write("walk.bvh", R"(HIERARCHY
ROOT hips
{
  OFFSET 0 1 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT knee
  {
    OFFSET 0 -0.5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -0.5 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.5
0 1 0 0 0 0 0 0 0
0 1 0 0 0 0 0 45 0
0 1 0 0 0 0 0 90 0
)"),
                                           kHere);
  const Character& walk = file.character;
  EXPECT_EQ(walk.mesh.vertexCount(), 0);
  EXPECT_EQ(walk.skeleton[walk.skeleton.index("knee")].rest.translation, Vec3(0, -0.5, 0));
  ASSERT_EQ(walk.clips.size(), 1u);
  EXPECT_NEAR(walk.clips[0].seconds(), 1, 1e-6);
  const Pose bent = clipPose(walk, "0", 1);
  const Quat knee = bent.local[static_cast<std::size_t>(walk.skeleton.index("knee"))].rotation;
  EXPECT_NEAR(std::abs(knee.x()), std::sqrt(0.5), 1e-5);
}

TEST(Assimp, KeepsTheVertexOrderOfAnIndexedMesh) {
  const TemporaryFolder folder;
  const Mesh mesh = readCharacter(folder.write("quad.ply",
                                               "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty "
                                               "float y\nproperty float z\nelement face 2\nproperty list uchar int "
                                               "vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 1 0\n3 0 1 "
                                               "2\n3 0 2 4\n"),
                                  kHere)
                        .character.mesh;
  ASSERT_EQ(mesh.vertexCount(), 5) << "two vertices in one place stay two";
  EXPECT_EQ(mesh.points.col(2), Vec3(1, 1, 0));
  EXPECT_EQ(mesh.faces[1][2], 4u);
}

TEST(Assimp, JoinsTheCornersOfAnStlFile) {
  const TemporaryFolder folder;
  const std::string facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex ";
  const Mesh mesh = readCharacter(folder.write("two.stl", "solid two\n" + facet + "1 1 0\nendloop\nendfacet\n" + facet +
                                                              "0 -1 0\nendloop\nendfacet\nendsolid two\n"),
                                  kHere)
                        .character.mesh;
  EXPECT_EQ(mesh.vertexCount(), 4);
  EXPECT_EQ(mesh.faces.size(), 2u);
}

TEST(Assimp, RefusesFilesThatItCannotRead) {
  const TemporaryFolder folder;
  expectRefused([&] { readAssimp(folder / "no.fbx"); }, {"no.fbx", "no such file"});
  expectRefused([&] { readAssimp(folder.write("empty.fbx", "")); }, {"empty.fbx", "is empty"});
  for (const std::string name : {"x.fbx", "x.dae", "x.x", "x.bvh", "x.b3d", "x.ms3d", "x.md5mesh", "x.3ds", "x.lwo"}) {
    expectRefused([&] { readAssimp(folder.write(name, "this is no such file at all")); },
                  {name, "cannot be read (", ".glb"});
  }
}

const std::string kPlyHeader =
    "ply\nformat ascii 1.0\ncomment a strip\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 2\nproperty list uchar int vertex_indices\nend_header\n";

TEST(Assimp, RefusesAPlyThatIsCutOffAnywhere) {
  const TemporaryFolder folder;
  const std::string text = kPlyHeader + "0 0 0\n1 0 0\n0 1 0\n1 1 0\n3 0 1 2\n3 1 3 2\n";
  EXPECT_EQ(readAssimp(folder.write("whole.ply", text)).character.mesh.faces.size(), 2u);
  EXPECT_EQ(readAssimp(folder.write("bare.ply", text.substr(0, text.size() - 1))).character.mesh.faces.size(), 2u);
  for (std::size_t size = 1; size + 2 < text.size(); ++size)
    expectRefused([&] { readAssimp(folder.write("cut.ply", text.substr(0, size))); }, {"cut.ply"});
  expectRefused([&] { readAssimp(folder.write("cut.ply", kPlyHeader + "0 0 0\n1 0 0\n0 1 0\n1 1 0\n")); },
                {"cut.ply", "2 elements 'face' but has 0", "truncated"});

  std::string binary = kPlyHeader;
  binary.replace(binary.find("ascii"), 5, "binary_little_endian");
  for (const float x : {0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 0.F, 1.F, 1.F, 0.F})
    binary.append(reinterpret_cast<const char*>(&x), sizeof x);
  for (const std::array<std::int32_t, 3>& face : {std::array{0, 1, 2}, std::array{1, 3, 2}}) {
    binary.push_back('\3');
    binary.append(reinterpret_cast<const char*>(face.data()), sizeof face);
  }
  EXPECT_EQ(readAssimp(folder.write("whole.ply", binary)).character.mesh.faces.size(), 2u);
  for (std::size_t size = kPlyHeader.size(); size < binary.size(); ++size)
    expectRefused([&] { readAssimp(folder.write("cut.ply", binary.substr(0, size))); }, {"cut.ply"});
}

TEST(Assimp, RefusesMeshesWithoutFacesUnlessPointsAreEnough) {
  const TemporaryFolder folder;
  std::string points =
      kPlyHeader.substr(0, kPlyHeader.find("element face")) + "end_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n";
  const auto path = folder.write("points.ply", points);
  expectRefused([&] { readAssimp(path); }, {"points.ply", "4 vertices but no faces", "truncated"});
  EXPECT_EQ(readAssimp(path, {.facesOptional = true}).character.mesh.vertexCount(), 4);
}

TEST(Assimp, RefusesAnStlThatIsCutOff) {
  const TemporaryFolder folder;
  const std::string facet =
      "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n";
  expectRefused([&] { readAssimp(folder.write("cut.stl", "solid two\n" + facet + facet)); }, {"cut.stl", "endsolid"});
  std::string binary(80, ' ');
  const std::uint32_t facets = 2;
  binary.append(reinterpret_cast<const char*>(&facets), 4);
  for (const float x : {0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 1.F, 1.F, 0.F})
    binary.append(reinterpret_cast<const char*>(&x), sizeof x);
  binary.append(2, '\0');
  expectRefused([&] { readAssimp(folder.write("cut.stl", binary)); }, {"cut.stl", "2 facets"});
  binary.append(binary.substr(84));
  EXPECT_EQ(readAssimp(folder.write("whole.stl", binary)).character.mesh.faces.size(), 2u);
}

TEST(Assimp, OnlyErrorsEscapeFromTruncatedFiles) {
  const TemporaryFolder folder;
  const std::string text = colladaArm();
  for (std::size_t size = 64; size + 32 < text.size(); size += 128) {
    expectRefused([&] { readAssimp(folder.write("cut.dae", text.substr(0, size))); }, {"cut.dae"});
  }
}

}  // namespace
}  // namespace sinew::test::assimp_test
