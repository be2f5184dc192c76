// Mohr, Tokheim and Gleicher, "Direct Manipulation of Interactive Character Skins" (2003). A vertex with influences i
// can reach the convex hull of p_i = R_i v, where each influence alone puts it. For a target t:
//   stage 1   c = the point of the hull nearest to t            min |P w - t|^2        over w >= 0, sum w = 1
//   stage 2   of all w with P w = c the one nearest to w_p      min |w - w_p|          over the same w
// with w_p the weights at the start of the drag: weights of the last step would drift on closed ways of the hand.
//
// Departures from the paper:
// - Stage 1 is an active set on the simplex, not an enumeration of faces, edges and corners: the same point at a cost
//   that does not grow with the number of faces, and without a cut-off for degenerate faces.
// - Stage 2 takes squares by default. The paper's sum of |w - w_p| (section 4.2) has ties, and jumps from one to
//   another where influences coincide; squares are strictly convex, so the weights are continuous in t. Solved as
//     min |P w - tau|^2 / s^2 + eps |w - w_p|^2,   tau_0 = t,   tau_{k+1} = tau_k + c - P w_k,
//   s the diameter of the hull: the method of multipliers for P w = c. A fixed number of repetitions keeps the map from
//   t to w continuous, and eps > 0 keeps it gentle on slivers. tau starts at t, not at c: outside of the hull the way
//   from c to t pushes weights off the nearest face to exactly 0, so a corner gets weight 1.
// - Negative weights (the affine span) are the exact least change, by an orthogonal basis of the rows of P.
// - A limit drops influences one at a time: that without which the vertex comes nearest to its target. By
//   Caratheodory's theorem four influences reach every point of the hull, so nothing is lost down to four.
#include "sinew/manipulate/drag_weights/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/math/convex_hull.h"

