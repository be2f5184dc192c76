#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formats_support.h"
#include "sinew/character/mesh.h"
#include "sinew/deform/posing.h"
#include "sinew/io/obj.h"
#include "sinew/io/poses.h"
#include "support/test_arm.h"

namespace sinew::test::examples_test {
namespace {

/// The arm without its symmetry, so that there is only one way to match it.
Character lopsidedArm() {
  Character arm = testArm();
  for (Index v = 0; v < arm.mesh.vertexCount(); ++v) {
    Vec3 p = arm.mesh.points.col(v);
    arm.mesh.points.col(v) +=
        Vec3(0.02 * p.y(), 0.1 * p.x() * p.x() + 0.05 * p.z() + 0.03 * p.x(), 0.04 * p.y() * p.x());
  }
  return arm;
}

std::string objOf(const Character& character, const Points& points) {
  Mesh mesh = character.mesh;
  mesh.points = points;
  return formatObj(mesh);
}

/// A bulge on top of the skinned shape, as in a sculpt.
Points sculptOf(const Character& arm, const Pose& pose) {
  Points points = posePoints(arm, pose);
  for (Index v = 0; v < points.cols(); ++v)
    points.col(v) += 0.01 * std::sin(5.0 * static_cast<double>(v)) * Vec3(1, 2, 3);
  return points;
}

ExampleSet setOf(const Character& arm) {
  ExampleSet set;
  set.rest = posePoints(arm, restPose(arm));
  for (const double degrees : {30.0, 90.0}) {
    Example example;
    example.name = "elbow" + std::to_string(static_cast<int>(degrees));
    example.pose = bentArmPose(arm, degrees, 10);
    example.points = sculptOf(arm, example.pose);
    set.examples.push_back(example);
  }
  set.examples[1].confidence = 0.5;
  set.drivers = {{"lower", 1}, {"upper", 0.5}};
  return set;
}

class Examples : public ::testing::Test {
 protected:
  void writeScene() {
    folder.write("rest.obj", objOf(arm, posePoints(arm, restPose(arm))));
    folder.write("bent.obj", objOf(arm, sculpt));
    folder.write("poses/bent.json", R"({"joints": {"lower": {"euler": [0, 0, 90]}}})");
    pose = readPose((folder / "poses/bent.json").string(), arm);
  }
  /// The sculpt is of another pose than the file states: matching alone still succeeds.
  ExamplesFile read(const std::string& manifest) const {
    return readExamples(folder.write("examples.json", manifest), arm, {.force = true});
  }
  void expectManifestRefused(const std::string& manifest, const std::vector<std::string>& words) const {
    expectRefused([&] { read(manifest); }, words);
  }

  TemporaryFolder folder;
  Character arm = lopsidedArm();
  Pose pose = restPose(arm);
  Points sculpt = sculptOf(arm, bentArmPose(arm));
};

const std::string kPlain =
    R"({"rest": "rest.obj", "examples": [{"name": "bent", "pose": "poses/bent.json", "mesh": "bent.obj"}]})";
const std::string kNoRest = R"({"examples": [{"name": "bent", "pose": "poses/bent.json", "mesh": "bent.obj"}]})";

TEST_F(Examples, ComeBackAsTheyWereWritten) {
  const ExampleSet set = setOf(arm);
  const auto files = writeExamples(folder / "examples.json", arm, set);
  EXPECT_EQ(files.size(), 6u);
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{"elbow30.obj", "elbow90.obj", "examples.json", "poses", "rest.obj"}));
  const ExamplesFile back = readExamples(folder / "examples.json", arm);
  EXPECT_EQ(back.set.rest, set.rest);
  ASSERT_EQ(back.set.examples.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(back.set.examples[i].name, set.examples[i].name);
    EXPECT_EQ(back.set.examples[i].points, set.examples[i].points);
    EXPECT_EQ(back.set.examples[i].confidence, set.examples[i].confidence);
    EXPECT_TRUE(back.set.examples[i].mask.empty());
    EXPECT_EQ(posePoints(arm, back.set.examples[i].pose), posePoints(arm, set.examples[i].pose));
  }
  ASSERT_EQ(back.set.drivers.size(), 2u);
  EXPECT_EQ(back.set.drivers[1].joint, "upper");
  EXPECT_EQ(back.set.drivers[1].weight, 0.5);
}

