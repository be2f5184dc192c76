#include "studio/modes/fit/fit_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <utility>

#include "studio/modes/option_field.h"

namespace sinew::studio::fit {
namespace {

constexpr std::array<std::string_view, 6> kShown{"max-influences", "helpers", "rest", "max-helpers", "prior", "smooth"};
constexpr double kBytesPerKilobyte = 1000;
/// Of a budget: larger numbers are mistakes.
constexpr int kMostPieces = 10000;
constexpr double kMostKilobytes = 1e9;

/// Numbers within the ranges of the library.
void checkRanges(FitOptions& options) {
  visitFields(options, []<class Value>(const Value& value, const FieldInfo& info) {
    if constexpr (std::same_as<Value, int> || std::same_as<Value, double>) {
      if (value >= info.least && value <= info.most) return;
      throw CommandFault("bad-input",
                         fmt::format("{} is {}; it must be {} to {}", info.name, value, info.least, info.most));
    }
  });
}

void checkPrior(const std::string& prior) {
  if (prior == "auto") return;
  double value = 0;
  const char* const end = prior.data() + prior.size();
  const auto [stop, fault] = std::from_chars(prior.data(), end, value);
  if (fault != std::errc() || stop != end || !std::isfinite(value) || value < 0)
    throw CommandFault("bad-input", fmt::format("the prior is '{}'", prior), "Write auto, or a number of 0 or more.");
}

template <class Value>
void checkLimit(const std::optional<Value>& value, const char* what, double least, double most) {
  if (value && !(*value >= least && *value <= most))
    throw CommandFault("bad-input", fmt::format("{} is {}; it must be {} to {}", what, *value, least, most));
}

}  // namespace

std::vector<wire::FitField> shownFields() {
  std::vector<wire::FitField> fields;
  FitOptions options;
  visitFields(options, [&](const auto& value, const FieldInfo& info) {
    if (std::find(kShown.begin(), kShown.end(), info.name) == kShown.end()) return;
    wire::OptionField field = optionField(value, info);
    fields.push_back({.name = std::move(field.name),
                      .help = std::move(field.help),
                      .unit = std::move(field.unit),
                      .value = std::move(field.value),
                      .least = field.least,
                      .most = field.most,
                      .choices = std::move(field.values)});
  });
  return fields;
}

FitOptions optionsOf(const wire::FitStartCommand& asked, const Document& document) {
  FitOptions options;
  const auto helpers = choiceOf<FitHelpers>(asked.helpers);
  if (!helpers)
    throw CommandFault("bad-input", fmt::format("there are no helper joints of the kind '{}'", asked.helpers));
  options.helpers = *helpers;
  options.maxHelpers = asked.maxHelpers;
  options.rest = asked.rest;
  options.maxInfluences = asked.maxInfluences;
  options.smoothness = asked.smooth;
  options.prior = asked.prior;
  options.locks = document.locks;
  if (options.maxHelpers == 0) options.helpers = FitHelpers::None;
  if (!asked.weights) {
    if (options.helpers != FitHelpers::None)
      throw CommandFault("bad-input", "helper joints need weights", "Fit the weights too, or add no helper joints.");
    if (!options.rest)
      throw CommandFault("bad-input", "there is nothing to fit", "Choose weights, helper joints or the rest shape.");
    options.locks.clear();
    for (const Joint& joint : document.file.character.skeleton.joints()) options.locks.push_back(joint.name);
  }
  checkPrior(options.prior);
  checkRanges(options);
  return options;
}

FitOptions optionsOf(const wire::FitExplainCommand& asked, const Document& document) {
  return optionsOf(
      wire::FitStartCommand{
          .helpers = std::string(nameOf(FitHelpers::All)), .rest = true, .maxInfluences = asked.maxInfluences},
      document);
}

SkinBudget budgetOf(const wire::FitLearnCommand& asked) {
  checkLimit(asked.influences, "influences", 1, 64);
  checkLimit(asked.helpers, "helper joints", 0, kMostPieces);
  checkLimit(asked.morphs, "morph targets", 0, kMostPieces);
  checkLimit(asked.kilobytes, "kilobytes", 0, kMostKilobytes);
  SkinBudget budget{.influences = asked.influences, .helpers = asked.helpers, .morphs = asked.morphs};
  if (asked.kilobytes) budget.bytes = static_cast<std::size_t>(kBytesPerKilobyte * *asked.kilobytes);
  return budget;
}

}  // namespace sinew::studio::fit
