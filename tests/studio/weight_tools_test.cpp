// Painting and the weight tools, through the page's commands.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "on_worker.h"
#include "studio/session/session.h"
#include "support/test_arm.h"

namespace sinew::studio::weight_tools_test {
namespace {

namespace fs = std::filesystem;

class Listener final : public Connection {
 public:
  [[nodiscard]] std::uint64_t id() const override { return 1; }
  void sendText(std::string text) override {
    const Json json = Json::parse(text);
    if (json.contains("id")) answer = json;
    if (json.contains("event")) events.push_back(json);
  }
  void sendBinary(Bytes message) override {
    const auto header = readHeader(message);
    if (header->code == wire::Reach::kCode)
      reaches.push_back(*decode<wire::Reach>(std::span(message).subspan(kHeaderBytes)));
    if (header->code != wire::Weights::kCode) return;
    const auto weights = decode<wire::Weights>(std::span(message).subspan(kHeaderBytes));
    if (weights->drag != 0) dragged = weights->vertices;
  }
  void close(std::string_view /*reason*/) override {}
  Json answer;
  std::vector<Json> events;
  std::vector<wire::Reach> reaches;
  std::vector<std::uint32_t> dragged;  ///< vertices of the last drag
};

constexpr Index kElbow = 10 * 12;  // a vertex of the middle ring: half upper, half lower

class WeightTools : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("sinew_tools_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "root");
    SessionOptions options;
    options.root = folder_ / "root";
    options.state = folder_ / "state";
    session_ = std::make_unique<Session>(options);
    hooks_ = session_->hooks();
    hooks_.opened(page_);
    CharacterFile file;
    file.character = sinew::test::testArm();
    wait([&] { session_->adopt({{"title", "arm"}, {"path", ""}}, file); });
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }

  template <class Work>
  void wait(const Work& work) {
    onWorker(*session_, [&](Session&) { work(); });
  }

  Json ask(const std::string& command, const Json& args = Json::object()) {
    hooks_.text(page_, Json{{"id", 1}, {"cmd", command}, {"args", args}}.dump());
    Json answer;
    wait([&] { answer = page_->answer; });
    return answer;
  }

  template <class Message>
  void send(const Message& message) {
    hooks_.binary(page_, encode(message, 1, 0));
    wait([] {});
  }

  SkinWeights weights() {
    SkinWeights copy;
    wait([&] { copy = session_->document().file.character.skin.weights; });
    return copy;
  }
  std::size_t depth() {
    std::size_t steps = 0;
    wait([&] { steps = session_->history().depth(); });
    return steps;
  }

  void paint(PaintOperation operation, float strength, const std::vector<std::uint32_t>& path, float radius = 0,
             std::uint32_t most = 0, std::uint32_t mirror = 0) {
    wire::PaintBegin begin;
    begin.drag = ++drag_;
    begin.radius = radius;
    begin.operation = static_cast<std::uint32_t>(operation);
    begin.binding = 2;
    begin.strength = strength;
    begin.maxInfluences = most;
    begin.mirror = mirror;
    send(begin);
    for (const std::uint32_t v : path) send(wire::Stroke{.drag = drag_, .vertices = {v}, .pressures = {1}});
    send(wire::DragEnd{.drag = drag_, .commit = 1});
  }

  /// The last message to the page for each view while the elbow is dragged by the end.
  std::map<std::uint32_t, wire::Reach> dragElbow(wire::WeightDragBegin begin, const std::array<float, 3>& target) {
    begin.drag = ++drag_;
    begin.lead = kElbow;
    page_->reaches.clear();
    send(begin);
    send(wire::DragEnd{.drag = drag_, .commit = 1, .target = target});
    std::map<std::uint32_t, wire::Reach> last;
    wait([&] {
      for (const wire::Reach& reach : page_->reaches) last[reach.view] = reach;
    });
    return last;
  }

