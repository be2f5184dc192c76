// C T = b, with C = U S V^T cut at a relative tolerance: many handles on one control ask for more than its 12 numbers
// can give, and small singular values would turn that contradiction into large transforms.
//
// The null-space step of the paper (T = C+ b + N t, factor G N) costs a factorisation per set of handles. With
// G_a = Q R of the model and u = R T the same conditions are X^T u = U^T b, X = R^-T C^T U: a QR of X, a few columns,
// replaces it, and the objective beside them is |u - Q^T target|^2. Springs give the same form by Woodbury's identity:
// min_u |u - v|^2 + |s (X^T u - b)|^2 = |L^-1 (X^T v - b)|^2 with L L^T = X^T X + diag(s^-2).
#include "sinew/manipulate/reduced_ik/handles.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/base/check.h"
#include "sinew/math/decompositions.h"

namespace sinew::reduced_ik {
namespace {

constexpr const char* kHandlesWhere = "handles";
constexpr Index kLeastSolid = 4;
constexpr double kThickness = 0.02;  ///< rms distance of handles from their plane, at a diagonal of 2

/// Points that span space, not only a plane.
bool spanSpace(const Eigen::MatrixXd& points) {
  if (points.rows() < kLeastSolid) return false;
  const Eigen::MatrixXd centred = points.rowwise() - points.colwise().mean();
  const Mat3 spread = centred.transpose() * centred / static_cast<double>(points.rows());
  return Eigen::SelfAdjointEigenSolver<Mat3>(spread, Eigen::EigenvaluesOnly).eigenvalues()[0] > kThickness * kThickness;
}

template <class Matrix>
void appendColumns(Eigen::MatrixXd& matrix, const Matrix& more) {
  const Index before = matrix.cols();
  matrix.conservativeResize(more.rows(), before + more.cols());
  matrix.rightCols(more.cols()) = more;
}

template <class Matrix>
void appendRows(Eigen::MatrixXd& matrix, const Matrix& more) {
  const Index before = matrix.rows();
  matrix.conservativeResize(before + more.rows(), more.cols());
  matrix.bottomRows(more.rows()) = more;
}

}  // namespace

void IkHandles::place(const ReducedModel& model, const ReducedIkSystem& system, std::span<const IkHandle> handles,
                      double rankTolerance) {
  std::vector<Index> exact;
  std::vector<Index> springs;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const IkHandle& handle = handles[i];
    SINEW_CHECK(
        handle.vertex >= 0 && handle.vertex < model.rest.cols(), kHandlesWhere,
        fmt::format("vertex {} does not exist; the model has vertices 0 to {}", handle.vertex, model.rest.cols() - 1));
    SINEW_CHECK(handle.strength >= 0 && std::isfinite(handle.strength), kHandlesWhere,
                fmt::format("the strength of vertex {1} is {0}; it must be 0 or more", handle.strength, handle.vertex));
    (handle.strength > 0 ? springs : exact).push_back(static_cast<Index>(i));
  }
  handles_.assign(handles.begin(), handles.end());
  setRows(model, system);
  directions_.resize(system.unknowns(), 0);
  targetMap_.resize(0, count());
  exactRows_.resize(0, system.unknowns());
  exactMap_.resize(0, count());
  squares_.resize(0);
  condition_ = 1;
  addExact(system, exact, rankTolerance);
  addSprings(system, springs);
  shapeHandles_ = rows_ * system.shapes();
  shapeDirections_ = directions_.transpose() * system.reducedShapes();
}

// Row of a vertex: alpha_i (x, y, z, 1) at the columns of control i.
void IkHandles::setRows(const ReducedModel& model, const ReducedIkSystem& system) {
  const auto k = static_cast<Index>(handles_.size());
  rows_.setZero(k, system.unknowns());
  Eigen::MatrixXd points(k, 3);
  for (Index i = 0; i < k; ++i) {
    const Index vertex = handles_[toSize(i)].vertex;
    const Vec3 x = system.scale() * (model.rest.col(vertex) - system.centre());
    for (const Influence& influence : model.weights[vertex]) {
      rows_.row(i).segment<4>(4 * static_cast<Index>(influence.binding)) =
          influence.weight * x.homogeneous().transpose();
    }
    points.row(i) = x.transpose();
  }
  solid_ = spanSpace(points);
}

