// Der, Sumner and Popovic 2006, Eqs. 5 to 10:
//   min_{T, b} |G T - m(b)|^2 such that C T = targets, by Gauss-Newton on the example weights b, T eliminated.
//
// Departures, with their reasons in docs/methods/reduced_models.md: a pull of b towards the rest; a weak prior for T;
// the whole shape may turn by Q; the start is the best example; a solve removes the mean translation first, so that
// the prior does not depend on the position of the shape.
//
// Q turns targets instead of gradients: with T' = T Q the condition is C T' = targets Q, and |G T' - m(b)| is without
// Q. So b and Q are found from
//   F(b, Q) = unreached(b) + |D^T v(b) - H targets Q|^2 + lambda |b|^2,  v = R^-T G_a^T target(b),
// whose first term depends on b alone, and Q costs three small columns.
#include "sinew/manipulate/reduced_ik.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <chrono>
#include <cmath>
#include <limits>

#include "sinew/base/check.h"
#include "sinew/manipulate/reduced_ik/state.h"
#include "sinew/math/rotation.h"
#include "sinew/math/row_kernels.h"

namespace sinew::reduced_ik {
namespace {

constexpr const char* kWhere = "reduced IK";
constexpr double kFirstDamping = 1e-3;
constexpr double kDampingFactor = 4;
constexpr int kMostDampings = 30;
constexpr double kRounding = 1e-12;  ///< of the target's square: less than this is not a decrease

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

IkOptions checkedOptions(const IkOptions& options) {
  IkOptions o = options;
  visitFields(o, [](const auto& value, const FieldInfo& info) {
    const auto number = static_cast<double>(value);
    SINEW_CHECK(number >= info.least && number <= info.most, kWhere,
                fmt::format("option {} is {}; it must be from {} to {}", info.name, number, info.least, info.most));
  });
  return o;
}

}  // namespace

State::State(std::shared_ptr<const ReducedModel> given, const IkOptions& asked)
    : model(std::move(given)), options(checkedOptions(asked)), system(*model, options.prior) {
  const auto count = static_cast<double>(std::max<Index>(1, system.exampleCount()));
  lambda = options.restPull * system.gradients().squaredSlope() / count;
  square = 3.0 * static_cast<double>(system.gradients().itemCount());
  at.weights.setZero(system.exampleCount());
  trial.weights = at.weights;
  none.place(*model, system, {}, options.rankTolerance);
}

/// The normal equations at `at`, from its evaluation.
void State::prepareStep() {
  const Index count = system.exampleCount();
  const Index width = system.width();
  const Index size = count + (turns() ? 3 : 0);
  held.noalias() = handles.directions().transpose() * at.known.projected;
  turned.noalias() = wanted * at.turn;
  for (Index r = 0; r < 3; ++r) held.col(r * width + count) -= turned.col(r);

  hessian.setZero(size, size);
  gradient.setZero(size);
  const Eigen::Map<const RowMatrix> tall(held.data(), 3 * held.rows(), width);
  hessian.topLeftCorner(count, count) = at.known.normal.topLeftCorner(count, count).selfadjointView<Eigen::Upper>();
  hessian.topLeftCorner(count, count).noalias() += tall.leftCols(count).transpose() * tall.leftCols(count);
  gradient.head(count) = at.known.normal.col(count).head(count) + lambda * at.weights;
  gradient.head(count).noalias() += tall.leftCols(count).transpose() * tall.col(count);
  hessian.diagonal().head(count).array() += lambda;
  if (!turns()) return;
  // Q exp([w]x): the miss changes by -turned [w]x, row by row -x [e_k]x = (e_k x x)^T.
  for (Index d = 0; d < held.rows(); ++d) {
    const Vec3 x = turned.row(d);
    Mat3 slopes;  // column k: by turning about axis k
    slopes << 0, x.z(), -x.y(), -x.z(), 0, x.x(), x.y(), -x.x(), 0;
    hessian.bottomRightCorner<3, 3>() += slopes.transpose() * slopes;
    for (Index r = 0; r < 3; ++r) {
      const auto row = held.row(d).segment(r * width, count + 1);
      gradient.tail<3>() += row[count] * slopes.row(r).transpose();
      hessian.bottomLeftCorner(3, count).noalias() += slopes.row(r).transpose() * row.head(count);
    }
  }
  hessian.topRightCorner(count, 3) = hessian.bottomLeftCorner(3, count).transpose();
}

/// False where the step is not a finite one.
bool State::takeStep(double damping) {
  const Index count = system.exampleCount();
  const Index size = gradient.size();
  trial.weights = at.weights;
  trial.turn = at.turn;
  trial.evaluated = false;
  if (size == 0) return true;  // one example, the rest: the transforms alone are free, and they are known
  damped = hessian;
  damped.diagonal() *= 1 + damping;
  // Handles on one line do not determine the rotation about it: keep it fixed.
  damped.diagonal().array() += 1e-12 * damped.diagonal().maxCoeff();
  ldlt.compute(damped);
  step = -gradient;
  ldlt.solveInPlace(step);
  if (!step.allFinite()) return false;
  trial.weights += step.head(count);
  if (size > count) {
    const Vec3 w = step.tail<3>();
    trial.turn = (Quat(at.turn) * quaternionFromRotationVector(w)).normalized().toRotationMatrix();
  }
  return true;
}

/// Evaluates the pose where that was not done yet.
double State::objectiveAt(Pose& pose, const IkHandles& holding) {
  if (!pose.evaluated) {
    system.evaluate(pose.weights, pose.known);
    pose.evaluated = true;
    ++result.evaluations;
  }
  const Index count = system.exampleCount();
  const Index width = system.width();
  missed.resize(holding.directions().cols(), 3);
  for (Index r = 0; r < 3; ++r)
    missed.col(r).noalias() = holding.directions().transpose() * pose.known.projected.col(r * width + count);
  missed.noalias() -= wanted * pose.turn;
  return pose.known.unreached + missed.squaredNorm() + lambda * pose.weights.squaredNorm();
}

void State::iterate(Clock::time_point begin) {
  double objective = objectiveAt(at, handles);
  result.firstObjective = objective;
  const Clock::time_point start = Clock::now();
  double damping = 0;
  bool moved = true;  // the normal equations belong to another pose
  for (int dampings = 0; result.iterations < options.mostIterations && dampings < kMostDampings;) {
    result.draft = options.budgetSeconds > 0 && secondsSince(begin) > options.budgetSeconds;
    if (result.draft) break;
    if (moved) prepareStep();
    ++result.iterations;
    const double next = takeStep(damping) ? objectiveAt(trial, handles) : std::numeric_limits<double>::infinity();
    const double rounding = kRounding * (square + objective);
    moved = next <= objective + rounding;
    if (!moved) {
      damping = damping == 0 ? kFirstDamping : kDampingFactor * damping;
      ++dampings;
      continue;
    }
    std::swap(at, trial);
    damping = damping > kFirstDamping ? damping / kDampingFactor : 0;
    result.converged = objective - next <= options.stop * objective + rounding;
    objective = next;
    if (result.converged) break;
  }
  result.secondsPerIteration = secondsSince(start) / std::max(1, result.iterations);
}

/// The controls of `at`: u = v - D (D^T v - H targets Q), T = R^-1 u Q^T, with v = R T_lin + R^-T G^T (m - G T_lin):
/// the way round T_lin keeps the digits that R^-1 R^-T would lose where G is nearly silent.
void State::finish(const IkHandles& holding) {
  const Index count = system.exampleCount();
  const Index width = system.width();
  system.linearBlend(at.weights, linear);
  if (at.evaluated) {
    result.objective = objectiveAt(at, holding);
    misfit.resize(at.known.blend.rows(), 3);
    for (Index r = 0; r < 3; ++r) misfit.col(r) = at.known.blend.col(r * width + count);
    system.projectedMisfit(linear, misfit, change);
  } else {
    // No handles, no steps: the values of m do, without their derivatives by hundreds of examples.
    ++result.evaluations;
    system.gradients().evaluate(at.weights, misfit);
    system.projectedMisfit(linear, misfit, change);
    result.objective = std::max(0.0, misfit.squaredNorm() - change.squaredNorm()) + lambda * at.weights.squaredNorm();
  }
  missed.noalias() = holding.directions().transpose() * change;
  missed.noalias() -= wanted * at.turn;
  for (Index r = 0; r < 3; ++r) {
    missed.col(r) += holding.shapeDirections().col(r * width + count);
    missed.col(r).noalias() += holding.shapeDirections().middleCols(r * width, count) * at.weights;
  }
  change.noalias() -= holding.directions() * missed;
  solveColumns(system.factor(), change);
  linear += change;
  unknowns.noalias() = linear * at.turn.transpose();
  holding.polish(targets, unknowns, polished);
  distances.noalias() = holding.rows() * unknowns;
  distances -= targets;
  result.residualMax = distances.rows() > 0 ? distances.rowwise().norm().maxCoeff() / system.scale() : 0;
  for (Index row = 3; row < unknowns.rows(); row += 4) unknowns.row(row) += shift.transpose();
  system.controlsOf(unknowns, result.controls);

  const Index rest = model->restExample;
  result.weights.resize(static_cast<Index>(model->exampleCount()));
  for (std::size_t p = 0; p < system.examples().size(); ++p)
    result.weights[system.examples()[p]] = at.weights[static_cast<Index>(p)];
  if (rest >= 0) result.weights[rest] = 1 - at.weights.sum();
  result.rotation = Quat(at.turn);
}

void State::reset(const IkHandles& holding) {
  result.iterations = result.evaluations = 0;
  result.firstObjective = 0;
  result.start = -1;
  result.warm = result.draft = false;
  result.converged = true;
  result.turned = holding.count() > 0 && turns();
  result.condition = holding.condition();
  result.rank = holding.rank();
  result.secondsPerIteration = 0;
  wanted.resize(holding.targetMap().rows(), 3);
}

}  // namespace sinew::reduced_ik

