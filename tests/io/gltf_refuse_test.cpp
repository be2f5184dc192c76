// Bad files: each is refused with a sentence that names the location and a remedy, and none crashes.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "formats_support.h"
#include "gltf_sketch.h"
#include "sinew/base/error.h"
#include "sinew/io/gltf.h"

namespace sinew::gltf_refuse_test {
namespace {

using test::GltfSketch;
using test::Json;
using test::skinnedSquare;

void expectRefused(const GltfSketch& sketch, const std::vector<std::string>& words, bool tolerant = false) {
  test::expectRefused([&] { (void)sketch.read(tolerant); }, words);
}

TEST(GltfRefuse, FilesCutOffAtAnyPlace) {
  const std::string whole = skinnedSquare().glb();
  ASSERT_NO_THROW(readGltfFromMemory(whole, {}, "whole"));
  for (std::size_t size = 0; size < whole.size(); size += 16) {
    EXPECT_THROW(readGltfFromMemory(whole.substr(0, size), {}, "cut"), Error) << size;
  }
}

TEST(GltfRefuse, RealFilesCutOffAtEvery64thByte) {
  SINEW_NEEDS_DATA();
  const std::string whole = test::textOf(test::dataDir() / "gltf" / "RiggedSimple.glb");
  for (std::size_t size = 0; size < whole.size(); size += 64) {
    EXPECT_THROW(readGltfFromMemory(whole.substr(0, size), {}, "cut"), Error) << size;
  }
}

TEST(GltfRefuse, MissingEmptyAndForeignFilesByTheirPath) {
  const test::TemporaryFolder folder;
  test::expectRefused([&] { readGltf(folder / "none.glb"); }, {"none.glb", "no such file"});
  test::expectRefused([&] { readGltf(folder.write("empty.glb", "")); }, {"empty.glb", "empty"});
  test::expectRefused([&] { readGltf(folder.write("text.glb", "hello")); }, {"text.glb", "JSON"});
  test::expectRefused([&] { readGltf(folder.write("list.gltf", "[1]")); }, {"list.gltf", "not an object"});
  test::expectRefused([&] { readGltf(folder.write("old.gltf", R"({"asset": {"version": "1.0"}})")); }, {"1.0", "2.0"});
}

TEST(GltfRefuse, ChunksLongerThanTheFile) {
  std::string glb = skinnedSquare().glb();
  glb[12] = '\xff';
  glb[13] = '\xff';
  glb[14] = '\x7f';
  test::expectRefused([&] { readGltfFromMemory(glb, {}, "x"); }, {"chunk 0", "again"});
}

TEST(GltfRefuse, BuffersAndViewsAndAccessorsThatReachTooFar) {
  GltfSketch s = skinnedSquare();
  s.json["bufferViews"][0]["byteLength"] = 100000;
  expectRefused(s, {"bufferViews[0]", "100000"});
  s = skinnedSquare();
  s.json["bufferViews"][0]["byteOffset"] = 18446744073709551615ull;
  expectRefused(s, {"bufferViews[0]"});
  s = skinnedSquare();
  s.json["bufferViews"][0]["buffer"] = 3;
  expectRefused(s, {"bufferViews[0].buffer", "3"});
  s = skinnedSquare();
  s.json["accessors"][0]["bufferView"] = 999;
  expectRefused(s, {"accessors[0].bufferView", "999"});
  s = skinnedSquare();
  s.json["accessors"][0]["byteOffset"] = 4;
  expectRefused(s, {"accessors[0]", "beyond"});
  s = skinnedSquare();
  s.json["accessors"][0]["count"] = 1000000000;
  expectRefused(s, {"accessors[0]", "1000000000"});
  s.json["accessors"][0]["count"] = 9223372036854775807ll;
  expectRefused(s, {"accessors[0]"});
  s = skinnedSquare();
  s.json["accessors"][0].erase("bufferView");
  s.json["accessors"][0]["count"] = 1000000000;
  expectRefused(s, {"accessors[0]", "more than the file's size allows"});
  s = skinnedSquare();
  s.json["bufferViews"][0]["byteStride"] = 4;
  expectRefused(s, {"byteStride", "12 bytes"});
  s = skinnedSquare();
  s.primitive()["attributes"]["POSITION"] = 77;
  expectRefused(s, {"meshes[0].primitives[0].attributes.POSITION", "77"});
}

TEST(GltfRefuse, ManyPrimitivesOfTheSameBytes) {
  GltfSketch s = skinnedSquare();
  const std::size_t large = s.add(std::vector<float>(30000, 0.f), "VEC3");
  s.json["meshes"][0]["primitives"] = Json::array();
  for (int i = 0; i < 2000; ++i) {
    s.json["meshes"][0]["primitives"].push_back({{"attributes", {{"POSITION", large}}}, {"mode", 0}});
  }
  expectRefused(s, {"more than the file's size allows"});
}

TEST(GltfRefuse, IndicesBeyondTheVertices) {
  GltfSketch s = skinnedSquare();
  s.poke<std::uint16_t>(3, 4, 4);
  expectRefused(s, {"meshes[0].primitives[0].indices", "vertex 4", "position 4"});
  s.poke<std::uint16_t>(3, 4, 65535);
  expectRefused(s, {"65535"});
}

TEST(GltfRefuse, JointsThatTheSkinDoesNotHave) {
  GltfSketch s = skinnedSquare();
  s.poke<std::uint8_t>(1, 8, 2);
  expectRefused(s, {"meshes[0].primitives[0].attributes.JOINTS_0", "joint 2", "vertex 2", "2 joints", "bind the mesh"});
  expectRefused(s, {"JOINTS_0"}, true);
  s = skinnedSquare();
  s.json["skins"][0]["joints"] = {0, 12345};
  expectRefused(s, {"skins[0].joints", "12345"});
  s = skinnedSquare();
  s.json["skins"][0]["joints"] = {0, 1, 2};
  expectRefused(s, {"skins[0].inverseBindMatrices", "2 matrices for 3 joints"});
}

TEST(GltfRefuse, NodesThatAreNoTree) {
  GltfSketch s = skinnedSquare();
  s.json["nodes"][1]["children"] = {0};
  expectRefused(s, {"its own ancestor", "nodes"});
  s = skinnedSquare();
  s.json["nodes"][0]["children"] = {0};
  expectRefused(s, {"its own ancestor"});
  s = skinnedSquare();
  s.json["nodes"][2]["children"] = {1};
  expectRefused(s, {"nodes[1] ('knee')", "one parent"});
  s = skinnedSquare();
  s.json["nodes"][2]["children"] = {9};
  expectRefused(s, {"nodes[2].children", "9"});
  s = skinnedSquare();
  s.json["nodes"][2]["skin"] = 4;
  expectRefused(s, {"nodes[2].skin", "4"});
}

TEST(GltfRefuse, WeightsThatAreZeroNegativeOrNotANumber) {
  struct Row {
    float weight;
    const char* word;
  };
  for (const Row& row :
       {Row{0.f, "sum to 0"}, Row{-0.5f, "negative weight (-0.5"}, Row{std::nanf(""), "not a finite number"},
        Row{std::numeric_limits<float>::infinity(), "not a finite number"}}) {
    GltfSketch s = skinnedSquare();
    s.poke<float>(2, 8, row.weight);
    expectRefused(s, {"vertex 2", row.word, "normalise the weights in your modelling tool"});
    try {
      (void)s.read();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::BadInput);
    }
    const CharacterFile file = s.read(true);
    ASSERT_FALSE(file.problems.empty());
    EXPECT_NE(file.problems[0].find(row.word), std::string::npos);
    EXPECT_EQ(file.character.skin.weights.weight(2, 1), 1.0) << "mended to its first joint";
  }
}

TEST(GltfRefuse, NumbersThatAreNotFinite) {
  struct Row {
    std::size_t accessor;
    const char* word;
  };
  for (const Row& row : {Row{0, "POSITION"}, Row{4, "inverseBindMatrices"}}) {
    GltfSketch s = skinnedSquare();
    s.poke<float>(row.accessor, 4, std::nanf(""));
    expectRefused(s, {row.word, "not finite", "remove them"});
    const CharacterFile file = s.read(true);
    EXPECT_EQ(file.problems.size(), 1u);
    EXPECT_TRUE(file.character.mesh.points.allFinite());
  }
}

TEST(GltfRefuse, TimesThatDoNotRise) {
  GltfSketch s = skinnedSquare();
  const std::size_t times = s.add<float>({0, 1, 1}, "SCALAR");
  const std::size_t values = s.add<float>({0, 0, 0, 1, 1, 1, 2, 2, 2}, "VEC3");
  s.json["animations"] = {{{"samplers", {{{"input", times}, {"output", values}}}},
                           {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "translation"}}}}}}}};
  expectRefused(s, {"animations[0].samplers[0].input", "key 2", "increasing"});
  const CharacterFile file = s.read(true);
  EXPECT_EQ(file.character.clips[0].channels[0].times, (std::vector<double>{0, 1}));
  EXPECT_EQ(file.character.clips[0].channels[0].values.cols(), 2);
  s.json["accessors"][values]["count"] = 2;
  expectRefused(s, {"animations[0].samplers[0].output", "2 elements", "3 keys"});
}