void IkHandles::addExact(const ReducedIkSystem& system, const std::vector<Index>& which, double rankTolerance) {
  if (which.empty()) return;
  const Eigen::MatrixXd C = rows_(which, Eigen::all);
  const bool few = C.rows() <= C.cols();
  // Singular values down to the tolerance survive the square, of the smaller kind, with ten digits to spare.
  Eigen::MatrixXd square = Eigen::MatrixXd::Zero(few ? C.rows() : C.cols(), few ? C.rows() : C.cols());
  if (few) {
    square.selfadjointView<Eigen::Lower>().rankUpdate(C);
  } else {
    square.selfadjointView<Eigen::Lower>().rankUpdate(C.transpose());
  }
  const SymmetricEigen eigen = symmetricEigen(square);
  const Eigen::VectorXd& squares = eigen.values;
  const double largest = squares[squares.size() - 1];
  const double least = std::max(0.0, squares[0]);
  condition_ = least > 1e-24 * largest ? std::sqrt(largest / least) : std::numeric_limits<double>::infinity();
  const Index rank = (squares.array() > rankTolerance * rankTolerance * largest).count();

  squares_ = squares.tail(rank);
  const auto vectors = eigen.vectors.rightCols(rank);
  Eigen::MatrixXd U;  // left singular vectors of C
  if (few) {
    U = vectors;
  } else {
    U = C * vectors * squares_.cwiseSqrt().cwiseInverse().asDiagonal();
  }
  exactRows_ = U.transpose() * C;
  exactMap_.setZero(rank, count());
  for (std::size_t i = 0; i < which.size(); ++i) exactMap_.col(which[i]) = U.row(static_cast<Index>(i)).transpose();

  const Eigen::MatrixXd X = system.factor().transpose().triangularView<Eigen::Lower>().solve(exactRows_.transpose());
  const ThinQr qr = thinQr(X);
  appendColumns(directions_, qr.q);
  // X = D Rx, so Rx^T D^T u = U^T b.
  appendRows(targetMap_, qr.r.transpose().triangularView<Eigen::Lower>().solve(exactMap_));
}

// Springs act on what the exact handles leave free: X' = X - D D^T X, and D^T u = H b is known there.
void IkHandles::addSprings(const ReducedIkSystem& system, const std::vector<Index>& which) {
  if (which.empty()) return;
  const Eigen::MatrixXd X =
      system.factor().transpose().triangularView<Eigen::Lower>().solve(rows_(which, Eigen::all).transpose());
  const Eigen::MatrixXd held = directions_.transpose() * X;
  const Eigen::MatrixXd free = X - directions_ * held;
  Eigen::MatrixXd pull = free.transpose() * free;
  Eigen::MatrixXd wanted = -held.transpose() * targetMap_;
  for (std::size_t i = 0; i < which.size(); ++i) {
    const auto row = static_cast<Index>(i);
    const double strength = handles_[toSize(which[i])].strength;
    pull(row, row) += 1 / (strength * strength);
    wanted(row, which[i]) += 1;
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(pull);
  const Eigen::MatrixXd scaled = factor.matrixL().solve(free.transpose());
  const Eigen::MatrixXd scaledWanted = factor.matrixL().solve(wanted);
  appendColumns(directions_, scaled.transpose());
  appendRows(targetMap_, scaledWanted);
}

void IkHandles::polish(const Eigen::MatrixXd& targets, Eigen::MatrixXd& unknowns, Eigen::MatrixXd& scratch) const {
  if (rank() == 0) return;
  scratch.noalias() = exactMap_ * targets;
  scratch.noalias() -= exactRows_ * unknowns;
  scratch.array().colwise() /= squares_.array();
  unknowns.noalias() += exactRows_.transpose() * scratch;
}

}  // namespace sinew::reduced_ik