TEST_F(Examples, AnotherSetKeepsItsFilesInAFolderOfItsOwn) {
  ExampleSet set = setOf(arm);
  set.examples[0].name = "rest";
  set.examples[1].name = "../up: 1/2";
  set.examples[1].mask.assign(static_cast<std::size_t>(arm.mesh.vertexCount()), 0.25);
  const auto files = writeExamples(folder / "heldout.json", arm, set);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"heldout", "heldout.json", "rest.obj"}));
  for (const auto& file : files) EXPECT_TRUE(std::filesystem::is_regular_file(file)) << file;
  const ExamplesFile back = readExamples(folder / "heldout.json", arm);
  EXPECT_EQ(back.set.examples[0].name, "rest");
  EXPECT_EQ(back.set.examples[1].name, "../up: 1/2");
  EXPECT_EQ(back.set.examples[1].points, set.examples[1].points);
  EXPECT_EQ(back.set.examples[1].mask, set.examples[1].mask);
}

TEST_F(Examples, PosesMayBeFilesClipsOrStandInline) {
  writeScene();
  ClipChannel channel;
  channel.joint = 2;
  channel.times = {0, 2};
  channel.values = Eigen::MatrixXd::Zero(3, 2);
  channel.values(0, 1) = 4;
  arm.clips = {Clip{"rom", {channel}}};
  const ExamplesFile file = read(R"({"rest": "rest.obj", "examples": [
      {"name": "file", "pose": "poses/bent.json", "mesh": "bent.obj"},
      {"name": "clip", "pose": {"clip": "rom", "time": 1.5}, "mesh": "bent.obj"},
      {"name": "short", "pose": "rom@1.5", "mesh": "bent.obj"},
      {"pose": {"joints": {"lower": {"euler": [0, 0, 90]}}}, "mesh": "bent.obj", "confidence": 0.25}]})");
  ASSERT_EQ(file.set.examples.size(), 4u);
  EXPECT_EQ(file.set.examples[0].pose.local[2].rotation.coeffs(), pose.local[2].rotation.coeffs());
  EXPECT_EQ(file.set.examples[1].pose.local[2].translation, Vec3(3, 0, 0));
  EXPECT_EQ(file.set.examples[2].pose.local[2].translation, Vec3(3, 0, 0));
  EXPECT_EQ(file.set.examples[3].pose.local[2].rotation.coeffs(), pose.local[2].rotation.coeffs());
  EXPECT_EQ(file.set.examples[3].name, "bent") << "a name is taken from the mesh";
  EXPECT_EQ(file.set.examples[3].confidence, 0.25);
}

TEST_F(Examples, AreMatchedWhereTheSculptIsReorderedScaledAndTurned) {
  writeScene();
  std::vector<Index> order(static_cast<std::size_t>(arm.mesh.vertexCount()));
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + 71, order.end());
  Mat3 axes;
  axes << 1, 0, 0, 0, 0, 1, 0, -1, 0;  // y up to z up
  const auto disguise = [&](const Points& points) {
    std::string text;
    const Points moved = 100 * axes * points;
    for (const Index v : order) text += fmt::format("v {} {} {}\n", moved(0, v), moved(1, v), moved(2, v));
    return text;
  };
  folder.write("rest.obj", disguise(posePoints(arm, restPose(arm))));
  folder.write("bent.obj", disguise(sculpt));
  const ExamplesFile file = read(kPlain);
  EXPECT_LT((file.set.examples[0].points - sculpt).colwise().norm().maxCoeff(), 1e-9);
  EXPECT_TRUE(file.set.examples[0].mask.empty());
  ASSERT_EQ(file.notes.size(), 1u);
  EXPECT_NE(file.notes[0].find("rest.obj: matched by rest position"), std::string::npos) << file.notes[0];
}

TEST_F(Examples, AreCarriedToWorldSpaceWhereTheSculptShowsTheBoundShape) {
  // The character is rotated in its file; the sculpt was made on the mesh in its bind space.
  std::vector<Joint> joints(arm.skeleton.joints().begin(), arm.skeleton.joints().end());
  const Eigen::Isometry3d turn(Eigen::AngleAxisd(0.3, Vec3(1, 1, 0).normalized()));
  joints[0].rest.translation = turn * joints[0].rest.translation;
  joints[0].rest.rotation = Quat(turn.linear());
  const Points boundSculpt = sculpt;
  arm.skeleton = Skeleton(joints);
  writeScene();
  folder.write("rest.obj", objOf(arm, arm.mesh.points));
  folder.write("bent.obj", objOf(arm, boundSculpt));
  const ExamplesFile file = read(kPlain);
  const Points expected = turn.linear() * boundSculpt;
  EXPECT_LT((file.set.examples[0].points - expected).colwise().norm().maxCoeff(), 1e-9);
  EXPECT_LT((file.set.rest - posePoints(arm, restPose(arm))).colwise().norm().maxCoeff(), 1e-9);
  EXPECT_NE(file.notes[0].find("bind shape"), std::string::npos) << file.notes[0];
}

