// Cross-validation of recipes:
//   score(recipe) = sqrt( mean over held-out examples and vertices of |played(recipe learned without them) - example|^2
//   )
// "played" is what morph targets and linear blend show.
#include "sinew/learn/budgeted_skin/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "sinew/base/error.h"
#include "sinew/character/morph_deltas.h"
#include "sinew/deform/example_errors.h"
#include "sinew/deform/morph_driven_skin.h"
#include "sinew/learn/choose_examples.h"

namespace sinew::budgeted_skin {
namespace {

constexpr std::size_t kFew = 16;   // examples: up to here each is left out alone
constexpr std::size_t kMany = 40;  // from here a share is enough
constexpr std::size_t kFolds = 3;
constexpr double kShare = 0.2;
constexpr double kBehind = 1.5;  // times the best error after the first folds
/// Errors up to this factor apart say nothing: they differ as much between two ways to hold out.
constexpr double kTied = 1.02;
/// Fewer morph targets are as good up to this factor.
constexpr double kEqual = 1.001;
constexpr double kHelperKeysPerSecond = 30;
constexpr double kHelperKeyBytes = 32;  // a time, a rotation and a translation
constexpr double kMorphKeysPerSecond = 40;
constexpr double kFewMorphKeysPerSecond = 15;
constexpr double kRestBytes = 24;  // per vertex, of the rest shape that examples are matched to

/// One fold: what is learned, and where it is measured.
struct Fold {
  ExampleSet training;
  ExampleSet heldOut;
};

class TrialRunner {
 public:
  TrialRunner(const SkinSample& sample, const HeldOutPlan& plan, const TrialSettings& settings,
              const Progress& progress)
      : sample_(sample),
        plan_(plan),
        settings_(settings),
        progress_(progress),
        stems_(settings.stems),
        before_(errors()) {}

  TrialResult run() {
    const std::size_t folds = std::max<std::size_t>(1, plan_.folds.size());
    for (std::size_t f = 0; f < folds; ++f) {
      const Fold fold = foldOf(f);
      ExamplesInMemory training(fold.training);
      SkinMaker maker(sample_.character, training, true);  // they were checked as a whole
      from_ = static_cast<double>(f) / static_cast<double>(folds);
      width_ = 1 / static_cast<double>(folds);
      if (f == 0) begin(maker, fold);
      measureBefore(fold);
      std::size_t done = 0;
      const auto active = std::count_if(trials_.begin(), trials_.end(), [](const Trial& t) { return t.complete; });
      for (Trial& trial : trials_) {
        if (!trial.complete) continue;
        measure(maker, fold, trial, part(done++, static_cast<std::size_t>(active)));
      }
      if (f == 0) addFewerMorphs(maker, fold);
      if (f + 1 < folds && 3 * (f + 1) >= folds) dropThoseBehind();
    }
    scaleErrors();
    return {std::move(trials_), before_.result(), std::move(names_), std::move(warnings_)};
  }

  Trial runOne(const SkinRecipe& recipe) {
    add(recipe);
    const std::size_t folds = std::max<std::size_t>(1, plan_.folds.size());
    for (std::size_t f = 0; f < folds && trials_.front().complete; ++f) {
      const Fold fold = foldOf(f);
      ExamplesInMemory training(fold.training);
      SkinMaker maker(sample_.character, training, true);
      from_ = static_cast<double>(f) / static_cast<double>(folds);
      width_ = 1 / static_cast<double>(folds);
      measure(maker, fold, trials_.front(), part(0, 1));
    }
    return std::move(trials_.front());
  }

 private:
  [[nodiscard]] SequenceErrors errors() const {
    const std::size_t frames = plan_.folds.empty() ? sample_.heldOut.examples.size() : sample_.learned.examples.size();
    return {sample_.character.mesh.vertexCount(), frames, settings_.diagonal};
  }

  [[nodiscard]] Fold foldOf(std::size_t f) const {
    if (plan_.folds.empty()) return {sample_.learned, sample_.heldOut};
    Fold fold;
    fold.training = sample_.learned;
    fold.training.examples.clear();
    fold.heldOut = fold.training;
    const std::vector<std::size_t>& held = plan_.folds[f];
    for (std::size_t k = 0; k < sample_.learned.examples.size(); ++k) {
      const bool out = std::binary_search(held.begin(), held.end(), k);
      (out ? fold.heldOut : fold.training).examples.push_back(sample_.learned.examples[k]);
    }
    return fold;
  }

