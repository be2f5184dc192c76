// The mode Export without a browser: what it says before writing is what the file holds, and the deviation that it
// reports is that of the file, played by linear blend and morph targets.
#include <gtest/gtest.h>

#include <cmath>

#include "export_harness.h"
#include "sinew/base/error.h"
#include "sinew/deform/posing.h"
#include "sinew/io/files.h"
#include "sinew/io/gltf.h"
#include "sinew/learn/helper_joints.h"
#include "sinew/learn/pose_space_character.h"
#include "sinew/samples/samples.h"
#include "studio/modes/export/compare.h"
#include "studio/modes/export/written_file.h"
#include "support/test_arm.h"

namespace sinew::studio::test::export_test {
namespace {

namespace fs = std::filesystem;
constexpr int kVertices = 1000;

/// The elbow with its sculpts, learned once.
const CharacterFile& corrected() {
  static const CharacterFile file = [] {
    const Sample sample = makeSample("arm", {.vertices = kVertices});
    const PoseSpaceCharacter learned = learnPoseSpaceCharacter(sample.character, sample.examples);
    CharacterFile made;
    made.character = learned.exported.character;
    made.poseSpace = learned.learned.model;
    made.poseSpaceMorphs = learned.exported.morphs;
    const std::vector<Example>& examples = sample.examples.examples;
    for (const std::size_t k : {std::size_t{0}, examples.size() - 1}) {
      made.poses.push_back({examples[k].name, examples[k].pose});
      made.poses.back().pose.morphWeights.resize(made.character.morphs.size(), 0);
    }
    return made;
  }();
  return file;
}

/// The test arm with six joints per vertex.
CharacterFile crowded() {
  CharacterFile file;
  Character& arm = file.character;
  arm = sinew::test::testArm();
  const std::vector<Binding> before = arm.skin.bindings;
  std::vector<Joint> joints;
  for (int j = 0; j < arm.skeleton.size(); ++j) joints.push_back(arm.skeleton[j]);
  const Pose rest = restPose(arm);
  PosedJoints posed;
  poseJoints(arm, rest, posed);
  const Affine worldFromElbow = posed.worldFromJoint.back();
  for (int k = 0; k < 4; ++k) {
    Joint joint;
    joint.name = "extra " + std::to_string(k);
    joint.parent = arm.skeleton.size() - 1;
    joints.push_back(joint);
    arm.skin.bindings.push_back({.joint = static_cast<int>(joints.size()) - 1,
                                 .jointFromRest = worldFromElbow.inverse(),
                                 .skin = before.back().skin});
  }
  arm.skeleton = Skeleton(joints);
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < arm.mesh.vertexCount(); ++v) {
    std::vector<Influence> column;
    const auto place = static_cast<double>(v) / static_cast<double>(arm.mesh.vertexCount());
    for (std::uint32_t b = 0; b < arm.skin.bindings.size() && column.size() < 6; ++b)
      column.push_back({b, 0.1 + 0.3 * (b == 0 ? place : 1 - place) / (1 + b)});
    double sum = 0;
    for (const Influence& influence : column) sum += influence.weight;
    for (Influence& influence : column) influence.weight /= sum;
    columns.push_back(std::move(column));
  }
  arm.skin.weights = SkinWeights::fromColumns(arm.skin.bindings.size(), columns);
  Clip wave{"wave", {}};
  for (int joint = 2; joint < arm.skeleton.size(); ++joint) {
    ClipChannel turn;
    turn.path = ClipPath::Rotation;
    turn.joint = joint;
    turn.times = {0, 1};
    turn.values.resize(4, 2);
    const Quat still = arm.skeleton[joint].rest.rotation;
    turn.values.col(0) = still.coeffs();
    turn.values.col(1) = (still * Quat(Eigen::AngleAxisd(0.3 * joint, Vec3::UnitZ()))).coeffs();
    wave.channels.push_back(turn);
  }
  arm.clips.push_back(wave);
  return file;
}

TEST(Export, TheFileIsWhatThePlanSaid) {
  const Scratch scratch;
  writeCharacter(scratch / "root/arm.glb", corrected());
  StudioRun run(scratch, "arm.glb");
  const Json content = run.result("export.content");
  EXPECT_TRUE(content["learned"]) << content;
  EXPECT_TRUE(content["refits"]);
  EXPECT_EQ(content["formats"].size(), 4u);
  const Json said = plan(run);
  ASSERT_TRUE(said.contains("bytes")) << said;
  EXPECT_GT(said["morphs"], 0);
  EXPECT_GT(said["trade"].size(), 1u);
  EXPECT_EQ(said["lost"], Json::array()) << said["lost"];
  const std::size_t steps = run.depth();
  const Json done = written(run, "out.glb");
  ASSERT_TRUE(done.contains("deviation")) << done;
  EXPECT_EQ(done["bytes"], said["bytes"]);
  EXPECT_EQ(fs::file_size(scratch / "root/out.glb"), done["bytes"].get<std::size_t>());
  EXPECT_EQ(done["lost"], said["lost"]);
  EXPECT_NEAR(done["deviation"]["max"].get<double>(), said["deviation"]["max"].get<double>(), 1e-9);
  EXPECT_EQ(run.depth(), steps) << "writing is no step of undo";
  // The saved poses are a clip of the file, with the sculpts in it.
  const Character file = plain(scratch / "root/out.glb");
  const double diagonal = boundingBox(file.mesh.points).diagonal();
  // Writing has split vertices at seams.
  const CharacterFile source = readCharacter(scratch / "root/arm.glb");
  ASSERT_EQ(source.poses.size(), 2u);
  double most = 0;
  for (std::size_t k = 0; k < source.poses.size(); ++k) {
    const Points truth = posePoints(source.character, source.poses[k].pose, source.playback());
    most = std::max(most, furthest(truth, played(file, "poses", static_cast<double>(k + 1))));
  }
  EXPECT_LT(most, 1e-3 * diagonal);
  EXPECT_LE(most, done["deviation"]["max"].get<double>() + 1e-9);
}

TEST(Export, TheDeviationIsThatOfTheFileInPlainPlayback) {
  const Scratch scratch;
  CharacterFile made = corrected();
  made.poses.erase(made.poses.begin());
  writeCharacter(scratch / "root/arm.glb", made);
  const CharacterFile source = readCharacter(scratch / "root/arm.glb");
  StudioRun run(scratch, "arm.glb");
  // Without the corrections everything that they do is missing. The saved pose is the only one.
  Json clips = Json::array();
  for (std::size_t c = 0; c < source.character.clips.size(); ++c) clips.push_back(c);
  const Json said = plan(run, {{"correctives", false}, {"withoutClips", clips}});
  ASSERT_TRUE(said.contains("deviation")) << said;
  const Json done = written(run, "plain.glb");
  ASSERT_TRUE(done.contains("deviation")) << done;
  const Character file = plain(scratch / "root/plain.glb");
  EXPECT_TRUE(file.morphs.empty());
  const Points truth = posePoints(source.character, source.poses[0].pose, source.playback());
  const double most = furthest(truth, played(file, "poses", 1));
  EXPECT_GT(most, 1e-3);
  EXPECT_NEAR(done["deviation"]["max"].get<double>(), most, 1e-6 * most);
  EXPECT_EQ(done["deviation"]["pose"], "poses at 1.00 s");
  EXPECT_EQ(said["lost"].size(), 2u) << said["lost"];
  // One shape cannot do what several can.
  const auto left = [&](int morphs) {
    const Json fitted = plan(run, {{"morphs", morphs}, {"method", "svd"}});
    EXPECT_EQ(fitted["morphs"], morphs) << fitted;
    return fitted["deviation"]["max"].get<double>();
  };
  const double one = left(1);
  EXPECT_LT(one, most);
  EXPECT_LT(left(3), 0.9 * one);
}

TEST(Export, ALimitOfInfluencesCostsWhatItSays) {
  const Scratch scratch;
  const CharacterFile source = crowded();
  writeCharacter(scratch / "root/arm.glb", source);
  StudioRun run(scratch, "arm.glb");
  const Json said = plan(run);
  ASSERT_TRUE(said.contains("influences")) << said;
  ASSERT_EQ(said["influences"].size(), 3u) << said;
  EXPECT_EQ(said["influences"][1]["vertices"], 0) << "nothing has more than 8";
  const Json four = said["influences"][2];
  EXPECT_EQ(four["most"], 4);
  EXPECT_EQ(four["vertices"], source.character.mesh.vertexCount());
  EXPECT_LT(said["deviation"]["max"].get<double>(), 1e-6);
  CharacterFile limited = source;
  limited.character.skin.weights = source.character.skin.weights.limited(4);
  const double most = furthest(played(source.character, "wave", 1), played(limited.character, "wave", 1));
  EXPECT_GT(most, 0.01);
  EXPECT_NEAR(four["max"].get<double>(), most, 1e-5 * most);
  const Json blob = run.result("export.influences", {{"most", 4}});
  EXPECT_TRUE(blob.contains("blob")) << blob;
  EXPECT_NEAR(plan(run, {{"influences", 4}})["deviation"]["max"].get<double>(), most, 1e-5 * most);
  EXPECT_TRUE(written(run, "four.glb").contains("deviation"));
  EXPECT_EQ(plain(scratch / "root/four.glb").skin.weights.maxInfluences(), 4);
}

TEST(Export, HelperJointsAreBakedIntoEveryClipOrTheirWeightsAreGivenAway) {
  const Scratch scratch;
  CharacterFile source;
  Character& arm = source.character;
  arm = sinew::test::testArm();
  std::vector<Joint> joints;
  for (int j = 0; j < arm.skeleton.size(); ++j) joints.push_back(arm.skeleton[j]);
  Joint half = joints.back();
  half.name = "elbow half";
  joints.push_back(half);
  arm.skeleton = Skeleton(joints);
  Binding binding = arm.skin.bindings.back();
  binding.joint = 3;
  arm.skin.bindings.push_back(binding);
  arm.helpers.push_back({.kind = HelperKind::Half, .joint = 3, .source = 2});
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < arm.mesh.vertexCount(); ++v) {
    const auto column = arm.skin.weights[v];
    columns.emplace_back(column.begin(), column.end());
    const bool bends = column.size() > 1;
    if (bends) columns.back() = {{static_cast<std::uint32_t>(arm.skin.bindings.size() - 1), 1.0}};
  }
  arm.skin.weights = SkinWeights::fromColumns(arm.skin.bindings.size(), columns);
  Pose bent = restPose(arm);
  bent.local[2].rotation = bent.local[2].rotation * Quat(Eigen::AngleAxisd(1.4, Vec3::UnitZ()));
  source.poses.push_back({"bent", bent});
  writeCharacter(scratch / "root/arm.glb", source);
  StudioRun run(scratch, "arm.glb");
  const Json said = plan(run);
  EXPECT_EQ(said["baked"], 1) << said;
  EXPECT_LT(said["deviation"]["max"].get<double>(), 1e-5);
  EXPECT_TRUE(written(run, "baked.glb").contains("deviation"));
  const Points truth = posePoints(arm, bent);
  EXPECT_LT(furthest(truth, played(plain(scratch / "root/baked.glb"), "poses", 1)), 1e-5);
  const Json without = plan(run, {{"helpers", false}});
  EXPECT_GT(without["deviation"]["max"].get<double>(), 0.01) << without;
  EXPECT_EQ(without["lost"].size(), 1u);
  EXPECT_TRUE(written(run, "without.glb").contains("deviation"));
  const Character file = plain(scratch / "root/without.glb");
  for (Index v = 0; v < file.mesh.vertexCount(); ++v) {
    for (const Influence& influence : file.skin.weights[v]) EXPECT_NE(file.skin.bindings[influence.binding].joint, 3);
  }
  EXPECT_TRUE(readCharacter(scratch / "root/without.glb").character.helpers.empty());
}

