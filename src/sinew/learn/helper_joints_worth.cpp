// Which helper joints earn their keep. Mohr and Gleicher (2003) add all and name that as a weakness; we add all, fit,
// and take them away again, the least useful first (backward elimination: forward selection misses pairs that only help
// together). What a helper is worth is seen at examples that the fit did not have: let E_e be the squared error of
// example e with weights fitted without it, E0_e that of the original skin; without the helper, the points that use it
// are fitted again, and
//   gain = max over e of (E_e without it - E_e) / E0_e,   0 if the sum over e of (E_e without it - E_e) is not above
//   0, or below leastShare of the sum of E0_e.
// The largest over examples, not the sum: a helper of the fingers counts where the fingers bend, though they are few
// vertices. Examples that were right from the start (rest) count as if they had a share of the mean error. A helper
// whose weights rest on one example has no gain: left out, that example gets nothing from the others.
//
// The two of a mirror pair stay or go together. A helper is only offered to points that move with its source or with
// the bone above it: others could only use it by accident.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/base/progress.h"
#include "sinew/learn/fit_leave_one_out.h"
#include "sinew/learn/fit_pulls.h"
#include "sinew/learn/fit_trials.h"
#include "sinew/learn/helper_joints_worth.h"
#include "sinew/learn/weights_near.h"

namespace sinew {
namespace {

constexpr int kSelectionFolds = 8;
/// Examples with less than this share of the mean error count as if they had it.
constexpr double kLeastError = 0.05;
/// Diagonals: an rms below is rounding of files, which no joint is needed for.
constexpr double kNoError = 1e-5;
/// Trials of single points, per point of the problem, after which everything below the threshold is removed at once.
constexpr double kMostTrials = 60;
constexpr Index kGrain = 16;

/// The weights of a point: a column for each fold that is left out.
using FoldColumns = std::vector<std::vector<Influence>>;

class Selector {
 public:
  /// `helpers` are the candidates among those of `all`, in the order of `trials`.
  Selector(const Character& all, const ExampleSet& set, std::span<const HelperJoint> helpers,
           const std::vector<HelperTrial>& trials, const HelperOptions& options, WeightOptions weights,
           const Progress& progress)
      : all_(all),
        helpers_(helpers),
        options_(options),
        weights_(std::move(weights)),
        progress_(progress),
        problem_(sampledProblem(makeFitProblem(all, set), options.mostPoints)),
        folds_(problem_, set.examples.size(), kSelectionFolds) {
    if (options.mirror != nullptr) partners_ = options.mirror->joint;
    partners_.resize(static_cast<std::size_t>(all.skeleton.size()), -1);
    helperOf_.assign(all.skin.bindings.size(), -1);
    for (std::size_t b = 0; b < helperOf_.size(); ++b) {
      for (std::size_t h = 0; h < helpers.size(); ++h) {
        if (helpers[h].joint == all.skin.bindings[b].joint) helperOf_[b] = static_cast<int>(h);
      }
    }
    allowed_.assign(helperOf_.size(), 1);
    for (const auto& candidates : problem_.candidates) rows_.emplace_back(all, candidates);
    // A helper is worth what it does to positions.
    weights_.smoothness = 0;
    weights_.normals = 0;
    makeUnits(trials);
    problem_.pulls = options.prior ? naturalPulls(all, problem_, *options.prior)
                                   : choosePulls(all, problem_, set.examples.size(), weights_, partners_,
                                                 partProgress(progress, 0, 0.3))
                                         .pulls;
  }

  void run() {
    sinew::report(progress_, {0.3, "fitting weights of all helper joints"});
    setCandidates();
    setOriginalErrors();
    std::vector<Index> points(static_cast<std::size_t>(problem_.pointCount()));
    std::iota(points.begin(), points.end(), Index{0});
    columns_ = fit(points, allowed_);
    eliminate();
    if (options_.most >= 0) meetBudget();
  }

  [[nodiscard]] bool kept(std::size_t helper) const { return kept_[unitOf_[helper]] != 0; }
  [[nodiscard]] double gain(std::size_t helper) const { return gains_[unitOf_[helper]]; }
  [[nodiscard]] bool paired(std::size_t helper) const { return units_[unitOf_[helper]].size() > 1; }

 private:
  /// What taking a unit away would do.
  struct Trial {
    std::vector<Index> points;
    std::vector<FoldColumns> columns;  ///< of these, without it
    bool known = false;                ///< nothing has changed since
  };

