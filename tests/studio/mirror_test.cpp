// Left and right as the page is told them: found once, by the library, for every way of mirroring.
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

Quat quatOf(const Json& numbers) {
  return {numbers[3].get<double>(), numbers[0].get<double>(), numbers[1].get<double>(), numbers[2].get<double>()};
}

/// What the page does with `mirror` agrees with mirroring the pose on the server, joint by joint.
void expectAgreement(StudioRun& run, int leastPairs) {
  const Json mirror = run.document()["mirror"];
  ASSERT_TRUE(mirror.contains("joints")) << mirror;
  int pairs = 0;
  run.onWorker([&](Session& session) {
    const Character& character = session.document().file.character;
    const MirrorMap& map = session.mirror("auto");
    EXPECT_EQ(mirror["axis"], std::string(1, "xyz"[map.axis]));
    for (std::size_t j = 0; j < map.joint.size(); ++j) {
      const int partner = mirror["joints"][j]["partner"].get<int>();
      if (partner < 0) continue;
      EXPECT_EQ(partner, map.joint[j]);
      ++pairs;
      Pose pose = restPose(character);
      LocalTransform& local = pose.local[j];
      local.rotation = local.rotation * Quat(Eigen::AngleAxisd(0.7, Vec3(0.3, -0.5, 0.8).normalized()));
      local.translation += Vec3(0.01, 0.02, -0.03);
      const LocalTransform wanted = mirrorPose(character, map, pose).local[static_cast<std::size_t>(partner)];
      const Quat above = quatOf(mirror["joints"][j]["above"]);
      const Quat turned = above * local.rotation * quatOf(mirror["joints"][j]["own"]).conjugate();
      EXPECT_LT(turned.angularDistance(wanted.rotation), 1e-5) << character.skeleton[static_cast<int>(j)].name;
      const Vec3 moved = character.skeleton[partner].rest.translation -
                         above * (local.translation - character.skeleton[static_cast<int>(j)].rest.translation);
      EXPECT_LT((moved - wanted.translation).norm(), 1e-5);
    }
  });
  EXPECT_GE(pairs, leastPairs);
}

TEST(Mirror, ThePageMirrorsAsTheServerDoes) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:biped", 1500);
  expectAgreement(run, 16);
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
      const int partner = document["mirror"]["joints"][j]["partner"].get<int>();
      return partner < 0 ? "none" : document["joints"][static_cast<std::size_t>(partner)]["name"].get<std::string>();
    }
    return "no such joint";
  };
  // The file counts its left arm up from the wrist and its right one down from the shoulder.
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
        const MirrorMap& map = session.mirror("auto");
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
    EXPECT_EQ(asymmetric(), 0) << name << " " << result["sentence"];
    run.onWorker([&](Session& session) {
      const Index alone = session.mirror("auto").report.unmatchedVertices;
      EXPECT_EQ(result.contains("warning"), alone > 0) << result;
    });
  }
}

}  // namespace
}  // namespace sinew::studio::test::mirror_test
