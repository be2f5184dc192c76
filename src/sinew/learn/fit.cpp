// Skins from examples after Mohr and Gleicher, "Building efficient, accurate character skins from examples" (2003):
//   helper joints (helper_joints.cpp), weights (weights.cpp), rest points (fit/rest_shape.cpp), rounding, baking.
// Departures: weights are convex (paper 2003 allows negative ones), helper joints stay only where they lower the error,
// the drift of the rest shape is limited, and the error that is reported is that of the file as an engine plays it.
#include "sinew/learn/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "sinew/base/check.h"
#include "sinew/base/progress.h"
#include "sinew/base/text.h"
#include "sinew/character/mirror.h"
#include "sinew/character/turned_normals.h"
#include "sinew/learn/fit/guard.h"
#include "sinew/learn/fit/leave_one_out.h"
#include "sinew/learn/fit/pulls.h"
#include "sinew/learn/fit/report.h"
#include "sinew/learn/fit/setup.h"
#include "sinew/learn/fit/useful_helpers.h"

namespace sinew::fit {
namespace {

constexpr double kExcess = 0.05;       // of an example's error: by less it counts as kept
constexpr double kLeastExcess = 1e-5;  // diagonals
constexpr double kNoGain = 1 - 1e-6;   // of a squared error: what is left of it is rounding
constexpr int kReportedFolds = 12;
constexpr int kChosenFolds = 8;              // where strengths and helper joints are chosen again in each
constexpr int kFewestToChoose = 3;           // examples: with one left out, two are left to choose by
constexpr Index kPointsToChooseAgain = 500;  // that decide which helper joints are kept
constexpr double kHeld = 0.9;                // locks are reported if the error without them is below this share

/// What weights are multiples of: 1 over this; 0: not rounded.
int stepsOf(WeightFormat format) {
  return format == WeightFormat::Bits8 ? 255 : format == WeightFormat::Bits16 ? 65535 : 0;
}

/// Converts a displacement in the rest space of a point's first vertex to that of another vertex (a point on the border
/// of two skins is in two rest spaces).
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
    const int steps = stepsOf(options_.quantize);
    alternation_ = alternationOf(character_, options_);
    prior_ = priorOf(options_);
    measureBefore(makeFitProblem(character_, set_));
    capInfluences();
    base_ = character_;
    baseSet_ = set_;
    findSides();
    double done = 0;
    if (options_.helpers != FitHelpers::None && options_.maxHelpers != 0) {
      done = 0.4;
      addHelpers();
    }
    Attempt attempt = fitOnce(steps, partProgress(progress_, done, 0.95));
    if (helpersHarm(attempt)) {
      const LeftOutErrors errors = attempt.leftOut.back();
      dropHelpers();
      attempt = fitOnce(steps, partProgress(progress_, 0.95, 0.99));
      warnOfHelpers(errors);
    }
    finish(attempt, steps);
    sinew::report(progress_, {1, "done", report_.after.rms});
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {std::move(character_), std::move(report_)};
  }

 private:
  /// A fit, and what it leaves at examples that are left out.
  struct Attempt {
    FitProblem problem;
    PointRegions regions;
    std::vector<RegionChoice> choices;  ///< per region where the strength was chosen
    std::vector<double> emphasis;       ///< per example of the problem
    Alternation fit;
    std::vector<LeftOutErrors>
        leftOut;  ///< with the requested options, then without smoothness and normals if these were requested
  };

  /// What examples decide about a skin with given joints.
  struct Choices {
    PullChoice pulls;
    std::vector<double> emphasis;
  };

  void measureBefore(const FitProblem& problem) {
    const ExampleErrors before = skinErrors(character_, set_, problem);
    report_.diagonal = problem.diagonal;
    report_.before = before.total;
    report_.capped = before.total;
    for (std::size_t k = 0; k < set_.examples.size(); ++k)
      report_.examples.push_back({set_.examples[k].name, before.examples[k], before.examples[k], {}, {}, 1});
    report_.warnings = exampleWarnings(set_, problem);
    still_ = stillJoints(character_, set_, problem);
  }

