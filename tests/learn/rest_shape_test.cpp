#include "sinew/learn/fit/rest_shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/learn/fit/weights.h"
#include "support/message_of.h"
#include "support/random_points.h"

namespace sinew::rest_shape_test {
namespace {

using test::messageOf;
using test::randomMotion;
using Columns = std::vector<std::vector<Influence>>;

constexpr fit::RestOptions kFree{.stiffness = 0, .mostDrift = 10, .cutOff = 1e-2};

/// Points on two joints, seen in five poses of a planted rest shape.
struct Planted {
  explicit Planted(Index points = 40) : truth(3, points) {
    Lcg random(7);
    problem.rest.resize(3, points);
    for (Index p = 0; p < points; ++p) {
      truth.col(p) = random.vector();
      problem.rest.col(p) = truth.col(p) + 0.1 * random.vector();
      const double weight = 0.2 + 0.6 * random.uniform();
      columns.push_back({{0, weight}, {1, 1 - weight}});
      problem.skinOf.push_back(0);
    }
    problem.prior = columns;
    problem.candidates = {{0, 1}};
    for (int e = 0; e < 5; ++e) addPose({randomMotion(random), randomMotion(random)});
  }

  void addPose(const std::vector<Affine>& joints) {
    Points target(3, truth.cols());
    for (Index p = 0; p < truth.cols(); ++p) {
      target.col(p).setZero();
      for (const Influence& influence : columns[static_cast<std::size_t>(p)])
        target.col(p) += influence.weight * (joints[influence.binding] * Vec3(truth.col(p)));
    }
    problem.worldFromRest.push_back(joints);
    problem.targets.push_back(target);
    problem.confidence.push_back(1);
    problem.masks.emplace_back();
  }

