// Learned morph targets in the mode Export: those of the document, or fitted again.
#include <gtest/gtest.h>

#include "export_harness.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/learn/pose_space_character.h"
#include "sinew/samples/samples.h"

namespace sinew::studio::test::export_test {
namespace {

constexpr int kArmVertices = 1000;

TEST(Export, MorphTargetsOfAChosenNumberAreKeptAsTheyAre) {
  const Scratch scratch;
  const Sample sample = makeSample("arm", {.vertices = kArmVertices});
  PoseSpaceExportOptions few;
  few.maxMorphs = 3;
  few.askedError = 1e-9;
  const PoseSpaceCharacter learned = learnPoseSpaceCharacter(sample.character, sample.examples, {}, few);
  CharacterFile made;
  made.character = learned.exported.character;
  made.poseSpace = learned.learned.model;
  made.poseSpaceMorphs = learned.exported.morphs;
  made.poses.push_back({"first", sample.examples.examples.back().pose});
  made.poses.back().pose.morphWeights.resize(made.character.morphs.size(), 0);
  writeCharacter(scratch / "root/arm.glb", made);
  const CharacterFile source = readCharacter(scratch / "root/arm.glb");
  const auto shapes = [](const CharacterFile& file) {
    Eigen::MatrixXd all(3, 0);
    for (const int m : file.poseSpaceMorphs.morphs) {
      const Points& deltas = file.character.morphs[toSize(m)].deltas;
      all.conservativeResize(3, all.cols() + deltas.cols());
      all.rightCols(deltas.cols()) = deltas;
    }
    return all;
  };
  StudioRun run(scratch, "arm.glb");
  EXPECT_EQ(run.result("export.content")["morphs"], 3);
  const Json said = plan(run);
  EXPECT_EQ(said["morphs"], 3) << said;
  EXPECT_TRUE(said["kept"]);
  EXPECT_GT(said["morphBytes"], 0);
  EXPECT_LT(said["morphBytes"], said["bytes"]);
  EXPECT_GT(said["trade"].size(), 3u) << "other numbers can be chosen";
  for (const Json& row : said["trade"])
    EXPECT_NEAR(row["bytes"].get<double>(), row["morphs"].get<double>() / 3 * said["morphBytes"].get<double>(), 1e-6);
  const Json done = written(run, "out.glb");
  ASSERT_TRUE(done.contains("deviation")) << done;
  EXPECT_NEAR(done["deviation"]["max"].get<double>(), said["deviation"]["max"].get<double>(), 1e-9);
  const CharacterFile file = readCharacter(scratch / "root/out.glb");
  EXPECT_EQ(shapes(file), shapes(source));
  EXPECT_EQ(file.poseSpaceMorphs.mixing, source.poseSpaceMorphs.mixing);
  EXPECT_EQ(file.poseSpaceMorphs.knots, source.poseSpaceMorphs.knots);
  // The clip of the saved poses has their weights, between its keys too.
  const PoseSpaceMorphWeights weights(*source.poseSpace, source.poseSpaceMorphs);
  const Character plainFile = plain(scratch / "root/out.glb");
  for (const double time : {0.5, 1.0}) {
    Pose pose = clipPose(plainFile, "poses", time);
    const std::vector<double> baked = pose.morphWeights;
    weights.apply(plainFile.skeleton, pose);
    ASSERT_EQ(baked.size(), 3u);
    for (std::size_t m = 0; m < baked.size(); ++m) EXPECT_NEAR(baked[m], pose.morphWeights[m], 1e-3) << time;
  }
  // A clip of the examples is the document's own; another number, or another storage, is fitted.
  EXPECT_EQ(file.poseSpaceMorphs.clip, "");
  EXPECT_TRUE(plan(run, {{"examples", true}})["kept"]);
  written(run, "examples.glb");
  EXPECT_EQ(readCharacter(scratch / "root/examples.glb").poseSpaceMorphs.clip, source.poseSpaceMorphs.clip);
  EXPECT_TRUE(plan(run, {{"morphs", 3}})["kept"]);
  const Json five = plan(run, {{"morphs", 5}});
  EXPECT_EQ(five["morphs"], 5) << five;
  EXPECT_FALSE(five["kept"]);
  const Json small = plan(run, {{"quantize", true}});
  EXPECT_EQ(small["morphs"], 3) << small;
  EXPECT_FALSE(small["kept"]);
  EXPECT_LT(small["morphBytes"], said["morphBytes"]);
  const Json flat = plan(run, {{"normals", false}});
  EXPECT_TRUE(flat["kept"]);
  EXPECT_LE(flat["morphBytes"], said["morphBytes"]);
}

}  // namespace
}  // namespace sinew::studio::test::export_test
