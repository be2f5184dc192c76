// Texts of faults and warnings, for people.
#pragma once

#include <string>

namespace sinew::studio {

/// Begins with a capital letter, unless it begins with a name: of a file, a joint, an option.
std::string asSentence(std::string text);

/// Warnings of the library name options as flags of the command line: '--max-helpers' becomes 'max-helpers', in quotes.
std::string withoutFlags(const std::string& text);

}  // namespace sinew::studio