  /// A skin that has more joints per vertex than the fit may use is cut first: the fit starts from it, and must not be
  /// worse.
  void capInfluences() {
    const int own = character_.skin.weights.maxInfluences();
    cut_ = own > options_.maxInfluences;
    if (!cut_) return;
    character_.skin.weights = character_.skin.weights.limited(options_.maxInfluences);
    const ExampleErrors capped = skinErrors(character_, set_, makeFitProblem(character_, set_));
    report_.capped = capped.total;
    for (std::size_t k = 0; k < set_.examples.size(); ++k) report_.examples[k].capped = capped.examples[k];
    report_.warnings.push_back(
        fmt::format("--max-influences {} is below the {} that some vertices have: limited to that, the error of the "
                    "original skin at the examples is rms {:.3g} % of the diagonal instead of {:.3g} %",
                    options_.maxInfluences, own, capped.total.rmsPercent, report_.before.rmsPercent));
  }

  void findSides() {
    mirror_ = mirrorOf(character_);
    if (!mirror_) return;
    partners_ = mirror_->joint;
    warn(mirrorWarnings(character_, set_, *mirror_));
  }

  void addHelpers() {
    const bool all = options_.helpers == FitHelpers::All;
    helperOptions_.prior = prior_;
    helperOptions_.most = options_.maxHelpers;
    helperOptions_.mirror = mirror_ ? &*mirror_ : nullptr;
    helperOptions_.half = all || options_.helpers == FitHelpers::Half;
    helperOptions_.bulge = all || options_.helpers == FitHelpers::Bulge;
    helperOptions_.leastGain = options_.leastGain;
    character_ = withUsefulHelpers(base_, baseSet_, helperOptions_, alternation_.weights, report_.helpers,
                                   partProgress(progress_, 0, 0.4));
    set_ = withHelperPoses(character_, baseSet_);
    extended_ = character_;
  }

  void dropHelpers() {
    for (HelperTrial& trial : report_.helpers) {
      trial.kept = false;
      trial.helper.joint = -1;
    }
    character_ = base_;
    set_ = baseSet_;
    extended_.reset();
  }

  [[nodiscard]] Choices choose(const Character& character, const FitProblem& problem, const Progress& progress) const {
    Choices choices;
    if (prior_) {
      choices.pulls.pulls = naturalPulls(character, problem, *prior_);
      choices.pulls.regions = pointRegions(character, problem, 1, {});
    } else {
      std::vector<int> partners = partners_;
      partners.resize(toSize(character.skeleton.size()), -1);
      choices.pulls = choosePulls(character, problem, baseSet_.examples.size(), alternation_.weights, partners,
                                  partProgress(progress, 0, 0.6));
    }
    FitProblem pulled = problem;
    pulled.pulls = choices.pulls.pulls;
    choices.emphasis = guardExamples(character, pulled, baseSet_.examples.size(), alternation_, options_.mostWorse,
                                     partProgress(progress, 0.6, 1));
    return choices;
  }

  Attempt fitOnce(int steps, const Progress& progress) {
    Attempt attempt;
    FitProblem& problem = attempt.problem;
    problem = makeFitProblem(character_, set_);
    const FitProblem plain = problem;
    Choices choices = choose(character_, problem, partProgress(progress, 0, 0.2));
    problem.pulls = std::move(choices.pulls.pulls);
    attempt.regions = std::move(choices.pulls.regions);
    attempt.choices = std::move(choices.pulls.choices);
    attempt.emphasis = std::move(choices.emphasis);
    for (std::size_t e = 0; e < attempt.emphasis.size(); ++e) problem.confidence[e] *= attempt.emphasis[e];
    attempt.fit = alternateWeightsAndRest(character_, problem, alternation_, partProgress(progress, 0.2, 0.4));
    leaveOut(attempt, plain, steps, partProgress(progress, 0.4, 1));
    return attempt;
  }

  /// All choices made from the examples are repeated without the omitted ones, unless too few are left.
  void leaveOut(Attempt& attempt, const FitProblem& plain, int steps, const Progress& progress) {
    const auto counted = std::count_if(baseSet_.examples.begin(), baseSet_.examples.end(),
                                       [](const Example& example) { return example.confidence > 0; });
    report_.choiceLeftOut = counted >= kFewestToChoose && (!prior_ || extended_);
    std::vector<AlternationOptions> variants{alternation_};
    if (options_.smoothness > 0 || options_.normals > 0) {  // whether it is these that help or harm
      variants.push_back(alternation_);
      variants.back().weights.smoothness = 0;
      variants.back().weights.normals = 0;
    }
    const auto round = [&](const std::vector<char>& leftOut, const Progress& part) {
      if (report_.choiceLeftOut) return chosenWithout(leftOut, part);
      LeftOutRound same{character_, attempt.problem};
      for (std::size_t e = 0; e < leftOut.size(); ++e) {
        if (leftOut[e] != 0) same.problem.confidence[e] = 0;
      }
      return same;
    };
    attempt.leftOut =
        leaveOneOutErrors(plain, baseSet_.examples.size(), report_.choiceLeftOut ? kChosenFolds : kReportedFolds, round,
                          variants, steps, attempt.regions, progress);
  }