TEST_F(Examples, VerticesWithoutAPartnerDoNotCount) {
  writeScene();
  const Index kept = arm.mesh.vertexCount() * 3 / 4;
  const auto part = [&](const Points& points) {
    std::string text;
    for (Index v = 0; v < kept; ++v) text += fmt::format("v {} {} {}\n", points(0, v), points(1, v), points(2, v));
    return text;
  };
  folder.write("rest.obj", part(posePoints(arm, restPose(arm))));
  folder.write("bent.obj", part(sculpt));
  const ExamplesFile file = read(kPlain);
  const Example& example = file.set.examples[0];
  ASSERT_EQ(example.mask.size(), static_cast<std::size_t>(arm.mesh.vertexCount()));
  EXPECT_EQ(example.mask[0], 1);
  EXPECT_EQ(example.mask.back(), 0);
  EXPECT_EQ(std::count(example.mask.begin(), example.mask.end(), 0.0), arm.mesh.vertexCount() - kept);
  EXPECT_EQ(example.points.col(0), sculpt.col(0));
  EXPECT_EQ(example.points.rightCols(1), posePoints(arm, pose).rightCols(1)) << "they stay where the skin puts them";
  ASSERT_EQ(file.notes.size(), 2u);
  EXPECT_NE(file.notes[1].find("63 of the character's 252 vertices have no match"), std::string::npos) << file.notes[1];
}

TEST_F(Examples, ARestMeshOfSomethingElseIsRefused) {
  writeScene();
  folder.write("rest.obj", "v 0 0 0\nv 7 0 0\nv 0 9 0\nf 1 2 3\n");
  expectManifestRefused(kPlain, {"rest.obj", "the rest mesh of another character", "its 3 vertices", "252"});
}

TEST_F(Examples, AreMatchedByIndexWithoutARestMesh) {
  writeScene();
  const ExamplesFile file = read(kNoRest);
  EXPECT_EQ(file.set.examples[0].points, sculpt);
  EXPECT_EQ(file.set.rest.cols(), 0);
  EXPECT_TRUE(file.notes.empty());
}

TEST_F(Examples, AreMatchedByWeldedPointsWithoutARestMesh) {
  // The character's first ring is duplicated, as by a seam; the sculpt has it once.
  const Points once = sculpt;
  const Index count = arm.mesh.vertexCount();
  Points doubled(3, count + 12);
  doubled << arm.mesh.points, arm.mesh.points.leftCols(12);
  arm.mesh.points = doubled;
  arm.mesh.parts[0].vertexCount = doubled.cols();
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < doubled.cols(); ++v) {
    const auto column = arm.skin.weights[v < count ? v : v - count];
    columns.emplace_back(column.begin(), column.end());
  }
  arm.skin.weights = SkinWeights::fromColumns(3, columns);
  folder.write("poses/bent.json", "{}");
  std::string text;
  for (Index v = 0; v < count; ++v) text += fmt::format("v {} {} {}\n", once(0, v), once(1, v), once(2, v));
  folder.write("bent.obj", text);
  const Points points = read(kNoRest).set.examples[0].points;
  EXPECT_EQ(points.leftCols(count), once);
  EXPECT_EQ(points.rightCols(12), once.leftCols(12));
}

