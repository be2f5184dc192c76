// psd, fit and evaluate with the frames of a simulation, as a user runs them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "json_schema.h"
#include "run_sinew.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"
#include "sinew/io/obj.h"
#include "sinew/io/point_cache.h"
#include "support/data.h"

namespace sinew::test::sequence_test {
namespace {

using nlohmann::json;

constexpr int kFrames = 25;

/// The sample arm with a clip, and its dual-quaternion shapes at the frames as a point cache and as meshes.
class SequenceCommand : public ::testing::Test {
 protected:
  static const TemporaryFolder& folder() {
    static const TemporaryFolder made;
    static const bool ready = [] {
      EXPECT_EQ(runSinew({"sample", "arm", "--exact", "-o", made.file("arm")}).exitCode, 0);
      CharacterFile file = readCharacter(made / "arm/arm.glb");
      Character& arm = file.character;
      const int elbow = arm.skeleton.index(arm.skeleton.find("elbow") ? "elbow" : "lower");
      Clip clip{.name = "simulated", .channels = {}};
      ClipChannel channel{.path = ClipPath::Rotation, .joint = elbow, .times = {}, .values = {}};
      channel.values.resize(4, kFrames);
      for (int f = 0; f < kFrames; ++f) {
        channel.times.push_back(f / kPointCacheFrames);
        const double bend = 2.0 * f / kFrames;
        const double twist = 0.6 * std::sin(0.5 * f);
        channel.values.col(f) = (arm.skeleton[elbow].rest.rotation * Eigen::AngleAxisd(bend, Vec3::UnitZ()) *
                                 Eigen::AngleAxisd(twist, Vec3::UnitX()))
                                    .coeffs();
      }
      clip.channels = {channel};
      arm.clips.push_back(clip);
      clip.name = "short";
      clip.channels[0].times.resize(5);
      clip.channels[0].values.conservativeResize(4, 5);
      arm.clips.push_back(clip);
      writeCharacter(made / "flex.glb", file);
      PointCache cache;
      Mesh mesh = arm.mesh;
      mesh.normals.resize(3, 0);
      for (int f = 0; f < kFrames; ++f) {
        cache.frames.push_back(posePoints(arm, clipPose(arm, "simulated", f / kPointCacheFrames),
                                          makeSkinDeformer("dual-quaternion", arm.skin)));
        mesh.points = cache.frames.back();
        made.write(fmt::format("shapes/frame{}.obj", f + 1), formatObj(mesh));
      }
      writePointCache(made / "flex.pc2", cache);
      for (Points& frame : cache.frames) frame.conservativeResize(3, frame.cols() - 1);
      writePointCache(made / "other.pc2", cache);
      std::filesystem::create_directory(made / "empty");
      return true;
    }();
    EXPECT_TRUE(ready);
    return made;
  }
  static std::string in(const std::string& name) { return folder().file(name); }

  static json run(std::vector<std::string> words) {
    words.insert(words.end(), {"--json", "-q"});
    const CommandResult result = runSinew(words);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    if (result.exitCode != 0) return {};
    for (const std::string& fault : schemaFaults(
             result.json(), std::filesystem::path(SINEW_SOURCE_DIR) / "docs/schemas/cli" / (words[0] + ".schema.json")))
      ADD_FAILURE() << fault;
    return result.json();
  }

