// Gauss-Newton with Levenberg's damping (Levenberg 1944; Marquardt 1963), batched. Per column, with J by forward
// differences at the current x and r = target - y(x):
//   (J^T J + (ridge + damping * trace(J^T J) / 3) I) s = J^T r - ridge (x - start)
// Departures: damping begins at zero, because a well-conditioned column then converges as Newton's method does; it is
// switched on by the first rejected step. A column that rejects keeps its derivatives, so a round in which every column
// rejects costs one call. Columns that have converged stay in the batch unchanged. With `broyden`, derivatives are
// updated after each trial by Broyden's secant formula (1965), and computed again only for columns whose error did not
// fall to a tenth.
#include "sinew/math/batched_newton.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"

namespace sinew {
namespace {

constexpr Index kBatchedNewtonGrain = 512;
constexpr int kMostRejections = 9;
constexpr int kMostSlow = 3;
constexpr double kFirstDamping = 1e-3;
constexpr double kLeastDamping = 1e-7;

/// One column's state between calls.
struct Column {
  double damping = 0;
  int rejections = 0;
  int slow = 0;  // accepted steps in a row that hardly gained
  bool active = true;
  bool stale = false;  // its derivatives are to be taken again
  NewtonStop stop = NewtonStop::OutOfCalls;
};

class BatchedNewton {
 public:
  BatchedNewton(const BatchedFunction& function, const Points& start, const Points& startValue, const Points& target,
                const Eigen::VectorXd& ridge, std::vector<Mat3> jacobians, const NewtonOptions& options)
      : function_(function),
        start_(start),
        target_(target),
        ridge_(ridge),
        options_(options),
        columns_(toSize(start.cols())) {
    result_.x = start;
    result_.y = startValue;
    result_.jacobians = std::move(jacobians);
  }

  NewtonResult run(const Progress& progress) {
    const Index count = start_.cols();
    for (Index i = 0; i < count; ++i) finishIfReached(i);
    bool haveJacobians = !result_.jacobians.empty();
    if (!haveJacobians) result_.jacobians.assign(columns_.size(), Mat3::Zero());
    while (anyActive()) {
      const int cost = haveJacobians ? 1 : 4;
      if (result_.calls + cost > options_.maxCalls) break;
      report(progress, {options_.firstFraction + options_.progressStride * result_.calls / options_.maxCalls,
                        "inverting", worst()});
      if (!haveJacobians) takeJacobians();
      trySteps();
      ++result_.iterations;
      haveJacobians =
          std::none_of(columns_.begin(), columns_.end(), [](const Column& c) { return c.active && c.stale; });
    }
    for (const Column& column : columns_) result_.stop.push_back(column.stop);
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool anyActive() const {
    return std::any_of(columns_.begin(), columns_.end(), [](const Column& c) { return c.active; });
  }
  [[nodiscard]] double distance(Index i) const { return (target_.col(i) - result_.y.col(i)).norm(); }
  [[nodiscard]] double worst() const {
    double most = 0;
    for (Index i = 0; i < start_.cols(); ++i) {
      if (columns_[toSize(i)].active) most = std::max(most, distance(i));
    }
    return most;
  }

  void finish(Index i, NewtonStop stop) {
    Column& column = columns_[toSize(i)];
    column.active = false;
    column.stop = stop;
  }
  void finishIfReached(Index i) {
    if (ridge_[i] == 0 && distance(i) <= options_.tolerance) finish(i, NewtonStop::Reached);
  }

  void takeJacobians() {
    const std::vector<Mat3> taken = differenceJacobians(function_, result_.x, result_.y, options_.difference);
    result_.calls += 3;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].active) continue;
      result_.jacobians[i] = taken[i];
      columns_[i].stale = false;
    }
  }

  /// The damped step of a column.
  [[nodiscard]] Vec3 step(Index i) const {
    const auto at = toSize(i);
    const Mat3& j = result_.jacobians[at];
    const Vec3 r = target_.col(i) - result_.y.col(i);
    const Mat3 square = j.transpose() * j;
    const double damping = columns_[at].damping * square.trace() / 3;
    // Without ridge and damping the square system itself is solved: its condition is the root of the normal one's.
    if (ridge_[i] == 0 && damping == 0) return j.fullPivLu().solve(r);
    const Vec3 slope = j.transpose() * r - ridge_[i] * (result_.x.col(i) - start_.col(i));
    return (square + (ridge_[i] + damping) * Mat3::Identity()).ldlt().solve(slope);
  }

  [[nodiscard]] double objective(Index i, const Vec3& x, const Vec3& y) const {
    return (target_.col(i) - y).squaredNorm() + ridge_[i] * (x - start_.col(i)).squaredNorm();
  }