  /// Mirror images are one unit, found by the mirror image of the source and what follows its name.
  void makeUnits(const std::vector<HelperTrial>& trials) {
    std::map<std::pair<int, std::string>, std::size_t> found;
    for (std::size_t h = 0; h < helpers_.size(); ++h) {
      const int source = helpers_[h].source;
      const auto at = static_cast<std::size_t>(source);
      const int partner = at < partners_.size() ? partners_[at] : -1;
      const int stands = partner >= 0 ? std::min(source, partner) : source;
      const std::string suffix =
          trials[h].name.substr(std::min(trials[h].name.size(), all_.skeleton[source].name.size()));
      const auto [place, isNew] = found.try_emplace({stands, suffix}, units_.size());
      if (isNew) units_.emplace_back();
      units_[place->second].push_back(h);
      unitOf_.push_back(place->second);
    }
    gains_.assign(units_.size(), 0);
    kept_.assign(units_.size(), 1);
  }

  /// Per point the joints that it may use: those next to its own, and where distant ones are in reach too, those that a
  /// fit of all gives weight.
  void setCandidates() {
    candidates_.resize(static_cast<std::size_t>(problem_.pointCount()));
    const bool distant =
        std::any_of(problem_.pulls.begin(), problem_.pulls.end(), [](const PointPull& pull) { return !pull.near; });
    std::vector<std::vector<Influence>> used;
    if (distant) {
      FitProblem plain = problem_;
      for (std::vector<std::uint32_t>& row : plain.candidates)
        std::erase_if(row, [this](std::uint32_t b) { return helperOf_[b] >= 0; });
      for (PointPull& pull : plain.pulls) pull.target.clear();
      WeightOptions wide = weights_;
      wide.maxInfluences = std::max(8, weights_.maxInfluences);
      used = fitWeights(all_, plain, wide).columns;
    }
    for (std::size_t p = 0; p < candidates_.size(); ++p) {
      std::vector<Influence> column = problem_.prior[p];
      if (!problem_.pulls[p].near) column.insert(column.end(), used[p].begin(), used[p].end());
      const std::uint32_t row = problem_.skinOf[p];
      std::vector<char> near;
      rows_[row].mark(column, near);
      for (std::size_t i = 0; i < near.size(); ++i) {
        if (near[i] != 0) candidates_[p].push_back(problem_.candidates[row][i]);
      }
    }
  }

  /// Columns of some points, for each fold, with the bindings that are allowed.
  [[nodiscard]] std::vector<FoldColumns> fit(const std::vector<Index>& points, const std::vector<char>& allowed) const {
    std::vector<FoldColumns> columns(points.size());
    parallelRanges(static_cast<Index>(points.size()), kGrain, [&](Index begin, Index end) {
      PointTrials trials(problem_, weights_, folds_);
      std::vector<std::uint32_t> bindings;
      for (Index i = begin; i < end; ++i) {
        const Index point = points[static_cast<std::size_t>(i)];
        const auto p = static_cast<std::size_t>(point);
        FoldColumns& result = columns[static_cast<std::size_t>(i)];
        bindings.clear();
        for (const std::uint32_t b : candidates_[p]) {
          if (allowed[b] != 0) bindings.push_back(b);
        }
        if (!trials.open(point, bindings)) {
          result.assign(static_cast<std::size_t>(folds_.count), problem_.prior[p]);
          continue;
        }
        const PointPull& pull = problem_.pulls[p];
        const Eigen::VectorXd target = trials.byPlace(
            pull.target.empty() ? problem_.prior[p] : rows_[problem_.skinOf[p]].halfway(problem_.prior[p], allowed));
        Eigen::VectorXd w = target;
        for (int k = 0; k < folds_.count; ++k) {
          trials.fit(k, target, pull.strength * trials.unit(), {}, w);
          result.push_back(trials.column(w));
        }
      }
    });
    return columns;
  }

  /// Per example, summed over points: the squared error where it was left out.
  [[nodiscard]] Eigen::VectorXd leftOutErrors(const std::vector<Index>& points,
                                              const std::vector<FoldColumns>& columns) const {
    const auto examples = static_cast<Index>(problem_.exampleCount());
    Eigen::MatrixXd errors = Eigen::MatrixXd::Zero(examples, static_cast<Index>(points.size()));
    parallelFor(errors.cols(), kGrain, [&](Index i) {
      const Index point = points[static_cast<std::size_t>(i)];
      const Vec3 rest = problem_.rest.col(point);
      for (Index e = 0; e < examples; ++e) {
        const auto at = static_cast<std::size_t>(e);
        const int fold = folds_.ofExample[at];
        if (fold < 0) continue;
        Vec3 gap = -problem_.targets[at].col(point);
        for (const Influence& influence : columns[static_cast<std::size_t>(i)][static_cast<std::size_t>(fold)])
          gap += influence.weight * (problem_.worldFromRest[at][influence.binding] * rest);
        errors(e, i) = problem_.factor(at, point) * gap.squaredNorm();
      }
    });
    return errors.rowwise().sum();
  }