  [[nodiscard]] LeftOutRound chosenWithout(const std::vector<char>& leftOut, const Progress& progress) const {
    ExampleSet set = baseSet_;
    for (std::size_t e = 0; e < leftOut.size(); ++e) {
      if (leftOut[e] != 0) set.examples[e].confidence = 0;
    }
    LeftOutRound round;
    round.character = base_;
    if (extended_) {
      HelperOptions options = helperOptions_;
      options.mostPoints = kPointsToChooseAgain;
      round.character = withHelpersChosenAgain(base_, *extended_, set, options, alternation_.weights, report_.helpers,
                                               partProgress(progress, 0, 0.6));
      set = withHelperPoses(round.character, std::move(set));
    }
    round.problem = makeFitProblem(round.character, set);
    Choices choices = choose(round.character, round.problem, partProgress(progress, 0.6, 1));
    round.problem.pulls = std::move(choices.pulls.pulls);
    for (std::size_t e = 0; e < choices.emphasis.size(); ++e) round.problem.confidence[e] *= choices.emphasis[e];
    return round;
  }

  /// By default helper joints are kept only if they lower the error at new poses; the cost of other requested options
  /// is not attributed to them.
  [[nodiscard]] bool helpersHarm(const Attempt& attempt) const {
    if (!extended_ || extended_->helpers.size() == base_.helpers.size() || prior_ || options_.rest) return false;
    const LeftOutErrors& errors = attempt.leftOut.back();
    return report_.choiceLeftOut && errors.measured && sumOf(errors.after) >= kNoGain * sumOf(errors.before);
  }

  void warnOfHelpers(const LeftOutErrors& errors) {
    const double bar = std::sqrt(sumOf(errors.before) / std::max(1.0, sumOf(errors.counts)));
    report_.warnings.push_back(
        fmt::format("no helper joint is kept: with helper joints the leave-one-out error is rms {:.4g} % of the "
                    "diagonal, with the original skin {:.4g} %; more examples of the joints that bend would help",
                    errors.total.rmsPercent, 100 * bar / report_.diagonal));
  }

