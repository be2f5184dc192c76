// Skins from examples after Mohr and Gleicher, "Building efficient, accurate character skins from examples" (2003):
//   helper joints (helper_joints.cpp), weights (weights.cpp), rest points (rest_shape.cpp), rounding, baking.
// Departures: weights are convex (paper 2003 allows negative ones), helper joints stay only where they lower the error,
// the drift of the rest shape is limited, and the error that is told is that of the file as an engine plays it.
#include "sinew/learn/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>

#include "sinew/base/check.h"
#include "sinew/base/progress.h"
#include "sinew/base/text.h"
#include "sinew/character/mirror.h"
#include "sinew/character/turned_normals.h"
#include "sinew/learn/fit_guard.h"
#include "sinew/learn/fit_leave_one_out.h"
#include "sinew/learn/fit_pulls.h"
#include "sinew/learn/fit_report.h"
#include "sinew/learn/fit_setup.h"

namespace sinew {
namespace {

constexpr const char* kWhere = "fit";
constexpr double kExcess = 0.05;       // of an example's error: by less it counts as kept
constexpr double kLeastExcess = 1e-5;  // diagonals
constexpr double kHeld = 0.9;          // locks are told of where the error without them is below this share

struct QuantizeRow {
  std::string_view name;
  int steps;  ///< 0: not rounded
};
constexpr std::array<QuantizeRow, 3> kQuantize{{{"f32", 0}, {"u8", 255}, {"u16", 65535}}};

struct HelpersRow {
  std::string_view name;
  bool half;
  bool bulge;
};
constexpr std::array<HelpersRow, 4> kHelpers{
    {{"none", false, false}, {"half", true, false}, {"bulge", false, true}, {"all", true, true}}};

template <class Rows>
const auto& rowOf(const Rows& rows, std::string_view name, const char* what) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  if (found != rows.end()) return *found;
  std::string names;
  for (const auto& row : rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  throw Error(ErrorCode::BadInput, fmt::format("'{}' is no choice of {}; use one of {}", name, what, names), kWhere);
}

/// How a displacement in the rest space of a point's first vertex looks in that of another vertex of it (a point on the
/// border of two skins lies in two rest spaces).
Mat3 restFromRest(const Skin& skin, std::uint32_t first, std::uint32_t vertex) {
  for (const Influence& mine : skin.weights[vertex]) {
    for (const Influence& other : skin.weights[first]) {
      const Binding& to = skin.bindings[mine.binding];
      const Binding& from = skin.bindings[other.binding];
      if (to.joint == from.joint && to.skin != from.skin)
        return to.jointFromRest.linear().inverse() * from.jointFromRest.linear();
    }
  }
  return Mat3::Identity();
}

/// Nothing where the body is not symmetric.
std::optional<MirrorMap> mirrorOf(const Character& character) {
  try {
    return findMirror(character);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::BadInput) throw;
    return std::nullopt;
  }
}

class Fitter {
 public:
  Fitter(const Character& character, const ExampleSet& set, const FitOptions& options, const Progress& progress)
      : options_(options), progress_(progress), character_(character), set_(set) {}

  FitResult run() {
    const auto start = std::chrono::steady_clock::now();
    const QuantizeRow& quantize = rowOf(kQuantize, options_.quantize, "quantize");
    const HelpersRow& helpers = rowOf(kHelpers, options_.helpers, "helpers");
    alternation_ = alternationOf(character_, options_);
    const std::optional<double> prior = priorOf(options_);
    FitProblem problem = makeFitProblem(character_, set_);
    measureBefore(problem);
    double done = 0;
    if (helpers.half || helpers.bulge) {
      done = 0.5;
      addHelpers(helpers, prior);
      problem = makeFitProblem(character_, set_);
    }
    setPulls(prior, problem, partProgress(progress_, done, done + 0.1));
    guard(problem, partProgress(progress_, done + 0.1, done + 0.15));
    Alternation fit =
        alternateWeightsAndRest(character_, problem, alternation_, partProgress(progress_, done + 0.15, 0.85));
    leaveOut(problem, quantize.steps, partProgress(progress_, 0.85, 0.95));
    const Points original = problem.rest;
    problem.rest = fit.rest.rest;
    if (quantize.steps > 0) {
      fit.weights = quantizeWeights(problem, fit.weights, quantize.steps);
      fit.steps.push_back({"rounding", weightedRms(problem, fit.weights.errors)});
    }
    warn(fitWarnings(problem, alternation_, fit));
    std::vector<std::string> still = stillWarnings(character_, problem, still_, fit.weights.columns);
    report_.warnings.insert(report_.warnings.begin(), still.begin(), still.end());
    apply(problem, original, fit);
    measureAfter(problem, fit);
    warnOfWorse();
    sinew::report(progress_, {1, "done", report_.after.rms});
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {std::move(character_), std::move(report_)};
  }