  /// Exit code 2, one sentence with all words, no output.
  static void expectRefused(const std::vector<std::string>& words, const std::vector<std::string>& wanted,
                            int exitCode = 2) {
    const TemporaryFolder out;
    std::vector<std::string> all = words;
    all.insert(all.end(), {"-o", out.file("out.glb")});
    const CommandResult result = runSinew(all);
    EXPECT_EQ(result.exitCode, exitCode) << result.err;
    for (const std::string& word : wanted)
      EXPECT_NE(result.err.find(word), std::string::npos) << "no '" << word << "' in " << result.err;
    EXPECT_TRUE(out.names().empty());
  }
};

TEST_F(SequenceCommand, PsdLearnsACacheAndReportsWhatItHeldOut) {
  const TemporaryFolder out;
  const json psd = run({"psd", in("flex.glb"), "--clip", "simulated", "--meshes", in("flex.pc2"), "--hold-out", "0.2",
                        "-o", out.file("psd.glb"), "--report", out.file("psd.html")});
  EXPECT_EQ(psd["frames"], kFrames);
  EXPECT_EQ(psd["heldOut"]["examples"], 5);
  EXPECT_EQ(psd["heldOut"]["names"].size(), 5u);
  const double held = psd["heldOut"]["rms"].get<double>();
  const double plain = psd["heldOut"]["before"]["rms"].get<double>();
  EXPECT_LT(held, 0.2 * plain);
  EXPECT_GT(held, 0);
  for (const json& example : psd["examples"]) {
    for (const json& name : psd["heldOut"]["names"]) EXPECT_NE(example["name"], name);
  }
  const std::string page = readText(out.file("psd.html"));
  EXPECT_LT(page.find("at 5 examples held out"), page.find("with the model")) << "what counts comes first";
  // The same folder of meshes gives the same model but for single precision of the cache.
  const json evaluated = run({"evaluate", out.file("psd.glb"), "--clip", "simulated", "--meshes", in("shapes")});
  EXPECT_EQ(evaluated["frames"], kFrames);
  EXPECT_LT(evaluated["total"]["rms"].get<double>(), held);
}

TEST_F(SequenceCommand, TheTextBeginsWithWhatWasHeldOut) {
  const TemporaryFolder out;
  for (const char* command : {"psd", "fit"}) {
    const CommandResult result = runSinew({command, in("flex.glb"), "--clip", "simulated", "--meshes", in("flex.pc2"),
                                           "--hold-out", "0.2", "-o", out.file("o.glb"), "-q"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const std::size_t second = result.out.find('\n') + 1;
    EXPECT_EQ(result.out.substr(second, 21), "  5 examples held out") << result.out;
  }
}

TEST_F(SequenceCommand, ShapesOfPlainSkinningTeachNothing) {
  const TemporaryFolder out;
  ASSERT_EQ(runSinew({"convert", in("flex.glb"), "-o", out.file("copy.glb"), "-q"}).exitCode, 0);
  expectRefused({"psd", in("flex.glb"), "--clip", "0", "--meshes", out.file("copy.glb")},
                {"copy.glb", "every example equals plain skinning"});
}

TEST_F(SequenceCommand, EvaluateDoesNotBlameTheTruthAlone) {
  const TemporaryFolder out;
  CharacterFile stiff = readCharacter(in("flex.glb"));
  Skin& skin = stiff.character.skin;
  const std::vector<std::vector<Influence>> one(toSize(stiff.character.mesh.vertexCount()), {{0, 1}});
  skin.weights = SkinWeights::fromColumns(skin.weights.bindingCount(), one);
  writeCharacter(out / "stiff.glb", stiff);
  const CommandResult result =
      runSinew({"evaluate", out.file("stiff.glb"), "--clip", "simulated", "--meshes", in("flex.pc2"), "-q"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_NE(result.err.find("if the model is at fault, add --force"), std::string::npos) << result.err;
}

TEST_F(SequenceCommand, FramesOfAFolderWithMissingNumbersKeepTheirTimes) {
  const TemporaryFolder out;
  std::filesystem::copy(in("shapes"), out / "gap");
  for (const char* name : {"frame7.obj", "frame8.obj", "frame20.obj"}) std::filesystem::remove(out / "gap" / name);
  const CommandResult result =
      runSinew({"evaluate", in("flex.glb"), "--clip", "simulated", "--meshes", out.file("gap"), "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.err.find("3 of 25 numbered meshes are missing, the first after frame6.obj"), std::string::npos)
      << result.err;
  const json whole = run({"evaluate", in("flex.glb"), "--clip", "simulated", "--meshes", in("shapes")});
  EXPECT_EQ(result.json()["frames"], kFrames - 3);
  EXPECT_DOUBLE_EQ(result.json()["examples"].back()["rms"].get<double>(),
                   whole["examples"].back()["rms"].get<double>());
  EXPECT_DOUBLE_EQ(result.json()["examples"][6]["rms"].get<double>(), whole["examples"][8]["rms"].get<double>());
}

TEST_F(SequenceCommand, AFrameNumberFarAwayCostsNoMemory) {
  const TemporaryFolder out;
  std::filesystem::copy(in("shapes"), out / "far");
  std::filesystem::remove(out / "far" / "frame7.obj");
  std::filesystem::rename(out / "far" / "frame25.obj", out / "far" / "frame900000000000000.obj");
  const CommandResult result = runSinew(
      {"evaluate", in("flex.glb"), "--clip", "simulated", "--meshes", out.file("far"), "--force", "--json", "-q"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.err.find("numbered meshes are missing, the first after frame6.obj"), std::string::npos)
      << result.err;
  EXPECT_EQ(result.json()["frames"], kFrames - 1);
}

TEST_F(SequenceCommand, AGallopIsPredictedOnTheBonesThatReduceFinds) {
  SINEW_NEEDS_DATA();
  const TemporaryFolder out;
  const std::string unpack =
      "tar xzf '" + (dataDir() / "horse-gallop.tar.gz").string() + "' -C '" + out.path().string() + "'";
  ASSERT_EQ(std::system(unpack.c_str()), 0);
  for (int frame = 25; frame <= 48; ++frame)  // they repeat 1 to 24
    std::filesystem::remove(out / "horse-gallop" / fmt::format("{:04}.obj", frame));
  run({"reduce", out.file("horse-gallop"), "--rigid", "--controls", "30", "-o", out.file("bones.glb")});
  const json psd = run({"psd", out.file("bones.glb"), "--clip", "sequence", "--meshes", out.file("horse-gallop"),
                        "--hold-out", "0.5", "--max-morphs", "4", "-o", out.file("gallop.glb")});
  ASSERT_EQ(psd["heldOut"]["examples"], 12);
  EXPECT_LT(psd["heldOut"]["rms"].get<double>(), 0.5 * psd["heldOut"]["before"]["rms"].get<double>());
}

TEST_F(SequenceCommand, PickedFramesComeNearToAll) {
  const TemporaryFolder out;
  const auto heldOut = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"psd",        in("flex.glb"), "--clip", "simulated", "--meshes",
                                      in("shapes"), "--hold-out",   "0.2",    "-o",        out.file("p.glb")};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const json picked = heldOut({"--pick", "8"});
  EXPECT_EQ(picked["examples"].size(), 8u);
  EXPECT_LT(picked["heldOut"]["rms"].get<double>(), 0.3 * picked["heldOut"]["before"]["rms"].get<double>());
  const json again = heldOut({"--pick", "8", "--threads", "1"});
  EXPECT_EQ(again["heldOut"], picked["heldOut"]);
  EXPECT_EQ(again["examples"], picked["examples"]);
}

TEST_F(SequenceCommand, FitLearnsTheFramesOfAnExamplesFile) {
  const TemporaryFolder out;
  const std::string manifest = folder().write(
      "seq.json", R"({"examples": [{"name": "sim", "sequence": {"clip": "simulated", "meshes": "flex.pc2"}}]})");
  const json fit = run(
      {"fit", in("flex.glb"), "--examples", manifest, "--pick", "6", "--hold-out", "0.2", "-o", out.file("fit.glb")});
  EXPECT_EQ(fit["frames"], kFrames);
  EXPECT_EQ(fit["examples"].size(), 6u);
  EXPECT_EQ(fit["examples"][0]["name"].get<std::string>().substr(0, 4), "sim_");
  EXPECT_LT(fit["heldOut"]["rms"].get<double>(), fit["heldOut"]["before"]["rms"].get<double>());
}

TEST_F(SequenceCommand, RefusesWhatDoesNotBelongTogether) {
  const std::string arm = in("flex.glb");
  const std::string cache = in("flex.pc2");
  const std::string examples = in("arm/examples.json");
  for (const char* command : {"psd", "fit"}) {
    expectRefused({command, arm, "--clip", "simulated"}, {"--clip", "'simulated'", "--meshes"}, 1);
    expectRefused({command, arm, "--meshes", cache}, {"--meshes", "flex.pc2", "--clip"}, 1);
    expectRefused({command, arm, "--examples", examples, "--clip", "simulated"}, {"--clip", "examples.json"}, 1);
    expectRefused({command, arm, "--clip", "simulated", "--meshes", arm}, {"flex.glb", "is the character itself"});
    expectRefused({command, arm, "--clip", "simulatd", "--meshes", cache},
                  {"flex.glb", "'simulatd'", "did you mean 'simulated'?"});
    expectRefused({command, arm, "--clip", "short", "--meshes", cache}, {"flex.pc2", "25 frames", "'short'"});
    expectRefused({command, arm, "--clip", "simulated", "--meshes", in("other.pc2")}, {"other.pc2", "983", "984"});
    expectRefused({command, arm, "--clip", "simulated", "--meshes", in("empty")}, {"empty", "no readable meshes"});
    expectRefused({command, arm, "--clip", "simulated", "--meshes", in("none.pc2")}, {"none.pc2", "no such file"});
  }
  json one = json::parse(readText(examples));
  one["examples"].erase(one["examples"].begin() + 1, one["examples"].end());
  const std::string single = folder().write("arm/one.json", one.dump());
  expectRefused({"psd", in("arm/arm.glb"), "--examples", single, "--hold-out", "0.2"},
                {"one.json", "1 example", "at least 2"});
  expectRefused({"psd", in("arm/arm.glb"), "--examples", single}, {"one.json", "one example", "--force"});
  const TemporaryFolder out;
  EXPECT_EQ(runSinew({"psd", in("arm/arm.glb"), "--examples", single, "--force", "-o", out.file("one.glb")}).exitCode,
            0);
  EXPECT_EQ(runSinew({"psd", arm, "-o", in("no.glb")}).exitCode, 1) << "nothing to learn from is a usage error";
}

}  // namespace
}  // namespace sinew::test::sequence_test
