// The fit of one point (weights.cpp) has one open number, the strength mu of the pull towards weights w0 that the point
// had. The right strength depends on the examples: planted weights are recovered only with almost none, but sculpts
// that no weights can match need a strong pull, or they are matched by weights that are wrong everywhere else. So it is
// chosen by
//   sum over folds k, points p of a region:  error of fold k with the weights fitted without it,
// for each of a few strengths, two targets w0 (the own weights; half joints in their place, fit/weights_near.h), and
// "as it was". A region with few informative examples borrows from the whole body, which counts as kBorrowed more
// examples. The stronger of two pulls is taken unless the weaker is better by more than its own noise, estimated from
// the folds.
#include "sinew/learn/fit/pulls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>

#include "sinew/base/parallel.h"
#include "sinew/learn/fit/trials.h"
#include "sinew/learn/fit/weights_columns.h"
#include "sinew/learn/fit/weights_near.h"
#include "sinew/learn/fit/weights_smooth.h"

namespace sinew::fit {
namespace {

constexpr double kNatural = 1e-2;
constexpr double kWeakest = 1e-14;  // per pose and squared diagonal: decides only where the examples are silent
constexpr double kLeastPrior = 1e-12;
constexpr double kKeep = 1e9;  // of the natural scale: as good as infinite
constexpr std::array<double, 7> kStrengths{1e4, 1e3, 1e2, 1e1, 1e0, 1e-1, 1e-2};
constexpr int kChoiceFolds = 12;
constexpr Index kLeastRegion = 24;
constexpr Index kSampledPerRegion = 40;
constexpr Index kPullsSampledPoints = 1600;
constexpr double kBorrowed = 1;       // examples' worth of the whole body's ratio
constexpr double kNoise = 2;          // standard errors by which a weaker pull must be better
constexpr double kLittleNoise = 0.5;  // the same between two strengths of one pull
constexpr double kNearlyAsGood = 1.03;
constexpr double kClearly = 0.5;  // of the leave-one-out error: a gain of this size is accepted regardless of its noise
constexpr double kWorthIt = 0.9;  // of the left-out error: what leaves more of it is not worth new weights
constexpr double kMetError = 1e-6;  // diagonals: errors below are matched
constexpr int kSmoothRounds = 12;
constexpr Index kPullsGrain = 8;

/// One variant of the fit, strongest first within a target.
struct Way {
  double prior = 0;  ///< kKeep, a strength, or 0 for the weakest
  bool halfway = false;
  bool near = true;
};

std::vector<Way> waysToFit(bool halves) {
  std::vector<Way> ways{{kKeep, false, true}};
  for (const double strength : kStrengths) ways.push_back({strength, false, true});
  ways.push_back({0, false, false});
  if (!halves) return ways;
  for (const double strength : kStrengths) ways.push_back({strength, true, true});
  return ways;
}

/// How far the examples separate the alternatives of a point, squared and summed over examples: the adjacent half
/// joints from the middle of their two bones or, without any, the adjacent joints from the point.
double spreadOf(const FitProblem& problem, const NearJoints& near, const std::vector<std::uint32_t>& candidates,
                Index point, std::vector<char>& marked) {
  const std::vector<Influence>& own = problem.prior[toSize(point)];
  near.mark(own, marked);
  const Vec3 rest = problem.rest.col(point);
  const auto isNear = [&](int place) { return marked[toSize(place)] != 0; };
  double joints = 0;
  double halves = 0;
  double jointCount = 0;
  double halfCount = 0;
  for (std::size_t e = 0; e < problem.exampleCount(); ++e) {
    const double factor = problem.factor(e, point);
    if (factor == 0) continue;
    const auto at = [&](int place) -> Vec3 { return problem.worldFromRest[e][candidates[toSize(place)]] * rest; };
    Vec3 mean = Vec3::Zero();
    for (const Influence& influence : own)
      mean += influence.weight * (problem.worldFromRest[e][influence.binding] * rest);
    for (std::size_t i = 0; i < marked.size(); ++i) {
      if (marked[i] == 0) continue;
      joints += factor * (at(static_cast<int>(i)) - mean).squaredNorm();
      ++jointCount;
    }
    for (const NearJoints::Half& half : near.halves()) {
      if (!isNear(half.half) || !isNear(half.above) || !isNear(half.below)) continue;
      halves += factor * (at(half.half) - 0.5 * (at(half.above) + at(half.below))).squaredNorm();
      ++halfCount;
    }
  }
  const auto examples = static_cast<double>(problem.exampleCount());
  if (halves > 0) return halves * examples / halfCount;
  return jointCount > 0 ? joints * examples / jointCount : 0;
}

std::deque<NearJoints> nearOfRows(const Character& character, const FitProblem& problem) {
  std::deque<NearJoints> rows;
  for (const auto& candidates : problem.candidates) rows.emplace_back(character, candidates);
  return rows;
}

/// Per point: the strength of the natural scale, per pose and squared diagonal.
std::vector<double> naturalStrengths(const FitProblem& problem, const std::deque<NearJoints>& rows) {
  std::vector<double> strengths(problem.prior.size(), 0);
  parallelRanges(problem.pointCount(), 256, [&](Index begin, Index end) {
    std::vector<char> marked;
    for (Index p = begin; p < end; ++p) {
      const double factors = factorSum(problem, p);
      if (factors == 0) continue;
      const std::uint32_t row = problem.skinOf[toSize(p)];
      const double spread = spreadOf(problem, rows[row], problem.candidates[row], p, marked);
      strengths[toSize(p)] = kNatural * spread / (3 * factors * problem.diagonal * problem.diagonal);
    }
  });
  return strengths;
}

class PullChooser {
 public:
  PullChooser(const Character& character, const FitProblem& problem, std::size_t examples, const WeightOptions& options,
              const std::vector<int>& partners, const Progress& progress)
      : character_(character),
        problem_(problem),
        options_(options),
        progress_(progress),
        folds_(problem, examples, kChoiceFolds),
        rows_(nearOfRows(character, problem)),
        natural_(naturalStrengths(problem, rows_)),
        ways_(waysToFit(std::any_of(rows_.begin(), rows_.end(), [](const NearJoints& r) { return r.hasHalves(); }))) {
    result_.regions = pointRegions(character, problem, kLeastRegion, partners);
  }

