// What the page draws: its arithmetic on blobs and frames, against the library's.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <numbers>

#include "io/gltf_sketch.h"
#include "session_harness.h"
#include "sinew/deform/placed_mesh.h"
#include "sinew/io/gltf.h"
#include "studio/document/drawn.h"
#include "support/data.h"

namespace sinew::studio::drawn_test {
namespace {

using sinew::test::GltfSketch;
using sinew::test::skinnedSquare;
using test::Scratch;
using test::StudioRun;

/// The square with two morph targets, a clip that moves the first one and the knee, and three instances: the first one,
/// one by a skin with joints of its own, which mirrors, and one by a node alone.
GltfSketch instancedSquare() {
  GltfSketch s = skinnedSquare();
  const std::size_t up = s.add<float>({0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1}, "VEC3");
  const std::size_t wide = s.add<float>({-1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}, "VEC3");
  s.primitive()["targets"] = {{{"POSITION", up}}, {{"POSITION", wide}}};
  s.json["meshes"][0]["weights"] = {0, 0.5};
  s.json["nodes"].push_back(
      sinew::test::Json::parse(R"({"children": [4], "translation": [4, 0, 0], "scale": [-1, 1, 1]})"));
  s.json["nodes"].push_back(sinew::test::Json::parse(R"({"translation": [0, 1, 0], "rotation": [0, 0, 0.6, 0.8]})"));
  s.json["nodes"].push_back(sinew::test::Json::parse(R"({"mesh": 0, "skin": 1, "weights": [0.25, 0]})"));
  s.json["nodes"].push_back(sinew::test::Json::parse(R"({"mesh": 0, "translation": [0, 0, 7]})"));
  s.json["skins"].push_back(sinew::test::Json::parse(R"({"joints": [3, 4], "inverseBindMatrices": 4})"));
  s.json["scenes"][0]["nodes"] = {0, 2, 3, 5, 6};
  const std::size_t times = s.add<float>({0, 1}, "SCALAR");
  s.json["accessors"][times]["min"] = {0};
  s.json["accessors"][times]["max"] = {1};
  const std::size_t weights = s.add<float>({0, 0.5, 0.8F, -0.5}, "SCALAR");
  const std::size_t turns = s.add<float>({0, 0, 0, 1, 0.6F, 0, 0, 0.8F}, "VEC4");
  s.json["animations"] = {
      {{"name", "wave"},
       {"channels",
        {{{"sampler", 0}, {"target", {{"node", 2}, {"path", "weights"}}}},
         {{"sampler", 1}, {"target", {{"node", 1}, {"path", "rotation"}}}},
         {{"sampler", 1}, {"target", {{"node", 4}, {"path", "rotation"}}}}}},
       {"samplers", {{{"input", times}, {"output", weights}}, {{"input", times}, {"output", turns}}}}}};
  return s;
}

Document documentOf(CharacterFile file) {
  Document document;
  document.file = std::move(file);
  document.views.assign(1, restPose(document.file.character));
  return document;
}

Vec3 moved(const std::vector<float>& palette, std::size_t matrix, const Vec3& p) {
  const Eigen::Map<const Eigen::Matrix<float, 3, 4, Eigen::RowMajor>> rows(palette.data() + 12 * matrix);
  return rows.cast<double>() * p.homogeneous();
}

/// World-space points as the page finds them: first instances, then the further ones.
Points pagePoints(const Document& document, const DrawnCharacter& drawn, const wire::Frame& frame) {
  const Character& character = document.file.character;
  std::vector<Points> rest(drawn.instances.size() + 1, character.mesh.points);
  for (std::size_t i = 0; i < frame.targets.size(); ++i) {
    const MorphEntries entries = entriesOf(character.morphs[frame.targets[i] % drawn.morphs], drawn.space);
    Points& points = rest.at(frame.targets[i] / drawn.morphs);
    for (std::size_t e = 0; e < entries.vertices.size(); ++e) {
      for (int axis = 0; axis < 3; ++axis)
        points(axis, entries.vertices[e]) +=
            static_cast<double>(frame.targetWeights[i]) * static_cast<double>(entries.deltas[3 * e + toSize(axis)]);
    }
  }
  std::vector<Vec3> places;
  const auto add = [&](std::size_t place, std::uint32_t first, std::uint32_t count, std::uint32_t shift) {
    for (std::uint32_t v = first; v < first + count; ++v) {
      Vec3 sum = Vec3::Zero();
      const Vec3 p = rest[place].col(v) - drawn.space.centre;
      for (const Influence& one : character.skin.weights[v])
        sum += one.weight * moved(frame.palette, shift + one.binding, p);
      places.emplace_back(sum + drawn.space.centre);
    }
  };
  add(0, 0, static_cast<std::uint32_t>(character.mesh.vertexCount()), 0);
  for (std::size_t i = 0; i < drawn.instances.size(); ++i) {
    const DrawnInstance& one = drawn.instances[i];
    add(i + 1, one.firstVertex, one.vertexCount, one.firstMatrix - one.firstBinding);
  }
  Points points(3, static_cast<Index>(places.size()));
  for (std::size_t v = 0; v < places.size(); ++v) points.col(static_cast<Index>(v)) = places[v];
  return points;
}

/// The library's, in the page's order.
Points libraryPoints(const Document& document, const Pose& pose) {
  const Character& character = document.file.character;
  PlacedPoser poser(character, instancesOf(document.file));
  const Points& placed = poser.pose(pose);
  Points points(3, placed.cols());
  Index next = 0;
  for (const bool first : {true, false}) {
    for (const PlacedPart& part : poser.parts()) {
      if ((part.instance < 0) != first) continue;
      points.middleCols(next, part.vertexCount) = placed.middleCols(part.firstVertex, part.vertexCount);
      next += part.vertexCount;
    }
  }
  return points;
}

double difference(const Document& document, const DrawnCharacter& drawn) {
  const wire::Frame frame = frameOf(document, drawn, 0);
  const Points page = pagePoints(document, drawn, frame);
  const Points library = libraryPoints(document, document.views[0]);
  EXPECT_EQ(page.cols(), library.cols());
  return page.cols() == library.cols() ? (page - library).colwise().norm().maxCoeff() / drawn.space.diagonal : 1;
}

TEST(Drawn, EveryInstanceIsWhereTheLibraryHasIt) {
  Document document = documentOf(instancedSquare().read());
  const DrawnCharacter drawn = drawnCharacter(document);
  ASSERT_EQ(drawn.instances.size(), 2u);
  EXPECT_LT(difference(document, drawn), 1e-6);
  for (const double time : {0.3, 1.0}) {
    document.views[0] = clipPose(document.file.character, "wave", time);
    EXPECT_LT(difference(document, drawn), 1e-6) << "at " << time << " s";
  }
  const BoundingBox box = boundingBox(libraryPoints(document, restPose(document.file.character)));
  EXPECT_LT((drawn.space.centre - box.centre()).norm(), 1e-12) << "all of them are framed";
  EXPECT_NEAR(drawn.space.diagonal, box.diagonal(), 1e-12);
}

TEST(Drawn, InstancesFollowWeightsOfJointsThatTheMeshDidNotUse) {
  Document document = documentOf(instancedSquare().read());
  Character& character = document.file.character;
  // At first only the hip moves it.
  character.skin.weights = SkinWeights::rigid(character.skin.bindings.size(), 4, 0);
  const DrawnCharacter drawn = drawnCharacter(document);
  std::vector<std::vector<Influence>> columns(4, {{0, 0.25}, {1, 0.75}});
  character.skin.weights = SkinWeights::fromColumns(character.skin.bindings.size(), columns);
  document.views[0] = clipPose(character, "wave", 1);
  EXPECT_LT(difference(document, drawn), 1e-6);
}

TEST(Drawn, RealFilesAreDrawnAsTheLibraryPosesThem) {
  SINEW_NEEDS_DATA();
  for (const char* name :
       {"RecursiveSkeletons", "InterpolationTest", "NegativeScaleTest", "AnimatedMorphCube", "MorphStressTest"}) {
    const auto path = sinew::test::dataDir() / "gltf-more" / (std::string(name) + ".glb");
    if (!std::filesystem::exists(path)) continue;
    Document document = documentOf(readCharacter(path));
    const DrawnCharacter drawn = drawnCharacter(document);
    EXPECT_EQ(drawn.instances.size(), instancesOf(document.file).size()) << name;
    EXPECT_LT(difference(document, drawn), 1e-6) << name;
    for (std::size_t clip = 0; clip < document.file.character.clips.size(); ++clip) {
      document.views[0] = restPose(document.file.character);
      sampleClip(document.file.character.clips[clip], 0.7, document.views[0]);
      EXPECT_LT(difference(document, drawn), 1e-6) << name << ", clip " << clip;
    }
  }
}

/// The offset of an array in a blob, or 0.
std::size_t arrayAt(const Bytes& blob, ArrayKind kind) {
  std::uint32_t count = 0;
  std::memcpy(&count, blob.data() + 8, 4);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t found = 0;
    std::uint64_t at = 0;
    std::memcpy(&found, blob.data() + 12 + 32 * i, 4);
    std::memcpy(&at, blob.data() + 20 + 32 * i, 8);
    if (found == static_cast<std::uint32_t>(kind)) return at;
  }
  return 0;
}

TEST(Drawn, HardEdgesOfTheFileStayHard) {
  // Two copies of the square's first vertex: one with the same normal, one with another.
  const auto normalsFrom = [&](const std::vector<float>& normals) {
    GltfSketch one;
    one.add<float>({0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0}, "VEC3");
    one.json["accessors"][0]["min"] = {0, 0, 0};
    one.json["accessors"][0]["max"] = {1, 1, 0};
    one.add<std::uint16_t>({0, 1, 3, 2, 1, 3}, "SCALAR");
    one.json["nodes"] = {{{"mesh", 0}}};
    one.json["scenes"] = {{{"nodes", {0}}}};
    one.json["meshes"] = {{{"primitives", {{{"attributes", {{"POSITION", 0}}}, {"indices", 1}}}}}};
    if (!normals.empty()) one.primitive()["attributes"]["NORMAL"] = one.add<float>(normals, "VEC3");
    const Document document = documentOf(one.read());
    const Bytes blob = meshBlob(document, drawnCharacter(document));
    const std::size_t at = arrayAt(blob, ArrayKind::NormalPoints);
    std::vector<std::uint32_t> points(at == 0 ? 0 : 4);
    if (at != 0) std::memcpy(points.data(), blob.data() + at, 16);
    return points;
  };
  EXPECT_EQ(normalsFrom({0, 0, 1, 0, 0.001F, 1, 1, 0, 0, 0, 0, 1}), (std::vector<std::uint32_t>{0, 0, 2, 3}));
  EXPECT_TRUE(normalsFrom({}).empty()) << "without normals all of a point share theirs";
}

TEST(Drawn, MaterialsAreABlobOfTheFile) {
  const Scratch scratch;
  GltfSketch s = skinnedSquare();
  std::ofstream(scratch / "root/bare.glb", std::ios::binary) << s.glb();
  s.json["materials"] = {{{"name", "red"}}};
  s.primitive()["material"] = 0;
  std::ofstream(scratch / "root/red.glb", std::ios::binary) << s.glb();
  StudioRun run(scratch, "red.glb");
  const Json answer = run.result("view.materials");
  EXPECT_EQ(answer["fault"], "");
  const auto blob = run.session().blobs().find(answer["blob"].get<std::string>());
  ASSERT_NE(blob, nullptr);
  EXPECT_EQ(std::string(blob->begin(), blob->begin() + 4), "glTF");
  EXPECT_EQ(run.document()["parts"], Json::array({Json{{"name", "square"}, {"firstVertex", 0}, {"vertices", 4}}}));
  run.open({{"what", "bare.glb"}});
  EXPECT_EQ(run.result("view.materials")["blob"], "");
}

TEST(Drawn, OnlyMorphTargetsWithAWeightAreSent) {
  Document document = documentOf(instancedSquare().read());
  const DrawnCharacter drawn = drawnCharacter(document);
  // The second target by the mesh's weight, the first by that of the second instance's node, and both by none.
  wire::Frame frame = frameOf(document, drawn, 0);
  EXPECT_EQ(frame.targets, (std::vector<std::uint32_t>{1, 2, 5}));
  EXPECT_EQ(frame.targetWeights, (std::vector<float>{0.5F, 0.25F, 0.5F}));
  document.views[0].morphWeights = {0, 0};
  frame = frameOf(document, drawn, 0);
  EXPECT_EQ(frame.targets, (std::vector<std::uint32_t>{2, 5})) << "further instances keep theirs";
  // Of a target only what moves.
  EXPECT_EQ(entriesOf(document.file.character.morphs[0], drawn.space).vertices, (std::vector<std::uint32_t>{2, 3}));
}

TEST(Drawn, LimitsLeaveOutTheLastOnes) {
  const Document document = documentOf(instancedSquare().read());
  DrawnCharacter drawn = drawnCharacter(document, {.vertices = 8});
  EXPECT_EQ(drawn.instances.size(), 1u);
  EXPECT_EQ(drawn.instancesOfFile, 2u);
  EXPECT_EQ(drawnCharacter(document, {.matrices = 4}).instances.size(), 0u);
  EXPECT_EQ(drawnCharacter(document, {.morphBytes = 32}).morphs, 1u) << "two entries";
  drawn = drawnCharacter(document, {.vertices = 8, .morphBytes = 32});
  const std::string problems = fmt::format("{}", fmt::join(describeDocument(document, drawn, {}).problems, "\n"));
  EXPECT_NE(problems.find("Only 1 of 2 further instances are shown"), std::string::npos) << problems;
  EXPECT_NE(problems.find("Only the first 1 of 2 morph targets are shown"), std::string::npos) << problems;
  EXPECT_EQ(frameOf(document, drawn, 0).targets, (std::vector<std::uint32_t>{1}));
}

TEST(Drawn, AFileWhoseInstancesCannotBePosedShowsTheFirst) {
  GltfSketch s = instancedSquare();
  s.json["skins"][1]["joints"] = {3};
  s.json["skins"][1].erase("inverseBindMatrices");
  const Document document = documentOf(s.read());
  const DrawnCharacter drawn = drawnCharacter(document);
  EXPECT_TRUE(drawn.instances.empty());
  const std::string problems = fmt::format("{}", fmt::join(describeDocument(document, drawn, {}).problems, "\n"));
  EXPECT_NE(problems.find("Only the first instance of each mesh is shown: nodes[5] places meshes[0]"),
            std::string::npos)
      << problems;
}

/// The square with a correction that the knee drives, imitated by the first morph target: whole at 90 degrees.
CharacterFile correctedSquare() {
  CharacterFile file = instancedSquare().read();
  PoseSpaceModel model;
  model.space = DeltaSpace::Inverse;
  model.fade = false;
  model.poseSpace.drivers = {{DriverKind::RotationVector, 1, "knee", 1, Vec3::UnitX()}};
  model.interpolation.kernel = "linear";
  model.names = {"rest", "bent"};
  model.poses = Eigen::MatrixXd::Zero(3, 2);
  model.poses(2, 1) = std::numbers::pi / 2;
  model.vertices = {2, 3};
  model.deltas.assign(2, Points::Zero(3, 2));
  model.deltas[1].row(2).setConstant(1);
  file.poseSpaceMorphs.knots = model.poses;
  file.poseSpaceMorphs.interpolation = model.interpolation;
  file.poseSpaceMorphs.morphs = {0};
  file.poseSpaceMorphs.knotOf = {1};
  file.poseSpace = std::make_shared<const PoseSpaceModel>(std::move(model));
  return file;
}

TEST(Drawn, CorrectivesHaveTheWeightOfThePose) {
  Document document = documentOf(correctedSquare());
  Pose& pose = document.views[0];
  const DrawnCharacter drawn = drawnCharacter(document);
  ASSERT_TRUE(drawn.correctives);
  pose.morphWeights[0] = 0.7;  // of a clip, say
  const auto weightAt = [&](double degrees, std::size_t instance) {
    pose.local[instance == 0 ? 1u : 4u].rotation =
        document.file.character.skeleton[instance == 0 ? 1 : 4].rest.rotation *
        Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3::UnitZ()));
    const wire::Frame frame = frameOf(document, drawn, 0);
    for (std::size_t i = 0; i < frame.targets.size(); ++i) {
      if (frame.targets[i] == 2 * instance) return static_cast<double>(frame.targetWeights[i]);
    }
    return 0.0;
  };
  EXPECT_NEAR(weightAt(0, 0), 0, 1e-6);
  EXPECT_NEAR(weightAt(90, 0), 1, 1e-6);
  EXPECT_GT(weightAt(45, 0), 0.3);
  EXPECT_LT(weightAt(45, 0), 0.7);
  // A further instance by the joints that move it.
  EXPECT_NEAR(weightAt(0, 1), 0, 1e-6);
  EXPECT_NEAR(weightAt(90, 1), 1, 1e-6);
  // What is shown is no part of the pose that is saved.
  EXPECT_EQ(pose.morphWeights[0], 0.7);
}

