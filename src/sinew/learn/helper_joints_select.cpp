// Which helper joints earn their keep. Mohr and Gleicher (2003) add all and name that as a weakness; we add all, fit,
// and take them away again, the least useful first (backward elimination: forward selection misses pairs that only help
// together). What a helper is worth: let E_e be the squared error of example e over the skin that is fitted, E0_e that
// of the original skin; without the helper, the points that use it are fitted again, and
//   gain = max over e of (E_e without it - E_e) / E0_e.
// The largest over examples, not the sum: a helper of the fingers counts where the fingers bend, though they are few
// vertices. Examples that were right from the start (rest) count as if they had a share of the mean error.
//
// A helper is only offered to points that move with its source or with the bone above it: others could only use it by
// accident.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "sinew/base/check.h"
#include "sinew/learn/fit_leave_one_out.h"
#include "sinew/learn/helper_joints.h"
#include "sinew/learn/helper_joints_refit.h"
#include "sinew/learn/part_progress.h"

namespace sinew {
namespace {

/// Larger meshes are sampled: what a joint is worth needs no more points.
constexpr Index kMostPoints = 6000;
/// Examples with less than this share of the mean error count as if they had it.
constexpr double kLeastError = 0.05;
/// Diagonals: an rms below is rounding of files, which no joint is needed for.
constexpr double kNoError = 1e-5;
/// Fits of single points, per point of the problem, after which all that is below the threshold goes at once.
constexpr double kMostRefits = 100;
constexpr int kBaseInfluences = 8;

using Columns = std::vector<std::vector<Influence>>;

class Selector {
 public:
  /// `helpers` are the candidates among those of `all`, in the order of `trials`.
  Selector(const Character& all, const ExampleSet& set, std::span<const HelperJoint> helpers,
           const HelperOptions& options, WeightOptions weights, const Progress& progress)
      : all_(all), helpers_(helpers), options_(options), weights_(std::move(weights)), progress_(progress) {
    helperOf_.assign(all.skin.bindings.size(), -1);
    for (std::size_t b = 0; b < helperOf_.size(); ++b) {
      for (std::size_t h = 0; h < helpers.size(); ++h) {
        if (helpers[h].joint == all.skin.bindings[b].joint) helperOf_[b] = static_cast<int>(h);
      }
    }
    allowed_.assign(helperOf_.size(), 1);
    gains_.assign(helpers.size(), 0);
    kept_.assign(helpers.size(), 1);
    problem_ = sampledProblem(makeFitProblem(all, set), kMostPoints);
    // A helper is worth what it does to positions.
    weights_.smoothness = 0;
    weights_.normals = 0;
  }

  void run() {
    sinew::report(progress_, {0, "looking for points that helper joints may move"});
    points_.resize(static_cast<std::size_t>(problem_.pointCount()));
    std::iota(points_.begin(), points_.end(), Index{0});
    fits_.emplace(problem_, weights_, candidates());
    setOriginalErrors();
    sinew::report(progress_, {0.2, "fitting weights of all helper joints"});
    columns_ = fits_->fit(points_, allowed_);
    eliminate();
  }

  [[nodiscard]] bool kept(std::size_t helper) const { return kept_[helper] != 0; }
  [[nodiscard]] double gain(std::size_t helper) const { return gains_[helper]; }

 private:
  /// What taking a helper away would do.
  struct Trial {
    std::vector<Index> points;
    Columns columns;     ///< of these, without it
    bool known = false;  ///< nothing has changed since
  };

  /// Per helper: its source and the nearest joint above that a skin binds.
  [[nodiscard]] std::vector<std::array<int, 2>> bonesOfHelpers() const {
    std::vector<char> bound(static_cast<std::size_t>(all_.skeleton.size()), 0);
    for (const Binding& binding : all_.skin.bindings) bound[static_cast<std::size_t>(binding.joint)] = 1;
    std::vector<std::array<int, 2>> bones;
    for (const HelperJoint& helper : helpers_) {
      int above = all_.skeleton[helper.source].parent;
      while (above >= 0 && bound[static_cast<std::size_t>(above)] == 0) above = all_.skeleton[above].parent;
      bones.push_back({helper.source, above});
    }
    return bones;
  }

