// Leave-one-out errors, coverage and hints. How far a prediction at a pose can be trusted is reported by the models
// that leave one example out (the jackknife): with weights c of the model and c^(k) without example k, their
// predictions differ by
//   sum_j (c_j - c_j^(k)) delta_j,  whose mean square over the vertices is  u^T G u / V,  G_ij = <delta_i, delta_j>,
// so that no vertex is visited per pose. Towards an example the error goes to nothing, which models without that
// example cannot know: it is taken to fall in proportion within half of the largest gap.
#include "sinew/learn/pose_space/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"

namespace sinew::pose_space {
namespace {

constexpr double kBadCondition = 1e8;
constexpr int kCoverageSamples = 1000;
constexpr int kRandomCandidates = 200;
/// Regions that are this much worse than plain skinning are named, if they have this share of all error.
constexpr double kWorse = 1.05;
constexpr double kCounts = 0.01;
constexpr std::size_t kMostNamed = 6;

Eigen::MatrixXd deltaProducts(const PoseSpaceModel& model) {
  const auto count = static_cast<Index>(model.exampleCount());
  Eigen::MatrixXd products(count, count);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j <= i; ++j) {
      products(i, j) = products(j, i) = model.deltas[toSize(i)].cwiseProduct(model.deltas[toSize(j)]).sum();
    }
  }
  return products;
}

/// Uncertainty of predictions, at one pose after the other.
class Jackknife {
 public:
  explicit Jackknife(const PoseSpaceModel& model)
      : model_(withoutDeltas(model)),
        products_(deltaProducts(model)),
        vertices_(std::max<std::size_t>(model.vertices.size(), 1)) {
    whole_.emplace_back(model_);
    for (std::size_t k = 1; k < model_.exampleCount(); ++k) whole_.emplace_back(withoutExample(model_, k));
  }

  [[nodiscard]] double error(const Eigen::VectorXd& x) const {
    Eigen::MatrixXd weights(whole_[0].exampleCount(), 1);
    whole_[0].evaluate(x, weights);
    double sum = 0;
    for (std::size_t k = 1; k < whole_.size(); ++k) {
      Eigen::MatrixXd others(whole_[k].exampleCount(), 1);
      whole_[k].evaluate(x, others);
      Eigen::VectorXd difference = weights.col(0);
      for (Index j = 0; j < others.rows(); ++j) difference[j < static_cast<Index>(k) ? j : j + 1] -= others(j, 0);
      sum += difference.dot(products_ * difference);
    }
    // The jackknife's estimate of the variance: (n - 1) / n times the sum of squared differences.
    const auto count = static_cast<double>(whole_.size() - 1);
    const double spread =
        std::sqrt(std::max(0.0, sum * std::max(count - 1, 1.0) / count) / static_cast<double>(vertices_));
    return spread * std::min(1.0, 2 * nearest(x) / std::max(largestGap(), 1e-300));
  }

  [[nodiscard]] double nearest(const Eigen::VectorXd& x) const { return whole_[0].interpolator().nearest(x); }
  [[nodiscard]] double largestGap() const { return whole_[0].interpolator().largestGap(); }

 private:
  PoseSpaceModel model_;
  Eigen::MatrixXd products_;
  std::size_t vertices_;
  std::vector<PoseSpaceWeights> whole_;
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

/// Midpoints of all pairs of examples, and random poses between the extremes.
std::vector<Candidate> candidates(const Eigen::MatrixXd& poses) {
  std::vector<Candidate> result;
  for (Index i = 0; i < poses.cols(); ++i) {
    for (Index j = 0; j < i; ++j) result.push_back({0.5 * (poses.col(i) + poses.col(j)), 0});
  }
  Lcg random(1);
  for (int i = 0; i < kRandomCandidates; ++i) result.push_back({inBox(poses, random), 0});
  return result;
}

/// The names of the two examples nearest to a pose.
std::string between(const PoseSpaceModel& model, const Eigen::VectorXd& x) {
  std::vector<std::pair<double, std::size_t>> distances;
  for (std::size_t k = 0; k < model.exampleCount(); ++k) {
    distances.emplace_back((model.poses.col(static_cast<Index>(k)) - x).norm(), k);
  }
  std::sort(distances.begin(), distances.end());
  if (distances.size() < 2) return model.names[distances[0].second];
  return fmt::format("{} and {}", model.names[distances[0].second], model.names[distances[1].second]);
}

void warnOfDuplicates(const PoseSpaceModel& model, double diagonal, std::vector<std::string>& warnings) {
  const PoseSpaceWeights weights(withoutDeltas(model));
  const std::span<const int> groups = weights.interpolator().groups();
  for (std::size_t i = 1; i < groups.size(); ++i) {
    for (std::size_t j = 1; j < i; ++j) {
      if (groups[i] != groups[j]) continue;
      const double apart = model.vertices.empty() ? 0 : (model.deltas[i] - model.deltas[j]).colwise().norm().maxCoeff();
      if (apart > 1e-6 * diagonal) {
        warnings.push_back(
            fmt::format("'{}' and '{}' have the same pose but different sculpts, up to {:.3g} apart: their mean is "
                        "used; keep one of them, or add the joint that distinguishes them to the drivers",
                        model.names[j], model.names[i], apart));
      } else {
        warnings.push_back(
            fmt::format("'{}' and '{}' are the same pose and sculpt: one is enough", model.names[j], model.names[i]));
      }
    }
  }
}

}  // namespace

