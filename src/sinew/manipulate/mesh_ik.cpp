// Sumner, Zwicker, Gotsman and Popovic 2005: min_{x, b} sum_t area_t |D_t(x) - m_t(b)|^2, x fixed at the handles.
//
// D_t are the gradients along the two tangents of a triangle: the fourth vertex of the paper, free to move, always
// meets its share of m_t and so drops out. Gradients blend as in BlendedGradients. A weak prior holds vertices that
// nothing else does (pieces without handles, vertices without triangles) at the linear blend of the examples. One
// sparse Cholesky factor serves the three coordinates and all iterations.
#include "sinew/manipulate/mesh_ik.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/character/mesh.h"

namespace sinew {
namespace {

constexpr const char* kWhere = "mesh IK";
constexpr double kDiagonal = 2;   ///< of the rest in the space of the unknowns
constexpr double kPrior = 1e-6;   ///< squared
constexpr double kSliver = 1e-6;  ///< twice the area against the square of the longest edge
constexpr Index kGrain = 512;
constexpr int kMostHalvings = 10;

using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Clock = std::chrono::steady_clock;

double secondsOfMeshIk(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Mat3 frameOf(const ConstPointsRef& points, const Triangle& t) {
  const Vec3 e1 = points.col(t[1]) - points.col(t[0]);
  const Vec3 e2 = points.col(t[2]) - points.col(t[0]);
  const Vec3 normal = e1.cross(e2);
  Mat3 frame;
  frame << e1, e2, normal / std::sqrt(std::max(normal.norm(), std::numeric_limits<double>::min()));
  return frame;
}

bool isSliver(const ConstPointsRef& points, const Triangle& t) {
  const Vec3 e1 = points.col(t[1]) - points.col(t[0]);
  const Vec3 e2 = points.col(t[2]) - points.col(t[0]);
  const double longest = std::max({e1.squaredNorm(), e2.squaredNorm(), (e2 - e1).squaredNorm()});
  return !(e1.cross(e2).norm() > kSliver * longest);
}

/// X^T X of the columns of one coordinate, X a row per row and coordinate.
Eigen::MatrixXd products(const RowMatrix& columns) {
  const Eigen::Map<const RowMatrix> tall(columns.data(), 3 * columns.rows(), columns.cols() / 3);
  return tall.transpose() * tall;
}

}  // namespace

std::vector<Mat3> triangleGradients(const ConstPointsRef& rest, const ConstPointsRef& moved,
                                    std::span<const Triangle> triangles) {
  std::vector<Mat3> gradients(triangles.size(), Mat3::Identity());
  parallelFor(static_cast<Index>(triangles.size()), kGrain, [&](Index i) {
    const Triangle& t = triangles[toSize(i)];
    if (!isSliver(rest, t)) gradients[toSize(i)] = frameOf(moved, t) * frameOf(rest, t).inverse();
  });
  return gradients;
}

struct MeshIk::State {
  State(const ConstPointsRef& rest, std::span<const Triangle> triangles, std::span<const Points> examples,
        const MeshIkOptions& asked);

  MeshIkOptions options;
  double scale = 1;
  Vec3 centre = Vec3::Zero();
  Index vertices = 0;
  Index examples = 0;
  BlendedGradients gradients;
  std::vector<Eigen::Matrix<double, 3, 2>> tangents;  ///< per triangle, times the root of its area
  Sparse transposed;                                  ///< G^T, V x 2 T
  Sparse system;                                      ///< G^T G + prior, V x V
  RowMatrix shapes;                                   ///< V x 3 W: example minus rest, and the rest
  Eigen::MatrixXd shapeProducts;
  double lambda = 0;

  std::vector<Index> handles;  ///< as given
  std::vector<Index> fixed;    ///< unique, ascending
  std::vector<Index> free;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor;
  Eigen::MatrixXd held;  ///< targets of `fixed`, scaled

  RowMatrix blend;
  RowMatrix features;   ///< 2 T x 3 W
  RowMatrix sides;      ///< V x 3 W: G^T features
  RowMatrix projected;  ///< free x 3 W, in the order of the factor
  Eigen::MatrixXd normal;