  /// The fraction of the work in a fold that a step has.
  [[nodiscard]] Progress part(std::size_t step, std::size_t steps) const {
    if (!progress_) return {};
    const double from =
        from_ + width_ * static_cast<double>(step) / static_cast<double>(std::max<std::size_t>(1, steps));
    const double to =
        from_ + width_ * static_cast<double>(step + 1) / static_cast<double>(std::max<std::size_t>(1, steps));
    return [this, from, to](const ProgressState& state) {
      return progress_({from + (to - from) * state.fraction, "trying skins", best_});
    };
  }

  /// Learns the stems once: those that come to the same skin, or cannot be learned, are left out.
  void begin(SkinMaker& maker, const Fold& fold) {
    const double width = width_;
    width_ *= 0.4;
    std::vector<SkinStem> kept;
    const std::size_t steps = stems_.size() + 1;  // and the rest shape
    for (std::size_t s = 0; s < stems_.size(); ++s) {
      if (!learns(maker, stems_[s], part(s, steps))) continue;
      const auto same = std::find_if(kept.begin(), kept.end(), [&](const SkinStem& other) {
        return sameSkin(maker.skin(other, {}), maker.skin(stems_[s], {}));
      });
      if (same == kept.end()) {
        kept.push_back(stems_[s]);
      } else if (same->helpers == FitHelpers::Half && stems_[s].helpers == FitHelpers::All) {
        *same = stems_[s];
      }
    }
    stems_ = std::move(kept);
    addRest(maker, fold, part(steps - 1, steps));
    for (const SkinStem& stem : stems_) {
      add({stem, 0});
      if (!settings_.morphs.empty()) add({stem, settings_.morphs.front()});
    }
    from_ += width_;
    width_ = 0.4 * width;
  }

  bool learns(SkinMaker& maker, const SkinStem& stem, const Progress& progress) {
    try {
      maker.skin(stem, progress);
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::BadInput || !stem.fitted) throw;
      warn(fmt::format("weights are not fitted: {}", error.message()));
      return false;
    }
  }

  /// Nothing where a fold after the first lacks the examples that morph targets need. Examples that are refused in the
  /// first are at fault themselves.
  std::optional<MadeSkin> makes(SkinMaker& maker, const Trial& trial, const Progress& progress) {
    try {
      return maker.make(trial.recipe, settings_.form, progress);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::BadInput || trial.recipe.morphs < 1 || trial.frames == 0) throw;
      warn(fmt::format("morph targets are not learned: {}", error.message()));
      return std::nullopt;
    }
  }

