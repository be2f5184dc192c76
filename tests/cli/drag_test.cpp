// sinew drag, as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "run_sinew.h"
#include "sinew/deform/posing.h"
#include "sinew/io/formats.h"
#include "sinew/io/poses.h"

namespace sinew::test::drag_test {
namespace {

using nlohmann::json;

class Drag : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    ASSERT_EQ(runSinew({"sample", "biped", "--vertices", "3000", "-o", folder_->path().string(), "-q"}).exitCode, 0);
    folder_->write("pose.json",
                   R"({"joints": {"forearm_l": {"euler": [0, 70, 20]}, "upper_arm_l": {"euler": [0, 30, 50]},
                                    "clavicle_l": {"euler": [10, 0, 15]}}})");
    folder_->write("other.json",
                   R"({"joints": {"forearm_l": {"euler": [0, 20, 0]}, "upper_arm_l": {"euler": [40, 0, -30]}}})");
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static std::string in(const std::string& name) { return folder_->file(name); }

  /// A vertex of the file that the elbow shares between two joints.
  static Index elbow(const Character& character) {
    Index best = 0;
    double most = 0;
    for (Index v = 0; v < character.mesh.vertexCount(); ++v) {
      double product = 1;
      for (const char* name : {"upper_arm_l", "forearm_l"}) {
        double weight = 0;
        for (const Influence& influence : character.skin.weights[v]) {
          if (character.skeleton[character.skin.bindings[influence.binding].joint].name == name)
            weight = influence.weight;
        }
        product *= weight;
      }
      if (product > most) best = v;
      most = std::max(most, product);
    }
    return best;
  }

  static std::string text(const Vec3& p) {
    return json(p.x()).dump() + "," + json(p.y()).dump() + "," + json(p.z()).dump();
  }

  static TemporaryFolder* folder_;
};
TemporaryFolder* Drag::folder_ = nullptr;

Vec3 vec(const json& numbers) {
  return {numbers[0].get<double>(), numbers[1].get<double>(), numbers[2].get<double>()};
}

