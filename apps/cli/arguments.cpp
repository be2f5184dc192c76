#include "arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/files.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;
using FieldValue = std::variant<int*, double*, bool*, std::string*>;

struct Field {
  FieldInfo info;
  FieldValue value;
  Json initial;
  const CLI::Option* option = nullptr;
};

std::vector<std::string> splitChoices(std::string_view choices) {
  std::vector<std::string> words;
  while (!choices.empty()) {
    const std::size_t bar = choices.find('|');
    words.emplace_back(choices.substr(0, bar));
    choices.remove_prefix(bar == std::string_view::npos ? choices.size() : bar + 1);
  }
  return words;
}

Json currentValue(const FieldValue& value) {
  return std::visit([](const auto* pointer) { return Json(*pointer); }, value);
}

/// One sentence where a value from a file breaks the field's rule.
void checkRange(const Field& field, const std::string& where) {
  const Json value = currentValue(field.value);
  if (value.is_number()) {
    const double number = value.get<double>();
    if (!(number >= field.info.least && number <= field.info.most)) {
      throw Error(ErrorCode::BadInput,
                  fmt::format("'{}' is {}, but must lie between {} and {}", field.info.name, number, field.info.least,
                              field.info.most),
                  where);
    }
  }
  if (value.is_string() && !field.info.choices.empty()) {
    const auto words = splitChoices(field.info.choices);
    if (std::find(words.begin(), words.end(), value.get<std::string>()) == words.end()) {
      throw Error(ErrorCode::BadInput,
                  fmt::format("'{}' is '{}', but must be one of {}", field.info.name, value.get<std::string>(),
                              field.info.choices),
                  where);
    }
  }
}

void assign(const Field& field, const Json& json, const std::string& where) {
  const auto refuse = [&](const char* kind) {
    throw Error(ErrorCode::BadInput, fmt::format("'{}' must be {}, not {}", field.info.name, kind, json.dump()), where);
  };
  if (auto* const* number = std::get_if<int*>(&field.value)) {
    if (!json.is_number_integer()) refuse("a whole number");
    **number = json.get<int>();
  } else if (auto* const* real = std::get_if<double*>(&field.value)) {
    if (!json.is_number()) refuse("a number");
    **real = json.get<double>();
  } else if (auto* const* truth = std::get_if<bool*>(&field.value)) {
    if (!json.is_boolean()) refuse("true or false");
    **truth = json.get<bool>();
  } else if (auto* const* text = std::get_if<std::string*>(&field.value)) {
    if (!json.is_string()) refuse("a text");
    **text = json.get<std::string>();
  }
  checkRange(field, where);
}

}  // namespace

struct Arguments::Impl {
  CLI::App* app = nullptr;
  std::vector<Field> fields;
  std::vector<ArgumentInfo> declared;
  std::string optionsFile;
  bool printOptions = false;

  CLI::Option* declare(CLI::Option* option, const ArgumentInfo& info) {
    declared.push_back(info);
    return option;
  }

  template <class Value>
  void addField(Value& value, const FieldInfo& info) {
    if (fields.empty()) {
      declare(
          app->add_option("--options", optionsFile, "read options from a JSON file; flags win")->type_name("FILE.json"),
          {"--options", "options file", {}, true, true});
      declare(app->add_flag("--print-options", printOptions, "print every option with its value, and stop"),
              {"--print-options", "print options", {}, false, false});
    }
    const std::string flag = "--" + std::string(info.name);
    std::string help(info.help);
    if (!info.unit.empty()) help += fmt::format(" ({})", info.unit);
    Field field{info, &value, Json(value), nullptr};
    CLI::Option* option = nullptr;
    if constexpr (std::is_same_v<Value, bool>) {
      option = app->add_flag(fmt::format("{},!--no-{}", flag, info.name), value, help);
    } else {
      option = app->add_option(flag, value, help)->capture_default_str();
      if constexpr (std::is_arithmetic_v<Value>) {
        if (std::isfinite(info.least) || std::isfinite(info.most)) {
          option->check(CLI::Range(static_cast<double>(info.least), static_cast<double>(info.most)));
        }
      } else if (!info.choices.empty()) {
        option->check(CLI::IsMember(splitChoices(info.choices)));
      }
    }
    field.option = declare(
        option, {flag, std::string(info.help), splitChoices(info.choices), !std::is_same_v<Value, bool>, false});
    fields.push_back(field);
  }
};

