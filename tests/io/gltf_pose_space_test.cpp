// Learned pose spaces in glTF: a bit-exact round trip; faults are refused or left out with a sentence.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "formats_support.h"
#include "gltf_sketch.h"
#include "odd_numbers.h"
#include "schema_misfit.h"
#include "sinew/deform/morph_driven_skin.h"
#include "sinew/deform/pose_space_morphs.h"
#include "sinew/deform/posing.h"
#include "sinew/io/gltf.h"
#include "support/test_arm.h"

namespace sinew::gltf_pose_space_test {
namespace {

using test::expectRefused;
using test::expectSameBits;
using test::GltfSketch;
using test::Json;
using test::oddNumbers;
using test::opened;
using test::rewritten;

PoseSpaceModel oddModel(const Character& arm, DeltaSpace space, bool weighted, bool channel = false) {
  PoseSpaceModel model;
  model.space = space;
  model.rootFrame = space != DeltaSpace::Forward;
  model.poseSpace.diagonal = 2.1 / 3;
  model.poseSpace.drivers = {
      {DriverKind::RotationVector, arm.skeleton.index("lower"), "lower", 1.0 / 7, Vec3::UnitX()},
      {DriverKind::SwingTwist, arm.skeleton.index("upper"), "upper", 0.1, Vec3(1, 2, 3).normalized()}};
  if (channel) model.poseSpace.drivers.push_back({DriverKind::Channel, 1, arm.morphs[1].name, 1, Vec3::UnitX()});
  model.interpolation.ridge = 1e-6 / 3;
  model.names = {"rest", "bent \"a\"", "turned ä", "both"};
  model.interpolation.confidence = {1, 0.1, 0.7, 1};
  model.poses = oddNumbers(model.poseSpace.dimensions(), 4, 1);
  for (std::uint32_t v = 3; v < 200; v += 2) model.vertices.push_back(v);
  const auto touched = static_cast<Index>(model.vertices.size());
  for (std::uint32_t k = 0; k < 4; ++k) model.deltas.emplace_back(oddNumbers(3, touched, 2 + k));
  if (space == DeltaSpace::Layered) {
    for (std::uint32_t k = 0; k < 4; ++k) model.layer.emplace_back(oddNumbers(3, touched, 20 + k));
  }
  if (weighted) {
    for (std::size_t i = 0; i < model.vertices.size(); ++i) model.groupOf.push_back(static_cast<std::uint32_t>(i % 3));
    model.groupWeights = oddNumbers(static_cast<Index>(model.poseSpace.drivers.size()), 3, 9).cwiseAbs().array() + 0.05;
  }
  return model;
}

/// A mixture of interpolations.
void addTerms(PoseSpaceModel& model) {
  model.terms.resize(3);
  model.terms[0].interpolation.kernel = "none";
  model.terms[0].interpolation.local = 1;
  model.terms[1].interpolation.kernel = "joint-quadratic";
  model.terms[1].interpolation.local = 0.1 / 3;
  model.terms[1].floor = 0.02;
  model.terms[2].interpolation.kernel = "linear";
  model.terms[2].uniform = true;
  model.shares.resize(3, model.weighted() ? 3 : 1);
  for (Index g = 0; g < model.shares.cols(); ++g) {
    const double small = 0.1 / (3 + static_cast<double>(g));
    model.shares.col(g) << 0.5, 0.5 - small, small;
  }
}

/// Adds a morph target for each knot but the first, over the whole arm.
PoseSpaceMorphs addedMorphs(const PoseSpaceModel& model, Character& character) {
  PoseSpaceMorphs morphs;
  morphs.knots = oddNumbers(model.poseSpace.dimensions(), 3, 40);
  morphs.interpolation.radius = 0.1;
  morphs.clip = "examples";
  for (int k = 1; k < 3; ++k) {
    MorphTarget morph;
    morph.name = "psd " + std::to_string(k);
    morph.deltas = oddNumbers(3, character.mesh.vertexCount(), 50).cast<float>().cast<double>();
    morphs.morphs.push_back(static_cast<int>(character.morphs.size()));
    morphs.knotOf.push_back(k);
    character.morphs.push_back(std::move(morph));
  }
  return morphs;
}

/// An arm as it comes from a file, with two morph targets of its own and a model.
CharacterFile armWithModel(DeltaSpace space = DeltaSpace::Frame, bool weighted = false, bool channel = false) {
  CharacterFile made;
  made.character = test::testArm();
  for (const char* name : {"smile", "frown"}) {
    MorphTarget morph;
    morph.name = name;
    morph.deltas = Points::Constant(3, made.character.mesh.vertexCount(), 0.25);
    made.character.morphs.push_back(std::move(morph));
  }
  CharacterFile file = readGltfFromMemory(rewritten(made), {}, "arm");
  file.poseSpace = std::make_shared<PoseSpaceModel>(oddModel(file.character, space, weighted, channel));
  file.poseSpaceMorphs = addedMorphs(*file.poseSpace, file.character);
  return file;
}

void expectSameOptions(const RbfOptions& a, const RbfOptions& b) {
  EXPECT_EQ(a.kernel, b.kernel);
  EXPECT_EQ(a.radius, b.radius);
  EXPECT_EQ(a.ridge, b.ridge);
  EXPECT_EQ(a.polynomial, b.polynomial);
  EXPECT_EQ(a.mergeDistance, b.mergeDistance);
  EXPECT_EQ(a.confidence, b.confidence);
  EXPECT_EQ(a.local, b.local);
}

void expectSame(const CharacterFile& a, const CharacterFile& b) {
  ASSERT_TRUE(a.poseSpace && b.poseSpace);
  const PoseSpaceModel& x = *a.poseSpace;
  const PoseSpaceModel& y = *b.poseSpace;
  EXPECT_EQ(x.space, y.space);
  EXPECT_EQ(x.base, y.base);
  EXPECT_EQ(x.rootFrame, y.rootFrame);
  EXPECT_EQ(x.fade, y.fade);
  EXPECT_EQ(x.names, y.names);
  EXPECT_EQ(x.vertices, y.vertices);
  EXPECT_EQ(x.groupOf, y.groupOf);
  EXPECT_EQ(x.poseSpace, y.poseSpace);
  expectSameOptions(x.interpolation, y.interpolation);
  expectSameBits(x.poses, y.poses, "poses");
  expectSameBits(x.groupWeights, y.groupWeights, "group weights");
  ASSERT_EQ(x.terms.size(), y.terms.size());
  for (std::size_t t = 0; t < x.terms.size(); ++t) {
    expectSameOptions(x.terms[t].interpolation, y.terms[t].interpolation);
    EXPECT_EQ(x.terms[t].uniform, y.terms[t].uniform);
    EXPECT_EQ(x.terms[t].floor, y.terms[t].floor);
  }
  expectSameBits(x.shares, y.shares, "shares");
  ASSERT_EQ(x.deltas.size(), y.deltas.size());
  for (std::size_t k = 0; k < x.deltas.size(); ++k) expectSameBits(x.deltas[k], y.deltas[k], "deltas");
  expectSameBits(x.coefficients, y.coefficients, "coefficients");
  ASSERT_EQ(x.layer.size(), y.layer.size());
  for (std::size_t k = 0; k < x.layer.size(); ++k) expectSameBits(x.layer[k], y.layer[k], "layer");
  expectSameBits(a.poseSpaceMorphs.knots, b.poseSpaceMorphs.knots, "knots");
  expectSameBits(a.poseSpaceMorphs.mixing, b.poseSpaceMorphs.mixing, "mixing");
  EXPECT_EQ(a.poseSpaceMorphs.morphs, b.poseSpaceMorphs.morphs);
  EXPECT_EQ(a.poseSpaceMorphs.knotOf, b.poseSpaceMorphs.knotOf);
  EXPECT_EQ(a.poseSpaceMorphs.clip, b.poseSpaceMorphs.clip);
  expectSameOptions(a.poseSpaceMorphs.interpolation, b.poseSpaceMorphs.interpolation);
}

CharacterFile reread(const std::string& glb) {
  return readGltfFromMemory(glb, {}, "arm");
}

Json& blockOf(GltfSketch& sketch) {
  return sketch.json["extensions"]["SINEW_pose_space"];
}

/// One fault in a valid block, and words of the expected message.
struct Fault {
  const char* name;
  void (*plant)(Json& block, GltfSketch& sketch);
  std::vector<std::string> words;
};

/// Overwrites a number of an array.
template <class T>
void poke(GltfSketch& sketch, const Json& array, std::size_t place, T number) {
  const Json& view = sketch.json["bufferViews"][array["bufferView"].get<std::size_t>()];
  std::memcpy(sketch.bin.data() + view["byteOffset"].get<std::size_t>() + place * sizeof(T), &number, sizeof(T));
}

class EverySpace : public testing::TestWithParam<std::tuple<DeltaSpace, bool>> {};

TEST_P(EverySpace, ComesBackBitForBit) {
  const auto [space, weighted] = GetParam();
  const CharacterFile file = armWithModel(space, weighted);
  const CharacterFile back = reread(rewritten(file));
  EXPECT_TRUE(back.problems.empty());
  EXPECT_EQ(back.blocks, std::vector<std::string>{"SINEW_pose_space"});
  expectSame(file, back);
}

TEST_P(EverySpace, SurvivesConversionToTextAndBack) {
  const auto [space, weighted] = GetParam();
  const test::TemporaryFolder folder;
  const CharacterFile file = reread(rewritten(armWithModel(space, weighted)));
  EXPECT_TRUE(writeGltf(folder / "t.gltf", file).empty());
  const CharacterFile text = readGltf(folder / "t.gltf");
  expectSame(file, text);
  const std::string glb = rewritten(text);
  expectSame(file, reread(glb));
  // Repeated conversions do not grow the file.
  EXPECT_EQ(rewritten(reread(glb)), glb);
}

INSTANTIATE_TEST_SUITE_P(GltfPoseSpace, EverySpace,
                         testing::Combine(testing::Values(DeltaSpace::Frame, DeltaSpace::Inverse, DeltaSpace::Forward,
                                                          DeltaSpace::Layered),
                                          testing::Bool()));

TEST(GltfPoseSpace, ACorrectedCharacterIsWrittenAsAFileOfItIs) {
  CharacterFile file = armWithModel();
  file.source = nullptr;  // as characters made by code
  const test::TemporaryFolder folder;
  const CorrectedCharacter corrected{file.character, file.poseSpace, file.poseSpaceMorphs};
  EXPECT_EQ(writeCharacter(folder / "corrected.glb", corrected), writeCharacter(folder / "file.glb", file));
  expectSame(readCharacter(folder / "corrected.glb"), readCharacter(folder / "file.glb"));
  writeCharacter(folder / "bare.glb", file.character);
  const CharacterFile bare = readCharacter(folder / "bare.glb");
  EXPECT_FALSE(bare.poseSpace);
  EXPECT_EQ(bare.character.mesh.points, readCharacter(folder / "file.glb").character.mesh.points);
}

TEST(GltfPoseSpace, MixturesComeBackBitForBitAndAreRefusedWhereTheyDoNotFit) {
  for (const bool weighted : {false, true}) {
    CharacterFile file = armWithModel(DeltaSpace::Frame, weighted);
    auto mixed = std::make_shared<PoseSpaceModel>(*file.poseSpace);
    addTerms(*mixed);
    file.poseSpace = mixed;
    const std::string glb = rewritten(file);
    expectSame(file, reread(glb));
    EXPECT_EQ(rewritten(reread(glb)), glb);

    GltfSketch sketch = opened(glb);
    EXPECT_EQ(blockOf(sketch)["version"], 2);
    EXPECT_EQ(test::misfit(test::publishedSchema("SINEW_pose_space"), blockOf(sketch)), "");
    GltfSketch few = sketch;
    blockOf(few)["terms"].erase(2);
    expectRefused([&] { static_cast<void>(few.read()); }, {"shares"});
    GltfSketch wild = sketch;
    blockOf(wild)["terms"][1]["interpolation"]["local"] = -1;
    expectRefused([&] { static_cast<void>(wild.read()); }, {"local part is -1"});
    GltfSketch odd = sketch;
    blockOf(odd)["terms"][1]["interpolation"]["kernel"] = "joint-odd";
    expectRefused([&] { static_cast<void>(odd.read()); }, {"no kernel 'joint-odd'"});
  }
}

TEST(GltfPoseSpace, ModelsOfLowRankComeBackBitForBitAndAreRefusedWhereTheyDoNotFit) {
  CharacterFile file = armWithModel(DeltaSpace::Layered, true);
  auto model = std::make_shared<PoseSpaceModel>(*file.poseSpace);
  model->deltas = {model->deltas[1], model->deltas[3]};
  model->layer = {model->layer[1], model->layer[3]};
  model->coefficients = (Eigen::MatrixXd(2, 4) << 0, 1, 0.25, 0, 0, 0, 0.3, 1).finished();
  file.poseSpace = model;
  const std::string glb = rewritten(file);
  expectSame(file, reread(glb));

  const GltfSketch sound = opened(glb);
  const Fault faults[] = {
      {"shapes that are not there",
       [](Json& b, GltfSketch&) { b["coefficients"]["rows"] = 1; },
       {"coefficients", "bytes"}},
      {"coefficients of other examples",
       [](Json& b, GltfSketch&) {
         b["coefficients"]["rows"] = 4;
         b["coefficients"]["columns"] = 2;
       },
       {"coefficients", "4"}},
      {"a correction at rest",
       [](Json& b, GltfSketch& s) { poke(s, b["coefficients"], 0, 0.5); },
       {"rest pose", "not 0"}},
      {"NaN",
       [](Json& b, GltfSketch& s) { poke(s, b["coefficients"], 3, std::numeric_limits<double>::quiet_NaN()); },
       {"coefficients", "finite"}},
      {"coefficients without number", [](Json& b, GltfSketch&) { b["coefficients"] = 7; }, {"coefficients"}},
      {"the version of shapes per example", [](Json& b, GltfSketch&) { b["version"] = 2; }, {"version 2", "version 3"}},
  };
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.name);
    GltfSketch sketch = sound;
    fault.plant(blockOf(sketch), sketch);
    expectRefused([&] { static_cast<void>(sketch.read()); }, fault.words);
  }
}