TEST_F(Drag, WritesWeightsThatBringTheVertexToTheNearestPlace) {
  const TemporaryFolder out;
  const CharacterFile before = readCharacter(in("biped.glb"));
  const Index vertex = elbow(before.character);
  const Pose pose = readPose(in("pose.json"), before.character);
  const Vec3 start = posePoints(before.character, pose).col(vertex);
  // Towards the position that the clavicle alone would give: out of reach, but reachable with that joint.
  const json wider = runSinew({"drag", in("biped.glb"), "--pose", in("pose.json"), "--vertex", std::to_string(vertex),
                               "--move", "0,0,0", "--add", "clavicle_l", "--present-only", "--json"})
                         .json()["vertices"][0]["hull"];
  ASSERT_EQ(wider["joints"].back(), "clavicle_l");
  const Vec3 target = 0.5 * (start + vec(wider["vertices"].back()));
  const CommandResult run =
      runSinew({"drag", in("biped.glb"), "--pose", in("pose.json"), "--vertex", std::to_string(vertex), "--target",
                text(target), "--present-only", "-o", out.file("dragged.glb"), "--json"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  const json answer = run.json();
  ASSERT_EQ(answer["vertices"].size(), 1u);
  const json& block = answer["vertices"][0];
  EXPECT_EQ(block["vertex"], vertex);
  const Vec3 reached = vec(block["reached"]);
  EXPECT_NEAR(block["distance"].get<double>(), (target - reached).norm(), 1e-12);
  EXPECT_FALSE(block["reachable"].get<bool>());
  EXPECT_LT((target - reached).norm(), (target - start).norm());
  double sum = 0;
  for (const json& weight : block["weights"]) {
    EXPECT_GE(weight.get<double>(), 0);
    sum += weight.get<double>();
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  ASSERT_TRUE(block.contains("suggestion")) << block;
  EXPECT_LT(block["suggestion"]["distance"].get<double>(), block["distance"].get<double>());
  EXPECT_EQ(block["hull"]["vertices"].size(), before.character.skin.weights[vertex].size());

  // In the file, the vertex has moved, its seam is closed, and everything else is unchanged.
  const CharacterFile after = readCharacter(out.file("dragged.glb"));
  const Points posed = posePoints(after.character, pose);
  EXPECT_LT((posed.col(vertex) - reached).norm(), 5e-4 * block["hull"]["diameter"].get<double>());
  EXPECT_EQ(after.character.mesh.points, before.character.mesh.points);
  EXPECT_EQ(after.character.clips.size(), before.character.clips.size());
  const Points plain = posePoints(before.character, pose);
  for (Index v = 0; v < posed.cols(); ++v) {
    const bool seam = (before.character.mesh.points.col(v) - before.character.mesh.points.col(vertex)).norm() < 1e-7;
    EXPECT_LT((posed.col(v) - (seam ? reached : Vec3(plain.col(v)))).norm(), 1e-6) << v;
  }

  // With the suggested joint it comes as close as reported.
  const CommandResult added =
      runSinew({"drag", in("biped.glb"), "--pose", in("pose.json"), "--vertex", std::to_string(vertex), "--target",
                text(target), "--present-only", "--add", block["suggestion"]["joint"].get<std::string>(), "--json"});
  ASSERT_EQ(added.exitCode, 0) << added.err;
  EXPECT_NEAR(added.json()["vertices"][0]["distance"].get<double>(), block["suggestion"]["distance"].get<double>(),
              1e-9);

  // By default the joints near the vertex are used too: the clavicle is the parent of one of its own.
  const json near = runSinew({"drag", in("biped.glb"), "--pose", in("pose.json"), "--vertex", std::to_string(vertex),
                              "--target", text(target), "--json"})
                        .json()["vertices"][0];
  EXPECT_LT(near["distance"].get<double>(), 1e-9);
  EXPECT_GT(near["weights"]["clavicle_l"].get<double>(), 0.1);
}

TEST_F(Drag, FollowsWithLocksLimitsAndOtherPoses) {
  const TemporaryFolder out;
  const CharacterFile before = readCharacter(in("biped.glb"));
  const Index vertex = elbow(before.character);
  const std::vector<std::string> base{
      "drag",   in("biped.glb"),   "--pose",         in("pose.json"), "--vertex", std::to_string(vertex),
      "--move", "-0.03,0.02,0.01", "--present-only", "--json"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    const CommandResult run = runSinew(more);
    EXPECT_EQ(run.exitCode, 0) << run.err;
    return run.json();
  };
  const json plain = with({});
  const json soft = with({"--soft", "0.1", "-o", out.file("soft.glb")});
  EXPECT_EQ(plain["followers"], 0);
  EXPECT_GT(soft["followers"].get<int>(), 5);
  EXPECT_EQ(soft["vertices"].size(), soft["followers"].get<std::size_t>() + 1);
  EXPECT_EQ(soft["vertices"][0]["reached"], plain["vertices"][0]["reached"]);

  const json locked = with({"--lock", "forearm_l"});
  const double old = before.character.skin.weights.weight(vertex, [&] {
    for (const Influence& influence : before.character.skin.weights[vertex]) {
      const int joint = before.character.skin.bindings[influence.binding].joint;
      if (before.character.skeleton[joint].name == "forearm_l") return influence.binding;
    }
    return 0u;
  }());
  EXPECT_NEAR(locked["vertices"][0]["weights"]["forearm_l"].get<double>(), old, 1e-12);
  EXPECT_LT(locked["vertices"][0]["hull"]["diameter"].get<double>(),
            plain["vertices"][0]["hull"]["diameter"].get<double>());

  const json one = with({"--max-influences", "1"});
  EXPECT_EQ(one["vertices"][0]["weights"].size(), 1u);

  const json free = with({"--also", in("other.json")});
  const json kept = with({"--also", in("other.json"), "--alpha", "1"});
  EXPECT_LT(kept["vertices"][0]["also"][0]["moved"].get<double>(),
            free["vertices"][0]["also"][0]["moved"].get<double>());
  EXPECT_GT(kept["vertices"][0]["distance"].get<double>(), free["vertices"][0]["distance"].get<double>());

  const json sums = with({"--second-stage", "l1"});
  EXPECT_NEAR(sums["vertices"][0]["distance"].get<double>(), plain["vertices"][0]["distance"].get<double>(), 1e-9);
  const json negative = with({"--negative"});
  EXPECT_LE(negative["vertices"][0]["distance"].get<double>(), plain["vertices"][0]["distance"].get<double>() + 1e-12);
  EXPECT_EQ(with({"-o", out.file("posed.obj")})["output"], out.file("posed.obj"));
}

TEST_F(Drag, DragsWhatACorrectedCharacterShows) {
  const TemporaryFolder out;
  ASSERT_EQ(runSinew({"sample", "arm", "--exact", "-o", out.path().string(), "-q"}).exitCode, 0);
  ASSERT_EQ(
      runSinew({"psd", out.file("arm.glb"), "--examples", out.file("examples.json"), "-q", "-o", out.file("psd.glb")})
          .exitCode,
      0);
  out.write("bent.json", R"({"joints": {"lower": {"euler": [0, 0, 90]}}})");
  const CharacterFile file = readCharacter(out.file("psd.glb"));
  const Pose pose = readPose(out.file("bent.json"), file.character);
  const Points shown = posePoints(file.character, pose, file.playback());
  const Index vertex = 19 * 24;
  const CommandResult run =
      runSinew({"drag", out.file("psd.glb"), "--pose", out.file("bent.json"), "--vertex", std::to_string(vertex),
                "--move", "0.01,0,0", "-o", out.file("out.glb"), "--json"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  EXPECT_LT((vec(run.json()["vertices"][0]["start"]) - shown.col(vertex)).norm(), 1e-9);
  const CharacterFile after = readCharacter(out.file("out.glb"));
  ASSERT_TRUE(after.poseSpace);
  const Points moved = posePoints(after.character, pose, after.playback());
  // The correction rotates with the weights, so the target is reached only partly.
  const Vec3 reached = vec(run.json()["vertices"][0]["reached"]);
  EXPECT_LT((moved.col(vertex) - reached).norm(), 0.5 * (reached - shown.col(vertex)).norm());
}

TEST_F(Drag, RefusesWithOneSentenceAndWritesNothing) {
  const std::vector<std::string> base{"drag", in("biped.glb"), "--pose", in("pose.json")};
  const auto expect = [&](std::vector<std::string> more, int code, const std::string& words) {
    const TemporaryFolder out;
    more.insert(more.begin(), base.begin(), base.end());
    more.insert(more.end(), {"-o", out.file("out.glb")});
    const CommandResult run = runSinew(more);
    EXPECT_EQ(run.exitCode, code) << run.err;
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
    EXPECT_TRUE(out.names().empty());
  };
  expect({"--vertex", "99999", "--target", "0,0,0"}, 2, "there is no vertex 99999");
  expect({"--vertex", "-4", "--target", "0,0,0"}, 2, "there is no vertex -4");
  expect({"--vertex", "5", "--target", "0,nan,0"}, 2, "target");
  expect({"--vertex", "5", "--target", "0,0"}, 1, "is not a position");
  expect({"--vertex", "5", "--target", "0,0,0,0"}, 1, "is not a position");
  expect({"--vertex", "five", "--target", "0,0,0"}, 1, "is not a vertex number");
  expect({"--vertex", "5"}, 1, "--target X,Y,Z");
  expect({"--target", "0,0,0"}, 1, "no vertex");
  expect({"--vertex", "5", "6", "--target", "0,0,0"}, 1, "do not pair up");
  expect({"--vertex", "5", "--target", "0,0,0", "--move", "0,0,0"}, 1, "--move");
  expect({"--vertex", "5", "--target", "0,0,0", "--negative"}, 1, "cannot hold negative weights");
  expect({"--vertex", "5", "--target", "0,0,0", "--lock", "forearm"}, 2, "forearm");
  expect({"--vertex", "5", "--target", "0,0,0", "--soft", "-1"}, 1, "soft");

  const TemporaryFolder out;
  const CommandResult bare = runSinew(
      {"drag", in("rest.obj"), "--pose", "rest", "--vertex", "5", "--target", "0,0,0", "-o", out.file("out.glb")});
  EXPECT_EQ(bare.exitCode, 2);
  EXPECT_NE(bare.err.find("has no skin"), std::string::npos) << bare.err;
}

}  // namespace
}  // namespace sinew::test::drag_test
