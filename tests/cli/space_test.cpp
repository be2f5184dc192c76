// One space: meshes and operator files are in world space of the rest pose, wherever the file was bound.
#include <gtest/gtest.h>

#include <fstream>

#include "io/gltf_sketch.h"
#include "run_sinew.h"
#include "sinew/io/formats.h"
#include "support/data.h"

namespace sinew::test::space_test {
namespace {

/// A strip of squares on two joints under a node that rotates, scales and translates them; the upper joint is bent at
/// rest, so that the rest pose differs from the bind pose.
std::string turnedStrip(const TemporaryFolder& folder) {
  GltfSketch s;
  constexpr int kRows = 12;
  std::vector<float> points;
  std::vector<std::uint8_t> joints;
  std::vector<float> weights;
  std::vector<std::uint16_t> corners;
  for (int row = 0; row <= kRows; ++row) {
    const float height = 200.0F * static_cast<float>(row) / kRows;
    const float upper = std::min(1.0F, std::max(0.0F, (height - 70) / 60));
    for (const auto& [x, z] : std::vector<std::pair<float, float>>{{-15, -15}, {15, -15}, {15, 15}, {-15, 15}}) {
      points.insert(points.end(), {x, height, z});
      joints.insert(joints.end(), {0, 1, 0, 0});
      weights.insert(weights.end(), {1 - upper, upper, 0, 0});
    }
    if (row == kRows) continue;
    for (int k = 0; k < 4; ++k) {
      const auto a = static_cast<std::uint16_t>(4 * row + k);
      const auto b = static_cast<std::uint16_t>(4 * row + (k + 1) % 4);
      for (const int corner : {a + 0, a + 4, b + 0, b + 0, a + 4, b + 4})
        corners.push_back(static_cast<std::uint16_t>(corner));
    }
  }
  s.add<float>(points, "VEC3");
  s.json["accessors"][0]["min"] = {-15, 0, -15};
  s.json["accessors"][0]["max"] = {15, 200, 15};
  s.add<std::uint8_t>(joints, "VEC4");
  s.add<float>(weights, "VEC4");
  s.add<std::uint16_t>(corners, "SCALAR");
  s.add<float>({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -100, 0, 1},
               "MAT4");
  s.json["nodes"] = Json::parse(
      R"([{"name": "armature", "children": [1], "rotation": [0.70710678, 0, 0, 0.70710678], "scale": [0.01, 0.01, 0.01],
           "translation": [3, 1, -2]},
          {"name": "hip", "children": [2]},
          {"name": "knee", "translation": [0, 100, 0], "rotation": [0, 0, 0.25881905, 0.96592583]},
          {"name": "strip", "mesh": 0, "skin": 0}])");
  s.json["meshes"] = Json::parse(
      R"([{"name": "strip", "primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 3}]}])");
  s.json["skins"] = Json::parse(R"([{"joints": [1, 2], "inverseBindMatrices": 4}])");
  s.json["scenes"] = Json::parse(R"([{"nodes": [0, 3]}])");
  s.json["scene"] = 0;
  return folder.write("strip.glb", s.glb());
}

double errorOf(const std::string& a, const std::string& b, const char* field = "max") {
  const CommandResult compared = runSinew({"compare", a, b, "--json"});
  EXPECT_EQ(compared.exitCode, 0) << compared.err << compared.out;
  return compared.json()[field].get<double>();
}

void run(const std::vector<std::string>& arguments) {
  const CommandResult result = runSinew(arguments);
  ASSERT_EQ(result.exitCode, 0) << arguments[0] << ": " << result.err << result.out;
}

TEST(OneSpace, ConvertedMeshIsTheRestPoseInTheWorld) {
  const TemporaryFolder folder;
  const std::string strip = turnedStrip(folder);
  run({"convert", strip, "-o", folder.file("c.obj")});
  EXPECT_EQ(errorOf(strip, folder.file("c.obj")), 0);
  run({"deform", strip, "--pose", "rest", "-o", folder.file("d.obj")});
  EXPECT_EQ(readText(folder.file("c.obj")), readText(folder.file("d.obj")));
  run({"convert", strip, "-o", folder.file("c.off")});
  EXPECT_EQ(errorOf(strip, folder.file("c.off")), 0);

  const Points points = readCharacter(folder.file("c.obj")).character.mesh.points;
  const BoundingBox box = boundingBox(points);
  EXPECT_NEAR(box.low.z(), -2, 1e-6) << "the armature turns y to z";
  EXPECT_LT(box.diagonal(), 3) << "and scales it by 1/100";
  const auto info = runSinew({"info", strip, "--json"}).json();
  EXPECT_NEAR(info["diagonal"].get<double>(), box.diagonal(), 1e-9);
}