  void warn(const std::string& warning) {
    if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end()) warnings_.push_back(warning);
  }

  static bool sameSkin(const Character& a, const Character& b) {
    return a.helpers.size() == b.helpers.size() && a.skin.weights == b.skin.weights && a.mesh.points == b.mesh.points;
  }

  /// The rest shape is fitted on top of the best stem.
  void addRest(SkinMaker& maker, const Fold& fold, const Progress& progress) {
    if (!settings_.options.rest) return;
    const SkinStem* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const SkinStem& stem : stems_) {
      if (!stem.fitted) continue;
      const double rms = rmsOf({maker.skin(stem, {}), nullptr, {}}, fold.heldOut);
      if (rms < least) {
        least = rms;
        best = &stem;
      }
    }
    if (best == nullptr) return;
    SkinStem rest = *best;
    rest.rest = true;
    if (learns(maker, rest, progress)) stems_.push_back(rest);
  }

  static double rmsOf(const CorrectedCharacter& skin, const ExampleSet& set) {
    ExamplesInMemory examples(set);
    return errorOfExamples(skin.character, playedByMorphs(skin), examples).total.rms;
  }

  void add(const SkinRecipe& recipe) { trials_.push_back({.recipe = recipe, .errors = errors(), .cost = {}}); }

  /// For the front, and where bytes or nanoseconds are few: the best stem with fewer targets, or all stems.
  void addFewerMorphs(SkinMaker& maker, const Fold& fold) {
    if (settings_.morphs.size() < 2) return;
    const SkinBudget& budget = settings_.options.budget;
    const bool tight = budget.bytes || budget.nanoseconds;
    const std::size_t before = trials_.size();
    const auto best = std::min_element(trials_.begin(), trials_.end(),
                                       [](const Trial& a, const Trial& b) { return a.rms() < b.rms(); });
    const SkinStem bestStem = best->recipe.stem;
    const auto full = std::find_if(trials_.begin(), trials_.end(), [&](const Trial& trial) {
      return trial.recipe == SkinRecipe{bestStem, settings_.morphs.front()};
    });
    const double most = full->rms();
    for (const SkinStem& stem : stems_) {
      if (!tight && stem != bestStem) continue;
      for (std::size_t i = 1; i < settings_.morphs.size(); ++i) add({stem, settings_.morphs[i]});
    }
    from_ += width_;
    width_ *= 0.5;
    for (std::size_t t = before; t < trials_.size(); ++t) {
      Trial& trial = trials_[t];
      measure(maker, fold, trial, part(t - before, trials_.size() - before));
      if (!tight && plan_.folds.size() > 1) trial.complete = trial.complete && trial.rms() <= kTied * most;
    }
  }

  void measureBefore(const Fold& fold) {
    CharacterPoser poser(sample_.character);
    for (const Example& example : fold.heldOut.examples) {
      before_.add(example.points, poser.pose(example.pose), example.mask);
      names_.push_back(example.name);
    }
  }

  void measure(SkinMaker& maker, const Fold& fold, Trial& trial, const Progress& progress) {
    report(progress, {0, "trying skins"});
    // What fitting weights refuses may be held out in one fold and not in another.
    if (!learns(maker, trial.recipe.stem, partProgress(progress, 0, 0.3))) {
      trial.complete = false;
      return;
    }
    const std::optional<MadeSkin> corrected = makes(maker, trial, partProgress(progress, 0.3, 1));
    if (!corrected) {
      trial.complete = false;
      return;
    }
    const MadeSkin& made = *corrected;
    const Character& character = made.corrected.character;
    CharacterPoser poser(character, playedByMorphs(made.corrected));
    for (const Example& example : fold.heldOut.examples) {
      const ShapeError& error =
          trial.errors.add(example.points, poser.pose(poseOn(character, example.pose)), example.mask);
      trial.squares += error.rms * error.rms;
      ++trial.frames;
    }
    best_ = best_ == 0 ? trial.rms() : std::min(best_, trial.rms());
    trial.course.push_back(trial.rms());
    addCost(made, trial.recipe.compact, trial.cost);
  }

  /// The largest of the folds.
  void addCost(const MadeSkin& made, bool compact, SkinCost& cost) const {
    SkinCost now = skinCost(sample_.character, made.corrected.character);
    now.bytes = estimatedBytes(made, now.helpers, compact);
    cost.influences = std::max(cost.influences, now.influences);
    cost.helpers = std::max(cost.helpers, now.helpers);
    cost.morphs = std::max(cost.morphs, now.morphs);
    cost.bytes = std::max(cost.bytes, now.bytes);
    cost.nanoseconds = std::max(cost.nanoseconds, now.nanoseconds);
  }

  [[nodiscard]] std::size_t estimatedBytes(const MadeSkin& made, int helpers, bool compact) const {
    const Character& character = made.corrected.character;
    const double scale = static_cast<double>(settings_.vertices) / static_cast<double>(character.mesh.vertexCount());
    double bytes = helpers * settings_.clipSeconds * kHelperKeysPerSecond * kHelperKeyBytes;
    for (const int m : made.corrected.morphs.morphs) {
      const Points& deltas = character.morphs[toSize(m)].deltas;
      const double moved = static_cast<double>((deltas.array() != 0).colwise().any().count());
      bytes += static_cast<double>(deltaBytes(toSize(settings_.vertices), static_cast<std::size_t>(scale * moved),
                                              settings_.form.quantize)
                                       .least()) *
               (settings_.form.quantize ? 1 : 2);
      bytes += settings_.clipSeconds * (compact ? kFewMorphKeysPerSecond : kMorphKeysPerSecond) * sizeof(float);
    }
    if (made.movedRest && !settings_.form.quantize) bytes += kRestBytes * static_cast<double>(settings_.vertices);
    return static_cast<std::size_t>(bytes);
  }

  [[nodiscard]] bool mayFit(const Trial& trial) const { return trial.mayKeep(settings_.options.budget); }

  void dropThoseBehind() {
    double best = std::numeric_limits<double>::infinity();
    for (const Trial& trial : trials_) {
      if (trial.complete && mayFit(trial)) best = std::min(best, trial.rms());
    }
    for (Trial& trial : trials_) {
      const bool plain = trial.recipe == SkinRecipe{stems_.front(), 0};
      if (!plain && (trial.rms() > kBehind * best || !mayFit(trial))) trial.complete = false;
    }
  }

  /// Some folds are easier than others. Errors of recipes that were dropped are expected to grow as that of the plain
  /// skin and that of the best, in between by the logarithm.
  void scaleErrors() {
    const Trial* best = nullptr;
    for (const Trial& trial : trials_) {
      if (trial.complete && mayFit(trial) && (best == nullptr || trial.rms() < best->rms())) best = &trial;
    }
    if (best == nullptr) return;
    const Trial& plain = trials_.front();
    for (Trial& trial : trials_) {
      if (trial.complete || trial.course.empty()) continue;
      const std::size_t fold = trial.course.size() - 1;
      if (fold >= best->course.size() || fold >= plain.course.size()) continue;
      const double bestThen = best->course[fold];
      const double plainThen = plain.course[fold];
      if (!(bestThen > 0) || !(plainThen > 0) || !(trial.rms() > 0)) continue;
      const double apart = std::log(plainThen / bestThen);
      const double share = std::abs(apart) > 1e-2 ? std::max(0.0, std::log(trial.rms() / bestThen) / apart) : 1;
      trial.scale = std::pow(best->rms() / bestThen, 1 - share) * std::pow(plain.rms() / plainThen, share);
    }
  }

  const SkinSample& sample_;
  const HeldOutPlan& plan_;
  const TrialSettings& settings_;
  const Progress& progress_;
  std::vector<SkinStem> stems_;
  std::vector<Trial> trials_;
  SequenceErrors before_;
  std::vector<std::string> names_;
  std::vector<std::string> warnings_;
  double from_ = 0;
  double width_ = 1;
  double best_ = 0;
};

