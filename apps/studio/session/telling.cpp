// What a session sends to its pages: messages, events, and the description of the document.
#include "studio/record_json.h"
#include "studio/session/session.h"

namespace sinew::studio {

void Session::send(const wire::ServerMessage& message) {
  pages_.sendBinary(std::visit([this](const auto& one) { return encode(one, ++sent_, answered_); }, message));
}

void Session::sendEvent(const std::string& event, Json body) {
  body["event"] = event;
  pages_.sendText(body.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Session::sendView(std::uint32_t view) {
  send(frameOf(document_, drawn(), view));
  if (document_.file.reduced) send(handlesOf(*document_.file.reduced, document_.posed, space().centre));
}

void Session::sendViews() {
  if (!journal_) return;
  const std::size_t count = document_.file.reduced ? 1 : document_.views.size();
  for (std::uint32_t view = 0; view < count; ++view) sendView(view);
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
  sendEvent("pose", {{"view", view},
                     {"count", document_.views.size()},
                     {"pose", toJson(document_.views[view])},
                     {"angles", toJson(document_.angles[view])}});
}

Json Session::describe() {
  if (!journal_) return {{"open", false}};
  describeMesh(document_, drawn(), blobs_, described_);
  wire::DocumentInfo info = describeDocument(document_, drawn(), described_);
  info.open = true;
  info.number = number_;
  info.beside = beside_;
  // A learned model that was never written exists only here.
  info.saved = saved_ && !(document_.file.reduced && document_.path.empty());
  info.history = {static_cast<std::uint32_t>(history_.depth()), static_cast<std::uint32_t>(history_.redoDepth()),
                  history_.names()};
  return recordJson(info);
}

/// Something changed, and the page could not be notified.
void Session::tellUntold() {
  if (!untold_) return;
  sendEvent("document", describe());
  sendViews();
  sendHistory();
  untold_ = false;
}

void Session::announce(const Edit& edit) {
  bool lists = false;
  for (const Change& change : edit.changes) {
    if (const auto* weights = std::get_if<WeightsChange>(&change)) {
      send(weightsMessage(document_.file.character.skin.weights, weights->vertices));
    } else if (const auto* pose = std::get_if<PoseChange>(&change)) {
      sendPose(pose->view);
      sendView(pose->view);
    } else {
      lists = true;
    }
  }
  if (lists) {
    sendEvent("document", describe());
    sendViews();
  }
  sendHistory();
}

void Session::announceAnyway(const Edit& edit) noexcept {
  try {
    announce(edit);
  } catch (const std::exception&) {
    untold_ = true;
  }
}

void Session::sendHistory() {
  send(wire::History{static_cast<std::uint32_t>(history_.depth()), static_cast<std::uint32_t>(history_.redoDepth())});
}

}  // namespace sinew::studio
