// Helper joints in glTF: an exact round trip of rules; faults are refused or left out with a sentence. Other programs
// see plain joints and, where a rule is one, a node constraint.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "formats_support.h"
#include "gltf_sketch.h"
#include "schema_misfit.h"
#include "sinew/deform/posing.h"
#include "support/test_arm.h"

namespace sinew::gltf_helpers_test {
namespace {

using test::expectRefused;
using test::GltfSketch;
using test::Json;
using test::opened;
using test::rewritten;

constexpr const char* kBlock = "SINEW_helper_joints";
constexpr const char* kConstraint = "VRMC_node_constraint";

// Nodes 0 to 2 are the joints of the arm, node 3 places its mesh.
constexpr int kHalf = 4;
constexpr int kTwist = 5;
constexpr int kBend = 6;
constexpr int kBulge = 7;

int addHelper(Character& character, const std::string& name, int parent, int like) {
  std::vector<Joint> joints(character.skeleton.joints().begin(), character.skeleton.joints().end());
  joints.push_back({name, parent, character.skeleton[like].rest});
  character.skeleton = Skeleton(std::move(joints));
  PosedJoints posed;
  poseJoints(character.skeleton, {}, restPose(character.skeleton), posed);
  character.skin.bindings.push_back({character.skeleton.size() - 1, posed.worldFromJoint.back().inverse()});
  return character.skeleton.size() - 1;
}

/// Half of every weight goes to the helper joints, in equal parts.
SkinWeights sharedWeights(const Character& arm) {
  const auto count = static_cast<std::uint32_t>(arm.skin.bindings.size());
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < arm.skin.weights.vertexCount(); ++v) {
    std::vector<Influence>& column = columns.emplace_back();
    for (const Influence& influence : arm.skin.weights[v]) column.push_back({influence.binding, influence.weight / 2});
    for (std::uint32_t b = 3; b < count; ++b) column.push_back({b, 0.5 / (count - 3)});
  }
  return SkinWeights::fromColumns(count, columns);
}

/// An arm as it comes from a file, with a joint of each kind at its elbow.
CharacterFile armWithHelpers() {
  CharacterFile made;
  made.character = test::testArm();
  Clip clip{"bend", {{ClipPath::Rotation, Interpolation::Linear, 2, 0, {0, 1}, Eigen::MatrixXd(4, 2)}}};
  clip.channels[0].values << 0, 0, 0, 0, 0, std::sin(0.5), 1, std::cos(0.5);
  made.character.clips.push_back(clip);
  CharacterFile file = readGltfFromMemory(rewritten(made), {}, "arm");
  Character& arm = file.character;
  const int lower = arm.skeleton.index("lower");
  const int upper = arm.skeleton.index("upper");
  const int half = addHelper(arm, "lower_half", upper, lower);
  const int twist = addHelper(arm, "lower_twist", upper, lower);
  const int bend = addHelper(arm, "lower_bend", upper, lower);
  const int bulge = addHelper(arm, "lower_bulge", lower, lower);
  const Vec3 direction = Vec3(1, 0.1, 0).normalized();
  arm.helpers = {{HelperKind::Half, half, lower, 1.0 / 3, 0, Vec3::UnitX()},
                 {HelperKind::Twist, twist, lower, 0.25, 0, direction},
                 {HelperKind::Bend, bend, lower, 0.75, 0, direction},
                 {HelperKind::Bulge, bulge, lower, 0.5, -0.3, direction}};
  arm.skin.weights = sharedWeights(arm);
  return file;
}

CharacterFile reread(const CharacterFile& file) {
  return readGltfFromMemory(rewritten(file), {}, "arm");
}

Json& blockOf(GltfSketch& sketch) {
  return sketch.json["extensions"][kBlock];
}

TEST(GltfHelpers, RulesComeBackAsTheyWere) {
  const CharacterFile file = armWithHelpers();
  const CharacterFile back = reread(file);
  EXPECT_EQ(back.character.helpers, file.character.helpers);
  EXPECT_EQ(back.blocks, std::vector<std::string>{kBlock});
  EXPECT_TRUE(back.problems.empty());
  EXPECT_EQ(back.character.skeleton[kBend].name, "lower_bend");
  // Made by code, without a source.
  CharacterFile fresh;
  fresh.character = file.character;
  EXPECT_EQ(reread(fresh).character.helpers, file.character.helpers);
}

TEST(GltfHelpers, PlayAsTheyDidBeforeWriting) {
  const CharacterFile file = armWithHelpers();
  const CharacterFile back = reread(file);
  const Pose pose = test::bentArmPose(file.character);
  const Points before = posePoints(file.character, pose);
  EXPECT_LT((posePoints(back.character, pose) - before).cwiseAbs().maxCoeff(), 1e-6);
  CharacterFile without = file;
  without.character.helpers.clear();
  EXPECT_GT((posePoints(without.character, pose) - before).cwiseAbs().maxCoeff(), 0.01);
}

TEST(GltfHelpers, WritingAgainChangesNothing) {
  const std::string first = rewritten(armWithHelpers());
  EXPECT_EQ(rewritten(readGltfFromMemory(first, {}, "arm")), first);
}

TEST(GltfHelpers, ThoseTakenAwayLeaveNoTrace) {
  const CharacterFile file = armWithHelpers();
  CharacterFile plain = reread(file);
  plain.character.helpers.clear();
  const GltfSketch written = opened(rewritten(plain));
  EXPECT_FALSE(written.json.contains("extensions"));
  EXPECT_FALSE(written.json.contains("extensionsUsed"));
  for (const Json& node : written.json["nodes"]) EXPECT_FALSE(node.contains("extensions"));
}

TEST(GltfHelpers, HalfRulesAreNodeConstraintsWhereTheirSourceStandsStill) {
  CharacterFile file = armWithHelpers();
  const GltfSketch written = opened(rewritten(file));
  const Json& half = written.json["nodes"][kHalf];
  EXPECT_EQ(half["extensions"][kConstraint]["specVersion"], "1.0");
  EXPECT_EQ(half["extensions"][kConstraint]["constraint"]["rotation"]["source"], 2);
  EXPECT_EQ(half["extensions"][kConstraint]["constraint"]["rotation"]["weight"], 1.0 / 3);
  for (const int other : {kTwist, kBend, kBulge}) EXPECT_FALSE(written.json["nodes"][other].contains("extensions"));
  EXPECT_EQ(written.json["extensionsUsed"], Json({kConstraint, kBlock}));

  // Keys at the rest position do not matter; a moving source does.
  file = written.read();
  const Vec3 rest = file.character.skeleton[2].rest.translation;
  ClipChannel still{ClipPath::Translation, Interpolation::Step, 2, 0, {0, 1}, Eigen::MatrixXd(3, 2)};
  still.values.colwise() = rest;
  file.character.clips[0].channels.push_back(still);
  EXPECT_TRUE(opened(rewritten(file)).json["nodes"][kHalf].contains("extensions"));
  file.character.clips[0].channels.back().values(1, 1) += 0.25;
  const GltfSketch moved = opened(rewritten(file));
  EXPECT_FALSE(moved.json["nodes"][kHalf].contains("extensions"));
  EXPECT_EQ(moved.json["extensionsUsed"], Json({kBlock}));
}

/// The constraint, by its specification, gives the same result as the rule.
TEST(GltfHelpers, NodeConstraintTurnsAsTheRuleDoes) {
  const CharacterFile file = armWithHelpers();
  const Character& arm = file.character;
  const Json constraint =
      opened(rewritten(file)).json["nodes"][kHalf]["extensions"][kConstraint]["constraint"]["rotation"];
  const int source = constraint["source"];
  for (const double degrees : {-170.0, -60.0, 20.0, 140.0}) {
    const Pose pose = test::bentArmPose(arm, degrees, degrees / 3);
    const Quat delta = arm.skeleton[source].rest.rotation.conjugate() * pose.local[2].rotation;
    const Quat wanted =
        arm.skeleton[kHalf].rest.rotation * Quat::Identity().slerp(constraint["weight"].get<double>(), delta);
    const LocalTransform ours = helperTransform(arm.skeleton, arm.helpers[0], pose);
    EXPECT_LT(ours.rotation.angularDistance(wanted), 1e-9) << degrees;
  }
}

TEST(GltfHelpers, ConstraintsOfOthersStay) {
  GltfSketch s = opened(rewritten(armWithHelpers()));
  const Json foreign =
      Json::parse(R"({"specVersion": "1.0", "constraint": {"aim": {"source": 2, "aimAxis": "PositiveX"}}})");
  s.json["nodes"][0]["extensions"][kConstraint] = foreign;
  CharacterFile file = s.read();
  file.character.helpers.clear();
  const GltfSketch written = opened(rewritten(file));
  EXPECT_EQ(written.json["nodes"][0]["extensions"][kConstraint], foreign);
  EXPECT_FALSE(written.json["nodes"][kHalf].contains("extensions"));
  EXPECT_EQ(written.json["extensionsUsed"], Json({kConstraint}));
}

TEST(GltfHelpers, JointsThatMovedInTheListAreFoundByName) {
  GltfSketch s = opened(rewritten(armWithHelpers()));
  blockOf(s)["rules"][0]["joint"] = 400;
  blockOf(s)["rules"][1]["source"] = 0;
  const CharacterFile file = s.read();
  EXPECT_EQ(file.character.helpers, armWithHelpers().character.helpers);
}

TEST(GltfHelpers, RulesWhoseJointsAreGoneAreLeftOutWithASentence) {
  const GltfSketch sound = opened(rewritten(armWithHelpers()));
  const std::function<void(GltfSketch&)> faults[] = {
      [](GltfSketch& s) { s.json["nodes"][2]["name"] = "other"; }, [](GltfSketch& s) { blockOf(s)["version"] = 9; },
      // A tool hung a joint below a helper.
      [](GltfSketch& s) {
        s.json["nodes"].push_back({{"name", "late"}});
        s.json["nodes"][kHalf]["children"] = {s.json["nodes"].size() - 1};
      }};
  for (const auto& plant : faults) {
    GltfSketch s = sound;
    plant(s);
    const CharacterFile file = s.read();
    EXPECT_TRUE(file.character.helpers.empty());
    EXPECT_TRUE(file.blocks.empty());
    ASSERT_EQ(file.problems.size(), 1u);
    EXPECT_NE(file.problems[0].find(kBlock), std::string::npos) << file.problems[0];
    EXPECT_FALSE(opened(rewritten(file)).json.contains("extensions"));
  }
}

struct Fault {
  const char* name;
  std::function<void(Json&)> plant;
  std::vector<std::string> words;
};

const Fault kFaults[] = {
    {"no object", [](Json& b) { b = 5; }, {kBlock, "object"}},
    {"no version", [](Json& b) { b.erase("version"); }, {"version"}},
    {"no rules", [](Json& b) { b.erase("rules"); }, {"rules", "missing"}},
    {"rules of another kind", [](Json& b) { b["rules"] = "x"; }, {"rules", "list"}},
    {"a rule of another kind", [](Json& b) { b["rules"][1] = 3; }, {"rules[1]", "object"}},
    {"unknown kind", [](Json& b) { b["rules"][0]["kind"] = "thought"; }, {"rules[0]", "thought"}},
    {"no kind", [](Json& b) { b["rules"][0].erase("kind"); }, {"rules[0].kind", "missing"}},
    {"no joint", [](Json& b) { b["rules"][0].erase("joint"); }, {"rules[0].joint", "missing"}},
    {"negative joint", [](Json& b) { b["rules"][0]["joint"] = -1; }, {"rules[0].joint", "-1"}},
    {"a name that is a number", [](Json& b) { b["rules"][0]["name"] = 7; }, {"rules[0].name"}},
    {"no share", [](Json& b) { b["rules"][0].erase("share"); }, {"rules[0].share", "missing"}},
    {"share above 1", [](Json& b) { b["rules"][1]["share"] = 1.5; }, {"rules[1].share", "1.5"}},
    {"share as text", [](Json& b) { b["rules"][2]["share"] = "half"; }, {"rules[2].share", "number"}},
    {"gain of -1", [](Json& b) { b["rules"][3]["gain"] = -1; }, {"rules[3].gain", "-1"}},
    {"no direction", [](Json& b) { b["rules"][3].erase("direction"); }, {"direction", "missing"}},
    {"short direction",
     [](Json& b) {
       b["rules"][3]["direction"] = {1, 0};
     },
     {"direction", "3"}},
    {"direction without length",
     [](Json& b) {
       b["rules"][3]["direction"] = {0, 0, 0};
     },
     {"direction", "unit"}},
    {"endless direction",
     [](Json& b) {
       b["rules"][3]["direction"] = {1e300, 1e300, 0};
     },
     {"direction", "unit"}},
    {"two rules of one joint", [](Json& b) { b["rules"].push_back(b["rules"][0]); }, {"two rules", "node 4"}},
    {"a helper as source",
     [](Json& b) {
       b["rules"][0]["source"] = 5;
       b["rules"][0]["sourceName"] = "lower_twist";
     },
     {"node 4", "node 5"}},
};

TEST(GltfHelpers, RefusesEveryFaultInASentence) {
  const GltfSketch sound = opened(rewritten(armWithHelpers()));
  ASSERT_FALSE(sound.read().character.helpers.empty());
  for (const Fault& fault : kFaults) {
    SCOPED_TRACE(fault.name);
    GltfSketch sketch = sound;
    fault.plant(blockOf(sketch));
    expectRefused([&] { static_cast<void>(sketch.read()); }, fault.words);
  }
}

TEST(GltfHelpers, FitTheirPublishedSchema) {
  const Json schema = test::publishedSchema(kBlock);
  GltfSketch sketch = opened(rewritten(armWithHelpers()));
  EXPECT_EQ(test::misfit(schema, blockOf(sketch)), "");
  blockOf(sketch)["rules"][3].erase("gain");
  EXPECT_EQ(test::misfit(schema, blockOf(sketch)), "block.rules[] fits no alternative, or several");
}

TEST(GltfHelpers, NewBindingsGoToTheSkinThatTheyName) {
  // A second mesh with a skin of its own, bound in another space.
  GltfSketch s = test::skinnedSquare();
  s.json["skins"].push_back(s.json["skins"][0]);
  s.json["meshes"].push_back(s.json["meshes"][0]);
  s.json["nodes"].push_back({{"name", "second"}, {"mesh", 1}, {"skin", 1}});
  s.json["nodes"].push_back({{"name", "sign"}, {"mesh", 2}});
  s.json["meshes"].push_back(s.json["meshes"][0]);
  for (const char* key : {"JOINTS_0", "WEIGHTS_0"}) s.json["meshes"][2]["primitives"][0]["attributes"].erase(key);
  s.json["scenes"][0]["nodes"] = {0, 2, 3, 4};
  CharacterFile file = s.read();
  Skin& skin = file.character.skin;
  ASSERT_EQ(skin.bindings.size(), 5u);
  EXPECT_EQ(skin.bindings[1].skin, 0);
  EXPECT_EQ(skin.bindings[3].skin, 1);
  EXPECT_EQ(skin.bindings[4].skin, -1);
  std::vector<Joint> joints(file.character.skeleton.joints().begin(), file.character.skeleton.joints().end());
  joints.push_back({"knee_half", 0, joints[1].rest});
  file.character.skeleton = Skeleton(joints);
  Binding added{5, skin.bindings[3].jointFromRest, 1};
  skin.bindings.push_back(added);
  std::vector<std::vector<Influence>> columns;
  for (Index v = 0; v < skin.weights.vertexCount(); ++v) {
    columns.emplace_back(skin.weights[v].begin(), skin.weights[v].end());
  }
  skin.weights = SkinWeights::fromColumns(6, columns);
  const GltfSketch written = opened(rewritten(file));
  EXPECT_EQ(written.json["skins"][0]["joints"], Json({0, 1}));
  EXPECT_EQ(written.json["skins"][1]["joints"], Json({0, 1, 5}));
  // Written without its source, it still has two skins.
  CharacterFile fresh;
  fresh.character = file.character;
  const GltfSketch anew = opened(rewritten(fresh));
  ASSERT_EQ(anew.json["skins"].size(), 2u);
  EXPECT_EQ(anew.json["skins"][1]["joints"], Json({0, 1, 5}));
  const Character back = anew.read().character;
  EXPECT_EQ(back.skin.bindings[4].skin, 1);
}

}  // namespace
}  // namespace sinew::gltf_helpers_test