/// Bytes are estimated, and with fewer morph targets than were tried a recipe may fit.
constexpr double kFarTooLarge = 2;

}  // namespace

bool Trial::mayKeep(const SkinBudget& budget) const {
  SkinCost scaled = cost;
  scaled.bytes = static_cast<std::size_t>(static_cast<double>(cost.bytes) / kFarTooLarge);
  scaled.nanoseconds = recipe.morphs > 0 ? cost.nanoseconds / kFarTooLarge : cost.nanoseconds;
  return isWithin(scaled, budget);
}

double Trial::rms() const {
  return frames == 0 ? std::numeric_limits<double>::infinity() : std::sqrt(squares / static_cast<double>(frames));
}

std::size_t bestCandidate(const std::vector<Candidate>& candidates, double unseen) {
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : candidates) least = std::min(least, candidate.rms);
  const double tied = std::max(kTied * least, unseen);
  const int sign = least > unseen ? -1 : 1;
  const auto rank = [&](const Candidate& candidate) {
    const bool close = candidate.rms <= tied;
    return std::tuple(!close, close ? sign * candidate.recipe.morphs : 0, close && candidate.recipe.stem.rest,
                      candidate.rms);
  };
  auto best = std::min_element(candidates.begin(), candidates.end(),
                               [&](const Candidate& a, const Candidate& b) { return rank(a) < rank(b); });
  const double most = kEqual * best->rms;
  for (auto other = candidates.begin(); other != candidates.end(); ++other) {
    const bool fewer = other->recipe.stem == best->recipe.stem && other->recipe.morphs < best->recipe.morphs;
    if (fewer && other->recipe.morphs > 0 && other->rms <= most) best = other;
  }
  return toSize(best - candidates.begin());
}

HeldOutPlan planHeldOut(const SkinSample& sample) {
  if (!sample.heldOut.examples.empty()) return {{}, "the examples set aside"};
  ExampleSet outline = sample.learned;
  for (Example& example : outline.examples) example.points.resize(3, 0);
  const std::size_t count = outline.examples.size();
  if (count >= kMany) return {{holdOutExamples(sample.character, outline, kShare)}, "a fifth of the examples"};
  HeldOutPlan plan;
  plan.folds = foldsOfExamples(sample.character, outline, count < kFew ? count : kFolds);
  plan.name = count < kFew ? "leave-one-out" : fmt::format("{} folds", plan.folds.size());
  return plan;
}

Trial tryRecipe(const SkinSample& sample, const HeldOutPlan& plan, const TrialSettings& settings,
                const SkinRecipe& recipe, const Progress& progress) {
  return TrialRunner(sample, plan, settings, progress).runOne(recipe);
}

TrialResult runTrials(const SkinSample& sample, const HeldOutPlan& plan, const TrialSettings& settings,
                      const Progress& progress) {
  return TrialRunner(sample, plan, settings, progress).run();
}

}  // namespace sinew::budgeted_skin