 private:
  void measureBefore(const FitProblem& problem) {
    const ExampleErrors before = skinErrors(character_, set_, problem);
    report_.diagonal = problem.diagonal;
    report_.before = before.total;
    for (std::size_t k = 0; k < set_.examples.size(); ++k)
      report_.examples.push_back({set_.examples[k].name, before.examples[k], {}, {}, 1});
    report_.warnings = exampleWarnings(set_, problem);
    still_ = stillJoints(character_, set_, problem);
  }

  void addHelpers(const HelpersRow& kinds, const std::optional<double>& prior) {
    const std::optional<MirrorMap> mirror = mirrorOf(character_);
    if (mirror) partners_ = mirror->joint;
    HelperOptions helpers;
    helpers.prior = prior;
    helpers.most = options_.maxHelpers;
    helpers.mirror = mirror ? &*mirror : nullptr;
    helpers.half = kinds.half;
    helpers.bulge = kinds.bulge;
    helpers.leastGain = options_.leastGain;
    character_ = withUsefulHelpers(character_, set_, helpers, alternation_.weights, report_.helpers,
                                   partProgress(progress_, 0, 0.5));
    set_ = withHelperPoses(character_, std::move(set_));
  }

  void setPulls(const std::optional<double>& prior, FitProblem& problem, const Progress& progress) {
    if (prior) {
      problem.pulls = naturalPulls(character_, problem, *prior);
      regions_ = pointRegions(character_, problem, 1, {});
      return;
    }
    std::vector<int> partners = partners_;
    partners.resize(static_cast<std::size_t>(character_.skeleton.size()), -1);
    PullChoice choice =
        choosePulls(character_, problem, set_.examples.size(), alternation_.weights, partners, progress);
    problem.pulls = std::move(choice.pulls);
    regions_ = std::move(choice.regions);
    choices_ = std::move(choice.choices);
  }

  void leaveOut(const FitProblem& problem, int steps, const Progress& progress) {
    const auto errorsOf = [&](const AlternationOptions& options, double from, double to) {
      return leaveOneOutErrors(character_, problem, set_.examples.size(), options, steps, regions_,
                               partProgress(progress, from, to));
    };
    const bool smooth = options_.smoothness > 0;
    const LeftOutErrors errors = errorsOf(alternation_, 0, smooth ? 0.8 : 1);
    LeftOutErrors unsmoothed;
    if (smooth) {  // whether it is the smoothness that helps or harms
      AlternationOptions plain = alternation_;
      plain.weights.smoothness = 0;
      unsmoothed = errorsOf(plain, 0.8, 1);
    }
    report_.leftOut = errors.measured;
    warn(leftOutWarnings(character_, problem, regions_, choices_, errors, smooth ? &unsmoothed : nullptr));
    if (!errors.measured) return;
    report_.leaveOneOut = errors.total;
    for (std::size_t e = 0; e < set_.examples.size(); ++e) report_.examples[e].leaveOneOut = errors.examples[e];
  }

  void warn(std::vector<std::string> warnings) {
    for (std::string& warning : warnings) report_.warnings.push_back(std::move(warning));
  }

  /// What the guard could not keep: it weighs examples against each other, but has no say over what pulls at all.
  void warnOfWorse() {
    const FitExample* worst = nullptr;
    std::size_t count = 0;
    const auto excess = [&](const FitExample& e) { return e.after.rms - (1 + options_.mostWorse) * e.before.rms; };
    for (const FitExample& example : report_.examples) {
      if (excess(example) <= std::max(kExcess * example.before.rms, kLeastExcess * report_.diagonal)) continue;
      ++count;
      if (worst == nullptr || excess(example) > excess(*worst)) worst = &example;
    }
    if (worst == nullptr) return;
    report_.warnings.push_back(fmt::format(
        "{} of {} examples get worse by more than --most-worse {:g} allows, '{}' most (rms {:.3g} % of the diagonal "
        "before, {:.3g} % after); {}",
        count, report_.examples.size(), options_.mostWorse, worst->name, worst->before.rmsPercent,
        worst->after.rmsPercent,
        options_.smoothness > 0
            ? fmt::format("--smooth {:g} blurs their weights, a smaller one keeps them", options_.smoothness)
            : "these joints cannot serve all examples at once: --helpers would help"));
  }

