// `sinew invert` as a user runs it, and black boxes in separate processes.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "learn/black_boxes.h"
#include "run_sinew.h"
#include "sinew/character/correspondence.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"
#include "sinew/io/pipe_box.h"
#include "sinew/io/poses.h"
#include "sinew/learn/invert.h"

namespace sinew::test::invert_test {
namespace {

using Json = nlohmann::json;

std::string box(const std::string& mode) {
  return "'" SINEW_TEST_BOX "' " + mode;
}

/// A small arm with seams, and the exact tube, created once.
class Invert : public ::testing::Test {
 protected:
  static const TemporaryFolder& folder() {
    static const TemporaryFolder made;
    static const bool ready = [] {
      EXPECT_EQ(runSinew({"sample", "arm", "-o", made.file("arm"), "--vertices", "1500", "-q"}).exitCode, 0);
      EXPECT_EQ(runSinew({"sample", "arm", "--exact", "-o", made.file("exact"), "-q"}).exitCode, 0);
      return true;
    }();
    EXPECT_TRUE(ready);
    return made;
  }
  static std::string arm(const std::string& name) { return folder().file("arm/" + name); }
  static std::string exact(const std::string& name) { return folder().file("exact/" + name); }

  /// The sculpt at 90 degrees of the arm with seams, with further arguments.
  static CommandResult invertArm(const std::string& output, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{
        "invert", arm("arm.glb"), "--pose", arm("poses/elbow90.json"), "--sculpt", arm("elbow90.obj"), "-o",
        output,   "--json",       "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runSinew(arguments);
  }

  static double diagonal() { return boundingBox(readCharacter(arm("arm.glb")).character.mesh.points).diagonal(); }
};

Points pointsOf(const std::string& path) {
  return readCharacter(path).character.mesh.points;
}

double largest(const Points& vectors) {
  return std::sqrt(vectors.colwise().squaredNorm().maxCoeff());
}

TEST_F(Invert, EveryMethodWritesARestMeshThatPosesIntoTheSculpt) {
  const TemporaryFolder out;
  const Character character = readCharacter(arm("arm.glb")).character;
  const Pose pose = readPose(arm("poses/elbow90.json"), character);
  const Points sculpt = unweldedPoints(weld(character.mesh.points), pointsOf(arm("elbow90.obj")));
  for (const std::string method : {"auto", "closed", "newton", "powell"}) {
    const CommandResult result = invertArm(out.file(method + ".obj"), {"--method", method});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const Json json = result.json();
    EXPECT_EQ(json["method"], method == "auto" ? "closed" : method);
    EXPECT_EQ(json["unreachable"], 0);
    EXPECT_EQ(json["nonLocal"], 1);
    EXPECT_EQ(json["layerW"]["rms"], 0);
    for (const char* field : {"rms", "rmsPercent", "p95", "max", "maxVertex"})
      EXPECT_TRUE(json["residual"].contains(field)) << field;
    EXPECT_LE(json["residual"]["max"].get<double>(), 1e-6 * diagonal());
    EXPECT_GT(json["before"]["max"].get<double>(), 1e-3 * diagonal());
    EXPECT_LE(json["evaluations"].get<int>(), method == "powell" ? 400 : 30);

    Character moved = character;
    moved.mesh.points = pointsOf(out.file(method + ".obj"));
    ASSERT_EQ(moved.mesh.points.cols(), character.mesh.points.cols()) << "in the input's count and order";
    EXPECT_LE(largest(posePoints(moved, pose) - sculpt), 1e-6 * diagonal()) << method;
    const WeldMap seams = weld(character.mesh.points);
    EXPECT_EQ(unweldedPoints(seams, weldedPoints(seams, moved.mesh.points)), moved.mesh.points) << "seams stay closed";
  }
}

TEST_F(Invert, RenderShowsWhatIsLeftOfTheResult) {
  const TemporaryFolder out;
  ASSERT_EQ(invertArm(out.file("rest.glb")).exitCode, 0);
  const CommandResult drawn =
      runSinew({"render", out.file("rest.glb"), "--pose", arm("poses/elbow90.json"), "--color", "error", "--against",
                arm("elbow90.obj"), "--size", "120x120", "-o", out.file("left.png"), "-q"});
  EXPECT_EQ(drawn.exitCode, 0) << drawn.err;
}

TEST_F(Invert, SculptInOtherUnitsIsMatchedByItsOwnRestMesh) {
  const TemporaryFolder out;
  CharacterFile rest = readCharacter(arm("rest.obj"));
  CharacterFile sculpt = readCharacter(arm("elbow90.obj"));
  rest.character.mesh.points *= 100;
  sculpt.character.mesh.points *= 100;
  writeCharacter(out.file("rest.obj"), rest);
  writeCharacter(out.file("sculpt.obj"), sculpt);
  const CommandResult result =
      runSinew({"invert", arm("arm.glb"), "--pose", arm("poses/elbow90.json"), "--sculpt", out.file("sculpt.obj"),
                "--rest", out.file("rest.obj"), "-o", out.file("out.obj"), "--json", "-q"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  ASSERT_EQ(invertArm(out.file("plain.obj")).exitCode, 0);
  EXPECT_LE(largest(pointsOf(out.file("out.obj")) - pointsOf(out.file("plain.obj"))), 1e-5 * diagonal());
}

TEST_F(Invert, StacksAreInvertedThroughEveryOperator) {
  const TemporaryFolder out;
  const std::string lattice = out.write("box.json", R"({"low": [-9, -9, -9], "high": [9, 9, 9],
    "resolution": [2, 2, 2], "outside": "clamp", "displacements": [[1,2,3],[0,0,0],[0,1,0],[0,0,0],[0,0,0],[2,0,0],
    [0,0,0],[1,1,1]]})");
  const CommandResult result = invertArm(out.file("out.obj"), {"--deformer", "dual-quaternion", "lattice:" + lattice,
                                                               "--max-residual", "1e-8", "--force"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.json()["method"], "newton");
  EXPECT_LE(result.json()["evaluations"].get<int>(), 30);
}

TEST_F(Invert, ABoxInAnotherProcessIsSolvedInThirtyCalls) {
  const ExactArm tube;
  const Points truth = tube.shaken(0.05, 3);
  for (const std::string mode : {"arm", "arm-float"}) {
    PipeBox pipe(box(mode));
    Points target;
    pipe.move(truth, target);
    for (const InvertMethod method : {InvertMethod::Newton, InvertMethod::Powell}) {
      const int before = pipe.calls();
      const InvertResult result = invertMap(pipe.map(), tube.points, target, {.method = method});
      EXPECT_EQ(pipe.calls() - before, result.report.evaluations);
      EXPECT_LE(result.report.evaluations, method == InvertMethod::Newton ? 30 : 400) << mode;
      EXPECT_LE(result.report.residual.max, mode == "arm" && method == InvertMethod::Newton ? 1e-10 : 1e-6)
          << mode << nameOf(method);
      EXPECT_LE(largest(tube.points + result.deltas - truth),
                mode == "arm" && method == InvertMethod::Newton ? 1e-9 : 3e-6);
      EXPECT_EQ(result.report.bits < 30, mode == "arm-float");
    }
  }
}

TEST_F(Invert, TheCommandInvertsABlackBox) {
  const TemporaryFolder out;
  const ExactArm tube;
  const Points truth = tube.shaken(0.05, 3);
  CharacterFile sculpt = readCharacter(exact("rest.obj"));
  for (const std::string mode : {"arm", "arm-float", "arm-smooth"}) {
    PipeBox(box(mode)).move(truth, sculpt.character.mesh.points);
    writeCharacter(out.file("sculpt.obj"), sculpt);
    const CommandResult result =
        runSinew({"invert", exact("arm.glb"), "--pose", "rest", "--sculpt", out.file("sculpt.obj"), "--black-box",
                  box(mode), "-o", out.file("out.obj"), "--json", "-q"});
    ASSERT_EQ(result.exitCode, 0) << mode << result.err;
    const Json json = result.json();
    EXPECT_LE(json["residual"]["max"].get<double>(), 1e-5 * ExactArm::kDiagonal);
    EXPECT_EQ(json["layerW"]["rms"], 0) << "nothing is hidden in w";
    if (mode == "arm-smooth") {
      EXPECT_EQ(json["method"], "fixed-point");
      EXPECT_EQ(json["nonLocal"], 5);
      continue;
    }
    EXPECT_EQ(json["method"], "newton");
    EXPECT_EQ(json["nonLocal"], 1);
    EXPECT_LE(json["evaluations"].get<int>(), 30);
    EXPECT_LE(largest(pointsOf(out.file("out.obj")) - truth), mode == "arm" ? 1e-8 : 3e-6) << mode;
  }
}

TEST_F(Invert, AFoldedArmIsFiniteAndToldApart) {
  const TemporaryFolder out;
  const std::string pose = out.write("fold.json", R"({"joints": {"lower": {"euler": [0, 0, 180]}}})");
  CharacterFile sculpt = readCharacter(exact("rest.obj"));
  sculpt.character.mesh.points = bicepsSculpt(ExactArm(), 180);
  writeCharacter(out.file("sculpt.obj"), sculpt);
  for (const std::string method : {"auto", "newton", "powell"}) {
    const CommandResult result =
        runSinew({"invert", exact("arm.glb"), "--pose", pose, "--sculpt", out.file("sculpt.obj"), "--method", method,
                  "-o", out.file("out.obj"), "--json", "-q"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const Json json = result.json();
    EXPECT_GE(json["unreachable"].get<int>(), 20);
    EXPECT_LE(json["singular"].get<int>(), 24);
    EXPECT_LE(json["residual"]["max"].get<double>(), 1e-6);
    EXPECT_GT(json["layerW"]["rms"].get<double>(), 1e-3);
    EXPECT_LT(json["largestDelta"].get<double>(), 3);
    EXPECT_TRUE(pointsOf(out.file("out.obj")).allFinite());
  }
}

TEST_F(Invert, BadBoxesAreOneSentenceAndWriteNothing) {
  const TemporaryFolder out;
  struct Row {
    const char* command;
    const char* word;
  };
  for (const Row& row : {Row{"exit 7", "exit code 7"}, Row{"no-such-box-anywhere 2>/dev/null", "could not be found"},
                         Row{"yes", "declared"}, Row{"sleep 30", "within 0.5 seconds"},
                         Row{"kill -SEGV $$", "signal 11"}, Row{"cat > /dev/null", "within 0.5 seconds"}}) {
    const auto begin = std::chrono::steady_clock::now();
    const CommandResult result = invertArm(out.file("out.obj"), {"--black-box", row.command, "--box-timeout", "0.5"});
    EXPECT_EQ(result.exitCode, 2) << row.command << result.err;
    EXPECT_NE(result.err.find(row.word), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(row.command), std::string::npos) << "names the command: " << result.err;
    EXPECT_TRUE(out.names().empty()) << row.command;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << row.command;
  }
}

TEST_F(Invert, MissedLimitExitsWith3AndWritesAllTheSame) {
  const TemporaryFolder out;
  const CommandResult result = invertArm(out.file("out.obj"), {"--method", "powell", "--max-calls", "12", "--tolerance",
                                                               "1e-9", "--max-residual", "1e-9"});
  EXPECT_EQ(result.exitCode, 3) << result.err;
  EXPECT_FALSE(result.json()["converged"].get<bool>());
  EXPECT_EQ(out.names().size(), 1u);
}

TEST_F(Invert, BadInputIsOneSentenceAndWritesNothing) {
  const TemporaryFolder out;
  const auto refused = [&](const std::vector<std::string>& arguments, int code, const std::string& word) {
    std::vector<std::string> all{"invert", arm("arm.glb"), "-q", "-o", out.file("out.obj")};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const CommandResult result = runSinew(all);
    EXPECT_EQ(result.exitCode, code) << result.err;
    EXPECT_NE(result.err.find(word), std::string::npos) << result.err;
    EXPECT_TRUE(out.names().empty());
  };
  const std::string pose = arm("poses/elbow90.json");
  refused({"--pose", pose, "--sculpt", exact("bend80.obj")}, 2, "984 vertices");
  refused({"--pose", pose, "--sculpt", arm("nothing.obj")}, 2, "nothing.obj");
  refused({"--pose", "dance@1", "--sculpt", arm("elbow90.obj")}, 2, "dance");
  refused({"--pose", pose, "--sculpt", arm("elbow90.obj"), "--method", "closed", "--deformer", "dual-quaternion"}, 2,
          "linear blend");
  refused({"--pose", pose, "--sculpt", arm("elbow90.obj"), "--black-box", "cat", "--method", "closed"}, 1, "closed");
  refused({"--pose", pose, "--sculpt", arm("elbow90.obj"), "--black-box", "cat", "--deformer", "rigid"}, 1,
          "--deformer");
  refused({"--pose", pose, "--sculpt", arm("elbow90.obj"), "--box-timeout", "soon"}, 1, "--box-timeout");
  refused({"--pose", pose, "--sculpt", arm("elbow90.obj"), "--max-residual", "-1"}, 1, "--max-residual");
}

}  // namespace
}  // namespace sinew::test::invert_test