namespace sinew::drag_weights {
namespace {

constexpr const char* kSolveWhere = "drag weights";
/// In diameters: rows of P that differ less from the others are equal.
constexpr double kSameRow = 1e-9;
/// The same for negative weights, which grow as 1 / thickness: thinner hulls count as flat.
constexpr double kThin = 1e-3;
constexpr double kSameDistance = 1e-9;  ///< in diameters
constexpr double kSquaredRounding = 1e-28;

void grow(Eigen::MatrixXd& matrix, Index rows, Index columns) {
  if (matrix.rows() < rows || matrix.cols() < columns)
    matrix.resize(std::max(rows, matrix.rows()), std::max(columns, matrix.cols()));
}

void grow(Eigen::VectorXd& vector, Index size) {
  if (vector.size() < size) vector.resize(size);
}

}  // namespace

/// Everything in diameters, about the mean of the corners.
void ReachSolver::prepare(const Matrix& corners, const Vector& target, Index rows, double alpha) {
  rows_ = rows;
  count_ = corners.cols();
  grow(centred_, rows_, count_);
  grow(gram_, count_, count_);
  grow(centre_, rows_);
  grow(aim_, rows_);
  grow(reached_, rows_);
  grow(position_, rows_);
  grow(moved_, rows_);
  grow(pull_, count_);
  auto centre = centre_.head(rows_);
  auto centred = centred_.topLeftCorner(rows_, count_);
  centre = corners.topRows(rows_).rowwise().mean();
  const double others = std::sqrt(alpha) / size_;
  for (Index r = 0; r < rows_; ++r) {
    const double factor = r < 3 ? 1 / size_ : others;
    for (Index i = 0; i < count_; ++i) centred(r, i) = factor * (corners(r, i) - centre[r]);
    aim_[r] = factor * (target[r] - centre[r]);
  }
  for (Index i = 0; i < count_; ++i) {
    for (Index j = 0; j <= i; ++j) gram_(i, j) = gram_(j, i) = centred.col(i).dot(centred.col(j));
  }
}

/// In the units of prepare().
void ReachSolver::place(const Vector& w, Eigen::Ref<Eigen::VectorXd> position) const {
  position.setZero();
  for (Index i = 0; i < count_; ++i) position += w[i] * centred_.col(i).head(rows_);
}

void ReachSolver::solveNearest(const Vector& start, bool negative, Eigen::Ref<Eigen::VectorXd> w) {
  if (negative) {
    affine(start, w);
  } else {
    auto pull = pull_.head(count_);
    for (Index i = 0; i < count_; ++i) pull[i] = -centred_.col(i).head(rows_).dot(aim_.head(rows_));
    w = start;
    note(solveSimplex(gram_.topLeftCorner(count_, count_), pull, 1, {}, scratch_, w, true));
  }
  place(w, reached_.head(rows_));
}

void ReachSolver::leastSquares(const Vector& start, const ReachOptions& options, Eigen::Ref<Eigen::VectorXd> w) {
  grow(ridged_, count_, count_);
  auto ridged = ridged_.topLeftCorner(count_, count_);
  ridged = gram_.topLeftCorner(count_, count_);
  ridged.diagonal().array() += options.change;
  auto pull = pull_.head(count_);
  auto moved = moved_.head(rows_);
  auto position = position_.head(rows_);
  moved = aim_.head(rows_);
  w = start;
  for (int k = 0; k <= options.polish; ++k) {
    for (Index i = 0; i < count_; ++i) {
      const double cost = options.reluctance.empty() ? 0 : options.reluctance[toSize(i)];
      pull[i] = -centred_.col(i).head(rows_).dot(moved) + options.change * (cost - start[i]);
    }
    note(solveSimplex(ridged, pull, 1, {}, scratch_, w, true));
    place(w, position);
    position = reached_.head(rows_) - position;
    // Below rounding nothing is left to take back.
    if (position.squaredNorm() < kSquaredRounding) break;
    moved += position;
  }
}

/// Orthonormal rows that span those of centred_, the longest first (Gram and Schmidt with pivoting), with the factors
/// that give centred_ back. Returns their number.
Index ReachSolver::independentRows(double cutOff) {
  const Index most = std::min(rows_, count_);
  grow(basis_, most, count_);
  grow(parts_, rows_, most);
  grow(normal_, rows_, count_);
  auto rest = normal_.topLeftCorner(rows_, count_);
  rest = centred_.topLeftCorner(rows_, count_);
  Index found = 0;
  for (; found < most; ++found) {
    Index longest = 0;
    const double length = std::sqrt(rest.rowwise().squaredNorm().maxCoeff(&longest));
    if (!(length > cutOff)) break;
    auto row = basis_.row(found).head(count_);
    row = rest.row(longest) / length;
    for (Index r = 0; r < rows_; ++r) {
      parts_(r, found) = rest.row(r).dot(row);
      rest.row(r) -= parts_(r, found) * row;
    }
  }
  return found;
}

/// The least change that brings the vertex to the nearest point of the affine span: w = start + E^T y, y the least
/// squares solution of L y = t - P start, with P = L E.
void ReachSolver::affine(const Vector& start, Eigen::Ref<Eigen::VectorXd> w) {
  const Index rank = independentRows(kThin);
  auto wanted = position_.head(rows_);
  place(start, wanted);
  wanted = aim_.head(rows_) - wanted;
  // Normal equations by Cholesky in place: L has full rank above the cut-off.
  grow(normal_, std::max(rank, rows_), std::max(rank, count_));
  auto y = moved_.head(rank);
  for (Index i = 0; i < rank; ++i) {
    y[i] = parts_.col(i).head(rows_).dot(wanted);
    for (Index j = 0; j <= i; ++j) {
      double entry = parts_.col(i).head(rows_).dot(parts_.col(j).head(rows_));
      for (Index k = 0; k < j; ++k) entry -= normal_(i, k) * normal_(j, k);
      normal_(i, j) = i == j ? std::sqrt(entry) : entry / normal_(j, j);
    }
    for (Index k = 0; k < i; ++k) y[i] -= normal_(i, k) * y[k];
    y[i] /= normal_(i, i);
  }
  for (Index i = rank - 1; i >= 0; --i) {
    for (Index k = i + 1; k < rank; ++k) y[i] -= normal_(k, i) * y[k];
    y[i] /= normal_(i, i);
  }
  w = start;
  for (Index k = 0; k < rank; ++k) w += y[k] * basis_.row(k).head(count_).transpose();
}

/// min sum |d| over E d = E (w_1 - start), sum d = 0, start + d >= 0, with d = up - down, down <= start. The paper's
/// equations P w = c, but only those that are independent.
void ReachSolver::leastSum(const Vector& start, std::span<const double> reluctance, Eigen::Ref<Eigen::VectorXd> w) {
  if (!program_) program_ = std::make_unique<LinearProgram>();
  const Index rank = independentRows(kSameRow);
  const auto n = static_cast<int>(count_);
  LinearProgram& program = *program_;
  program.reset(static_cast<int>(rank) + 1, 2 * n);
  const auto up = [](int i) { return i; };
  const auto down = [n](int i) { return n + i; };
  for (int i = 0; i < n; ++i) {
    program.cost(up(i)) = program.cost(down(i)) = 1;
    if (!reluctance.empty()) program.cost(up(i)) += reluctance[toSize(i)];
    program.upper(down(i)) = std::max(0.0, start[i]);
    program.coefficient(0, up(i)) = 1;
    program.coefficient(0, down(i)) = -1;
    for (int k = 0; k < rank; ++k) {
      program.coefficient(k + 1, up(i)) = basis_(k, i);
      program.coefficient(k + 1, down(i)) = -basis_(k, i);
      program.right(k + 1) += basis_(k, i) * (first_[i] - start[i]);
    }
  }
  const LinearProgramReport report = program.solve();
  converged_ = converged_ && report.usable();
  if (!report.usable()) {
    w = first_.head(count_);
    return;
  }
  for (int i = 0; i < n; ++i) w[i] = std::max(0.0, start[i] + program.value(up(i)) - program.value(down(i)));
  w /= w.sum();
}

Reach ReachSolver::solveAll(const Matrix& corners, const Vector& start, const Vector& target,
                            const ReachOptions& options, Eigen::Ref<Eigen::VectorXd> weights) {
  Reach reach;
  size_ = pointDiameter(corners.topRows<3>());
  const bool together = options.alpha > 0 && corners.rows() > 3;
  if (!(size_ > options.pointSize) || !(size_ > 0)) {
    weights = start;
    for (Index i = 0; i < corners.cols(); ++i) reach.nearest += start[i] * corners.col(i).head<3>();
  } else {
    grow(first_, count_ = corners.cols());
    auto first = first_.head(count_);
    prepare(corners, target, 3, 0);
    solveNearest(start, options.negative, first);
    reach.nearest = size_ * reached_.head<3>() + centre_.head<3>();
    if (together) {
      prepare(corners, target, corners.rows(), options.alpha);
      solveNearest(start, options.negative, first);
    }
    if (options.negative) {
      weights = first;
    } else if (options.secondStage == SecondStage::LeastSquares) {
      leastSquares(start, options, weights);
    } else {
      leastSum(start, options.reluctance, weights);
    }
  }
  reach.placed.setZero();
  for (Index i = 0; i < corners.cols(); ++i) reach.placed += weights[i] * corners.col(i).head<3>();
  reach.distance = (reach.nearest - target.head<3>()).norm();
  return reach;
}

void ReachSolver::reserve(Index rows, Index count) {
  kept_.reserve(toSize(count));
  keptReluctance_.reserve(toSize(count));
  scratch_.support.reserve(toSize(count));
  grow(keptCorners_, rows, count);
  for (Eigen::VectorXd* one : {&keptStart_, &keptWeights_, &trial_}) grow(*one, count);
}

/// The remaining corners except one.
void ReachSolver::gather(const Matrix& corners, const Vector& start, Index without) {
  const auto count = static_cast<Index>(kept_.size());
  grow(keptCorners_, corners.rows(), count);
  grow(keptStart_, count);
  Index to = 0;
  double sum = 0;
  for (const Index from : kept_) {
    if (from == without) continue;
    keptCorners_.col(to).head(corners.rows()) = corners.col(from);
    sum += keptStart_[to] = start[from];
    ++to;
  }
  // Without the weights at the start of the drag all are equal.
  if (sum > 1e-9) {
    keptStart_.head(to) /= sum;
  } else {
    keptStart_.head(to).setConstant(1 / static_cast<double>(to));
  }
}

/// The influence without which the vertex comes nearest; of equal ones that of the least weight.
Index ReachSolver::leastNeeded(const Matrix& corners, const Vector& target, const ReachOptions& options,
                               const Vector& weights) {
  const auto count = static_cast<Index>(kept_.size()) - 1;
  const double size = pointDiameter(corners.topRows<3>());
  const Index rows = options.alpha > 0 ? corners.rows() : 3;
  double least = 0;
  Index best = -1;
  if (!(size > options.pointSize) || !(size > 0)) {
    return *std::min_element(kept_.begin(), kept_.end(),
                             [&](Index a, Index b) { return std::abs(weights[a]) < std::abs(weights[b]); });
  }
  grow(trial_, count);
  for (const Index candidate : kept_) {
    gather(corners, weights, candidate);
    size_ = size;
    prepare(keptCorners_.topLeftCorner(corners.rows(), count), target, rows, options.alpha);
    solveNearest(keptStart_.head(count), options.negative, trial_.head(count));
    const double distance = (reached_.head(rows_) - aim_.head(rows_)).norm();
    const bool equal = best >= 0 && std::abs(distance - least) <= kSameDistance;
    if (best >= 0 && !(equal ? std::abs(weights[candidate]) < std::abs(weights[best]) : distance < least)) continue;
    least = equal ? std::min(least, distance) : distance;
    best = candidate;
  }
  return best;
}

void ReachSolver::limit(const Matrix& corners, const Vector& start, const Vector& target, const ReachOptions& options,
                        Eigen::Ref<Eigen::VectorXd> weights, Reach& reach) {
  kept_.clear();
  for (Index i = 0; i < weights.size(); ++i) {
    if (weights[i] != 0) kept_.push_back(i);
  }
  while (static_cast<int>(kept_.size()) > options.most)
    std::erase(kept_, leastNeeded(corners, target, options, weights));
  gather(corners, start, -1);
  const auto count = static_cast<Index>(kept_.size());
  grow(keptWeights_, count);
  ReachOptions all = options;
  all.most = 0;
  keptReluctance_.clear();
  for (const Index i : kept_) keptReluctance_.push_back(options.reluctance.empty() ? 0 : options.reluctance[toSize(i)]);
  all.reluctance = keptReluctance_;
  reach = solveAll(keptCorners_.topLeftCorner(corners.rows(), count), keptStart_.head(count), target, all,
                   keptWeights_.head(count));
  weights.setZero();
  for (Index i = 0; i < count; ++i) weights[kept_[toSize(i)]] = keptWeights_[i];
}

Reach ReachSolver::solve(const Matrix& corners, const Vector& start, const Vector& target, const ReachOptions& options,
                         Eigen::Ref<Eigen::VectorXd> weights) {
  const Index n = corners.cols();
  SINEW_CHECK(n >= 1 && n <= kMostCorners, kSolveWhere,
              fmt::format("{} influences of one vertex are out of range; give 1 to {}", n, kMostCorners));
  SINEW_CHECK(corners.rows() >= 3 && corners.rows() % 3 == 0 && target.size() == corners.rows() && start.size() == n &&
                  weights.size() == n && (options.reluctance.empty() || options.reluctance.size() == toSize(n)),
              kSolveWhere,
              fmt::format("{} x {} corners, a target of {} and {} weights do not fit", corners.rows(), n, target.size(),
                          start.size()));
  SINEW_CHECK(corners.allFinite() && target.allFinite() && start.allFinite(), kSolveWhere,
              "a corner, target or weight is not a finite number");
  converged_ = true;
  Reach reach = solveAll(corners, start, target, options, weights);
  if (options.most > 0 && (weights.array() != 0).count() > options.most)
    limit(corners, start, target, options, weights, reach);
  reach.converged = converged_;
  return reach;
}

Vec3 ReachSolver::nearest(const ConstPointsRef& corners, const Vec3& target, bool negative) {
  SINEW_CHECK(corners.cols() >= 1 && corners.cols() <= kMostCorners, kSolveWhere,
              fmt::format("{} influences of one vertex are out of range; give 1 to {}", corners.cols(), kMostCorners));
  size_ = pointDiameter(corners);
  if (!(size_ > 0)) return corners.col(0);
  converged_ = true;
  prepare(corners, target, 3, 0);
  grow(first_, count_);
  grow(trial_, count_);
  trial_.head(count_).setConstant(1 / static_cast<double>(count_));
  solveNearest(trial_.head(count_), negative, first_.head(count_));
  return size_ * reached_.head<3>() + centre_.head<3>();
}

}  // namespace sinew::drag_weights
