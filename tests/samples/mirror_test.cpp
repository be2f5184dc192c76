// Mirroring on the built-in bodies, whose surfaces are symmetric but whose triangles are not.
#include "sinew/character/mirror.h"

#include <gtest/gtest.h>

#include "sinew/character/compare.h"
#include "sinew/deform/posing.h"
#include "sinew/samples/samples.h"

namespace sinew::mirror_test {
namespace {

const Example& named(const ExampleSet& set, const std::string& name) {
  for (const Example& example : set.examples) {
    if (example.name == name) return example;
  }
  ADD_FAILURE() << "there is no example " << name;
  return set.examples.front();
}

TEST(MirrorSample, TheBipedIsSymmetricThoughItsTrianglesAreNot) {
  const Sample biped = makeSample("biped", {.vertices = 6000});
  const MirrorMap map = findMirror(biped.character);
  EXPECT_EQ(map.axis, 0);
  EXPECT_NEAR(map.offset, 0, 1e-9);  // where the joints say, not the middle of an uneven mesh
  const Skeleton& skeleton = biped.character.skeleton;
  for (int j = 0; j < skeleton.size(); ++j) {
    const int partner = map.joint[static_cast<std::size_t>(j)];
    ASSERT_GE(partner, 0) << skeleton[j].name;
    EXPECT_EQ(skeleton[partner].name, otherSide(skeleton[j].name).value_or(skeleton[j].name));
  }
  EXPECT_GT(map.report.surfacePartners, 3000);
  EXPECT_EQ(map.report.unmatchedVertices, 0);
  EXPECT_LT(map.report.rmsPercent, 0.1);
}

TEST(MirrorSample, AMirroredStrideIsTheTrueOtherStride) {
  const Sample biped = makeSample("biped", {.vertices = 20000});
  ExampleSet set = biped.examples;
  const Example truth = named(set, "stride_right");
  std::erase_if(set.examples, [](const Example& example) { return example.name == "stride_right"; });
  const MirrorResult result = mirrorExamples(biped.character, set);
  const Example& made = named(result.set, "stride_right");
  const double diagonal = boundingBox(biped.character.mesh.points).diagonal();
  const double plain = compareShapes(truth.points, posePoints(biped.character, truth.pose), diagonal).rms / diagonal;
  const double mirrored = compareShapes(truth.points, made.points, diagonal).rms / diagonal;
  RecordProperty("plain", std::to_string(plain));
  RecordProperty("mirrored", std::to_string(mirrored));
  EXPECT_LT(mirrored, 0.05 * plain) << mirrored << " of the diagonal, plain skinning has " << plain;
  // Poses that are the same left and right are not doubled; turn_left has turn_right already.
  EXPECT_EQ(result.added, std::vector<std::string>{"stride_right"});
}

TEST(MirrorSample, PosingTheMirroredPoseIsTheMirroredPosedSurface) {
  const Sample biped = makeSample("biped", {.vertices = 20000});
  const MirrorMap map = findMirror(biped.character);
  const Pose& pose = named(biped.examples, "stride_left").pose;
  const Points posed = posePoints(biped.character, pose);
  const Points image = mirrorPoints(map, posed, posed);
  const Points mirrored = posePoints(biped.character, mirrorPose(biped.character, map, pose));
  const double diagonal = boundingBox(biped.character.mesh.points).diagonal();
  // Chords of a surface that bends: what the size of the triangles allows.
  EXPECT_LT(compareShapes(image, mirrored, diagonal).rms, 2e-4 * diagonal);
}

}  // namespace
}  // namespace sinew::mirror_test
