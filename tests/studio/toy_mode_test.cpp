// A mode is one file and one row: the toy below is a complete mode, which the session takes from its table.
#include <gtest/gtest.h>

#include <vector>

#include "session_harness.h"

namespace sinew::studio::test::toy_mode_test {
namespace {

// As protocol.json would have them.
struct CountAnswer {
  Index points = 0;
  int edits = 0;
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("points", m.points);
    visit("edits", m.edits);
  }
};
struct CountCommand {
  static constexpr std::string_view kName = "toy.count";
  static constexpr std::string_view kOwner = "toy";
  static constexpr wire::CommandKind kKind = wire::CommandKind::Look;
  using Answer = CountAnswer;
  template <class Self, class Visitor>
  static void visitFields(Self& /*m*/, Visitor&& /*visit*/) {}
};
struct JobCommand {
  static constexpr std::string_view kName = "toy.job";
  static constexpr std::string_view kOwner = "toy";
  static constexpr wire::CommandKind kKind = wire::CommandKind::Edit;
  using Answer = wire::BindAnswer;
  template <class Self, class Visitor>
  static void visitFields(Self& /*m*/, Visitor&& /*visit*/) {}
};
struct ToyEvent {
  static constexpr std::string_view kName = "toy";
  bool moved = false;
  template <class Self, class Visitor>
  static void visitFields(Self& m, Visitor&& visit) {
    visit("moved", m.moved);
  }
};

/// Locks the joints of a drag, and counts its calls.
class ToyMode final : public Mode {
 public:
  explicit ToyMode(ModeContext& context) : context_(context) {}

  [[nodiscard]] std::span<const CommandRow> commands() const override {
    static constexpr CommandRow kCommands[] = {command<&ToyMode::count>(), command<&ToyMode::learn>()};
    return kCommands;
  }
  [[nodiscard]] std::span<const DragRow> drags() const override {
    static constexpr DragRow kDrags[] = {drag<&ToyMode::beginDrag>()};
    return kDrags;
  }
  void opened(const std::shared_ptr<const void>& prepared) override {
    points_ = *std::static_pointer_cast<const Index>(prepared);
  }
  void edited(const Edit& /*edit*/) noexcept override { ++edits_; }

 private:
  class Drag final : public DragTarget {
   public:
    explicit Drag(ModeContext& context) : context_(context) {}
    void move(const wire::DragMove& /*move*/) override { context_.tell(ToyEvent{.moved = true}); }
    std::optional<Edit> finish(const wire::DragEnd& /*end*/) override {
      const Document& document = context_.document();
      return Edit{"Toy", {LocksChange{document.locks, {document.file.character.skeleton[0].name}}}};
    }
    void cancel() override {}

   private:
    ModeContext& context_;
  };

  CountAnswer count(const CountCommand& /*asked*/) { return {.points = points_, .edits = edits_}; }
  wire::BindAnswer learn(const JobCommand& /*asked*/) {
    const auto done = [](bool same) { return std::string(same ? "done" : "too late"); };
    return {.job = context_.startJob(
                "toy", [](const Progress& /*progress*/) {}, done)};
  }
  std::unique_ptr<DragTarget> beginDrag(const wire::HandleDragBegin& /*begin*/) {
    context_.requireSkin();
    return std::make_unique<Drag>(context_);
  }

  ModeContext& context_;
  Index points_ = 0;
  int edits_ = 0;
};

std::shared_ptr<const void> pointsOf(const Document& document) {
  return std::make_shared<const Index>(document.file.character.mesh.vertexCount());
}

/// The studio's modes and the toy, which takes the drags of Handles: a drag of its own would need a message.
const std::vector<ModeRow>& modesWithToy() {
  static const std::vector<ModeRow> kModes = [] {
    std::vector<ModeRow> rows;
    for (const ModeRow& row : studioModes()) {
      if (row.name != "handles") rows.push_back(row);
    }
    rows.push_back({"toy", makeMode<ToyMode>, pointsOf});
    return rows;
  }();
  return kModes;
}

TEST(ToyMode, BringsCommandsDragsAndJobsByARow) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm", 0, "state", modesWithToy());
  const Json first = run.result("toy.count");
  EXPECT_EQ(first["points"], run.document()["vertices"]);
  EXPECT_EQ(first["edits"], 0);
  run.send(wire::HandleDragBegin{.drag = 1});
  run.send(wire::DragMove{.drag = 1});
  run.send(wire::DragEnd{.drag = 1, .commit = 1});
  EXPECT_FALSE(run.page().wait([](const Json& heard) { return heard.value("event", "") == "toy"; }).is_null());
  EXPECT_EQ(run.document()["locks"].size(), 1u);
  EXPECT_EQ(run.result("toy.count")["edits"], 1);
  EXPECT_TRUE(run.ask("undo")["ok"]);
  EXPECT_EQ(run.document()["locks"].size(), 0u);
  EXPECT_EQ(run.result("toy.count")["edits"], 2);
  const Json end = run.jobEnd(run.result("toy.job")["job"].get<int>());
  EXPECT_EQ(end["sentence"], "done") << end;
}

TEST(ToyMode, IsUnknownWithoutItsRow) {
  const Scratch scratch;
  StudioRun run(scratch, "sample:arm");
  EXPECT_EQ(run.ask("toy.count")["code"], "unknown-command");
}

TEST(ToyMode, MayNotTakeTheCommandOfAnother) {
  const Scratch scratch;
  const std::vector<ModeRow> twice{modesWithToy().back(), modesWithToy().back()};
  EXPECT_THROW(StudioRun(scratch, "", 0, "state", twice), std::logic_error);
}

/// Only the drags of another mode.
class DragsOfHandles final : public Mode {
 public:
  explicit DragsOfHandles(ModeContext& /*context*/) {}
  [[nodiscard]] std::span<const CommandRow> commands() const override { return {}; }
  [[nodiscard]] std::span<const DragRow> drags() const override {
    static constexpr DragRow kDrags[] = {drag<&DragsOfHandles::beginDrag>()};
    return kDrags;
  }

 private:
  std::unique_ptr<DragTarget> beginDrag(const wire::HandleDragBegin& /*begin*/) { return nullptr; }
};

TEST(ToyMode, MayNotTakeTheDragsOfAnother) {
  const Scratch scratch;
  std::vector<ModeRow> rows(studioModes().begin(), studioModes().end());
  rows.push_back({"other", makeMode<DragsOfHandles>});
  EXPECT_THROW(StudioRun(scratch, "", 0, "state", rows), std::logic_error);
}

}  // namespace
}  // namespace sinew::studio::test::toy_mode_test
