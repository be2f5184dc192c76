// What each mode brings to a session: rows of commands and of drags.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "studio/document/edit_json.h"
#include "studio/messages.h"
#include "studio/modes/gesture.h"

namespace sinew::studio {

class Session;

/// A command of the page. Runs on the worker; its result goes back as it is.
struct SessionCommand {
  std::string_view name;
  Json (*run)(Session& session, const Json& args);
};

/// Names of all commands there are.
std::vector<std::string_view> commandNames();

/// A tool of drags.
struct DragToolRow {
  DragTool tool;
  std::unique_ptr<DragTarget> (*begin)(Session& session, const wire::DragBegin& begin);
};

// The tables of the modes.
std::span<const DragToolRow> dragTools();
std::span<const SessionCommand> fileCommands();
std::span<const SessionCommand> saveCommands();
std::span<const SessionCommand> poseCommands();
std::span<const SessionCommand> bindCommands();
std::span<const SessionCommand> weightCommands();
std::span<const SessionCommand> weightToolCommands();
std::span<const SessionCommand> handleCommands();
std::span<const SessionCommand> handleKeyCommands();
std::unique_ptr<DragTarget> beginWeightDrag(Session& session, const wire::DragBegin& begin);
std::unique_ptr<DragTarget> beginPaint(Session& session, const wire::DragBegin& begin);
std::unique_ptr<DragTarget> beginHandleDrag(Session& session, const wire::DragBegin& begin);

}  // namespace sinew::studio
