// Regression inputs: they crashed a command, hung it, or made it write a file that it could not read.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>

#include "run_sinew.h"
#include "sinew/base/text.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"
#include "sinew/io/poses.h"
#include "support/test_arm.h"

namespace sinew::test::hard_input_test {
namespace {

std::string times(std::size_t count, const std::string& piece) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

/// An arm with one bent example, in its own folder.
struct ArmFolder : TemporaryFolder {
  ArmFolder() {
    CharacterFile arm;
    arm.character = testArm(6, 4);
    writeCharacter(file("arm.glb"), arm);
    ExampleSet set;
    set.rest = posePoints(arm.character, restPose(arm.character));
    Example bent;
    bent.name = "bent";
    bent.pose = bentArmPose(arm.character, 80, 0);
    bent.points = posePoints(arm.character, bent.pose);
    bent.points.row(2).array() += 0.01;
    set.examples.push_back(bent);
    writeExamples(file("examples.json"), arm.character, set);
  }
  /// The examples file with something changed in its example.
  [[nodiscard]] std::string manifest(const std::string& key, const nlohmann::json& value) const {
    nlohmann::json json = nlohmann::json::parse(readText(file("examples.json")));
    json["examples"][0][key] = value;
    return write("changed.json", json.dump());
  }
};

/// Exit code 2, one line of at most 300 characters with the file's name, and no control characters.
void expectOneSentence(const CommandResult& result, const std::string& name) {
  EXPECT_EQ(result.exitCode, 2) << result.out << result.err;
  EXPECT_NE(result.err.find(name), std::string::npos) << result.err;
  EXPECT_LE(result.err.size(), 301u) << result.err;
  EXPECT_EQ(result.err, tamed(result.err, true));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST(HardInput, ASkeletonThatDoesNotExistIsRefusedBeforeItIsUsed) {
  const ArmFolder folder;
  std::string glb = readText(folder.file("arm.glb"));
  std::uint32_t length = 0;
  std::memcpy(&length, glb.data() + 12, 4);
  nlohmann::json json = nlohmann::json::parse(glb.substr(20, length));
  json["skins"][0]["skeleton"] = 99;
  std::string text = json.dump();
  text.resize((text.size() + 3) / 4 * 4, ' ');
  glb.replace(20, length, text);
  length = static_cast<std::uint32_t>(text.size());
  std::memcpy(glb.data() + 12, &length, 4);
  const auto total = static_cast<std::uint32_t>(glb.size());
  std::memcpy(glb.data() + 8, &total, 4);
  const std::string file = folder.write("skeleton.glb", glb);
  const CommandResult result = runSinew({"fit", file, "--examples", folder.file("examples.json"), "--force",
                                         "--helpers", "all", "-q", "-o", folder.file("out.glb")});
  expectOneSentence(result, "skeleton.glb");
  EXPECT_NE(result.err.find("skins[0].skeleton is 99"), std::string::npos) << result.err;
}

TEST(HardInput, EveryConfidenceIsLearnedAndReadAgainOrRefusedAtTheStart) {
  const ArmFolder folder;
  for (const double confidence : {2.0, 1e-6, 1e6, 0.5}) {
    const std::string manifest = folder.manifest("confidence", confidence);
    for (const std::string command : {"psd", "fit"}) {
      const std::string out = folder.file("out.glb");
      const CommandResult made =
          runSinew({command, folder.file("arm.glb"), "--examples", manifest, "--force", "-q", "-o", out});
      ASSERT_EQ(made.exitCode, 0) << confidence << made.err;
      const CommandResult read = runSinew({"info", out});
      EXPECT_EQ(read.exitCode, 0) << confidence << read.err;
      EXPECT_EQ(read.out.find("ignored"), std::string::npos) << read.out;
    }
  }
  for (const double confidence : {-1.0, 1e-9, 1e9, 1e300}) {
    const std::string manifest = folder.manifest("confidence", confidence);
    for (const std::string command : {"psd", "fit"}) {
      expectOneSentence(runSinew({command, folder.file("arm.glb"), "--examples", manifest, "--force", "-q", "-o",
                                  folder.file("never.glb")}),
                        "changed.json");
    }
  }
}

TEST(HardInput, ReduceTakesTheSmallestMeshesAndAnyNumberOfControls) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> shapes = {
      {"one", "f 1 2 3\n"}, {"two", "f 1 2 3\nf 1 3 4\n"}, {"strip", "f 1 2 3\nf 2 3 4\nf 3 4 5\nf 4 5 6\n"}};
  for (const auto& [name, faces] : shapes) {
    std::filesystem::create_directories(folder.path() / name);
    for (int pose = 0; pose < 3; ++pose) {
      std::string text;
      for (int v = 0; v < 6; ++v)
        text += "v " + std::to_string(v / 2) + " " + std::to_string(v % 2) + " " + std::to_string(0.1 * pose * v * v) +
                "\n";
      folder.write(name + "/pose" + std::to_string(pose) + ".obj", text + faces);
    }
    std::filesystem::create_directories(folder.path() / (name + "1"));
    std::filesystem::copy_file(folder.file(name + "/pose1.obj"), folder.file(name + "1/pose.obj"));
    for (const std::string& meshes : {name, name + "1"}) {
      for (const std::vector<std::string>& flags : {std::vector<std::string>{"--controls", "3"},
                                                    {"--controls", "3", "--rigid"},
                                                    {"--rigid"},
                                                    {"--controls", "1000000000"},
                                                    {"--controls", "1000000000", "--rigid"},
                                                    {"--controls", "1000000000", "--method", "mean-shift"},
                                                    {"--controls", "1"}}) {
        const std::string out = folder.file("out.glb");
        std::vector<std::string> words = {"reduce", folder.file(meshes), "-q", "-o", out};
        words.insert(words.end(), flags.begin(), flags.end());
        const CommandResult made = runSinew(words);
        ASSERT_EQ(made.exitCode, 0) << meshes << made.err;
        EXPECT_EQ(runSinew({"info", out}).exitCode, 0);
        const int posed =
            runSinew({"pose", out, "--handle", "0=0.1,0.2,0.3", "-q", "-o", folder.file("p.obj")}).exitCode;
        EXPECT_TRUE(posed == 0 || posed == 2 || posed == 3) << posed;
      }
    }
  }
}

TEST(HardInput, DeepNestingIsRefusedByEveryReaderOfJson) {
  const ArmFolder folder;
  const std::string arm = folder.file("arm.glb");
  const std::string deep = folder.write("deep.json", times(300000, "[") + times(300000, "]"));
  const std::string hidden = folder.write("hidden.json", "/* \" */ {\"a\":" + times(300000, "["));
  std::string members = "{\"a\": 0";
  for (int i = 0; i < 20000; ++i) members += ", \"m" + std::to_string(i) + "\": 0";
  const std::string wide = folder.write("wide.json", members + "}");
  const std::string out = folder.file("out.glb");
  for (const std::string& file : {deep, hidden, wide}) {
    const std::string name = std::filesystem::path(file).filename();
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"deform", arm, "--pose", file, "-o", out},
          {"info", arm, "--examples", file},
          {"psd", arm, "--examples", file, "-o", out},
          {"deform", arm, "--pose", "rest", "--deformer", "lattice:" + file, "-o", out},
          {"deform", arm, "--pose", "rest", "--deformer", "wire:" + file, "-o", out},
          {"convert", arm, "--options", file, "-o", out},
          {"psd", arm, "--examples", folder.manifest("mask", name), "--force", "-q", "-o", out}}) {
      expectOneSentence(runSinew(words), name);
    }
  }
  expectOneSentence(runSinew({"info", folder.write("deep.gltf", times(300000, "{\"a\":"))}), "deep.gltf");
}