  void setSystem(const Points& rest, std::span<const Triangle> triangles);
  void placeHandles(std::span<const Index> wanted);
  void evaluate(const Eigen::VectorXd& weights);
  void forward();
  void backward(MeshIkResult& result) const;
  Eigen::VectorXd iterate(Eigen::VectorXd weights, MeshIkResult& result);
  [[nodiscard]] double objective(const Eigen::VectorXd& weights) const {
    return std::max(0.0, normal(examples, examples)) + lambda * weights.squaredNorm();
  }
};

MeshIk::State::State(const ConstPointsRef& rest, std::span<const Triangle> triangles, std::span<const Points> given,
                     const MeshIkOptions& asked)
    : options(asked),
      vertices(rest.cols()),
      examples(static_cast<Index>(given.size())),
      gradients(static_cast<Index>(triangles.size()), examples) {
  SINEW_CHECK(vertices > 0, kWhere, "the mesh has no vertices");
  checkFinite(rest, kWhere, "the rest");
  for (const Triangle& t : triangles) {
    SINEW_CHECK(std::max({t[0], t[1], t[2]}) < static_cast<std::uint32_t>(vertices), kWhere,
                fmt::format("a triangle refers to vertex {} of {}", std::max({t[0], t[1], t[2]}), vertices));
  }
  const BoundingBox box = boundingBox(rest);
  centre = box.centre();
  scale = box.diagonal() > 0 ? kDiagonal / box.diagonal() : 1;
  const Index width = gradients.width();
  shapes.setZero(vertices, 3 * width);
  const Points scaled = scale * (rest.colwise() - centre);
  for (Index r = 0; r < 3; ++r) shapes.col(r * width + examples) = scaled.row(r).transpose();
  for (Index p = 0; p < examples; ++p) {
    const Points& example = given[toSize(p)];
    SINEW_CHECK(example.cols() == vertices, kWhere,
                fmt::format("example {} has {} vertices, the rest {}", p, example.cols(), vertices));
    checkFinite(example, kWhere, "an example");
    const Points moved = scale * (example.colwise() - centre);
    for (Index r = 0; r < 3; ++r) shapes.col(r * width + p) = (moved.row(r) - scaled.row(r)).transpose();
    const std::vector<Mat3> at = triangleGradients(scaled, moved, triangles);
    parallelFor(gradients.itemCount(), kGrain, [&](Index t) { gradients.set(t, p, at[toSize(t)]); });
  }
  shapeProducts = products(shapes);
  setSystem(scaled, triangles);
  evaluate(Eigen::VectorXd::Zero(examples));
  const Eigen::Map<const RowMatrix> tall(features.data(), 3 * features.rows(), width);
  lambda = options.restPull * tall.leftCols(examples).squaredNorm() / static_cast<double>(std::max<Index>(1, examples));
}

void MeshIk::State::setSystem(const Points& rest, std::span<const Triangle> triangles) {
  double total = 0;
  for (const Triangle& t : triangles) {
    total += 0.5 * (rest.col(t[1]) - rest.col(t[0])).cross(rest.col(t[2]) - rest.col(t[0])).norm();
  }
  const double mean = total > 0 ? total / static_cast<double>(triangles.size()) : 1;
  tangents.assign(triangles.size(), Eigen::Matrix<double, 3, 2>::Zero());
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(6 * triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Triangle& t = triangles[i];
    if (isSliver(rest, t)) continue;
    const Mat3 frame = frameOf(rest, t);
    const double root = std::sqrt(0.5 * frame.col(0).cross(frame.col(1)).norm() / mean);
    Eigen::Matrix<double, 3, 2>& along = tangents[i];
    along.col(0) = frame.col(0).normalized();
    along.col(1) = frame.col(2).cross(frame.col(0)).normalized();
    along *= root;
    // D along a tangent: v_1 g_1 + v_2 g_2 - v_0 (g_1 + g_2), g the rows of the inverse frame.
    const Eigen::Matrix<double, 2, 2> slopes = frame.inverse().topRows<2>() * along;
    for (int k = 0; k < 2; ++k) {
      const int column = static_cast<int>(2 * i) + k;
      entries.emplace_back(static_cast<int>(t[0]), column, -slopes(0, k) - slopes(1, k));
      entries.emplace_back(static_cast<int>(t[1]), column, slopes(0, k));
      entries.emplace_back(static_cast<int>(t[2]), column, slopes(1, k));
    }
  }
  transposed.resize(vertices, 2 * static_cast<Index>(triangles.size()));
  transposed.setFromTriplets(entries.begin(), entries.end());
  Sparse prior(vertices, vertices);
  prior.setIdentity();
  system = Sparse(transposed * Sparse(transposed.transpose())) + kPrior * prior;
}

void MeshIk::State::placeHandles(std::span<const Index> wanted) {
  for (const Index vertex : wanted) {
    SINEW_CHECK(vertex >= 0 && vertex < vertices, kWhere,
                fmt::format("vertex {} does not exist; the mesh has vertices 0 to {}", vertex, vertices - 1));
  }
  handles.assign(wanted.begin(), wanted.end());
  fixed = handles;
  std::sort(fixed.begin(), fixed.end());
  fixed.erase(std::unique(fixed.begin(), fixed.end()), fixed.end());
  std::vector<Index> place(toSize(vertices), -1);
  for (const Index vertex : fixed) place[toSize(vertex)] = -2;
  free.clear();
  for (Index v = 0; v < vertices; ++v) {
    if (place[toSize(v)] == -2) continue;
    place[toSize(v)] = static_cast<Index>(free.size());
    free.push_back(v);
  }
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(toSize(system.nonZeros()));
  for (const Index v : free) {
    for (Sparse::InnerIterator it(system, v); it; ++it) {
      const Index column = place[toSize(it.col())];
      if (column >= 0) entries.emplace_back(static_cast<int>(place[toSize(v)]), static_cast<int>(column), it.value());
    }
  }
  Eigen::SparseMatrix<double> inner(static_cast<Index>(free.size()), static_cast<Index>(free.size()));
  inner.setFromTriplets(entries.begin(), entries.end());
  factor.compute(inner);
  SINEW_CHECK(factor.info() == Eigen::Success, kWhere,
              "the mesh cannot be factored; check for vertices at the same position");
  held.setZero(static_cast<Index>(fixed.size()), 3);
}

/// Features at the weights, their effect on the vertices, and the normal equations of the weights.
void MeshIk::State::evaluate(const Eigen::VectorXd& weights) {
  const Index width = gradients.width();
  gradients.evaluateWithDerivatives(weights, blend);
  features.resize(2 * gradients.itemCount(), 3 * width);
  parallelFor(gradients.itemCount(), kGrain, [&](Index t) {
    features.middleRows<2>(2 * t).noalias() = tangents[toSize(t)].transpose() * blend.middleRows<3>(3 * t);
  });
  sides.resize(vertices, 3 * width);
  parallelFor(vertices, kGrain, [&](Index v) {
    sides.row(v) = kPrior * shapes.row(v);
    for (Index r = 0; r < 3; ++r)
      sides(v, r * width + examples) += kPrior * shapes.row(v).segment(r * width, examples).dot(weights);
    for (Sparse::InnerIterator it(transposed, v); it; ++it) sides.row(v) += it.value() * features.row(it.col());
  });
  if (free.empty() && fixed.empty()) return;  // no factor yet
  forward();
  normal = products(features) - products(projected);
  Eigen::VectorXd mixed = Eigen::VectorXd::Zero(width);  // prior: derivative by derivative, then derivative by value
  normal.topLeftCorner(examples, examples) += kPrior * shapeProducts.topLeftCorner(examples, examples);
  mixed.head(examples) =
      shapeProducts.col(examples).head(examples) + shapeProducts.topLeftCorner(examples, examples) * weights;
  mixed[examples] = shapeProducts(examples, examples) +
                    weights.dot(shapeProducts.col(examples).head(examples) + mixed.head(examples));
  mixed *= kPrior;
  // Vertices at handles: the target loses G_c b.
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    for (Index r = 0; r < 3; ++r) {
      const double b = held(static_cast<Index>(i), r);
      const auto side = sides.row(fixed[i]).segment(r * width, width);
      mixed.head(examples) -= b * side.head(examples).transpose();
      mixed[examples] -= 2 * b * side[examples];
    }
    for (std::size_t k = 0; k < fixed.size(); ++k) {
      mixed[examples] +=
          system.coeff(fixed[i], fixed[k]) * held.row(static_cast<Index>(i)).dot(held.row(static_cast<Index>(k)));
    }
  }
  normal.col(examples) += mixed;
}

/// projected = L^-1 P (sides of the free vertices - A_fc b), all columns of a row together.
void MeshIk::State::forward() {
  const Index width = gradients.width();
  const auto count = static_cast<Index>(free.size());
  projected.resize(count, 3 * width);
  const auto& order = factor.permutationP().indices();
  for (Index i = 0; i < count; ++i) projected.row(order[i]) = sides.row(free[toSize(i)]);
  std::vector<Index> place(toSize(vertices), -1);
  for (Index i = 0; i < count; ++i) place[toSize(free[toSize(i)])] = order[i];
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    for (Sparse::InnerIterator it(system, fixed[i]); it; ++it) {
      const Index row = place[toSize(it.col())];
      if (row < 0) continue;
      for (Index r = 0; r < 3; ++r) projected(row, r * width + examples) -= it.value() * held(static_cast<Index>(i), r);
    }
  }
  const auto& lower = factor.matrixL().nestedExpression();
  for (Index j = 0; j < count; ++j) {
    Eigen::SparseMatrix<double>::InnerIterator it(lower, j);
    projected.row(j) /= it.value();
    for (++it; it; ++it) projected.row(it.row()) -= it.value() * projected.row(j);
  }
}

