#include "argument_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "command.h"
#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/types.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// "a, b or c"
std::string listed(const Words& words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

/// "a whole number from 1 to 64"
std::string wantedNumber(const ArgumentValue& value) {
  const std::string range = rangeText(value);
  return std::string(isWhole(value) ? "a whole number" : "a number") + (range.empty() ? "" : " " + range);
}

bool inRange(const ArgumentValue& value, double number) {
  const bool isInt = std::holds_alternative<int*>(value.target);
  if (isInt && !(std::abs(number) <= std::numeric_limits<int>::max())) return false;
  return std::isfinite(number) && number >= value.least && number <= value.most;
}

template <class Number>
bool reads(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [last, fault] = std::from_chars(text.data(), end, number);
  return fault == std::errc() && last == end;
}

/// The candidate with the longest beginning in common, where that is three letters and most of the candidate: "halves"
/// for "half". Empty where there is none.
std::string nearestBeginning(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t kLeastLetters = 3;
  std::string nearest;
  std::size_t longest = 0;
  for (const std::string& candidate : candidates) {
    const auto [end, ignored] = std::mismatch(candidate.begin(), candidate.end(), word.begin(), word.end());
    const auto common = toSize(end - candidate.begin());
    if (common < kLeastLetters || 2 * common <= candidate.size() || common <= longest) continue;
    longest = common;
    nearest = candidate;
  }
  return nearest;
}

[[noreturn]] void refuse(const ArgumentValue& value, const Json& json, const std::string& wanted,
                         const std::string& where) {
  throw Error(ErrorCode::BadInput, fmt::format("'{}' is {}; it must be {}", value.name, json.dump(), wanted), where);
}

Words wordsOf(const ArgumentValue& value, const Json& json, const std::string& where) {
  if (json.is_string()) return {json.get<std::string>()};
  const auto isText = [](const Json& word) { return word.is_string(); };
  if (!json.is_array() || !std::all_of(json.begin(), json.end(), isText)) refuse(value, json, "a list of texts", where);
  return json.get<Words>();
}

std::string textOf(const ArgumentValue& value, const Json& json, const std::string& where) {
  if (!json.is_string() && !json.is_number()) refuse(value, json, "a text", where);
  std::string text = json.is_string() ? json.get<std::string>() : json.dump();
  const std::string fault = value.choices.empty() ? "" : choiceFault(value, text);
  if (!fault.empty()) throw Error(ErrorCode::BadInput, fmt::format("'{}': '{}' {}", value.name, text, fault), where);
  return text;
}

}  // namespace

Json currentValue(const ArgumentValue& value) {
  if (const auto* choice = std::get_if<ChoiceRef>(&value.target)) return choice->name();
  return std::visit(
      [](const auto& pointer) -> Json {
        if constexpr (std::is_pointer_v<std::decay_t<decltype(pointer)>>) return *pointer;
        return nullptr;
      },
      value.target);
}

bool isWhole(const ArgumentValue& value) {
  return std::holds_alternative<int*>(value.target) || std::holds_alternative<std::int64_t*>(value.target);
}

Words textsOf(const ArgumentValue& value) {
  if (const auto* one = std::get_if<std::string*>(&value.target)) return {**one};
  if (const auto* all = std::get_if<Words*>(&value.target)) return **all;
  return {};
}

bool namesFile(const std::string& unit) {
  constexpr std::string_view kWords[] = {"FILE", "PATH", "DIR", "MESH", "POSE"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return unit.find(word) != std::string::npos; });
}

std::string rangeText(const ArgumentValue& value) {
  const bool below = std::isfinite(value.least);
  const bool above = std::isfinite(value.most);
  const auto written = [&](double limit) {
    return isWhole(value) ? fmt::format("{:.0f}", limit) : fmt::format("{:g}", limit);
  };
  if (below && above) return fmt::format("from {} to {}", written(value.least), written(value.most));
  if (below) return "of at least " + written(value.least);
  return above ? "of at most " + written(value.most) : "";
}

std::string numberFault(const ArgumentValue& value, std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  bool good = false;
  if (isWhole(value)) {
    std::int64_t whole = 0;
    good = reads(text, whole);
    number = static_cast<double>(whole);
  } else {
    good = reads(text, number);
  }
  return good && inRange(value, number) ? "" : fmt::format("is not {}", wantedNumber(value));
}

std::string choiceFault(const ArgumentValue& value, const std::string& word) {
  if (std::find(value.choices.begin(), value.choices.end(), word) != value.choices.end()) return "";
  return "does not exist" + didYouMean(word, value.choices, fmt::format("; choose {}", listed(value.choices)));
}

void assign(const ArgumentValue& value, const Json& json, const std::string& where) {
  const bool isReal = std::holds_alternative<double*>(value.target);
  if (isWhole(value) || isReal) {
    const bool fits = isReal ? json.is_number() : json.is_number_integer();
    if (!fits || !inRange(value, json.get<double>())) refuse(value, json, wantedNumber(value), where);
  }
  if (std::holds_alternative<bool*>(value.target) && !json.is_boolean()) refuse(value, json, "true or false", where);
  std::visit(
      [&](const auto& pointer) {
        using Value = std::remove_pointer_t<std::decay_t<decltype(pointer)>>;
        if constexpr (std::is_same_v<Value, ChoiceRef>) {
          static_cast<void>(pointer.set(textOf(value, json, where)));
        } else if constexpr (std::is_same_v<Value, Words>) {
          *pointer = wordsOf(value, json, where);
        } else if constexpr (std::is_same_v<Value, std::string>) {
          *pointer = textOf(value, json, where);
        } else {
          *pointer = json.get<Value>();
        }
      },
      value.target);
}

std::string shownValue(const Json& value) {
  const std::string none(kNoValue);
  if (value.is_string()) return value.get<std::string>().empty() ? none : value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:g}", value.get<double>());
  if (!value.is_array()) return value.dump();
  return value.empty() ? none : fmt::format("{}", fmt::join(value.get<Words>(), " "));
}

void refuseWordOrNumber(const std::string& flag, const std::string& value, const std::string& word,
                        const std::string& wanted) {
  const std::string sentence = fmt::format("{} {} is neither '{}' nor {}", flag, value, word, wanted);
  double number = 0;
  if (value.empty() || reads(value, number)) throw UsageError(sentence);
  const std::vector<std::string> words = {word};
  throw UsageError(sentence + didYouMean(value, words, fmt::format("; write {}, or a number", word)));
}

std::string helpRow(const std::string& left, const std::string& text) {
  constexpr std::size_t kIndent = 30;
  constexpr std::size_t kWidth = 110;
  std::string row = fmt::format("  {:<{}}", left, kIndent - 2);
  std::size_t column = row.size();
  if (left.size() + 3 > kIndent) {
    row += fmt::format("\n{:{}}", "", kIndent);
    column = kIndent;
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::size_t length = end - at;
    if (column + length > kWidth && column > kIndent) {
      row.pop_back();
      row += fmt::format("\n{:{}}", "", kIndent);
      column = kIndent;
    }
    row += text.substr(at, length) + " ";
    column += length + 1;
    at = end + 1;
  }
  row.pop_back();
  return row + "\n";
}

std::string didYouMean(std::string_view word, std::span<const std::string> candidates, const std::string& otherwise) {
  std::string nearest = nearestName(word, candidates);
  if (nearest.empty()) nearest = nearestBeginning(word, candidates);
  return nearest.empty() ? otherwise : fmt::format("; did you mean '{}'?", nearest);
}

}  // namespace sinew::cli
