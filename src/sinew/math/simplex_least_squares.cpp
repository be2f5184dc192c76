// min w^T Q w + 2 c^T w over w >= 0, sum w = total: the nearest point of a convex hull (Wolfe 1976; Lawson and Hanson's
// non-negative least squares is the same idea with a penalised sum).
// Active set on half the gradient g = Q w + c and nu = g.w / total. Optimal: g_i = nu where w_i > 0, g_i >= nu
// elsewhere.
//   1. add the index with the most negative g_i - nu;
//   2. minimise on the support S, sum kept; if a weight would fall to 0, stop there, drop it, and repeat.
// Departures from the textbook: step 2 solves for the step from the current weights, not for the weights. With one
// column b of the support eliminated (the step of w_b is minus the sum of the others) the matrix is
//   H_jk = Q_jk - Q_jb - Q_bk + Q_bb,   H z = -(g_j - g_b),
// the Gram matrix of differences of columns: it is singular only where columns coincide, also where the hull holds the
// target itself and Q is singular. Along coincident columns the right-hand side is 0 and nothing moves, so a start at
// known weights keeps them.
#include "sinew/math/simplex_least_squares.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/math/decompositions.h"

namespace sinew {
namespace {

constexpr const char* kSimplexLeastSquaresWhere = "weights by least squares";
/// Added to the diagonal of the scaled, reduced system: far below the data, above rounding.
constexpr double kRidge = 1e-14;
/// Pivots below this are rounding: the unknown stays where it is.
constexpr double kSimplexLeastSquaresLeastPivot = 2e-15;
constexpr double kTiny = 1e-290;

class ActiveSet {
 public:
  ActiveSet(const Eigen::Ref<const Eigen::MatrixXd>& Q, const Eigen::Ref<const Eigen::VectorXd>& c, double total,
            const SimplexOptions& options, SimplexScratch& scratch, Eigen::Ref<Eigen::VectorXd> w)
      : Q_(Q), c_(c), total_(total), options_(options), scratch_(scratch), w_(w), n_(Q.rows()) {
    scratch_.support.clear();
    scratch_.refused.assign(toSize(n_), 0);
    if (scratch_.gradient.size() < n_) {
      scratch_.gradient.resize(n_);
      scratch_.step.resize(n_);
      scratch_.reduced.resize(n_, n_);
    }
    double mean = 0;
    for (Index i = 0; i < n_; ++i) mean += Q_(i, i) / static_cast<double>(n_);
    double pull = 0;
    for (Index i = 0; i < c_.size(); ++i) pull = std::max(pull, std::abs(c_[i]));
    // Without curvature, the linear term sets the scale.
    inverse_ = 1 / std::max(mean > kTiny ? mean : pull / total_, kTiny);
  }

  SimplexReport run(bool warm) {
    start(warm);
    const int most = options_.mostSteps > 0 ? options_.mostSteps : 10 * static_cast<int>(n_) + 20;
    int added = -1;
    while (report_.steps < most) {
      ++report_.steps;
      updateGradient();
      if (!minimiseOnSupport(added)) continue;
      updateGradient();
      added = mostNegative();
      if (added < 0) break;
      scratch_.support.push_back(added);
    }
    report_.converged = added < 0;
    finish();
    return report_;
  }

 private:
  void start(bool warm) {
    if (warm) {
      double sum = 0;
      for (Index i = 0; i < n_; ++i) {
        if (!(w_[i] > 0)) w_[i] = 0;
        sum += w_[i];
      }
      if (sum > 0 && std::isfinite(sum)) {
        w_ *= total_ / sum;
        collect();
        return;
      }
    }
    Index best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < n_; ++i) {
      const double value = total_ * (Q_(i, i) * inverse_) + 2 * pull(i);
      if (value < least) {
        least = value;
        best = i;
      }
    }
    w_.setZero();
    w_[best] = total_;
    collect();
  }

  [[nodiscard]] double pull(Index i) const { return c_.size() > 0 ? c_[i] * inverse_ : 0; }

  void collect() {
    scratch_.support.clear();
    for (Index i = 0; i < n_; ++i) {
      if (w_[i] > 0) scratch_.support.push_back(static_cast<int>(i));
    }
  }

  void updateGradient() {
    auto g = scratch_.gradient.head(n_);
    for (Index i = 0; i < n_; ++i) g[i] = pull(i);
    for (const int j : scratch_.support) g.noalias() += (w_[j] * inverse_) * Q_.col(j);
    nu_ = 0;
    for (const int j : scratch_.support) nu_ += g[j] * w_[j];
    nu_ /= total_;
  }