  void guard(FitProblem& problem, const Progress& progress) {
    const std::vector<double> emphasis =
        guardExamples(character_, problem, set_.examples.size(), alternation_, options_.mostWorse, progress);
    for (std::size_t e = 0; e < emphasis.size(); ++e) problem.confidence[e] *= emphasis[e];
    for (std::size_t e = 0; e < set_.examples.size(); ++e) report_.examples[e].emphasis = emphasis[e];
  }

  /// Weights and rest points onto the vertices. Vertices of one point move alike, so seams stay closed.
  void apply(const FitProblem& problem, const Points& original, const Alternation& fit) {
    character_.skin.weights = weightsOfVertices(character_, problem, fit.weights.columns);
    if (options_.rest) {
      Points moved = character_.mesh.points;
      for (Index v = 0; v < moved.cols(); ++v) {
        const std::uint32_t point = problem.pointOfVertex[static_cast<std::size_t>(v)];
        if (point == kNotFitted) continue;
        const std::uint32_t first = problem.firstVertex[point];
        const Vec3 shift = problem.rest.col(point) - original.col(point);
        if (first == static_cast<std::uint32_t>(v)) {
          moved.col(v) += shift;
        } else {
          moved.col(v) += restFromRest(character_.skin, first, static_cast<std::uint32_t>(v)) * shift;
        }
      }
      character_.mesh.normals = turnedNormals(character_.mesh, moved);
      character_.mesh.points = std::move(moved);
    }
    if (!character_.helpers.empty()) bakeHelpers(character_);
  }

  void measureAfter(const FitProblem& problem, const Alternation& fit) {
    const ExampleErrors after = skinErrors(character_, set_, problem);
    report_.after = after.total;
    for (std::size_t k = 0; k < set_.examples.size(); ++k) report_.examples[k].after = after.examples[k];
    report_.steps = fit.steps;
    report_.iterations = static_cast<int>(fit.steps.size()) - 1;
    report_.drift = fit.rest.drift;
    report_.rmsDrift = fit.rest.rmsDrift;
    report_.maxInfluences = 0;
    for (const auto& column : fit.weights.columns)
      report_.maxInfluences = std::max(report_.maxInfluences, static_cast<int>(column.size()));
  }

  const FitOptions& options_;
  const Progress progress_;
  Character character_;
  ExampleSet set_;
  AlternationOptions alternation_;
  std::vector<int> still_;     // joints that no example moves
  std::vector<int> partners_;  // per joint of the original: its mirror image, or -1
  PointRegions regions_;
  std::vector<RegionChoice> choices_;  // per region where the strength was chosen
  FitReport report_;
};

}  // namespace

std::string FitReport::sentence() const {
  const auto kept = std::count_if(helpers.begin(), helpers.end(), [](const HelperTrial& trial) { return trial.kept; });
  std::string text = fmt::format(
      "{}, {} per vertex at most: rms {:.3g} % before, {:.3g} % after", counted(examples.size(), "example", "examples"),
      counted(static_cast<std::size_t>(maxInfluences), "joint", "joints"), before.rmsPercent, after.rmsPercent);
  if (leftOut) text += fmt::format(", {:.3g} % leave-one-out", leaveOneOut.rmsPercent);
  if (kept > 0) text += fmt::format(", with {} helper joint{}", kept, kept == 1 ? "" : "s");
  if (drift > 0) text += fmt::format("; the rest shape moved by at most {:.3g} % of the diagonal", 100 * drift);
  return text;
}

FitResult fitSkin(const Character& character, const ExampleSet& set, const FitOptions& options,
                  const Progress& progress) {
  if (options.locks.empty() && options.lockedVertices.empty()) return Fitter(character, set, options, progress).run();
  FitResult result = Fitter(character, set, options, partProgress(progress, 0, 0.5)).run();
  // What the locks cost shows in a fit without them: they decide which helper joints are worth keeping, too.
  FitOptions open = options;
  open.locks.clear();
  open.lockedVertices.clear();
  const FitReport without = Fitter(character, set, open, partProgress(progress, 0.5, 1)).run().report;
  if (without.after.rms < kHeld * result.report.after.rms) {
    result.report.warnings.push_back(
        fmt::format("the locks hold error: rms {:.3g} % of the diagonal with them, {:.3g} % without",
                    result.report.after.rmsPercent, without.after.rmsPercent));
  }
  return result;
}

}  // namespace sinew