  void trySteps() {
    Points trial = result_.x;
    parallelFor(start_.cols(), kBatchedNewtonGrain, [&](Index i) {
      if (!columns_[toSize(i)].active) return;
      const Vec3 s = step(i);
      if (s.allFinite()) trial.col(i) += s;
    });
    Points moved;
    function_(trial, moved);
    ++result_.calls;
    parallelFor(start_.cols(), kBatchedNewtonGrain, [&](Index i) {
      if (columns_[toSize(i)].active) judge(i, trial.col(i), moved.col(i));
    });
  }

  /// Accepts or rejects the trial of a column, and decides whether it has converged.
  void judge(Index i, const Vec3& x, const Vec3& y) {
    Column& column = columns_[toSize(i)];
    const Vec3 s = x - result_.x.col(i);
    const Vec3 before = result_.y.col(i);
    const double old = objective(i, result_.x.col(i), before);
    const double now = y.allFinite() ? objective(i, x, y) : std::numeric_limits<double>::infinity();
    const bool settles = s.norm() <= options_.leastStep;
    if (options_.broyden && y.allFinite() && s.squaredNorm() > 0) {
      Mat3& j = result_.jacobians[toSize(i)];
      j += (y - before - j * s) * s.transpose() / s.squaredNorm();
    }
    if (now < old) {
      result_.x.col(i) = x;
      result_.y.col(i) = y;
      column.rejections = 0;
      column.damping = column.damping > kLeastDamping ? column.damping / 10 : 0;
      column.stale = !options_.broyden || now > 0.01 * old;
      column.slow = old - now < (ridge_[i] > 0 ? 1e-6 : 1e-3) * old ? column.slow + 1 : 0;
      finishIfReached(i);
      if (!column.active) return;
      if (column.slow >= kMostSlow || (ridge_[i] > 0 && settles)) finish(i, NewtonStop::Settled);
      return;
    }
    const bool isRounding = ridge_[i] == 0 && distance(i) <= 32 * options_.noise;
    if (isRounding) {
      finish(i, NewtonStop::Reached);
    } else if (settles || ++column.rejections > kMostRejections) {
      finish(i, NewtonStop::Settled);
    } else {
      column.damping = std::max(kFirstDamping, 10 * column.damping);
      column.stale = options_.broyden && column.rejections == 1;
    }
  }

  const BatchedFunction& function_;
  const Points& start_;
  const Points& target_;
  const Eigen::VectorXd& ridge_;
  const NewtonOptions& options_;
  std::vector<Column> columns_;
  NewtonResult result_;
};

}  // namespace

std::vector<Mat3> differenceJacobians(const BatchedFunction& function, const Points& x, const Points& y,
                                      double difference) {
  std::vector<Mat3> jacobians(toSize(x.cols()), Mat3::Zero());
  Points trial = x;
  Points moved;
  for (int axis = 0; axis < 3; ++axis) {
    trial = x;
    trial.row(axis).array() += difference;
    function(trial, moved);
    parallelFor(x.cols(), kBatchedNewtonGrain, [&](Index i) {
      // The step as it was rounded.
      const Vec3 column = (moved.col(i) - y.col(i)) / (trial(axis, i) - x(axis, i));
      if (column.allFinite()) jacobians[toSize(i)].col(axis) = column;
    });
  }
  return jacobians;
}

NewtonResult solveNewton(const BatchedFunction& function, const Points& start, const Points& startValue,
                         const Points& target, const Eigen::VectorXd& ridge, std::vector<Mat3> jacobians,
                         const NewtonOptions& options, const Progress& progress) {
  constexpr const char* kWhere = "newton";
  SINEW_CHECK(startValue.cols() == start.cols() && target.cols() == start.cols() && ridge.size() == start.cols(),
              kWhere,
              fmt::format("{} problems start, but there are {} values, {} targets and {} ridges", start.cols(),
                          startValue.cols(), target.cols(), ridge.size()));
  SINEW_CHECK(jacobians.empty() || static_cast<Index>(jacobians.size()) == start.cols(), kWhere,
              fmt::format("{} derivatives were given for {} problems", jacobians.size(), start.cols()));
  SINEW_CHECK(options.difference > 0, kWhere,
              fmt::format("the difference is {}; it must be above 0", options.difference));
  checkFinite(start, kWhere, "the start");
  checkFinite(startValue, kWhere, "the function at the start");
  checkFinite(target, kWhere, "the target");
  return BatchedNewton(function, start, startValue, target, ridge, std::move(jacobians), options).run(progress);
}

}  // namespace sinew