TEST(GltfPoseSpace, DriversThatAreMorphTargetsKeepTheirPlace) {
  const CharacterFile file = armWithModel(DeltaSpace::Frame, false, true);
  const CharacterFile back = reread(rewritten(file));
  EXPECT_EQ(back.poseSpace->poseSpace.drivers.back().source, 1);
  expectSame(file, back);
}

TEST(GltfPoseSpace, IsWrittenOnceAndTakesTheOldDataAlong) {
  CharacterFile file = reread(rewritten(armWithModel()));
  const std::size_t views = opened(rewritten(file)).json["bufferViews"].size();
  const std::size_t bytes = rewritten(file).size();
  auto changed = std::make_shared<PoseSpaceModel>(*file.poseSpace);
  changed->poses *= 2;
  file.poseSpace = changed;
  const std::string glb = rewritten(file);
  EXPECT_EQ(opened(glb).json["bufferViews"].size(), views);
  EXPECT_LE(glb.size(), bytes + 64);
  EXPECT_EQ(opened(glb).json["extensionsUsed"], Json::array({"SINEW_pose_space"}));
  expectSame(file, reread(glb));
}

TEST(GltfPoseSpace, IsTakenOutWithTheModel) {
  CharacterFile file = reread(rewritten(armWithModel()));
  file.poseSpace = nullptr;
  removePoseSpaceMorphs(file.poseSpaceMorphs, file.character);
  file.poseSpaceMorphs = {};
  const GltfSketch sketch = opened(rewritten(file));
  EXPECT_FALSE(sketch.json.contains("extensions"));
  EXPECT_FALSE(sketch.json.contains("extensionsUsed"));
  EXPECT_EQ(sketch.json["meshes"][0]["extras"]["targetNames"], Json::array({"smile", "frown"}));
}

