// The arguments of a command. A thin wrapper around the parser, so that only one file includes it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/base/fields.h"

namespace sinew::cli {

/// A flag or an input, as completion needs it.
struct ArgumentInfo {
  std::string flag;  ///< "--pose"; empty for inputs
  std::string help;
  std::vector<std::string> choices;  ///< allowed words, if they are known
  bool takesValue = true;
  bool takesFile = false;
};

class Arguments {
 public:
  Arguments(std::string_view command, std::string_view summary, std::string_view example);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void input(const std::string& name, std::string& value, const std::string& help, bool required = true);
  void inputs(const std::string& name, std::vector<std::string>& values, const std::string& help, bool required = true);
  void output(std::string& value, const std::string& help, bool required = true);

  void flag(const std::string& flag, bool& value, const std::string& help);
  void option(const std::string& flag, const std::string& unit, std::string& value, const std::string& help);
  void option(const std::string& flag, const std::string& unit, std::int64_t& value, const std::string& help,
              double least = -std::numeric_limits<double>::infinity(),
              double most = std::numeric_limits<double>::infinity());
  /// Repeats, or takes several words after one flag.
  void option(const std::string& flag, const std::string& unit, std::vector<std::string>& values,
              const std::string& help);
  /// A required string.
  void required(const std::string& flag, const std::string& unit, std::string& value, const std::string& help);
  /// At least one of these options is required. `usage` is their part of the usage line; `missing` names them where
  /// none is given.
  void needs(std::vector<std::string> flags, const std::string& usage, const std::string& missing);
  /// One of an enum, by name.
  template <Choice E>
  void choice(const std::string& flag, E& value, const std::string& help) {
    choice(flag, ChoiceRef(value), help);
  }
  void choice(const std::string& flag, const ChoiceRef& value, const std::string& help);
  /// One of `words`; as an input, where `flag` does not begin with a dash.
  void choice(const std::string& flag, std::string& value, std::vector<std::string> words, const std::string& help);

  /// Every field of an options struct becomes a flag.
  template <class Options>
  void fields(Options& options) {
    visitFields(options, [this](auto& value, const FieldInfo& info) { this->field(value, info); });
  }
  void field(int& value, const FieldInfo& info);
  void field(double& value, const FieldInfo& info);
  void field(bool& value, const FieldInfo& info);
  void field(std::string& value, const FieldInfo& info);
  template <Choice E>
  void field(E& value, const FieldInfo& info) {
    field(ChoiceRef(value), info);
  }
  void field(const ChoiceRef& value, const FieldInfo& info);

  /// Reads the words behind the command, then the file of `--options` into what no flag has set. Returns the help text
  /// where it was asked for. Throws UnknownWordError, with the nearest name, for words that do not exist; UsageError
  /// for what is missing or out of range; Error for an options file that cannot be used. With `--print-options`
  /// nothing is required.
  std::optional<std::string> parse(std::span<const std::string> words);
  /// The inputs that were given, in order.
  [[nodiscard]] std::vector<std::string> inputValues() const;
  /// Every value, or part of one, that was given where a file may be named.
  [[nodiscard]] std::vector<std::string> files() const;
  /// `--print-options` was given: every option with its value. As text with defaults marked, or as the JSON object
  /// that `--options` reads.
  [[nodiscard]] std::optional<std::string> printedOptions(bool json) const;
  [[nodiscard]] const std::vector<ArgumentInfo>& declared() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew::cli
