// Mesh instances, clips of morph targets, clips without names.
#include <gtest/gtest.h>

#include "io/gltf_sketch.h"
#include "run_sinew.h"
#include "sinew/io/formats.h"
#include "sinew/io/obj.h"
#include "support/data.h"

namespace sinew::test::instances_test {
namespace {

/// A cube around the origin with three instances: plain, mirrored and rotated; a second mesh at the same local
/// coordinates has its own node, which a clip without a name moves.
std::string cubes(const TemporaryFolder& folder) {
  GltfSketch s;
  std::vector<float> points;
  for (int corner = 0; corner < 8; ++corner) {
    for (int axis = 0; axis < 3; ++axis) points.push_back((corner >> axis & 1) != 0 ? 1.0F : -1.0F);
  }
  s.add<float>(points, "VEC3");
  s.json["accessors"][0]["min"] = {-1, -1, -1};
  s.json["accessors"][0]["max"] = {1, 1, 1};
  s.add<std::uint16_t>(
      {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5},
      "SCALAR");
  s.add<float>({0, 1}, "SCALAR");
  s.add<float>({0, 0, 0, 0, 4, 0}, "VEC3");
  s.json["meshes"] = Json::parse(R"([{"name": "cube", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]},
                                     {"name": "other", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}])");
  s.json["nodes"] = Json::parse(R"([{"name": "plain", "mesh": 0},
      {"name": "mirrored", "mesh": 0, "translation": [5, 0, 0], "scale": [-1, 1, 1]},
      {"name": "other", "mesh": 1},
      {"name": "turned", "mesh": 0, "translation": [-5, 0, 0], "rotation": [0, 0, 1, 0], "scale": [2, 2, 2]}])");
  s.json["scenes"] = Json::parse(R"([{"nodes": [0, 1, 2, 3]}])");
  s.json["scene"] = 0;
  s.json["animations"] = Json::parse(R"([{"channels": [{"sampler": 0, "target": {"node": 2, "path": "translation"}}],
                                          "samplers": [{"input": 2, "output": 3}]}])");
  return folder.write("cubes.glb", s.glb());
}

TEST(Instances, AreCountedOnceAndWrittenInEveryPlace) {
  const TemporaryFolder folder;
  const std::string file = cubes(folder);
  const auto info = runSinew({"info", file, "--json"}).json();
  EXPECT_EQ(info["vertices"], 16);
  EXPECT_EQ(info["triangles"], 24);
  EXPECT_EQ(info["instances"], 3);
  EXPECT_EQ(info["points"], 16) << "two coinciding meshes of two nodes stay separate";
  EXPECT_EQ(info["low"][0], -7);
  EXPECT_EQ(info["high"][0], 6);
  ASSERT_EQ(info["clips"].size(), 1u);
  EXPECT_EQ(info["clips"][0]["index"], 0);
  EXPECT_EQ(info["clips"][0]["seconds"], 1);

  const CommandResult posed = runSinew({"deform", file, "--pose", "0@0.5", "-o", folder.file("posed.obj"), "--json"});
  ASSERT_EQ(posed.exitCode, 0) << posed.err;
  EXPECT_EQ(posed.json()["vertices"], 32);
  const Mesh mesh = readCharacter(folder.file("posed.obj")).character.mesh;
  ASSERT_EQ(mesh.vertexCount(), 32);
  EXPECT_EQ(mesh.points.col(0), Vec3(-1, -1, -1));
  EXPECT_EQ(mesh.points.col(8), Vec3(6, -1, -1)) << "the second node that places the cube, mirrored in x";
  EXPECT_LT((Vec3(mesh.points.col(16)) - Vec3(-3, 2, -2)).norm(), 1e-6) << "then the third one, rotated";
  EXPECT_EQ(mesh.points.col(24), Vec3(-1, 1, -1)) << "then the next mesh, at half its height";
}

TEST(Instances, MirroredPlacesAreNotInsideOut) {
  const TemporaryFolder folder;
  const std::string file = cubes(folder);
  ASSERT_EQ(runSinew({"convert", file, "-o", folder.file("c.obj")}).exitCode, 0);
  const Mesh mesh = readCharacter(folder.file("c.obj")).character.mesh;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto face = mesh.faces[f];
    const Index first = 8 * static_cast<Index>(face[0] / 8);
    const Vec3 centre = mesh.points.middleCols(first, 8).rowwise().mean();
    const Vec3 a = mesh.points.col(face[0]);
    const Vec3 b = mesh.points.col(face[1]);
    const Vec3 c = mesh.points.col(face[2]);
    EXPECT_GT((b - a).cross(c - a).dot(a - centre), 0) << "face " << f;
  }
}