  static double sumOf(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

  void finish(Attempt& attempt, int steps) {
    FitProblem& problem = attempt.problem;
    Alternation& fit = attempt.fit;
    for (std::size_t e = 0; e < baseSet_.examples.size(); ++e) report_.examples[e].emphasis = attempt.emphasis[e];
    warn(budgetWarnings(report_.helpers, options_.maxHelpers));
    const LeftOutErrors& errors = attempt.leftOut.front();
    const bool tied = attempt.leftOut.size() > 1;
    warn(leftOutWarnings(character_, problem, attempt.regions, attempt.choices, options_, cut_, errors,
                         tied ? &attempt.leftOut.back() : nullptr));
    report_.leftOut = errors.measured;
    if (errors.measured) {
      report_.leaveOneOut = errors.total;
      for (std::size_t e = 0; e < set_.examples.size(); ++e) report_.examples[e].leaveOneOut = errors.examples[e];
      if (extended_ && !report_.choiceLeftOut && extended_->helpers.size() > base_.helpers.size())
        report_.warnings.emplace_back(
            "the leave-one-out error does not include the choice of helper joints, which used all examples; give three "
            "or more examples to include it");
    }
    const Points original = problem.rest;
    problem.rest = fit.rest.rest;
    if (steps > 0) {
      fit.weights = quantizeWeights(problem, fit.weights, steps);
      fit.steps.push_back({"rounding", weightedRms(problem, fit.weights.errors)});
    }
    warn(fitWarnings(problem, alternation_, fit));
    std::vector<std::string> still = stillWarnings(character_, problem, still_, fit.weights.columns);
    report_.warnings.insert(report_.warnings.begin(), still.begin(), still.end());
    apply(problem, original, fit);
    measureAfter(problem, fit);
    warnOfWorse();
  }

  void warn(std::vector<std::string> warnings) {
    for (std::string& warning : warnings) report_.warnings.push_back(std::move(warning));
  }

  /// Examples that the guard could not keep: it reweights examples, but does not control the pulls.
  void warnOfWorse() {
    const FitExample* worst = nullptr;
    std::size_t count = 0;
    const auto excess = [&](const FitExample& e) { return e.after.rms - (1 + options_.mostWorse) * e.capped.rms; };
    for (const FitExample& example : report_.examples) {
      if (excess(example) <= std::max(kExcess * example.capped.rms, kLeastExcess * report_.diagonal)) continue;
      ++count;
      if (worst == nullptr || excess(example) > excess(*worst)) worst = &example;
    }
    if (worst == nullptr) return;
    std::string why = "these joints cannot match all examples at once: ";
    if (options_.smoothness > 0) {
      why = fmt::format("--smooth {:g} blurs their weights; use a smaller value", options_.smoothness);
    } else if (options_.normals > 0) {
      why = fmt::format("--normals {:g} trades positions for normals; use a smaller value", options_.normals);
    } else if (cut_) {
      why += fmt::format("--max-influences {} is too low", options_.maxInfluences);
    } else {
      why += options_.helpers == FitHelpers::All    ? "correctives (sinew psd) can"
             : options_.helpers == FitHelpers::None ? "--helpers would help"
                                                    : "--helpers all may help";
    }
    report_.warnings.push_back(fmt::format(
        "{} of {} examples get worse by more than --most-worse {:g} allows, '{}' the most (rms {:.3g} % of the "
        "diagonal before{}, {:.3g} % after); {}",
        count, report_.examples.size(), options_.mostWorse, worst->name, worst->capped.rmsPercent,
        cut_ ? fmt::format(" with {} joints per vertex", options_.maxInfluences) : "", worst->after.rmsPercent, why));
  }

  /// Weights and rest points to the vertices. Vertices of one point move together, so seams stay closed.
  void apply(const FitProblem& problem, const Points& original, const Alternation& fit) {
    character_.skin.weights = weightsOfVertices(character_, problem, fit.weights.columns);
    if (options_.rest) {
      Points moved = character_.mesh.points;
      for (Index v = 0; v < moved.cols(); ++v) {
        const std::uint32_t point = problem.pointOfVertex[toSize(v)];
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
  bool cut_ = false;             // the skin had more joints per vertex than it may have
  std::optional<double> prior_;  // requested strength; none: chosen
  Character base_;               // without new helper joints, within the cap
  ExampleSet baseSet_;
  std::optional<MirrorMap> mirror_;
  std::vector<int> partners_;  // per joint of the original: its mirror image, or -1
  HelperOptions helperOptions_;
  std::optional<Character> extended_;  // with the helper joints that all examples ask for, if they were tried
  std::vector<int> still_;             // joints that no example moves
  FitReport report_;
};

}  // namespace
}  // namespace sinew::fit

namespace sinew {

std::string FitReport::sentence() const {
  const auto kept = std::count_if(helpers.begin(), helpers.end(), [](const HelperTrial& trial) { return trial.kept; });
  std::string text = fmt::format(
      "{}, at most {} per vertex: rms {:.3g} % before, {:.3g} % after", counted(examples.size(), "example", "examples"),
      counted(toSize(maxInfluences), "joint", "joints"), before.rmsPercent, after.rmsPercent);
  if (leftOut) text += fmt::format(", {:.3g} % leave-one-out", leaveOneOut.rmsPercent);
  if (kept > 0) text += fmt::format(", with {} helper joint{}", kept, kept == 1 ? "" : "s");
  if (drift > 0) text += fmt::format("; the rest shape moved by at most {:.3g} % of the diagonal", 100 * drift);
  return text;
}

FitResult fitSkin(const Character& character, const ExampleSet& set, const FitOptions& options,
                  const Progress& progress) {
  if (options.locks.empty() && options.lockedVertices.empty())
    return fit::Fitter(character, set, options, progress).run();
  FitResult result = fit::Fitter(character, set, options, partProgress(progress, 0, 0.5)).run();
  // What the locks cost shows in a fit without them: they decide which helper joints are worth keeping, too.
  FitOptions open = options;
  open.locks.clear();
  open.lockedVertices.clear();
  const FitReport without = fit::Fitter(character, set, open, partProgress(progress, 0.5, 1)).run().report;
  if (without.after.rms < fit::kHeld * result.report.after.rms) {
    result.report.warnings.push_back(
        fmt::format("locks increase the error: rms {:.3g} % of the diagonal with them, {:.3g} % without",
                    result.report.after.rmsPercent, without.after.rmsPercent));
  }
  return result;
}

}  // namespace sinew