  void setOriginalErrors() {
    std::vector<Index> points(static_cast<std::size_t>(problem_.pointCount()));
    std::iota(points.begin(), points.end(), Index{0});
    std::vector<FoldColumns> own;
    for (const auto& column : problem_.prior) own.emplace_back(static_cast<std::size_t>(folds_.count), column);
    originalErrors_ = leftOutErrors(points, own);
    const double rounding = std::pow(kNoError * problem_.diagonal, 2) * static_cast<double>(problem_.pointCount());
    originalErrors_ = originalErrors_.cwiseMax(std::max(kLeastError * originalErrors_.mean(), rounding));
  }

  void eliminate() {
    trials_.assign(units_.size(), {});
    double done = 0;
    const double budget = kMostTrials * static_cast<double>(problem_.pointCount());
    std::vector<std::size_t> weak;
    do {
      done += static_cast<double>(evaluate(done / budget));
      weak = weakest();
      if (done > budget) {
        dropAtOnce();
        return;
      }
      drop(weak);
    } while (!weak.empty());
  }

  [[nodiscard]] std::size_t keptHelpers() const {
    std::size_t sum = 0;
    for (std::size_t u = 0; u < units_.size(); ++u) sum += kept_[u] != 0 ? units_[u].size() : 0;
    return sum;
  }

  /// No more helpers than asked for. Taking the least useful away one at a time keeps pairs that help together, but may
  /// end with a joint that is worth nothing without those that went; adding the best one at a time misses pairs. Both
  /// are done, and the better of the two stays. Gains are those beside what is kept in the end.
  void meetBudget() {
    const auto most = static_cast<std::size_t>(options_.most);
    if (keptHelpers() <= most) return;
    std::vector<std::size_t> gone;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (kept_[u] == 0) gone.push_back(u);
    }
    withoutUnits(gone);  // those that went at once are still among the weights
    const State all = state();
    while (keptHelpers() > most) {
      evaluate(1);
      std::size_t least = units_.size();
      for (std::size_t u = 0; u < units_.size(); ++u) {
        if (kept_[u] != 0 && (least == units_.size() || gains_[u] < gains_[least])) least = u;
      }
      drop({least});
    }
    dropUseless();
    addBest(all.kept, most);
    const State fewer = state();
    std::vector<std::size_t> everyUnit(units_.size());
    std::iota(everyUnit.begin(), everyUnit.end(), std::size_t{0});
    restore(all);
    withoutUnits(everyUnit);
    addBest(all.kept, most);
    if (fewer.left <= state().left) restore(fewer);
    dropUseless();
  }

  /// What has been decided, and the left-out error that it leaves, summed over examples as shares of the original.
  struct State {
    std::vector<FoldColumns> columns;
    std::vector<char> allowed;
    std::vector<char> kept;
    double left = 0;
  };

  [[nodiscard]] State state() const {
    std::vector<Index> points(columns_.size());
    std::iota(points.begin(), points.end(), Index{0});
    return {columns_, allowed_, kept_, leftOutErrors(points, columns_).cwiseQuotient(originalErrors_).sum()};
  }

  void restore(const State& state) {
    columns_ = state.columns;
    allowed_ = state.allowed;
    kept_ = state.kept;
    trials_.assign(units_.size(), {});
  }

  /// Points that may use a unit.
  [[nodiscard]] std::vector<Index> reachOf(const std::vector<std::size_t>& units) const {
    std::vector<char> wanted(units_.size(), 0);
    for (const std::size_t u : units) wanted[u] = 1;
    std::vector<Index> points;
    for (std::size_t p = 0; p < candidates_.size(); ++p) {
      if (std::any_of(candidates_[p].begin(), candidates_[p].end(), [&](std::uint32_t b) {
            return helperOf_[b] >= 0 && wanted[unitOf_[static_cast<std::size_t>(helperOf_[b])]] != 0;
          }))
        points.push_back(static_cast<Index>(p));
    }
    return points;
  }

