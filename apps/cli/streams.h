// stdout and stderr: results must arrive, notes may get lost.
#pragma once

#include <string_view>

namespace sinew::cli {

/// Call once, before anything is opened: a closed pipe is an error instead of a signal, and a closed stream is replaced
/// by /dev/null, so that no file gets its number.
void openStreams();

/// Part of a result, on stdout. Throws Error if it cannot be written.
void say(std::string_view text);
/// Throws Error if the output did not reach its destination: a full disk, a closed pipe.
void finishSaying();

/// Writes to stderr; does nothing if it is closed.
void tell(std::string_view text) noexcept;

}  // namespace sinew::cli
