// Operators in which a vertex moves its neighbours (smoothing after the skin): F acts on the whole mesh, and J_i, the
// batched difference at vertex i, is the sum of row i of its Jacobian. That sum is exact for displacements that
// neighbours share, so
//   d += p(d),   p_i = (J_i^T J_i + mu_i)^-1 (J_i^T (t - F(v + d))_i - mu_i d_i)
// is the exact step for smooth parts of a correction and too short for rough ones. Anderson mixing (Anderson 1965;
// Walker and Ni 2011, "Anderson acceleration for fixed-point iterations") corrects that: with the last m changes dD and
// dP of d and p,
//   g = argmin |p - dP g|,   d <- d + p - (dD + dP) g,
// which for a linear operator is GMRES, at one call per iteration and without differences of its own.
#include <algorithm>
#include <cmath>
#include <deque>

#include "sinew/base/parallel.h"
#include "sinew/learn/invert/methods.h"
#include "sinew/math/decompositions.h"

namespace sinew::invert {
namespace {

constexpr std::size_t kHistory = 30;
constexpr double kNearlyReached = 10;  // tolerances: rough parts that the operator nearly erases come back slowly
constexpr int kPatience = 40;          // iterations without a gain of a tenth

using Flat = Eigen::Map<const Eigen::VectorXd>;

class FixedPoint {
 public:
  explicit FixedPoint(const Task& task) : task_(task), inverse_(task.jacobians.size()) {
    parallelFor(task.rest.cols(), 512, [&](Index v) {
      const auto i = toSize(v);
      const Mat3& j = task_.jacobians[i];
      inverse_[i] = (j.transpose() * j + task_.conditioning.ridge[v] * Mat3::Identity()).inverse();
    });
  }

  Solved run() {
    const Index count = task_.rest.cols();
    Solved solved;
    solved.remains.assign(toSize(count), false);
    Points d = Points::Zero(3, count);
    Points moved = task_.moved;
    solved.deltas = d;
    double best = std::numeric_limits<double>::infinity();
    double gained = best;  // the level from which patience counts
    int waited = 0;
    while (true) {
      const Points p = steps(d, moved);
      const double worst = worstOf(moved, p);
      if (worst < best) {
        best = worst;
        solved.deltas = d;
      }
      waited = worst < 0.9 * gained ? 0 : waited + 1;
      gained = std::min(gained, worst);
      if (best <= task_.tolerance) break;
      if (waited > kPatience || !std::isfinite(worst)) {
        solved.stalled = best > kNearlyReached * task_.tolerance;
        break;
      }
      solved.outOfCalls = task_.box.calls() + 1 >= task_.options.maxCalls;
      if (solved.outOfCalls) break;
      report(task_.progress, {0.1 + 0.8 * task_.box.calls() / task_.options.maxCalls, "inverting as a whole", worst});
      d = mixed(d, p);
      task_.box(task_.rest + d, moved);
      ++solved.iterations;
    }
    for (Index v = 0; v < count; ++v) solved.remains[toSize(v)] = task_.conditioning.ridge[v] > 0;
    return solved;
  }

 private:
  [[nodiscard]] Points steps(const Points& d, const Points& moved) const {
    Points p(3, d.cols());
    parallelFor(d.cols(), 512, [&](Index v) {
      const auto i = toSize(v);
      const Vec3 slope = task_.jacobians[i].transpose() * (task_.target.col(v) - moved.col(v)) -
                         task_.conditioning.ridge[v] * d.col(v);
      p.col(v) = inverse_[i] * slope;
    });
    return p;
  }

  /// How far the worst vertex is: from the sculpt, or, where mu keeps it away, from its own rest.
  [[nodiscard]] double worstOf(const Points& moved, const Points& p) const {
    double worst = 0;
    for (Index v = 0; v < moved.cols(); ++v) {
      const double off =
          task_.conditioning.ridge[v] > 0 ? 1e-3 * p.col(v).norm() : (task_.target.col(v) - moved.col(v)).norm();
      if (!(off <= worst)) worst = off;
    }
    return worst;
  }

  [[nodiscard]] Points mixed(const Points& d, const Points& p) {
    if (lastD_.cols() > 0) {
      changesD_.push_back(d - lastD_);
      changesP_.push_back(p - lastP_);
      if (changesD_.size() > kHistory) {
        changesD_.pop_front();
        changesP_.pop_front();
      }
    }
    lastD_ = d;
    lastP_ = p;
    Points next = d + p;
    const auto depth = static_cast<Index>(changesP_.size());
    if (depth == 0) return next;
    // Columns are scaled to length 1: they shrink by orders of magnitude as the iteration converges.
    Eigen::MatrixXd changes(p.size(), depth);
    Eigen::VectorXd lengths(depth);
    for (Index k = 0; k < depth; ++k) {
      const Points& change = changesP_[toSize(k)];
      lengths[k] = std::max(change.norm(), 1e-300);
      changes.col(k) = Flat(change.data(), change.size()) / lengths[k];
    }
    const Eigen::VectorXd g = leastSquares(changes, Flat(p.data(), p.size()), 1e-10).cwiseQuotient(lengths);
    for (Index k = 0; k < depth; ++k) {
      const auto i = toSize(k);
      next -= g[k] * (changesD_[i] + changesP_[i]);
    }
    return next;
  }

  const Task& task_;
  std::vector<Mat3> inverse_;
  std::deque<Points> changesD_;
  std::deque<Points> changesP_;
  Points lastD_{3, 0};
  Points lastP_{3, 0};
};

}  // namespace

Solved solveByFixedPoint(const Task& task) {
  return FixedPoint(task).run();
}

}  // namespace sinew::invert
