#include "sinew/manipulate/drag_weights/solve.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/math/convex_hull.h"
#include "sinew/math/decompositions.h"
#include "support/allocations.h"
#include "support/message_of.h"
#include "support/random_points.h"

namespace sinew::drag_weights_solve_test {
namespace {

using test::randomPoints;

struct Case {
  std::string name;
  Points corners;
  double distances;  ///< sum over the hundred targets
};

/// Influences in general position, in a plane, on a line, and two in one place.
std::vector<Case> cases() {
  Points plane = randomPoints(6, 306);
  plane.row(2) = 0.3 * plane.row(0) - 0.2 * plane.row(1);
  const Points line = Vec3(1, 0.5, -0.25) * randomPoints(8, 308).row(0);
  Points twice = randomPoints(6, 306);
  twice.col(5) = twice.col(0);
  return {{"four", randomPoints(4, 304), 92.613903},
          {"eight", randomPoints(8, 308), 72.200176},
          {"coplanar", plane, 94.489507},
          {"collinear", line, 114.415611},
          {"coincident", twice, 84.512322}};
}

Eigen::VectorXd even(Index count) {
  return Eigen::VectorXd::Constant(count, 1 / static_cast<double>(count));
}

std::vector<Vec3> hundredTargets() {
  Lcg random(55);
  std::vector<Vec3> targets;
  for (int i = 0; i < 100; ++i) targets.emplace_back(1.5 * random.vector());
  return targets;
}

/// The paper's projection: the nearest of the projections onto all faces, edges and corners that lie inside them; zero
/// inside a tetrahedron. Groups without extent are left out.
double distanceByEnumeration(const Points& p, const Vec3& target) {
  double best = std::numeric_limits<double>::infinity();
  const auto n = static_cast<int>(p.cols());
  for (int mask = 1; mask < 1 << n; ++mask) {
    std::vector<int> ids;
    for (int i = 0; i < n; ++i) {
      if ((mask >> i & 1) != 0) ids.push_back(i);
    }
    if (ids.size() > 4) continue;
    const auto m = static_cast<Index>(ids.size()) - 1;
    Eigen::MatrixXd sides(3, m);
    for (Index k = 0; k < m; ++k) sides.col(k) = p.col(ids[static_cast<std::size_t>(k + 1)]) - p.col(ids[0]);
    const Eigen::MatrixXd gram = sides.transpose() * sides;
    if (m > 0 && symmetricEigenvalues(gram).prod() < 1e-13 * std::pow(gram.trace(), static_cast<double>(m))) continue;
    const Eigen::VectorXd shares =
        m > 0 ? leastSquares(gram, sides.transpose() * (target - p.col(ids[0])), 1e-15) : Eigen::VectorXd(0);
    if (m > 0 && (shares.minCoeff() < -1e-12 || shares.sum() > 1 + 1e-12)) continue;
    const Vec3 place = m > 0 ? Vec3(p.col(ids[0]) + sides * shares) : Vec3(p.col(ids[0]));
    best = std::min(best, (place - target).norm());
  }
  return best;
}

TEST(DragReach, FindsTheNearestPointOfTheHullAsEnumerationDoes) {
  drag_weights::ReachSolver solver;
  for (const Case& c : cases()) {
    const Index n = c.corners.cols();
    Eigen::VectorXd weights(n);
    double sum = 0;
    for (const Vec3& target : hundredTargets()) {
      const drag_weights::Reach reach = solver.solve(c.corners, even(n), target, {}, weights);
      sum += reach.distance;
      EXPECT_TRUE(reach.converged);
      EXPECT_NEAR(reach.distance, distanceByEnumeration(c.corners, target), 1e-12) << c.name;
      EXPECT_LT((reach.placed - reach.nearest).norm(), 1e-9) << c.name;
      EXPECT_GE(weights.minCoeff(), 0);
      EXPECT_NEAR(weights.sum(), 1, 1e-14);
      EXPECT_LT((solver.nearest(c.corners, target, false) - reach.nearest).norm(), 1e-12);
    }
    EXPECT_NEAR(sum, c.distances, 1e-6) << c.name;
  }
}

TEST(DragReach, ChangesWeightsLeastInSquaresOrInSum) {
  const Points corners = randomPoints(8, 308);
  const Vec3 target = corners.rowwise().mean() + Vec3(0.1, -0.05, 0.08);
  drag_weights::ReachSolver solver;
  Eigen::VectorXd weights(8);
  solver.solve(corners, even(8), target, {}, weights);
  const double expected[] = {.159598, .131429, .028369, .131582, .130685, .138134, .097986, .182216};
  for (Index i = 0; i < 8; ++i) EXPECT_NEAR(weights[i], expected[i], 1e-5);
  const double squares = (weights - even(8)).lpNorm<1>();
  const drag_weights::Reach reach =
      solver.solve(corners, even(8), target, {.secondStage = SecondStage::LeastSum}, weights);
  const double sum = (weights - even(8)).lpNorm<1>();
  EXPECT_NEAR(sum, 0.212955, 1e-6);
  EXPECT_LT(sum, squares);
  EXPECT_LT((reach.placed - target).norm(), 1e-12);
  EXPECT_TRUE(reach.converged);
}

TEST(DragReach, NoOtherWeightsForThePlaceAreNearerToTheStart) {
  // Against weights that reach the same place by way of a random direction in which it stays.
  drag_weights::ReachSolver solver;
  Lcg random(12);
  for (const Case& c : cases()) {
    const Index n = c.corners.cols();
    Eigen::MatrixXd conditions(4, n);
    conditions << c.corners, Eigen::RowVectorXd::Ones(n);
    const SymmetricEigen gram = symmetricEigen(conditions.transpose() * conditions);
    const Index flat = (gram.values.array() < 1e-12 * gram.values.maxCoeff()).count();
    const Eigen::MatrixXd kernel = gram.vectors.leftCols(flat);
    for (const Vec3& target : hundredTargets()) {
      Eigen::VectorXd squares(n);
      Eigen::VectorXd sums(n);
      solver.solve(c.corners, even(n), target, {}, squares);
      solver.solve(c.corners, even(n), target, {.secondStage = SecondStage::LeastSum}, sums);
      for (const double length : {1e-3, 0.05}) {
        Eigen::VectorXd way = Eigen::VectorXd::Zero(n);
        for (Index k = 0; k < kernel.cols(); ++k) way += random.symmetric() * kernel.col(k);
        if (way.norm() < 1e-9) continue;
        way *= length / way.norm();
        const Eigen::VectorXd a = squares + way;
        if (a.minCoeff() >= 0) {
          EXPECT_GE((a - even(n)).norm(), (squares - even(n)).norm() - 1e-6) << c.name;
        }
        const Eigen::VectorXd b = sums + way;
        if (b.minCoeff() >= 0) {
          EXPECT_GE((b - even(n)).lpNorm<1>(), (sums - even(n)).lpNorm<1>() - 1e-9) << c.name;
        }
      }
    }
  }
}

TEST(DragReach, LeavesTheWeightsWhereTheHullIsAPoint) {
  const Points corners = Vec3(1, 2, 3).replicate(1, 5) + 1e-9 * randomPoints(5, 3);
  Eigen::VectorXd start(5);
  start << 0.5, 0.2, 0.1, 0.15, 0.05;
  Eigen::VectorXd weights(5);
  for (const SecondStage stage : {SecondStage::LeastSquares, SecondStage::LeastSum}) {
    const drag_weights::Reach reach = drag_weights::ReachSolver().solve(
        corners, start, Vec3(4, 2, 3), {.secondStage = stage, .pointSize = 1e-7}, weights);
    EXPECT_EQ(weights, start);
    EXPECT_NEAR(reach.distance, 3, 1e-8);
  }
}

/// A smooth closed way through the hull and out of it.
Vec3 onWay(const Points& corners, double u) {
  const double a = 2 * std::numbers::pi * u;
  const Vec3 centre = corners.rowwise().mean();
  return centre + 0.35 * Vec3(std::cos(a), std::sin(2 * a), std::sin(a + 0.3));
}

double largestStep(const Points& corners, int steps, const drag_weights::ReachOptions& options) {
  drag_weights::ReachSolver solver;
  const Index n = corners.cols();
  Eigen::VectorXd weights(n);
  Eigen::VectorXd last(n);
  double largest = 0;
  for (int k = 0; k <= steps; ++k) {
    solver.solve(corners, even(n), onWay(corners, static_cast<double>(k) / steps), options, weights);
    if (k > 0) largest = std::max(largest, (weights - last).lpNorm<1>());
    last = weights;
  }
  return largest;
}

TEST(DragReach, HalfTheStepIsHalfTheChangeOfWeights) {
  for (const Case& c : cases()) {
    const double whole = largestStep(c.corners, 6000, {});
    const double half = largestStep(c.corners, 12000, {});
    EXPECT_NEAR(half / whole, 0.5, 0.05) << c.name << " " << whole;
    EXPECT_LT(half, 0.1) << c.name;
    const double negative = largestStep(c.corners, 500, {.negative = true});
    EXPECT_NEAR(largestStep(c.corners, 1000, {.negative = true}) / negative, 0.5, 0.05) << c.name;
  }
}

TEST(DragReach, AClosedWayComesBackToTheSameWeights) {
  for (const Case& c : cases()) {
    drag_weights::ReachSolver solver;
    const Index n = c.corners.cols();
    Eigen::VectorXd first(n);
    Eigen::VectorXd weights(n);
    solver.solve(c.corners, even(n), onWay(c.corners, 0), {}, first);
    for (int k = 1; k <= 300; ++k) solver.solve(c.corners, even(n), onWay(c.corners, k / 300.0), {}, weights);
    EXPECT_LT((weights - first).lpNorm<Eigen::Infinity>(), 1e-9) << c.name;
    solver.solve(c.corners, even(n), c.corners.rowwise().mean(), {}, weights);
    EXPECT_LT((weights - even(n)).lpNorm<Eigen::Infinity>(), 1e-9) << c.name;
  }
}

TEST(DragReach, FarBeyondACornerTheCornerTakesAll) {
  const Points corners = randomPoints(8, 308);
  const ConvexHull hull = convexHull(corners);
  const Vec3 centre = corners.rowwise().mean();
  Eigen::VectorXd weights(8);
  int tried = 0;
  for (const std::uint32_t corner : hull.corners) {
    const Vec3 far = centre + 40 * (corners.col(corner) - centre);
    const drag_weights::Reach reach = drag_weights::ReachSolver().solve(corners, even(8), far, {}, weights);
    if ((reach.nearest - corners.col(corner)).norm() > 1e-12) continue;
    EXPECT_EQ(weights[corner], 1);
    EXPECT_EQ((weights.array() != 0).count(), 1);
    ++tried;
  }
  EXPECT_GE(tried, 3);
}

TEST(DragReach, FourInfluencesReachWhatEightDo) {
  const Points corners = randomPoints(8, 308);
  drag_weights::ReachSolver solver;
  Eigen::VectorXd weights(8);
  for (const Vec3& target : hundredTargets()) {
    const double distance = solver.solve(corners, even(8), target, {}, weights).distance;
    const drag_weights::Reach four = solver.solve(corners, even(8), target, {.most = 4}, weights);
    EXPECT_NEAR(four.distance, distance, 1e-9);
    EXPECT_LE((weights.array() != 0).count(), 4);
    EXPECT_NEAR(weights.sum(), 1, 1e-12);
    const drag_weights::Reach two = solver.solve(corners, even(8), target, {.most = 2}, weights);
    EXPECT_GE(two.distance, distance - 1e-9);
    EXPECT_LE((weights.array() != 0).count(), 2);
  }
}

TEST(DragReach, NegativeWeightsReachTheWholeSpan) {
  drag_weights::ReachSolver solver;
  for (const Case& c : cases()) {
    const Index n = c.corners.cols();
    const int dimension = convexHull(c.corners).dimension;
    Eigen::VectorXd weights(n);
    for (const Vec3& target : hundredTargets()) {
      const drag_weights::Reach reach = solver.solve(c.corners, even(n), target, {.negative = true}, weights);
      EXPECT_NEAR(weights.sum(), 1, 1e-9);
      EXPECT_LT((reach.placed - reach.nearest).norm(), 1e-9);
      // What is left stands upright on the span.
      for (Index i = 1; i < n; ++i) {
        EXPECT_NEAR((target - reach.nearest).dot(c.corners.col(i) - c.corners.col(0)), 0, 1e-9) << c.name;
      }
      if (dimension == 3) {
        EXPECT_LT(reach.distance, 1e-9) << c.name;
      }
    }
  }
}

TEST(DragReach, OtherPosesCountMoreAsAlphaGrows) {
  Points stacked[2] = {randomPoints(7, 21), randomPoints(7, 22)};
  Eigen::MatrixXd corners(6, 7);
  corners << stacked[0], stacked[1];
  const Eigen::VectorXd start = even(7);
  Eigen::VectorXd target = corners * start;
  target.head<3>() += Vec3(0.3, -0.4, 0.35);
  drag_weights::ReachSolver solver;
  double missed = -1;
  double moved = std::numeric_limits<double>::infinity();
  for (const double alpha : {0.0, 0.03, 0.1, 0.3, 1.0}) {
    for (const SecondStage stage : {SecondStage::LeastSum, SecondStage::LeastSquares}) {
      Eigen::VectorXd weights(7);
      const drag_weights::Reach reach =
          solver.solve(corners, start, target, {.secondStage = stage, .alpha = alpha}, weights);
      EXPECT_TRUE(reach.converged);
      if (stage == SecondStage::LeastSum) continue;
      const Eigen::VectorXd miss = corners * weights - target;
      EXPECT_GE(miss.head<3>().norm(), missed - 1e-12);
      EXPECT_LE(miss.tail<3>().norm(), moved + 1e-12);
      missed = miss.head<3>().norm();
      moved = miss.tail<3>().norm();
      // The least of |P w - t|^2 + alpha |P' w - x'|^2: no other weights give less.
      Lcg random(5);
      for (int trial = 0; trial < 50; ++trial) {
        Eigen::VectorXd other(7);
        for (Index i = 0; i < 7; ++i) other[i] = random.uniform();
        other = 0.9 * weights + 0.1 * other / other.sum();
        const Eigen::VectorXd worse = corners * other - target;
        EXPECT_GE(worse.head<3>().squaredNorm() + alpha * worse.tail<3>().squaredNorm(),
                  missed * missed + alpha * moved * moved - 1e-9);
      }
    }
  }
  EXPECT_GT(missed, 0.01);
}

TEST(DragReach, DoesNotAllocateOnceItHasGrown) {
  const std::vector<Case> all = cases();
  drag_weights::ReachSolver solver;
  Eigen::VectorXd weights(8);
  const Eigen::VectorXd starts[] = {even(4), even(8), even(6), even(8), even(6)};
  const auto run = [&] {
    for (std::size_t c = 0; c < all.size(); ++c) {
      for (const SecondStage stage : {SecondStage::LeastSquares, SecondStage::LeastSum}) {
        for (const int most : {0, 3}) {
          solver.solve(all[c].corners, starts[c], Vec3(0.3, 0.2, 0.1), {.secondStage = stage, .most = most},
                       weights.head(all[c].corners.cols()));
        }
      }
      solver.solve(all[c].corners, starts[c], Vec3(0.3, 0.2, 0.1), {.negative = true},
                   weights.head(all[c].corners.cols()));
    }
  };
  run();
  const std::size_t before = test::allocationCount();
  run();
  EXPECT_EQ(test::allocationCount(), before);
}

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(DragReach, TakesLessThanFiftyMicrosecondsForEightInfluences) {
  const Points corners = randomPoints(8, 308);
  const std::vector<Vec3> targets = hundredTargets();
  drag_weights::ReachSolver solver;
  Eigen::VectorXd weights(8);
  const Eigen::VectorXd start = even(8);
  // The best of several rounds, since the machine is shared.
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 20; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (const Vec3& target : targets) solver.solve(corners, start, target, {}, weights);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / 100);
  }
  EXPECT_LT(best, 50e-6);
}
#endif

TEST(DragReach, RefusesWhatItCannotSolve) {
  drag_weights::ReachSolver solver;
  Eigen::VectorXd weights(4);
  const Points corners = randomPoints(4, 1);
  const auto message = [&](const Vec3& target, const Eigen::VectorXd& start) {
    return test::messageOf([&] { solver.solve(corners, start, target, {}, weights); });
  };
  EXPECT_NE(message(Vec3(0, std::nan(""), 0), even(4)).find("not a finite number"), std::string::npos);
  EXPECT_NE(message(Vec3::Zero(), even(3)).find("3 weights do not fit"), std::string::npos);
  EXPECT_NE(test::messageOf([&] { solver.nearest(Points(3, 0), Vec3::Zero(), false); }).find("0 influences"),
            std::string::npos);
}

}  // namespace
}  // namespace sinew::drag_weights_solve_test
