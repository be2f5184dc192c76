// sinew psd and sinew evaluate, as a user runs them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "run_sinew.h"

namespace sinew::test::psd_test {
namespace {

using nlohmann::json;

class Psd : public ::testing::Test {
 protected:
  static const TemporaryFolder& folder() {
    static const TemporaryFolder made;
    static const bool ready = [] {
      EXPECT_EQ(runSinew({"sample", "arm", "--exact", "-o", made.file("arm ü")}).exitCode, 0);
      return true;
    }();
    EXPECT_TRUE(ready);
    return made;
  }
  static std::string in(const std::string& name) { return folder().file("arm ü/" + name); }
  static double diagonal() { return std::sqrt(4.32); }

  /// Examples of the arm with the manifest changed.
  static std::string changed(const std::string& name, const std::function<void(json&)>& change) {
    json manifest = json::parse(readText(in("examples.json")));
    change(manifest);
    return folder().write("arm ü/" + name, manifest.dump());
  }

  static double heldOut(const std::string& model, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"evaluate", model, "--examples", in("heldout.json"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = runSinew(words);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return result.json()["total"]["rms"].get<double>() / diagonal();
  }
};

TEST_F(Psd, LearnsTheExactArmInEverySpace) {
  const std::pair<const char*, double> rows[] = {{"frame", 2.3364e-4}, {"inverse", 2.8018e-3}, {"forward", 4.4989e-4}};
  for (const auto& [space, error] : rows) {
    const TemporaryFolder out;
    const CommandResult psd = runSinew({"psd", in("arm.glb"), "--examples", in("examples.json"), "--space", space,
                                        "--ridge", "0", "-o", out.file("psd.glb"), "--json"});
    ASSERT_EQ(psd.exitCode, 0) << psd.err;
    EXPECT_NEAR(heldOut(out.file("psd.glb")) / error, 1, 2e-3) << space;
    EXPECT_NEAR(heldOut(out.file("psd.glb"), {"--plain"}) / 0.0213521, 1, 1e-3);
    const json answer = psd.json();
    EXPECT_EQ(answer["space"], space);
    EXPECT_EQ(answer["kernel"], "cubic");
    EXPECT_FALSE(answer["tried"].empty());
    EXPECT_EQ(answer["examples"].size(), 4u);
    for (const json& example : answer["examples"]) EXPECT_LT(example["after"]["rms"].get<double>(), 1e-6 * diagonal());
    EXPECT_LT(answer["exported"]["error"]["rms"].get<double>(), 1e-4 * diagonal());
    EXPECT_TRUE(answer["warnings"].empty()) << answer["warnings"];
  }
}

TEST_F(Psd, PlaysWhatItLearnedInOtherCommands) {
  const TemporaryFolder out;
  const std::string model = out.file("psd.glb");
  ASSERT_EQ(runSinew({"psd", in("arm.glb"), "--examples", in("examples.json"), "-o", model}).exitCode, 0);
  const json manifest = json::parse(readText(in("examples.json")));
  const std::string pose = in(manifest["examples"][3]["pose"].get<std::string>());
  const std::string sculpt = in(manifest["examples"][3]["mesh"].get<std::string>());
  ASSERT_EQ(runSinew({"deform", model, "--pose", pose, "-o", out.file("posed.obj")}).exitCode, 0);
  const json error = runSinew({"compare", sculpt, out.file("posed.obj"), "--json"}).json();
  EXPECT_LT(error["max"].get<double>(), 1e-4);
  EXPECT_EQ(runSinew({"render", model, "--pose", pose, "-o", out.file("posed.png")}).exitCode, 0);

  // A second run learns from scratch: the same numbers, nothing twice.
  const std::string again = out.file("again.glb");
  ASSERT_EQ(runSinew({"psd", model, "--examples", in("examples.json"), "-o", again}).exitCode, 0);
  EXPECT_EQ(heldOut(again), heldOut(model));
  const json first = runSinew({"info", model, "--json"}).json();
  const json second = runSinew({"info", again, "--json"}).json();
  EXPECT_EQ(first["morphTargets"], second["morphTargets"]);
  EXPECT_EQ(first["clips"], second["clips"]);
  EXPECT_EQ(first["blocks"], json::array({"SINEW_pose_space"}));

  // Conversion preserves it bit for bit.
  ASSERT_EQ(runSinew({"convert", model, "-o", out.file("psd.gltf")}).exitCode, 0);
  EXPECT_EQ(heldOut(out.file("psd.gltf")), heldOut(model));
}

TEST_F(Psd, WritesAPageThatNeedsNothingElse) {
  const TemporaryFolder out;
  const CommandResult psd = runSinew({"psd", in("arm.glb"), "--examples", in("examples.json"), "-o",
                                      out.file("psd.glb"), "--report", out.file("report.html")});
  ASSERT_EQ(psd.exitCode, 0) << psd.err;
  const std::string page = readText(out.file("report.html"));
  EXPECT_NE(page.find("bend120"), std::string::npos);
  EXPECT_NE(page.find("data:image/png;base64,"), std::string::npos);
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
}

TEST_F(Psd, ShowsWhatTuningTried) {
  const TemporaryFolder out;
  const std::vector<std::string> words = {"psd", in("arm.glb"),       "--examples", in("examples.json"),    "--tune",
                                          "-o",  out.file("psd.glb"), "--report",   out.file("report.html")};
  const CommandResult text = runSinew(words);
  ASSERT_EQ(text.exitCode, 0) << text.err;
  EXPECT_NE(text.out.find("kernel gaussian, radius"), std::string::npos) << text.out;
  const std::string page = readText(out.file("report.html"));
  EXPECT_NE(page.find("kernel thin-plate"), std::string::npos);

  std::vector<std::string> fixed = words;
  fixed.insert(fixed.end(), {"--kernel", "linear", "--json"});
  const json answer = runSinew(fixed).json();
  std::size_t chosen = 0;
  ASSERT_GT(answer["tuned"].size(), 3u);
  for (const json& trial : answer["tuned"]) {
    EXPECT_EQ(trial["kernel"], "linear");
    if (!trial["chosen"].get<bool>()) continue;
    ++chosen;
    EXPECT_NEAR(trial["leaveOneOut"]["rms"].get<double>(), answer["leaveOneOut"]["rms"].get<double>(), 1e-9);
    EXPECT_EQ(trial["ridge"], answer["ridge"]);
  }
  EXPECT_EQ(chosen, 1u);
}

TEST_F(Psd, TakesARankAndANumberOfCentres) {
  const TemporaryFolder out;
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"psd", in("arm.glb"),     "--examples", in("examples.json"),
                                      "-o",  out.file("p.glb"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return runSinew(words);
  };
  EXPECT_EQ(run({}).json()["rank"], 4);
  const json few = run({"--rank", "2", "--centres", "3", "--report", out.file("few.html")}).json();
  EXPECT_NE(readText(out.file("few.html")).find("bend120"), std::string::npos);
  EXPECT_EQ(few["rank"], 2);
  EXPECT_EQ(few["centres"], 3);
  // Conversion preserves models of low rank too.
  ASSERT_EQ(runSinew({"convert", out.file("p.glb"), "-o", out.file("p.gltf")}).exitCode, 0);
  EXPECT_EQ(heldOut(out.file("p.gltf")), heldOut(out.file("p.glb")));
  const std::pair<const char*, int> wrong[] = {{"0", 1}, {"-3", 1}, {"2.5", 1}, {"some", 1}, {"99", 2}};
  for (const auto& [rank, code] : wrong) {
    const CommandResult refused = run({"--rank", rank});
    EXPECT_EQ(refused.exitCode, code) << rank;
    EXPECT_NE(refused.err.find(rank), std::string::npos) << refused.err;
  }
  EXPECT_EQ(run({"--centres", "99"}).exitCode, 2);
}

TEST_F(Psd, WarnsOfTwoSculptsAtOnePoseAndAveragesThem) {
  const TemporaryFolder out;
  const std::string twice = changed("twice.json", [](json& manifest) {
    json other = manifest["examples"][1];
    other["name"] = "again";
    other["mesh"] = manifest["examples"][2]["mesh"];
    manifest["examples"].push_back(other);
  });
  const CommandResult psd =
      runSinew({"psd", in("arm.glb"), "--examples", twice, "-o", out.file("psd.glb"), "--json", "--force"});
  ASSERT_EQ(psd.exitCode, 0) << psd.err;
  const std::string warnings = psd.json()["warnings"].dump();
  EXPECT_NE(warnings.find("same pose but different sculpts"), std::string::npos) << warnings;
  EXPECT_NE(warnings.find("does not match its pose"), std::string::npos) << warnings;
}

/// Runs psd on a faulty manifest: exit 2, one sentence with these words, nothing written.
void expectRefused(const std::string& character, const std::string& manifest, const std::vector<std::string>& words) {
  const TemporaryFolder out;
  const CommandResult psd =
      runSinew({"psd", character, "--examples", manifest, "-o", out.file("psd.glb"), "--report", out.file("r.html")});
  EXPECT_EQ(psd.exitCode, 2) << psd.err;
  for (const std::string& word : words) EXPECT_NE(psd.err.find(word), std::string::npos) << psd.err;
  EXPECT_TRUE(out.names().empty()) << out.names()[0];
}

TEST_F(Psd, RefusesBadExamplesAndWritesNothing) {
  const auto manifest = [&](const char* name, const std::function<void(json&)>& change) {
    return changed(name, change);
  };
  expectRefused(in("arm.glb"), manifest("missing.json", [](json& m) { m["examples"][0]["mesh"] = "gone.obj"; }),
                {"gone.obj"});
  folder().write("arm ü/other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  expectRefused(in("arm.glb"), manifest("topology.json", [](json& m) { m["examples"][1]["mesh"] = "other.obj"; }),
                {"other.obj", "3"});
  folder().write("arm ü/pose.json", R"({"joints": {"lowr": {"euler": [0, 0, 90]}}})");
  expectRefused(in("arm.glb"), manifest("outside.json", [](json& m) { m["examples"][0]["pose"] = "pose.json"; }),
                {"lowr", "lower"});
  expectRefused(in("arm.glb"),
                manifest("still.json",
                         [](json& m) {
                           m["drivers"] = {{{"joint", "upper"}}};
                         }),
                {"still.json", "upper", "never moves"});
  expectRefused(in("arm.glb"), manifest("none.json", [](json& m) { m["examples"] = json::array(); }), {"none.json"});
  expectRefused(in("arm.obj"), in("examples.json"), {"arm.obj", "bind"});
}

TEST_F(Psd, RefusesWhatItCannotDo) {
  const TemporaryFolder out;
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"psd", in("arm.glb"), "--examples", in("examples.json")};
    words.insert(words.end(), more.begin(), more.end());
    return runSinew(words);
  };
  const CommandResult mesh = run({"-o", out.file("psd.obj")});
  EXPECT_EQ(mesh.exitCode, 2);
  EXPECT_NE(mesh.err.find(".glb or .gltf"), std::string::npos) << mesh.err;
  const CommandResult plate = run({"-o", out.file("p.glb"), "--kernel", "thin-plate", "--polynomial", "none"});
  EXPECT_EQ(plate.exitCode, 2);
  EXPECT_NE(plate.err.find("ill-posed"), std::string::npos) << plate.err;
  EXPECT_EQ(run({"-o", out.file("p.glb"), "--radius", "wide"}).exitCode, 1);
  EXPECT_EQ(run({"-o", out.file("p.glb"), "--kernel", "cubik"}).exitCode, 2);
  EXPECT_TRUE(out.names().empty());
}

TEST_F(Psd, EvaluateNotesWherePlainLeavesOutNothing) {
  const TemporaryFolder out;
  const CommandResult plain =
      runSinew({"evaluate", in("arm.glb"), "--examples", in("heldout.json"), "--plain", "--json"});
  ASSERT_EQ(plain.exitCode, 0) << plain.err;
  EXPECT_NE(plain.err.find("--plain has no effect"), std::string::npos) << plain.err;
  const std::string learned = out.file("psd.glb");
  ASSERT_EQ(runSinew({"psd", in("arm.glb"), "--examples", in("examples.json"), "-o", learned, "-q"}).exitCode, 0);
  const CommandResult left = runSinew({"evaluate", learned, "--examples", in("heldout.json"), "--plain", "--json"});
  ASSERT_EQ(left.exitCode, 0) << left.err;
  EXPECT_EQ(left.err.find("has no effect"), std::string::npos) << left.err;
  EXPECT_NEAR(left.json()["total"]["rms"].get<double>(), plain.json()["total"]["rms"].get<double>(), 1e-6);
}

TEST_F(Psd, LearnedCorrectionsStandInAStackOfOperators) {
  const TemporaryFolder out;
  const std::string learned = out.file("psd.glb");
  ASSERT_EQ(runSinew({"psd", in("arm.glb"), "--examples", in("examples.json"), "-o", learned, "-q"}).exitCode, 0);
  const std::string pose = out.write("pose.json", R"({"joints": {"lower": {"euler": [0, 0, 90]}}})");
  // It stretches the box to twice its width and height.
  const std::string lattice =
      "lattice:" + out.write("box.json", R"({"low": [-3, -3, -3], "high": [3, 3, 3], "resolution": [2, 2, 2],
    "outside": "clamp", "displacements": [[-3,-3,0],[3,-3,0],[-3,3,0],[3,3,0],[-3,-3,0],[3,-3,0],[-3,3,0],[3,3,0]]})");
  const auto posed = [&](const std::string& name, std::vector<std::string> operators) {
    std::vector<std::string> words{"deform", learned, "--pose", pose, "-o", out.file(name), "--json", "-q"};
    if (!operators.empty()) words.emplace_back("--deformer");
    words.insert(words.end(), operators.begin(), operators.end());
    const CommandResult result = runSinew(words);
    EXPECT_EQ(result.exitCode, 0) << name << ": " << result.err;
    return result.json()["learned"];
  };
  const auto apart = [&](const std::string& one, const std::string& other) {
    return runSinew({"compare", out.file(one), out.file(other), "--json"}).json()["max"].get<double>() / diagonal();
  };
  EXPECT_EQ(posed("own.obj", {}), json::array({"pose-space"}));
  EXPECT_EQ(posed("named.obj", {"pose-space"}), json::array({"pose-space"}));
  EXPECT_EQ(apart("own.obj", "named.obj"), 0);
  EXPECT_EQ(posed("plain.obj", {"linear-blend"}), json::array());
  EXPECT_GT(apart("own.obj", "plain.obj"), 1e-3);
  EXPECT_EQ(posed("under.obj", {"pose-space", lattice}), json::array({"pose-space"}));
  EXPECT_EQ(posed("alone.obj", {lattice}), json::array({"pose-space"}));
  EXPECT_EQ(apart("under.obj", "alone.obj"), 0) << "the character's own operators come first";
  EXPECT_EQ(posed("over.obj", {lattice, "pose-space"}), json::array({"pose-space"}));
  EXPECT_GT(apart("under.obj", "over.obj"), 0.01);

