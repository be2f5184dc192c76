// Warnings: on stderr, once, even with -q, never on stdout, and in `warnings` of the JSON.
#include <gtest/gtest.h>

#include "run_sinew.h"

namespace sinew::test::warnings_test {
namespace {

std::size_t countOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// A character with the clip `walk` of 1.1 seconds, created once.
class Warnings : public ::testing::Test {
 protected:
  static const TemporaryFolder& folder() {
    static const TemporaryFolder made;
    static const bool ready = [] {
      const CommandResult biped = runSinew({"sample", "biped", "--vertices", "1000", "-o", made.file("biped"), "-q"});
      EXPECT_EQ(biped.exitCode, 0) << biped.err;
      return true;
    }();
    EXPECT_TRUE(ready);
    return made;
  }
  static std::string biped() { return folder().file("biped/biped.glb"); }

  /// The sentence once on stderr and in the JSON, and not on stdout without it.
  static void expectWarns(std::vector<std::string> words, const std::string& sentence) {
    words.emplace_back("-q");
    const CommandResult text = runSinew(words);
    EXPECT_EQ(text.exitCode, 0) << text.err;
    EXPECT_EQ(countOf(text.err, "sinew: warning: "), countOf(text.err, "warning")) << text.err;
    EXPECT_EQ(countOf(text.err, sentence), 1u) << words[0] << ": " << text.err;
    EXPECT_EQ(countOf(text.out, "warning"), 0u) << words[0] << ": " << text.out;
    EXPECT_EQ(countOf(text.out, sentence), 0u) << words[0] << ": " << text.out;
    words.emplace_back("--json");
    const CommandResult json = runSinew(words);
    EXPECT_EQ(countOf(json.err, sentence), 1u) << words[0] << ": " << json.err;
    EXPECT_EQ(countOf(json.json()["warnings"].dump(), sentence), 1u) << words[0] << ": " << json.out;
  }
};

TEST_F(Warnings, TimesOutsideAClipAreToldInEveryCommandThatTakesAPose) {
  const TemporaryFolder out;
  const std::string late = "the time 9 s is outside the clip 'walk', which is 1.1 s long; its end (1.1 s) is used";
  const std::string early = "the time -1 s is outside the clip 'walk', which is 1.1 s long; its start (0 s) is used";
  expectWarns({"deform", biped(), "--pose", "walk@9", "-o", out.file("late.obj")}, late);
  expectWarns({"deform", biped(), "--pose", "walk@-1", "-o", out.file("early.obj")}, early);
  expectWarns({"invert", biped(), "--pose", "walk@9", "--sculpt", out.file("late.obj"), "-o", out.file("i.obj")}, late);
  expectWarns({"compare", biped(), biped(), "--pose", "walk@9"}, late);
  expectWarns({"render", biped(), "--pose", "walk@9", "--size", "32x32", "-o", out.file("p.png")}, late);
  expectWarns({"drag", biped(), "--pose", "walk@9", "--vertex", "1", "--move", "0,0.001,0"}, late);
  expectWarns({"drag", biped(), "--pose", "rest", "--also", "walk@9", "--vertex", "1", "--move", "0,0.001,0"}, late);
  const std::string pose = out.write("pose.json", R"({"clip": "walk", "time": 9})");
  expectWarns({"deform", biped(), "--pose", pose, "-o", out.file("file.obj")}, late);
  const std::string examples =
      out.write("examples.json", R"({"examples": [{"name": "a", "pose": "walk@9", "mesh": "late.obj"}]})");
  expectWarns({"evaluate", biped(), "--examples", examples}, late);
}

TEST_F(Warnings, OperatorsThatPoseTwiceAreNamed) {
  const TemporaryFolder out;
  const std::string pose = "walk@0.4";
  expectWarns({"deform", biped(), "--pose", pose, "-o", out.file("a.obj"), "--deformer", "dual-quaternion", "rigid"},
              "--deformer rigid: poses points that dual-quaternion has already posed");
  expectWarns({"render", biped(), "--pose", pose, "--size", "32x32", "-o", out.file("a.png"), "--deformer",
               "linear-blend", "linear-blend"},
              "--deformer linear-blend: poses points that linear-blend has already posed");
}

TEST_F(Warnings, PosesOfAMeshAreRefusedWithTheNameOfTheMesh) {
  const TemporaryFolder out;
  ASSERT_EQ(runSinew({"convert", biped(), "-o", out.file("mesh.obj")}).exitCode, 0);
  const std::string pose = out.write("pose.json", R"({"joints": {"forearm_l": {"euler": [0, 0, 20]}}})");
  const CommandResult result = runSinew({"compare", biped(), out.file("mesh.obj"), "--pose", pose});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_NE(result.err.find("mesh.obj: has no joints and no clips, so it cannot be posed"), std::string::npos)
      << result.err;
}

TEST_F(Warnings, TimesInsideAClipAndItsRoundedEndAreFine) {
  const TemporaryFolder out;
  for (const char* time : {"walk@0", "walk@1.1", "walk@1.1005", "0@0.5"}) {
    const CommandResult result = runSinew({"deform", biped(), "--pose", time, "-o", out.file("a.obj"), "--json", "-q"});
    EXPECT_EQ(result.err, "") << time;
    EXPECT_TRUE(result.json()["warnings"].empty()) << time;
  }
}

TEST_F(Warnings, OfLearningGoToTheSamePlace) {
  const TemporaryFolder out;
  ASSERT_EQ(runSinew({"sample", "arm", "--exact", "-o", out.file("arm"), "-q"}).exitCode, 0);
  const std::string arm = out.file("arm/arm.glb");
  // A single mesh is not a sequence: fewer controls than requested, and a warning.
  const std::string tetra =
      out.write("tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  expectWarns({"reduce", tetra, "--controls", "5", "-o", out.file("r.glb")}, "5 controls are requested");
  // Two sculpts at one pose.
  nlohmann::json manifest = nlohmann::json::parse(readText(out.file("arm/examples.json")));
  manifest["examples"].push_back(manifest["examples"].back());
  manifest["examples"].back()["name"] = "again";
  manifest["examples"].back()["mesh"] = manifest["examples"].front()["mesh"];
  const std::string twice = out.write("arm/twice.json", manifest.dump());
  expectWarns({"psd", arm, "--examples", twice, "--force", "-o", out.file("p.glb")}, "same pose but different sculpts");
  expectWarns({"fit", arm, "--examples", twice, "--force", "-o", out.file("f.glb")}, "does not match its pose");
  expectWarns({"info", arm, "--examples", twice}, "does not match its pose");
}

TEST_F(Warnings, PosesThatDoNotExistSuggestTheNearest) {
  const TemporaryFolder out;
  const std::pair<std::string, std::string> cases[] = {
      {"wlak@0.4", "did you mean 'walk'?"},
      {"walk", "did you mean 'walk@0'?"},
      {"rset", "did you mean 'rest'?"},
      {folder().file("biped/poses/knees9O.json"), "knees90.json'?"},
  };
  for (const auto& [pose, nearest] : cases) {
    const CommandResult result = runSinew({"deform", biped(), "--pose", pose, "-o", out.file("a.obj")});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_NE(result.err.find(nearest), std::string::npos) << result.err;
  }
}

TEST_F(Warnings, ACharacterInPlaceOfAnExamplesFileIsNamedAsSuch) {
  const CommandResult result = runSinew({"evaluate", biped(), "--examples", biped()});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_NE(result.err.find("is not an examples file; give an examples file (.json)"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace sinew::test::warnings_test
