// Powell's direction sets (Powell 1964; Press et al., Numerical Recipes, section 10.5), used as Xian, Seah, Tian, Lewis
// and Fong (2006), section 5.1, do to invert a skin of which only values are known:
//   minimise f(x) along each direction of a set in turn; then along the way of the whole cycle, p_n - p_0, which takes
//   the place of the direction of the largest decrease where
//   2 (f_0 - 2 f_n + f_E) (f_0 - f_n - D)^2 < D (f_0 - f_E)^2,  f_E = f(2 p_n - p_0),  D the largest decrease.
// Departures: problems run in lock step, each as a state machine that yields its next trial, because one call of the
// function evaluates all of them. The absolute stop `enough` counts at every evaluation: least values are 0 here, and a
// relative stop alone doubles the work. First steps shrink with the length of the last cycle. A problem is given up
// after three cycles in a row that gain too little, each with the axes for directions and a tenth of the step.
#include "sinew/math/powell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/math/line_search.h"

namespace sinew {
namespace {

constexpr Index kPowellGrain = 256;
constexpr double kStepOfLastCycle = 0.3;
constexpr int kMostBarren = 2;

/// One problem between two evaluations.
class Problem {
 public:
  void begin(const Eigen::VectorXd& start, double value, double step, const PowellOptions& options) {
    options_ = &options;
    largestStep_ = step;
    x_ = start;
    f_ = value;
    step_ = step;
    if (f_ <= options.enough) {
      finish(PowellStop::Enough);
      return;
    }
    directions_ = Eigen::MatrixXd::Identity(x_.size(), x_.size());
    beginCycle();
  }

  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] PowellStop stop() const { return stop_; }
  [[nodiscard]] int evaluations() const { return evaluations_; }
  [[nodiscard]] int cycles() const { return cycles_; }
  [[nodiscard]] double value() const { return f_; }
  [[nodiscard]] const Eigen::VectorXd& x() const { return x_; }

  /// The next point to evaluate; where the problem is done, its best point.
  [[nodiscard]] Eigen::VectorXd trial() const {
    if (!active_) return x_;
    if (phase_ == Phase::Extrapolate) return 2 * x_ - first_;
    return x_ + line_.trial() * direction_;
  }

  void feed(double value) {
    if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
    ++evaluations_;
    if (value <= options_->enough) {
      x_ = trial();
      f_ = value;
      finish(PowellStop::Enough);
    } else if (phase_ == Phase::Extrapolate) {
      extrapolated(value);
    } else if (line_.feed(value)) {
      lineDone();
    }
  }

 private:
  enum class Phase : std::uint8_t { Directions, Extrapolate, NewDirection };

  void finish(PowellStop stop) {
    active_ = false;
    stop_ = stop;
  }

  void beginCycle() {
    first_ = x_;
    firstValue_ = f_;
    largest_ = 0;
    largestAt_ = 0;
    at_ = 0;
    phase_ = Phase::Directions;
    beginLine(directions_.col(0));
  }

  void beginLine(const Eigen::VectorXd& direction) {
    direction_ = direction;
    line_.start(options_->lineSearch, f_, step_);
  }

  void lineDone() {
    const double decrease = f_ - line_.bestValue();
    x_ += line_.best() * direction_;
    f_ = line_.bestValue();
    if (phase_ == Phase::NewDirection) {
      endCycle();
      return;
    }
    if (decrease > largest_) {
      largest_ = decrease;
      largestAt_ = at_;
    }
    if (++at_ < directions_.cols()) {
      beginLine(directions_.col(at_));
    } else if ((x_ - first_).squaredNorm() > 0) {
      phase_ = Phase::Extrapolate;
    } else {
      endCycle();
    }
  }

  /// Decides whether the displacement of the cycle becomes a direction.
  void extrapolated(double value) {
    const double a = firstValue_ - f_ - largest_;
    const double b = firstValue_ - value;
    const bool takes =
        value < firstValue_ && 2 * (firstValue_ - 2 * f_ + value) * a * a < largest_ * b * b && x_ != first_;
    const Eigen::VectorXd way = x_ - first_;
    if (value < f_) {
      x_ += way;
      f_ = value;
    }
    if (!takes) {
      endCycle();
      return;
    }
    const Index last = directions_.cols() - 1;
    directions_.col(largestAt_) = directions_.col(last);
    directions_.col(last) = way.normalized();
    phase_ = Phase::NewDirection;
    beginLine(directions_.col(last));
  }