  /// One step to the minimum on the support. True if it was a full step, false if it reached a boundary.
  bool minimiseOnSupport(int added) {
    std::vector<int>& support = scratch_.support;
    if (support.size() < 2) return true;
    // The heaviest column is eliminated; it comes last.
    const auto heaviest = std::max_element(support.begin(), support.end(), [&](int a, int b) { return w_[a] < w_[b]; });
    std::iter_swap(heaviest, support.end() - 1);
    const auto m = static_cast<Index>(support.size()) - 1;
    const int base = support.back();
    solveReduced(m, base);
    auto step = scratch_.step.head(m + 1);
    step[m] = -step.head(m).sum();
    double share = 1;
    for (Index j = 0; j <= m; ++j) {
      const double weight = w_[support[toSize(j)]];
      if (step[j] < 0 && weight + share * step[j] < 0) share = weight / -step[j];
    }
    for (Index j = 0; j <= m; ++j) {
      double& weight = w_[support[toSize(j)]];
      weight = std::max(0.0, weight + share * step[j]);
      // Rounding may leave a trace of the weight that reached the boundary.
      if (share < 1 && weight <= 1e-15 * total_ && step[j] < 0) weight = 0;
    }
    if (added >= 0) {
      // An index that cannot rise is not tried again until something else moves: rounding could cause cycles.
      auto& refused = scratch_.refused;
      if (w_[added] > 0) std::fill(refused.begin(), refused.end(), 0);
      if (!(w_[added] > 0)) refused[toSize(added)] = 1;
    }
    collect();
    return !(share < 1);
  }

  /// LDL^T of H + ridge in plain loops: the systems are small.
  void solveReduced(Index m, int base) {
    const std::vector<int>& support = scratch_.support;
    Eigen::MatrixXd& H = scratch_.reduced;
    Eigen::VectorXd& z = scratch_.step;
    const auto q = [this](int i, int j) { return Q_(i, j) * inverse_; };
    const double corner = q(base, base);
    for (Index j = 0; j < m; ++j) {
      const int sj = support[toSize(j)];
      const double side = corner - q(sj, base);
      for (Index k = 0; k <= j; ++k) {
        const int sk = support[toSize(k)];
        H(j, k) = q(sj, sk) - q(sk, base) + side;
      }
      H(j, j) += kRidge;
      z[j] = scratch_.gradient[base] - scratch_.gradient[sj];
    }
    for (Index j = 0; j < m; ++j) {
      double pivot = H(j, j);
      for (Index k = 0; k < j; ++k) pivot -= H(j, k) * H(j, k) * H(k, k);
      const bool dependent = !(pivot > kSimplexLeastSquaresLeastPivot);
      H(j, j) = dependent ? 1 : pivot;
      if (dependent) {
        H.row(j).head(j).setZero();
        H.col(j).segment(j + 1, m - j - 1).setZero();
        z[j] = 0;
        continue;
      }
      for (Index i = j + 1; i < m; ++i) {
        double entry = H(i, j);
        for (Index k = 0; k < j; ++k) entry -= H(i, k) * H(j, k) * H(k, k);
        H(i, j) = entry / pivot;
      }
    }
    for (Index j = 0; j < m; ++j) {
      for (Index k = 0; k < j; ++k) z[j] -= H(j, k) * z[k];
    }
    for (Index j = 0; j < m; ++j) z[j] /= H(j, j);
    for (Index j = m - 1; j >= 0; --j) {
      for (Index k = j + 1; k < m; ++k) z[j] -= H(k, j) * z[k];
    }
  }

  /// The index outside the support that lowers the value fastest, or -1 if none does.
  int mostNegative() {
    int best = -1;
    double least = -options_.tolerance;
    report_.worst = 0;
    for (Index i = 0; i < n_; ++i) {
      if (w_[i] > 0) continue;
      const double value = scratch_.gradient[i] - nu_;
      report_.worst = std::min(report_.worst, value);
      if (value < least && scratch_.refused[toSize(i)] == 0) {
        least = value;
        best = static_cast<int>(i);
      }
    }
    return best;
  }

  /// More steps on the final support, then the sum is made exact.
  void finish() {
    for (int i = 0; i < options_.refinements && scratch_.support.size() > 1; ++i) {
      updateGradient();
      minimiseOnSupport(-1);
    }
    const double sum = w_.sum();
    w_ *= total_ / sum;
    w_ = w_.cwiseMin(total_);
  }

  const Eigen::Ref<const Eigen::MatrixXd>& Q_;
  const Eigen::Ref<const Eigen::VectorXd>& c_;
  double total_;
  const SimplexOptions& options_;
  SimplexScratch& scratch_;
  Eigen::Ref<Eigen::VectorXd> w_;
  Index n_;
  double inverse_ = 1;  // of the mean diagonal
  double nu_ = 0;
  SimplexReport report_;
};

}  // namespace