TEST(OneSpace, CompareMatchesAMeshWithItsSeamsClosed) {
  const TemporaryFolder folder;
  ASSERT_EQ(runSinew({"sample", "arm", "--vertices", "1000", "-o", folder.file("arm")}).exitCode, 0);
  const std::string split = folder.file("arm/arm.glb");
  const std::string closed = folder.file("arm/rest.obj");
  const nlohmann::json info = runSinew({"info", split, "--json"}).json();
  ASSERT_GT(info["vertices"].get<int>(), info["points"].get<int>());
  for (const auto& [a, b] : {std::pair{split, closed}, std::pair{closed, split}}) {
    const CommandResult compared = runSinew({"compare", a, b, "--json"});
    ASSERT_EQ(compared.exitCode, 0) << compared.err;
    EXPECT_EQ(compared.json()["vertices"], info["points"]);
    EXPECT_LT(compared.json()["max"].get<double>(), 1e-6);
  }
  EXPECT_EQ(runSinew({"compare", split, folder.file("arm/elbow90.obj"), "--json"}).json()["vertices"], info["points"]);
}

TEST(OneSpace, BindOfAConvertedMeshIsBindOfTheCharacter) {
  const TemporaryFolder folder;
  const std::string strip = turnedStrip(folder);
  run({"convert", strip, "-o", folder.file("c.obj")});
  run({"bind", folder.file("c.obj"), "--skeleton", strip, "-o", folder.file("from_obj.glb")});
  run({"bind", strip, "--skeleton", strip, "-o", folder.file("from_glb.glb")});
  EXPECT_LT(errorOf(strip, folder.file("from_obj.glb")), 1e-6);
  const Character a = readCharacter(folder.file("from_obj.glb")).character;
  const Character b = readCharacter(folder.file("from_glb.glb")).character;
  ASSERT_EQ(a.mesh.vertexCount(), b.mesh.vertexCount());
  const auto weightOn = [](const Character& character, Index vertex, const char* name) {
    double sum = 0;
    for (const Influence& influence : character.skin.weights[vertex]) {
      const int joint = character.skin.bindings[influence.binding].joint;
      if (character.skeleton[joint].name == name) sum += influence.weight;
    }
    return sum;
  };
  for (Index v = 0; v < a.mesh.vertexCount(); ++v)
    EXPECT_NEAR(weightOn(a, v, "knee"), weightOn(b, v, "knee"), 1e-5) << "vertex " << v;
  EXPECT_GT(weightOn(a, a.mesh.vertexCount() - 1, "knee"), 0.9) << "the top follows the upper joint";
}

TEST(OneSpace, OperatorFilesAreInTheWorldBeforeAndAfterTheSkin) {
  const TemporaryFolder folder;
  const std::string strip = turnedStrip(folder);
  // A box around the whole strip in the world, moved as a whole.
  const std::string lattice =
      folder.write("box.json", R"({"low": [0, 0, -3], "high": [6, 2, 3], "resolution": [2, 2, 2], "outside": "clamp",
    "displacements": [[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0]]})");
  const std::string wire = folder.write(
      "wire.json",
      R"({"wires": [{"reference": [[3,1,-2],[3,1,-1]], "driven": [[3,1.5,-2],[3,1.5,-1]], "radius": 50}]})");
  run({"convert", strip, "-o", folder.file("rest.obj")});
  for (const bool before : {false, true}) {
    const std::string out = folder.file("moved.obj");
    std::vector<std::string> operators{"linear-blend", "lattice:" + lattice};
    if (before) std::swap(operators[0], operators[1]);
    run({"deform", strip, "--pose", "rest", "-o", out, "--deformer", operators[0], operators[1]});
    EXPECT_NEAR(errorOf(folder.file("rest.obj"), out), 0.5, 1e-9);
    EXPECT_NEAR(errorOf(folder.file("rest.obj"), out, "rms"), 0.5, 1e-9);
    operators = {"linear-blend", "wire:" + wire};
    if (before) std::swap(operators[0], operators[1]);
    run({"deform", strip, "--pose", "rest", "-o", out, "--deformer", operators[0], operators[1]});
    EXPECT_NEAR(errorOf(folder.file("rest.obj"), out, "rms"), 0.5, 0.01);
  }
  // One that is attached to a joint is in its given place at rest and moves with the joint.
  const std::string following =
      folder.write("follow.json", R"({"low": [0, 0, -3], "high": [6, 2, 3], "resolution": [2, 2, 2], "outside": "clamp",
    "follow": "hip", "displacements": [[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0]]})");
  const std::string pose = folder.write("pose.json", R"({"joints": {"armature": {"rotation": [0, 0, 0, 1]}}})");
  run({"deform", strip, "--pose", pose, "-o", folder.file("plain.obj")});
  run({"deform", strip, "--pose", pose, "-o", folder.file("followed.obj"), "--deformer", "linear-blend",
       "lattice:" + following});
  const Points plain = readCharacter(folder.file("plain.obj")).character.mesh.points;
  const Points followed = readCharacter(folder.file("followed.obj")).character.mesh.points;
  // The armature rotated back by 90 degrees: up becomes front.
  EXPECT_LT(((followed - plain).colwise() - Vec3(0, 0, -0.5)).colwise().norm().maxCoeff(), 1e-6);
}