/// Vertices of the last evaluation.
void MeshIk::State::backward(MeshIkResult& result) const {
  const Index width = gradients.width();
  Eigen::MatrixXd x(projected.rows(), 3);
  for (Index r = 0; r < 3; ++r) x.col(r) = projected.col(r * width + examples);
  factor.matrixU().solveInPlace(x);
  const auto& order = factor.permutationP().indices();
  result.points.resize(3, vertices);
  for (std::size_t i = 0; i < free.size(); ++i) {
    result.points.col(free[i]) = x.row(order[static_cast<Index>(i)]).transpose() / scale + centre;
  }
  for (std::size_t i = 0; i < fixed.size(); ++i)
    result.points.col(fixed[i]) = held.row(static_cast<Index>(i)).transpose() / scale + centre;
}

/// Gauss-Newton; steps that do not lower the objective are halved.
Eigen::VectorXd MeshIk::State::iterate(Eigen::VectorXd weights, MeshIkResult& result) {
  evaluate(weights);
  double last = objective(weights);
  const auto start = Clock::now();
  result.converged = examples == 0;
  while (!result.converged && result.iterations < options.mostIterations) {
    ++result.iterations;
    Eigen::MatrixXd hessian = normal.topLeftCorner(examples, examples);
    hessian.diagonal().array() += lambda;
    Eigen::VectorXd step = -hessian.ldlt().solve(normal.col(examples).head(examples) + lambda * weights);
    double next = std::numeric_limits<double>::infinity();
    for (int halvings = 0; halvings < kMostHalvings && !(next <= last); ++halvings, step *= 0.5) {
      evaluate(weights + step);
      next = objective(weights + step);
      if (next <= last) weights += step;
    }
    result.converged = !(last - next > options.stop * last);
    if (!(next <= last)) evaluate(weights);
    last = std::min(last, next);
  }
  result.objective = last;
  result.secondsPerIteration = secondsOfMeshIk(start) / std::max(1, result.iterations);
  return weights;
}

