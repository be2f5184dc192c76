#include "arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "argument_value.h"
#include "command.h"
#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/types.h"
#include "sinew/io/files.h"
#include "sinew/io/nesting.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A flag or an input with its value and its option in the parser.
struct Entry : ArgumentValue {
  std::string flag;  ///< as it is typed: "--max-influences"; empty for inputs
  std::string help;
  std::string unit;
  bool required = false;
  bool fromFile = false;
  bool isFile = false;  ///< its whole value may name a file
  CLI::Option* option = nullptr;
};

/// Options about the list itself are not in the list.
constexpr std::string_view kOptionsFlag = "--options";
constexpr std::string_view kPrintFlag = "--print-options";

/// "quiet" of "-q,--quiet", "clip" of "--clip,!--no-clip"; the name of an input as it is.
std::string longName(const std::string& flag) {
  const std::size_t dashes = flag.find("--");
  if (dashes == std::string::npos) return flag;
  return flag.substr(dashes + 2, flag.find(',', dashes) - dashes - 2);
}

/// At least one of these flags must be given.
struct Need {
  std::vector<std::string> flags;
  std::string usage;    ///< "(--examples FILE | --clip CLIP --meshes PATH)"
  std::string missing;  ///< "--examples (or --clip with --meshes)"
};

}  // namespace

struct Arguments::Impl {
  CLI::App app;
  std::string command;
  std::string about;
  std::string examples;
  std::vector<std::unique_ptr<Entry>> entries;  // their addresses are kept by the parser
  std::vector<ArgumentInfo> declared;
  std::vector<Need> needs;
  std::string optionsFile;
  bool printOptions = false;

  Impl(std::string_view name, std::string_view summary, std::string_view example)
      : command(name), about(summary), examples(example) {
    app.allow_extras();  // they are rejected after parsing, with a suggestion
    const std::string optionsHelp = "read options from a JSON file; flags override it";
    const std::string printHelp = "print every option with its value, and stop";
    app.add_option(std::string(kOptionsFlag), optionsFile, optionsHelp);
    app.add_flag(std::string(kPrintFlag), printOptions, printHelp);
    declared = {{std::string(kOptionsFlag), optionsHelp, {}, true, true},
                {std::string(kPrintFlag), printHelp, {}, false, false}};
  }

  /// `flag` is an input's name, or flags as the parser takes them: "-q,--quiet", "--clip,!--no-clip".
  template <class Value>
  Entry& add(const std::string& flag, const std::string& unit, Value& value, const std::string& help,
             bool takesFile = false) {
    Entry& entry = addEntry(flag, unit, help, takesFile);
    entry.target = &value;
    entry.initial = Json(value);
    if constexpr (std::is_same_v<Value, bool>) {
      entry.option = app.add_flag(flag, value, help);
      declared.back().takesValue = false;
    } else {
      entry.option = app.add_option(flag, value, help);
    }
    return entry;
  }

  void addChoice(const std::string& flag, const ChoiceRef& value, const std::string& help) {
    Entry& entry = addEntry(flag, "WORD", help, false);
    entry.target = value;
    entry.initial = Json(value.name());
    entry.option = app.add_option_function<std::string>(
        flag, [value](const std::string& word) { static_cast<void>(value.set(word)); }, help);
    choose(entry, value.names());
  }

  Entry& addEntry(const std::string& flag, const std::string& unit, const std::string& help, bool takesFile) {
    const bool isInput = !flag.starts_with('-');
    auto owned = std::make_unique<Entry>();
    Entry& entry = *owned;
    entries.push_back(std::move(owned));
    entry.name = longName(flag);
    entry.flag = isInput ? "" : "--" + entry.name;
    entry.help = help;
    entry.unit = unit;
    entry.isFile = isInput ? takesFile : namesFile(unit);
    declared.push_back({isInput ? "" : flag.substr(0, flag.find(",!")), help, {}, true, takesFile});
    return entry;
  }

  void limit(Entry& entry) {
    entry.option->check(
        [&entry](const std::string& text) -> std::string {
          const std::string fault = numberFault(entry, text);
          if (!fault.empty()) throw UsageError(fmt::format("{} {} {}", entry.flag, text, fault));
          return {};
        },
        "");
  }

