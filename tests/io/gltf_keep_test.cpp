// Nothing is lost: parts of a glTF file that Sinew does not understand are preserved.
#include <gtest/gtest.h>

#include "formats_support.h"
#include "gltf_sketch.h"
#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/io/gltf.h"

namespace sinew::gltf_keep_test {
namespace {

using test::GltfSketch;
using test::Json;
using test::opened;
using test::rewritten;
using test::skinnedSquare;

/// Bytes that begin as a PNG does; no reader here looks further.
std::string picture(int seed) {
  std::string bytes = "\x89PNG\r\n\x1a\n";
  for (int i = 0; i < 101; ++i) bytes.push_back(static_cast<char>(i * seed));
  return bytes;
}

/// The square with textures, extras, an unknown extension in three places, a camera, lights and a second scene.
GltfSketch richSquare() {
  GltfSketch s = skinnedSquare();
  s.primitive()["attributes"]["TEXCOORD_0"] = s.add<float>({0, 0, 1, 0, 0, 1, 1, 1}, "VEC2");
  s.primitive()["material"] = 0;
  s.primitive()["extras"] = "of a primitive";
  s.json["images"] = {{{"bufferView", s.view(picture(3))}, {"mimeType", "image/png"}, {"name", "skin"}}};
  s.json["samplers"] = {{{"wrapS", 33071}}};
  s.json["textures"] = {{{"source", 0}, {"sampler", 0}}};
  s.json["materials"] = Json::parse(R"([{"name": "fur", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}},
    "extensions": {"ACME_fluff": {"length": 0.1000000000000000055, "count": 18446744073709551615}}, "extras": {"deep": [[[{"a": null}]]]}}])");
  s.json["cameras"] = Json::parse(R"([{"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.01}}])");
  s.json["nodes"].push_back(Json::parse(
      R"({"camera": 0, "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0.1,0.2,0.3,1], "extras": {"tag": "view \u00e4"}})"));
  s.json["nodes"].push_back(
      Json::parse(R"({"extensions": {"KHR_lights_punctual": {"light": 0}, "ACME_fluff": [1, 2, 3]}})"));
  s.json["scenes"].push_back(Json::parse(R"({"name": "second", "nodes": [3, 4], "extras": {"x": 1e-7}})"));
  s.json["extensionsUsed"] = {"KHR_lights_punctual", "ACME_fluff"};
  s.json["extensions"] = Json::parse(
      R"({"KHR_lights_punctual": {"lights": [{"type": "point", "color": [1, 0.5, 0]}]}, "ACME_fluff": {"z": 1, "a": "kept in order"}})");
  s.json["extras"] = Json::parse(R"({"made for": "a test"})");
  return s;
}

TEST(GltfKeep, EverythingOnceFromGlbToGlb) {
  const std::string glb = richSquare().glb();
  EXPECT_EQ(rewritten(readGltfFromMemory(glb, {}, "x")), glb);
}