void writeTo(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(Drawn, DragsStartFromTheMorphedPointsThatAreDrawn) {
  const Scratch scratch;
  writeTo(scratch / "root/square.glb", gltfToMemory("square.glb", correctedSquare()).files.front().second);
  StudioRun run(scratch);
  ASSERT_EQ(run.open({{"what", "square.glb"}})["fault"], "");
  run.result("pose.clip", {{"view", 0}, {"clip", 0}, {"time", 0.5}});
  // The correction of a knee that is turned about z, too: it is no part of the clip.
  const float half = std::sqrt(0.5F);
  run.send(
      wire::PoseSet{.joints = {1}, .rotations = {0, 0, half, half}, .translations = {0, 1, 0}, .scales = {1, 1, 1}});
  Points page;
  double depth = 0;
  run.onWorker([&](Session& session) {
    const DrawnCharacter drawn = drawnCharacter(session.document());
    ASSERT_TRUE(drawn.correctives);
    page = pagePoints(session.document(), drawn, run.page().told<wire::Frame>().back());
    depth = page(2, 3);
    page.colwise() -= drawn.space.centre;
  });
  ASSERT_EQ(page.cols(), 12);
  const auto near = [&](const wire::Reach& reach) {
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(static_cast<double>(reach.position[toSize(axis)]), page(axis, 3), 1e-6) << "axis " << axis;
  };
  run.page().forget();
  run.result("weights.reach", {{"view", 0}, {"vertex", 3}});
  ASSERT_FALSE(run.page().told<wire::Reach>().empty());
  near(run.page().told<wire::Reach>().back());
  EXPECT_NEAR(depth, 1, 1e-6) << "the correction acts";
  run.page().forget();
  run.send(wire::WeightDragBegin{.drag = 1, .lead = 3});
  run.onWorker([](Session&) {});
  ASSERT_FALSE(run.page().told<wire::Reach>().empty());
  near(run.page().told<wire::Reach>().back());
}

}  // namespace
}  // namespace sinew::studio::drawn_test