namespace sinew {

ReducedIk::ReducedIk(std::shared_ptr<const ReducedModel> model, const IkOptions& options) {
  SINEW_CHECK(model != nullptr, reduced_ik::kWhere, "there is no model to pose");
  state_ = std::make_unique<reduced_ik::State>(std::move(model), options);
  setHandles(std::span<const IkHandle>{});
}

ReducedIk::~ReducedIk() = default;

ReducedIk::ReducedIk(ReducedIk&&) noexcept = default;

ReducedIk& ReducedIk::operator=(ReducedIk&&) noexcept = default;

const ReducedModel& ReducedIk::model() const {
  return *state_->model;
}

const reduced_ik::ReducedIkSystem& ReducedIk::system() const {
  return state_->system;
}

const reduced_ik::IkHandles& ReducedIk::handles() const {
  return state_->handles;
}

const IkOptions& ReducedIk::options() const {
  return state_->options;
}

void ReducedIk::setHandles(std::span<const IkHandle> handles) {
  state_->handles.place(*state_->model, state_->system, handles, state_->options.rankTolerance);
}

void ReducedIk::setHandles(std::span<const Index> vertices, double strength) {
  std::vector<IkHandle> handles;
  handles.reserve(vertices.size());
  for (const Index vertex : vertices) handles.push_back({.vertex = vertex, .strength = strength});
  setHandles(handles);
}

const IkResult& ReducedIk::solve(const ConstPointsRef& targets, IkStart start) {
  reduced_ik::State& s = *state_;
  SINEW_CHECK(targets.cols() == s.handles.count(), reduced_ik::kWhere,
              fmt::format("{} targets for {} handles", targets.cols(), s.handles.count()));
  checkFinite(targets, reduced_ik::kWhere, "the targets");
  const reduced_ik::Clock::time_point begin = reduced_ik::Clock::now();
  IkResult& result = s.result;
  s.reset(s.handles);
  s.setTargets(targets);
  if (targets.cols() == 0) {
    s.at.weights.setZero();
    s.at.turn.setIdentity();
    s.at.evaluated = false;
  } else {
    if (start == IkStart::Warm && s.posed) {
      s.startWarm();
    } else {
      s.startFresh();
    }
    result.converged = false;
    s.iterate(begin);
  }
  s.finish(s.handles);
  s.posed = true;
  result.seconds = reduced_ik::secondsSince(begin);
  return result;
}

const IkResult& ReducedIk::blend(const Eigen::VectorXd& weights) {
  const reduced_ik::Clock::time_point begin = reduced_ik::Clock::now();
  startFrom(weights);
  reduced_ik::State& s = *state_;
  s.reset(s.none);
  s.setTargets(s.nowhere);
  s.finish(s.none);
  s.result.seconds = reduced_ik::secondsSince(begin);
  return s.result;
}

void ReducedIk::startFrom(const Eigen::VectorXd& weights, const Quat& rotation) {
  reduced_ik::State& s = *state_;
  SINEW_CHECK(weights.size() == static_cast<Index>(s.model->exampleCount()), reduced_ik::kWhere,
              fmt::format("{} weights for {} examples", weights.size(), s.model->exampleCount()));
  SINEW_CHECK(weights.allFinite() && rotation.coeffs().allFinite() && rotation.norm() > 0, reduced_ik::kWhere,
              "an initial weight or the initial rotation is not a finite number");
  const std::vector<Index>& examples = s.system.examples();
  for (std::size_t p = 0; p < examples.size(); ++p) s.at.weights[static_cast<Index>(p)] = weights[examples[p]];
  s.at.turn = rotation.normalized().toRotationMatrix();
  s.at.evaluated = false;
  s.posed = true;
}

IkResult solveReducedIk(const ReducedModel& model, std::span<const IkHandle> handles, const ConstPointsRef& targets,
                        const IkOptions& options) {
  ReducedIk ik(std::make_shared<const ReducedModel>(model), options);
  ik.setHandles(handles);
  return ik.solve(targets);
}

}  // namespace sinew
