// Dispatches the messages of a page: commands to their table, binary messages to drags and modes. Faults become
// answers.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "sinew/base/error.h"
#include "studio/net/codec.h"
#include "studio/sentence.h"
#include "studio/session/memory_reserve.h"
#include "studio/session/session_command.h"
#include "studio/untrusted_json.h"

namespace sinew::studio {
namespace {

/// Faults that our page never causes; all others are mistakes of the user.
bool isRefusal(std::string_view code) {
  return code == "outside-root" || code == "malformed" || code == "unknown-command" || code == "protocol";
}

std::string codeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::NotFound:
      return "not-found";
    case ErrorCode::Unreadable:
      return "unreadable";
    case ErrorCode::Unwritable:
      return "unwritable";
    case ErrorCode::Cancelled:
      return "cancelled";
    case ErrorCode::Internal:
      return "internal";
    case ErrorCode::BadInput:
      break;
  }
  return "bad-input";
}

/// Decodes the message with that code. Throws a CommandFault if there is none, or if the body does not fit it.
template <class... Kinds>
void decodeInto(std::variant<Kinds...>& message, std::uint32_t code, std::span<const std::uint8_t> body) {
  bool known = false;
  const auto attempt = [&]<class Kind>(std::type_identity<Kind> /*kind*/) {
    if (Kind::kCode != code) return;
    known = true;
    auto decoded = decode<Kind>(body);
    if (!decoded) throw CommandFault("malformed", fmt::format("a message of kind {} does not fit its format", code));
    message = std::move(*decoded);
  };
  (attempt(std::type_identity<Kinds>()), ...);
  if (!known) throw CommandFault("malformed", fmt::format("there is no message of kind {}", code));
}

}  // namespace

void Session::addCommand(std::string_view name, Command command) {
  if (!commands_.emplace(name, std::move(command)).second)
    throw std::logic_error(fmt::format("two modes have a command '{}'", name));
}

template <class Kind, class Handler>
void Session::addOwn(const Handler& handler) {
  addCommand(Kind::kName, {Kind::kKind, [handler](const Json& args) { return answerTo<Kind>(args, handler); }});
}

void Session::addCommands() {
  addOwn<wire::HelloCommand>([this](const auto& asked) { return hello(asked); });
  addOwn<wire::UndoCommand>([this](const auto& /*asked*/) { undo(false); });
  addOwn<wire::RedoCommand>([this](const auto& /*asked*/) { undo(true); });
  addOwn<wire::HistoryJumpCommand>([this](const auto& asked) { jump(asked.depth); });
  addOwn<wire::HistoryListCommand>([this](const auto& /*asked*/) { return wire::HistoryListAnswer{history_.names()}; });
  addOwn<wire::FrameCommand>([this](const auto& /*asked*/) { sendViews(); });
  addOwn<wire::JobCancelCommand>([this](const auto& asked) { jobs_.cancel(asked.job); });
  for (const auto& table : {fileCommands(), saveCommands()}) {
    for (const SessionCommand& row : table)
      addCommand(row.name, {row.kind, [this, run = row.run](const Json& args) { return run(*this, args); }});
  }
  for (const auto& mode : modes_) {
    for (const CommandRow& row : mode->commands())
      addCommand(row.name, {row.kind, [&mode = *mode, run = row.run](const Json& args) { return run(mode, args); }});
    for (const DragRow& row : mode->drags()) {
      if (!drags_.emplace(row.code, std::pair(mode.get(), row)).second)
        throw std::logic_error(fmt::format("two modes have drags that begin with message {}", row.code));
    }
  }
}

std::vector<std::string_view> Session::commandNames() const {
  std::vector<std::string_view> names;
  for (const auto& [name, command] : commands_) names.push_back(name);
  return names;
}

