// Coverage and hints. How far a prediction at a pose can be trusted is reported by the models that leave one example
// out (the jackknife). With cardinal functions c and B the inverse of the interpolation's system, the weights without
// example i are
//   c^(i)(x) = c(x) - c_i(x) B_i / B_ii          (Rippa 1999; a rank-one update of the inverse)
// so predictions differ by c_i(x) times the error e_i that the model without i makes at i, and the jackknife's variance
// is  (n - 1) / n  sum_i c_i(x)^2 |e_i|^2 / V: no model is refitted and no vertex is visited per pose. Towards an
// example the error goes to nothing, which models without that example cannot know: it is taken to fall in proportion
// within half of the largest gap.
#include "sinew/learn/pose_space/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/random.h"
#include "sinew/base/text.h"
#include "sinew/learn/pose_space/duplicates.h"

namespace sinew::pose_space {
namespace {

constexpr double kBadCondition = 1e8;
constexpr int kCoverageSamples = 1000;
constexpr int kRandomCandidates = 200;
constexpr Index kMostPairs = 800;
/// Regions that are this much worse than plain skinning are named, if they have this share of all error.
constexpr double kWorse = 1.05;
constexpr double kCounts = 0.01;
constexpr std::size_t kMostNamed = 6;

/// Uncertainty of predictions, at one pose after the other.
class Jackknife {
 public:
  /// `plain` are the weights of the examples by the model's main interpolation, `products` those of their corrections.
  Jackknife(const PoseSpaceModel& model, const PoseSpaceWeights& plain, const Eigen::MatrixXd& products)
      : plain_(plain), weights_(plain.exampleCount(), 1) {
    const Index count = plain.exampleCount();
    RbfLeftOut without = plain.interpolator().weightsWithoutEach();
    // Without an example that alone determines a direction nothing is known of its correction.
    for (const Index k : without.undetermined) without.weights.row(k).setZero();
    const Eigen::MatrixXd errors = Eigen::MatrixXd::Identity(count, count) - without.weights;
    squares_ = (errors * products).cwiseProduct(errors).rowwise().sum().cwiseMax(0);
    squares_[0] = 0;
    const double vertices = static_cast<double>(std::max<std::size_t>(model.vertices.size(), 1));
    const auto others = static_cast<double>(count - 1);
    squares_ *= std::max(others - 1, 1.0) / others / vertices;
  }

  [[nodiscard]] double error(const Eigen::VectorXd& x) {
    plain_.evaluate(x, tables_, weights_);
    const double spread = std::sqrt(weights_.col(0).cwiseAbs2().dot(squares_));
    return spread * std::min(1.0, 2 * nearest(x) / std::max(largestGap(), 1e-300));
  }

  [[nodiscard]] double nearest(const Eigen::VectorXd& x) const { return plain_.interpolator().nearest(x); }
  [[nodiscard]] double largestGap() const { return plain_.interpolator().largestGap(); }

 private:
  const PoseSpaceWeights& plain_;
  Eigen::VectorXd squares_;  // per example: |e_i|^2
  RbfTables tables_;
  Eigen::MatrixXd weights_;
};

struct Candidate {
  Eigen::VectorXd x;
  double error = 0;
};

Eigen::VectorXd inBox(const Eigen::MatrixXd& poses, Lcg& random) {
  const Eigen::VectorXd least = poses.rowwise().minCoeff();
  const Eigen::VectorXd most = poses.rowwise().maxCoeff();
  Eigen::VectorXd x(poses.rows());
  for (Index d = 0; d < x.size(); ++d) x[d] = least[d] + random.uniform() * (most[d] - least[d]);
  return x;
}

/// Midpoints of all pairs of examples (of many examples: some pairs), and random poses between the extremes.
std::vector<Candidate> candidates(const Eigen::MatrixXd& poses) {
  std::vector<Candidate> result;
  const Index count = poses.cols();
  Lcg random(1);
  const auto midpoint = [&](Index i, Index j) { result.push_back({0.5 * (poses.col(i) + poses.col(j)), 0}); };
  if (count * (count - 1) / 2 <= kMostPairs) {
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < i; ++j) midpoint(i, j);
    }
  } else {
    Lcg pairs(3);
    for (Index n = 0; n < kMostPairs; ++n) {
      const auto i = static_cast<Index>(pairs.uniform() * static_cast<double>(count));
      const auto j = static_cast<Index>(pairs.uniform() * static_cast<double>(count));
      if (i != j) midpoint(i, j);
    }
  }
  for (int i = 0; i < kRandomCandidates; ++i) result.push_back({inBox(poses, random), 0});
  return result;
}

/// The names of the two examples nearest to a pose, at poses of their own. `groups`: of samePoses().
std::string between(const PoseSpaceModel& model, std::span<const int> groups, const Eigen::VectorXd& x) {
  std::vector<std::pair<double, std::size_t>> distances;
  for (std::size_t k = 0; k < model.exampleCount(); ++k) {
    distances.emplace_back((model.poses.col(static_cast<Index>(k)) - x).norm(), k);
  }
  std::sort(distances.begin(), distances.end());
  const std::size_t first = distances.front().second;
  for (const auto& [distance, other] : distances) {
    if (groups[other] != groups[first]) return fmt::format("{} and {}", model.names[first], model.names[other]);
  }
  return model.names[first];
}

}  // namespace