  PullChoice run() {
    if (folds_.count < 2) {
      result_.choices.assign(result_.regions.count(), {.prior = 1});
    } else {
      samplePoints();
      tryWays();
      choose();
    }
    setPulls();
    return std::move(result_);
  }

 private:
  void samplePoints() {
    const PointRegions& regions = result_.regions;
    std::vector<std::vector<std::uint32_t>> members(regions.count());
    for (std::size_t p = 0; p < regions.ofPoint.size(); ++p)
      members[toSize(regions.ofPoint[p])].push_back(static_cast<std::uint32_t>(p));
    const Index each = std::clamp(kPullsSampledPoints / std::max<Index>(1, static_cast<Index>(regions.count())),
                                  kLeastRegion, kSampledPerRegion);
    for (const auto& points : members) {
      const auto all = static_cast<Index>(points.size());
      const Index few = std::min(all, each);
      for (Index i = 0; i < few; ++i) sampled_.push_back(points[toSize(i * all / few)]);
    }
  }

  /// Leave-one-out error of every sampled point, variant and fold.
  void tryWays() {
    const auto ways = static_cast<Index>(ways_.size());
    const auto count = static_cast<Index>(sampled_.size());
    errors_.assign(sampled_.size(), {});
    constexpr Index kAtOnce = 256;
    for (Index from = 0; from < count; from += kAtOnce) {
      report(progress_, {static_cast<double>(from) / static_cast<double>(count), "leaving examples out"});
      parallelRanges(std::min(kAtOnce, count - from), kPullsGrain, [&](Index begin, Index end) {
        PointTrials trials(problem_, options_, folds_);
        for (Index i = from + begin; i < from + end; ++i) {
          const auto at = toSize(i);
          errors_[at].setZero(ways, folds_.count);
          tryPoint(sampled_[at], trials, errors_[at]);
        }
      });
    }
  }