TEST(Export, ClipsAndPosesAreLeftOutAsAsked) {
  const Scratch scratch;
  CharacterFile source = crowded();
  source.character.clips.push_back(source.character.clips.front());
  source.character.clips.back().name = "second";
  source.poses.push_back({"bent", clipPose(source.character, "wave", 1)});
  writeCharacter(scratch / "root/arm.glb", source);
  StudioRun run(scratch, "arm.glb");
  plan(run, {{"withoutClips", {0}}, {"poses", false}});
  const Json done = written(run, "some.glb");
  ASSERT_TRUE(done.contains("clips")) << done;
  ASSERT_EQ(done["clips"].size(), 1u);
  EXPECT_EQ(done["clips"][0]["name"], "second");
  EXPECT_EQ(done["lost"].size(), 2u) << done["lost"];
  const CharacterFile file = readCharacter(scratch / "root/some.glb");
  EXPECT_EQ(file.character.clips.size(), 1u);
  EXPECT_TRUE(file.poses.empty());
  EXPECT_EQ(run.ask("export.plan", {{"withoutClips", {7}}})["code"], "bad-input");
}

TEST(Export, MeshFormatsSayWhatTheyLose) {
  const Scratch scratch;
  writeCharacter(scratch / "root/arm.glb", corrected());
  StudioRun run(scratch, "arm.glb");
  const Json said = plan(run, {{"extension", ".obj"}});
  ASSERT_TRUE(said.contains("lost")) << said;
  EXPECT_GE(said["lost"].size(), 4u);
  EXPECT_TRUE(said["influences"].empty());
  EXPECT_EQ(run.ask("export.write", {{"path", "out.glb"}})["code"], "bad-input") << "the ending of another format";
  const Json done = written(run, "out.obj");
  ASSERT_TRUE(done.contains("deviation")) << done;
  EXPECT_LT(done["deviation"]["max"].get<double>(), 1e-6);
  EXPECT_EQ(done["bytes"], said["bytes"]);
  EXPECT_EQ(done["lost"], said["lost"]);
  // A glTF without its skin is the rest shape.
  EXPECT_FALSE(plan(run, {{"skin", false}})["lost"].empty());
  EXPECT_LT(written(run, "still.glb")["deviation"]["max"].get<double>(), 1e-6);
  EXPECT_TRUE(readCharacter(scratch / "root/still.glb").character.clips.empty());
  EXPECT_EQ(run.ask("export.plan", {{"extension", ".fbx"}})["code"], "bad-input");
}

