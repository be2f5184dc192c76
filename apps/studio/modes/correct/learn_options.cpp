#include "studio/modes/correct/learn_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "studio/modes/option_field.h"

namespace sinew::studio::correct {
namespace {

/// The page does not offer these: the operator under the corrections is what the page draws, and small deltas do not
/// show.
constexpr std::string_view kLeftOut[] = {"base", "least-delta"};

/// All fields, also those that the command reads as words.
template <class Visitor>
void visitOptions(PoseSpaceOptions& options, Visitor&& visit) {
  visitFields(options, [&](auto& value, const FieldInfo& info) {
    if (std::find(std::begin(kLeftOut), std::end(kLeftOut), info.name) == std::end(kLeftOut)) visit(value, info);
  });
  visit(options.radius, {.name = "radius",
                         .help = "radius of gaussian and multiquadric kernels in pose coordinates; 0: automatic",
                         .unit = "rad",
                         .least = 0,
                         .most = 100});
  visit(options.rank, {.name = "rank",
                       .help = "shapes that the corrections share; 0: automatic, -1: one per example",
                       .least = -1,
                       .most = static_cast<double>(kMostLowRankShapes)});
  visit(options.fade, {.name = "fade", .help = "corrections fade out far from every example"});
}

[[noreturn]] void refuse(const FieldInfo& info, const std::string& value, const std::string& allowed) {
  throw CommandFault("bad-input", fmt::format("{} is '{}'; it must be {}", info.name, value, allowed));
}

template <class Number>
Number numberOf(const FieldInfo& info, const std::string& text) {
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto value = static_cast<double>(number);
  if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < info.least ||
      value > info.most)
    refuse(info, text, fmt::format("a number from {:g} to {:g}", info.least, info.most));
  return number;
}

struct Setter {
  const FieldInfo& info;
  const std::string& text;

  void operator()(bool& value) const {
    if (text != "true" && text != "false") refuse(info, text, "true or false");
    value = text == "true";
  }
  void operator()(int& value) const { value = numberOf<int>(info, text); }
  void operator()(double& value) const { value = numberOf<double>(info, text); }
  void operator()(std::string& value) const {
    const std::vector<std::string> names = info.names();
    if (std::find(names.begin(), names.end(), text) == names.end())
      refuse(info, text, fmt::format("one of {}", fmt::join(names, ", ")));
    value = text;
  }
  template <Choice E>
  void operator()(E& value) const {
    const auto found = choiceOf<E>(text);
    if (!found) refuse(info, text, fmt::format("one of {}", fmt::join(choiceNames<E>(), ", ")));
    value = *found;
  }
};

}  // namespace

std::vector<wire::OptionField> optionFields() {
  std::vector<wire::OptionField> fields;
  PoseSpaceOptions options;
  visitOptions(options, [&](auto& value, const FieldInfo& info) { fields.push_back(optionField(value, info)); });
  return fields;
}

PoseSpaceOptions optionsOf(const std::vector<std::string>& names, const std::vector<std::string>& values) {
  if (names.size() != values.size()) throw CommandFault("malformed", "options need one value per name");
  PoseSpaceOptions options;
  for (std::size_t i = 0; i < names.size(); ++i) {
    bool known = false;
    visitOptions(options, [&](auto& value, const FieldInfo& info) {
      if (info.name != names[i]) return;
      known = true;
      Setter{info, values[i]}(value);
    });
    if (!known) throw CommandFault("malformed", fmt::format("there is no option '{}'", names[i]));
  }
  return options;
}

}  // namespace sinew::studio::correct