  void tryPoint(std::uint32_t point, PointTrials& trials, Eigen::MatrixXd& errors) const {
    const auto& candidates = problem_.candidates[problem_.skinOf[point]];
    const NearJoints& row = rows_[problem_.skinOf[point]];
    if (!trials.open(point, candidates)) return;
    std::vector<char> near;
    row.mark(problem_.prior[point], near);
    const Eigen::VectorXd own = trials.byPlace(problem_.prior[point]);
    const Eigen::VectorXd half = trials.byPlace(row.halfway(problem_.prior[point]));
    Eigen::VectorXd w;
    for (int k = 0; k < folds_.count; ++k) {
      for (std::size_t i = 0; i < ways_.size(); ++i) {
        const Way& way = ways_[i];
        const Eigen::VectorXd& target = way.halfway ? half : own;
        if (i == 0 || way.halfway != ways_[i - 1].halfway) w = target;
        if (way.prior < kKeep) {
          const double strength = way.prior > 0 ? way.prior * natural_[point] : kWeakest;
          const std::span<const char> allowed = way.near ? std::span<const char>(near) : std::span<const char>();
          trials.fit(k, target, std::max(strength, kWeakest) * trials.unit(), allowed, w);
        }
        errors(static_cast<Index>(i), k) = trials.foldError(k, w);
      }
    }
  }

  void choose() {
    const auto ways = static_cast<Index>(ways_.size());
    const std::size_t regions = result_.regions.count();
    std::vector<Eigen::MatrixXd> sums(regions, Eigen::MatrixXd::Zero(ways, folds_.count));
    std::vector<double> counts(regions, 0);
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(ways, folds_.count);
    for (std::size_t i = 0; i < sampled_.size(); ++i) {
      const auto region = toSize(result_.regions.ofPoint[sampled_[i]]);
      sums[region] += errors_[i];
      ++counts[region];
    }
    for (std::size_t r = 0; r < regions; ++r)
      all += sums[r] * (static_cast<double>(result_.regions.points[r]) / std::max(1.0, counts[r]));
    Eigen::VectorXd ratio = all.rowwise().sum();
    ratio /= std::max(ratio[0], std::numeric_limits<double>::min());
    for (std::size_t r = 0; r < regions; ++r) result_.choices.push_back(chooseFor(sums[r], counts[r], ratio));
  }

  /// `errors`: a row per variant, a column per fold. `ratio`: per variant, of the whole body.
  [[nodiscard]] RegionChoice chooseFor(const Eigen::MatrixXd& errors, double points,
                                       const Eigen::VectorXd& ratio) const {
    const double before = errors.row(0).sum();
    const double rounding = std::pow(kMetError * problem_.diagonal, 2) * points * folds_.count;
    RegionChoice choice{.prior = std::numeric_limits<double>::infinity(), .before = before, .after = before};
    choice.met = before <= rounding;
    if (choice.met) return choice;
    const double telling = before * before / errors.row(0).squaredNorm();
    choice.examples = static_cast<int>(std::lround(telling));
    const Eigen::VectorXd scores = errors.rowwise().sum() + kBorrowed * before / telling * ratio;
    Index best = 0;
    scores.minCoeff(&best);
    if (best == 0 || scores[best] > kWorthIt * scores[0]) return choice;
    const auto noise = [&](Index a, Index b) {
      const Eigen::ArrayXd gap = (errors.row(a) - errors.row(b)).transpose().array();
      const double variance = (gap - gap.mean()).square().sum() / std::max(1, folds_.count - 1);
      return std::sqrt(variance * folds_.count);
    };
    if (scores[best] > kClearly * scores[0] && scores[0] - scores[best] < kNoise * noise(0, best)) return choice;
    // The strongest pull towards the same weights that does nearly as well.
    for (Index i = 1; i < best; ++i) {
      if (ways_[toSize(i)].halfway != ways_[toSize(best)].halfway) continue;
      if (scores[i] > kNearlyAsGood * scores[best] || scores[i] - scores[best] > kLittleNoise * noise(i, best))
        continue;
      best = i;
      break;
    }
    const Way& way = ways_[toSize(best)];
    choice.prior = way.prior;
    choice.halfway = way.halfway;
    choice.near = way.near;
    choice.after = errors.row(best).sum();
    return choice;
  }