  void choose(Entry& entry, std::vector<std::string> words) {
    entry.choices = std::move(words);
    entry.required = entry.flag.empty();
    declared.back().choices = entry.choices;
    if (!entry.flag.empty()) entry.unit = fmt::format("{}", fmt::join(entry.choices, "|"));
    entry.option->check(
        [&entry](const std::string& word) -> std::string {
          const std::string fault = choiceFault(entry, word);
          if (fault.empty()) return {};
          throw UnknownWordError(entry.flag.empty() ? fmt::format("'{}' {}", word, fault)
                                                    : fmt::format("{} '{}' {}", entry.flag, word, fault));
        },
        "");
  }

  static std::string helpOf(const FieldInfo& info) {
    return info.unit.empty() ? std::string(info.help) : fmt::format("{} ({})", info.help, info.unit);
  }

  template <class Value>
  void addField(Value& value, const FieldInfo& info) {
    const std::string flag = "--" + std::string(info.name);
    const std::string help = helpOf(info);
    if constexpr (std::is_same_v<Value, bool>) {
      add(fmt::format("{},!--no-{}", flag, info.name), "", value, help);
    } else {
      Entry& entry = add(flag, "TEXT", value, help);
      if constexpr (std::is_arithmetic_v<Value>) {
        entry.least = info.least;
        entry.most = info.most;
        entry.unit = isWhole(entry) ? "N" : "X";
        limit(entry);
      } else if (info.names != nullptr) {
        choose(entry, info.names());
      }
    }
  }

  [[nodiscard]] std::vector<std::string> flagNames() const {
    std::vector<std::string> names{"help", longName(std::string(kOptionsFlag)), longName(std::string(kPrintFlag))};
    for (const auto& entry : entries) {
      if (!entry->flag.empty()) names.push_back(entry->name);
    }
    return names;
  }

  /// "sinew convert IN -o PATH"
  [[nodiscard]] std::string usageLine() const {
    std::string line = "sinew " + command;
    for (const auto& entry : entries) {
      if (!entry->flag.empty()) continue;
      const bool several = std::holds_alternative<std::vector<std::string>*>(entry->target);
      const std::string name = entry->name + (several ? "…" : "");
      line += entry->required ? " " + name : fmt::format(" [{}]", name);
    }
    for (const Need& need : needs) line += " " + need.usage;
    for (const auto& entry : entries) {
      if (entry->required && !entry->flag.empty()) line += fmt::format(" {} {}", shownFlag(*entry), entry->unit);
    }
    return line;
  }

  /// "-o, --output PATH", and after it the help with limits and default.
  static std::string helpLine(const Entry& entry) {
    std::string left = entry.flag.empty() ? entry.name : entry.flag;
    if (const std::vector<std::string> shorts = entry.option->get_snames(); !shorts.empty())
      left = fmt::format("-{}, {}", shorts.front(), left);
    if (!entry.flag.empty() && !entry.unit.empty()) left += " " + entry.unit;
    std::vector<std::string> notes;
    if (entry.required) notes.emplace_back("required");
    if (const std::string range = rangeText(entry); !range.empty()) notes.push_back(range);
    const bool hasDefault = !std::holds_alternative<bool*>(entry.target) || entry.initial == Json(true);
    const std::string initial = shownValue(entry.initial);
    if (!entry.flag.empty() && hasDefault && initial != kNoValue) notes.push_back("default " + initial);
    if (entry.option->check_lname("no-" + entry.name)) notes.push_back("--no-" + entry.name + " switches it off");
    return helpRow(left, notes.empty() ? entry.help : fmt::format("{} [{}]", entry.help, fmt::join(notes, ", ")));
  }

  [[nodiscard]] std::string help() const {
    std::string inputs;
    std::string flags;
    for (const auto& entry : entries) (entry->flag.empty() ? inputs : flags) += helpLine(*entry);
    flags += helpRow(std::string(kOptionsFlag) + " FILE.json", declared[0].help);
    flags += helpRow(std::string(kPrintFlag), declared[1].help);
    flags += helpRow("-h, --help", "show this text");
    return fmt::format("{}\n\nUsage: {} [flags]\n\n{}{}Flags:\n{}\nExamples:\n{}\n", about, usageLine(),
                       inputs.empty() ? "" : "Inputs:\n", inputs.empty() ? "" : inputs + "\n", flags, examples);
  }

  static std::string shownFlag(const Entry& entry) {
    if (entry.flag.empty()) return entry.name;
    return entry.name == "output" ? "-o" : entry.flag;
  }