TEST(GltfKeep, MaterialsAloneHaveAMeshForEachPart) {
  GltfSketch s = richSquare();
  // An unknown extension might refer to anything: then nothing is dropped.
  EXPECT_EQ(opened(materialsOf(s.read())).json["accessors"].size(), s.json["accessors"].size());
  s.json["materials"][0].erase("extensions");
  Json second = s.primitive();
  second["attributes"]["NORMAL"] = s.add<float>({0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3");
  second["attributes"].erase("TEXCOORD_0");
  second.erase("material");
  s.json["meshes"][0]["primitives"].push_back(second);
  const CharacterFile file = s.read();
  const GltfSketch looks = opened(materialsOf(file));
  EXPECT_EQ(looks.json["materials"], s.json["materials"]);
  EXPECT_EQ(looks.json["textures"], s.json["textures"]);
  for (const char* gone : {"nodes", "skins", "animations", "scenes", "extensions"})
    EXPECT_FALSE(looks.json.contains(gone));
  ASSERT_EQ(looks.json["meshes"].size(), 2u);
  const Json& first = looks.json["meshes"][0]["primitives"][0];
  ASSERT_EQ(first["attributes"].size(), 1u);
  EXPECT_EQ(looks.json["accessors"][first["attributes"]["TEXCOORD_0"].get<std::size_t>()]["count"], 4);
  EXPECT_EQ(first["material"], 0);
  EXPECT_EQ(looks.json["meshes"][0]["extras"], Json({{"smooth", false}, {"vertices", 4}}));
  const Json& bare = looks.json["meshes"][1]["primitives"][0];
  EXPECT_TRUE(bare["attributes"].empty());
  EXPECT_FALSE(bare.contains("material"));
  EXPECT_EQ(looks.json["meshes"][1]["extras"]["smooth"], true);
  // The bytes of the picture and of the texture coordinates, and no more.
  EXPECT_EQ(looks.json["accessors"].size(), 1u);
  EXPECT_LT(looks.bin.size(), 160u);
  EXPECT_NE(looks.bin.find(picture(3)), std::string::npos);
}

TEST(GltfKeep, MaterialsOfOtherVerticesAreNone) {
  EXPECT_EQ(materialsOf(skinnedSquare().read()), "") << "no material";
  CharacterFile file = richSquare().read();
  EXPECT_NE(materialsOf(file), "");
  file.character.mesh.parts[0].vertexCount -= 1;
  EXPECT_EQ(materialsOf(file), "");
  file.source.reset();
  EXPECT_EQ(materialsOf(file), "");
}

TEST(GltfKeep, EverythingThroughTextAndBack) {
  const test::TemporaryFolder folder;
  const GltfSketch s = richSquare();
  EXPECT_TRUE(writeGltf(folder / "t x.gltf", s.read()).empty());
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"t x.bin", "t x.gltf"}));
  const CharacterFile text = readGltf(folder / "t x.gltf");
  EXPECT_EQ(text.format, "glTF");
  const GltfSketch back = opened(rewritten(text));
  EXPECT_EQ(back.json["buffers"].size(), 1u);
  Json json = back.json;
  json.erase("buffers");
  EXPECT_EQ(json, s.json);
  EXPECT_EQ(back.bin.substr(0, s.bin.size()), s.bin);
}

TEST(GltfKeep, EverythingWhenTheCharacterChanges) {
  const GltfSketch s = richSquare();
  CharacterFile file = s.read();
  file.character.mesh.points *= 3;
  file.character.morphs.emplace_back();
  file.character.morphs[0].name = "corrective";
  file.character.morphs[0].deltas = Points::Ones(3, 4);
  const GltfSketch back = opened(rewritten(file));
  for (const char* kept : {"images", "samplers", "textures", "materials", "cameras", "nodes", "scenes", "skins",
                           "extensions", "extensionsUsed", "extras", "asset"}) {
    EXPECT_EQ(back.json[kept], s.json[kept]) << kept;
  }
  EXPECT_EQ(back.json["meshes"][0]["primitives"][0]["extras"], "of a primitive");
}

TEST(GltfKeep, ImagesMoveWithTheirBytesWhenAccessorsAreDropped) {
  GltfSketch s = richSquare();
  // Without the unknown extension, unused accessors may be removed and the rest is renumbered.
  for (Json* holder : {&s.json, &s.json["materials"][0], &s.json["nodes"][4]})
    (*holder)["extensions"].erase("ACME_fluff");
  CharacterFile file = s.read();
  file.character.mesh.points *= 3;
  const GltfSketch back = opened(rewritten(file));
  EXPECT_EQ(back.json["accessors"].size(), s.json["accessors"].size());
  const Json& view = back.json["bufferViews"][back.json["images"][0]["bufferView"].get<std::size_t>()];
  EXPECT_EQ(back.bin.substr(view["byteOffset"], view["byteLength"]), picture(3));
  EXPECT_EQ(back.read().character.mesh.uvs, file.character.mesh.uvs);
  EXPECT_EQ(back.read().character.skin.weights, file.character.skin.weights);
}