  Points truth;
  Columns columns;
  fit::FitProblem problem;
};

/// One point on one joint that stays where it is.
fit::FitProblem stillPoint(const Vec3& rest, const Vec3& wanted) {
  fit::FitProblem problem;
  problem.rest = rest;
  problem.targets = {wanted};
  problem.worldFromRest = {{Affine::Identity()}};
  problem.confidence = {1};
  problem.masks.resize(1);
  problem.candidates = {{0}};
  problem.skinOf = {0};
  problem.prior = {{{0, 1.0}}};
  return problem;
}

TEST(RestShape, GivesAPlantedRestBack) {
  const Planted planted;
  const fit::RestFit fit = fit::fitRest(planted.problem, planted.columns, planted.problem.rest, kFree);
  EXPECT_LT((fit.rest - planted.truth).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_EQ(fit.limited, 0);
  EXPECT_NEAR(fit.drift, (planted.truth - planted.problem.rest).colwise().norm().maxCoeff(), 1e-10);
}

TEST(RestShape, StaysWhereItIsWhenItFits) {
  Planted planted;
  planted.problem.rest = planted.truth;
  const fit::RestFit fit = fit::fitRest(planted.problem, planted.columns, planted.truth);
  EXPECT_LT((fit.rest - planted.truth).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(RestShape, StiffnessSharesTheWayBetweenTheOldAndTheWantedPlace) {
  const fit::FitProblem problem = stillPoint(Vec3(1, 2, 3), Vec3(1.4, 2, 3));
  const fit::RestFit fit =
      fit::fitRest(problem, problem.prior, problem.rest, {.stiffness = 3, .mostDrift = 10, .cutOff = 1e-2});
  EXPECT_NEAR(fit.rest(0, 0), 1.1, 1e-12);  // 0.4 / (1 + 3)
}

TEST(RestShape, KeepsDirectionsThatTheExamplesCannotSee) {
  // Half of a half-turn about z: x and y collapse onto the axis.
  fit::FitProblem problem = stillPoint(Vec3(1, 2, 3), Vec3(0, 0, 5));
  Affine halfTurn = Affine::Identity();
  halfTurn.linear() = Eigen::AngleAxisd(std::numbers::pi, Vec3::UnitZ()).toRotationMatrix();
  problem.worldFromRest = {{Affine::Identity(), halfTurn}};
  const fit::RestFit fit = fit::fitRest(problem, {{{0, 0.5}, {1, 0.5}}}, problem.rest, kFree);
  EXPECT_NEAR((fit.rest.col(0) - Vec3(1, 2, 5)).norm(), 0, 1e-12);
}

TEST(RestShape, NeverDriftsFartherThanAllowedAndIsTheBestPointOfTheBall) {
  const Planted planted;
  const fit::RestOptions options{.stiffness = 0, .mostDrift = 0.02, .cutOff = 0};
  const fit::RestFit fit = fit::fitRest(planted.problem, planted.columns, planted.problem.rest, options);
  EXPECT_LE(fit.drift, 0.02 * (1 + 1e-9));
  EXPECT_GT(fit.limited, 30);
  const auto errorAt = [&](Index p, const Vec3& v) {
    double error = 0;
    for (std::size_t e = 0; e < planted.problem.exampleCount(); ++e) {
      Vec3 moved = -planted.problem.targets[e].col(p);
      for (const Influence& influence : planted.columns[static_cast<std::size_t>(p)])
        moved += influence.weight * (planted.problem.worldFromRest[e][influence.binding] * v);
      error += moved.squaredNorm();
    }
    return error;
  };
  Lcg random(3);
  for (Index p = 0; p < 10; ++p) {
    const double best = errorAt(p, fit.rest.col(p));
    for (int k = 0; k < 300; ++k) {
      const Vec3 other = planted.problem.rest.col(p) + 0.02 * random.vector().normalized();
      EXPECT_LE(best, errorAt(p, other) * (1 + 1e-9));
    }
  }
}

TEST(RestShape, NeverRaisesTheErrorOfAPoint) {
  Planted planted;
  Lcg random(5);
  for (Points& target : planted.problem.targets) {
    for (Index p = 0; p < target.cols(); ++p) target.col(p) += 0.3 * random.vector();
  }
  const Points original = planted.problem.rest;
  std::vector<double> before = fit::weightErrors(planted.problem, planted.columns);
  for (const double stiffness : {0.0, 1.0, 100.0}) {  // each starts where the one before ended
    planted.problem.rest =
        fit::fitRest(planted.problem, planted.columns, original, {.stiffness = stiffness, .mostDrift = 0.05}).rest;
    const std::vector<double> after = fit::weightErrors(planted.problem, planted.columns);
    for (std::size_t p = 0; p < after.size(); ++p) EXPECT_LE(after[p], before[p] * (1 + 1e-9)) << stiffness;
    before = after;
  }
}

TEST(RestShape, CountsExamplesByConfidenceAndMask) {
  fit::FitProblem problem = stillPoint(Vec3::Zero(), Vec3(1, 0, 0));
  problem.targets.push_back(Vec3(0, 1, 0));
  problem.worldFromRest.push_back(problem.worldFromRest[0]);
  problem.confidence = {3, 1};
  problem.masks.resize(2);
  EXPECT_NEAR((fit::fitRest(problem, problem.prior, problem.rest, kFree).rest.col(0) - Vec3(0.75, 0.25, 0)).norm(), 0,
              1e-12);
  problem.masks[0] = {0};
  EXPECT_NEAR((fit::fitRest(problem, problem.prior, problem.rest, kFree).rest.col(0) - Vec3(0, 1, 0)).norm(), 0, 1e-12);
  problem.masks[1] = {0};
  EXPECT_EQ(fit::fitRest(problem, problem.prior, problem.rest, kFree).rest.col(0), Vec3::Zero());
}

TEST(RestShape, DoesNotDependOnTheUnitsOfTheRestSpace) {
  const Planted planted;
  const fit::RestOptions options{.stiffness = 0.5, .mostDrift = 0.03, .cutOff = 1e-2};
  const fit::RestFit metres = fit::fitRest(planted.problem, planted.columns, planted.problem.rest, options);
  fit::FitProblem scaled = planted.problem;  // the rest shape in centimetres
  scaled.rest *= 100;
  for (auto& joints : scaled.worldFromRest) {
    for (Affine& joint : joints) joint = joint * Eigen::Scaling(0.01);
  }
  const fit::RestFit centimetres = fit::fitRest(scaled, planted.columns, scaled.rest, options);
  EXPECT_LT((centimetres.rest / 100 - metres.rest).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_NEAR(centimetres.drift, metres.drift, 1e-9);
}

TEST(RestShape, HasTheSameBitsOnOneThread) {
  const Planted planted(2000);
  const fit::RestFit many = fit::fitRest(planted.problem, planted.columns, planted.problem.rest);
  const ThreadLimit one(1);
  EXPECT_EQ(fit::fitRest(planted.problem, planted.columns, planted.problem.rest).rest, many.rest);
}

TEST(RestShape, RefusesWhatMakesNoSense) {
  const Planted planted;
  const auto refusal = [&](const Columns& columns, const fit::RestOptions& options) {
    return messageOf([&] { fit::fitRest(planted.problem, columns, planted.problem.rest, options); });
  };
  EXPECT_EQ(refusal({}, {}), "rest shape: weights for 0 points and 40 original positions, but there are 40 points");
  EXPECT_EQ(refusal(planted.columns, {.stiffness = -1}), "rest shape: the stiffness is -1; it must be 0 or more");
  EXPECT_EQ(refusal(planted.columns, {.mostDrift = std::nan("")}),
            "rest shape: the drift allowed is nan; it must be 0 or more");
  EXPECT_EQ(refusal(planted.columns, {.cutOff = 1}), "rest shape: the cut-off is 1; it must be between 0 and 1");
}

}  // namespace
}  // namespace sinew::rest_shape_test