  void endCycle() {
    ++cycles_;
    const double gain = firstValue_ - f_;
    const double moved = (x_ - first_).norm();
    if (gain > options_->relativeTolerance * 0.5 * (std::abs(firstValue_) + std::abs(f_))) {
      barren_ = 0;
      step_ = std::min(largestStep_, kStepOfLastCycle * moved);
    } else if (++barren_ > kMostBarren) {
      finish(PowellStop::Settled);
      return;
    } else {
      directions_.setIdentity();
      step_ *= 0.1;
    }
    beginCycle();
  }

  const PowellOptions* options_ = nullptr;
  bool active_ = true;
  int barren_ = 0;  // cycles in a row that gained too little
  Phase phase_ = Phase::Directions;
  PowellStop stop_ = PowellStop::OutOfCalls;
  int evaluations_ = 0;
  int cycles_ = 0;
  Eigen::VectorXd x_;
  double f_ = 0;
  double step_ = 0;
  double largestStep_ = 0;
  Eigen::MatrixXd directions_;
  Eigen::VectorXd direction_;
  Eigen::VectorXd first_;
  double firstValue_ = 0;
  double largest_ = 0;
  Index largestAt_ = 0;
  Index at_ = 0;
  LineSearch line_;
};

}  // namespace

double PowellResult::meanEvaluations() const {
  if (evaluations.empty()) return 0;
  return static_cast<double>(std::accumulate(evaluations.begin(), evaluations.end(), std::int64_t{0})) /
         static_cast<double>(evaluations.size());
}

PowellResult minimisePowell(const BatchedValues& function, const Eigen::MatrixXd& start, const PowellOptions& options,
                            const Progress& progress, const Eigen::VectorXd& steps) {
  SINEW_CHECK(start.rows() > 0, "powell", "the problems have no unknowns");
  SINEW_CHECK(start.allFinite(), "powell", "the start has a value that is not a finite number");
  SINEW_CHECK(options.step > 0, "powell", fmt::format("the step is {}; it must be above 0", options.step));
  SINEW_CHECK(
      steps.size() == 0 || (steps.size() == start.cols() && (steps.array() > 0).all()), "powell",
      fmt::format("{} first steps for {} problems; there must be one each, above 0", steps.size(), start.cols()));
  const Index count = start.cols();
  PowellResult result;
  result.x = start;
  result.f.resize(count);
  std::vector<Problem> problems(toSize(count));
  if (count == 0) return result;
  function(start, result.f);
  result.calls = 1;
  SINEW_CHECK(result.f.allFinite(), "powell", "the function is not finite at the start");
  for (Index i = 0; i < count; ++i) {
    problems[toSize(i)].begin(start.col(i), result.f[i], steps.size() > 0 ? steps[i] : options.step, options);
  }

  const auto isActive = [](const Problem& problem) { return problem.active(); };
  Eigen::VectorXd values(count);
  while (result.calls < options.maxCalls && std::any_of(problems.begin(), problems.end(), isActive)) {
    report(progress,
           {options.firstFraction + options.progressStride * result.calls / options.maxCalls, "inverting by Powell",
            static_cast<double>(std::count_if(problems.begin(), problems.end(), isActive))});
    parallelFor(count, kPowellGrain, [&](Index i) { result.x.col(i) = problems[toSize(i)].trial(); });
    function(result.x, values);
    ++result.calls;
    parallelFor(count, kPowellGrain, [&](Index i) {
      Problem& problem = problems[toSize(i)];
      if (problem.active()) problem.feed(values[i]);
    });
  }
  for (Index i = 0; i < count; ++i) {
    const Problem& problem = problems[toSize(i)];
    result.x.col(i) = problem.x();
    result.f[i] = problem.value();
    result.stop.push_back(problem.stop());
    result.evaluations.push_back(problem.evaluations() + 1);
    result.cycles.push_back(problem.cycles());
  }
  return result;
}

}  // namespace sinew