TEST(GltfPoseSpace, AFreshFileNumbersItsOwnVertices) {
  // Texture seams double vertices in the file: both copies are corrected alike.
  CharacterFile made;
  made.character = test::testArm();
  const Index vertices = made.character.mesh.vertexCount();
  auto& mesh = made.character.mesh;
  const auto corners = static_cast<Index>(mesh.faces.corner.size());
  mesh.uvs = oddNumbers(2, corners, 77);
  mesh.cornerUv.resize(mesh.faces.corner.size());
  std::iota(mesh.cornerUv.begin(), mesh.cornerUv.end(), 0u);
  made.poseSpace = std::make_shared<PoseSpaceModel>(oddModel(made.character, DeltaSpace::Frame, true));
  const CharacterFile back = reread(rewritten(made));
  ASSERT_GT(back.character.mesh.vertexCount(), vertices);
  ASSERT_TRUE(back.poseSpace);
  EXPECT_GT(back.poseSpace->vertices.size(), made.poseSpace->vertices.size());
  const Points wanted = posePoints(made.character, test::bentArmPose(made.character), made.playback());
  const Points played = posePoints(back.character, test::bentArmPose(back.character), back.playback());
  // A file vertex has its character vertex's place, and every place is still there.
  for (Index v = 0; v < played.cols(); ++v) {
    EXPECT_LT((wanted.colwise() - played.col(v)).colwise().norm().minCoeff(), 1e-6) << v;
  }
  for (Index v = 0; v < wanted.cols(); ++v) {
    EXPECT_LT((played.colwise() - wanted.col(v)).colwise().norm().minCoeff(), 1e-6) << v;
  }
}

