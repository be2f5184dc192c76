#include "sinew/learn/fit/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew::fit {
namespace {

constexpr double kWorthwhile = 0.7;  // correctives must bring the error at left-out examples below this share
constexpr double kRises = 1.02;      // errors at left-out examples that rise by less are noise
constexpr double kHelps = 0.7;       // of the error at examples that were left out: below it correctives generalise
constexpr double kSeen = 1e-4;       // diagonals: what is left below it no one sees

double square(double x) {
  return x * x;
}

/// The example of which a stage removes the greatest part of what all examples lose, or -1.
int mostHelped(const FitStage& before, const FitStage& after) {
  int best = -1;
  double most = 0;
  for (std::size_t k = 0; k < before.examples.size(); ++k) {
    const double removed = square(before.examples[k].rms) - square(after.examples[k].rms);
    if (removed <= most) continue;
    most = removed;
    best = static_cast<int>(k);
  }
  return best;
}

std::string bytesText(std::size_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value >= 1e6) return fmt::format("{:.1f} MB", value / 1e6);
  if (value >= 1e3) return fmt::format("{:.0f} kB", value / 1e3);
  return fmt::format("{} bytes", bytes);
}

std::string costText(const FitStage& before, const FitStage& after) {
  std::string text;
  const auto add = [&](const std::string& cost) { text += text.empty() ? cost : " and " + cost; };
  const int joints = after.joints - before.joints;
  const int morphs = after.morphs - before.morphs;
  if (joints > 0) add(fmt::format("{} joint{}", joints, joints == 1 ? "" : "s"));
  if (morphs > 0) add(fmt::format("{} morph target{}", morphs, morphs == 1 ? "" : "s"));
  if (after.bytes > before.bytes) add(bytesText(after.bytes - before.bytes));
  return text.empty() ? "" : " for " + text;
}

std::string stageText(const FitExplanation& explanation, std::size_t k, double diagonal) {
  const FitStage& before = explanation.stages[k - 1];
  const FitStage& after = explanation.stages[k];
  const double all = explanation.stages.front().total.rms;
  const double removed = (before.total.rms - after.total.rms) / all;
  const bool one = after.name == "rest shape";
  std::string name = one ? "the rest shape" : after.name;
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  if (removed < 0.005) return fmt::format("{} change{} nothing here.", name, one ? "s" : "");
  std::string text =
      fmt::format("{} remove{} {:.0f} % of the error{}", name, one ? "s" : "", 100 * removed, costText(before, after));
  const int helped = mostHelped(before, after);
  if (helped >= 0) text += fmt::format(", most at '{}'", explanation.examples[toSize(helped)]);
  if (after.leaveOneOut > kRises * before.leaveOneOut) {
    text += fmt::format(
        "; but the leave-one-out error rises from {:.3g} % to {:.3g} %, so there are too few examples to trust it",
        100 * before.leaveOneOut / diagonal, 100 * after.leaveOneOut / diagonal);
  }
  return text + ".";
}

std::string helperText(const std::vector<HelperTrial>& helpers) {
  const auto better = [](const HelperTrial& a, const HelperTrial& b) {
    return std::pair(a.kept, a.gain) < std::pair(b.kept, b.gain);
  };
  const auto best = std::max_element(helpers.begin(), helpers.end(), better);
  if (best == helpers.end() || !best->kept) return {};
  return fmt::format(" Of these, '{}' ({}) matters most.", best->name, best->rule);
}

}  // namespace

std::string fitAdvice(const FitExplanation& explanation, const std::vector<HelperTrial>& helpers, double diagonal,
                      const std::string& whyNoCorrectives) {
  const std::vector<FitStage>& stages = explanation.stages;
  const FitStage& original = stages.front();
  if (original.total.rms < 1e-9 * diagonal) return "The skin already matches every example; there is nothing to fit.";
  std::string text;
  for (std::size_t k = 1; k < stages.size(); ++k) {
    if (k > 1) text += " ";
    text += stageText(explanation, k, diagonal);
    if (stages[k].name == "helper joints") text += helperText(helpers);
  }
  if (!whyNoCorrectives.empty()) return text + " Pose-space correctives cannot be learned: " + whyNoCorrectives + ".";
  const FitStage& skin = stages[stages.size() - 2];
  const FitStage& correctives = stages.back();
  if (skin.total.rms < kSeen * diagonal) {
    text += " The remaining error is invisible: correctives are not worth their cost.";
  } else if (correctives.leaveOneOut < kHelps * skin.leaveOneOut) {
    text += fmt::format(
        " Correctives are worth it if {:.3g} % of the diagonal is too much: they lower the leave-one-out error to "
        "{:.3g} %.",
        100 * skin.leaveOneOut / diagonal, 100 * correctives.leaveOneOut / diagonal);
  } else {
    text += fmt::format(
        " Correctives would match these examples, but hardly help at others (leave-one-out error {:.3g} % against "
        "{:.3g} %): sculpt more examples before spending memory on them.",
        100 * correctives.leaveOneOut / diagonal, 100 * skin.leaveOneOut / diagonal);
  }
  return text;
}

}  // namespace sinew::fit