  /// Per point its joints: those that a fit without helpers or the original weights use, and the helpers of these.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> candidates() const {
    FitProblem plain = problem_;
    for (std::vector<std::uint32_t>& row : plain.candidates)
      std::erase_if(row, [this](std::uint32_t b) { return helperOf_[b] >= 0; });
    WeightOptions wide = weights_;
    wide.maxInfluences = std::max(kBaseInfluences, weights_.maxInfluences);
    const Columns columns = fitWeights(all_, plain, wide, partProgress(progress_, 0, 0.2)).columns;
    const std::vector<std::array<int, 2>> bones = bonesOfHelpers();
    std::vector<char> locked(points_.size(), 0);
    for (const std::uint32_t vertex : weights_.lockedVertices) {
      if (problem_.pointOfVertex[vertex] != kNotFitted) locked[problem_.pointOfVertex[vertex]] = 1;
    }
    std::vector<std::vector<std::uint32_t>> result(points_.size());
    for (std::size_t p = 0; p < points_.size(); ++p) {
      if (locked[p] == 0)
        result[p] = candidatesOf(problem_.candidates[problem_.skinOf[p]], {columns[p], problem_.prior[p]}, bones);
    }
    return result;
  }

  [[nodiscard]] std::vector<std::uint32_t> candidatesOf(const std::vector<std::uint32_t>& among,
                                                        const std::array<std::vector<Influence>, 2>& uses,
                                                        const std::vector<std::array<int, 2>>& bones) const {
    std::vector<std::uint32_t> used;
    for (const std::vector<Influence>& column : uses) {
      for (const Influence& influence : column) used.push_back(influence.binding);
    }
    const auto isUsed = [&](std::uint32_t b) { return std::find(used.begin(), used.end(), b) != used.end(); };
    const auto moves = [&](int joint) {
      return std::any_of(used.begin(), used.end(),
                         [&](std::uint32_t b) { return all_.skin.bindings[b].joint == joint; });
    };
    std::vector<std::uint32_t> row;
    for (const std::uint32_t b : among) {
      const int helper = helperOf_[b];
      const bool taken = helper < 0 ? isUsed(b)
                                    : moves(bones[static_cast<std::size_t>(helper)][0]) ||
                                          moves(bones[static_cast<std::size_t>(helper)][1]);
      if (taken) row.push_back(b);
    }
    return row;
  }

  void setOriginalErrors() {
    originalErrors_ = fits_->exampleErrors(points_, problem_.prior);
    const double rounding = std::pow(kNoError * problem_.diagonal, 2) * static_cast<double>(problem_.pointCount());
    originalErrors_ = originalErrors_.cwiseMax(std::max(kLeastError * originalErrors_.mean(), rounding));
  }

  void eliminate() {
    trials_.assign(helpers_.size(), {});
    double refits = 0;
    const double budget = kMostRefits * static_cast<double>(problem_.pointCount());
    std::vector<std::size_t> weak;
    do {
      refits += static_cast<double>(evaluate(refits / budget));
      weak = weakest();
      if (refits > budget) {
        dropAtOnce();
        return;
      }
      drop(weak);
    } while (!weak.empty());
  }

  /// Gains that are not known any more. Returns how many points were fitted.
  Index evaluate(double done) {
    for (Trial& trial : trials_) {
      if (!trial.known) trial.points.clear();
    }
    for (std::size_t p = 0; p < columns_.size(); ++p) {
      for (const Influence& influence : columns_[p]) {
        const int helper = helperOf_[influence.binding];
        if (helper < 0 || trials_[static_cast<std::size_t>(helper)].known) continue;
        std::vector<Index>& points = trials_[static_cast<std::size_t>(helper)].points;
        if (points.empty() || points.back() != static_cast<Index>(p)) points.push_back(static_cast<Index>(p));
      }
    }
    Index fitted = 0;
    for (std::size_t h = 0; h < helpers_.size(); ++h) {
      if (kept_[h] == 0 || trials_[h].known) continue;
      sinew::report(progress_, {0.3 + 0.7 * std::min(1.0, done), "trying skins without single helper joints"});
      fitted += static_cast<Index>(trials_[h].points.size());
      tryWithout(h);
    }
    return fitted;
  }