TEST(GltfPoseSpace, ARuntimeElsewhereFindsTheWeights) {
  // The recipe of docs/formats.md, from the file alone.
  const CharacterFile file = armWithModel();
  const GltfSketch sketch = opened(rewritten(file));
  const Json& runtime = sketch.json["extensions"]["SINEW_pose_space"]["morphs"]["runtime"];
  const auto matrix = [&](const Json& array) {
    Eigen::MatrixXd numbers(array["rows"].get<Index>(), array["columns"].get<Index>());
    if (numbers.size() == 0) return numbers;
    const Json& view = sketch.json["bufferViews"][array["bufferView"].get<std::size_t>()];
    std::memcpy(numbers.data(), sketch.bin.data() + view["byteOffset"].get<std::size_t>(),
                view["byteLength"].get<std::size_t>());
    return numbers;
  };
  const auto list = [](const Json& numbers) {
    const auto values = numbers.get<std::vector<double>>();
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size())));
  };
  const auto distances = [&](const Json& place, const Eigen::VectorXd& x) {
    const Eigen::MatrixXd centres = matrix(place["centres"]);
    return Eigen::VectorXd((list(place["scales"]).asDiagonal() * (centres.colwise() - x)).colwise().norm().transpose());
  };
  for (const double far : {0.3, 1.0, 9.0}) {
    const Eigen::VectorXd x = far * oddNumbers(6, 1, 91);
    const Eigen::VectorXd r = distances(runtime, x);
    const Eigen::MatrixXd basis = matrix(runtime["basis"]);
    ASSERT_EQ(runtime["kernel"], "cubic");
    ASSERT_EQ(runtime["degree"], 1);
    Eigen::VectorXd features(r.size() + 1 + basis.cols());
    features << r.array().cube(), 1, basis.transpose() * (x - list(runtime["origin"]));
    const double beyond = distances(runtime["fade"], x).minCoeff() / runtime["fade"]["reach"].get<double>() - 1;
    const double b = std::clamp(beyond, 0.0, 1.0);
    const Eigen::VectorXd weights = matrix(runtime["cardinal"]) * features * (1 - b * b * (3 - 2 * b));
    const Eigen::VectorXd ours = PoseSpaceMorphWeights(*file.poseSpace, file.poseSpaceMorphs).evaluate(x);
    EXPECT_LT((weights - ours).norm(), 1e-12) << far;
  }
}

