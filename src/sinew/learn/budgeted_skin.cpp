// The best skin within a budget: recipes (budgeted_skin/recipe.h) are learned without some examples and scored there
// (budgeted_skin/trials.h), then the best is learned again and stored as completely as the budget allows
// (budgeted_skin/storage.h). Where the file turns out larger than estimated, the next recipes are taken.
#include "sinew/learn/budgeted_skin.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "sinew/base/check.h"
#include "sinew/base/text.h"
#include "sinew/character/morph_deltas.h"
#include "sinew/deform/example_errors.h"
#include "sinew/deform/morph_driven_skin.h"
#include "sinew/learn/budgeted_skin/recipe.h"
#include "sinew/learn/budgeted_skin/sample.h"
#include "sinew/learn/budgeted_skin/storage.h"
#include "sinew/learn/budgeted_skin/trials.h"

namespace sinew::budgeted_skin {
namespace {

constexpr const char* kWhere = "learning a skin";
constexpr int kUsualInfluences = 4;
constexpr int kUsualMorphs = 32;
/// As many as `psd --max-morphs` allows; a larger budget is not used up.
constexpr int kMostMorphs = 1024;
/// Diagonals: smaller displacements are left out where bytes or nanoseconds are limited.
constexpr double kLeastDisplacement = 2e-5;
/// Recipes with errors up to this factor of the best are compared as files, where examples were set aside for that.
constexpr double kClose = 1.1;
constexpr std::size_t kMostCompared = 3;
/// Diagonals: nobody sees such an error.
constexpr double kUnseen = 1e-5;
constexpr double kSampled = 0.05;
constexpr double kTried = 0.7;

struct Made {
  StoredSkin stored;
  Candidate candidate;
  std::optional<SequenceError> exact;  ///< where examples were set aside
};

class BudgetedLearner {
 public:
  BudgetedLearner(const Character& character, ExampleSource& examples, ExampleSource* heldOut,
                  const BudgetedSkinSize& size, const BudgetedSkinOptions& options, const Progress& progress)
      : character_(character),
        examples_(examples),
        heldOut_(heldOut),
        size_(size),
        options_(options),
        progress_(progress),
        maker_(character, examples, options.allowRepeats) {
    diagonal_ = boundingBox(posePoints(character, restPose(character))).diagonal();
  }

