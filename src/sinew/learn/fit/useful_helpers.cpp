// Useful helper joints: all are proposed, and those that lower the error enough are kept, within a limit if there is
// one.
#include <algorithm>

#include "sinew/base/check.h"
#include "sinew/base/progress.h"
#include "sinew/learn/fit/helper_worth.h"
#include "sinew/learn/fit/useful_helpers.h"

namespace sinew::fit {
namespace {

/// How often a limited selection is repeated without joints that turned out to be useless.
constexpr int kBudgetAttempts = 4;
/// Of leastGain, over all examples together: under a limit, a joint must help the whole.
constexpr double kBudgetShare = 0.25;

/// `character` with those of the helpers of `all` that are kept.
Character withKept(const Character& character, const Character& all, std::vector<HelperTrial>& trials) {
  Character result = character;
  std::vector<Joint> joints(character.skeleton.joints().begin(), character.skeleton.joints().end());
  for (HelperTrial& trial : trials) {
    const int old = trial.helper.joint;
    trial.helper.joint = -1;
    if (!trial.kept) continue;
    trial.helper.joint = static_cast<int>(joints.size());
    joints.push_back(all.skeleton[old]);
    for (Binding binding : all.skin.bindings) {
      if (binding.joint != old) continue;
      binding.joint = trial.helper.joint;
      result.skin.bindings.push_back(binding);
    }
    result.helpers.push_back(trial.helper);
  }
  result.skeleton = Skeleton(std::move(joints));
  result.skin.weights = character.skin.weights.widened(result.skin.bindings.size());
  return result;
}

/// What one side of a symmetric body does, the other may do: poses alone, for proposing.
ExampleSet withMirroredPoses(const Character& character, ExampleSet set, const MirrorMap* mirror) {
  if (mirror == nullptr) return set;
  const std::size_t count = set.examples.size();
  for (std::size_t e = 0; e < count; ++e) {
    Example image;
    image.name = set.examples[e].name;
    image.pose = mirrorPose(character, *mirror, set.examples[e].pose);
    set.examples.push_back(std::move(image));
  }
  return set;
}

/// The marked helpers, added to the joints of `character` alone: which of them are kept.
std::vector<HelperTrial> selectAmong(const Character& character, const Character& all, const ExampleSet& set,
                                     const HelperOptions& options, const WeightOptions& weights,
                                     std::vector<HelperTrial> trials, const std::vector<char>& marked,
                                     const Progress& progress) {
  std::vector<HelperTrial> few;
  for (std::size_t h = 0; h < trials.size(); ++h) {
    trials[h].kept = marked[h] != 0;
    if (trials[h].kept) few.push_back(trials[h]);
  }
  std::vector<HelperTrial> numbered = trials;
  if (!few.empty()) selectHelpers(character, withKept(character, all, numbered), set, options, weights, few, progress);
  std::size_t next = 0;
  for (HelperTrial& trial : trials) {
    if (!trial.kept) continue;
    trial.kept = few[next].kept;
    trial.gain = few[next++].gain;
  }
  return trials;
}

std::vector<char> marksOf(const std::vector<HelperTrial>& trials) {
  std::vector<char> marks;
  for (const HelperTrial& trial : trials) marks.push_back(trial.kept ? 1 : 0);
  return marks;
}

/// Joints of a limited selection were measured together with others, with pulls chosen for all of them, so they are
/// measured again by themselves. A useless one is replaced by the next.
std::vector<HelperTrial> withinBudget(const Character& character, const Character& all, const ExampleSet& set,
                                      const HelperOptions& options, const WeightOptions& weights,
                                      const std::vector<HelperTrial>& trials, const Progress& progress) {
  HelperOptions limited = options;
  limited.leastShare = kBudgetShare * options.leastGain;
  HelperOptions unlimited = limited;
  unlimited.most = -1;
  std::vector<char> pool = marksOf(trials);
  std::vector<HelperTrial> best;
  double most = -1;
  for (int attempt = 0; attempt < kBudgetAttempts; ++attempt) {
    const auto part = [&](double at) { return (attempt + at) / kBudgetAttempts; };
    const std::vector<HelperTrial> chosen =
        selectAmong(character, all, set, limited, weights, trials, pool, partProgress(progress, part(0), part(0.7)));
    std::vector<HelperTrial> left = selectAmong(character, all, set, unlimited, weights, chosen, marksOf(chosen),
                                                partProgress(progress, part(0.7), part(1)));
    bool allStay = true;
    double gains = 0;
    for (std::size_t h = 0; h < left.size(); ++h) {
      gains += left[h].kept ? left[h].gain : 0;
      if (!chosen[h].kept || left[h].kept) continue;
      allStay = false;
      pool[h] = 0;
    }
    if (gains > most) {
      most = gains;
      best = std::move(left);
    }
    if (allStay) break;
  }
  return best;
}

}  // namespace

Character withUsefulHelpers(const Character& character, const ExampleSet& set, const HelperOptions& options,
                            const WeightOptions& weights, std::vector<HelperTrial>& trials, const Progress& progress) {
  trials.clear();
  if (options.most == 0) return character;
  const Character all = withHelpers(character, withMirroredPoses(character, set, options.mirror), options, trials);
  if (trials.empty()) return character;
  SINEW_CHECK(character.hasSkin(), "helper joints", "the character has no skin; bind it to its skeleton first");
  HelperOptions unlimited = options;
  unlimited.most = -1;
  const double part = options.most >= 0 ? 0.5 : 1;
  selectHelpers(character, all, set, unlimited, weights, trials, partProgress(progress, 0, part));
  const auto kept = std::count_if(trials.begin(), trials.end(), [](const HelperTrial& trial) { return trial.kept; });
  if (options.most >= 0 && kept > options.most) {
    const std::vector<HelperTrial> useful = trials;
    trials = withinBudget(character, all, set, options, weights, trials, partProgress(progress, part, 1));
    for (std::size_t h = 0; h < trials.size(); ++h) {
      trials[h].noRoom = useful[h].kept && !trials[h].kept;
      if (trials[h].noRoom) trials[h].gain = useful[h].gain;
    }
  }
  return withKept(character, all, trials);
}

Character withHelpersChosenAgain(const Character& character, const Character& extended, const ExampleSet& set,
                                 const HelperOptions& options, const WeightOptions& weights,
                                 const std::vector<HelperTrial>& trials, const Progress& progress) {
  std::vector<HelperTrial> few = trials;
  std::erase_if(few, [](const HelperTrial& trial) { return !trial.kept; });
  if (few.empty()) return character;
  HelperOptions again = options;
  again.most = -1;
  if (options.most >= 0) again.leastShare = kBudgetShare * options.leastGain;
  selectHelpers(character, extended, set, again, weights, few, progress);
  return withKept(character, extended, few);
}

}  // namespace sinew::fit