TEST(GltfRefuse, CompressionThatSinewCannotRead) {
  GltfSketch s = skinnedSquare();
  s.json["extensionsRequired"] = {"KHR_draco_mesh_compression"};
  expectRefused(s, {"KHR_draco_mesh_compression", "export it without Draco compression"});
  s.json["extensionsRequired"] = {"EXT_meshopt_compression"};
  expectRefused(s, {"EXT_meshopt_compression", "without meshopt"});
  s.json["extensionsRequired"] = {"KHR_materials_unlit", "KHR_texture_basisu", "FOO_bar"};
  EXPECT_NO_THROW((void)s.read());
}

TEST(GltfRefuse, WrongKindsOfValuesEverywhere) {
  // Every member of a valid document in turn is replaced: the worst result is an Error.
  const GltfSketch sound = skinnedSquare();
  const Json flat = sound.json.flatten();
  int refused = 0;
  for (const auto& [pointer, old] : flat.items()) {
    std::string path = pointer;
    while (!path.empty()) {
      for (const Json& wrong : {Json("text"), Json(-1), Json(1.5), Json(nullptr), Json::array(), Json::object(),
                                Json(true), Json(1e300), Json(4000000000u)}) {
        GltfSketch s = sound;
        s.json[Json::json_pointer(path)] = wrong;
        try {
          const CharacterFile file = s.read();
          (void)test::rewritten(file);
        } catch (const Error&) {
          ++refused;
        }
      }
      path.erase(path.rfind('/'));
    }
  }
  EXPECT_GT(refused, 500);
}

