// With rho_b the residual of a vertex under control b over all examples (3 P numbers), Q_bc = rho_b . rho_c and weights
// that sum to 1, the squared error is a^T Q a. The least over a support s is 1 / (1^T Q_ss^-1 1), at
// a_s = Q_ss^-1 1 / (1^T Q_ss^-1 1); with four controls all 15 supports are tried, which is exact.
#include "sinew/learn/reduced_model/weights.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "sinew/base/parallel.h"
#include "sinew/math/simplex_least_squares.h"

namespace sinew::reduced_model {
namespace {

constexpr Index kBlock = 32;     // vertices at a time
constexpr double kRidge = 1e-6;  // of Q's mean diagonal
constexpr int kPrunePasses = 3;

template <int N>
bool solveSupport(const Eigen::Ref<const Eigen::MatrixXd>& Q, const std::array<int, 4>& support, double& value,
                  std::array<double, 4>& weights) {
  Eigen::Matrix<double, N, N> inside;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) inside(i, j) = Q(support[toSize(i)], support[toSize(j)]);
  Eigen::Matrix<double, N, N> inverse = Eigen::Matrix<double, N, N>::Zero();
  bool invertible = false;
  inside.computeInverseWithCheck(inverse, invertible, 0.0);
  if (!invertible) return false;
  const Eigen::Matrix<double, N, 1> u = inverse.rowwise().sum();
  const double sum = u.sum();
  if (!(u.minCoeff() > 0) || !(sum > 0)) return false;
  if (!(1 / sum < value)) return false;
  value = 1 / sum;
  for (int i = 0; i < N; ++i) weights[toSize(i)] = u[i] / sum;
  return true;
}

bool trySupport(const Eigen::Ref<const Eigen::MatrixXd>& Q, const std::array<int, 4>& support, int size, double& value,
                std::array<double, 4>& weights) {
  switch (size) {
    case 1:
      return solveSupport<1>(Q, support, value, weights);
    case 2:
      return solveSupport<2>(Q, support, value, weights);
    case 3:
      return solveSupport<3>(Q, support, value, weights);
    default:
      return solveSupport<4>(Q, support, value, weights);
  }
}

/// One block of vertices: residuals of every control, then the blend.
class BlockSolver {
 public:
  BlockSolver(const Points& rest, std::span<const Points> aligned, const Eigen::MatrixXd& maps, Index controls,
              int maxInfluences, double prune)
      : rest_(rest), aligned_(aligned), maps_(maps), controls_(controls), prune_(prune) {
    candidates_ = std::min<Index>(maxInfluences, controls);
  }

  void operator()(Index first, Index count, std::vector<std::vector<Influence>>& columns) {
    const auto examples = static_cast<Index>(aligned_.size());
    Eigen::Matrix<double, 4, Eigen::Dynamic> x(4, count);
    x.topRows<3>() = rest_.middleCols(first, count);
    x.row(3).setOnes();
    residuals_.noalias() = maps_ * x;
    for (Index p = 0; p < examples; ++p) {
      const auto target = aligned_[toSize(p)].middleCols(first, count);
      for (Index b = 0; b < controls_; ++b) residuals_.middleRows(3 * (b * examples + p), 3) -= target;
    }
    for (Index i = 0; i < count; ++i) solveVertex(i, examples, columns[toSize(first + i)]);
  }

 private:
  void solveVertex(Index i, Index examples, std::vector<Influence>& column) {
    const Eigen::Map<const Eigen::MatrixXd> rho(residuals_.col(i).data(), 3 * examples, controls_);
    const Eigen::VectorXd errors = rho.colwise().squaredNorm().transpose();
    std::vector<int> chosen(toSize(controls_));
    std::iota(chosen.begin(), chosen.end(), 0);
    std::partial_sort(chosen.begin(), chosen.begin() + candidates_, chosen.end(),
                      [&](int a, int b) { return errors[a] != errors[b] ? errors[a] < errors[b] : a < b; });
    chosen.resize(toSize(candidates_));
    Eigen::VectorXd weights;
    for (int pass = 0; pass <= kPrunePasses; ++pass) {
      weights = blend(rho, chosen);
      std::vector<int> kept;
      for (std::size_t c = 0; c < chosen.size(); ++c)
        if (weights[static_cast<Index>(c)] > std::max(prune_, 1e-9)) kept.push_back(chosen[c]);
      if (kept.size() == chosen.size()) break;
      if (kept.empty()) kept.push_back(chosen.front());
      chosen = std::move(kept);
    }
    if (weights.size() != static_cast<Index>(chosen.size())) weights = blend(rho, chosen);
    for (std::size_t c = 0; c < chosen.size(); ++c)
      column.push_back({static_cast<std::uint32_t>(chosen[c]), weights[static_cast<Index>(c)]});
  }

