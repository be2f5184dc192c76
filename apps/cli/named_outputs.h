// Outputs that a command line names: none may replace an input or another output by mistake.
#pragma once

#include <span>
#include <string>

namespace sinew::cli {

/// Checks the words after a command before anything is read. The file of `-o` may be an input: naming it twice means
/// replacing it. Throws Error for a report or a chart that would replace an input or the file of `-o`, and for a report
/// that is not an HTML page.
void checkNamedOutputs(std::span<const std::string> words);

}  // namespace sinew::cli