void Session::runCommand(const ConnectionPtr& from, const std::string& text) {
  const Json json = parseCommand(text);
  if (!json.is_object() || !json.contains("cmd") || !json["cmd"].is_string()) {
    log("refused a command that is not an object with 'cmd'");
    from->sendText(
        Json{{"ok", false}, {"code", "malformed"}, {"text", "a command must be an object with 'cmd'"}}.dump());
    return;
  }
  Json answer{{"id", json.contains("id") && json["id"].is_primitive() ? json["id"] : Json()}};
  try {
    const auto command = json["cmd"].get<std::string>();
    const Json args = json.value("args", Json::object());
    const auto found = commands_.find(command);
    using enum wire::CommandKind;
    const wire::CommandKind kind = found == commands_.end() ? Edit : found->second.kind;
    if (kind != Look && pages_.looksOn(from))
      throw CommandFault("taken-over", "another page is using the studio", "Reload this page to work here again.");
    if (kind == Edit) settle();
    if (found == commands_.end())
      throw CommandFault("unknown-command", fmt::format("the studio has no command '{}'", command), "Reload the page.");
    answer["result"] = found->second.run(args);
    answer["ok"] = true;
  } catch (const CommandFault& fault) {
    if (isRefusal(fault.code)) log(fmt::format("refused a command: {}", fault.what()));
    answer.update({{"ok", false}, {"code", fault.code}, {"text", asSentence(fault.what())}, {"hint", fault.hint}});
  } catch (const Error& error) {
    answer.update({{"ok", false}, {"code", codeOf(error.code())}, {"text", asSentence(error.what())}, {"hint", ""}});
  } catch (const std::bad_alloc&) {
    log(kNoMemory);
    answer.update({{"ok", false}, {"code", "no-memory"}, {"text", kNoMemory}, {"hint", kNoMemoryHint}});
  } catch (const std::exception& fault) {
    log(fault.what());
    answer.update({{"ok", false}, {"code", "internal"}, {"text", fault.what()}, {"hint", ""}});
  }
  from->sendText(answer.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void Session::runBinary(std::span<const std::uint8_t> bytes) {
  const auto header = readHeader(bytes);
  if (!header) throw CommandFault("malformed", "a message with an incomplete header was dropped");
  answered_ = header->seq;
  wire::PageMessage message;
  decodeInto(message, header->code, bytes.subspan(kHeaderBytes));
  receive(message);
}

void Session::receive(const wire::PageMessage& message) {
  const auto mine = [this](std::uint32_t drag) { return drag_ && drag == dragId_; };
  if (beginDrag(message)) return;
  if (const auto* end = std::get_if<wire::DragEnd>(&message)) return endDrag(*end);
  if (const auto* move = std::get_if<wire::DragMove>(&message)) {
    if (!mine(move->drag)) return;
    dragTarget_ = move->target;
    return drag_->move(*move);
  }
  if (const auto* stroke = std::get_if<wire::Stroke>(&message)) {
    if (!mine(stroke->drag)) return;
    dragTarget_.emplace();  // a brush has none
    return drag_->stroke(*stroke);
  }
  for (const auto& mode : modes_) {
    if (mode->receive(message)) return;
  }
  throw CommandFault("malformed", "no mode handles this message");
}

bool Session::beginDrag(const wire::PageMessage& message) {
  const std::uint32_t code = std::visit([](const auto& one) { return one.kCode; }, message);
  const auto found = drags_.find(code);
  if (found == drags_.end()) return false;
  requireDocument();
  settle();
  const auto& [mode, row] = found->second;
  drag_ = row.begin(*mode, message);
  dragId_ = row.number(message);
  dragTarget_.reset();
  return true;
}

void Session::endDrag(const wire::DragEnd& end) {
  if (!drag_ || end.drag != dragId_) return;
  const std::unique_ptr<DragTarget> drag = std::move(drag_);
  if (end.commit == 0) {
    drag->cancel();
    return;
  }
  std::optional<Edit> edit;
  try {
    edit = drag->finish(end);
  } catch (...) {
    drag->cancel();  // restores what it showed
    throw;
  }
  if (edit) commit(std::move(*edit));
}

}  // namespace sinew::studio