TEST(Instances, BindTakesEveryPlace) {
  const TemporaryFolder folder;
  const std::string file = cubes(folder);
  const CommandResult bound = runSinew({"bind", file, "--skeleton", file, "-o", folder.file("b.glb"), "--json"});
  ASSERT_EQ(bound.exitCode, 0) << bound.err;
  const CommandResult compared = runSinew({"compare", file, folder.file("b.glb"), "--json"});
  ASSERT_EQ(compared.exitCode, 0) << compared.err;
  EXPECT_LT(compared.json()["max"].get<double>(), 1e-6);
  EXPECT_EQ(runSinew({"info", folder.file("b.glb"), "--json"}).json()["vertices"], 32);
}

TEST(Instances, ComparingWithAMeshOfTheFirstPlacesAlone) {
  const TemporaryFolder folder;
  const std::string file = cubes(folder);
  CharacterFile first;
  first.character.mesh = readCharacter(file).character.mesh;
  writeCharacter(folder.file("first.obj"), first);
  const CommandResult compared = runSinew({"compare", file, folder.file("first.obj"), "--json"});
  ASSERT_EQ(compared.exitCode, 0) << compared.err;
  EXPECT_EQ(compared.json()["max"].get<double>(), 0);
}

TEST(Instances, EvaluateMeasuresEveryPlaceAndLearnersSayThatTheyDoNot) {
  const TemporaryFolder folder;
  const std::string file = cubes(folder);
  ASSERT_EQ(runSinew({"deform", file, "--pose", "rest", "-o", folder.file("truth.obj"), "-q"}).exitCode, 0);
  Mesh mesh = readCharacter(folder.file("truth.obj")).character.mesh;
  ASSERT_EQ(mesh.vertexCount(), 32);
  mesh.points.col(17) += Vec3(0.5, 0, 0);  // of the third instance
  folder.write("moved.obj", formatObj(mesh));
  const std::string examples =
      folder.write("ex.json", R"({"examples": [{"name": "e", "pose": "rest", "mesh": "moved.obj"}]})");
  const CommandResult measured = runSinew({"evaluate", file, "--examples", examples, "--json", "-q"});
  ASSERT_EQ(measured.exitCode, 0) << measured.err;
  EXPECT_NEAR(measured.json()["total"]["max"].get<double>(), 0.5, 1e-6);
  EXPECT_EQ(measured.json()["total"]["maxVertex"], 17);
  EXPECT_TRUE(measured.json()["warnings"].empty()) << measured.out;
  const CommandResult compared = runSinew({"compare", file, folder.file("moved.obj"), "--json"});
  EXPECT_NEAR(compared.json()["rms"].get<double>(), measured.json()["total"]["rms"].get<double>(), 1e-9);
  // A sculpt of the first instances only.
  mesh = readCharacter(file).character.mesh;
  folder.write("first.obj", formatObj(mesh));
  folder.write("ex.json", R"({"examples": [{"name": "e", "pose": "rest", "mesh": "first.obj"}]})");
  const CommandResult first = runSinew({"evaluate", file, "--examples", examples, "--json", "-q"});
  ASSERT_EQ(first.exitCode, 0) << first.err;
  EXPECT_NE(first.err.find("'cube' has 3 instances; only the first is measured"), std::string::npos) << first.err;
  EXPECT_EQ(first.json()["warnings"].size(), 1u);
  const CommandResult inverted = runSinew({"invert", file, "--pose", "rest", "--sculpt", folder.file("moved.obj"), "-o",
                                           folder.file("i.obj"), "--json", "-q"});
  EXPECT_NE(inverted.json()["warnings"].dump().find("has 3 instances"), std::string::npos) << inverted.out;
  const CommandResult info = runSinew({"info", file, "--examples", examples, "--json"});
  EXPECT_NE(info.json()["examples"]["warnings"].dump().find("has 3 instances"), std::string::npos) << info.out;
  const CommandResult reduced = runSinew({"reduce", file, "-o", folder.file("r.glb"), "--json", "-q"});
  ASSERT_EQ(reduced.exitCode, 0) << reduced.err;
  EXPECT_NE(reduced.json()["warnings"].dump().find("has 3 instances; only the first is learned"), std::string::npos)
      << reduced.out;
}