  void withoutUnits(const std::vector<std::size_t>& units) {
    for (const std::size_t u : units) {
      kept_[u] = 0;
      forbid(u, allowed_);
    }
    refit(reachOf(units));
  }

  void refit(const std::vector<Index>& points) {
    std::vector<FoldColumns> columns = fit(points, allowed_);
    for (std::size_t i = 0; i < points.size(); ++i)
      columns_[static_cast<std::size_t>(points[i])] = std::move(columns[i]);
    trials_.assign(units_.size(), {});
  }

  /// Of the units of `from`, those with the largest gain in addition to what is kept, while the limit allows and there
  /// is a gain.
  void addBest(const std::vector<char>& from, std::size_t most) {
    std::vector<double> gains(units_.size(), -1);  // below 0: not known
    for (;;) {
      const std::size_t room = most - keptHelpers();
      std::size_t best = units_.size();
      for (std::size_t u = 0; u < units_.size(); ++u) {
        if (from[u] == 0 || kept_[u] != 0 || units_[u].size() > room) continue;
        sinew::report(progress_, {1, "choosing helper joints within --max-helpers"});
        if (gains[u] < 0) gains[u] = gainOfAdding(u);
        if (gains[u] >= options_.leastGain && (best == units_.size() || gains[u] > gains[best])) best = u;
      }
      if (best == units_.size()) return;
      kept_[best] = 1;
      permit(best, allowed_);
      const std::vector<Index> points = reachOf({best});
      refit(points);
      std::vector<char> touched(columns_.size(), 0);
      for (const Index p : points) touched[static_cast<std::size_t>(p)] = 1;
      for (std::size_t u = 0; u < units_.size(); ++u) {
        const std::vector<Index> own = gains[u] < 0 ? std::vector<Index>{} : reachOf({u});
        if (std::any_of(own.begin(), own.end(), [&](Index p) { return touched[static_cast<std::size_t>(p)] != 0; }))
          gains[u] = -1;
      }
    }
  }

  [[nodiscard]] double gainOfAdding(std::size_t unit) const {
    std::vector<char> allowed = allowed_;
    permit(unit, allowed);
    const std::vector<Index> points = reachOf({unit});
    std::vector<FoldColumns> current;
    for (const Index p : points) current.push_back(columns_[static_cast<std::size_t>(p)]);
    return gainOf(leftOutErrors(points, current) - leftOutErrors(points, fit(points, allowed)));
  }

  /// By how much the left-out errors of the examples are lower with a unit.
  [[nodiscard]] double gainOf(const Eigen::VectorXd& fall) const {
    const double sum = fall.sum();
    if (!(sum > 0) || sum < options_.leastShare * originalErrors_.sum()) return 0;
    return std::max(0.0, fall.cwiseQuotient(originalErrors_).maxCoeff());
  }

  void permit(std::size_t unit, std::vector<char>& allowed) const {
    for (std::size_t b = 0; b < allowed.size(); ++b) {
      if (helperOf_[b] >= 0 && unitOf_[static_cast<std::size_t>(helperOf_[b])] == unit) allowed[b] = 1;
    }
  }

  /// Measures all again and takes away what is below the threshold, the least useful first.
  void dropUseless() {
    std::vector<std::size_t> weak;
    do {
      evaluate(1);
      weak = weakest();
      drop(weak);
    } while (!weak.empty());
  }

  /// Gains that are not known any more. Returns how many points were fitted.
  Index evaluate(double done) {
    for (Trial& trial : trials_) {
      if (!trial.known) trial.points.clear();
    }
    for (std::size_t p = 0; p < columns_.size(); ++p) {
      for (const auto& column : columns_[p]) {
        for (const Influence& influence : column) {
          const int helper = helperOf_[influence.binding];
          if (helper < 0 || trials_[unitOf_[static_cast<std::size_t>(helper)]].known) continue;
          std::vector<Index>& points = trials_[unitOf_[static_cast<std::size_t>(helper)]].points;
          if (points.empty() || points.back() != static_cast<Index>(p)) points.push_back(static_cast<Index>(p));
        }
      }
    }
    Index fitted = 0;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (kept_[u] == 0 || trials_[u].known) continue;
      sinew::report(progress_, {0.4 + 0.6 * std::min(1.0, done), "trying skins without single helper joints"});
      fitted += static_cast<Index>(trials_[u].points.size());
      tryWithout(u);
    }
    return fitted;
  }

