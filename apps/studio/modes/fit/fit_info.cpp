#include "studio/modes/fit/fit_info.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/base/text.h"
#include "studio/document/blob.h"
#include "studio/modes/checks.h"

namespace sinew::studio::fit {
namespace {

std::uint32_t u32(auto value) {
  return static_cast<std::uint32_t>(value);
}

wire::ErrorInfo errorOf(const ShapeError& error) {
  return {error.rms, error.p95, error.max, static_cast<std::int32_t>(error.maxVertex)};
}

/// The sum over all examples; its vertex is counted through them.
wire::ErrorInfo totalOf(const SequenceError& error, Index vertices) {
  wire::ErrorInfo total = errorOf(error.total);
  if (total.vertex >= 0) total.vertex = static_cast<std::int32_t>(error.total.maxVertex % std::max<Index>(vertices, 1));
  return total;
}

void addFit(const FitReport& report, wire::FitResult& result) {
  if (report.leftOut) {
    result.leftOut = report.leaveOneOut.rms;
    result.leftOutBefore = report.before.rms;
    result.heldOutBy = "leave-one-out";
    for (std::size_t k = 0; k < result.examples.size(); ++k)
      result.examples[k].leftOut = report.examples[k].leaveOneOut.rms;
  }
  result.drift = report.drift;
  for (const FitStep& step : report.steps) result.steps.push_back({step.what, step.rms});
}

void addHelpers(const LearnedSkin& learned, wire::FitResult& result) {
  const Character& character = learned.file.character;
  const std::size_t old = learned.source.file.character.helpers.size();
  for (std::size_t h = old; h < character.helpers.size(); ++h) {
    const HelperJoint& helper = character.helpers[h];
    result.helpers.push_back(
        {.name = character.skeleton[helper.joint].name, .rule = helperRule(character.skeleton, helper)});
  }
  if (!learned.fit) return;
  for (wire::FitHelper& shown : result.helpers) {
    for (const HelperTrial& trial : learned.fit->helpers) {
      if (trial.kept && trial.name == shown.name) shown.gain = trial.gain;
    }
  }
}

double meanInfluences(const SkinWeights& weights) {
  std::size_t sum = 0;
  for (Index v = 0; v < weights.vertexCount(); ++v) sum += weights[v].size();
  return weights.vertexCount() > 0 ? static_cast<double>(sum) / static_cast<double>(weights.vertexCount()) : 0;
}

std::vector<float> floatsOf(const Eigen::VectorXd& values) {
  const Eigen::VectorXf floats = values.cast<float>();
  return {floats.begin(), floats.end()};
}

/// "18.3 MB", "412 kB".
std::string sizeText(std::size_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (number >= 1e6) return fmt::format("{:.1f} MB", number / 1e6);
  return number >= 1000 ? fmt::format("{:.0f} kB", number / 1000) : counted(bytes, "byte", "bytes");
}

/// That of the report, with a size that is easier to read.
std::string sentenceOf(const BudgetedSkinReport& report) {
  const auto chosen = std::find_if(report.choices.begin(), report.choices.end(),
                                   [](const SkinChoice& choice) { return choice.chosen; });
  const SkinCost& used = report.used;
  std::string costs = counted(toSize(used.influences), "influence", "influences");
  if (used.helpers > 0) costs += ", " + counted(toSize(used.helpers), "helper joint", "helper joints");
  if (used.morphs > 0) costs += ", " + counted(toSize(used.morphs), "morph target", "morph targets");
  if (used.bytes > 0) costs += ", " + sizeText(used.bytes);
  return asSentence(fmt::format("{}: rms {:.3g} % held out ({}), {:.3g} % before; {}.",
                                chosen == report.choices.end() ? "plain skin" : chosen->name, report.after.rmsPercent,
                                report.heldOutBy, report.before.rmsPercent, costs));
}

}  // namespace

wire::FitResult resultOf(const LearnedSkin& learned, std::uint32_t number) {
  const Character& character = learned.file.character;
  const Index vertices = character.mesh.vertexCount();
  wire::FitResult result{.number = number,
                         .what = learned.fit ? "fit" : "learn",
                         .sentence = sentenceOf(learned),
                         .diagonal = learned.diagonal,
                         .before = totalOf(learned.before, vertices),
                         .after = totalOf(learned.after, vertices),
                         .maxInfluences = u32(character.skin.weights.maxInfluences()),
                         .meanInfluences = meanInfluences(character.skin.weights),
                         .morphs = u32(character.morphs.size() - learned.source.file.character.morphs.size()),
                         .warnings = learned.warnings};
  for (std::string& warning : result.warnings) warning = withoutFlags(warning);
  const auto& examples = learned.source.examples.examples;
  for (std::size_t k = 0; k < examples.size(); ++k)
    result.examples.push_back({.name = examples[k].name,
                               .before = errorOf(learned.before.perFrame[k]),
                               .after = errorOf(learned.after.perFrame[k])});
  if (learned.fit) addFit(*learned.fit, result);
  if (learned.budget) {
    result.leftOut = learned.budget->after.rms;
    result.leftOutBefore = learned.budget->before.rms;
    result.heldOutBy = learned.budget->heldOutBy;
  }
  addHelpers(learned, result);
  return result;
}

wire::FitTriage triageOf(const FitExplanation& explanation) {
  wire::FitTriage triage{.examples = explanation.examples, .stages = {}, .advice = withoutFlags(explanation.advice)};
  // Every stage is measured at the same rest shape.
  const ShapeError& original = explanation.stages.front().total;
  const double percent = original.rms > 0 ? original.rmsPercent / original.rms : 0;
  for (const FitStage& stage : explanation.stages) {
    wire::FitStageInfo info{.name = stage.name,
                            .rms = stage.total.rmsPercent,
                            .leftOut = percent * stage.leaveOneOut,
                            .joints = u32(stage.joints),
                            .morphs = u32(stage.morphs),
                            .bytes = static_cast<double>(stage.bytes)};
    for (const ShapeError& example : stage.examples) info.examples.push_back(example.rmsPercent);
    triage.stages.push_back(std::move(info));
  }
  return triage;
}

std::vector<wire::FitChoice> choicesOf(const BudgetedSkinReport& report) {
  std::vector<wire::FitChoice> choices;
  for (const SkinChoice& choice : report.choices)
    choices.push_back({.name = choice.name,
                       .error = choice.errorPercent,
                       .partly = choice.examples < report.heldOut.size(),
                       .influences = u32(choice.cost.influences),
                       .helpers = u32(choice.cost.helpers),
                       .morphs = u32(choice.cost.morphs),
                       .bytes = static_cast<double>(choice.cost.bytes),
                       .nanoseconds = choice.cost.nanoseconds,
                       .fits = choice.fits,
                       .front = choice.front,
                       .chosen = choice.chosen});
  return choices;
}

std::string sentenceOf(const LearnedSkin& learned) {
  return learned.fit ? learned.fit->sentence() : sentenceOf(*learned.budget);
}

Bytes errorsBlob(const LearnedSkin& learned, std::size_t example) {
  BlobWriter blob;
  blob.add(ArrayKind::ErrorsBefore, 1, floatsOf(learned.errorsBefore(example)));
  blob.add(ArrayKind::ErrorsAfter, 1, floatsOf(learned.errorsAfter(example)));
  return blob.finish();
}

}  // namespace sinew::studio::fit