TEST(Export, AsksBeforeItReplacesAFile) {
  const Scratch scratch;
  writeCharacter(scratch / "root/arm.glb", crowded());
  StudioRun run(scratch, "arm.glb");
  EXPECT_EQ(run.ask("export.write", {{"path", "out.glb"}})["code"], "no-plan");
  plan(run);
  EXPECT_TRUE(written(run, "out.glb").contains("deviation"));
  const std::string out = readFile(scratch / "root/out.glb");
  const std::string document = readFile(scratch / "root/arm.glb");
  EXPECT_EQ(run.ask("export.write", {{"path", "out.glb"}})["code"], "exists");
  EXPECT_EQ(run.ask("export.write", {{"path", "arm.glb"}})["code"], "open-document");
  EXPECT_EQ(run.ask("export.write", {{"path", "../out.glb"}})["code"], "outside-root");
  EXPECT_EQ(run.ask("export.write", {{"path", "upload:x/out.glb"}})["code"], "bad-input");
  EXPECT_EQ(readFile(scratch / "root/out.glb"), out);
  EXPECT_EQ(readFile(scratch / "root/arm.glb"), document);
  plan(run, {{"influences", 4}});
  EXPECT_TRUE(written(run, "out.glb", true).contains("deviation"));
  EXPECT_NE(readFile(scratch / "root/out.glb"), out);
  // A .gltf comes with its buffers.
  plan(run, {{"extension", ".gltf"}});
  const Json pair = written(run, "pair.gltf");
  ASSERT_TRUE(pair.contains("bytes")) << pair;
  EXPECT_EQ(pair["bytes"].get<std::size_t>(),
            fs::file_size(scratch / "root/pair.gltf") + fs::file_size(scratch / "root/pair.bin"));
}

