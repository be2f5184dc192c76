// Displacements of morph targets in files: sparse where few vertices move, in 16 bits on request.
#include <gtest/gtest.h>

#include "gltf_sketch.h"
#include "sinew/character/morph_deltas.h"
#include "support/test_arm.h"

namespace sinew::gltf_morph_deltas_test {
namespace {

using test::GltfSketch;
using test::Json;

/// The arm with a target that displaces every `stride`-th vertex.
CharacterFile armWithTarget(Index stride, bool normals = false) {
  CharacterFile file;
  file.character = test::testArm();
  MorphTarget morph;
  morph.name = "bulge";
  morph.deltas = Points::Zero(3, file.character.mesh.vertexCount());
  for (Index v = 1; v < morph.deltas.cols(); v += stride) {
    morph.deltas.col(v) = Vec3(1000, -32767, static_cast<double>(v)) / kDeltaSteps;
  }
  if (normals) morph.normalDeltas = 2 * morph.deltas;
  file.character.morphs.push_back(std::move(morph));
  return file;
}

GltfSketch written(const CharacterFile& file, bool quantized) {
  return test::opened(gltfToMemory("out.glb", file, {.quantizedMorphs = quantized}).files.front().second);
}

/// The accessor of the first target.
Json accessorOf(GltfSketch& sketch, const char* attribute) {
  const std::size_t accessor = sketch.primitive()["targets"][0][attribute];
  return sketch.json["accessors"][accessor];
}

double largestChange(const CharacterFile& a, const CharacterFile& b) {
  return (a.character.morphs.at(0).deltas - b.character.morphs.at(0).deltas).cwiseAbs().maxCoeff();
}

TEST(GltfMorphDeltas, OfFewVerticesAreSparseAndSmaller) {
  const CharacterFile few = armWithTarget(10);
  const CharacterFile all = armWithTarget(1);
  GltfSketch sparse = written(few, false);
  GltfSketch dense = written(all, false);
  EXPECT_TRUE(accessorOf(sparse, "POSITION").contains("sparse"));
  EXPECT_FALSE(accessorOf(sparse, "POSITION").contains("bufferView"));
  EXPECT_FALSE(accessorOf(dense, "POSITION").contains("sparse"));
  EXPECT_LT(sparse.bin.size() + 10 * toSize(few.character.mesh.vertexCount()), dense.bin.size());
  // Bounds are those of all vertices: most do not move.
  EXPECT_EQ(accessorOf(sparse, "POSITION")["min"][0], 0.0);
  EXPECT_LT(largestChange(few, sparse.read()), 1e-7);
  EXPECT_LT(largestChange(all, dense.read()), 1e-7);
}

TEST(GltfMorphDeltas, ThatMoveNothingTakeNoBytes) {
  CharacterFile still = armWithTarget(1);
  still.character.morphs[0].deltas.setZero();
  GltfSketch sketch = written(still, false);
  EXPECT_FALSE(accessorOf(sketch, "POSITION").contains("bufferView"));
  EXPECT_FALSE(accessorOf(sketch, "POSITION").contains("sparse"));
  EXPECT_EQ(largestChange(still, sketch.read()), 0);
}

TEST(GltfMorphDeltas, ComeBackBitForBitFromSixteenBits) {
  for (const Index stride : {1, 10}) {
    const CharacterFile file = armWithTarget(stride);
    GltfSketch sketch = written(file, true);
    const Json accessor = accessorOf(sketch, "POSITION");
    EXPECT_EQ(accessor["componentType"], 5122) << stride;
    EXPECT_EQ(accessor["normalized"], true) << stride;
    EXPECT_EQ(accessor["min"][1], -32767) << stride;
    EXPECT_EQ(accessor.contains("sparse"), stride > 1);
    for (const char* list : {"extensionsUsed", "extensionsRequired"}) {
      EXPECT_EQ(sketch.json[list], Json::array({"KHR_mesh_quantization"})) << list;
    }
    EXPECT_EQ(largestChange(file, sketch.read()), 0) << stride;
  }
}

TEST(GltfMorphDeltas, AreFloatsWhereSixteenBitsCannotHoldThem) {
  CharacterFile file = armWithTarget(1, true);  // normals up to 2
  GltfSketch sketch = written(file, true);
  EXPECT_EQ(accessorOf(sketch, "POSITION")["componentType"], 5122);
  EXPECT_EQ(accessorOf(sketch, "NORMAL")["componentType"], 5126);
  file.character.morphs[0].deltas.array() += 1e-6;
  GltfSketch moved = written(file, true);
  EXPECT_EQ(accessorOf(moved, "POSITION")["componentType"], 5126);
  EXPECT_FALSE(moved.json.contains("extensionsRequired"));
}

TEST(GltfMorphDeltas, AreFloatsUnlessSixteenBitsAreAskedFor) {
  GltfSketch sketch = written(armWithTarget(1), false);
  EXPECT_EQ(accessorOf(sketch, "POSITION")["componentType"], 5126);
  EXPECT_FALSE(sketch.json.contains("extensionsRequired"));
}

}  // namespace
}  // namespace sinew::gltf_morph_deltas_test
