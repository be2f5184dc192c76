// The left-right symmetry that is sent to the page: computed once, by the library, for all mirroring.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>

#include "session_harness.h"
#include "sinew/character/mirror.h"
#include "support/data.h"

namespace sinew::studio::test::mirror_test {
namespace {

std::vector<float> floatsOf(const Vec3& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

/// Posing a joint with its mirror partner gives the same as mirroring the pose of that joint alone.
void expectAgreement(StudioRun& run, int leastPairs) {
  const Json mirror = run.document()["mirror"];
  ASSERT_TRUE(mirror.contains("partners")) << mirror;
  int pairs = 0;
  for (std::uint32_t j = 0; j < mirror["partners"].size(); ++j) {
    const int partner = mirror["partners"][j].get<int>();
    if (partner < 0) continue;
    ++pairs;
    LocalTransform wanted;
    wire::PoseSet set{.joints = {j}, .mirror = 1};
    run.onWorker([&](Session& session) {
      const Character& character = session.document().file.character;
      const MirrorMap& map = session.mirror(MirrorAxis::Auto);
      EXPECT_EQ(mirror["axis"], std::string(1, "xyz"[map.axis]));
      EXPECT_EQ(partner, map.joint[j]);
      Pose pose = restPose(character);
      LocalTransform& local = pose.local[j];
      local.rotation = local.rotation * Quat(Eigen::AngleAxisd(0.7, Vec3(0.3, -0.5, 0.8).normalized()));
      local.translation += Vec3(0.01, 0.02, -0.03);
      const Eigen::Vector4f turn = local.rotation.coeffs().cast<float>();
      set.rotations.assign(turn.begin(), turn.end());
      set.translations = floatsOf(local.translation);
      set.scales = floatsOf(local.scale);
      wanted = mirrorPose(character, map, pose).local[static_cast<std::size_t>(partner)];
    });
    run.send(set);
    run.onWorker([&](Session& session) {
      const LocalTransform& moved = session.document().views[0].local[static_cast<std::size_t>(partner)];
      const std::string& name = session.document().file.character.skeleton[static_cast<int>(j)].name;
      EXPECT_LT(moved.rotation.angularDistance(wanted.rotation), 1e-5) << name;
      EXPECT_LT((moved.translation - wanted.translation).norm(), 1e-5) << name;
    });
  }
  EXPECT_GE(pairs, leastPairs);
}

TEST(Mirror, APartnerFollowsAsInTheMirroredPose) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:biped", 1500);
  expectAgreement(run, 16);
}

TEST(Mirror, OfOneJointIsAStepAndTellsThePageOfFollowersMeanwhile) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:biped", 1500);
  const Json document = run.document();
  std::uint32_t joint = 0;
  while (document["mirror"]["partners"][joint].get<int>() < 0) ++joint;
  const auto partner = document["mirror"]["partners"][joint].get<std::size_t>();
  const auto turnOf = [&](std::size_t j) {
    const Json& rest = document["joints"][j]["rest"]["rotation"];
    const Json now = run.document()["views"][0][j]["rotation"];
    double dot = 0;
    for (std::size_t i = 0; i < 4; ++i) dot += rest[i].get<double>() * now[i].get<double>();
    return 2 * std::acos(std::min(1.0, std::abs(dot)));
  };
  wire::PoseSet set{
      .live = 1, .joints = {joint}, .rotations = {0, 0, 0.3f, 0.9f}, .translations = {0, 0, 0}, .scales = {1, 1, 1}};
  set.mirror = 1;
  run.send(set);
  EXPECT_GT(turnOf(partner), 0.1);
  const auto followers = run.page().told<wire::Followers>();
  ASSERT_EQ(followers.size(), 1u);
  EXPECT_EQ(followers[0].joints, std::vector<std::uint32_t>{static_cast<std::uint32_t>(partner)});
  EXPECT_TRUE(run.ask("pose.takeBack")["ok"]);
  EXPECT_LT(turnOf(partner), 1e-5);
  EXPECT_EQ(run.depth(), 0u);
  set.live = set.mirror = 0;
  run.send(set);
  EXPECT_LT(turnOf(partner), 1e-5);
  EXPECT_TRUE(run.ask("pose.mirrorJoint", {{"view", 0}, {"joint", joint}})["ok"]);
  EXPECT_GT(turnOf(partner), 0.1);
  EXPECT_EQ(run.depth(), 2u);
  EXPECT_EQ(run.ask("pose.mirrorJoint", {{"view", 0}, {"joint", 9999}})["code"], "bad-input");
}

TEST(Mirror, WristsAreThePartnersOfWristsWhateverTheirNames) {
  SINEW_NEEDS_DATA();
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "root");
  std::filesystem::copy(sinew::test::dataDir() / "gltf/CesiumMan.glb", scratch / "root/CesiumMan.glb");
  StudioRun run(scratch, "CesiumMan.glb");
  expectAgreement(run, 14);
  const Json document = run.document();
  const auto partnerOf = [&](const std::string& name) -> std::string {
    for (std::size_t j = 0; j < document["joints"].size(); ++j) {
      if (document["joints"][j]["name"] != name) continue;
      const int partner = document["mirror"]["partners"][j].get<int>();
      return partner < 0 ? "none" : document["joints"][static_cast<std::size_t>(partner)]["name"].get<std::string>();
    }
    return "no such joint";
  };
  // In the file, the left arm is ordered from the wrist up and the right one from the shoulder down.
  EXPECT_EQ(partnerOf("Skeleton_arm_joint_L__2_"), "Skeleton_arm_joint_R__3_");
  EXPECT_EQ(partnerOf("Skeleton_arm_joint_L__3_"), "Skeleton_arm_joint_R__2_");
  EXPECT_EQ(partnerOf("Skeleton_arm_joint_L__4_"), "Skeleton_arm_joint_R");
  EXPECT_EQ(partnerOf("leg_joint_L_1"), "leg_joint_R_1");
}