TEST(Export, ACancelledExportLeavesNoFile) {
  const Scratch scratch;
  const exporting::ExportOptions options;
  const exporting::Prepared prepared = exporting::prepare(crowded(), options, {});
  int calls = 0;
  const Progress cancelling = [&](const ProgressState& state) { return ++calls < 2 && state.fraction < 0.8; };
  EXPECT_THROW(exporting::writeNow(scratch / "root/out.glb", prepared, false, cancelling), Error);
  EXPECT_GT(calls, 0);
  EXPECT_TRUE(fs::is_empty(scratch / "root"));
}

TEST(Export, AWrittenFileThatCannotBeComparedIsNoFault) {
  const Scratch scratch;
  const CharacterFile document = crowded();
  const exporting::Prepared prepared = exporting::prepare(document, {}, {});
  const fs::path path = scratch / "root/out.glb";
  EXPECT_GT(exporting::writeNow(path, prepared, false).bytes, 0);
  const Pose rest = restPose(document.character);
  EXPECT_TRUE(exporting::comparedWith(path, {}, document, prepared, rest, {}).read);
  const FileRules elsewhere{.foreign = {}, .root = scratch / "uploads"};
  const exporting::Comparison unread = exporting::comparedWith(path, elsewhere, document, prepared, rest, {});
  EXPECT_FALSE(unread.read);
  EXPECT_NE(unread.fault.find("outside"), std::string::npos) << unread.fault;
  CharacterFile other;
  other.character = sinew::test::testArm(5, 5);
  const exporting::Comparison misfit = exporting::comparedWith(path, {}, other, prepared, rest, {});
  EXPECT_FALSE(misfit.read);
  EXPECT_NE(misfit.fault.find("cannot be compared"), std::string::npos) << misfit.fault;
}

