// What a session sends to its pages: messages, events, and the description of the document.
#include <algorithm>
#include <set>

#include "sinew/base/error.h"
#include "studio/record_json.h"
#include "studio/session/session.h"

namespace sinew::studio {
namespace {

/// What steps have changed, all of them together.
struct Effects {
  std::vector<std::uint32_t> vertices;  ///< whose weights changed, ascending
  std::set<std::uint32_t> views;        ///< that were posed
  bool lists = false;                   ///< anything else: the page needs the description
  bool character = false;               ///< it was replaced
};

Effects effectsOf(std::span<const Edit* const> edits) {
  Effects effects;
  for (const Edit* edit : edits) {
    for (const Change& change : edit->changes) {
      if (const auto* weights = std::get_if<WeightsChange>(&change)) {
        effects.vertices.insert(effects.vertices.end(), weights->vertices.begin(), weights->vertices.end());
      } else if (const auto* pose = std::get_if<PoseChange>(&change)) {
        effects.views.insert(pose->view);
      } else {
        effects.lists = true;
        effects.character = effects.character || std::holds_alternative<CharacterChange>(change);
      }
    }
  }
  std::sort(effects.vertices.begin(), effects.vertices.end());
  effects.vertices.erase(std::unique(effects.vertices.begin(), effects.vertices.end()), effects.vertices.end());
  return effects;
}

}  // namespace

void Session::send(const wire::ServerMessage& message) {
  pages_.sendBinary(std::visit([this](const auto& one) { return encode(one, ++sent_, answered_); }, message));
}

void Session::sendEvent(std::string_view event, Json body) {
  body["event"] = event;
  pages_.sendText(body.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Session::sendView(std::uint32_t view) {
  linked_ ? sendViews() : sendOneView(view);
}

void Session::sendOneView(std::uint32_t view) {
  wire::Frame frame = frameOf(document_, drawn(), view);
  for (const auto& mode : modes_) mode->addToFrame(view, frame);
  send(frame);
  if (document_.file.reduced) send(handlesOf(*document_.file.reduced, document_.posed, space().centre));
  for (const auto& mode : modes_) mode->shown(view);
}

void Session::sendViews() {
  if (!journal_) return;
  const std::size_t count = document_.file.reduced ? 1 : document_.views.size();
  for (std::uint32_t view = 0; view < count; ++view) sendOneView(view);
}

void Session::sendAnswer() {
  const std::chrono::duration<double, std::milli> since = std::chrono::steady_clock::now() - arrived_;
  send(wire::Answer{.solveMs = static_cast<float>(cost_.milliseconds),
                    .queueMs = static_cast<float>(since.count() - cost_.milliseconds),
                    .coalesced = mailbox_.takeReplaced(),
                    .draft = cost_.draft ? 1u : 0u,
                    .iterations = static_cast<std::uint32_t>(cost_.iterations)});
}

void Session::sendPose(std::uint32_t view) {
  if (!linked_) return sendOnePose(view);
  for (std::uint32_t other = 0; other < document_.views.size(); ++other) sendOnePose(other);
}

void Session::sendOnePose(std::uint32_t view) {
  const Pose& pose = document_.views[view];
  tell(wire::PoseEvent{.view = view,
                       .count = static_cast<std::uint32_t>(document_.views.size()),
                       .pose = {flatPose(pose), pose.morphWeights},
                       .angles = angleRows(document_.angles[view])});
}

Json Session::describe() {
  if (!journal_) return {{"open", false}};
  describeMesh(document_, drawn(), blobs_, described_);
  wire::DocumentInfo info = describeDocument(document_, drawn(), described_);
  info.open = true;
  info.number = number_;
  info.beside = beside_;
  info.examples.offered = offeredExamples(document_, journal_->about().value("sample", ""));
  const Json& about = journal_->about();
  info.onlyExamples = !info.skinned && (about.contains("meshes") || about.value("kind", "") == "sample");
  // A learned model that was never written exists only here.
  info.saved = saved_ && !(document_.file.reduced && document_.path.empty());
  info.history = {static_cast<std::uint32_t>(history_.depth()), static_cast<std::uint32_t>(history_.redoDepth()),
                  history_.names()};
  return recordJson(info);
}

/// Something changed, and the page could not be notified.
void Session::tellUntold() {
  if (!untold_) return;
  try {
    sendEvent(wire::DocumentEvent::kName, describe());
    sendViews();
    sendHistory();
  } catch (const Error& error) {
    log(error.what());  // not for want of memory: it would fail again
  }
  untold_ = false;
}

void Session::announce(std::span<const Edit* const> edits) {
  Effects effects = effectsOf(edits);
  const SkinWeights& weights = document_.file.character.skin.weights;
  std::erase_if(effects.vertices, [&](std::uint32_t v) { return static_cast<Index>(v) >= weights.vertexCount(); });
  // Those of another character are in its description.
  if (!effects.character && !effects.vertices.empty()) send(weightsMessage(weights, effects.vertices));
  if (effects.lists) {
    // The description has the poses, too.
    sendEvent(wire::DocumentEvent::kName, describe());
    sendViews();
    return sendHistory();
  }
  if (linked_ && !effects.views.empty()) effects.views = {0};  // stands for all of them
  for (const std::uint32_t view : effects.views) {
    if (view >= document_.views.size()) continue;
    sendPose(view);
    sendView(view);
  }
  sendHistory();
}

void Session::announceAnyway(std::span<const Edit* const> edits) noexcept {
  try {
    announce(edits);
  } catch (const std::exception&) {
    untold_ = true;
  }
}

void Session::sendHistory() {
  send(wire::History{static_cast<std::uint32_t>(history_.depth()), static_cast<std::uint32_t>(history_.redoDepth())});
}

}  // namespace sinew::studio