  BudgetedSkinResult run() {
    const auto start = std::chrono::steady_clock::now();
    checkPlain();
    const SkinSample sample =
        sampleSkin(character_, examples_, heldOut_, options_.mostPoints, partProgress(progress_, 0, kSampled));
    checkRepeats(sample);
    const HeldOutPlan plan = planHeldOut(sample);
    const TrialSettings settings = this->settings();
    TrialResult tried = runTrials(sample, plan, settings, partProgress(progress_, kSampled, kTried));
    const auto trySkin = [&](const SkinRecipe& recipe, const Progress& progress) {
      return tryRecipe(sample, plan, settings, recipe, progress);
    };
    Made made = makeBest(tried.trials, trySkin);
    fillReport(sample, tried, plan, made);
    report(progress_, {1, "done", result_.report.after.rms});
    result_.skin = std::move(made.stored.skin);
    result_.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

 private:
  /// The plain skin is always a choice, so it must keep the budget.
  void checkPlain() {
    SkinBudget& limits = result_.report.limits;
    limits = options_.budget;
    limits.morphs = std::min(limits.morphs.value_or(kUsualMorphs), kMostMorphs);
    const SkinBudget& budget = options_.budget;
    influences_ = budget.influences.value_or(std::max(kUsualInfluences, character_.skin.weights.maxInfluences()));
    if (budget.nanoseconds) {
      if (plainNanoseconds(influences_) > *budget.nanoseconds)
        influences_ = std::clamp(character_.skin.weights.maxInfluences(), 1, influences_);
      while (influences_ > 1 && plainNanoseconds(influences_) > *budget.nanoseconds) --influences_;
      SINEW_CHECK(plainNanoseconds(influences_) <= *budget.nanoseconds, kBudgetWhere,
                  fmt::format("{:g} ns per vertex are less than the {:.3g} ns that a skin of one joint per vertex "
                              "needs; allow more",
                              *budget.nanoseconds, plainNanoseconds(influences_)));
    }
    limits.influences = influences_;
    std::size_t least = 0;
    plain_ = storeSkin(character_, plainSkin(), quantizes(), budget, size_, least);
    SINEW_CHECK(plain_.has_value(), kBudgetWhere,
                fmt::format("the character alone, written again, takes {} more than before, and the budget allows {}; "
                            "allow at least as many",
                            counted(least, "byte", "bytes"), counted(budget.bytes.value_or(0), "byte", "bytes")));
  }

  /// Examples that repeat or contradict each other are judged as a whole: the parts that are learned have other shares.
  void checkRepeats(const SkinSample& sample) {
    if (*result_.report.limits.morphs < 1) return;
    ExampleSet all = sample.learned;
    all.examples.insert(all.examples.end(), sample.heldOut.examples.begin(), sample.heldOut.examples.end());
    ExamplesInMemory source(all);
    PoseSpaceOptions options;
    options.allowRepeats = options_.allowRepeats;
    const Progress cancel = [&](const ProgressState&) { return !progress_ || progress_({kSampled, "examples"}); };
    const PoseSpaceResult learned = learnPoseSpace(sample.character, source, options, cancel);
    result_.report.warnings = learned.report.repeats;
  }

  [[nodiscard]] double plainNanoseconds(int influences) const {
    Character plain = character_;
    plain.skin.weights = plain.skin.weights.limited(influences);
    return playbackNanoseconds(plain, 0);
  }

  [[nodiscard]] MadeSkin plainSkin() { return maker_.make({{.influences = influences_}, 0}, {}, {}); }

  /// Bytes or nanoseconds are limited, so displacements must be worth theirs.
  [[nodiscard]] bool isTight() const { return options_.budget.bytes || options_.budget.nanoseconds; }
  [[nodiscard]] bool quantizes() const { return options_.budget.bytes.has_value(); }

  [[nodiscard]] TrialSettings settings() const {
    const SkinBudget& budget = options_.budget;
    TrialSettings settings;
    settings.options = options_;
    settings.diagonal = diagonal_;
    settings.vertices = character_.mesh.vertexCount();
    for (const Clip& clip : character_.clips) settings.clipSeconds += clip.seconds();
    settings.stems.push_back({.influences = influences_});
    settings.stems.push_back({.influences = influences_, .fitted = true});
    const int helpers = budget.helpers.value_or(-1);
    if (helpers != 0) {
      const auto stem = [&](FitHelpers kind, int most) {
        return SkinStem{.influences = influences_, .fitted = true, .helpers = kind, .mostHelpers = most};
      };
      settings.stems.push_back(stem(FitHelpers::Half, helpers));
      settings.stems.push_back(stem(FitHelpers::All, helpers));
      if (budget.bytes && (helpers < 0 || helpers > 3)) settings.stems.push_back(stem(FitHelpers::All, 3));
    }
    for (int morphs = *result_.report.limits.morphs; morphs > 0; morphs /= 2) settings.morphs.push_back(morphs);
    settings.form = {.quantize = quantizes(), .least = leastDisplacement()};
    return settings;
  }

  [[nodiscard]] double leastDisplacement() const { return isTight() ? kLeastDisplacement * diagonal_ : 0; }

  /// The best that keeps the budget; where examples were set aside, of several close ones the best as a file.
  template <class TrySkin>
  Made makeBest(std::vector<Trial>& trials, const TrySkin& trySkin) {
    std::vector<Candidate> open;
    for (const Trial& trial : trials) {
      if (trial.complete && trial.mayKeep(options_.budget)) open.push_back({trial.recipe, trial.rms()});
    }
    std::optional<Made> best;
    std::size_t compared = 0;
    while (!open.empty()) {
      const auto next = open.begin() + static_cast<std::ptrdiff_t>(bestCandidate(open, kUnseen * diagonal_));
      if (!next->measured) {
        Trial trial = trySkin(next->recipe, nextPart());
        if (trial.complete) {
          *next = {next->recipe, trial.rms()};
        } else {
          open.erase(next);
        }
        // It may have fallen behind before.
        std::erase_if(trials, [&](const Trial& other) { return other.recipe == trial.recipe; });
        trials.push_back(std::move(trial));
        continue;
      }
      const Candidate candidate = *next;
      open.erase(next);
      if (best && (candidate.rms > kClose * best->candidate.rms || compared == kMostCompared)) break;
      std::optional<Made> made = makeOne(candidate, trials, open);
      if (!made) continue;
      if (heldOut_ == nullptr) return std::move(*made);
      ++compared;
      if (!best || made->exact->total.rms < best->exact->total.rms) {
        if (best) made->candidate.rms = std::min(made->candidate.rms, best->candidate.rms);
        best = std::move(made);
      }
    }
    if (best) return std::move(*best);
    return {*plain_, {{{.influences = influences_}, 0}, std::numeric_limits<double>::infinity()}, std::nullopt};
  }

  /// Nothing if it exceeds the budget; then a recipe with fewer morph targets may be added to `open`.
  std::optional<Made> makeOne(const Candidate& candidate, const std::vector<Trial>& trials,
                              std::vector<Candidate>& open) {
    const Progress progress = nextPart();
    const auto part = [&](double begin, double end) { return partProgress(progress, begin, end); };
    const SkinBudget& budget = options_.budget;
    std::size_t least = 0;
    std::size_t stemBytes = 0;
    if (candidate.recipe.morphs > 0 && budget.bytes) {
      const MadeSkin stem = maker_.make({candidate.recipe.stem, 0}, {}, part(0, 0.3));
      if (!storeSkin(character_, stem, quantizes(), budget, size_, stemBytes)) {
        tooLarge_.push_back(candidate.recipe);
        return std::nullopt;
      }
    }
    MorphForm form{.normals = true, .quantize = quantizes(), .least = leastDisplacement()};
    const MadeSkin made = maker_.make(candidate.recipe, form, part(0.3, 0.6));
    if (candidate.recipe.morphs > 0 && made.corrected.morphs.empty()) {
      addWithoutMorphs(candidate.recipe.stem, trials, open);
      return std::nullopt;
    }
    std::optional<StoredSkin> stored = storeSkin(character_, made, quantizes(), budget, size_, least);
    if (!stored) {
      tooLarge_.push_back(candidate.recipe);
      addSmaller(candidate, made, {stemBytes, least}, trials, open);
      if (budget.bytes && candidate.recipe.morphs > 0 && !candidate.recipe.compact) {
        Candidate compact{candidate.recipe, candidate.rms, false};
        compact.recipe.compact = true;
        open.push_back(compact);
      }
      return std::nullopt;
    }
    Made result{std::move(*stored), candidate, std::nullopt};
    if (heldOut_ == nullptr) return result;
    result.exact = errorAtHeldOut(made, part(0.6, 0.7));
    if (candidate.recipe.morphs < 1) return result;
    // Targets that lower the error at the sampled poses need not lower it at the held-out ones.
    form.askedError = 0;
    const MadeSkin usual = maker_.make(candidate.recipe, form, part(0.7, 0.9));
    std::optional<StoredSkin> other = storeSkin(character_, usual, quantizes(), budget, size_, least);
    if (!other) return result;
    const SequenceError error = errorAtHeldOut(usual, part(0.9, 1));
    if (error.total.rms < result.exact->total.rms) result = {std::move(*other), candidate, error};
    return result;
  }

  [[nodiscard]] SequenceError errorAtHeldOut(const MadeSkin& made, const Progress& progress) const {
    return errorOfExamples(made.corrected.character, playedByMorphs(made.corrected), *heldOut_, progress);
  }

  /// Where all examples together need no morph targets: the skin alone.
  void addWithoutMorphs(const SkinStem& stem, const std::vector<Trial>& trials, std::vector<Candidate>& open) const {
    std::erase_if(open, [&](const Candidate& other) { return other.recipe.stem == stem; });
    const SkinRecipe alone{stem, 0};
    const auto trial =
        std::find_if(trials.begin(), trials.end(), [&](const Trial& one) { return one.recipe == alone; });
    if (trial != trials.end()) open.push_back({alone, trial->expected(), trial->complete});
  }

  struct ByteRange {
    std::size_t without = 0;  ///< morph targets
    std::size_t with = 0;
  };

  /// As many morph targets as the budget should allow; the error is at most that of the next count that was tried.
  void addSmaller(const Candidate& candidate, const MadeSkin& made, ByteRange bytes, const std::vector<Trial>& trials,
                  std::vector<Candidate>& open) const {
    const SkinBudget& budget = options_.budget;
    const SkinCost cost = skinCost(character_, made.corrected.character);
    if (cost.morphs < 1) return;
    double share = 1;  // of the morph targets that may stay
    if (budget.bytes && bytes.with > *budget.bytes) {
      share = static_cast<double>(*budget.bytes - bytes.without) / static_cast<double>(bytes.with - bytes.without);
    }
    const double base = playbackNanoseconds(made.corrected.character, 0);
    if (budget.nanoseconds && cost.nanoseconds > base)
      share = std::min(share, (*budget.nanoseconds - base) / (cost.nanoseconds - base));
    const int morphs = std::min(cost.morphs - 1, static_cast<int>(share * cost.morphs));
    std::erase_if(open, [&](const Candidate& other) {
      return other.recipe.stem == candidate.recipe.stem && other.recipe.compact == candidate.recipe.compact &&
             other.recipe.morphs > std::max(morphs, 0);
    });
    if (morphs < 1) return;
    Candidate smaller{candidate.recipe, std::numeric_limits<double>::infinity(), false};
    smaller.recipe.morphs = morphs;
    int nearest = -1;
    for (const Trial& trial : trials) {
      const bool below = trial.recipe.stem == candidate.recipe.stem && trial.recipe.morphs <= morphs;
      if (!below || trial.recipe.morphs <= nearest || trial.frames == 0) continue;
      nearest = trial.recipe.morphs;
      smaller.rms = trial.expected();
      smaller.measured = trial.recipe == smaller.recipe && trial.complete;
    }
    const auto listed =
        std::find_if(open.begin(), open.end(), [&](const Candidate& other) { return other.recipe == smaller.recipe; });
    if (listed == open.end()) open.push_back(smaller);
  }

  Progress nextPart() {
    const double from = std::exchange(made_, made_ + 0.5 * (1 - made_));
    return partProgress(progress_, from, made_);
  }

  void fillReport(const SkinSample& sample, TrialResult& tried, const HeldOutPlan& plan, const Made& made) {
    BudgetedSkinReport& report = result_.report;
    report.heldOutBy = plan.name;
    report.heldOut = std::move(tried.names);
    report.before = made.exact ? errorOfExamples(character_, {}, *heldOut_, partProgress(progress_, made_, 1)).total
                               : ofWhole(tried.before.total, sample);
    report.learnedAll = heldOut_ == nullptr;
    report.used = made.stored.cost;
    report.diagonal = diagonal_;
    report.warnings.insert(report.warnings.end(), tried.warnings.begin(), tried.warnings.end());
    const double scale = bytesScale(tried.trials, made);
    for (const Trial& trial : tried.trials) addChoice(trial, made.candidate.recipe, scale, sample);
    if (made.exact) report.after = made.exact->total;
    finishChoices();
    addNotes(made.stored.skin);
    if (report.after.rms > report.before.rms) {
      report.warnings.push_back(
          fmt::format("the chosen skin leaves {:.4g} % at held-out examples, the character as it was {:.4g} %: the "
                      "budget allows no better one",
                      report.after.rmsPercent, report.before.rmsPercent));
    }
  }

  /// Its vertex has the number of the whole mesh.
  static ShapeError ofWhole(ShapeError error, const SkinSample& sample) {
    if (!sample.vertices.empty()) error.maxVertex = sample.vertices[toSize(error.maxVertex)];
    return error;
  }

  /// How much larger the file is than the estimate of its bytes.
  static double bytesScale(const std::vector<Trial>& trials, const Made& made) {
    for (const Trial& trial : trials) {
      if (trial.recipe == made.candidate.recipe && trial.cost.bytes > 0 && made.stored.cost.bytes > 0)
        return static_cast<double>(made.stored.cost.bytes) / static_cast<double>(trial.cost.bytes);
    }
    return 1;
  }

  void addChoice(const Trial& trial, const SkinRecipe& chosen, double bytesScale, const SkinSample& sample) {
    SkinChoice choice;
    choice.name = trial.recipe.name();
    choice.error = trial.expected();
    choice.errorPercent = 100 * choice.error / diagonal_;
    choice.examples = trial.frames;
    choice.cost = trial.cost;
    choice.cost.bytes = static_cast<std::size_t>(bytesScale * static_cast<double>(trial.cost.bytes));
    choice.fits = isWithin(choice.cost, options_.budget) &&
                  std::find(tooLarge_.begin(), tooLarge_.end(), trial.recipe) == tooLarge_.end();
    if (trial.recipe == chosen) {
      choice.chosen = true;
      choice.fits = true;
      choice.cost = result_.report.used;
      result_.report.after = ofWhole(trial.errors.result().total, sample);
    }
    result_.report.choices.push_back(std::move(choice));
  }

  void finishChoices() {
    std::vector<SkinChoice>& choices = result_.report.choices;
    for (SkinChoice& choice : choices) {
      if (!choice.chosen) continue;
      choice.error = result_.report.after.rms;
      choice.errorPercent = result_.report.after.rmsPercent;
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [](const SkinChoice& a, const SkinChoice& b) { return a.error < b.error; });
    for (SkinChoice& choice : choices) {
      choice.front = std::none_of(choices.begin(), choices.end(), [&](const SkinChoice& other) {
        const bool noWorse = other.error <= choice.error && other.cost.bytes <= choice.cost.bytes &&
                             other.cost.nanoseconds <= choice.cost.nanoseconds;
        return noWorse && (other.error < choice.error || other.cost.bytes < choice.cost.bytes ||
                           other.cost.nanoseconds < choice.cost.nanoseconds);
      });
    }
  }

  /// What the file does without.
  void addNotes(const BudgetedSkin& skin) {
    std::vector<std::string>& notes = result_.report.notes;
    if (skin.driving == MorphDriving::Drivers && skin.corrected.poseSpace)
      notes.emplace_back("to keep the bytes, the file has no model beside the morph targets, only their drivers");
    const auto& morphs = skin.corrected.character.morphs;
    if (result_.report.used.morphs > 0 && character_.mesh.normals.cols() > 0 && morphs.back().normalDeltas.cols() == 0)
      notes.emplace_back("to keep the bytes, the morph targets have no normals");
    if (skin.movedRest && !skin.keepsRest)
      notes.emplace_back("to keep the bytes, the file does not have the rest shape that the examples were made on");
  }

  const Character& character_;
  ExampleSource& examples_;
  ExampleSource* heldOut_;
  const BudgetedSkinSize& size_;
  const BudgetedSkinOptions& options_;
  const Progress& progress_;
  SkinMaker maker_;
  double diagonal_ = 1;
  int influences_ = kUsualInfluences;
  double made_ = kTried;              // of the work
  std::vector<SkinRecipe> tooLarge_;  // for the bytes of the budget
  std::optional<StoredSkin> plain_;
  BudgetedSkinResult result_;
};

}  // namespace
}  // namespace sinew::budgeted_skin

namespace sinew {

std::string BudgetedSkinReport::sentence() const {
  const auto chosen =
      std::find_if(choices.begin(), choices.end(), [](const SkinChoice& choice) { return choice.chosen; });
  return fmt::format("{}: rms {:.4g} % held out ({}), {:.4g} % before; {}",
                     chosen == choices.end() ? "plain skin" : chosen->name, after.rmsPercent, heldOutBy,
                     before.rmsPercent, used.text());
}

BudgetedSkinResult learnBudgetedSkin(const Character& character, ExampleSource& examples, ExampleSource* heldOut,
                                     const BudgetedSkinSize& size, const BudgetedSkinOptions& options,
                                     const Progress& progress) {
  checkCharacter(character, budgeted_skin::kWhere);
  SINEW_CHECK(character.hasSkin(), budgeted_skin::kWhere, "the character has no skin; bind it first (sinew bind)");
  SINEW_CHECK(size || !options.budget.bytes, budgeted_skin::kWhere,
              "bytes are limited, but there is no function for the size of a file");
  SINEW_CHECK(heldOut == nullptr || (heldOut->size() > 0 && examples.size() > 0), budgeted_skin::kWhere,
              "there is no example to learn, or none that is held out; give at least 1 of each");
  SINEW_CHECK(heldOut != nullptr || examples.size() >= 2, budgeted_skin::kWhere,
              fmt::format("there is {}; give at least 2, so that choices can be scored at examples that were not "
                          "learned",
                          counted(examples.size(), "example", "examples")));
  return budgeted_skin::BudgetedLearner(character, examples, heldOut, size, options, progress).run();
}

}  // namespace sinew
