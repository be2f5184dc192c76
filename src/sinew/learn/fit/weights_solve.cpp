// min |D w|^2 + mu |w - w0|^2 over the simplex for one point. Of the joints only a few matter: rows of Q = D^T D are
// made for a working set W, solved on W by the active set of math/simplex_least_squares, and joints with g_i < nu
// outside W are added until there are none. That is the optimality condition of all joints, so the choice of W affects
// only the time.
#include "sinew/learn/fit/weights_solve.h"

#include <algorithm>
#include <array>

namespace sinew::fit {
namespace {

constexpr int kRigidStart = 2;
constexpr std::size_t kTakenAtOnce = 2;
/// Of the scaled optimality condition: poses may hardly distinguish joints, so it is near rounding.
constexpr double kTolerance = 1e-14;

}  // namespace

PointSolver::PointSolver(const InfluenceSets& sets, Index joints)
    : sets_(sets),
      joints_(joints),
      in_(toSize(joints), 0),
      diagonal_(joints),
      linear_(joints),
      gradient_(joints),
      rows_(joints, joints),
      w_(joints) {}

bool PointSolver::solve(const PointGram& gram, const PointRules& rules, bool all, Eigen::Ref<Eigen::VectorXd> w) {
  work_.clear();
  std::fill(in_.begin(), in_.end(), 0);
  w = rules.start;
  if (!(rules.total > 0)) return true;
  linear_ = -rules.pull;
  for (Index i = 0; i < joints_; ++i) {
    if (rules.locked[toSize(i)] == 0 || rules.start[i] == 0) continue;
    gram.row(i, gradient_);
    linear_ += rules.start[i] * gradient_;
  }
  gram.diagonal(diagonal_);
  sets_.mostRigid(diagonal_, rules.locked, all ? static_cast<int>(joints_) : kRigidStart, first_);
  for (Index i = 0; i < joints_; ++i) {
    if (rules.locked[toSize(i)] == 0 && rules.start[i] > 0) enter(gram, rules, static_cast<int>(i));
  }
  for (const int place : first_) enter(gram, rules, place);
  if (all) {
    for (Index i = 0; i < joints_; ++i) {
      if (rules.locked[toSize(i)] == 0) enter(gram, rules, static_cast<int>(i));
    }
  }
  bool converged = solveWorkingSet(rules);
  while (takeViolators(gram, rules)) converged = solveWorkingSet(rules);
  for (Index i = 0; i < joints_; ++i) {
    if (rules.locked[toSize(i)] == 0) w[i] = 0;
  }
  for (std::size_t k = 0; k < work_.size(); ++k) w[work_[k]] = w_[static_cast<Index>(k)];
  return converged;
}

void PointSolver::cap(const PointRules& rules, Eigen::Ref<Eigen::VectorXd> w) {
  const auto m = static_cast<Index>(work_.size());
  const auto most = toSize(rules.most);
  first_.clear();
  for (Index k = 0; k < m; ++k) {
    if (w_[k] > 0) first_.push_back(static_cast<int>(k));
  }
  if (first_.size() <= most) return;
  // Of equal ones the first by index stays.
  const auto heavier = [this](int a, int b) {
    if (w_[a] != w_[b]) return w_[a] > w_[b];
    return work_[toSize(a)] < work_[toSize(b)];
  };
  std::sort(first_.begin(), first_.end(), heavier);
  kept_.assign(first_.begin(), first_.begin() + rules.most);
  const Eigen::VectorXd full = w_.head(m);
  double value = fitKept(rules);
  if (first_.size() > most + 1) {
    const Eigen::VectorXd atOnce = w_.head(m);
    w_.head(m) = full;
    kept_ = first_;
    double again = value;
    while (kept_.size() > most) {
      kept_.pop_back();
      again = fitKept(rules);
      std::erase_if(kept_, [this](int k) { return !(w_[k] > 0); });
      std::sort(kept_.begin(), kept_.end(), heavier);
    }
    if (again > value) w_.head(m) = atOnce;
  }
  for (Index k = 0; k < m; ++k) w[work_[toSize(k)]] = w_[k];
}

double PointSolver::fitKept(const PointRules& rules) {
  const auto m = static_cast<Index>(kept_.size());
  keptQ_.resize(m, m);
  keptC_.resize(m);
  keptW_.resize(m);
  for (Index a = 0; a < m; ++a) {
    const int from = kept_[toSize(a)];
    keptC_[a] = c_[from];
    keptW_[a] = w_[from];
    for (Index b = 0; b < m; ++b) keptQ_(a, b) = q_(from, kept_[toSize(b)]);
  }
  solveSimplex(keptQ_, keptC_, rules.total, {.tolerance = kTolerance, .refinements = 0}, scratch_, keptW_, true);
  w_.head(static_cast<Index>(work_.size())).setZero();
  for (Index a = 0; a < m; ++a) w_[kept_[toSize(a)]] = keptW_[a];
  return keptW_.dot(keptQ_ * keptW_) + 2 * keptC_.dot(keptW_);
}

void PointSolver::enter(const PointGram& gram, const PointRules& rules, int place) {
  if (in_[toSize(place)] != 0) return;
  in_[toSize(place)] = 1;
  const auto k = static_cast<Index>(work_.size());
  gram.row(place, rows_.col(k));
  rows_(place, k) += rules.stiffness;
  w_[k] = rules.start[place];
  work_.push_back(place);
}

bool PointSolver::solveWorkingSet(const PointRules& rules) {
  const auto m = static_cast<Index>(work_.size());
  q_.resize(m, m);
  c_.resize(m);
  for (Index a = 0; a < m; ++a) {
    const int place = work_[toSize(a)];
    c_[a] = linear_[place];
    for (Index b = 0; b <= a; ++b) {
      q_(a, b) = rows_(place, b);
      q_(b, a) = q_(a, b);
    }
  }
  return solveSimplex(q_, c_, rules.total, {.tolerance = kTolerance, .refinements = 0}, scratch_, w_.head(m), true)
      .converged;
}

bool PointSolver::takeViolators(const PointGram& gram, const PointRules& rules) {
  const auto m = static_cast<Index>(work_.size());
  gradient_ = linear_;
  double nu = 0;
  double scale = 0;
  for (Index k = 0; k < m; ++k) {
    if (w_[k] > 0) gradient_.noalias() += w_[k] * rows_.col(k);
  }
  for (Index k = 0; k < m; ++k) {
    nu += w_[k] * gradient_[work_[toSize(k)]];
    scale += diagonal_[work_[toSize(k)]] / static_cast<double>(m);
  }
  nu /= rules.total;
  double limit = nu - kTolerance * scale - gram.noise(diagonal_.maxCoeff());
  std::array<int, kTakenAtOnce> taken{};
  taken.fill(-1);
  for (int& place : taken) {
    double least = limit;
    for (Index i = 0; i < joints_; ++i) {
      const auto at = toSize(i);
      if (in_[at] != 0 || rules.locked[at] != 0 || gradient_[i] >= least) continue;
      least = gradient_[i];
      place = static_cast<int>(i);
    }
    if (place < 0) break;
    enter(gram, rules, place);
    w_[static_cast<Index>(work_.size()) - 1] = 0;
  }
  return taken[0] >= 0;
}

}  // namespace sinew::fit