Arguments::Arguments(void* parser) : impl_(std::make_unique<Impl>()) {
  impl_->app = static_cast<CLI::App*>(parser);
}
Arguments::~Arguments() = default;

void Arguments::input(const std::string& name, std::string& value, const std::string& help, bool required) {
  impl_->declare(impl_->app->add_option(name, value, help)->required(required)->type_name(""),
                 {"", help, {}, true, true});
}

void Arguments::inputs(const std::string& name, std::vector<std::string>& values, const std::string& help,
                       bool required) {
  impl_->declare(impl_->app->add_option(name, values, help)->required(required)->type_name(""),
                 {"", help, {}, true, true});
}

void Arguments::output(std::string& value, const std::string& help, bool required) {
  impl_->declare(impl_->app->add_option("-o,--output", value, help)->required(required)->type_name("PATH"),
                 {"--output", help, {}, true, true});
}

void Arguments::flag(const std::string& flag, bool& value, const std::string& help) {
  impl_->declare(impl_->app->add_flag(flag, value, help), {flag, help, {}, false, false});
}

void Arguments::option(const std::string& flag, const std::string& unit, std::string& value, const std::string& help) {
  impl_->declare(impl_->app->add_option(flag, value, help)->type_name(unit)->capture_default_str(),
                 {flag, help, {}, true, true});
}

void Arguments::option(const std::string& flag, const std::string& unit, std::int64_t& value, const std::string& help) {
  impl_->declare(impl_->app->add_option(flag, value, help)->type_name(unit), {flag, help, {}, true, false});
}

void Arguments::option(const std::string& flag, const std::string& unit, std::vector<std::string>& values,
                       const std::string& help) {
  impl_->declare(impl_->app->add_option(flag, values, help)->type_name(unit), {flag, help, {}, true, true});
}

void Arguments::required(const std::string& flag, const std::string& unit, std::string& value,
                         const std::string& help) {
  impl_->declare(impl_->app->add_option(flag, value, help)->type_name(unit)->required(), {flag, help, {}, true, true});
}

void Arguments::choice(const std::string& flag, std::string& value, std::vector<std::string> words,
                       const std::string& help) {
  impl_->declare(impl_->app->add_option(flag, value, help)->check(CLI::IsMember(words))->capture_default_str(),
                 {flag, help, words, true, false});
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

void Arguments::finish() {
  if (impl_->optionsFile.empty()) return;
  const std::string& where = impl_->optionsFile;
  const Json json = Json::parse(readFile(where), nullptr, false);
  if (!json.is_object())
    throw Error(ErrorCode::Unreadable, "is not a JSON object; write {\"option\": value, ...}", where);
  std::vector<std::string> names;
  for (const Field& field : impl_->fields) names.emplace_back(field.info.name);
  for (const auto& [key, value] : json.items()) {
    const auto known = std::find(names.begin(), names.end(), key);
    if (known == names.end()) {
      const std::string nearest = nearestName(key, names);
      throw Error(
          ErrorCode::BadInput,
          fmt::format("there is no option '{}'{}", key,
                      nearest.empty() ? "; --print-options lists them" : fmt::format("; did you mean '{}'?", nearest)),
          where);
    }
    const Field& field = impl_->fields[static_cast<std::size_t>(known - names.begin())];
    if (field.option->count() == 0) assign(field, value, where);
  }
}

std::optional<std::string> Arguments::printedOptions(bool json) const {
  if (!impl_->printOptions) return std::nullopt;
  Json values = Json::object();
  std::string text;
  for (const Field& field : impl_->fields) {
    const Json value = currentValue(field.value);
    values[std::string(field.info.name)] = value;
    text += fmt::format("{:<20} {:<12} {}{}\n", field.info.name,
                        value.is_string() ? value.get<std::string>() : value.dump(), field.info.help,
                        value == field.initial ? "  [default]" : "");
  }
  return json ? values.dump(2) + "\n" : text;
}

const std::vector<ArgumentInfo>& Arguments::declared() const {
  return impl_->declared;
}

}  // namespace sinew::cli