TEST(Mirror, WeightsAreTheSameOnBothSidesAfterwards) {
  SINEW_NEEDS_DATA();
  for (const std::string name : {"CesiumMan", "RiggedFigure"}) {
    const Scratch scratch;
    std::filesystem::copy(sinew::test::dataDir() / "gltf" / (name + ".glb"), scratch / ("root/" + name + ".glb"));
    StudioRun run(scratch, name + ".glb");
    const auto asymmetric = [&] {
      int pairs = 0;
      run.onWorker([&](Session& session) {
        const Character& character = session.document().file.character;
        const MirrorMap& map = session.mirror(MirrorAxis::Auto);
        for (std::size_t v = 0; v < map.vertex.size(); ++v) {
          if (map.vertex[v].kind != MirrorPlace::Kind::Vertex) continue;
          std::map<int, double> difference;
          for (const Influence& one : character.skin.weights[static_cast<Index>(v)])
            difference[character.skin.bindings[one.binding].joint] += one.weight;
          for (const Influence& one : character.skin.weights[static_cast<Index>(map.vertex[v].vertex[0])]) {
            const int joint = character.skin.bindings[one.binding].joint;
            difference[map.joint[static_cast<std::size_t>(joint)]] -= one.weight;
          }
          pairs += std::any_of(difference.begin(), difference.end(),
                               [](const auto& one) { return std::abs(one.second) > 0.01; });
        }
      });
      return pairs;
    };
    EXPECT_GT(asymmetric(), 0) << name;
    const Json result = run.result("weights.mirror", {{"from", "above"}});
    EXPECT_EQ(asymmetric(), 0) << name;
    run.onWorker([&](Session& session) {
      const Index alone = session.mirror(MirrorAxis::Auto).report.unmatchedVertices;
      EXPECT_EQ(result.contains("warning"), alone > 0) << result;
    });
  }
}

}  // namespace
}  // namespace sinew::studio::test::mirror_test
