// The rest shape that examples were made on, in a file whose own was moved.
#include <gtest/gtest.h>

#include <cmath>

#include "formats_support.h"
#include "gltf_sketch.h"
#include "schema_misfit.h"
#include "sinew/deform/posing.h"
#include "sinew/io/poses.h"
#include "support/test_arm.h"

namespace sinew::gltf_rest_shape_test {
namespace {

using test::expectRefused;
using test::GltfSketch;
using test::Json;
using test::rewritten;

constexpr const char* kBlock = "SINEW_rest_shape";

/// An arm as it comes from a file, with its rest shape moved as a fit would.
CharacterFile movedArm() {
  CharacterFile made;
  made.character = test::testArm();
  CharacterFile file = readGltfFromMemory(rewritten(made), {}, "arm");
  file.examplesRest = file.character.mesh.points;
  for (Index v = 0; v < file.character.mesh.vertexCount(); ++v)
    file.character.mesh.points(1, v) += 0.02 * std::sin(17.0 * static_cast<double>(v));
  return file;
}

CharacterFile reread(const CharacterFile& file) {
  return readGltfFromMemory(rewritten(file), {}, "arm");
}

TEST(GltfRestShape, ComesBackAsItWas) {
  const CharacterFile file = movedArm();
  const CharacterFile back = reread(file);
  EXPECT_EQ(back.examplesRest, file.examplesRest);
  EXPECT_EQ(back.blocks, std::vector<std::string>{kBlock});
  EXPECT_TRUE(back.problems.empty());
  EXPECT_EQ(rewritten(back), rewritten(reread(back)));

  CharacterFile built = file;
  built.source = nullptr;
  EXPECT_TRUE(reread(built).examplesRest.isApprox(file.examplesRest, 1e-6));
}

TEST(GltfRestShape, FitsItsSchema) {
  const Json schema = test::publishedSchema(kBlock);
  Json block = test::opened(rewritten(movedArm())).json["extensions"][kBlock];
  EXPECT_EQ(test::misfit(schema, block), "");
  block["points"]["rows"] = 4;
  EXPECT_NE(test::misfit(schema, block), "");
}

TEST(GltfRestShape, GoesWhenItIsTakenAway) {
  CharacterFile file = reread(movedArm());
  file.examplesRest.resize(3, 0);
  const CharacterFile back = reread(file);
  EXPECT_EQ(back.examplesRest.cols(), 0);
  EXPECT_TRUE(back.blocks.empty());
}

TEST(GltfRestShape, ExamplesFindTheirVerticesByIt) {
  const CharacterFile file = movedArm();
  CharacterFile before = file;
  before.character.mesh.points = file.examplesRest;
  const test::TemporaryFolder folder;
  // A sculptor's mesh in another order: only places tell which vertex is which.
  const Points rest = posePoints(before.character, restPose(before.character)).rowwise().reverse();
  std::string obj;
  for (Index v = 0; v < rest.cols(); ++v)
    obj +=
        "v " + std::to_string(rest(0, v)) + " " + std::to_string(rest(1, v)) + " " + std::to_string(rest(2, v)) + "\n";
  folder.write("rest.obj", obj + "f 1 2 3\n");
  const std::filesystem::path manifest = folder.write(
      "examples.json",
      R"({"rest": "rest.obj", "examples": [{"name": "rest", "pose": {"joints": {}}, "mesh": "rest.obj"}]})");
  const Example found = readExamples(manifest, file).set.examples.at(0);
  EXPECT_TRUE(found.mask.empty());
  EXPECT_LT((found.points - rest.rowwise().reverse()).cwiseAbs().maxCoeff(), 1e-5);
  expectRefused([&] { static_cast<void>(readExamples(manifest, file.character)); }, {"rest.obj", "no match"});
}

TEST(GltfRestShape, IsLeftOutForOtherVerticesAndRefusedWhenDamaged) {
  const std::string bytes = rewritten(movedArm());
  GltfSketch sketch = test::opened(bytes);
  sketch.json["extensions"][kBlock]["points"]["columns"] = 7;
  const CharacterFile other = readGltfFromMemory(sketch.glb(), {}, "arm");
  EXPECT_EQ(other.examplesRest.cols(), 0);
  ASSERT_EQ(other.problems.size(), 1u);
  EXPECT_NE(other.problems[0].find(kBlock), std::string::npos);
  EXPECT_TRUE(other.blocks.empty());

  sketch = test::opened(bytes);
  sketch.json["extensions"][kBlock]["points"]["rows"] = 4;
  expectRefused([&] { static_cast<void>(readGltfFromMemory(sketch.glb(), {}, "arm")); }, {kBlock, "again"});
  sketch = test::opened(bytes);
  sketch.json["extensions"][kBlock] = 3;
  expectRefused([&] { static_cast<void>(readGltfFromMemory(sketch.glb(), {}, "arm")); }, {kBlock, "again"});
}

}  // namespace
}  // namespace sinew::gltf_rest_shape_test
