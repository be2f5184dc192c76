// Steps of undo: an edit is written to the journal, then applied, then sent to the page.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "studio/session/memory_reserve.h"
#include "studio/session/session.h"

namespace sinew::studio {
namespace {

bool hasCharacter(const Edit& edit) {
  return std::any_of(edit.changes.begin(), edit.changes.end(),
                     [](const Change& change) { return std::holds_alternative<CharacterChange>(change); });
}

}  // namespace

void Session::undo(bool forwards) {
  requireDocument();
  settle();
  const Edit* edit = history_.next(forwards);
  if (edit == nullptr) return;
  if (!restoreReserve()) throw std::bad_alloc();
  withOwnPoses([&] {
    EditToApply ready(*edit, forwards, *journal_, document_);
    journal_->append(forwards ? "redo" : "undo");
    // On disk: it is committed.
    ready.apply();
  });
  forwards ? history_.redo() : history_.undo();
  saved_ = false;
  forgetOf(*edit);
  announceAnyway(*edit);
}

void Session::jump(std::size_t depth) {
  requireDocument();
  settle();
  depth = std::min(depth, history_.depth() + history_.redoDepth());
  const auto steps = static_cast<std::ptrdiff_t>(depth) - static_cast<std::ptrdiff_t>(history_.depth());
  if (steps == 0) return;
  if (!restoreReserve()) throw std::bad_alloc();
  std::vector<const Edit*> edits;
  for (std::size_t i = 0; i < toSize(std::abs(steps)); ++i) edits.push_back(history_.next(steps > 0, i));
  withOwnPoses([&] {
    Document there = jumped(document_, history_, steps, *journal_);
    journal_->append("jump", {{"steps", steps}});
    // All or none: on disk they are one record.
    document_ = std::move(there);
  });
  saved_ = false;
  for (const Edit* edit : edits) {
    forgetOf(*edit);
    steps > 0 ? history_.redo() : history_.undo();
  }
  announceAnyway(edits);
}

/// Poses, handles and keys belong to their character: a new one starts without them, and undo restores them.
void Session::putAside(Edit& edit) const {
  if (!hasCharacter(edit)) return;
  std::vector<Change> changes;
  const Pose rest = restPose(document_.file.character);
  for (std::size_t view = 0; view < document_.views.size(); ++view)
    changes.emplace_back(
        PoseChange{static_cast<std::uint32_t>(view), document_.views[view], rest, document_.angles[view], {}});
  if (!document_.posed.handles.empty() || !document_.posed.controls.empty())
    changes.emplace_back(HandlesChange{document_.posed, {}});
  if (!document_.keys.empty()) changes.emplace_back(KeysChange{document_.keys, {}});
  edit.changes.insert(edit.changes.begin(), changes.begin(), changes.end());
}

void Session::commit(Edit edit) {
  requireDocument();
  settle();
  try {
    if (!restoreReserve()) throw std::bad_alloc();
    if (linked_ && !hasCharacter(edit)) {
      // Who poses one of the linked views poses the first one.
      for (Change& change : edit.changes) {
        if (auto* const pose = std::get_if<PoseChange>(&change)) pose->view = 0;
      }
    }
    // A journal with such numbers could not be read.
    if (!isFinite(edit))
      throw CommandFault("bad-input", fmt::format("'{}' produces numbers that are not finite", edit.name),
                         "Nothing was changed.");
    withOwnPoses([&] {
      putAside(edit);
      EditToApply ready(edit, true, *journal_, document_);
      history_.makeRoom();
      journal_->append("edit", {{"edit", toJson(edit)}});
      // On disk: it is committed, and below only notifying the page can fail.
      ready.apply();
    });
  } catch (...) {
    // A gesture has shown an edit that was not committed: send the current state.
    announceAnyway(edit);
    throw;
  }
  saved_ = false;
  forgetOf(edit);
  // After the step is recorded, so that the description has the new depth.
  announceAnyway(history_.push(std::move(edit)));
}

void Session::forgetOf(const Edit& edit) noexcept {
  for (const Change& change : edit.changes) {
    if (std::holds_alternative<WeightsChange>(change)) described_.weights.clear();
    if (std::holds_alternative<CharacterChange>(change)) {
      mirrors_.clear();
      drawn_.reset();
      described_ = {};
    }
  }
  for (const auto& mode : modes_) mode->edited(edit);
}

void Session::commitCharacter(const std::string& name, const CharacterFile& file, const std::vector<Pose>& poses) {
  const std::string before = journal().snapshot(document_.file);
  const std::string after = journal().snapshot(file);
  Edit edit{name, {CharacterChange{before, after}}};
  // Where joints and morph targets were only added, the views keep their poses unless others are given.
  const bool keeps = keepsExamples(document_.file.character, file.character);
  const Pose rest = restPose(file.character);
  withOwnPoses([&] {
    for (std::size_t view = 0; view < document_.views.size(); ++view) {
      const auto number = static_cast<std::uint32_t>(view);
      if (view < poses.size()) {
        edit.changes.emplace_back(PoseChange{number, rest, poses[view], {}, {}});
      } else if (keeps) {
        const Pose pose = poseInFile(file, poseOfExample(document_.file, document_.views[view]));
        edit.changes.emplace_back(PoseChange{number, rest, pose, {}, document_.angles[view]});
      }
    }
  });
  // Examples of another mesh or skeleton are invalid, and undo restores them.
  if (!keeps) {
    edit.changes.insert(edit.changes.begin(), ExamplesChange{document_.examples.list, {}});
  }
  commit(std::move(edit));
}

ExampleShapePtr Session::storeShape(PackedShape shape) {
  return journal().store(std::move(shape));
}

}  // namespace sinew::studio