TEST(Instances, OfSkinsAreNamedWhereOnlyTheFirstIsLearnedOrDragged) {
  SINEW_NEEDS_DATA();
  const std::string file = (dataDir() / "gltf-more/RecursiveSkeletons.glb").string();
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file;
  const TemporaryFolder folder;
  ASSERT_EQ(runSinew({"deform", file, "--pose", "rest", "-o", folder.file("e.obj"), "-q"}).exitCode, 0);
  const std::string examples =
      folder.write("ex.json", R"({"examples": [{"name": "e", "pose": "rest", "mesh": "e.obj"}]})");
  for (const std::string command : {"psd", "fit"}) {
    const CommandResult learned =
        runSinew({command, file, "--examples", examples, "-o", folder.file("o.glb"), "--json", "-q"});
    EXPECT_NE(learned.err.find("has 84 instances; only the first is learned"), std::string::npos)
        << command << ": " << learned.err;
  }
  const CommandResult dragged =
      runSinew({"drag", file, "--pose", "rest", "--vertex", "2010", "--target", "0,0,0", "--json"});
  EXPECT_NE(dragged.exitCode, 0);
  EXPECT_NE(dragged.err.find("has 84 instances"), std::string::npos) << dragged.err;
}

TEST(Instances, ClipsOfMorphTargetsMove) {
  SINEW_NEEDS_DATA();
  struct Row {
    const char* name;
    const char* clip;
  };
  const TemporaryFolder folder;
  for (const Row& row : {Row{"AnimatedMorphCube", "Square"}, Row{"MorphStressTest", "TheWave"}}) {
    const std::string file = (dataDir() / "gltf-more" / (std::string(row.name) + ".glb")).string();
    if (!std::filesystem::exists(file)) continue;
    const auto clips = runSinew({"info", file, "--json"}).json()["clips"];
    double seconds = 0;
    std::string index;
    for (const auto& clip : clips) {
      if (clip["name"] != row.clip) continue;
      seconds = clip["seconds"].get<double>();
      index = std::to_string(clip["index"].get<int>());
    }
    ASSERT_GT(seconds, 0) << row.name;
    const std::string at = "@" + std::to_string(0.4 * seconds);
    ASSERT_EQ(runSinew({"deform", file, "--pose", row.clip + at, "-o", folder.file("m.obj")}).exitCode, 0);
    ASSERT_EQ(runSinew({"deform", file, "--pose", index + at, "-o", folder.file("n.obj")}).exitCode, 0);
    EXPECT_GT(runSinew({"compare", file, folder.file("m.obj"), "--json"}).json()["rmsPercent"].get<double>(), 0.1);
    EXPECT_EQ(readText(folder.file("m.obj")), readText(folder.file("n.obj"))) << "by name and by index";
  }
}

TEST(Instances, RealFilesAreWrittenInAllTheirPlaces) {
  SINEW_NEEDS_DATA();
  const TemporaryFolder folder;
  for (const std::string name : {"RecursiveSkeletons", "InterpolationTest", "NegativeScaleTest"}) {
    const std::string file = (dataDir() / "gltf-more" / (name + ".glb")).string();
    if (!std::filesystem::exists(file)) continue;
    const auto info = runSinew({"info", file, "--json"}).json();
    EXPECT_TRUE(info["problems"].empty()) << info["problems"];
    EXPECT_EQ(info["instances"], name == "RecursiveSkeletons" ? 84 : name == "InterpolationTest" ? 9 : 2);
    int placed = 0;
    for (const auto& part : info["parts"]) placed += part["vertices"].get<int>() * part["instances"].get<int>();
    const CommandResult posed = runSinew({"deform", file, "--pose", "rest", "-o", folder.file("p.obj"), "--json"});
    ASSERT_EQ(posed.exitCode, 0) << posed.err;
    EXPECT_EQ(posed.json()["vertices"], placed) << name;
    EXPECT_EQ(runSinew({"info", folder.file("p.obj"), "--json"}).json()["vertices"], placed) << name;
  }
}

}  // namespace
}  // namespace sinew::test::instances_test
