// What a session tells its pages of the document.
#include "studio/session/session.h"

namespace sinew::studio {

void Session::send(const wire::ServerMessage& message) {
  pages_.sendBinary(std::visit([this](const auto& one) { return encode(one, ++sent_, answered_); }, message));
}

void Session::sendEvent(const std::string& event, Json body) {
  body["event"] = event;
  pages_.sendText(body.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Session::sendFrame(const SolveCost& cost) {
  if (!journal_) return;
  wire::Frame frame = frameOf(document_, space().centre);
  const std::chrono::duration<double, std::milli> since = std::chrono::steady_clock::now() - arrived_;
  frame.solveMs = static_cast<float>(cost.milliseconds);
  frame.queueMs = static_cast<float>(since.count() - cost.milliseconds);
  frame.iterations = static_cast<std::uint32_t>(cost.iterations);
  frame.draft = cost.draft ? 1 : 0;
  frame.coalesced = mailbox_.takeReplaced();
  send(frame);
}

void Session::sendPose(std::uint32_t view) {
  sendEvent("pose", {{"view", view},
                     {"count", document_.views.size()},
                     {"pose", toJson(document_.views[view])},
                     {"angles", toJson(document_.angles[view])}});
}

Json Session::describe() {
  if (!journal_) return {{"open", false}};
  describeMesh(document_, space(), blobs_, described_);
  Json description = describeDocument(document_, space(), described_);
  description["open"] = true;
  description["number"] = number_;
  description["beside"] = beside_;
  // A model that was learned here and never written is work that is nowhere else.
  description["saved"] = saved_ && !(document_.file.reduced && document_.path.empty());
  description["history"] = {{"depth", history_.depth()}, {"redo", history_.redoDepth()}, {"names", history_.names()}};
  return description;
}

/// Something changed, and the page could not be told.
void Session::tellUntold() {
  if (!untold_) return;
  sendEvent("document", describe());
  sendFrame();
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
    } else {
      lists = true;
    }
  }
  if (lists) sendEvent("document", describe());
  sendFrame();
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