TEST(GltfPoseSpace, MixedWeightsOfMorphTargetsComeBackBitForBitAndAreRefusedWhereTheyDoNotFit) {
  CharacterFile file = armWithModel();
  file.poseSpaceMorphs.mixing = oddNumbers(2, 3, 44);
  file.poseSpaceMorphs.knotOf = {0, 1};
  const std::string glb = rewritten(file);
  expectSame(file, reread(glb));
  EXPECT_EQ(rewritten(reread(glb)), glb);

  GltfSketch sketch = opened(glb);
  EXPECT_EQ(blockOf(sketch)["version"], 4);
  EXPECT_EQ(blockOf(sketch)["morphs"]["runtime"]["cardinal"]["rows"], 2);
  EXPECT_EQ(test::misfit(test::publishedSchema("SINEW_pose_space"), blockOf(sketch)), "");
  // Programs of earlier versions would take the targets for those of knots.
  GltfSketch early = sketch;
  blockOf(early)["version"] = 1;
  expectRefused([&] { static_cast<void>(early.read()); }, {"mixing", "version 4"});
  GltfSketch beyond = sketch;
  blockOf(beyond)["morphs"]["targets"][0]["knot"] = 2;
  expectRefused([&] { static_cast<void>(beyond.read()); }, {"weight 2 of 2"});
  GltfSketch few = sketch;
  blockOf(few)["morphs"]["mixing"]["columns"] = 2;
  expectRefused([&] { static_cast<void>(few.read()); }, {"mixing"});
}