  void tryWithout(std::size_t unit) {
    Trial& trial = trials_[unit];
    trial.known = true;
    trial.columns.clear();
    gains_[unit] = 0;
    if (trial.points.empty()) return;
    std::vector<char> allowed = allowed_;
    forbid(unit, allowed);
    std::vector<FoldColumns> current;
    for (const Index p : trial.points) current.push_back(columns_[static_cast<std::size_t>(p)]);
    trial.columns = fit(trial.points, allowed);
    gains_[unit] = gainOf(leftOutErrors(trial.points, trial.columns) - leftOutErrors(trial.points, current));
  }

  void forbid(std::size_t unit, std::vector<char>& allowed) const {
    for (std::size_t b = 0; b < allowed.size(); ++b) {
      if (helperOf_[b] >= 0 && unitOf_[static_cast<std::size_t>(helperOf_[b])] == unit) allowed[b] = 0;
    }
  }

  /// Units below the threshold that share no point, the least useful first.
  [[nodiscard]] std::vector<std::size_t> weakest() const {
    std::vector<std::size_t> below;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (kept_[u] != 0 && (trials_[u].points.empty() || gains_[u] < options_.leastGain)) below.push_back(u);
    }
    std::stable_sort(below.begin(), below.end(), [&](std::size_t a, std::size_t b) { return gains_[a] < gains_[b]; });
    std::vector<char> touched(columns_.size(), 0);
    std::vector<std::size_t> apart;
    for (const std::size_t u : below) {
      const std::vector<Index>& points = trials_[u].points;
      const auto isTouched = [&](Index p) { return touched[static_cast<std::size_t>(p)] != 0; };
      if (std::any_of(points.begin(), points.end(), isTouched)) continue;
      for (const Index p : points) touched[static_cast<std::size_t>(p)] = 1;
      apart.push_back(u);
    }
    return apart;
  }

  void drop(const std::vector<std::size_t>& weak) {
    for (const std::size_t u : weak) {
      kept_[u] = 0;
      forbid(u, allowed_);
      Trial& trial = trials_[u];
      for (std::size_t i = 0; i < trial.points.size(); ++i) {
        FoldColumns& columns = columns_[static_cast<std::size_t>(trial.points[i])];
        forgetUnitsOf(columns);
        columns = std::move(trial.columns[i]);
        forgetUnitsOf(columns);
      }
      trial = {};
      trial.known = true;
    }
  }

  void forgetUnitsOf(const FoldColumns& columns) {
    for (const auto& column : columns) {
      for (const Influence& influence : column) {
        if (helperOf_[influence.binding] >= 0)
          trials_[unitOf_[static_cast<std::size_t>(helperOf_[influence.binding])]].known = false;
      }
    }
  }

  /// The rest of the elimination in one step, if it took too long.
  void dropAtOnce() {
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (gains_[u] < options_.leastGain) kept_[u] = 0;
    }
  }

  const Character& all_;
  std::span<const HelperJoint> helpers_;
  const HelperOptions& options_;
  WeightOptions weights_;
  const Progress& progress_;
  FitProblem problem_;
  Folds folds_;
  std::vector<int> partners_;  ///< per joint its mirror image, or -1
  std::vector<NearJoints> rows_;
  std::vector<std::vector<std::uint32_t>> candidates_;  ///< per point: bindings that may move it
  std::vector<int> helperOf_;                           ///< per binding: a candidate, or -1
  std::vector<std::vector<std::size_t>> units_;         ///< helpers that stay or go together
  std::vector<std::size_t> unitOf_;                     ///< per helper
  std::vector<char> allowed_;                           ///< per binding: not of a helper that was dropped
  std::vector<FoldColumns> columns_;                    ///< per point
  Eigen::VectorXd originalErrors_;
  std::vector<Trial> trials_;
  std::vector<double> gains_;
  std::vector<char> kept_;
};

}  // namespace

void selectHelpers(const Character& character, const Character& all, const ExampleSet& set,
                   const HelperOptions& options, const WeightOptions& weights, std::vector<HelperTrial>& trials,
                   const Progress& progress) {
  const auto helpers = std::span(all.helpers).subspan(character.helpers.size());
  Selector selector(all, withHelperPoses(all, set), helpers, trials, options, weights, progress);
  selector.run();
  for (std::size_t h = 0; h < trials.size(); ++h) {
    trials[h].kept = selector.kept(h);
    trials[h].gain = selector.gain(h);
    trials[h].paired = selector.paired(h);
  }
}

}  // namespace sinew
