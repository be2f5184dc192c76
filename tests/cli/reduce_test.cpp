// sinew reduce, pose and reconstruct, as a user runs them.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "run_sinew.h"

namespace sinew::test::reduce_test {
namespace {

using nlohmann::json;

/// The quadruped as meshes, and a model of it, made once.
class Reduce : public ::testing::Test {
 protected:
  static const TemporaryFolder& folder() {
    static const TemporaryFolder made;
    static const bool ready = [] {
      EXPECT_EQ(runSinew({"sample", "quadruped", "--vertices", "1500", "-o", made.file("dog ü")}).exitCode, 0);
      const CommandResult learned = runSinew(
          {"reduce", made.file("dog ü"), "-o", made.file("dog.glb"), "--report", made.file("dog.html"), "--json"});
      EXPECT_EQ(learned.exitCode, 0) << learned.err;
      std::ofstream(made.file("learned.json")) << learned.out;
      return true;
    }();
    EXPECT_TRUE(ready);
    return made;
  }
  static std::string model() { return folder().file("dog.glb"); }
  static std::string meshes() { return folder().file("dog ü"); }
  static json learned() { return json::parse(readText(folder().file("learned.json"))); }

  /// Vertex v of an OBJ.
  static std::array<double, 3> vertex(const std::string& file, std::size_t wanted) {
    std::ifstream in(file);
    std::size_t v = 0;
    for (std::string line; std::getline(in, line);) {
      if (line.rfind("v ", 0) != 0 || v++ != wanted) continue;
      std::array<double, 3> place{};
      EXPECT_EQ(std::sscanf(line.c_str(), "v %lf %lf %lf", &place[0], &place[1], &place[2]), 3);
      return place;
    }
    ADD_FAILURE() << "no vertex " << wanted << " in " << file;
    return {};
  }
  static std::string handle(std::size_t v, const std::array<double, 3>& at) {
    return std::to_string(v) + "=" + std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]);
  }
};

TEST_F(Reduce, LearnsTheQuadruped) {
  const json answer = learned();
  EXPECT_GE(answer["controls"], 12);
  EXPECT_LE(answer["controls"], 60);
  EXPECT_GE(answer["proxies"], 30);
  EXPECT_LE(answer["maxInfluences"], 4);
  EXPECT_EQ(answer["examples"], 18);
  EXPECT_EQ(answer["method"], "alternate");
  EXPECT_LT(answer["fit"]["distortion"], 0.5);
  EXPECT_LE(answer["proxies"], 180);
  for (const char* field : {"erms", "rms", "rmsPercent", "p95", "max", "maxVertex"})
    EXPECT_TRUE(answer["fit"].contains(field)) << field;
  EXPECT_LT(answer["exported"]["rmsPercent"], 1e-6);
  const std::string page = readText(folder().file("dog.html"));
  EXPECT_NE(page.find("control groups"), std::string::npos);
  EXPECT_NE(page.find("Singular values"), std::string::npos);
}

TEST_F(Reduce, KeepsTheVertexOrder) {
  const json info = runSinew({"info", model(), "--json"}).json();
  EXPECT_EQ(info["vertices"], learned()["vertices"]);
  EXPECT_EQ(info["blocks"], json::array({"SINEW_reduced_model"}));
  ASSERT_EQ(info["clips"].size(), 1u);
  EXPECT_EQ(info["clips"][0]["name"], "sequence");
}

TEST_F(Reduce, ReconstructsEveryMeshUnderItsNameAndInItsPlace) {
  const TemporaryFolder out;
  const CommandResult again = runSinew({"reconstruct", model(), "-o", out.file("again"), "--json"});
  ASSERT_EQ(again.exitCode, 0) << again.err;
  const json answer = again.json();
  const double fit = learned()["fit"]["distortion"];
  EXPECT_NEAR(answer["full"]["distortion"], fit, 0.05);
  EXPECT_NEAR(answer["proxy"]["distortion"], fit, 0.05);
  EXPECT_TRUE(std::filesystem::exists(out.path() / "again" / "play_bow.obj"));
  const json compared = runSinew({"compare", meshes(), out.file("again"), "--json"}).json();
  EXPECT_NEAR(compared["distortion"], answer["proxy"]["distortion"], 1e-6);
  const CommandResult measured =
      runSinew({"reconstruct", model(), "--meshes", meshes(), "-o", out.file("again"), "--json"});
  EXPECT_NEAR(measured.json()["proxy"]["distortion"], answer["proxy"]["distortion"], 1e-6);
}

