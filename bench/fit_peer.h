// The baseline: textbook non-negative least squares for every vertex.
#pragma once

#include <Eigen/Core>
#include <Eigen/QR>
#include <vector>

#include "sinew/learn/fit/problem.h"

namespace sinew::bench {

/// Lawson and Hanson, "Solving least squares problems" (1974), chapter 23: min |A x - b| over x >= 0. The passive set
/// is solved anew by Householder QR each time.
inline Eigen::VectorXd lawsonHanson(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double tolerance) {
  const Index n = A.cols();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  std::vector<Index> passive;
  std::vector<char> isPassive(static_cast<std::size_t>(n), 0);
  Eigen::VectorXd residual = b;
  const auto solvePassive = [&] {
    Eigen::MatrixXd columns(A.rows(), static_cast<Index>(passive.size()));
    for (std::size_t k = 0; k < passive.size(); ++k) columns.col(static_cast<Index>(k)) = A.col(passive[k]);
    return Eigen::VectorXd(columns.householderQr().solve(b));
  };
  for (Index round = 0; round < 3 * n; ++round) {
    const Eigen::VectorXd slope = A.transpose() * residual;
    Index best = -1;
    for (Index i = 0; i < n; ++i) {
      const bool free = isPassive[static_cast<std::size_t>(i)] == 0;
      if (free && slope[i] > tolerance && (best < 0 || slope[i] > slope[best])) best = i;
    }
    if (best < 0) break;
    passive.push_back(best);
    isPassive[static_cast<std::size_t>(best)] = 1;
    Eigen::VectorXd solved = solvePassive();
    while (solved.minCoeff() <= 0) {
      double share = 1;
      for (std::size_t k = 0; k < passive.size(); ++k) {
        const double from = x[passive[k]];
        const double to = solved[static_cast<Index>(k)];
        if (to <= 0) share = std::min(share, from / (from - to));
      }
      std::vector<Index> stay;
      for (std::size_t k = 0; k < passive.size(); ++k) {
        double& value = x[passive[k]];
        value += share * (solved[static_cast<Index>(k)] - value);
        if (value > 1e-14) {
          stay.push_back(passive[k]);
        } else {
          value = 0;
          isPassive[static_cast<std::size_t>(passive[k])] = 0;
        }
      }
      passive = std::move(stay);
      if (passive.empty()) return x;
      solved = solvePassive();
    }
    for (std::size_t k = 0; k < passive.size(); ++k) x[passive[k]] = solved[static_cast<Index>(k)];
    residual = b - A * x;
  }
  return x;
}

/// Weights of one point: the full 3 P x n matrix with a heavy row for the sum; the `most` largest fitted again.
class BookFit {
 public:
  BookFit(const fit::FitProblem& problem, int most) : problem_(problem), most_(most) {}

  std::vector<Influence> weights(Index point) const {
    const auto& candidates = problem_.candidates[problem_.skinOf[static_cast<std::size_t>(point)]];
    std::vector<Influence> column = fit(point, candidates);
    if (column.size() <= static_cast<std::size_t>(most_)) return column;
    std::vector<std::uint32_t> largest;
    largest.reserve(static_cast<std::size_t>(most_));
    for (int k = 0; k < most_; ++k) largest.push_back(column[static_cast<std::size_t>(k)].binding);
    return fit(point, largest);
  }

 private:
  [[nodiscard]] std::vector<Influence> fit(Index point, const std::vector<std::uint32_t>& bindings) const {
    const auto rows = 3 * static_cast<Index>(problem_.exampleCount());
    Eigen::MatrixXd A(rows + 1, static_cast<Index>(bindings.size()));
    Eigen::VectorXd b(rows + 1);
    // Relative to the target of each pose, in diagonals: the sum is exact enough then, and the row not too heavy.
    const double size = problem_.diagonal;
    for (std::size_t e = 0; e < problem_.exampleCount(); ++e) {
      const Vec3 target = problem_.targets[e].col(point);
      for (std::size_t i = 0; i < bindings.size(); ++i) {
        A.col(static_cast<Index>(i)).segment<3>(3 * static_cast<Index>(e)) =
            (problem_.worldFromRest[e][bindings[i]] * problem_.rest.col(point) - target) / size;
      }
    }
    constexpr double kSum = 1e3;
    A.row(rows).setConstant(kSum);
    b.setZero();
    b[rows] = kSum;
    const Eigen::VectorXd x = lawsonHanson(A, b, 1e-10);
    std::vector<Influence> column;
    for (Index i = 0; i < x.size(); ++i) {
      if (x[i] > 0) column.push_back({bindings[static_cast<std::size_t>(i)], x[i] / x.sum()});
    }
    std::stable_sort(column.begin(), column.end(),
                     [](const Influence& a, const Influence& c) { return a.weight > c.weight; });
    return column;
  }

  const fit::FitProblem& problem_;
  int most_;
};

}  // namespace sinew::bench