SimplexReport solveSimplex(const Eigen::Ref<const Eigen::MatrixXd>& Q, const Eigen::Ref<const Eigen::VectorXd>& c,
                           double total, const SimplexOptions& options, SimplexScratch& scratch,
                           Eigen::Ref<Eigen::VectorXd> w, bool warm) {
  const Index n = Q.rows();
  SINEW_CHECK(n > 0 && Q.cols() == n && w.size() == n && (c.size() == 0 || c.size() == n), kSimplexLeastSquaresWhere,
              fmt::format("the sizes do not match: a {} x {} matrix, a linear term of {} and {} weights", Q.rows(),
                          Q.cols(), c.size(), w.size()));
  SINEW_CHECK(Q.allFinite() && c.allFinite(), kSimplexLeastSquaresWhere,
              "the problem has a value that is not a finite number");
  SINEW_CHECK(std::isfinite(total) && total >= 0, kSimplexLeastSquaresWhere,
              fmt::format("the sum of the weights is {}; it must be 0 or more", total));
  if (total < kTiny) {
    w.setZero();
    return {};
  }
  return ActiveSet(Q, c, total, options, scratch, w).run(warm);
}

SimplexReport solveSimplexCapped(const Eigen::Ref<const Eigen::MatrixXd>& Q, const Eigen::Ref<const Eigen::VectorXd>& c,
                                 double total, int most, const SimplexOptions& options, SimplexScratch& scratch,
                                 Eigen::Ref<Eigen::VectorXd> w) {
  SINEW_CHECK(most > 0, kSimplexLeastSquaresWhere,
              fmt::format("the maximum number of weights is {}; it must be 1 or more", most));
  SimplexReport report = solveSimplex(Q, c, total, options, scratch, w);
  std::vector<int>& kept = scratch.kept;
  kept.clear();
  for (Index i = 0; i < w.size(); ++i) {
    if (w[i] > 0) kept.push_back(static_cast<int>(i));
  }
  if (static_cast<int>(kept.size()) <= most) return report;
  std::stable_sort(kept.begin(), kept.end(), [&](int a, int b) { return w[a] > w[b]; });
  kept.resize(toSize(most));
  std::sort(kept.begin(), kept.end());

  scratch.keptQ.resize(most, most);
  scratch.keptC.resize(c.size() > 0 ? most : 0);
  scratch.keptW.resize(most);
  for (Index i = 0; i < most; ++i) {
    const int from = kept[toSize(i)];
    for (Index j = 0; j < most; ++j) scratch.keptQ(i, j) = Q(from, kept[toSize(j)]);
    if (c.size() > 0) scratch.keptC[i] = c[from];
    scratch.keptW[i] = w[from];
  }
  const SimplexReport again = solveSimplex(scratch.keptQ, scratch.keptC, total, options, scratch, scratch.keptW, true);
  report.steps += again.steps;
  report.converged = report.converged && again.converged;
  report.worst = again.worst;
  w.setZero();
  for (Index i = 0; i < most; ++i) w[kept[toSize(i)]] = scratch.keptW[i];
  return report;
}

Eigen::VectorXd affineLeastSquares(const Eigen::Ref<const Eigen::MatrixXd>& A,
                                   const Eigen::Ref<const Eigen::VectorXd>& b, double cutOff, int base) {
  const Index n = A.cols();
  SINEW_CHECK(n > 0 && A.rows() == b.size() && base >= 0 && base < n, kSimplexLeastSquaresWhere,
              fmt::format("the sizes do not match: a {} x {} matrix, {} equations and base column {}", A.rows(), n,
                          b.size(), base));
  SINEW_CHECK(A.allFinite() && b.allFinite(), kSimplexLeastSquaresWhere,
              "the problem has a value that is not a finite number");
  SINEW_CHECK(std::isfinite(cutOff) && cutOff >= 0, kSimplexLeastSquaresWhere,
              fmt::format("the cut-off is {}; it must be 0 or more", cutOff));
  Eigen::VectorXd w = Eigen::VectorXd::Zero(n);
  w[base] = 1;
  if (n == 1 || A.rows() == 0) return w;
  Eigen::MatrixXd differences(A.rows(), n - 1);
  for (Index j = 0, to = 0; j < n; ++j) {
    if (j != base) differences.col(to++) = A.col(j) - A.col(base);
  }
  const ThinSvd found = thinSvd(differences);
  Eigen::VectorXd parts = found.u.transpose() * (b - A.col(base));
  for (Index k = 0; k < parts.size(); ++k) {
    const double value = found.values[k];
    parts[k] = value > cutOff && value > 0 ? parts[k] / value : 0;
  }
  const Eigen::VectorXd others = found.v * parts;
  for (Index j = 0, from = 0; j < n; ++j) {
    if (j != base) w[j] = others[from++];
  }
  w[base] = 1 - others.sum();
  return w;
}

}  // namespace sinew
