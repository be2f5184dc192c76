// A workflow of several commands, with spaces and UTF-8 in the paths.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "run_sinew.h"
#include "support/data.h"

namespace sinew::test::workflow_test {
namespace {

class Workflow : public ::testing::Test {
 protected:
  static const TemporaryFolder& folder() {
    static const TemporaryFolder made;
    static const bool ready = [] {
      const CommandResult sample =
          runSinew({"sample", "arm", "-o", made.file("ärm 1"), "--vertices", "2000", "--json"});
      EXPECT_EQ(sample.exitCode, 0) << sample.err;
      EXPECT_NEAR(sample.json()["vertices"].get<int>(), 2000, 200);
      EXPECT_GE(sample.json()["examples"].get<int>(), 4);
      return true;
    }();
    EXPECT_TRUE(ready);
    return made;
  }
  static std::string arm() { return folder().file("ärm 1/arm.glb"); }
};

TEST_F(Workflow, InfoOfASampleHasNoProblemsAndCountsSeams) {
  const auto info = runSinew({"info", arm(), "--json"}).json();
  EXPECT_GT(info["vertices"].get<int>(), info["points"].get<int>()) << "seams split vertices";
  EXPECT_EQ(info["joints"].get<int>(), 2);
  EXPECT_LE(info["maxInfluences"].get<int>(), 4);
  EXPECT_GE(info["clips"].size(), 1u);
  EXPECT_TRUE(info["problems"].empty()) << info["problems"];
  for (const char* field : {"triangles", "morphTargets", "blocks", "seconds"})
    EXPECT_TRUE(info.contains(field)) << field;
}

TEST_F(Workflow, InfoOfSeveralFilesGivesAList) {
  EXPECT_EQ(runSinew({"info", arm(), arm(), "--json"}).json()["files"].size(), 2u);
}

TEST_F(Workflow, PosingKeepsVertexCountAndOrder) {
  const TemporaryFolder out;
  const auto info = runSinew({"info", arm(), "--json"}).json();
  const auto posed = runSinew({"deform", arm(), "--pose", "rest", "-o", out.file("rest.obj"), "--json"}).json();
  EXPECT_EQ(posed["vertices"], info["vertices"]);
  const auto error = runSinew({"compare", arm(), out.file("rest.obj"), "--json"}).json();
  EXPECT_LT(error["max"].get<double>(), 1e-12);
}

TEST_F(Workflow, DeformersCanBeChosenAndStacked) {
  const TemporaryFolder out;
  const std::string pose = out.write("pose.json", R"({"joints": {"forearm": {"euler": [0, 0, 100]}}})");
  ASSERT_EQ(runSinew({"deform", arm(), "--pose", pose, "-o", out.file("linear.obj")}).exitCode, 0);
  for (const std::string name : {"linear-blend", "dual-quaternion", "rigid"}) {
    const CommandResult posed =
        runSinew({"deform", arm(), "--pose", pose, "--deformer", name, "-o", out.file(name + ".obj")});
    ASSERT_EQ(posed.exitCode, 0) << posed.err;
  }
  EXPECT_EQ(
      runSinew({"compare", out.file("linear.obj"), out.file("linear-blend.obj"), "--json"}).json()["max"].get<double>(),
      0);
  EXPECT_GT(runSinew({"compare", out.file("linear.obj"), out.file("dual-quaternion.obj"), "--json"})
                .json()["rmsPercent"]
                .get<double>(),
            0.1);
  const std::string lattice =
      out.write("box.json", R"({"low": [-9, -9, -9], "high": [9, 9, 9], "resolution": [2, 2, 2], "outside": "clamp",
    "displacements": [[1,2,3],[1,2,3],[1,2,3],[1,2,3],[1,2,3],[1,2,3],[1,2,3],[1,2,3]]})");
  const CommandResult stacked = runSinew({"deform", arm(), "--pose", pose, "-o", out.file("moved.obj"), "--deformer",
                                          "linear-blend", "lattice:" + lattice});
  ASSERT_EQ(stacked.exitCode, 0) << stacked.err;
  const auto moved = runSinew({"compare", out.file("linear.obj"), out.file("moved.obj"), "--json"}).json();
  EXPECT_NEAR(moved["rms"].get<double>(), std::sqrt(14.0), 1e-9);
  EXPECT_NEAR(moved["max"].get<double>(), std::sqrt(14.0), 1e-9);
}

TEST_F(Workflow, UnknownDeformerListsTheOnesThatExist) {
  const CommandResult result =
      runSinew({"deform", arm(), "--pose", "rest", "--deformer", "linear-blnd", "-o", "x.obj"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_NE(result.err.find("linear-blend"), std::string::npos) << result.err;
}

TEST_F(Workflow, ConvertedCharacterPosesTheSameAtFiveTimesOfEachClip) {
  const TemporaryFolder out;
  ASSERT_EQ(runSinew({"convert", arm(), "-o", out.file("copy.gltf")}).exitCode, 0);
  ASSERT_EQ(runSinew({"convert", out.file("copy.gltf"), "-o", out.file("back.glb")}).exitCode, 0);
  const auto info = runSinew({"info", arm(), "--json"}).json();
  std::vector<std::string> arguments{"compare", arm(), out.file("back.glb"), "--json"};
  for (const auto& clip : info["clips"]) {
    for (int i = 0; i < 5; ++i) {
      arguments.emplace_back("--pose");
      arguments.push_back(std::to_string(clip["index"].get<int>()) + "@" +
                          std::to_string(clip["seconds"].get<double>() * i / 4));
    }
  }
  const auto error = runSinew(arguments).json();
  EXPECT_LE(error["max"].get<double>(), 1e-6 * error["diagonal"].get<double>());
  EXPECT_EQ(error["perFrame"].size(), 5 * info["clips"].size());
}

TEST_F(Workflow, OnlyWhatAFileHasIsLost) {
  SINEW_NEEDS_DATA();
  const TemporaryFolder folder;
  const auto lost = [&](const std::string& file) {
    const CommandResult result =
        runSinew({"convert", (dataDir() / file).string(), "-o", folder.file("x.obj"), "--json", "-q"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return result.json()["lost"].dump();
  };
  const std::string man = lost("gltf/CesiumMan.glb");
  EXPECT_NE(man.find("the 19 joints"), std::string::npos) << man;
  EXPECT_NE(man.find("skin weights"), std::string::npos) << man;
  if (!std::filesystem::exists(dataDir() / "gltf-more/AnimatedColorsCube.glb")) return;
  const std::string cube = lost("gltf-more/AnimatedColorsCube.glb");
  EXPECT_EQ(cube.find("joint"), std::string::npos) << cube;
  EXPECT_EQ(cube.find("skin weights"), std::string::npos) << cube;
}

TEST_F(Workflow, AFileWithoutClipsIsNamedWhereAClipIsAskedFor) {
  SINEW_NEEDS_DATA();
  const TemporaryFolder folder;
  const std::string simple = (dataDir() / "gltf/RiggedSimple.glb").string();
  ASSERT_EQ(runSinew({"convert", simple, "-o", folder.file("mesh.obj"), "-q"}).exitCode, 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"compare", simple, folder.file("mesh.obj"), "--pose", "0@1"},
        std::vector<std::string>{"deform", folder.file("mesh.obj"), "--pose", "0@1", "-o", folder.file("o.obj")},
        std::vector<std::string>{"render", folder.file("mesh.obj"), "--pose", "0@1", "-o", folder.file("o.png")}}) {
    const CommandResult result = runSinew(words);
    EXPECT_EQ(result.exitCode, 2) << words[0];
    EXPECT_NE(result.err.find("mesh.obj"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("no clip"), std::string::npos) << result.err;
  }
}

TEST_F(Workflow, InfoShortensLongListsOfJoints) {
  SINEW_NEEDS_DATA();
  const std::string file = (dataDir() / "gltf-more/RecursiveSkeletons.glb").string();
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file;
  const CommandResult shown = runSinew({"info", file});
  const std::size_t line = shown.out.find("  joints    ");
  ASSERT_NE(line, std::string::npos);
  EXPECT_LT(shown.out.find('\n', line) - line, 600u);
  const std::size_t count = runSinew({"info", file, "--json"}).json()["jointNames"].size();
  EXPECT_NE(shown.out.find("and " + std::to_string(count - 12) + " more"), std::string::npos) << shown.out;
}

TEST_F(Workflow, BindingASampleToItsOwnSkeletonReachesEveryVertex) {
  const TemporaryFolder out;
  for (const std::string method : {"geodesic", "heat"}) {
    const CommandResult bound = runSinew({"bind", folder().file("ärm 1/rest.obj"), "--skeleton", arm(), "--method",
                                          method, "-o", out.file(method + ".glb"), "--json"});
    ASSERT_EQ(bound.exitCode, 0) << bound.err;
    EXPECT_EQ(bound.json()["unreached"].get<int>(), 0);
    EXPECT_EQ(bound.json()["joints"].get<int>(), 2);
    EXPECT_TRUE(runSinew({"info", out.file(method + ".glb"), "--json"}).json()["problems"].empty());
  }
}

TEST_F(Workflow, BindPrintsItsOptionsAndReadsThemFromAFile) {
  const TemporaryFolder out;
  const std::string options = out.write("options.json", R"({"max-influences": 3})");
  const CommandResult printed = runSinew(
      {"bind", "m.obj", "--skeleton", "s.glb", "-o", "o.glb", "--options", options, "--print-options", "--json"});
  EXPECT_EQ(printed.exitCode, 0) << printed.err;
  EXPECT_EQ(printed.json()["max-influences"].get<int>(), 3);
  const CommandResult unknown = runSinew({"bind", "m.obj", "--skeleton", "s.glb", "-o", "o.glb", "--options",
                                          out.write("wrong.json", R"({"max-influence": 3})")});
  EXPECT_EQ(unknown.exitCode, 2);
  EXPECT_NE(unknown.err.find("max-influences"), std::string::npos) << unknown.err;
}

TEST_F(Workflow, RenderWritesAPngOfTheSizeItReports) {
  const TemporaryFolder out;
  const CommandResult single = runSinew({"render", arm(), "-o", out.file("one.png"), "--json"});
  ASSERT_EQ(single.exitCode, 0) << single.err;
  EXPECT_GT(single.json()["width"].get<int>(), 100);
  EXPECT_EQ(readText(out.file("one.png")).substr(1, 3), "PNG");
  const CommandResult sheet = runSinew({"render", arm(), "--pose", "rest", "--pose", "0@0.5", "--color",
                                        "weight:forearm", "--skeleton", "-o", out.file("sheet.png"), "--json"});
  ASSERT_EQ(sheet.exitCode, 0) << sheet.err;
  EXPECT_GT(sheet.json()["width"].get<int>(), single.json()["width"].get<int>());
}

TEST_F(Workflow, ComparingRealFoldersWithThemselvesGivesZero) {
  SINEW_NEEDS_DATA();
  const TemporaryFolder out;
  const std::string unpack =
      "tar xzf '" + (dataDir() / "horse-gallop.tar.gz").string() + "' -C '" + out.path().string() + "'";
  ASSERT_EQ(std::system(unpack.c_str()), 0);
  const auto error = runSinew({"compare", out.file("horse-gallop"), out.file("horse-gallop"), "--json"}).json();
  EXPECT_EQ(error["rms"].get<double>(), 0);
  EXPECT_EQ(error["distortion"].get<double>(), 0);
  EXPECT_EQ(error["perFrame"].size(), 48u) << "rest.obj is not a frame";
}

TEST_F(Workflow, EveryRealCharacterConvertsAndPosesTheSame) {
  SINEW_NEEDS_DATA();
  const TemporaryFolder out;
  for (const std::string name : {"CesiumMan", "Fox", "RiggedFigure", "RiggedSimple"}) {
    const std::string file = (dataDir() / "gltf" / (name + ".glb")).string();
    ASSERT_EQ(runSinew({"convert", file, "-o", out.file(name + ".gltf")}).exitCode, 0);
    const auto error = runSinew({"compare", file, out.file(name + ".gltf"), "--json", "--pose", "0@0", "--pose",
                                 "0@0.3", "--pose", "0@0.9"})
                           .json();
    EXPECT_LE(error["max"].get<double>(), 1e-6 * error["diagonal"].get<double>()) << name;
  }
}

}  // namespace
}  // namespace sinew::test::workflow_test
