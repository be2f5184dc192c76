// stdout and stderr: results must arrive, notes may get lost.
#pragma once

#include <string_view>

namespace sinew::cli {

/// Once, before anything is opened: a reader that goes away is an error and no signal, and a stream that was closed
/// stands for nothing, so that no file takes its number.
void openStreams();

/// Part of a result, on stdout. Throws Error if it cannot be written.
void say(std::string_view text);
/// Throws Error if what was said did not get to where stdout leads: a full disk, a pipe that nobody reads.
void finishSaying();

/// On stderr; where that leads nowhere, nothing happens.
void tell(std::string_view text) noexcept;

}  // namespace sinew::cli