  /// Strengths of regions onto points, smoothed over the surface.
  void setPulls() {
    const std::size_t points = problem_.prior.size();
    // Log strength and the share of the halfway weights, both times a mass of 1 where examples decided, and the mass.
    Eigen::MatrixXd values(3, static_cast<Index>(points));
    for (std::size_t p = 0; p < points; ++p) {
      const RegionChoice& choice = choiceAt(p);
      const double mass = choice.met ? 0 : 1;
      const double prior = std::clamp(choice.prior, kLeastPrior, kKeep);
      values.col(static_cast<Index>(p)) << mass * std::log10(prior), choice.halfway ? mass : 0.0, mass;
    }
    smooth(values);
    result_.pulls.resize(points);
    parallelFor(static_cast<Index>(points), 256, [&](Index p) {
      const auto at = toSize(p);
      PointPull& pull = result_.pulls[at];
      pull.near = choiceAt(at).near;
      const double mass = values(2, p);
      const double prior = mass > 0 ? std::pow(10.0, values(0, p) / mass) : kKeep;
      pull.natural = natural_[at];
      pull.strength = std::max(kWeakest, prior * natural_[at]);
      const double share = mass > 0 ? values(1, p) / mass : 0;
      if (share <= 0) return;
      pull.target = blend(problem_.prior[at], rows_[problem_.skinOf[at]].halfway(problem_.prior[at]), share);
    });
  }

  void smooth(Eigen::MatrixXd& values) const {
    const PointNeighbours neighbours(character_.mesh, problem_);
    Eigen::MatrixXd next = values;
    for (int round = 0; round < kSmoothRounds; ++round) {
      parallelFor(values.cols(), 1024, [&](Index p) {
        const auto near = neighbours[p];
        if (near.empty()) return;
        Eigen::Vector3d mean = Eigen::Vector3d::Zero();
        for (const std::uint32_t n : near) mean += values.col(n);
        next.col(p) = 0.5 * values.col(p) + 0.5 * mean / static_cast<double>(near.size());
      });
      values.swap(next);
    }
  }

  [[nodiscard]] const RegionChoice& choiceAt(std::size_t point) const {
    return result_.choices[toSize(result_.regions.ofPoint[point])];
  }

  static std::vector<Influence> blend(const std::vector<Influence>& a, const std::vector<Influence>& b, double share) {
    std::vector<Influence> result = a;
    for (Influence& influence : result) influence.weight *= 1 - share;
    for (const Influence& other : b) {
      const auto same =
          std::find_if(result.begin(), result.end(), [&](const Influence& i) { return i.binding == other.binding; });
      if (same != result.end()) {
        same->weight += share * other.weight;
      } else {
        result.push_back({other.binding, share * other.weight});
      }
    }
    return result;
  }

  const Character& character_;
  const FitProblem& problem_;
  const WeightOptions& options_;
  const Progress& progress_;
  Folds folds_;
  std::deque<NearJoints> rows_;
  std::vector<double> natural_;
  std::vector<Way> ways_;
  std::vector<std::uint32_t> sampled_;
  std::vector<Eigen::MatrixXd> errors_;  // per sampled point: variants x folds
  PullChoice result_;
};

}  // namespace

PullChoice choosePulls(const Character& character, const FitProblem& problem, std::size_t examples,
                       const WeightOptions& options, const std::vector<int>& partners, const Progress& progress) {
  return PullChooser(character, problem, examples, options, partners, progress).run();
}

std::vector<PointPull> naturalPulls(const Character& character, const FitProblem& problem, double prior) {
  std::vector<PointPull> pulls;
  for (const double strength : naturalStrengths(problem, nearOfRows(character, problem)))
    pulls.push_back({.strength = prior * strength, .natural = strength});
  return pulls;
}

}  // namespace sinew::fit