TEST_F(Examples, OtherVertexCountsAreRefusedWithTheRemedy) {
  writeScene();
  folder.write("bent.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
  expectManifestRefused(kNoRest, {"bent.obj", "has 3 vertices", "character has 252", "\"rest\""});
  expectManifestRefused(kPlain, {"bent.obj", "has 3 vertices", "'rest.obj' has 252", "same mesh"});
}

TEST_F(Examples, ThatContradictTheCharacterAreRefusedOrForcedWithAWarning) {
  writeScene();
  const auto manifest = folder.write("examples.json", kNoRest);
  expectRefused([&] { readExamples(manifest, arm); }, {"bent.obj", "degrees", "--force"});
  folder.write("bent.obj", objOf(arm, 100 * sculpt));
  expectRefused([&] { readExamples(manifest, arm); }, {"bent.obj", "times the size of the character", "--force"});
  const ExamplesFile file = read(kNoRest);
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_NE(file.warnings[0].find("times the size of the character"), std::string::npos) << file.warnings[0];
}

TEST_F(Examples, MasksAreFactorsPerVertex) {
  writeScene();
  std::string mask = "[0.5";
  for (Index v = 1; v < arm.mesh.vertexCount(); ++v) mask += ", 1";
  const std::string manifest =
      R"({"rest": "rest.obj", "examples": [{"pose": "poses/bent.json", "mesh": "bent.obj", "mask": "mask.json"}]})";
  folder.write("mask.json", mask + "]");
  EXPECT_EQ(read(manifest).set.examples[0].mask[0], 0.5);
  folder.write("mask.json", mask + ", 1]");
  expectManifestRefused(manifest, {"mask.json", "252 numbers", "not 253"});
  folder.write("mask.json", "[2" + mask.substr(4) + "]");
  expectManifestRefused(manifest, {"mask.json", "has 2 at vertex 0", "0 to 1"});
  folder.write("mask.json", "{}");
  expectManifestRefused(manifest, {"mask.json", "must be a list"});
}

TEST_F(Examples, MeshesAloneNeedNoPoses) {
  Character mesh;
  mesh.mesh = arm.mesh;
  ExampleSet set;
  set.examples.push_back({.name = "one", .pose = restPose(mesh), .points = sculpt, .mask = {}});
  writeExamples(folder / "examples.json", mesh, set);
  EXPECT_EQ(textOf(folder / "examples.json").find("pose"), std::string::npos);
  const ExamplesFile back = readExamples(folder / "examples.json", mesh);
  EXPECT_TRUE(back.warnings.empty()) << "without a skin any shape may be one of the mesh";
  EXPECT_EQ(back.set.examples[0].points, sculpt);
  EXPECT_EQ(back.set.rest, mesh.mesh.points);
}

TEST_F(Examples, FaultyManifestsAreRefused) {
  writeScene();
  expectManifestRefused("{", {"examples.json", "not valid JSON"});
  expectManifestRefused("[]", {"must be an object", "rest, examples, sequence, drivers"});
  expectManifestRefused("{}", {"has no examples"});
  expectManifestRefused(R"({"examples": []})", {"has no examples"});
  expectManifestRefused(R"({"exampels": []})", {"unknown key 'exampels'", "'examples'"});
  expectManifestRefused(R"({"examples": [{"pose": "rest"}]})", {"example 1 has no 'mesh'"});
  expectManifestRefused(R"({"examples": [{"mesh": "bent.obj"}]})", {"example 1 has no 'pose'"});
  expectManifestRefused(R"({"examples": [{"mesh": 3, "pose": "rest"}]})", {"example 1: 'mesh'", "must be a text"});
  expectManifestRefused(R"({"examples": [{"mesh": "bent.obj", "pose": "rest", "confidense": 1}]})", {"'confidence'"});
  expectManifestRefused(R"({"examples": [{"mesh": "bent.obj", "pose": "rest", "confidence": -1}]})",
                        {"confidence -1", "0, or from"});
  expectManifestRefused(R"({"examples": [{"mesh": "no.obj", "pose": "rest"}]})", {"no.obj", "no such file"});
  expectManifestRefused(R"({"examples": [{"mesh": "bent.obj", "pose": "no.json"}]})", {"no.json", "no such file"});
  expectManifestRefused(R"({"examples": [{"mesh": "bent.obj", "pose": {"joints": {"lowr": {}}}}]})",
                        {"examples.json", "'lower'"});
  expectManifestRefused(R"({"rest": "no.obj", "examples": [{"mesh": "bent.obj", "pose": "rest"}]})", {"no.obj"});
  expectManifestRefused(R"({"examples": [{"mesh": "bent.obj", "pose": "rest"}, {"mesh": "bent.obj", "pose": "rest"}]})",
                        {"two examples named 'bent'"});
  const std::string one = R"({"examples": [{"mesh": "bent.obj", "pose": "rest"}], "drivers": )";
  expectManifestRefused(one + R"([{"joint": "lowr"}]})", {"examples.json", "'lowr'", "'lower'"});
  expectManifestRefused(one + R"([{"weight": 1}]})", {"driver 1 needs either a 'joint' or a 'channel'"});
  expectManifestRefused(one + R"([{"joint": "lower", "weight": -2}]})", {"weight -2"});
  expectManifestRefused(one + R"({}})", {"'drivers' must be a list"});
  expectRefused([&] { readExamples(folder / "none.json", arm); }, {"none.json", "no such file"});
}

TEST_F(Examples, AreNotWrittenWhereTheFolderIsMissing) {
  expectRefused([&] { writeExamples(folder / "no/examples.json", arm, setOf(arm)); }, {"examples.json", "no folder"});
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace sinew::test::examples_test