TEST(OneSpace, ALatticeUnderLearnedCorrectionsIsInTheWorld) {
  const TemporaryFolder folder;
  const std::string strip = turnedStrip(folder);
  const std::string pose = folder.write("pose.json", R"({"joints": {"knee": {"euler": [0, 0, 40]}}})");
  run({"deform", strip, "--pose", pose, "-o", folder.file("sculpt.obj")});
  CharacterFile sculpt = readCharacter(folder.file("sculpt.obj"));
  for (Index v = 0; v < sculpt.character.mesh.vertexCount(); ++v)
    sculpt.character.mesh.points(0, v) += 0.002 * static_cast<double>(v % 5);
  writeCharacter(folder.file("sculpt.obj"), sculpt);
  const std::string examples =
      folder.write("examples.json", R"({"examples": [{"name": "bent", "pose": "pose.json", "mesh": "sculpt.obj"}]})");
  const std::string learned = folder.file("learned.glb");
  run({"psd", strip, "--examples", examples, "-o", learned, "--force", "-q"});
  const std::string lattice =
      folder.write("box.json", R"({"low": [0, 0, -3], "high": [6, 2, 3], "resolution": [2, 2, 2], "outside": "clamp",
    "displacements": [[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0],[0,0.5,0]]})");
  run({"deform", learned, "--pose", "rest", "-o", folder.file("rest.obj")});
  const CommandResult moved = runSinew({"deform", learned, "--pose", "rest", "-o", folder.file("moved.obj"),
                                        "--deformer", "lattice:" + lattice, "pose-space", "--json"});
  ASSERT_EQ(moved.exitCode, 0) << moved.err;
  EXPECT_EQ(moved.json()["learned"].dump(), R"(["pose-space"])");
  EXPECT_NEAR(errorOf(folder.file("rest.obj"), folder.file("moved.obj"), "rms"), 0.5, 1e-9);
}

TEST(OneSpace, PercentagesAreOfTheRestShapeWhateverOperatorsPlay) {
  const TemporaryFolder folder;
  const std::string strip = turnedStrip(folder);
  run({"deform", strip, "--pose", "rest", "-o", folder.file("rest.obj")});
  const std::string examples =
      folder.write("examples.json", R"({"examples": [{"name": "still", "pose": "rest.json", "mesh": "rest.obj"}]})");
  folder.write("rest.json", R"({"joints": {}})");
  // It makes everything three times as wide.
  const std::string lattice =
      folder.write("wide.json", R"({"low": [0, 0, -3], "high": [6, 2, 3], "resolution": [2, 2, 2], "outside": "clamp",
    "displacements": [[-6,0,0],[6,0,0],[-6,0,0],[6,0,0],[-6,0,0],[6,0,0],[-6,0,0],[6,0,0]]})");
  const auto diagonal = [](const CommandResult& result) {
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return result.json()["diagonal"].get<double>();
  };
  EXPECT_NEAR(diagonal(runSinew({"evaluate", strip, "--examples", examples, "--json"})),
              diagonal(runSinew({"evaluate", strip, "--examples", examples, "--json", "--deformer", "linear-blend",
                                 "lattice:" + lattice})),
              1e-9);
}

TEST(OneSpace, InvertedSculptIsAMeshOfTheRestPoseAndGoesBackIn) {
  const TemporaryFolder folder;
  const std::string strip = turnedStrip(folder);
  const std::string pose = folder.write("pose.json", R"({"joints": {"knee": {"euler": [0, 0, 40]}}})");
  run({"deform", strip, "--pose", pose, "-o", folder.file("posed.obj")});
  run({"convert", strip, "-o", folder.file("rest.obj")});
  // A sculpt in the pose: everything 0.05 to the side (x in the world).
  CharacterFile sculpt = readCharacter(folder.file("posed.obj"));
  sculpt.character.mesh.points.row(0).array() += 0.05;
  writeCharacter(folder.file("sculpt.obj"), sculpt);
  run({"invert", strip, "--pose", pose, "--sculpt", folder.file("sculpt.obj"), "-o", folder.file("d.obj"), "--report",
       folder.file("page.html")});
  run({"invert", strip, "--pose", pose, "--sculpt", folder.file("sculpt.obj"), "-o", folder.file("d.glb")});
  const Points rest = readCharacter(folder.file("rest.obj")).character.mesh.points;
  const Points moved = readCharacter(folder.file("d.obj")).character.mesh.points;
  EXPECT_LT((moved.col(0) - rest.col(0) - Vec3(0.05, 0, 0)).norm(), 1e-6) << "the hip is at rest";
  EXPECT_LT(errorOf(folder.file("d.glb"), folder.file("d.obj")), 1e-6);
  run({"deform", folder.file("d.glb"), "--pose", pose, "-o", folder.file("again.obj")});
  EXPECT_LT(errorOf(folder.file("sculpt.obj"), folder.file("again.obj")), 1e-5);
  // The result, taken as a sculpt of the rest pose, is its own inverse.
  run({"invert", strip, "--pose", "rest", "--sculpt", folder.file("d.obj"), "-o", folder.file("d2.obj")});
  EXPECT_LT(errorOf(folder.file("d.obj"), folder.file("d2.obj")), 1e-9);
}