  [[noreturn]] void refuseFlag(const std::string& word) const {
    std::string name = word.substr(0, word.find('='));
    name.erase(0, name.find_first_not_of('-'));
    std::string nearest = nearestName(name, flagNames());
    // Part of a long name is as good as one with a wrong letter.
    if (nearest.empty() && name.size() >= 3) {
      for (const std::string& known : flagNames()) {
        if (nearest.empty() && known.find(name) != std::string::npos) nearest = known;
      }
    }
    throw UnknownWordError(fmt::format("the flag {} does not exist; {}", word.substr(0, word.find('=')),
                                       nearest.empty() ? fmt::format("`sinew help {}` lists all", command)
                                                       : fmt::format("did you mean --{}?", nearest)));
  }

  /// "-output x" would be read as "-o utput".
  void checkDashes(std::span<const std::string> words) const {
    const std::vector<std::string> names = flagNames();
    for (const std::string& word : words) {
      if (word.size() < 3 || word[0] != '-' || word[1] == '-') continue;
      const std::string name = word.substr(1, word.find('=') - 1);
      if (std::find(names.begin(), names.end(), name) != names.end()) refuseFlag(word);
    }
  }

  /// What the parser did not consume: unknown flags first, then extra inputs.
  void checkLeftOver() const {
    const std::vector<std::string> left = app.remaining();
    for (const std::string& word : left) {
      if (word.size() > 1 && word[0] == '-') refuseFlag(word);
    }
    if (!left.empty())
      throw UsageError(fmt::format("'{}' is one input too many; usage: {}", left.front(), usageLine()));
  }

  void checkRequired() const {
    std::vector<std::string> missing;
    for (const Need& need : needs) {
      const bool any = std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
        const bool named = std::find(need.flags.begin(), need.flags.end(), entry->flag) != need.flags.end();
        return named && (entry->option->count() > 0 || entry->fromFile);
      });
      if (!any) missing.push_back(need.missing);
    }
    for (const auto& entry : entries) {
      if (entry->required && entry->option->count() == 0 && !entry->fromFile) missing.push_back(shownFlag(*entry));
    }
    if (missing.empty()) return;
    throw UsageError(fmt::format("{} {} missing; usage: {}", fmt::join(missing, ", "),
                                 missing.size() == 1 ? "is" : "are", usageLine()));
  }

  [[noreturn]] void refuse(const CLI::ParseError& error) const {
    const std::string sentence = error.what();
    for (const auto& entry : entries) {
      if (entry->flag.empty() || sentence.find(entry->flag + ":") == std::string::npos) continue;
      if (entry->option->count() > 1) throw UsageError(fmt::format("{} is given twice; give it once", entry->flag));
      throw UsageError(fmt::format("{} needs a value; write {} {}", entry->flag, entry->flag, entry->unit));
    }
    throw UsageError(sentence);
  }

  void readOptionsFile() {
    const std::string& where = optionsFile;
    const std::string text = readFile(where);
    checkNesting(text, Notation::Json, where);
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object())
      throw Error(ErrorCode::Unreadable, "is not a JSON object; write {\"option\": value, ...}", where);
    std::vector<std::string> names;
    std::vector<Entry*> known;
    for (const auto& entry : entries) {
      if (entry->flag.empty()) continue;
      names.push_back(entry->name);
      known.push_back(entry.get());
    }
    for (const auto& [key, value] : json.items()) {
      const auto found = std::find(names.begin(), names.end(), key);
      if (found == names.end()) {
        throw Error(ErrorCode::BadInput,
                    fmt::format("the option '{}' does not exist{}", key,
                                didYouMean(key, names, fmt::format("; `sinew {} --print-options` lists all", command))),
                    where);
      }
      Entry& entry = *known[toSize(found - names.begin())];
      if (entry.option->count() > 0) continue;
      assign(entry, value, where);
      entry.fromFile = value != entry.initial;
    }
  }
};

Arguments::Arguments(std::string_view command, std::string_view summary, std::string_view example)
    : impl_(std::make_unique<Impl>(command, summary, example)) {}
Arguments::~Arguments() = default;

void Arguments::input(const std::string& name, std::string& value, const std::string& help, bool required) {
  impl_->add(name, "", value, help, true).required = required;
}

void Arguments::inputs(const std::string& name, std::vector<std::string>& values, const std::string& help,
                       bool required) {
  impl_->add(name, "", values, help, true).required = required;
}