TEST(GltfKeep, ExternalAndDataImagesOnTheWayToGlbAndToOtherFolders) {
  const test::TemporaryFolder folder;
  folder.write("from/textures/a b.png", picture(5));
  folder.write("to/a b.png", "someone else's file");
  GltfSketch s = richSquare();
  s.json["images"] = {
      {{"uri", "textures/a%20b.png"}}, {{"uri", "data:image/png;base64,iVBORw=="}}, {{"uri", "lost.png"}}};
  s.json["buffers"] = {{{"byteLength", s.bin.size()}, {"uri", "x.bin"}}};
  folder.write("from/x.bin", s.bin);
  const CharacterFile file = readGltf(folder.write("from/x.gltf", s.json.dump()));

  const LostList lost = writeGltf(folder / "to/y.glb", file);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_NE(lost[0].find("lost.png"), std::string::npos);
  const GltfSketch packed = opened(test::textOf(folder / "to/y.glb"));
  const Json& view = packed.json["bufferViews"][packed.json["images"][0]["bufferView"].get<std::size_t>()];
  EXPECT_EQ(packed.bin.substr(view["byteOffset"], view["byteLength"]), picture(5));
  EXPECT_EQ(packed.json["images"][0]["mimeType"], "image/png");
  EXPECT_TRUE(packed.json["images"][1].contains("bufferView"));
  EXPECT_EQ(packed.json["images"][2]["uri"], "lost.png");

  writeGltf(folder / "to/z.gltf", file);
  EXPECT_EQ(test::textOf(folder / "to/a b.png"), "someone else's file");
  EXPECT_EQ(test::textOf(folder / "to/z_a b.png"), picture(5));
  EXPECT_EQ(Json::parse(test::textOf(folder / "to/z.gltf"))["images"][0]["uri"], "z_a%20b.png");

  // In its own folder nothing moves.
  writeGltf(folder / "from/w.gltf", file);
  EXPECT_EQ(Json::parse(test::textOf(folder / "from/w.gltf"))["images"], s.json["images"]);
}

TEST(GltfKeep, ImagesAboveTheFolderAreNeverWrittenThere) {
  const test::TemporaryFolder folder;
  folder.write("textures/up.png", picture(7));
  std::filesystem::create_directories(folder / "a/b");
  std::filesystem::create_directories(folder / "out/c/d");
  GltfSketch s = richSquare();
  s.json["images"] = {{{"uri", "../../textures/up.png"}}};
  s.json["buffers"] = {{{"byteLength", s.bin.size()}, {"uri", "x.bin"}}};
  folder.write("a/b/x.bin", s.bin);
  const CharacterFile file = readGltf(folder.write("a/b/x.gltf", s.json.dump()));
  EXPECT_TRUE(writeGltf(folder / "out/c/d/y.gltf", file).empty());
  EXPECT_EQ(test::textOf(folder / "out/c/d/up.png"), picture(7));
  EXPECT_EQ(Json::parse(test::textOf(folder / "out/c/d/y.gltf"))["images"][0]["uri"], "up.png");
}

TEST(GltfKeep, SeveralBuffersBecomeOne) {
  const test::TemporaryFolder folder;
  GltfSketch s = richSquare();
  std::string second = "12345678" + s.bin.substr(48);
  for (Json& view : s.json["bufferViews"]) {
    const std::size_t offset = view["byteOffset"];
    if (offset < 48) continue;
    view["buffer"] = 1;
    view["byteOffset"] = offset - 48 + 8;
  }
  folder.write("first.bin", s.bin.substr(0, 48));
  s.json["buffers"] = {{{"byteLength", 48}, {"uri", "first.bin"}},
                       {{"byteLength", second.size()}, {"uri", "second.bin"}}};
  folder.write("second.bin", second);
  const CharacterFile file = readGltf(folder.write("x.gltf", s.json.dump()));
  const GltfSketch merged = opened(rewritten(file));
  EXPECT_EQ(merged.json["buffers"].size(), 1u);
  EXPECT_EQ(merged.read().character.mesh.uvs, file.character.mesh.uvs);
  EXPECT_EQ(merged.read().character.skin.weights, file.character.skin.weights);
  writeGltf(folder / "y.gltf", file);
  EXPECT_EQ(test::textOf(folder / "y.bin"), s.bin.substr(0, 48));
  EXPECT_EQ(test::textOf(folder / "y_1.bin"), second);
  EXPECT_EQ(readGltf(folder / "y.gltf").character.mesh.uvs, file.character.mesh.uvs);
}

