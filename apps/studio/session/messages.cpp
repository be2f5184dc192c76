// What a page says, taken apart: commands to their table, messages to drags and poses. Faults become answers.
#include <fmt/format.h>

#include <algorithm>

#include "sinew/base/error.h"
#include "studio/session/session.h"
#include "studio/untrusted_json.h"

namespace sinew::studio {
namespace {

constexpr std::span<const SessionCommand> (*kTables[])() = {fileCommands,   saveCommands,     poseCommands,
                                                            bindCommands,   weightCommands,   weightToolCommands,
                                                            handleCommands, handleKeyCommands};

/// These change nothing: pages that were taken over may use them, and drags go on.
constexpr std::string_view kLooks[] = {"hello",        "describe", "samples",       "files",
                                       "history.list", "frame",    "weights.reach", "weights.soft"};

bool onlyLooks(std::string_view command) {
  return std::find(std::begin(kLooks), std::end(kLooks), command) != std::end(kLooks);
}

/// What no page of ours does; all else is a mistake of the user.
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

}  // namespace

std::span<const DragToolRow> dragTools() {
  static constexpr DragToolRow kRows[] = {
      {DragTool::Weights, beginWeightDrag},
      {DragTool::Paint, beginPaint},
      {DragTool::Handle, beginHandleDrag},
  };
  return kRows;
}

std::vector<std::string_view> commandNames() {
  std::vector<std::string_view> names{"hello", "undo", "redo", "history.jump", "frame", "history.list", "job.cancel"};
  for (const auto& table : kTables) {
    for (const SessionCommand& row : table()) names.push_back(row.name);
  }
  return names;
}

void Session::runCommand(const ConnectionPtr& from, const std::string& text) {
  const Json json = parseCommand(text);
  if (!json.is_object() || !json.contains("cmd") || !json["cmd"].is_string()) {
    log("refused a command that is no object with 'cmd'");
    from->sendText(
        Json{{"ok", false}, {"code", "malformed"}, {"text", "a command must be an object with 'cmd'"}}.dump());
    return;
  }
  Json answer{{"id", json.contains("id") && json["id"].is_primitive() ? json["id"] : Json()}};
  try {
    const auto command = json["cmd"].get<std::string>();
    const Json args = json.contains("args") && json["args"].is_object() ? json["args"] : Json::object();
    if (!onlyLooks(command)) {
      if (looksOn(from))
        throw CommandFault("taken-over", "another page has the studio", "Reload this page to work here again.");
      // A clip that plays is a gesture of many commands.
      if (command != "pose.clip") settle();
    }
    answer["result"] = call(command, args);
    answer["ok"] = true;
  } catch (const CommandFault& fault) {
    if (isRefusal(fault.code)) log(fmt::format("refused a command: {}", fault.what()));
    answer.update({{"ok", false}, {"code", fault.code}, {"text", fault.what()}, {"hint", fault.hint}});
  } catch (const Error& error) {
    answer.update({{"ok", false}, {"code", codeOf(error.code())}, {"text", error.what()}, {"hint", ""}});
  } catch (const Json::exception& fault) {
    log(fmt::format("refused a command whose arguments do not fit it: {}", fault.what()));
    answer.update({{"ok", false},
                   {"code", "malformed"},
                   {"text", fmt::format("the command's arguments do not fit it ({})", fault.what())},
                   {"hint", "Reload the page."}});
  } catch (const std::bad_alloc&) {
    log(kNoMemory);
    answer.update({{"ok", false}, {"code", "no-memory"}, {"text", kNoMemory}, {"hint", kNoMemoryHint}});
  } catch (const std::exception& fault) {
    log(fault.what());
    answer.update({{"ok", false}, {"code", "internal"}, {"text", fault.what()}, {"hint", ""}});
  }
  from->sendText(answer.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json Session::call(const std::string& command, const Json& args) {
  if (command == "hello") return hello(args);
  if (command == "undo") return undo(false), Json::object();
  if (command == "redo") return undo(true), Json::object();
  if (command == "history.jump") return jump(args.at("depth").get<std::size_t>()), Json::object();
  if (command == "frame") return sendFrame(), Json::object();
  if (command == "history.list") return {{"names", history_.names()}, {"depth", history_.depth()}};
  if (command == "job.cancel") return jobs_.cancel(args.at("job").get<std::uint32_t>()), Json::object();
  for (const auto& table : kTables) {
    for (const SessionCommand& row : table()) {
      if (row.name == command) return row.run(*this, args);
    }
  }
  throw CommandFault("unknown-command", fmt::format("the studio has no command '{}'", command), "Reload the page.");
}

void Session::runBinary(std::span<const std::uint8_t> bytes) {
  const auto header = readHeader(bytes);
  if (!header) throw CommandFault("malformed", "a message without a whole header was dropped");
  answered_ = header->seq;
  const auto body = bytes.subspan(kHeaderBytes);
  const auto take = [&]<class Message>(const Message& /*type*/, const auto& use) {
    const auto message = decode<Message>(body);
    if (!message)
      throw CommandFault("malformed", fmt::format("a message of kind {} does not fit its format", header->code));
    use(*message);
  };
  switch (header->code) {
    case wire::DragBegin::kCode:
      return take(wire::DragBegin{}, [&](const wire::DragBegin& m) { beginDrag(m); });
    case wire::DragMove::kCode:
      return take(wire::DragMove{}, [&](const wire::DragMove& m) {
        if (!drag_ || m.drag != dragId_) return;
        dragTarget_ = m.target;
        drag_->move(m);
      });
    case wire::DragEnd::kCode:
      return take(wire::DragEnd{}, [&](const wire::DragEnd& m) { endDrag(m); });
    case wire::Stroke::kCode:
      return take(wire::Stroke{}, [&](const wire::Stroke& m) {
        if (!drag_ || m.drag != dragId_) return;
        dragTarget_.emplace();  // a brush has none
        drag_->stroke(m);
      });
    case wire::PoseSet::kCode:
      return take(wire::PoseSet{}, [&](const wire::PoseSet& m) { setPose(m); });
    default:
      throw CommandFault("malformed", fmt::format("there is no message of kind {}", header->code));
  }
}

void Session::beginDrag(const wire::DragBegin& begin) {
  requireDocument();
  settle();
  for (const DragToolRow& row : dragTools()) {
    if (row.tool == static_cast<DragTool>(begin.tool)) drag_ = row.begin(*this, begin);
  }
  if (!drag_) throw CommandFault("malformed", fmt::format("there is no tool {}", begin.tool));
  dragId_ = begin.drag;
  dragTarget_.reset();
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
    drag->cancel();  // what it showed is not kept
    throw;
  }
  if (edit) commit(std::move(*edit));
}

}  // namespace sinew::studio