void Arguments::output(std::string& value, const std::string& help, bool required) {
  impl_->add("-o,--output", "PATH", value, help, true).required = required;
}

void Arguments::needs(std::vector<std::string> flags, const std::string& usage, const std::string& missing) {
  impl_->needs.push_back({std::move(flags), usage, missing});
}

void Arguments::flag(const std::string& flag, bool& value, const std::string& help) {
  impl_->add(flag, "", value, help);
}

void Arguments::option(const std::string& flag, const std::string& unit, std::string& value, const std::string& help) {
  impl_->add(flag, unit, value, help, true);
}

void Arguments::option(const std::string& flag, const std::string& unit, std::int64_t& value, const std::string& help,
                       double least, double most) {
  Entry& entry = impl_->add(flag, unit, value, help);
  entry.least = least;
  entry.most = most;
  impl_->limit(entry);
}

void Arguments::option(const std::string& flag, const std::string& unit, std::vector<std::string>& values,
                       const std::string& help) {
  impl_->add(flag, unit, values, help, true);
}

void Arguments::required(const std::string& flag, const std::string& unit, std::string& value,
                         const std::string& help) {
  impl_->add(flag, unit, value, help, true).required = true;
}

void Arguments::choice(const std::string& flag, std::string& value, std::vector<std::string> words,
                       const std::string& help) {
  Entry& entry = impl_->add(flag, "WORD", value, help);
  impl_->choose(entry, std::move(words));
}

void Arguments::choice(const std::string& flag, const ChoiceRef& value, const std::string& help) {
  impl_->addChoice(flag, value, help);
}

void Arguments::field(const ChoiceRef& value, const FieldInfo& info) {
  impl_->addChoice("--" + std::string(info.name), value, Impl::helpOf(info));
}
void Arguments::field(int& value, const FieldInfo& info) {
  impl_->addField(value, info);
}
void Arguments::field(double& value, const FieldInfo& info) {
  impl_->addField(value, info);
}
void Arguments::field(bool& value, const FieldInfo& info) {
  impl_->addField(value, info);
}
void Arguments::field(std::string& value, const FieldInfo& info) {
  impl_->addField(value, info);
}

std::optional<std::string> Arguments::parse(std::span<const std::string> words) {
  impl_->checkDashes(words);
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // the parser takes them last first
  try {
    impl_->app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return impl_->help();
  } catch (const UsageError&) {
    impl_->checkLeftOver();
    throw;
  } catch (const CLI::ParseError& error) {
    impl_->checkLeftOver();
    impl_->refuse(error);
  }
  impl_->checkLeftOver();
  if (!impl_->optionsFile.empty()) impl_->readOptionsFile();
  if (!impl_->printOptions) impl_->checkRequired();
  return std::nullopt;
}

std::vector<std::string> Arguments::inputValues() const {
  std::vector<std::string> values;
  for (const auto& entry : impl_->entries) {
    if (!entry->flag.empty()) continue;
    const std::vector<std::string> texts = textsOf(*entry);
    values.insert(values.end(), texts.begin(), texts.end());
  }
  return values;
}

std::vector<std::string> Arguments::files() const {
  std::vector<std::string> values;
  for (const auto& entry : impl_->entries) {
    for (const std::string& text : textsOf(*entry)) {
      if (entry->isFile) values.push_back(text);
      const std::size_t colon = text.find(':');
      if (colon == std::string::npos) continue;
      if (entry->isFile) values.push_back(text.substr(0, colon));  // FILE:CLIP
      values.push_back(text.substr(colon + 1));                    // lattice:FILE
    }
  }
  return values;
}

std::optional<std::string> Arguments::printedOptions(bool json) const {
  if (!impl_->printOptions) return std::nullopt;
  Json values = Json::object();
  std::string text;
  for (const auto& entry : impl_->entries) {
    if (entry->flag.empty()) continue;
    // Here --json is about the list, not about the command.
    const Json value = entry->name == "json" ? Json(false) : currentValue(*entry);
    values[entry->name] = value;
    text += fmt::format("{:<20} {:<12} {}{}\n", entry->name, shownValue(value), entry->help,
                        value == entry->initial ? "  [default]" : "");
  }
  return json ? values.dump(2) + "\n" : text;
}

const std::vector<ArgumentInfo>& Arguments::declared() const {
  return impl_->declared;
}

}  // namespace sinew::cli
