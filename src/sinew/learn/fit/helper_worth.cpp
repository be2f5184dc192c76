// Which helper joints are worth keeping. Mohr and Gleicher (2003) add all and name that as a weakness; we add all, fit,
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
// Both joints of a mirror pair are kept or removed together. A helper is only offered to points that move with its
// source or with the bone above it: others could only use it by accident.
#include <algorithm>
#include <numeric>
#include <span>

#include "sinew/base/check.h"
#include "sinew/base/progress.h"
#include "sinew/learn/fit/helper_fits.h"
#include "sinew/learn/fit/helper_worth.h"

namespace sinew::fit {
namespace {

/// Trials of single points, per point of the problem, after which everything below the threshold is removed at once.
constexpr double kMostTrials = 60;

class Selector {
 public:
  Selector(const Character& all, const ExampleSet& set, std::span<const HelperJoint> helpers,
           const std::vector<HelperTrial>& trials, const HelperOptions& options, WeightOptions weights,
           const Progress& progress)
      : options_(options),
        progress_(progress),
        fits_(all, set, helpers, trials, options, std::move(weights), progress),
        allowed_(fits_.everythingAllowed()),
        gains_(fits_.units().size(), 0),
        kept_(fits_.units().size(), 1) {}

  void run() {
    columns_ = fits_.fit(fits_.allPoints(), allowed_);
    eliminate();
    if (options_.most >= 0) meetBudget();
  }

  [[nodiscard]] bool kept(std::size_t helper) const { return kept_[fits_.unitOf(helper)] != 0; }
  [[nodiscard]] double gain(std::size_t helper) const { return gains_[fits_.unitOf(helper)]; }
  [[nodiscard]] bool paired(std::size_t helper) const { return fits_.units()[fits_.unitOf(helper)].size() > 1; }

 private:
  /// What taking a unit away would do.
  struct Trial {
    std::vector<Index> points;
    std::vector<FoldColumns> columns;  ///< of these, without it
    bool known = false;                ///< nothing has changed since
  };

  void eliminate() {
    trials_.assign(fits_.units().size(), {});
    double done = 0;
    const double budget = kMostTrials * static_cast<double>(fits_.pointCount());
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
    for (std::size_t u = 0; u < fits_.units().size(); ++u) sum += kept_[u] != 0 ? fits_.units()[u].size() : 0;
    return sum;
  }

  /// No more helpers than asked for. Taking the least useful away one at a time keeps pairs that help together, but may
  /// end with a joint that is worth nothing without those that went; adding the best one at a time misses pairs. Both
  /// are done, and the better of the two stays. Gains are those beside what is kept in the end.
  void meetBudget() {
    const auto most = toSize(options_.most);
    if (keptHelpers() <= most) return;
    std::vector<std::size_t> gone;
    for (std::size_t u = 0; u < fits_.units().size(); ++u) {
      if (kept_[u] == 0) gone.push_back(u);
    }
    withoutUnits(gone);  // those that went at once are still among the weights
    const State all = state();
    while (keptHelpers() > most) {
      evaluate(1);
      std::size_t least = fits_.units().size();
      for (std::size_t u = 0; u < fits_.units().size(); ++u) {
        if (kept_[u] != 0 && (least == fits_.units().size() || gains_[u] < gains_[least])) least = u;
      }
      drop({least});
    }
    dropUseless();
    addBest(all.kept, most);
    const State fewer = state();
    std::vector<std::size_t> everyUnit(fits_.units().size());
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
    return {columns_, allowed_, kept_,
            fits_.leftOutErrors(fits_.allPoints(), columns_).cwiseQuotient(fits_.originalErrors()).sum()};
  }

  void restore(const State& state) {
    columns_ = state.columns;
    allowed_ = state.allowed;
    kept_ = state.kept;
    trials_.assign(fits_.units().size(), {});
  }

  void withoutUnits(const std::vector<std::size_t>& units) {
    for (const std::size_t u : units) {
      kept_[u] = 0;
      fits_.forbid(u, allowed_);
    }
    refit(fits_.reachOf(units));
  }

  void refit(const std::vector<Index>& points) {
    std::vector<FoldColumns> columns = fits_.fit(points, allowed_);
    for (std::size_t i = 0; i < points.size(); ++i) columns_[toSize(points[i])] = std::move(columns[i]);
    trials_.assign(fits_.units().size(), {});
  }