TEST(HardInput, PipesAreRefusedAtOnceByEveryCommand) {
  const ArmFolder folder;
  const std::string arm = folder.file("arm.glb");
  const auto pipe = [&](const std::string& name) {
    EXPECT_EQ(::mkfifo(folder.file(name).c_str(), 0600), 0);
    return folder.file(name);
  };
  const std::string glb = pipe("pipe.glb");
  const std::string json = pipe("pipe.json");
  const std::string out = folder.file("out.glb");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"info", glb},
        {"convert", glb, "-o", out},
        {"reduce", glb, "-o", out},
        {"compare", arm, glb},
        {"info", pipe("pipe.fbx")},
        {"deform", arm, "--pose", json, "-o", out},
        {"psd", arm, "--examples", json, "-o", out},
        {"convert", arm, "--options", json, "-o", out},
        {"fit", arm, "--examples", folder.file("examples.json"), "--force", "--lock-vertices", json, "-q", "-o", out},
        {"reduce", folder.file("rest.obj"), pipe("pipe.pc2"), "-o", out}}) {
    expectOneSentence(runSinew(words), "pipe.");
  }
}

TEST(HardInput, WordsOfStrangersDoNotReachTheTerminal) {
  const TemporaryFolder folder;
  const std::string name = "evil\x1b[31m\xc2\x9b\xe2\x80\xae\xff name";
  const CommandResult missing = runSinew({"info", folder.file(name + ".glb")});
  EXPECT_EQ(missing.exitCode, 2);
  EXPECT_EQ(missing.err, tamed(missing.err, true));
  CharacterFile arm;
  arm.character = testArm(3, 3);
  std::vector<Joint> joints(arm.character.skeleton.joints().begin(), arm.character.skeleton.joints().end());
  joints[2].name = "evil\x1b]0;title\x07";
  arm.character.skeleton = Skeleton(joints);
  writeCharacter(folder.file("arm.glb"), arm);
  const CommandResult shown = runSinew({"info", folder.file("arm.glb")});
  EXPECT_EQ(shown.exitCode, 0);
  EXPECT_EQ(shown.out, tamed(shown.out, true));
}

TEST(HardInput, MessagesStayShortAndNameTheEndOfALongPath) {
  const TemporaryFolder folder;
  const std::string deep = folder.file(times(3, times(200, "d") + "/") + "last.glb");
  expectOneSentence(runSinew({"info", deep}), "last.glb");
  const ArmFolder arm;
  const std::string pose = arm.write("pose.json", "{\"joints\": {\"" + times(5000, "x") + "\": {}}}");
  expectOneSentence(runSinew({"deform", arm.file("arm.glb"), "--pose", pose, "-o", arm.file("out.obj")}), "pose.json");
}

TEST(HardInput, FaultsThatNameNoFileNameTheInput) {
  const TemporaryFolder folder;
  const std::string flat = folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nf 1 2 1\n");
  expectOneSentence(runSinew({"reduce", flat, "-q", "-o", folder.file("out.glb")}), "flat.obj");
}

}  // namespace
}  // namespace sinew::test::hard_input_test
