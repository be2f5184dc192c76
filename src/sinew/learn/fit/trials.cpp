// A Gram matrix is a sum over examples, so leaving some out is a subtraction:
//   Q_-k = Q - Q_k,   min over w in the simplex of  w^T Q_-k w + mu |w - w0|^2.
#include "sinew/learn/fit/trials.h"

#include <algorithm>

#include "sinew/learn/fit/weights_columns.h"

namespace sinew::fit {
namespace {

constexpr double kTrialsLeastWeight = 1e-9;

}  // namespace

Folds::Folds(const FitProblem& problem, std::size_t examples, int most) : ofExample(problem.exampleCount(), -1) {
  int counted = 0;
  for (std::size_t e = 0; e < examples; ++e) counted += problem.confidence[e] > 0 ? 1 : 0;
  count = std::min(counted, most);
  int at = 0;
  for (std::size_t e = 0; e < examples; ++e) {
    if (problem.confidence[e] > 0) ofExample[e] = at++ % count;
  }
}

PointTrials::PointTrials(const FitProblem& problem, const WeightOptions& options, const Folds& folds)
    : problem_(problem),
      options_(options),
      folds_(folds),
      lockedBinding_(problem.worldFromRest.front().size(), 0),
      lockedPoint_(toSize(problem.pointCount()), 0),
      perFold_(toSize(folds.count)) {
  for (const std::uint32_t b : options.lockedBindings) lockedBinding_[b] = 1;
  for (const std::uint32_t v : options.lockedVertices) {
    if (problem.pointOfVertex[v] != kNotFitted) lockedPoint_[problem.pointOfVertex[v]] = 1;
  }
}

bool PointTrials::open(Index point, std::span<const std::uint32_t> bindings) {
  point_ = point;
  const double factors = factorSum(problem_, point);
  if (lockedPoint_[toSize(point)] != 0 || factors == 0 || bindings.empty()) return false;
  unit_ = 3 * factors * problem_.diagonal * problem_.diagonal;
  bindings_.assign(bindings.begin(), bindings.end());
  own_ = byPlace(problem_.prior[toSize(point)]);
  fixed_.assign(bindings_.size(), 0);
  free_ = 1;
  most_ = options_.maxInfluences;
  bool any = false;
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    fixed_[i] = lockedBinding_[bindings_[i]];
    any = any || fixed_[i] == 0;
    if (fixed_[i] == 0 || !(own_[static_cast<Index>(i)] > 0)) continue;
    free_ -= own_[static_cast<Index>(i)];
    --most_;
  }
  if (!any || most_ <= 0 || free_ < kTrialsLeastWeight) return false;
  displacements(problem_, point, bindings_, nullptr, columns_);
  total_.setZero(columns_.cols(), columns_.cols());
  for (std::size_t e = 0; e < folds_.ofExample.size(); ++e) {
    if (folds_.ofExample[e] >= 0) continue;
    const auto rows = columns_.middleRows<3>(3 * static_cast<Index>(e));
    total_.noalias() += rows.transpose() * rows;
  }
  for (int k = 0; k < folds_.count; ++k) {
    Eigen::MatrixXd& part = perFold_[toSize(k)];
    part.setZero(columns_.cols(), columns_.cols());
    for (std::size_t e = 0; e < folds_.ofExample.size(); ++e) {
      if (folds_.ofExample[e] != k) continue;
      const auto rows = columns_.middleRows<3>(3 * static_cast<Index>(e));
      part.noalias() += rows.transpose() * rows;
    }
    total_ += part;
  }
  return true;
}

void PointTrials::fit(int leftOut, const Eigen::Ref<const Eigen::VectorXd>& target, double mu,
                      std::span<const char> allowed, Eigen::VectorXd& w) {
  used_.clear();
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (fixed_[i] == 0 && (allowed.empty() || allowed[i] != 0)) used_.push_back(static_cast<int>(i));
  }
  const auto entry = [&](int i, int j) {
    return total_(i, j) - (leftOut >= 0 ? perFold_[toSize(leftOut)](i, j) : 0.0);
  };
  const auto solve = [&] {
    const auto n = static_cast<Index>(used_.size());
    gram_.resize(n, n);
    linear_.resize(n);
    weights_.resize(n);
    for (Index a = 0; a < n; ++a) {
      const int i = used_[toSize(a)];
      for (Index b = 0; b <= a; ++b) {
        gram_(a, b) = entry(i, used_[toSize(b)]);
        gram_(b, a) = gram_(a, b);
      }
      gram_(a, a) += mu;
      linear_[a] = -mu * target[i];
      for (std::size_t k = 0; k < bindings_.size(); ++k) {
        if (fixed_[k] != 0 && own_[static_cast<Index>(k)] > 0)
          linear_[a] += own_[static_cast<Index>(k)] * entry(i, static_cast<int>(k));
      }
      weights_[a] = w[i];
    }
    solveSimplex(gram_, linear_, free_, {.tolerance = 1e-13, .refinements = 0}, scratch_, weights_, true);
    w = own_;
    for (std::size_t i = 0; i < bindings_.size(); ++i) {
      if (fixed_[i] == 0) w[static_cast<Index>(i)] = 0;
    }
    for (Index a = 0; a < n; ++a) w[used_[toSize(a)]] = weights_[a];
  };
  solve();
  std::erase_if(used_, [&](int i) { return !(w[i] > 0); });
  if (used_.size() <= toSize(most_)) return;
  std::stable_sort(used_.begin(), used_.end(), [&](int a, int b) { return w[a] > w[b]; });
  used_.resize(toSize(most_));
  std::sort(used_.begin(), used_.end());
  solve();
}

double PointTrials::error(std::size_t example, const Eigen::Ref<const Eigen::VectorXd>& w) const {
  return (columns_.middleRows<3>(3 * static_cast<Index>(example)) * w).squaredNorm();
}

double PointTrials::foldError(int fold, const Eigen::Ref<const Eigen::VectorXd>& w) const {
  double sum = 0;
  for (std::size_t e = 0; e < folds_.ofExample.size(); ++e) {
    if (folds_.ofExample[e] == fold) sum += error(e, w);
  }
  return sum;
}

Eigen::VectorXd PointTrials::byPlace(const std::vector<Influence>& column) const {
  Eigen::VectorXd w = Eigen::VectorXd::Zero(static_cast<Index>(bindings_.size()));
  for (const Influence& influence : column) {
    const auto found = std::lower_bound(bindings_.begin(), bindings_.end(), influence.binding);
    if (found != bindings_.end() && *found == influence.binding) w[found - bindings_.begin()] += influence.weight;
  }
  return w;
}

std::vector<Influence> PointTrials::column(const Eigen::Ref<const Eigen::VectorXd>& w) const {
  std::vector<Influence> result;
  for (Index i = 0; i < w.size(); ++i) {
    if (w[i] >= kTrialsLeastWeight) result.push_back({bindings_[toSize(i)], w[i]});
  }
  return result;
}

double PointTrials::spread(std::span<const char> marked) const {
  double sum = 0;
  double count = 0;
  const Eigen::VectorXd mean = columns_ * own_;
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (marked[i] == 0) continue;
    sum += (columns_.col(static_cast<Index>(i)) - mean).squaredNorm();
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace sinew::fit
