// The value of an argument: what it may be, and how it is read from and shown as text and JSON.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sinew/base/choice.h"

namespace sinew::cli {

struct ArgumentValue {
  using Target = std::variant<int*, std::int64_t*, double*, bool*, std::string*, std::vector<std::string>*, ChoiceRef>;

  std::string name;  ///< key in options files: "max-influences"; of an input its name: "CHARACTER"
  Target target;
  nlohmann::ordered_json initial;    ///< its default
  std::vector<std::string> choices;  ///< of a text: allowed words; none: any
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

nlohmann::ordered_json currentValue(const ArgumentValue& value);
bool isWhole(const ArgumentValue& value);
/// Its words; none of a value that is no text.
std::vector<std::string> textsOf(const ArgumentValue& value);
/// Whether an option of this unit names a file: "FILE.json", "PATH", "POSE".
bool namesFile(const std::string& unit);

/// "from 1 to 64", "of at least 0"; empty without limits.
std::string rangeText(const ArgumentValue& value);

/// Empty where the text is a number within the limits, else what is wrong with it.
std::string numberFault(const ArgumentValue& value, std::string_view text);
/// Empty where the word is one of the choices, else what is wrong with it and which is nearest.
std::string choiceFault(const ArgumentValue& value, const std::string& word);

/// Reads the value from JSON. Numbers are accepted for a text ("auto" or 30). Throws an Error in `where`.
void assign(const ArgumentValue& value, const nlohmann::ordered_json& json, const std::string& where);

/// How an empty value is shown.
inline constexpr std::string_view kNoValue = "(none)";
/// A value as text for display.
std::string shownValue(const nlohmann::ordered_json& value);

/// Throws UsageError for an invalid value of a flag that takes a word or a number. `wanted` ends the sentence: "a
/// number from 1 up".
[[noreturn]] void refuseWordOrNumber(const std::string& flag, const std::string& value, const std::string& word,
                                     const std::string& wanted);

/// A name and what it means, broken into lines that fit a terminal.
std::string helpRow(const std::string& left, const std::string& text);

/// "; did you mean 'psd'?", or `otherwise` where no candidate is near.
std::string didYouMean(std::string_view word, std::span<const std::string> candidates, const std::string& otherwise);

}  // namespace sinew::cli