TEST(Export, TheReReadFileFollowsTheViewAndPlaysItsOwnClips) {
  const Scratch scratch;
  const CharacterFile source = crowded();
  writeCharacter(scratch / "root/arm.glb", source);
  StudioRun run(scratch, "arm.glb");
  EXPECT_EQ(run.ask("export.compare", {{"shown", true}})["code"], "no-file");
  plan(run, {{"influences", 4}});
  const Json done = written(run, "four.glb");
  ASSERT_TRUE(done.contains("blobs")) << done;
  run.page().forget();
  ASSERT_TRUE(run.ask("export.compare", {{"shown", true}})["ok"]);
  ASSERT_EQ(run.page().told<wire::ExportFrame>().size(), 1u);
  const auto before = run.page().told<wire::ExportFrame>().front().palette;
  const Json poses = run.document()["views"];
  run.page().forget();
  ASSERT_TRUE(run.ask("export.play", {{"clip", 0}, {"time", 1}})["ok"]);
  const auto frames = run.page().told<wire::ExportFrame>();
  ASSERT_EQ(frames.size(), 1u);
  ASSERT_EQ(run.page().told<wire::Frame>().size(), 1u) << "the document plays the same";
  // The palette is that of the file.
  const Character file = plain(scratch / "root/four.glb");
  PosedJoints posed;
  poseJoints(file, clipPose(file, "wave", 1), posed);
  ASSERT_EQ(frames[0].palette.size(), 12 * posed.worldFromRest.size());
  for (std::size_t b = 0; b < posed.worldFromRest.size(); ++b) {
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_NEAR(frames[0].palette[12 * b + 4 * r + c],
                    posed.worldFromRest[b].linear()(static_cast<Index>(r), static_cast<Index>(c)), 1e-5);
    }
  }
  // So is the deviation of a vertex.
  const Index v = 100;
  const double apart = (played(source.character, "wave", 1).col(v) - played(file, "wave", 1).col(v)).norm();
  EXPECT_GT(apart, 1e-3);
  EXPECT_NEAR(run.result("export.vertex", {{"vertex", v}})["deviation"].get<double>(), apart, 1e-6);
  run.page().forget();
  ASSERT_TRUE(run.ask("export.stop")["ok"]);
  EXPECT_EQ(run.document()["views"], poses) << "playing is no step";
  ASSERT_EQ(run.page().told<wire::ExportFrame>().size(), 1u);
  EXPECT_EQ(run.page().told<wire::ExportFrame>()[0].palette, before);
  ASSERT_TRUE(run.ask("export.compare", {{"shown", false}})["ok"]);
  run.page().forget();
  ASSERT_TRUE(run.ask("frame")["ok"]);
  EXPECT_TRUE(run.page().told<wire::ExportFrame>().empty());
  // The deviation of a vertex follows the shown pose all the same.
  EXPECT_LT(run.result("export.vertex", {{"vertex", v}})["deviation"].get<double>(), 1e-5);
  ASSERT_TRUE(run.ask("pose.clip", {{"clip", 0}, {"time", 1}})["ok"]);
  EXPECT_NEAR(run.result("export.vertex", {{"vertex", v}})["deviation"].get<double>(), apart, 1e-5);
}

TEST(Export, AnEditMakesThePlanStale) {
  const Scratch scratch;
  writeCharacter(scratch / "root/arm.glb", crowded());
  StudioRun run(scratch, "arm.glb");
  plan(run);
  ASSERT_TRUE(run.ask("pose.reset")["ok"]);
  EXPECT_TRUE(run.ask("export.influences", {{"most", 4}})["ok"]) << "a pose is not in the file";
  ASSERT_TRUE(run.ask("weights.assign", {{"vertices", {1, 2, 3}}, {"joint", 2}})["ok"]);
  EXPECT_TRUE(run.page().wait([](const Json& heard) { return heard.value("event", "") == "exportStale"; }).is_object());
  EXPECT_EQ(run.ask("export.write", {{"path", "out.glb"}})["code"], "no-plan");
  EXPECT_EQ(run.ask("export.influences", {{"most", 4}})["code"], "no-plan");
}

}  // namespace
}  // namespace sinew::studio::test::export_test