TEST_F(Reduce, PosesByHandles) {
  const TemporaryFolder out;
  ASSERT_EQ(runSinew({"pose", model(), "-o", out.file("rest.obj"), "-q"}).exitCode, 0);
  std::array<double, 3> place = vertex(out.file("rest.obj"), 7);
  place[1] += 0.1;
  const std::vector<std::string> pins = {"--pin", "200", "--pin", "500", "--pin", "900"};
  for (const char* baseline : {"none", "full", "meshik"}) {
    std::vector<std::string> words = {
        "pose", model(), "--handle", handle(7, place), "--baseline", baseline, "-o", out.file("posed.obj"), "--json"};
    words.insert(words.end(), pins.begin(), pins.end());
    const CommandResult posed = runSinew(words);
    ASSERT_EQ(posed.exitCode, 0) << posed.err;
    const json answer = posed.json();
    EXPECT_LT(answer["residual"]["max"], 1e-6) << baseline;
    EXPECT_GE(answer["iterations"], 1);
    EXPECT_EQ(answer["weights"].size(), 18u);
    EXPECT_GT(answer["solveSeconds"], 0);
    EXPECT_TRUE(answer.contains("skinSeconds") && answer.contains("objective"));
    const std::array<double, 3> reached = vertex(out.file("posed.obj"), 7);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(reached[k], place[k], 1e-5) << baseline;
    const std::array<double, 3> before = vertex(out.file("rest.obj"), 500);
    const std::array<double, 3> after = vertex(out.file("posed.obj"), 500);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(after[k], before[k], 1e-6) << baseline;
  }
}

TEST_F(Reduce, RefusesTwoTargetsForOneVertex) {
  const TemporaryFolder out;
  for (const std::vector<std::string>& second :
       {std::vector<std::string>{"--handle", "7=0,0,1"}, std::vector<std::string>{"--pin", "7"}}) {
    std::vector<std::string> words = {"pose", model(), "--handle", "7=0,1,0", "-o", out.file("p.obj"), "-q"};
    words.insert(words.end(), second.begin(), second.end());
    const CommandResult posed = runSinew(words);
    EXPECT_EQ(posed.exitCode, 1) << posed.err;
    EXPECT_NE(posed.err.find("vertex 7 has two handles or pins"), std::string::npos) << posed.err;
  }
}

TEST_F(Reduce, WritesTheWayToAPoseAsAClip) {
  const TemporaryFolder out;
  const CommandResult posed =
      runSinew({"pose", model(), "--handle", "7=0.1,0.5,0.2", "--pin", "500", "-o", out.file("posed.glb"), "--json"});
  ASSERT_EQ(posed.exitCode, 0) << posed.err;
  EXPECT_LT(posed.json()["exported"]["rmsPercent"], 1e-4);
  ASSERT_EQ(
      runSinew({"pose", model(), "--handle", "7=0.1,0.5,0.2", "--pin", "500", "-o", out.file("posed.obj")}).exitCode,
      0);
  ASSERT_EQ(runSinew({"deform", out.file("posed.glb"), "--pose", "pose@1", "-o", out.file("end.obj")}).exitCode, 0);
  EXPECT_LT(runSinew({"compare", out.file("posed.obj"), out.file("end.obj"), "--json"}).json()["rmsPercent"], 1e-3);
}

TEST_F(Reduce, BlendsExamples) {
  const TemporaryFolder out;
  ASSERT_EQ(runSinew({"pose", model(), "--blend", "sit=1", "-o", out.file("sit.obj")}).exitCode, 0);
  ASSERT_EQ(runSinew({"reconstruct", model(), "-o", out.file("again"), "-q"}).exitCode, 0);
  // The same up to where the example stood: alignment is undone by reconstruct alone.
  const std::array<double, 3> a = vertex(out.file("sit.obj"), 0);
  const std::array<double, 3> b = vertex(out.file("sit.obj"), 900);
  const std::array<double, 3> c = vertex(out.file("again/sit.obj"), 0);
  const std::array<double, 3> d = vertex(out.file("again/sit.obj"), 900);
  EXPECT_NEAR(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), std::hypot(c[0] - d[0], c[1] - d[1], c[2] - d[2]),
              1e-5);
  const CommandResult wrong = runSinew({"pose", model(), "--blend", "sitt=1", "-o", out.file("x.obj")});
  EXPECT_EQ(wrong.exitCode, 2);
  EXPECT_NE(wrong.err.find("play_bow"), std::string::npos);
  EXPECT_NE(wrong.err.find("did you mean 'sit'?"), std::string::npos) << wrong.err;
}