  [[nodiscard]] Eigen::VectorXd blend(const Eigen::Map<const Eigen::MatrixXd>& rho, const std::vector<int>& chosen) {
    const auto n = static_cast<Index>(chosen.size());
    Eigen::VectorXd weights = Eigen::VectorXd::Ones(n);
    if (n == 1) return weights;
    Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(n, n);
    for (Index a = 0; a < n; ++a)
      for (Index b = 0; b <= a; ++b) Q(a, b) = Q(b, a) = rho.col(chosen[toSize(a)]).dot(rho.col(chosen[toSize(b)]));
    const double trace = Q.trace();
    // Every control is exact here: the first is as good as any.
    if (!(trace > 0)) return Eigen::VectorXd::Unit(n, 0);
    Q.diagonal().array() += kRidge * trace / static_cast<double>(n);
    if (n <= 4) {
      solveSmallSimplex(Q, weights);
    } else {
      solveSimplex(Q, Eigen::VectorXd(), 1, {}, scratch_, weights);
    }
    return weights;
  }

  const Points& rest_;
  std::span<const Points> aligned_;
  const Eigen::MatrixXd& maps_;
  Index controls_;
  double prune_;
  Index candidates_ = 0;
  Eigen::MatrixXd residuals_;
  SimplexScratch scratch_;
};

}  // namespace

double solveSmallSimplex(const Eigen::Ref<const Eigen::MatrixXd>& Q, Eigen::Ref<Eigen::VectorXd> weights) {
  const auto n = static_cast<int>(Q.rows());
  double value = std::numeric_limits<double>::infinity();
  std::array<double, 4> best{};
  std::array<int, 4> support{0, 1, 2, 3};
  weights.setZero();
  // Positive weights on all unknowns are the least of all: no support can be better.
  if (trySupport(Q, support, n, value, best)) {
    for (int i = 0; i < n; ++i) weights[i] = best[toSize(i)];
    return value;
  }
  for (int mask = 1; mask < (1 << n) - 1; ++mask) {
    int size = 0;
    for (int i = 0; i < n; ++i)
      if ((mask >> i & 1) != 0) support[toSize(size++)] = i;
    if (!trySupport(Q, support, size, value, best)) continue;
    weights.setZero();
    for (int i = 0; i < size; ++i) weights[support[toSize(i)]] = best[toSize(i)];
  }
  return value;
}

SkinWeights controlWeights(const Points& rest, std::span<const Points> aligned,
                           const std::vector<std::vector<Affine>>& controls, int maxInfluences, double prune) {
  const auto count = static_cast<Index>(controls.empty() ? 1 : controls.front().size());
  const auto examples = static_cast<Index>(aligned.size());
  // Rows: control, example, coordinate.
  Eigen::MatrixXd maps(3 * count * examples, 4);
  for (Index b = 0; b < count; ++b) {
    for (Index p = 0; p < examples; ++p)
      maps.middleRows(3 * (b * examples + p), 3) = controls[toSize(p)][toSize(b)].matrix();
  }
  std::vector<std::vector<Influence>> columns(toSize(rest.cols()));
  parallelFor((rest.cols() + kBlock - 1) / kBlock, 1, [&](Index block) {
    const Index first = block * kBlock;
    BlockSolver solver(rest, aligned, maps, count, maxInfluences, prune);
    solver(first, std::min(kBlock, rest.cols() - first), columns);
  });
  return SkinWeights::fromColumns(toSize(count), columns);
}

}  // namespace sinew::reduced_model