  // A sculpt on the posed stack is inverted through all operators.
  const CommandResult inverted =
      runSinew({"invert", learned, "--pose", pose, "--sculpt", out.file("under.obj"), "-o", out.file("back.obj"),
                "--deformer", "pose-space", lattice, "--max-residual", "1e-6", "--force", "--json", "-q"});
  ASSERT_EQ(inverted.exitCode, 0) << inverted.err;
  EXPECT_LT(inverted.json()["largestDelta"].get<double>(), 1e-5) << "the sculpt is what the stack shows already";
  const CommandResult closed = runSinew({"invert", learned, "--pose", pose, "--sculpt", out.file("own.obj"), "-o",
                                         out.file("no.obj"), "--method", "closed"});
  EXPECT_EQ(closed.exitCode, 2);
  EXPECT_NE(closed.err.find("not for 'pose-space'; use the method newton"), std::string::npos) << closed.err;

  const CommandResult none =
      runSinew({"deform", in("arm.glb"), "--pose", "rest", "-o", out.file("no.obj"), "--deformer", "pose-space"});
  EXPECT_EQ(none.exitCode, 2);
  EXPECT_NE(none.err.find("no learned corrections; learn them with `sinew psd`"), std::string::npos) << none.err;
  const CommandResult both = runSinew(
      {"evaluate", learned, "--examples", in("heldout.json"), "--plain", "--deformer", "pose-space", "--json"});
  EXPECT_EQ(both.exitCode, 1);
  EXPECT_FALSE(std::filesystem::exists(out.file("no.obj")));
}