TEST_F(Reduce, MakesBones) {
  const TemporaryFolder out;
  const CommandResult bones =
      runSinew({"reduce", meshes(), "--rigid", "--controls", "15", "-o", out.file("bones.glb"), "--json"});
  ASSERT_EQ(bones.exitCode, 0) << bones.err;
  const json answer = bones.json();
  EXPECT_LE(answer["controls"], 15);
  EXPECT_GE(answer["controls"], 14);
  EXPECT_TRUE(answer["rigid"]);
  EXPECT_EQ(answer["method"], "alternate");
  // The file plays the sequence: a key per mesh, in order, 24 per second.
  const std::string name = answer["perExample"][12]["name"];
  ASSERT_EQ(
      runSinew({"deform", out.file("bones.glb"), "--pose", "sequence@0.5", "-o", out.file("played.obj")}).exitCode, 0);
  const json compared = runSinew({"compare", meshes() + "/" + name + ".obj", out.file("played.obj"), "--json"}).json();
  EXPECT_NEAR(compared["rms"], answer["perExample"][12]["rms"], 1e-4);
}

TEST_F(Reduce, ExitsWithThreeOnlyWhereALimitWasMissed) {
  const TemporaryFolder out;
  // Neighbours far apart, as no motion of controls has them.
  std::vector<std::string> words = {"pose", model(), "-o", out.file("posed.obj")};
  for (const char* handle : {"7=0,0,0", "8=5,0,0", "9=-5,0,0", "10=0,5,0", "11=0,-5,0", "12=0,0,5", "13=0,0,-5"})
    words.insert(words.end(), {"--handle", handle});
  EXPECT_EQ(runSinew(words).exitCode, 0);
  std::vector<std::string> limited = words;
  limited.insert(limited.end(), {"--max-residual", "0.1"});
  const CommandResult missed = runSinew(limited);
  EXPECT_EQ(missed.exitCode, 3);
  EXPECT_TRUE(std::filesystem::exists(out.path() / "posed.obj"));
}

TEST_F(Reduce, RefusesWithASentence) {
  const TemporaryFolder out;
  const auto refused = [&](const std::vector<std::string>& words, int code, const std::string& part) {
    const CommandResult result = runSinew(words);
    EXPECT_EQ(result.exitCode, code) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  };
  const std::string to = out.file("x.glb");
  std::filesystem::create_directory(out.path() / "empty");
  refused({"reduce", out.file("empty"), "-o", to}, 2, "empty");
  refused({"reduce", meshes(), "--controls", "many", "-o", to}, 1, "--controls many");
  refused({"reduce", meshes(), "-o", out.file("x.obj")}, 2, "cannot store a reduced model");
  refused({"pose", meshes() + "/quadruped.glb", "-o", out.file("x.obj")}, 2, "has no reduced model");
  refused({"pose", model(), "--handle", "7=1,2", "-o", out.file("x.obj")}, 1, "V=X,Y,Z");
  refused({"pose", model(), "--handle", "99999=1,2,3", "-o", out.file("x.obj")}, 2, "no vertex 99999");
  refused({"pose", model(), "--pin", "-3", "-o", out.file("x.obj")}, 1, "");
  refused({"reduce", meshes(), "--rest", meshes() + "/examples.json", "-o", to}, 2, "examples.json");
  const std::string tetra =
      out.write("tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  refused({"reduce", meshes() + "/sit.obj", tetra, "-o", to}, 2, "tetra.obj");
  EXPECT_FALSE(std::filesystem::exists(to));
  // One mesh alone is a model that moves as a whole.
  const CommandResult alone = runSinew({"reduce", tetra, "-o", to, "--json"});
  EXPECT_EQ(alone.exitCode, 0) << alone.err;
  EXPECT_LT(alone.json()["fit"]["rms"], 1e-9);
}

}  // namespace
}  // namespace sinew::test::reduce_test