TEST(GltfKeep, UnknownChunksOfAGlb) {
  std::string glb = richSquare().glb() + GltfSketch::word(8) + "WXYZ" + "8 bytes!";
  glb.replace(8, 4, GltfSketch::word(glb.size()));
  const CharacterFile file = readGltfFromMemory(glb, {}, "x");
  EXPECT_EQ(rewritten(file), glb);
  const GltfFiles text = gltfToMemory("x.gltf", file);
  ASSERT_EQ(text.lost.size(), 1u);
  EXPECT_NE(text.lost[0].find("chunks"), std::string::npos);
}

TEST(GltfKeep, InventedNamesAreNotWritten) {
  CharacterFile file = richSquare().read();
  EXPECT_EQ(file.character.skeleton[3].name, "node3");
  file.character.mesh.points *= 2;
  EXPECT_FALSE(opened(rewritten(file)).json["nodes"][3].contains("name"));
}

TEST(GltfKeep, AnUnwritableFolderLeavesNothingBehind) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(writeGltf(folder / "none/x.gltf", richSquare().read()), Error);
  EXPECT_TRUE(folder.names().empty());
}

class GltfRealFiles : public testing::TestWithParam<const char*> {};

TEST_P(GltfRealFiles, ComeBackEqualAndPlayTheSame) {
  SINEW_NEEDS_DATA();
  const test::TemporaryFolder folder;
  const auto path = test::dataDir() / "gltf" / GetParam();
  const CharacterFile file = readGltf(path);
  EXPECT_TRUE(file.problems.empty());
  checkCharacter(file.character, "real");
  const GltfSketch source = opened(test::textOf(path));
  const GltfSketch direct = opened(rewritten(file));
  EXPECT_EQ(direct.json, source.json);
  EXPECT_EQ(direct.bin, source.bin);

  EXPECT_TRUE(writeGltf(folder / "x.gltf", file).empty());
  const Character text = readGltf(folder / "x.gltf").character;
  EXPECT_EQ(text.mesh.points, file.character.mesh.points);
  EXPECT_EQ(text.skin.weights, file.character.skin.weights);

  CharacterFile plain;
  plain.character = file.character;
  const Character rebuilt = readGltfFromMemory(rewritten(plain), {}, "x").character;
  const double diagonal = boundingBox(file.character.mesh.points).diagonal();
  for (const Clip& clip : file.character.clips) {
    const std::string index = std::to_string(&clip - file.character.clips.data());
    for (int k = 0; k < 5; ++k) {
      const double time = clip.seconds() * k / 4;
      const Points a = posePoints(file.character, clipPose(file.character, index, time));
      const Points b = posePoints(rebuilt, clipPose(rebuilt, index, time));
      ASSERT_EQ(a.cols(), b.cols());
      EXPECT_LT((a - b).colwise().norm().maxCoeff(), 1e-6 * diagonal)
          << GetParam() << " clip " << index << " at " << time;
      EXPECT_EQ(posePoints(text, clipPose(text, index, time)), a);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GltfRealFiles,
                         testing::Values("CesiumMan.glb", "Fox.glb", "RiggedFigure.glb", "RiggedSimple.glb"));

}  // namespace
}  // namespace sinew::gltf_keep_test