  fs::path folder_;
  std::unique_ptr<Session> session_;
  ServerHooks hooks_;
  std::shared_ptr<Listener> page_ = std::make_shared<Listener>();
  std::uint32_t drag_ = 0;
};

TEST_F(WeightTools, PaintsAWeightAndKeepsTheSum) {
  paint(PaintOperation::Add, 0.25f, {kElbow, kElbow, kElbow});
  EXPECT_EQ(depth(), 1u);
  EXPECT_NEAR(weights().weight(kElbow, 2), 0.75, 1e-12) << "a motionless brush adds no more";
  EXPECT_NEAR(weights().weight(kElbow, 1), 0.25, 1e-12);
  paint(PaintOperation::Replace, 0.1f, {kElbow});
  EXPECT_NEAR(weights().weight(kElbow, 2), 0.1, 1e-7);
  paint(PaintOperation::Scale, 3, {kElbow});
  EXPECT_NEAR(weights().weight(kElbow, 2), 0.3, 1e-6);
  paint(PaintOperation::Sharpen, 1, {kElbow});
  EXPECT_NEAR(weights().weight(kElbow, 2), 0.09 / (0.09 + 0.49), 1e-6);
  EXPECT_EQ(depth(), 4u);
  for (int i = 0; i < 4; ++i) ask("undo");
  EXPECT_NEAR(weights().weight(kElbow, 2), 0.5, 1e-7);
}

TEST_F(WeightTools, PaintsTheSameInAnyNumberOfSamples) {
  paint(PaintOperation::Add, 0.3f, {kElbow, kElbow + 12}, 0.3f);
  const SkinWeights few = weights();
  ask("undo");
  paint(PaintOperation::Add, 0.3f, {kElbow, kElbow, kElbow + 12, kElbow, kElbow + 12, kElbow + 12}, 0.3f);
  EXPECT_EQ(weights(), few);
  EXPECT_GT(few.weight(kElbow + 1, 2), 0.5) << "the brush covers its neighbours";
}

TEST_F(WeightTools, SmoothsASpikeAway) {
  paint(PaintOperation::Replace, 1, {kElbow});
  const double before = weights().weight(kElbow, 2);
  paint(PaintOperation::Smooth, 1, {kElbow, kElbow}, 0.3f);
  EXPECT_LT(weights().weight(kElbow, 2), before - 0.2);
  EXPECT_TRUE(ask("weights.smooth", {{"times", 3}})["ok"]);
  const SkinWeights after = weights();
  for (Index v = 0; v < after.vertexCount(); ++v) {
    double sum = 0;
    for (const Influence& one : after[v]) sum += one.weight;
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST_F(WeightTools, LeavesLockedWeightsAlone) {
  EXPECT_TRUE(ask("weights.locks", {{"joints", {"upper"}}})["ok"]);
  const SkinWeights before = weights();
  paint(PaintOperation::Add, 0.25f, {kElbow}, 0.5f);
  paint(PaintOperation::Smooth, 1, {kElbow}, 0.5f);
  EXPECT_TRUE(ask("weights.smooth")["ok"]);
  EXPECT_TRUE(ask("weights.prune", {{"below", 0.2}})["ok"]);
  const SkinWeights after = weights();
  for (Index v = 0; v < after.vertexCount(); ++v) EXPECT_NEAR(after.weight(v, 1), before.weight(v, 1), 1e-12) << v;
}

TEST_F(WeightTools, PrunesAndCaps) {
  EXPECT_TRUE(ask("weights.prune", {{"below", 0.2}})["ok"]);
  const SkinWeights after = weights();
  for (Index v = 0; v < after.vertexCount(); ++v) {
    for (const Influence& one : after[v]) EXPECT_GE(one.weight, 0.2);
  }
  EXPECT_EQ(depth(), 1u);
  EXPECT_TRUE(ask("weights.normalise", {{"most", 1}})["ok"]);
  EXPECT_EQ(weights().maxInfluences(), 1);
  EXPECT_EQ(depth(), 2u);
  EXPECT_EQ(ask("weights.normalise")["result"]["changed"], 0);
  EXPECT_EQ(depth(), 2u) << "a command without effect is not a step";
}

TEST_F(WeightTools, MirrorsWeightsToTheOtherSide) {
  // The tube is symmetric about z = 0: the partner of side j is side 12 - j.
  const Index one = kElbow + 2;
  const Index other = kElbow + 10;
  paint(PaintOperation::Replace, 0.9f, {static_cast<std::uint32_t>(one)});
  ASSERT_NEAR(weights().weight(one, 2), 0.9, 1e-6);
  const Json answer = ask("weights.mirror", {{"vertices", {one}}, {"axis", "z"}});
  ASSERT_TRUE(answer["ok"]) << answer;
  EXPECT_EQ(depth(), 2u);
  EXPECT_NEAR(weights().weight(other, 2), 0.9, 1e-6);
  EXPECT_NEAR(weights().weight(one, 2), 0.9, 1e-6);
}

TEST_F(WeightTools, DragsWhereJointsAreLocked) {
  wait([&] { session_->showPose(0, sinew::test::bentArmPose(session_->document().file.character)); });
  EXPECT_TRUE(ask("weights.locks", {{"joints", {"lower"}}})["ok"]);
  const SkinWeights before = weights();
  constexpr Index kLocked = 20 * 12;  // of the last ring, which only the locked joint moves
  for (const Index lead : {kElbow, kLocked}) {
    wire::WeightDragBegin begin;
    begin.drag = ++drag_;
    begin.lead = static_cast<std::uint32_t>(lead);
    begin.radius = 0.4f;
    begin.presentOnly = 1;
    send(begin);
    send(wire::DragMove{.drag = drag_, .target = {0.2f, 0.4f, 0}});
    send(wire::DragEnd{.drag = drag_, .commit = 1, .target = {0.2f, 0.5f, 0}});
    const SkinWeights after = weights();
    for (Index v = 0; v < after.vertexCount(); ++v) {
      for (std::uint32_t b = 0; b < 3; ++b) EXPECT_NEAR(after.weight(v, b), before.weight(v, b), 1e-9) << v;
    }
  }
}

TEST_F(WeightTools, PaintsBothSidesAlike) {
  std::uint32_t other = 0;
  constexpr std::uint32_t kOne = kElbow + 2;
  wait([&] {
    const MirrorPlace& place = session_->mirror(MirrorAxis::Z).vertex[kOne];
    ASSERT_EQ(place.kind, MirrorPlace::Kind::Vertex);
    other = place.vertex[0];
  });
  ASSERT_NE(other, kOne);
  paint(PaintOperation::Replace, 0.9f, {kOne}, 0.2f, 0, 4);
  EXPECT_EQ(depth(), 1u);
  const SkinWeights after = weights();
  EXPECT_NEAR(after.weight(kOne, 2), 0.9, 1e-6);
  EXPECT_NEAR(after.weight(other, 2), 0.9, 1e-6);
  wait([&] {
    const MirrorMap& map = session_->mirror(MirrorAxis::Z);
    for (Index v = 0; v < after.vertexCount(); ++v)
      EXPECT_NEAR(after.weight(v, 2), after.weight(map.vertex[static_cast<std::size_t>(v)].vertex[0], 2), 1e-9) << v;
  });
}

TEST_F(WeightTools, PaintsLessWithLessPressure) {
  wire::PaintBegin begin;
  begin.drag = ++drag_;
  begin.binding = 2;
  begin.strength = 0.4f;
  send(begin);
  send(wire::Stroke{.drag = drag_, .vertices = {kElbow, kElbow + 1}, .pressures = {0.5f, 1}});
  send(wire::DragEnd{.drag = drag_, .commit = 1});
  EXPECT_NEAR(weights().weight(kElbow, 2), 0.7, 1e-6);
  EXPECT_NEAR(weights().weight(kElbow + 1, 2), 0.9, 1e-6);
}

TEST_F(WeightTools, KeepsTheCapWhilePainting) {
  paint(PaintOperation::Add, 0.2f, {kElbow}, 0.3f, 1);
  const SkinWeights after = weights();
  EXPECT_EQ(after[kElbow].size(), 1u);
  EXPECT_NEAR(after[kElbow].front().weight, 1, 1e-12);
}

TEST_F(WeightTools, SaysWhenLocksHoldAStrokeBack) {
  paint(PaintOperation::Replace, 1, {kElbow});
  ask("undo");
  const auto told = [&] {
    Json found;
    wait([&] {
      for (const Json& event : page_->events) {
        if (event["event"] == "heldBack") found = event;
      }
    });
    return found;
  };
  EXPECT_TRUE(told().is_null());
  EXPECT_TRUE(ask("weights.locks", {{"joints", {"upper"}}})["ok"]);
  paint(PaintOperation::Replace, 1, {kElbow});
  ASSERT_FALSE(told().is_null());
  EXPECT_NE(told()["text"].get<std::string>().find("locked at 1 point"), std::string::npos);
  EXPECT_NEAR(weights().weight(kElbow, 2), 0.5, 1e-7);
}

TEST_F(WeightTools, GivesAllToOneJoint) {
  EXPECT_EQ(ask("weights.assign", {{"vertices", {kElbow, kElbow + 1}}, {"joint", 2}})["result"]["changed"], 2);
  EXPECT_EQ(depth(), 1u);
  const SkinWeights after = weights();
  EXPECT_EQ(after[kElbow].size(), 1u);
  EXPECT_DOUBLE_EQ(after.weight(kElbow, 2), 1);
  EXPECT_DOUBLE_EQ(after.weight(kElbow + 1, 2), 1);
  EXPECT_EQ(ask("weights.assign", {{"vertices", {kElbow}}, {"joint", 2}})["result"]["changed"], 0);
  EXPECT_EQ(depth(), 1u);
  EXPECT_TRUE(ask("weights.locks", {{"joints", {"lower"}}})["ok"]);
  EXPECT_EQ(ask("weights.assign", {{"vertices", {kElbow}}, {"joint", 2}})["code"], "locked");
  EXPECT_EQ(ask("weights.assign", {{"vertices", {99999}}, {"joint", 1}})["code"], "bad-input");
  EXPECT_EQ(ask("weights.assign", {{"vertices", {kElbow}}, {"joint", -1}})["code"], "bad-input");
}

/// Rigid vertices answer: the joints near them are offered, and used where the drag needs them.
TEST_F(WeightTools, DragsWithJointsNearTheVertex) {
  wait([&] { session_->showPose(0, sinew::test::bentArmPose(session_->document().file.character)); });
  const SkinWeights before = weights();
  Index rigid = 0;  // upper arm alone, whose child is the lower arm
  while (before[rigid].size() != 1 || before[rigid].front().binding != 1) ++rigid;
  const auto reachOf = [&](const Json& more) {
    Json args{{"vertex", rigid}, {"view", 0}};
    args.update(more);
    EXPECT_TRUE(ask("weights.reach", args)["ok"]);
    wire::Reach reach;
    wait([&] { reach = page_->reaches.back(); });
    return reach;
  };
  EXPECT_EQ(reachOf({{"near", false}}).joints, (std::vector<std::uint32_t>{1}));
  const wire::Reach offered = reachOf(Json::object());
  ASSERT_EQ(offered.joints.size(), 3u);
  EXPECT_EQ(offered.offered, (std::vector<std::uint32_t>{0, 1, 1}));
  const auto lower = std::find(offered.joints.begin(), offered.joints.end(), 2u) - offered.joints.begin();
  std::array<float, 3> target{};
  for (std::size_t r = 0; r < 3; ++r)
    target[r] = 0.9f * offered.corners[r] + 0.1f * offered.corners[3 * static_cast<std::size_t>(lower) + r];
  const auto drag = [&](std::uint32_t presentOnly) {
    wire::WeightDragBegin begin;
    begin.drag = ++drag_;
    begin.lead = static_cast<std::uint32_t>(rigid);
    begin.presentOnly = presentOnly;
    send(begin);
    send(wire::DragMove{.drag = drag_, .target = target});
    wire::Reach shown;
    wait([&] { shown = page_->reaches.back(); });
    send(wire::DragEnd{.drag = drag_, .commit = 1, .target = target});
    return shown;
  };
  EXPECT_GT(drag(1).distance, 1e-3f);
  EXPECT_EQ(weights(), before) << "the present joint alone moves nothing";
  EXPECT_EQ(depth(), 0u);
  const wire::Reach used = drag(0);
  EXPECT_LT(used.distance, 1e-5f);
  EXPECT_EQ(used.offered[static_cast<std::size_t>(lower)], 0u) << "it has weight now";
  EXPECT_NEAR(weights().weight(rigid, 2), 0.1, 1e-4);
  EXPECT_NEAR(weights().weight(rigid, 1), 0.9, 1e-4);
  EXPECT_EQ(depth(), 1u);
  ask("undo");
  EXPECT_EQ(weights(), before);
  EXPECT_EQ(ask("weights.reach", {{"vertex", rigid}, {"view", 0}, {"radius", -1}})["code"], "bad-input");
}

TEST_F(WeightTools, PutsBackWhatNeedsNegativeWeights) {
  wait([&] { session_->showPose(0, sinew::test::bentArmPose(session_->document().file.character)); });
  const SkinWeights before = weights();
  // Beyond the end of the segment, on its line, which the corners define.
  ASSERT_TRUE(ask("weights.reach", {{"vertex", kElbow}, {"view", 0}, {"negative", true}})["ok"]);
  wire::Reach reach;
  wait([&] { reach = page_->reaches.back(); });
  ASSERT_EQ(reach.dimension, 1u);
  EXPECT_EQ(reach.unbounded, 1u);
  const auto along = [&](float t) {
    std::array<float, 3> place{};
    for (std::size_t r = 0; r < 3; ++r) place[r] = (1 - t) * reach.corners[r] + t * reach.corners[3 + r];
    return place;
  };
  auto heard = dragElbow({.negativeWeights = 1}, along(1.5f));
  EXPECT_LT(heard[0].distance, 1e-5) << "the whole line can be reached";
  EXPECT_EQ(weights(), before);
  EXPECT_EQ(depth(), 0u);
  wait([&] {
    ASSERT_FALSE(page_->events.empty());
    EXPECT_NE(page_->events.back()["text"].get<std::string>().find("cannot store negative weights"), std::string::npos);
    EXPECT_NE(page_->events.back()["hint"].get<std::string>().find("undone"), std::string::npos);
  });
  heard = dragElbow({.presentOnly = 1}, along(1.5f));
  EXPECT_GT(heard[0].distance, 1e-3) << "without negative weights the end of the segment is the limit";
  ask("undo");
  heard = dragElbow({.negativeWeights = 1}, along(0.75f));
  EXPECT_EQ(depth(), 1u) << "a result without negative weights is kept";
}

TEST_F(WeightTools, TellsTheReachInEveryViewAndCountsThePinnedOnes) {
  EXPECT_TRUE(ask("views", {{"count", 3}})["ok"]);
  wait([&] {
    const Character& arm = session_->document().file.character;
    session_->showPose(0, sinew::test::bentArmPose(arm));
    session_->showPose(1, sinew::test::bentArmPose(arm, 60, 0));
    session_->showPose(2, sinew::test::bentArmPose(arm, -30, 0));
  });
  ASSERT_TRUE(ask("weights.reach", {{"vertex", kElbow}, {"view", 0}})["ok"]);
  std::array<float, 3> target{};
  wait([&] {
    const wire::Reach& reach = page_->reaches.front();
    for (std::size_t r = 0; r < 3; ++r) target[r] = 0.25f * reach.corners[r] + 0.75f * reach.corners[3 + r];
  });
  std::vector<float> moved;
  for (const float alpha : {0.0f, 0.2f, 1.0f}) {
    auto heard = dragElbow({.pinnedViews = {1}, .alpha = alpha}, target);
    ASSERT_EQ(heard.size(), 3u) << "unpinned views are drawn, too";
    EXPECT_EQ(heard[0].leads, 1u);
    EXPECT_EQ(heard[2].leads, 0u);
    EXPECT_GE(heard[2].joints.size(), 2u);
    moved.push_back(heard[1].distance);
    ask("undo");
  }
  EXPECT_GT(moved[0], 1e-3);
  EXPECT_LT(moved[1], 0.99 * moved[0]);
  EXPECT_LT(moved[2], 0.99 * moved[1]);
  EXPECT_EQ(dragElbow({.pinnedViews = {1}, .alpha = 2}, target).size(), 0u);
}

TEST_F(WeightTools, ForetellsWhoFollows) {
  const auto foretold = [&](double radius, bool volume) {
    const Json answer =
        ask("weights.soft", {{"vertices", {kElbow}}, {"view", 0}, {"radius", radius}, {"volume", volume}});
    EXPECT_TRUE(answer["ok"]) << answer;
    return answer["result"]["followers"].get<std::uint32_t>();
  };
  const std::uint32_t few = foretold(0.2, false);
  EXPECT_GT(few, 2u);
  EXPECT_GT(foretold(0.5, false), few);
  EXPECT_GT(foretold(0.5, true), foretold(0.5, false)) << "straight lines through the tube are shorter";
  for (const std::uint32_t volume : {0u, 1u}) {
    dragElbow({.radius = 0.5f, .throughSpace = volume, .curve = 2}, {0.1f, 0.3f, 0});
    std::size_t told = 0;
    wait([&] { told = page_->dragged.size(); });
    EXPECT_EQ(told, 1 + foretold(0.5, volume == 1));
    ask("undo");
  }
  EXPECT_EQ(ask("weights.soft", {{"vertices", Json::array()}, {"view", 0}, {"radius", 1}})["code"], "bad-input");
  EXPECT_EQ(ask("weights.soft", {{"vertices", {kElbow}}, {"view", 0}, {"radius", -1}})["code"], "bad-input");
  EXPECT_EQ(ask("weights.soft", {{"vertices", {kElbow}}, {"view", 9}, {"radius", 1}})["code"], "bad-input");
}

TEST_F(WeightTools, CancelsAStroke) {
  const SkinWeights before = weights();
  wire::PaintBegin begin;
  begin.drag = 9;
  begin.strength = 1;
  send(begin);
  send(wire::Stroke{.drag = 9, .vertices = {5}, .pressures = {1}});
  send(wire::DragEnd{.drag = 9, .commit = 0});
  EXPECT_EQ(weights(), before);
  EXPECT_EQ(depth(), 0u);
}

}  // namespace
}  // namespace sinew::studio::weight_tools_test