  void tryWithout(std::size_t helper) {
    Trial& trial = trials_[helper];
    trial.known = true;
    trial.columns.clear();
    gains_[helper] = 0;
    if (trial.points.empty()) return;
    std::vector<char> allowed = allowed_;
    forbid(helper, allowed);
    Columns current;
    for (const Index p : trial.points) current.push_back(columns_[static_cast<std::size_t>(p)]);
    trial.columns = fits_->fit(trial.points, allowed);
    const Eigen::VectorXd rise =
        fits_->exampleErrors(trial.points, trial.columns) - fits_->exampleErrors(trial.points, current);
    gains_[helper] = std::max(0.0, rise.cwiseQuotient(originalErrors_).maxCoeff());
  }

  void forbid(std::size_t helper, std::vector<char>& allowed) const {
    for (std::size_t b = 0; b < allowed.size(); ++b) {
      if (helperOf_[b] == static_cast<int>(helper)) allowed[b] = 0;
    }
  }

  /// Helpers below the threshold that share no point, the least useful first.
  [[nodiscard]] std::vector<std::size_t> weakest() const {
    std::vector<std::size_t> below;
    for (std::size_t h = 0; h < helpers_.size(); ++h) {
      if (kept_[h] != 0 && (trials_[h].points.empty() || gains_[h] < options_.leastGain)) below.push_back(h);
    }
    std::stable_sort(below.begin(), below.end(), [&](std::size_t a, std::size_t b) { return gains_[a] < gains_[b]; });
    std::vector<char> touched(columns_.size(), 0);
    std::vector<std::size_t> apart;
    for (const std::size_t h : below) {
      const std::vector<Index>& points = trials_[h].points;
      const auto isTouched = [&](Index p) { return touched[static_cast<std::size_t>(p)] != 0; };
      if (std::any_of(points.begin(), points.end(), isTouched)) continue;
      for (const Index p : points) touched[static_cast<std::size_t>(p)] = 1;
      apart.push_back(h);
    }
    return apart;
  }

  void drop(const std::vector<std::size_t>& weak) {
    for (const std::size_t h : weak) {
      kept_[h] = 0;
      forbid(h, allowed_);
      Trial& trial = trials_[h];
      for (std::size_t i = 0; i < trial.points.size(); ++i) {
        std::vector<Influence>& column = columns_[static_cast<std::size_t>(trial.points[i])];
        forgetHelpersOf(column);
        column = std::move(trial.columns[i]);
        forgetHelpersOf(column);
      }
      trial = {};
      trial.known = true;
    }
  }

  void forgetHelpersOf(const std::vector<Influence>& column) {
    for (const Influence& influence : column) {
      if (helperOf_[influence.binding] >= 0)
        trials_[static_cast<std::size_t>(helperOf_[influence.binding])].known = false;
    }
  }

  /// The rest of the elimination in one step, where it took too long.
  void dropAtOnce() {
    for (std::size_t h = 0; h < helpers_.size(); ++h) {
      if (gains_[h] < options_.leastGain) kept_[h] = 0;
    }
  }

  const Character& all_;
  std::span<const HelperJoint> helpers_;
  const HelperOptions& options_;
  WeightOptions weights_;
  const Progress& progress_;
  FitProblem problem_;
  std::vector<Index> points_;  ///< all
  std::optional<PointFits> fits_;
  std::vector<int> helperOf_;  ///< per binding: a candidate, or -1
  std::vector<char> allowed_;  ///< per binding: not of a helper that was dropped
  Columns columns_;
  Eigen::VectorXd originalErrors_;
  std::vector<Trial> trials_;
  std::vector<double> gains_;
  std::vector<char> kept_;
};

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

}  // namespace

Character withUsefulHelpers(const Character& character, const ExampleSet& set, const HelperOptions& options,
                            const WeightOptions& weights, std::vector<HelperTrial>& trials, const Progress& progress) {
  const Character all = withHelpers(character, set, options, trials);
  if (trials.empty()) return character;
  SINEW_CHECK(character.hasSkin(), "helper joints", "the character has no skin; bind it to its skeleton first");
  const auto helpers = std::span(all.helpers).subspan(character.helpers.size());
  Selector selector(all, withHelperPoses(all, set), helpers, options, weights, progress);
  selector.run();
  for (std::size_t h = 0; h < trials.size(); ++h) {
    trials[h].kept = selector.kept(h);
    trials[h].gain = selector.gain(h);
  }
  return withKept(character, all, trials);
}

}  // namespace sinew
