// Rows for what a mode handles: commands and drags, from its member functions.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

#include "studio/command_json.h"
#include "studio/messages.h"

namespace sinew::studio {

class DragTarget;
class Mode;

struct CommandRow {
  std::string_view name;
  std::string_view owner;  ///< of protocol.json: the name of the mode
  wire::CommandKind kind;
  nlohmann::json (*run)(Mode& mode, const nlohmann::json& args);
};

/// A drag of a mode. A message of its own begins it, which has the page's number of the drag as `drag`.
struct DragRow {
  std::uint32_t code;  ///< of that message
  std::uint32_t (*number)(const wire::PageMessage& message);
  std::unique_ptr<DragTarget> (*begin)(Mode& mode, const wire::PageMessage& message);
};

/// command<&PoseMode::reset>(). The parameter of the function is the command (commands.h), its result the answer.
template <auto handler, class Kind, class Result, class Command>
constexpr CommandRow commandRow(Result (Kind::* /*handler*/)(const Command&)) {
  return {Command::kName, Command::kOwner, Command::kKind, [](Mode& mode, const nlohmann::json& args) {
            return answerTo<Command>(args,
                                     [&](const Command& one) { return (static_cast<Kind&>(mode).*handler)(one); });
          }};
}
template <auto handler>
constexpr CommandRow command() {
  return commandRow<handler>(handler);
}

/// The same for drags: drag<&WeightsMode::beginDrag>(). The parameter of the function is the message.
template <auto begin, class Kind, class Message>
constexpr DragRow dragRow(std::unique_ptr<DragTarget> (Kind::* /*begin*/)(const Message&)) {
  return {Message::kCode, [](const wire::PageMessage& message) { return std::get<Message>(message).drag; },
          [](Mode& mode, const wire::PageMessage& message) {
            return (static_cast<Kind&>(mode).*begin)(std::get<Message>(message));
          }};
}
template <auto begin>
constexpr DragRow drag() {
  return dragRow<begin>(begin);
}

}  // namespace sinew::studio