TEST(OneSpace, ABlackBoxSeesTheRestPoseInTheWorld) {
  const TemporaryFolder folder;
  const std::string strip = turnedStrip(folder);
  run({"convert", strip, "-o", folder.file("rest.obj")});
  // A black box that returns its input: the result of a sculpt at rest is the sculpt.
  CharacterFile sculpt = readCharacter(folder.file("rest.obj"));
  sculpt.character.mesh.points.row(1).array() += 0.05;
  writeCharacter(folder.file("sculpt.obj"), sculpt);
  run({"invert", strip, "--pose", "rest", "--sculpt", folder.file("sculpt.obj"), "--black-box", "cat", "-o",
       folder.file("d.obj")});
  EXPECT_LT(errorOf(folder.file("sculpt.obj"), folder.file("d.obj")), 1e-9);
  run({"invert", strip, "--pose", "rest", "--sculpt", folder.file("sculpt.obj"), "--black-box", "cat", "-o",
       folder.file("d.glb")});
  EXPECT_LT(errorOf(folder.file("sculpt.obj"), folder.file("d.glb")), 1e-6);
}

TEST(OneSpace, LearnedCharactersAndTheirExamplesStayInTheWorld) {
  const TemporaryFolder folder;
  const std::string strip = turnedStrip(folder);
  const std::string pose = folder.write("pose.json", R"({"joints": {"knee": {"euler": [0, 0, 60]}}})");
  run({"convert", strip, "-o", folder.file("rest.obj")});
  run({"deform", strip, "--pose", pose, "-o", folder.file("posed.obj")});
  CharacterFile sculpt = readCharacter(folder.file("posed.obj"));
  sculpt.character.mesh.points.row(0).array() += 0.02;
  writeCharacter(folder.file("sculpt.obj"), sculpt);
  const std::string examples = folder.write("examples.json", R"({"rest": "rest.obj",
    "examples": [{"name": "bent", "pose": "pose.json", "mesh": "sculpt.obj"}]})");
  run({"psd", strip, "--examples", examples, "-o", folder.file("psd.glb"), "--force"});
  run({"fit", strip, "--examples", examples, "-o", folder.file("fit.glb"), "--rest"});
  for (const std::string learned : {"psd", "fit"}) {
    const std::string file = folder.file(learned + ".glb");
    run({"convert", file, "-o", folder.file(learned + ".obj")});
    EXPECT_EQ(errorOf(file, folder.file(learned + ".obj")), 0) << learned;
    const CommandResult evaluated = runSinew({"evaluate", file, "--examples", examples, "--json"});
    ASSERT_EQ(evaluated.exitCode, 0) << evaluated.err;
    EXPECT_LT(evaluated.json()["total"]["rmsPercent"].get<double>(), 3) << learned;
  }
}

TEST(OneSpace, EveryRealCharacterConvertsToWhatItShows) {
  SINEW_NEEDS_DATA();
  const TemporaryFolder folder;
  int characters = 0;
  for (const char* part : {"gltf", "gltf-more"}) {
    if (!std::filesystem::is_directory(dataDir() / part)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(dataDir() / part)) {
      if (entry.path().extension() != ".glb") continue;
      ++characters;
      const std::string name = entry.path().string();
      run({"convert", name, "-o", folder.file("c.obj")});
      EXPECT_EQ(errorOf(name, folder.file("c.obj")), 0) << name;
      run({"deform", name, "--pose", "rest", "-o", folder.file("d.obj")});
      EXPECT_EQ(readText(folder.file("c.obj")), readText(folder.file("d.obj"))) << name;
      run({"convert", name, "-o", folder.file("c.glb")});
      EXPECT_EQ(errorOf(folder.file("c.glb"), folder.file("c.obj")), 0) << name;
    }
  }
  EXPECT_GE(characters, 4);
}

}  // namespace
}  // namespace sinew::test::space_test