MeshIk::MeshIk(const ConstPointsRef& rest, std::span<const Triangle> triangles, std::span<const Points> examples,
               const MeshIkOptions& options)
    : state_(std::make_unique<State>(rest, triangles, examples, options)) {
  setHandles({});
}
MeshIk::~MeshIk() = default;
MeshIk::MeshIk(MeshIk&&) noexcept = default;
MeshIk& MeshIk::operator=(MeshIk&&) noexcept = default;

void MeshIk::setHandles(std::span<const Index> vertices) {
  state_->placeHandles(vertices);
}

Index MeshIk::factorEntries() const {
  return state_->factor.matrixL().nestedExpression().nonZeros();
}

MeshIkResult MeshIk::solve(const ConstPointsRef& targets, const Eigen::VectorXd* start) {
  State& s = *state_;
  SINEW_CHECK(targets.cols() == static_cast<Index>(s.handles.size()), kWhere,
              fmt::format("{} targets for {} handles", targets.cols(), s.handles.size()));
  SINEW_CHECK(start == nullptr || start->size() == s.examples, kWhere,
              fmt::format("the initial weights are not for {} examples", s.examples));
  checkFinite(targets, kWhere, "the targets");
  const auto begin = Clock::now();
  s.held.setZero();
  Eigen::VectorXd named = Eigen::VectorXd::Zero(s.held.rows());
  for (std::size_t i = 0; i < s.handles.size(); ++i) {
    const Index row = std::lower_bound(s.fixed.begin(), s.fixed.end(), s.handles[i]) - s.fixed.begin();
    s.held.row(row) += s.scale * (targets.col(static_cast<Index>(i)) - s.centre).transpose();
    named[row] += 1;
  }
  for (Index row = 0; row < named.size(); ++row) s.held.row(row) /= named[row];
  MeshIkResult result;
  result.weights = s.iterate(start != nullptr ? *start : Eigen::VectorXd::Zero(s.examples), result);
  s.backward(result);
  for (std::size_t i = 0; i < s.handles.size(); ++i) {
    const double miss = (result.points.col(s.handles[i]) - targets.col(static_cast<Index>(i))).norm();
    result.residualMax = std::max(result.residualMax, miss);
  }
  result.seconds = secondsOfMeshIk(begin);
  return result;
}

MeshIkResult MeshIk::blend(const Eigen::VectorXd& weights) {
  State& s = *state_;
  SINEW_CHECK(weights.size() == s.examples, kWhere,
              fmt::format("{} weights for {} examples", weights.size(), s.examples));
  const std::vector<Index> before = s.handles;
  if (!before.empty()) setHandles({});
  MeshIkResult result;
  result.weights = weights;
  s.evaluate(weights);
  s.backward(result);
  result.objective = s.objective(weights);
  if (!before.empty()) setHandles(before);
  return result;
}

}  // namespace sinew
