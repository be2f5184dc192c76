// sinew fit as a user runs it, and the commands that use its result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "run_sinew.h"

namespace sinew::test::fit_test {
namespace {

using nlohmann::json;

class Fit : public ::testing::Test {
 protected:
  static const TemporaryFolder& folder() {
    static const TemporaryFolder made;
    static const bool ready = [] {
      EXPECT_EQ(runSinew({"sample", "arm", "--vertices", "1000", "-o", made.file("arm ü")}).exitCode, 0);
      return true;
    }();
    EXPECT_TRUE(ready);
    return made;
  }
  static std::string in(const std::string& name) { return folder().file("arm ü/" + name); }

  /// The command on the arm with more arguments.
  static CommandResult fit(const std::vector<std::string>& more, const std::string& examples = "examples.json") {
    std::vector<std::string> words = {"fit", in("arm.glb"), "--examples", in(examples)};
    words.insert(words.end(), more.begin(), more.end());
    return runSinew(words);
  }

  static json evaluated(const std::string& model, const std::string& examples) {
    const CommandResult result = runSinew({"evaluate", model, "--examples", in(examples), "--json"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return result.json();
  }
  static double heldOut(const std::string& model) {
    return evaluated(model, "heldout.json")["total"]["rms"].get<double>();
  }

  /// Examples of the arm with the manifest changed.
  static std::string changed(const std::string& name, const std::function<void(json&)>& change) {
    json manifest = json::parse(readText(in("examples.json")));
    change(manifest);
    folder().write("arm ü/" + name, manifest.dump());
    return name;
  }
};

TEST_F(Fit, LowersTheHeldOutErrorAndTellsWhatTheFilePlays) {
  const TemporaryFolder out;
  const std::string model = out.file("fitted.glb");
  const CommandResult result = fit({"--helpers", "all", "--rest", "-o", model, "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_LT(2.5 * heldOut(model), heldOut(in("arm.glb")));

  const json answer = result.json();
  for (const char* field : {"before", "after", "examples", "helpers", "tried", "iterations", "steps", "drift",
                            "warnings", "output", "lost", "seconds"})
    EXPECT_TRUE(answer.contains(field)) << field;
  const json played = evaluated(model, "examples.json");
  EXPECT_NEAR(played["total"]["rms"].get<double>() / answer["after"]["rms"].get<double>(), 1, 1e-3);
  EXPECT_NEAR(played["total"]["max"].get<double>() / answer["after"]["max"].get<double>(), 1, 1e-3);
  ASSERT_EQ(answer["examples"].size(), played["examples"].size());
  for (std::size_t k = 0; k < answer["examples"].size(); ++k) {
    EXPECT_EQ(answer["examples"][k]["name"], played["examples"][k]["name"]);
    const double told = answer["examples"][k]["after"]["rms"].get<double>();
    EXPECT_NEAR(played["examples"][k]["rms"].get<double>(), told, 1e-3 * told);
  }
  for (const char* field : {"rms", "rmsPercent", "p95", "max", "maxVertex"}) {
    EXPECT_TRUE(answer["leaveOneOut"].contains(field)) << field;
    EXPECT_TRUE(answer["examples"][0]["leaveOneOut"].contains(field)) << field;
  }
  EXPECT_GE(answer["leaveOneOut"]["rms"].get<double>(), answer["after"]["rms"].get<double>());
  EXPECT_GT(answer["drift"].get<double>(), 0);
  EXPECT_LE(answer["drift"].get<double>(), 0.02 * (1 + 1e-9));
  ASSERT_FALSE(answer["helpers"].empty());
  for (const char* field : {"name", "rule", "kind", "source", "gain"})
    EXPECT_TRUE(answer["helpers"][0].contains(field)) << field;
  EXPECT_EQ(answer["helpers"][0]["source"], "forearm");
}

TEST_F(Fit, WritesHelperJointsThatEveryCommandKnows) {
  const TemporaryFolder out;
  const std::string model = out.file("fitted.glb");
  const CommandResult result = fit({"--helpers", "half", "-o", model, "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const json helpers = result.json()["helpers"];
  ASSERT_FALSE(helpers.empty());

  const json info = runSinew({"info", model, "--json"}).json();
  EXPECT_EQ(info["blocks"], json::array({"SINEW_helper_joints"}));
  ASSERT_EQ(info["helpers"].size(), helpers.size());
  for (std::size_t i = 0; i < helpers.size(); ++i) {
    EXPECT_EQ(info["helpers"][i]["name"], helpers[i]["name"]);
    EXPECT_EQ(info["helpers"][i]["rule"], helpers[i]["rule"]);
  }
  EXPECT_TRUE(info["problems"].empty()) << info["problems"];
  const std::string name = helpers[0]["name"].get<std::string>();
  EXPECT_NE(runSinew({"info", model}).out.find("helper    " + name), std::string::npos);
  const std::string weights = "weight:" + name;
  EXPECT_EQ(runSinew({"render", model, "--color", weights, "--size", "80x80", "-o", out.file("weights.png")}).exitCode,
            0);

  // A pose names only the joints of the old skeleton: deform moves the new ones by their rules, as evaluate does.
  const json manifest = json::parse(readText(in("heldout.json")));
  const json& example = manifest["examples"][3];
  const std::string pose = in(example["pose"].get<std::string>());
  ASSERT_EQ(runSinew({"deform", model, "--pose", pose, "-o", out.file("posed.obj")}).exitCode, 0);
  const json played = {{"examples", {{{"name", "posed"}, {"pose", pose}, {"mesh", "posed.obj"}}}}};
  const CommandResult same =
      runSinew({"evaluate", model, "--examples", out.write("played.json", played.dump()), "--json"});
  ASSERT_EQ(same.exitCode, 0) << same.err;
  EXPECT_LT(same.json()["total"]["max"].get<double>(), 1e-9);
  ASSERT_EQ(runSinew({"convert", model, "-o", out.file("fitted.gltf")}).exitCode, 0);
  EXPECT_EQ(heldOut(out.file("fitted.gltf")), heldOut(model));
}

TEST_F(Fit, HasABudgetForHelperJointsAndWordsForThePrior) {
  const TemporaryFolder out;
  const CommandResult two = fit({"--helpers", "all", "--max-helpers", "2", "-o", out.file("two.glb"), "--json"});
  ASSERT_EQ(two.exitCode, 0) << two.err;
  EXPECT_EQ(two.json()["helpers"].size(), 2u);
  const CommandResult none = fit({"--helpers", "all", "--max-helpers", "0", "-o", out.file("none.glb"), "--json"});
  ASSERT_EQ(none.exitCode, 0) << none.err;
  EXPECT_TRUE(none.json()["helpers"].empty() && none.json()["tried"].empty()) << "nothing is searched";
  EXPECT_NE(none.err.find("--max-helpers 0 allows no helper joint"), std::string::npos) << none.err;
  const CommandResult words = fit({"--prior", "1", "-o", out.file("one.glb"), "--report", out.file("one.html")});
  ASSERT_EQ(words.exitCode, 0) << words.err;
  EXPECT_NE(words.out.find("% leave-one-out"), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("%  leave-one-out"), std::string::npos) << words.out;
  EXPECT_NE(readText(out.file("one.html")).find("leave-one-out error"), std::string::npos);
  const CommandResult bad = fit({"--prior", "weak", "-o", out.file("bad.glb")});
  EXPECT_EQ(bad.exitCode, 1);
  EXPECT_NE(bad.err.find("write auto, or a number"), std::string::npos) << bad.err;
}

TEST_F(Fit, FitsAFittedCharacterAgainWithoutDoublingAnything) {
  const TemporaryFolder out;
  ASSERT_EQ(fit({"--helpers", "all", "--rest", "-o", out.file("once.glb")}).exitCode, 0);
  const CommandResult again = runSinew({"fit", out.file("once.glb"), "--examples", in("examples.json"), "--helpers",
                                        "all", "-o", out.file("twice.glb"), "--json"});
  ASSERT_EQ(again.exitCode, 0) << again.err;
  const json once = runSinew({"info", out.file("once.glb"), "--json"}).json();
  const json twice = runSinew({"info", out.file("twice.glb"), "--json"}).json();
  EXPECT_EQ(once["clips"], twice["clips"]);
  std::vector<std::string> names = twice["jointNames"].get<std::vector<std::string>>();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_LE(again.json()["after"]["rms"].get<double>(), 1.001 * again.json()["before"]["rms"].get<double>());
}

TEST_F(Fit, AddsAClipThatVisitsTheExamplesUnlessToldNotTo) {
  const TemporaryFolder out;
  const auto clips = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"-o", out.file("c.glb")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(fit(words).exitCode, 0);
    return runSinew({"info", out.file("c.glb"), "--json"}).json()["clips"];
  };
  const json with = clips({});
  EXPECT_EQ(with.back()["name"], "examples");
  EXPECT_EQ(with.back()["seconds"], 11);
  EXPECT_EQ(clips({"--no-examples-clip"}).size() + 1, with.size());
}

TEST_F(Fit, ObeysTheCap) {
  const TemporaryFolder out;
  for (const char* most : {"1", "2", "4"}) {
    const CommandResult result =
        fit({"--helpers", "all", "--max-influences", most, "-o", out.file("capped.glb"), "--json"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const json info = runSinew({"info", out.file("capped.glb"), "--json"}).json();
    EXPECT_LE(info["maxInfluences"].get<int>(), std::atoi(most));
  }
}

/// The sums of the integer weights of every vertex in a .glb, read without the project's reader.
template <class Number>
std::vector<std::uint64_t> weightSums(const std::string& path, int componentType) {
  const std::string bytes = readText(path);
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 12, 4);
  const json root = json::parse(bytes.substr(20, length));
  const std::string body = bytes.substr(20 + length + 8);
  std::vector<std::uint64_t> sums;
  for (const json& mesh : root["meshes"]) {
    for (const json& primitive : mesh["primitives"]) {
      std::vector<std::uint64_t> own;
      for (const auto& [name, index] : primitive["attributes"].items()) {
        if (name.rfind("WEIGHTS_", 0) != 0) continue;
        const std::size_t place = index;
        const json& accessor = root["accessors"][place];
        EXPECT_EQ(accessor["componentType"], componentType);
        EXPECT_EQ(accessor["normalized"], true);
        const json& view = root["bufferViews"][accessor["bufferView"].get<std::size_t>()];
        const auto start = view.value("byteOffset", std::size_t{0}) + accessor.value("byteOffset", std::size_t{0});
        const auto stride = view.value("byteStride", 4 * sizeof(Number));
        own.resize(accessor["count"].get<std::size_t>(), 0);
        for (std::size_t v = 0; v < own.size(); ++v) {
          for (std::size_t i = 0; i < 4; ++i) {
            Number number = 0;
            std::memcpy(&number, body.data() + start + v * stride + i * sizeof(Number), sizeof(Number));
            own[v] += number;
          }
        }
      }
      sums.insert(sums.end(), own.begin(), own.end());
    }
  }
  return sums;
}

TEST_F(Fit, WholeWeightsSumExactlyAndCostLittle) {
  const TemporaryFolder out;
  const auto after = [&](const char* quantize, const std::string& file) {
    const CommandResult result = fit({"--helpers", "all", "--quantize", quantize, "-o", file, "--json"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    const double told = result.json()["after"]["rms"].get<double>();
    EXPECT_NEAR(evaluated(file, "examples.json")["total"]["rms"].get<double>() / told, 1, 1e-3) << quantize;
    return told;
  };
  const double f32 = after("f32", out.file("f32.glb"));
  EXPECT_LE(after("u8", out.file("u8.glb")), 1.15 * f32);
  EXPECT_LE(after("u16", out.file("u16.glb")), 1.001 * f32);
  const auto bytes = weightSums<std::uint8_t>(out.file("u8.glb"), 5121);
  const auto shorts = weightSums<std::uint16_t>(out.file("u16.glb"), 5123);
  ASSERT_GT(bytes.size(), 900u);
  EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](std::uint64_t sum) { return sum == 255; }));
  ASSERT_EQ(shorts.size(), bytes.size());
  EXPECT_TRUE(std::all_of(shorts.begin(), shorts.end(), [](std::uint64_t sum) { return sum == 65535; }));
}

TEST_F(Fit, DropsCorrectionsThatWereLearnedForTheOldSkin) {
  const TemporaryFolder out;
  const std::string corrected = out.file("corrected.glb");
  ASSERT_EQ(runSinew({"psd", in("arm.glb"), "--examples", in("examples.json"), "-o", corrected}).exitCode, 0);
  const CommandResult result =
      runSinew({"fit", corrected, "--examples", in("examples.json"), "-o", out.file("fitted.glb")});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.err.find("dropped"), std::string::npos) << result.err;
  const json info = runSinew({"info", out.file("fitted.glb"), "--json"}).json();
  EXPECT_EQ(info["morphTargets"], 0);
  EXPECT_TRUE(info["blocks"].empty()) << info["blocks"];

  // The recommended order: corrections on top of a fitted skin.
  ASSERT_EQ(fit({"--helpers", "all", "--rest", "-o", out.file("first.glb")}).exitCode, 0);
  const CommandResult then =
      runSinew({"psd", out.file("first.glb"), "--examples", in("examples.json"), "-o", out.file("both.glb")});
  ASSERT_EQ(then.exitCode, 0) << then.err;
  EXPECT_LT(heldOut(out.file("both.glb")), heldOut(out.file("first.glb")));
}

TEST_F(Fit, ExplainsWhatWouldHelp) {
  const TemporaryFolder out;
  const CommandResult result = fit({"--explain", "--chart", out.file("triage.png"), "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const json answer = result.json();
  std::vector<std::string> names;
  double before = 1e300;
  for (const json& stage : answer["stages"]) {
    names.push_back(stage["name"].get<std::string>());
    EXPECT_LE(stage["total"]["rms"].get<double>(), before);
    before = stage["total"]["rms"].get<double>();
    EXPECT_EQ(stage["examples"].size(), 11u);
    EXPECT_EQ(stage["examples"][0]["name"], "elbow30");
    for (const char* field : {"bytes", "joints", "morphs"}) EXPECT_TRUE(stage.contains(field)) << field;
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"original", "weights", "helper joints", "rest shape", "pose-space correctives"}));
  EXPECT_GT(answer["stages"][2]["joints"].get<int>(), 0);
  EXPECT_GT(answer["stages"][4]["morphs"].get<int>(), 0);
  EXPECT_TRUE(answer["multiWeight"].contains("total"));
  EXPECT_FALSE(answer["advice"].get<std::string>().empty());
  EXPECT_EQ(out.names(), std::vector<std::string>{"triage.png"});
  EXPECT_EQ(readText(out.file("triage.png")).substr(1, 3), "PNG");

  const CommandResult text = fit({"--explain", "--report", out.file("triage.html")});
  ASSERT_EQ(text.exitCode, 0) << text.err;
  EXPECT_NE(text.out.find("helper joints"), std::string::npos);
  EXPECT_NE(text.out.find("twist60"), std::string::npos);
  EXPECT_NE(readText(out.file("triage.html")).find("What would help"), std::string::npos);
}

TEST_F(Fit, WritesAPageThatNeedsNothingElse) {
  const TemporaryFolder out;
  const CommandResult result =
      fit({"--helpers", "all", "--rest", "-o", out.file("fitted.glb"), "--report", out.file("report.html")});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const std::string page = readText(out.file("report.html"));
  for (const char* words : {"elbow120_twist60", "the fitted skin", "forearm_", "In engines", "data:image/png;base64,"})
    EXPECT_NE(page.find(words), std::string::npos) << words;
  for (const char* words : {"src=\"http", "<script", "nan", "inf %"}) {
    std::string text = page;
    for (std::size_t at = text.find("base64,"); at != std::string::npos; at = text.find("base64,", at + 1))
      text.erase(at + 7, text.find('"', at) - at - 7);
    EXPECT_EQ(text.find(words), std::string::npos) << words;
  }
}

TEST_F(Fit, MirrorsExamplesAndFitsBothSidesAlike) {
  const TemporaryFolder out;
  ASSERT_EQ(runSinew({"sample", "arm", "--exact", "-o", out.file("exact")}).exitCode, 0);
  const std::string arm = out.file("exact/arm.glb");
  out.write("twist.json", R"({"joints": {"lower": {"euler": [70, 0, 0]}}})");
  ASSERT_EQ(runSinew({"deform", arm, "--pose", out.file("twist.json"), "--deformer", "dual-quaternion", "-o",
                      out.file("twist.obj")})
                .exitCode,
            0);
  out.write("one.json", R"({"examples": [{"name": "twist", "pose": "twist.json", "mesh": "twist.obj"}]})");
  const CommandResult result = runSinew({"fit", arm, "--examples", out.file("one.json"), "--mirror", "z", "--helpers",
                                         "half", "-o", out.file("fitted.glb"), "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const json examples = result.json()["examples"];
  ASSERT_EQ(examples.size(), 2u);
  const double one = examples[0]["after"]["rms"].get<double>();
  EXPECT_NEAR(examples[1]["after"]["rms"].get<double>(), one, 1e-4 * one);
  EXPECT_LT(3 * one, examples[0]["before"]["rms"].get<double>());
}

TEST_F(Fit, LocksJointsAndVertices) {
  const TemporaryFolder out;
  const double free = fit({"-o", out.file("a.glb"), "--json"}).json()["after"]["rms"].get<double>();
  const CommandResult all = fit({"--lock", "upper_arm", "forearm", "-o", out.file("b.glb"), "--json"});
  ASSERT_EQ(all.exitCode, 0) << all.err;
  EXPECT_NEAR(all.json()["after"]["rms"].get<double>() / all.json()["before"]["rms"].get<double>(), 1, 1e-4);
  folder().write("arm ü/locked.txt", "[0, 1\n2-500]");
  const CommandResult some = fit({"--lock-vertices", in("locked.txt"), "-o", out.file("c.glb"), "--json"});
  ASSERT_EQ(some.exitCode, 0) << some.err;
  const CommandResult list = fit({"--lock-vertices", "0-500", "-o", out.file("d.glb"), "--json"});
  EXPECT_EQ(list.json()["after"], some.json()["after"]);
  EXPECT_GT(some.json()["after"]["rms"].get<double>(), free);
}

TEST_F(Fit, RefusesBadInputAndWritesNothing) {
  const TemporaryFolder out;
  const auto expectRefused = [&](const std::vector<std::string>& words, const std::vector<std::string>& said,
                                 int exitCode = 2) {
    std::vector<std::string> all = {"fit"};
    all.insert(all.end(), words.begin(), words.end());
    const CommandResult result = runSinew(all);
    EXPECT_EQ(result.exitCode, exitCode) << result.err;
    for (const std::string& word : said)
      EXPECT_NE(result.err.find(word), std::string::npos) << word << ": " << result.err;
    EXPECT_TRUE(out.names().empty()) << out.names()[0];
  };
  const std::string arm = in("arm.glb");
  const std::string examples = in("examples.json");
  const std::string good = out.file("f.glb");
  expectRefused({arm, "--examples", examples, "--lock", "forarm", "-o", good}, {"forarm", "did you mean 'forearm'"});
  expectRefused({arm, "--examples", examples, "--lock-vertices", "7,9000000", "-o", good}, {"9000000"});
  expectRefused({arm, "--examples", examples, "--lock-vertices", "seven", "-o", good}, {"seven", "3,7,10-20"}, 1);
  expectRefused({arm, "--examples", examples, "-o", out.file("f.obj")}, {"f.obj", ".glb or .gltf"});
  expectRefused({arm, "--examples", examples, "-o", out.file("f.fbx")}, {"f.fbx", ".glb or .gltf"});
  expectRefused({arm, "--examples", examples, "-o", out.file("none/f.glb")}, {"none"});
  expectRefused({in("rest.obj"), "--examples", examples, "-o", good}, {"rest.obj", "bind"});
  expectRefused({arm, "--examples", in("gone.json"), "-o", good}, {"gone.json"});
  expectRefused(
      {arm, "--examples", in(changed("none.json", [](json& m) { m["examples"] = json::array(); })), "-o", good},
      {"none.json", "no examples"});
  folder().write("arm ü/other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  expectRefused({arm, "--examples", in(changed("count.json", [](json& m) { m["examples"][1]["mesh"] = "other.obj"; })),
                 "-o", good},
                {"other.obj", "3"});
  std::string broken = readText(in("elbow30.obj"));
  broken.replace(broken.find("v "), broken.find('\n', broken.find("v ")) - broken.find("v "), "v nan 0 0");
  folder().write("arm ü/nan.obj", broken);
  expectRefused(
      {arm, "--examples", in(changed("nan.json", [](json& m) { m["examples"][0]["mesh"] = "nan.obj"; })), "-o", good},
      {"nan.obj"});
  const TemporaryFolder other;
  std::filesystem::create_directory(other.file("folder.glb"));
  expectRefused({arm, "--examples", examples, "-o", other.file("folder.glb")}, {"folder.glb", "folder"});
}

TEST_F(Fit, RefusesWordsThatDoNotGoTogether) {
  const TemporaryFolder out;
  const CommandResult nowhere = fit({});
  EXPECT_EQ(nowhere.exitCode, 1);
  EXPECT_NE(nowhere.err.find("-o"), std::string::npos) << nowhere.err;
  EXPECT_EQ(fit({"-o", out.file("f.glb"), "--chart", out.file("c.png")}).exitCode, 1);
  EXPECT_EQ(fit({"-o", out.file("f.glb"), "--helpers", "many"}).exitCode, 2);
  EXPECT_EQ(fit({"-o", out.file("f.glb"), "--max-influences", "0"}).exitCode, 1);
  EXPECT_EQ(fit({"--explain", "--chart", out.file("c.jpg")}).exitCode, 2);
  EXPECT_TRUE(out.names().empty());
}

TEST_F(Fit, WritesNothingWhenItIsInterrupted) {
  const TemporaryFolder out;
  ASSERT_EQ(runSinew({"sample", "arm", "--vertices", "40000", "-o", out.file("arm")}).exitCode, 0);
  const std::string command = "timeout --preserve-status -s INT 1.5 '" SINEW_COMMAND "' fit '" +
                              out.file("arm/arm.glb") + "' --examples '" + out.file("arm/examples.json") +
                              "' --helpers all --rest --explain -o '" + out.file("fitted.glb") + "' --report '" +
                              out.file("report.html") + "' -q 2>'" + out.file("said") + "'";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 130) << readText(out.file("said"));
  EXPECT_EQ(out.names(), (std::vector<std::string>{"arm", "said"}));
}

}  // namespace
}  // namespace sinew::test::fit_test