  /// Of the units of `from`, those with the largest gain in addition to what is kept, while the limit allows and there
  /// is a gain.
  void addBest(const std::vector<char>& from, std::size_t most) {
    std::vector<double> gains(fits_.units().size(), -1);  // below 0: not known
    for (;;) {
      const std::size_t room = most - keptHelpers();
      std::size_t best = fits_.units().size();
      for (std::size_t u = 0; u < fits_.units().size(); ++u) {
        if (from[u] == 0 || kept_[u] != 0 || fits_.units()[u].size() > room) continue;
        sinew::report(progress_, {1, "choosing helper joints within --max-helpers"});
        if (gains[u] < 0) gains[u] = gainOfAdding(u);
        if (gains[u] >= options_.leastGain && (best == fits_.units().size() || gains[u] > gains[best])) best = u;
      }
      if (best == fits_.units().size()) return;
      kept_[best] = 1;
      fits_.permit(best, allowed_);
      const std::vector<Index> points = fits_.reachOf({best});
      refit(points);
      std::vector<char> touched(columns_.size(), 0);
      for (const Index p : points) touched[toSize(p)] = 1;
      for (std::size_t u = 0; u < fits_.units().size(); ++u) {
        const std::vector<Index> own = gains[u] < 0 ? std::vector<Index>{} : fits_.reachOf({u});
        if (std::any_of(own.begin(), own.end(), [&](Index p) { return touched[toSize(p)] != 0; })) gains[u] = -1;
      }
    }
  }

  [[nodiscard]] double gainOfAdding(std::size_t unit) const {
    std::vector<char> allowed = allowed_;
    fits_.permit(unit, allowed);
    const std::vector<Index> points = fits_.reachOf({unit});
    std::vector<FoldColumns> current;
    for (const Index p : points) current.push_back(columns_[toSize(p)]);
    return fits_.gainOf(fits_.leftOutErrors(points, current) - fits_.leftOutErrors(points, fits_.fit(points, allowed)));
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
          const int unit = fits_.unitOfBinding(influence.binding);
          if (unit < 0 || trials_[toSize(unit)].known) continue;
          std::vector<Index>& points = trials_[toSize(unit)].points;
          if (points.empty() || points.back() != static_cast<Index>(p)) points.push_back(static_cast<Index>(p));
        }
      }
    }
    Index fitted = 0;
    for (std::size_t u = 0; u < fits_.units().size(); ++u) {
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
    fits_.forbid(unit, allowed);
    std::vector<FoldColumns> current;
    for (const Index p : trial.points) current.push_back(columns_[toSize(p)]);
    trial.columns = fits_.fit(trial.points, allowed);
    gains_[unit] =
        fits_.gainOf(fits_.leftOutErrors(trial.points, trial.columns) - fits_.leftOutErrors(trial.points, current));
  }

  /// Units below the threshold that share no point, the least useful first.
  [[nodiscard]] std::vector<std::size_t> weakest() const {
    std::vector<std::size_t> below;
    for (std::size_t u = 0; u < fits_.units().size(); ++u) {
      if (kept_[u] != 0 && (trials_[u].points.empty() || gains_[u] < options_.leastGain)) below.push_back(u);
    }
    std::stable_sort(below.begin(), below.end(), [&](std::size_t a, std::size_t b) { return gains_[a] < gains_[b]; });
    std::vector<char> touched(columns_.size(), 0);
    std::vector<std::size_t> apart;
    for (const std::size_t u : below) {
      const std::vector<Index>& points = trials_[u].points;
      const auto isTouched = [&](Index p) { return touched[toSize(p)] != 0; };
      if (std::any_of(points.begin(), points.end(), isTouched)) continue;
      for (const Index p : points) touched[toSize(p)] = 1;
      apart.push_back(u);
    }
    return apart;
  }

  void drop(const std::vector<std::size_t>& weak) {
    for (const std::size_t u : weak) {
      kept_[u] = 0;
      fits_.forbid(u, allowed_);
      Trial& trial = trials_[u];
      for (std::size_t i = 0; i < trial.points.size(); ++i) {
        FoldColumns& columns = columns_[toSize(trial.points[i])];
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
        const int unit = fits_.unitOfBinding(influence.binding);
        if (unit >= 0) trials_[toSize(unit)].known = false;
      }
    }
  }

  /// The rest of the elimination in one step, if it took too long.
  void dropAtOnce() {
    for (std::size_t u = 0; u < fits_.units().size(); ++u) {
      if (gains_[u] < options_.leastGain) kept_[u] = 0;
    }
  }

  const HelperOptions& options_;
  const Progress& progress_;
  HelperFits fits_;
  std::vector<char> allowed_;         ///< per binding: not of a helper that was dropped
  std::vector<FoldColumns> columns_;  ///< per point
  std::vector<Trial> trials_;
  std::vector<double> gains_;  ///< per unit
  std::vector<char> kept_;     ///< per unit
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

}  // namespace sinew::fit