LeftOutWeights::LeftOutWeights(const PoseSpaceModel& model, const PoseSpaceWeights& weights) : model_(model) {
  groups_.resize(toSize(weights.groupCount()));
  parallelFor(weights.groupCount(), 1, [&](Index g) { groups_[toSize(g)] = weights.weightsWithoutEach(g); });
  refitted_.assign(model.exampleCount(), 0);
  for (const RbfLeftOut& group : groups_) {
    for (const Index k : group.undetermined) refitted_[toSize(k)] = 1;
  }
}

Eigen::MatrixXd LeftOutWeights::at(std::size_t k) const {
  const auto row = static_cast<Index>(k);
  if (refitted_[k] == 0) {
    Eigen::MatrixXd weights(static_cast<Index>(model_.exampleCount()), static_cast<Index>(groups_.size()));
    for (std::size_t g = 0; g < groups_.size(); ++g) weights.col(static_cast<Index>(g)) = groups_[g].weights.row(row);
    return weights;
  }
  PoseSpaceModel all = withoutDeltas(model_);
  all.groupOf = model_.groupOf;
  all.groupWeights = model_.groupWeights;
  all.terms = model_.terms;
  all.shares = model_.shares;
  const PoseSpaceWeights weights(withoutExample(all, k));
  Eigen::MatrixXd others(weights.exampleCount(), weights.groupCount());
  weights.evaluate(model_.poses.col(row), others);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(others.rows() + 1, others.cols());
  result.topRows(row) = others.topRows(row);
  result.bottomRows(others.rows() - row) = others.bottomRows(others.rows() - row);
  return result;
}

double coverageOf(const PoseSpaceModel& model) {
  const PoseSpaceModel bare = withoutDeltas(model);
  const PoseSpaceWeights weights(bare);
  const double reach = 2 * weights.interpolator().largestGap();
  Lcg random(7);
  int covered = 0;
  for (int i = 0; i < kCoverageSamples; ++i) {
    covered += weights.interpolator().nearest(inBox(model.poses, random)) <= reach ? 1 : 0;
  }
  return static_cast<double>(covered) / kCoverageSamples;
}

std::vector<SculptHint> whereToSculpt(const Character& character, const PoseSpaceModel& model, std::size_t most) {
  std::vector<SculptHint> hints;
  if (model.exampleCount() < 3 || model.vertices.empty()) return hints;
  const Jackknife jackknife(model);
  std::vector<Candidate> places = candidates(model.poses);
  for (Candidate& place : places) place.error = jackknife.error(place.x);
  std::stable_sort(places.begin(), places.end(),
                   [](const Candidate& a, const Candidate& b) { return a.error > b.error; });
  const double apart = 0.5 * jackknife.largestGap();
  for (const Candidate& place : places) {
    if (hints.size() == most || place.error <= 0) break;
    const bool near = jackknife.nearest(place.x) < 0.1 * jackknife.largestGap() ||
                      std::any_of(hints.begin(), hints.end(),
                                  [&](const SculptHint& hint) { return (hint.coordinates - place.x).norm() < apart; });
    if (near) continue;
    SculptHint hint{restPose(character), place.x, place.error, between(model, place.x)};
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

std::vector<std::string> findWarnings(const PoseSpaceModel& model, const PoseSpaceReport& report, double diagonal) {
  std::vector<std::string> warnings;
  warnOfDuplicates(model, diagonal, warnings);
  if (report.condition > kBadCondition) {
    warnings.push_back(
        fmt::format("the kernel matrix has the condition {:.1e}: noise of the sculpts is amplified; use "
                    "a smaller --radius, a --ridge of 1e-4, or the cubic kernel",
                    report.condition));
  }
  for (std::size_t k = 1; k < model.exampleCount(); ++k) {
    const bool still = model.deltas[k].size() == 0 ||
                       (model.deltas[k].colwise().norm().maxCoeff() <= 1e-6 * diagonal &&
                        (model.layer.empty() || model.layer[k].colwise().norm().maxCoeff() <= 1e-6 * diagonal));
    if (still) {
      warnings.push_back(
          fmt::format("'{}' equals plain skinning; it keeps the correction at zero there", model.names[k]));
    }
  }
  if (model.vertices.empty()) warnings.emplace_back("no sculpt differs from plain skinning: there is nothing to learn");
  return warnings;
}

}  // namespace sinew::pose_space