TEST_F(Psd, EvaluatesPlainCharactersToo) {
  const CommandResult result = runSinew({"evaluate", in("arm.glb"), "--examples", in("heldout.json"), "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NEAR(result.json()["total"]["rms"].get<double>() / diagonal() / 0.0213521, 1, 1e-3);
  EXPECT_EQ(result.json()["examples"].size(), 4u);
  for (const char* field : {"rms", "rmsPercent", "p95", "max", "maxVertex"})
    EXPECT_TRUE(result.json()["examples"][0].contains(field)) << field;
}

TEST_F(Psd, PickingKeepsAnExampleForEachNamedDriver) {
  const TemporaryFolder out;
  ASSERT_EQ(runSinew({"sample", "limb", "--vertices", "1000", "-o", out.file("limb"), "-q"}).exitCode, 0);
  const auto psd = [&](const std::string& count) {
    return runSinew({"psd", out.file("limb/limb.glb"), "--examples", out.file("limb/examples.json"), "--pick", count,
                     "-o", out.file("o.glb"), "--json", "-q"});
  };
  const json manifest = json::parse(readText(out.file("limb/examples.json")));
  ASSERT_GE(manifest["drivers"].size(), 3u);
  for (const char* count : {"3", "5"}) {
    const CommandResult result = psd(count);
    ASSERT_EQ(result.exitCode, 0) << result.err;
    for (const json& driver : manifest["drivers"]) {
      const json drivers = result.json()["drivers"];
      EXPECT_TRUE(std::any_of(drivers.begin(), drivers.end(), [&](const json& one) {
        return one["name"] == driver["joint"];
      })) << driver;
    }
    EXPECT_EQ(result.json()["warnings"].dump().find("no picked example moves"), std::string::npos);
  }
  const CommandResult few = psd("1");
  EXPECT_NE(few.err.find("one example"), std::string::npos) << few.err;
}

TEST_F(Psd, AFitToTheSameExamplesLeavesOneClipOfThem) {
  const TemporaryFolder out;
  ASSERT_EQ(
      runSinew({"fit", in("arm.glb"), "--examples", in("examples.json"), "-o", out.file("fit.glb"), "-q"}).exitCode, 0);
  ASSERT_EQ(runSinew({"psd", out.file("fit.glb"), "--examples", in("examples.json"), "-o", out.file("psd.glb"), "-q"})
                .exitCode,
            0);
  const json fitted = runSinew({"info", out.file("fit.glb"), "--json"}).json()["clips"];
  const json clips = runSinew({"info", out.file("psd.glb"), "--json"}).json()["clips"];
  EXPECT_EQ(clips.size(), fitted.size()) << clips;
  // Other examples: the clip of the fit stays.
  ASSERT_EQ(runSinew({"psd", out.file("fit.glb"), "--examples", in("examples.json"), "--pick", "3", "-o",
                      out.file("few.glb"), "-q"})
                .exitCode,
            0);
  EXPECT_EQ(runSinew({"info", out.file("few.glb"), "--json"}).json()["clips"].size(), fitted.size() + 1);
}

TEST_F(Psd, OneSculptNeedsForceAndOneAtRestIsSaidToBeAtRest) {
  const TemporaryFolder out;
  const auto psd = [&](const std::string& examples) {
    const CommandResult result =
        runSinew({"psd", in("arm.glb"), "--examples", examples, "-o", out.file("o.glb"), "-q"});
    EXPECT_EQ(result.exitCode, 2) << result.out;
    return result.err;
  };
  const std::string one = changed("one.json", [](json& manifest) {
    manifest["examples"].erase(manifest["examples"].begin() + 1, manifest["examples"].end());
    manifest.erase("drivers");
  });
  EXPECT_NE(psd(one).find("--force"), std::string::npos) << psd(one);
  const std::string resting = changed("resting.json", [](json& manifest) {
    manifest["examples"] = {{{"name", "r"}, {"pose", "rest"}, {"mesh", "rest.obj"}}};
    manifest.erase("drivers");
  });
  EXPECT_EQ(psd(resting).find("between rest and it"), std::string::npos) << psd(resting);
  EXPECT_NE(psd(resting).find("no example rotates a joint"), std::string::npos) << psd(resting);
}

}  // namespace
}  // namespace sinew::test::psd_test
