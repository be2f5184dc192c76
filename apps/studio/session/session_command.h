// Rows for the commands of the session itself, which are in files of their own: opening and listing, saving.
#pragma once

#include <span>
#include <string_view>

#include "studio/session/session.h"

namespace sinew::studio {

/// A command of the session itself, in a file of its own: sessionCommand<openCommand>().
struct SessionCommand {
  std::string_view name;
  wire::CommandKind kind;
  Json (*run)(Session& session, const Json& args);
};
template <auto handler, class Result, class Command>
constexpr SessionCommand sessionCommandRow(Result (* /*handler*/)(Session&, const Command&)) {
  return {Command::kName, Command::kKind, [](Session& session, const Json& args) {
            return answerTo<Command>(args, [&](const Command& one) { return handler(session, one); });
          }};
}
template <auto handler>
constexpr SessionCommand sessionCommand() {
  return sessionCommandRow<handler>(handler);
}
std::span<const SessionCommand> fileCommands();
std::span<const SessionCommand> saveCommands();

}  // namespace sinew::studio