TEST(GltfRefuse, TypesAndCountsThatDoNotFit) {
  GltfSketch s = skinnedSquare();
  s.json["accessors"][0]["type"] = "VEC2";
  expectRefused(s, {"POSITION", "VEC2", "VEC3"});
  s = skinnedSquare();
  s.json["accessors"][1]["count"] = 3;
  expectRefused(s, {"JOINTS_0", "3 elements for 4 vertices"});
  s = skinnedSquare();
  s.primitive()["attributes"].erase("POSITION");
  expectRefused(s, {"meshes[0].primitives[0].attributes", "no POSITION"});
  s = skinnedSquare();
  s.primitive()["attributes"]["WEIGHTS_1"] = 2;
  expectRefused(s, {"only one of JOINTS_1 and WEIGHTS_1"});
  s = skinnedSquare();
  s.json["accessors"][1]["componentType"] = 5126;
  expectRefused(s, {"JOINTS_0"});
  s = skinnedSquare();
  s.primitive()["mode"] = 9;
  expectRefused(s, {"mode is 9"});
  s = skinnedSquare();
  s.primitive()["targets"] = {{{"POSITION", 2}}};
  expectRefused(s, {"targets[0].POSITION", "VEC4"});
}

TEST(GltfRefuse, DamagedSparseAccessors) {
  GltfSketch s = skinnedSquare();
  const std::size_t indices = s.view(std::vector<std::uint8_t>{3, 1});
  const std::size_t values = s.view(std::vector<float>{9, 8, 7, 6, 5, 4});
  s.json["accessors"][0]["sparse"] = {{"count", 2},
                                      {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
                                      {"values", {{"bufferView", values}}}};
  expectRefused(s, {"accessors[0].sparse.indices", "must increase"});
  s.json["accessors"][0]["sparse"]["count"] = 9;
  expectRefused(s, {"accessors[0].sparse", "9"});
}

TEST(GltfRefuse, DeepNestingAndLargeObjectsAndDamagedText) {
  const auto read = [](const std::string& text) { return [text] { readGltfFromMemory(text, {}, "x"); }; };
  const std::string head = R"({"asset": {"version": "2.0"}, "extras": )";
  test::expectRefused(read(head + std::string(100000, '[') + std::string(100000, ']') + "}"),
                      {"is nested deeper than 256"});
  EXPECT_NO_THROW(read(head + std::string(250, '[') + std::string(250, ']') + "}")());
  test::expectRefused(read(head + "\"\xff\xfe\"}"), {"JSON is damaged"});
  test::expectRefused(read(head + "1e999}"), {"JSON is damaged"});
  test::expectRefused(read(head), {"JSON is damaged"});
  test::expectRefused(read("v 0 0 0\nv 1 0 0\n"), {"is not an object", "extension"});
  std::string wide = head + "{";
  for (int i = 0; i < 20000; ++i) wide += "\"" + std::to_string(i) + "\": 0,";
  test::expectRefused(read(wide + "\"x\": 0}}"), {"members"});
}

/// Every index of the standard, also in parts that are only preserved, replaced by one out of range.
TEST(GltfRefuse, IndicesThatNameNothingAnywhere) {
  GltfSketch s = skinnedSquare();
  s.json["cameras"] = {{{"type", "perspective"}, {"perspective", {{"yfov", 1}, {"znear", 1}}}}};
  s.json["images"] = {{{"uri", "a.png"}}};
  s.json["samplers"] = Json::array({Json::object()});
  s.json["textures"] = {{{"source", 0}, {"sampler", 0}}};
  s.json["materials"] = {{{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}}};
  s.json["scenes"] = {{{"nodes", {0}}}};
  s.json["animations"] = {{{"channels", Json::array()}, {"samplers", Json::array()}}};
  const auto readWith = [&](const std::string& place, const Json& value) {
    GltfSketch changed = s;
    changed.json[Json::json_pointer(place)] = value;
    return [changed] { readGltfFromMemory(changed.glb(), {}, "x"); };
  };
  EXPECT_NO_THROW(readWith("/asset/generator", "x")());
  for (const std::string place : {"/accessors/0/bufferView",
                                  "/meshes/0/primitives/0/material",
                                  "/meshes/0/primitives/0/indices",
                                  "/meshes/0/primitives/0/attributes/TANGENT",
                                  "/meshes/0/primitives/0/targets/0/TANGENT",
                                  "/nodes/0/camera",
                                  "/nodes/0/mesh",
                                  "/nodes/0/skin",
                                  "/skins/0/skeleton",
                                  "/skins/0/joints/0",
                                  "/skins/0/inverseBindMatrices",
                                  "/images/0/bufferView",
                                  "/textures/0/source",
                                  "/textures/0/sampler",
                                  "/scene",
                                  "/scenes/0/nodes/0",
                                  "/materials/0/normalTexture/index",
                                  "/materials/0/occlusionTexture/index",
                                  "/materials/0/emissiveTexture/index",
                                  "/materials/0/pbrMetallicRoughness/baseColorTexture/index",
                                  "/materials/0/pbrMetallicRoughness/metallicRoughnessTexture/index",
                                  "/animations/0/samplers/0/input",
                                  "/animations/0/channels/0/sampler",
                                  "/animations/0/channels/0/target/node",
                                  "/nodes/0/children/0"}) {
    for (const Json& value : {Json(99), Json(-1), Json("0"), Json(1.5)})
      test::expectRefused(readWith(place, value), {place.substr(1, place.find('/', 1) - 1)});
  }
}

TEST(GltfRefuse, BadUris) {
  const auto withUri = [](const std::string& uri) {
    return [uri] {
      GltfSketch s = skinnedSquare();
      s.json["buffers"] = {{{"byteLength", s.bin.size()}, {"uri", uri}}};
      readGltfFromMemory(s.json.dump(), {}, "x");
    };
  };
  test::expectRefused(withUri("data:application/octet-stream;base64,AA*A"), {"buffers[0].uri", "base64"});
  test::expectRefused(withUri("data:application/octet-stream;base64,AAAAA"), {"buffers[0].uri", "length"});
  test::expectRefused(withUri("data:application/octet-stream;base64,AAAA"), {"buffers[0].byteLength", "only 3 bytes"});
  test::expectRefused(withUri("data:nothing"), {"without data"});
  test::expectRefused(withUri("missing.bin"), {"missing.bin", "does not exist"});
  test::expectRefused(withUri("/etc/passwd"), {"/etc/passwd", "relative"});
  test::expectRefused(withUri("https://example.com/a.bin"), {"relative"});
}

}  // namespace
}  // namespace sinew::gltf_refuse_test