double coverageOf(const PoseSpaceModel& model, const PoseSpaceWeights& plain) {
  const double reach = 2 * plain.interpolator().largestGap(model.restGap);
  Lcg random(7);
  int covered = 0;
  for (int i = 0; i < kCoverageSamples; ++i)
    covered += plain.interpolator().nearest(inBox(model.poses, random)) <= reach ? 1 : 0;
  return static_cast<double>(covered) / kCoverageSamples;
}

std::vector<SculptHint> whereToSculpt(const Character& character, const PoseSpaceModel& model,
                                      const PoseSpaceWeights& plain, const Eigen::MatrixXd& products,
                                      std::size_t most) {
  std::vector<SculptHint> hints;
  if (model.exampleCount() < 3 || model.vertices.empty()) return hints;
  Jackknife jackknife(model, plain, products);
  std::vector<Candidate> places = candidates(model.poses);
  for (Candidate& place : places) place.error = jackknife.error(place.x);
  std::stable_sort(places.begin(), places.end(),
                   [](const Candidate& a, const Candidate& b) { return a.error > b.error; });
  const double apart = 0.5 * jackknife.largestGap();
  const std::vector<int> groups = samePoses(model);
  for (const Candidate& place : places) {
    if (hints.size() == most || place.error <= 0) break;
    const bool near = jackknife.nearest(place.x) < 0.1 * jackknife.largestGap() ||
                      std::any_of(hints.begin(), hints.end(),
                                  [&](const SculptHint& hint) { return (hint.coordinates - place.x).norm() < apart; });
    if (near) continue;
    SculptHint hint{restPose(character), place.x, place.error, between(model, groups, place.x)};
    model.poseSpace.apply(character.skeleton, place.x, hint.pose);
    hints.push_back(std::move(hint));
  }
  return hints;
}

std::vector<std::string> warningsOfRegions(const Character& character, const Eigen::VectorXd& plain,
                                           const Eigen::VectorXd& leftOut) {
  const auto joints = static_cast<Index>(character.skeleton.size());
  Eigen::VectorXd before = Eigen::VectorXd::Zero(joints);
  Eigen::VectorXd without = Eigen::VectorXd::Zero(joints);
  for (Index v = 0; v < plain.size(); ++v) {
    const auto influences = character.skin.weights[v];
    if (influences.empty()) continue;
    const int joint = character.skin.bindings[influences.front().binding].joint;
    before[joint] += plain[v];
    without[joint] += leftOut[v];
  }
  std::vector<std::pair<double, std::string>> worse;
  for (Index j = 0; j < joints; ++j) {
    if (before[j] < kCounts * plain.sum() || without[j] <= kWorse * kWorse * before[j]) continue;
    worse.emplace_back(-std::sqrt(without[j] / before[j]), character.skeleton[static_cast<int>(j)].name);
  }
  if (worse.empty()) return {};
  std::sort(worse.begin(), worse.end());
  std::string names;
  for (std::size_t i = 0; i < std::min(worse.size(), kMostNamed); ++i)
    names += fmt::format("{}'{}' ({:.2f} times)", i == 0 ? "" : ", ", worse[i].second, -worse[i].first);
  if (worse.size() > kMostNamed) names += fmt::format(" and {} more", worse.size() - kMostNamed);
  return {
      fmt::format("the leave-one-out error is above that of plain skinning around {}: the examples do not determine "
                  "how the skin moves there between their poses; add sculpts that move only {}",
                  names, worse.size() == 1 ? "this joint" : "these joints")};
}

std::vector<std::string> findWarnings(const PoseSpaceModel& model, const PoseSpaceReport& report, double diagonal,
                                      bool chosen) {
  std::vector<std::string> warnings;
  if (!chosen && report.condition > kBadCondition) {
    warnings.push_back(
        fmt::format("the kernel matrix has the condition {:.1e}: noise of the sculpts is amplified; use {}a --ridge of "
                    "1e-4",
                    report.condition, report.radius > 0 ? "a smaller --radius, or " : ""));
  }
  std::vector<std::string> unchanged;
  for (std::size_t k = 1; !model.lowRank() && k < model.exampleCount(); ++k) {
    const bool still = model.deltas[k].size() == 0 ||
                       (model.deltas[k].colwise().norm().maxCoeff() <= 1e-6 * diagonal &&
                        (model.layer.empty() || model.layer[k].colwise().norm().maxCoeff() <= 1e-6 * diagonal));
    if (still) unchanged.push_back(model.names[k]);
  }
  if (!unchanged.empty() && !model.vertices.empty()) {
    warnings.push_back(
        unchanged.size() == 1
            ? fmt::format("{} equals plain skinning; it keeps the correction at zero there", quotedNames(unchanged))
            : fmt::format("{} equal plain skinning; they keep the correction at zero there", quotedNames(unchanged)));
  }
  if (model.vertices.empty()) warnings.emplace_back("no sculpt differs from plain skinning: there is nothing to learn");
  return warnings;
}

}  // namespace sinew::pose_space