TEST(GltfPoseSpace, DriversAloneComeBackAndPlayTheMorphTargets) {
  CharacterFile file = armWithModel(DeltaSpace::Frame, true);
  const Playback played = playedByMorphs({file.character, file.poseSpace, file.poseSpaceMorphs});
  file.poseSpace = std::make_shared<PoseSpaceModel>(driversOf(*file.poseSpace));
  const std::string glb = rewritten(file);
  EXPECT_LT(glb.size(), rewritten(armWithModel(DeltaSpace::Frame, true)).size());
  const CharacterFile back = reread(glb);
  EXPECT_TRUE(back.problems.empty());
  expectSame(file, back);
  EXPECT_TRUE(back.poseSpace->inMorphs);
  Pose pose = restPose(back.character);
  pose.local[1].rotation = pose.local[1].rotation * Quat(Eigen::AngleAxisd(0.7, Vec3::UnitZ()));
  const Points moved = posePoints(back.character, pose, back.playback());
  EXPECT_LT((moved - posePoints(file.character, pose, played)).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_GT((moved - posePoints(back.character, pose)).cwiseAbs().maxCoeff(), 1e-3);
  GltfSketch sketch = opened(glb);
  EXPECT_EQ(blockOf(sketch)["version"], 5);
  blockOf(sketch)["version"] = 4;
  expectRefused([&] { static_cast<void>(sketch.read()); }, {"inMorphs", "version 5"});
  GltfSketch lost = opened(glb);
  EXPECT_EQ(test::misfit(test::publishedSchema("SINEW_pose_space"), blockOf(lost)), "");
  blockOf(lost)["morphs"]["targets"][0]["target"] = 99;
  const CharacterFile without = lost.read();
  EXPECT_EQ(without.poseSpace, nullptr) << "drivers without their morph targets play nothing";
  EXPECT_EQ(without.problems.size(), 1u);
}

TEST(GltfPoseSpace, FitsItsPublishedSchema) {
  const Json schema = test::publishedSchema("SINEW_pose_space");
  for (const DeltaSpace space : {DeltaSpace::Frame, DeltaSpace::Layered}) {
    GltfSketch sketch = opened(rewritten(armWithModel(space, true, true)));
    EXPECT_EQ(test::misfit(schema, blockOf(sketch)), "");
    blockOf(sketch)["space"] = "sideways";
    EXPECT_EQ(test::misfit(schema, blockOf(sketch)), "block.space is none of the choices");
  }
}

TEST(GltfPoseSpace, IsLeftOutWhereTheMeshHasOtherVertices) {
  GltfSketch sketch = opened(rewritten(armWithModel()));
  blockOf(sketch)["vertexCount"] = 7;
  const CharacterFile file = sketch.read();
  EXPECT_FALSE(file.poseSpace);
  EXPECT_TRUE(file.poseSpaceMorphs.empty());
  EXPECT_TRUE(file.blocks.empty());
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_NE(file.problems[0].find("learned for 7 vertices"), std::string::npos) << file.problems[0];
  // Writing does not carry it on.
  EXPECT_FALSE(opened(rewritten(file)).json.contains("extensions"));
}

TEST(GltfPoseSpace, DriversAreFoundByNameWhereNodesMoved) {
  GltfSketch sketch = opened(rewritten(armWithModel()));
  blockOf(sketch)["drivers"][0]["node"] = 0;
  const CharacterFile file = sketch.read();
  ASSERT_TRUE(file.poseSpace);
  EXPECT_EQ(file.poseSpace->poseSpace.drivers[0].source, file.character.skeleton.index("lower"));
  blockOf(sketch)["drivers"][0]["name"] = "gone";
  const CharacterFile without = sketch.read();
  EXPECT_FALSE(without.poseSpace);
  ASSERT_EQ(without.problems.size(), 1u);
  EXPECT_NE(without.problems[0].find("'gone'"), std::string::npos) << without.problems[0];
}

TEST(GltfPoseSpace, PlaysOnWhereTheMorphTargetsAreGone) {
  GltfSketch sketch = opened(rewritten(armWithModel()));
  blockOf(sketch)["morphs"]["targets"][0]["target"] = 99;
  const CharacterFile file = sketch.read();
  EXPECT_TRUE(file.poseSpace);
  EXPECT_TRUE(file.poseSpaceMorphs.empty());
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_NE(file.problems[0].find("morph target 99"), std::string::npos) << file.problems[0];
}

TEST(GltfPoseSpace, PlainMeshesSayThatItIsLost) {
  const test::TemporaryFolder folder;
  const LostList lost = writeCharacter(folder / "a.obj", armWithModel());
  EXPECT_TRUE(std::any_of(lost.begin(), lost.end(), [](const std::string& sentence) {
    return sentence.find("pose-space") != std::string::npos;
  }));
}

const Fault kFaults[] = {
    {"no object", [](Json& b, GltfSketch&) { b = 3; }, {"SINEW_pose_space", "object"}},
    {"no version", [](Json& b, GltfSketch&) { b.erase("version"); }, {"version", "missing"}},
    {"unknown space", [](Json& b, GltfSketch&) { b["space"] = "sideways"; }, {"sideways"}},
    {"unknown base", [](Json& b, GltfSketch&) { b["base"] = "magic"; }, {"magic"}},
    {"a base without a skin", [](Json& b, GltfSketch&) { b["base"] = "lattice"; }, {"lattice"}},
    {"unknown kernel", [](Json& b, GltfSketch&) { b["interpolation"]["kernel"] = "quintic"; }, {"quintic"}},
    {"negative ridge", [](Json& b, GltfSketch&) { b["interpolation"]["ridge"] = -1; }, {"ridge"}},
    {"wrong polynomial", [](Json& b, GltfSketch&) { b["interpolation"]["polynomial"] = "cubic"; }, {"polynomial"}},
    {"confidence of 0", [](Json& b, GltfSketch&) { b["interpolation"]["confidence"][1] = 0; }, {"confidence"}},
    {"confidences of others",
     [](Json& b, GltfSketch&) {
       b["interpolation"]["confidence"] = {1, 1};
     },
     {"2 confidences for 4 examples"}},
    {"flat world", [](Json& b, GltfSketch&) { b["diagonal"] = 0; }, {"diagonal"}},
    {"no drivers", [](Json& b, GltfSketch&) { b["drivers"] = Json::array(); }, {"drivers"}},
    {"unknown driver", [](Json& b, GltfSketch&) { b["drivers"][0]["kind"] = "thought"; }, {"thought"}},
    {"driver without weight", [](Json& b, GltfSketch&) { b["drivers"][0]["weight"] = 0; }, {"weight"}},
    {"axis without direction",
     [](Json& b, GltfSketch&) {
       b["drivers"][1]["axis"] = {0, 0, 0};
     },
     {"axis"}},
    {"no examples", [](Json& b, GltfSketch&) { b["examples"] = Json::array(); }, {"0 examples"}},
    {"too many examples", [](Json& b, GltfSketch&) { b["examples"] = std::vector<int>(5000); }, {"5000 examples"}},
    {"an example without name", [](Json& b, GltfSketch&) { b["examples"][1] = 5; }, {"examples"}},
    {"one name too few", [](Json& b, GltfSketch&) { b["examples"].erase(3); }, {"poses", "6 x 4", "6 x 3"}},
    {"poses of other size", [](Json& b, GltfSketch&) { b["poses"]["rows"] = 5; }, {"poses", "bytes"}},
    {"huge poses", [](Json& b, GltfSketch&) { b["poses"]["rows"] = 1ull << 62; }, {"poses"}},
    {"poses of other type", [](Json& b, GltfSketch&) { b["poses"]["type"] = "float32"; }, {"float32", "float64"}},
    {"a view that is not there", [](Json& b, GltfSketch&) { b["deltas"]["bufferView"] = 999; }, {"deltas", "999"}},
    {"no view", [](Json& b, GltfSketch&) { b["deltas"].erase("bufferView"); }, {"deltas.bufferView", "missing"}},
    {"NaN in a pose",
     [](Json& b, GltfSketch& s) { poke(s, b["poses"], 2, std::numeric_limits<double>::quiet_NaN()); },
     {"poses", "finite"}},
    {"infinite delta",
     [](Json& b, GltfSketch& s) { poke(s, b["deltas"], 5, std::numeric_limits<double>::infinity()); },
     {"deltas", "finite"}},
    {"a vertex beyond the mesh",
     [](Json& b, GltfSketch& s) { poke<std::uint32_t>(s, b["vertices"], 98, 100000); },
     {"vertex 100000"}},
    {"vertices out of order",
     [](Json& b, GltfSketch& s) { poke<std::uint32_t>(s, b["vertices"], 1, 0); },
     {"ascending"}},
    {"a knot that is rest", [](Json& b, GltfSketch&) { b["morphs"]["targets"][0]["knot"] = 0; }, {"knot 0"}},
    {"a knot too many", [](Json& b, GltfSketch&) { b["morphs"]["targets"][0]["knot"] = 3; }, {"knot 3"}},
    {"knots without number", [](Json& b, GltfSketch&) { b["morphs"]["knots"]["columns"] = 0; }, {"0 knots"}},
    {"morphs that are no object", [](Json& b, GltfSketch&) { b["morphs"] = "x"; }, {"morphs", "object"}},
};

TEST(GltfPoseSpace, RefusesEveryFaultInASentence) {
  const GltfSketch sound = opened(rewritten(armWithModel()));
  ASSERT_TRUE(sound.read().poseSpace);
  for (const Fault& fault : kFaults) {
    SCOPED_TRACE(fault.name);
    GltfSketch sketch = sound;
    fault.plant(blockOf(sketch), sketch);
    expectRefused([&] { static_cast<void>(sketch.read()); }, fault.words);
  }
}

TEST(GltfPoseSpace, RefusesGroupsThatDoNotFit) {
  const GltfSketch sound = opened(rewritten(armWithModel(DeltaSpace::Frame, true)));
  GltfSketch sketch = sound;
  poke<std::uint32_t>(sketch, blockOf(sketch)["groups"]["ofVertex"], 4, 3);
  expectRefused([&] { static_cast<void>(sketch.read()); }, {"group 3 of 3"});
  sketch = sound;
  poke(sketch, blockOf(sketch)["groups"]["weights"], 0, -1.0);
  expectRefused([&] { static_cast<void>(sketch.read()); }, {"groups"});
}

TEST(GltfPoseSpace, RefusesToWriteAModelOfAnotherCharacter) {
  CharacterFile file = armWithModel();
  auto wrong = std::make_shared<PoseSpaceModel>(*file.poseSpace);
  wrong->vertices.back() = 100000;
  file.poseSpace = wrong;
  expectRefused([&] { rewritten(file); }, {"vertex 100000"});
}

}  // namespace
}  // namespace sinew::gltf_pose_space_test
