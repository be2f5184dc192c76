#include "sinew/manipulate/reduced_ik.h"

#include "sinew/manipulate/reduced_ik/handles.h"
#include "sinew/manipulate/reduced_ik/system.h"

#include <gtest/gtest.h>

#include <cmath>

#include "manipulate/bending_bar.h"
#include "sinew/base/random.h"
#include "sinew/math/decompositions.h"
#include "sinew/math/rotation.h"
#include "support/allocations.h"
#include "support/message_of.h"

namespace sinew::reduced_ik_test {
namespace {

using test::bendingBar;
using test::messageOf;
using test::skinned;

std::shared_ptr<const ReducedModel> shared(ReducedModel model) {
  return std::make_shared<const ReducedModel>(std::move(model));
}

/// On the ends and the middle of the bar, not in a plane.
const std::vector<Index> kSolid = {0, 2, 4, 161, 320, 322};

double worst(const Points& a, const Points& b) {
  return (a - b).colwise().norm().maxCoeff();
}

TEST(ReducedIk, WithoutHandlesGivesTheRest) {
  ReducedIk ik(shared(bendingBar()));
  const IkResult& result = ik.solve(Points(3, 0));
  EXPECT_LT(worst(skinned(ik.model(), result.controls), ik.model().rest), 1e-12);
  EXPECT_EQ(result.weights, Eigen::VectorXd::Unit(4, 0));
  EXPECT_EQ(result.residualMax, 0);
  EXPECT_TRUE(result.converged);
}

TEST(ReducedIk, OneHandleMovesTheWholeShape) {
  ReducedIk ik(shared(bendingBar()));
  for (const Index vertex : {0, 100, 325}) {
    ik.setHandles(std::vector<Index>{vertex});
    const Vec3 shift(1, -20, 300);
    const IkResult& result = ik.solve(ik.model().rest.col(vertex) + shift);
    EXPECT_LT(worst(skinned(ik.model(), result.controls), ik.model().rest.colwise() + shift), 1e-9);
    EXPECT_FALSE(result.turned);
  }
}

TEST(ReducedIk, BlendOfOneExampleIsTheExample) {
  ReducedIk ik(shared(bendingBar()));
  for (std::size_t p = 0; p < ik.model().exampleCount(); ++p) {
    const IkResult& result = ik.blend(Eigen::VectorXd::Unit(4, static_cast<Index>(p)));
    EXPECT_LT(worst(skinned(ik.model(), result.controls), skinned(ik.model(), ik.model().controls[p])), 1e-9);
    EXPECT_NEAR(result.weights.sum(), 1, 1e-12);
  }
}

TEST(ReducedIk, FindsExamplesFromTheirHandles) {
  ReducedIk ik(shared(bendingBar()));
  ik.setHandles(kSolid);
  for (std::size_t p = 0; p < ik.model().exampleCount(); ++p) {
    const Points truth = skinned(ik.model(), ik.model().controls[p]);
    const IkResult& result = ik.solve(truth(Eigen::all, kSolid));
    EXPECT_EQ(result.start, p == 0 ? -1 : static_cast<int>(p));
    EXPECT_LT(result.residualMax, 1e-12);
    EXPECT_LT(worst(skinned(ik.model(), result.controls), truth), 0.02) << "example " << p;
    EXPECT_LE(result.iterations, 4);
  }
}

TEST(ReducedIk, TurnsWithItsTargets) {
  ReducedIk ik(shared(bendingBar()));
  ik.setHandles(kSolid);
  const Points truth = skinned(ik.model(), ik.model().controls[1]);
  const Points plain = skinned(ik.model(), ik.solve(truth(Eigen::all, kSolid)).controls);
  for (const double angle : {0.5, 1.6, 3.1}) {
    const Mat3 turn = Eigen::AngleAxisd(angle, Vec3(1, 2, -1).normalized()).toRotationMatrix();
    const Vec3 shift(3, -1, 2);
    const Points targets = (turn * truth(Eigen::all, kSolid)).colwise() + shift;
    const IkResult& result = ik.solve(targets);
    EXPECT_TRUE(result.turned);
    EXPECT_LT(worst(skinned(ik.model(), result.controls), (turn * plain).colwise() + shift), 1e-5) << angle;
  }
}

TEST(ReducedIk, DoesNotTurnOnFewHandlesOrInAPlane) {
  ReducedIk ik(shared(bendingBar()));
  ik.setHandles(std::vector<Index>{0, 2, 320});
  EXPECT_FALSE(ik.handles().solid());
  ik.setHandles(std::vector<Index>{0, 4, 160, 164, 320, 324});  // all at z = 0
  EXPECT_FALSE(ik.handles().solid());
  ik.setHandles(kSolid);
  EXPECT_TRUE(ik.handles().solid());
  ReducedIk off(shared(bendingBar()), {.rotation = IkRotation::Off});
  off.setHandles(kSolid);
  EXPECT_FALSE(off.solve(off.model().rest(Eigen::all, kSolid)).turned);
}

TEST(ReducedIk, PosesTheSameInOtherUnitsAndPlaces) {
  const ReducedModel bar = bendingBar();
  ReducedModel far = bar;
  const double scale = 100;
  const Vec3 shift(500, -300, 700);
  far.rest = (scale * bar.rest).colwise() + shift;
  far.proxies.positions = (scale * bar.proxies.positions).colwise() + shift;
  far.proxies.gradients /= scale;
  for (auto& example : far.controls) {
    for (Affine& control : example)
      control.translation() = scale * control.translation() + shift - control.linear() * shift;
  }
  ReducedIk here(shared(bar));
  ReducedIk there(shared(far));
  Points targets = bar.rest(Eigen::all, kSolid);
  targets.col(4) += Vec3(-0.6, 1.1, 0.2);
  targets.col(5) += Vec3(-0.5, 1.0, 0.3);
  here.setHandles(kSolid);
  there.setHandles(kSolid);
  const Points posed = skinned(bar, here.solve(targets).controls);
  const Points posedThere = skinned(far, there.solve((scale * targets).colwise() + shift).controls);
  EXPECT_LT(worst(posedThere, (scale * posed).colwise() + shift), 1e-6 * scale);
}

/// The step from the whole system at once: unknowns N y, b and w by dense least squares, no block eliminated.
Eigen::VectorXd jointStep(const ReducedIk& ik, const Eigen::VectorXd& weights, const Mat3& turn, const Points& targets,
                          double lambda, bool turning) {
  const reduced_ik::ReducedIkSystem& system = ik.system();
  const Index n = system.unknowns();
  const Index count = system.exampleCount();
  const Index width = system.width();
  Eigen::MatrixXd tall(system.gradientRows().cols() + n, n);  // G_a
  tall << Eigen::MatrixXd(system.gradientRows().transpose()), system.prior() * Eigen::MatrixXd::Identity(n, n);
  RowMatrix blend;
  system.gradients().evaluateWithDerivatives(weights, blend);
  Eigen::MatrixXd linear;
  system.linearBlend(weights, linear);

  const Eigen::MatrixXd C = ik.handles().rows();
  Eigen::MatrixXd b = (system.scale() * (targets.colwise() - system.centre())).transpose();
  const Eigen::RowVector3d shift = b.colwise().mean() - (C * linear * turn.transpose()).colwise().mean();
  b = (b.rowwise() - shift) * turn;
  // The pseudo-inverse of C from C^T C = V diag(values) V^T: V diag(1 / values) V^T C^T over the values that count.
  const SymmetricEigen gram = symmetricEigen(C.transpose() * C);
  Index rank = 0;
  while (rank < n && gram.values[n - 1 - rank] > 1e-4 * gram.values[n - 1]) ++rank;
  const Eigen::MatrixXd pseudo = gram.vectors.rightCols(rank) * gram.values.tail(rank).cwiseInverse().asDiagonal() *
                                 gram.vectors.rightCols(rank).transpose() * C.transpose();
  const Eigen::MatrixXd null = gram.vectors.leftCols(n - rank);

  // Rows: three coordinates of G_a (C+ b + N y) - target, then the pull to the rest. Columns: y of each coordinate, b,
  // w.
  const Index rows = tall.rows();
  const Index free = n - rank;
  const Index extra = count + (turning ? 3 : 0);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * rows + count, 3 * free + extra);
  Eigen::VectorXd rest = Eigen::VectorXd::Zero(A.rows());
  for (Index r = 0; r < 3; ++r) {
    A.block(r * rows, r * free, rows, free) = tall * null;
    for (Index p = 0; p < count; ++p) {
      A.block(r * rows, 3 * free + p, rows, 1) << -blend.col(r * width + p),
          -system.prior() * system.shapes().col(r * width + p);
    }
    Eigen::VectorXd target(rows);
    target << blend.col(r * width + count), system.prior() * linear.col(r);
    rest.segment(r * rows, rows) = target - tall * pseudo * b.col(r);
    for (Index k = 0; turning && k < 3; ++k) {
      const Mat3 skew = Eigen::AngleAxisd(1e-7, Vec3::Unit(k)).toRotationMatrix();
      const Eigen::VectorXd change = (b * (skew - Mat3::Identity()) / 1e-7).col(r);
      A.block(r * rows, 3 * free + count + k, rows, 1) = tall * pseudo * change;
    }
  }
  A.block(3 * rows, 3 * free, count, count) = std::sqrt(lambda) * Eigen::MatrixXd::Identity(count, count);
  rest.tail(count) = -std::sqrt(lambda) * weights;
  return leastSquares(A, rest, 1e-15).tail(extra);
}

TEST(ReducedIk, StepEqualsThatOfTheJointSystem) {
  Lcg random(21);
  for (const IkRotation rotation : {IkRotation::Off, IkRotation::On}) {
    const bool turning = rotation == IkRotation::On;
    ReducedIk ik(shared(bendingBar()), {.rotation = rotation, .mostIterations = 1});
    ik.setHandles(kSolid);
    const double lambda = ik.options().restPull * ik.system().gradients().squaredSlope() / 3;
    for (int trial = 0; trial < 4; ++trial) {
      Eigen::VectorXd weights = Eigen::VectorXd::Zero(4);
      for (Index p = 1; p < 4; ++p) weights[p] = 0.3 * random.symmetric();
      const Quat turn = turning ? quaternionFromRotationVector(0.2 * random.vector()) : Quat::Identity();
      Points targets = ik.model().rest(Eigen::all, kSolid);
      for (Index i = 0; i < targets.cols(); ++i) targets.col(i) += 0.1 * random.vector();
      ik.startFrom(weights, turn);
      const IkResult& result = ik.solve(targets, IkStart::Warm);
      ASSERT_LT(result.objective, result.firstObjective);
      const Eigen::VectorXd expected =
          jointStep(ik, weights.tail(3), turn.toRotationMatrix(), targets, lambda, turning);
      EXPECT_LT((result.weights.tail(3) - weights.tail(3) - expected.head(3)).norm(), turning ? 1e-6 : 1e-9);
      if (turning) {
        const Vec3 turned = rotationVector(turn.conjugate() * result.rotation);
        EXPECT_LT((turned - expected.tail(3)).norm(), 1e-5);
      }
    }
  }
}

TEST(ReducedIk, ObjectiveNeverRises) {
  ReducedIk ik(shared(bendingBar()), {.mostIterations = 1, .stop = 0});
  ik.setHandles(kSolid);
  Points targets = ik.model().rest(Eigen::all, kSolid);
  targets.col(4) += Vec3(-2.5, 2, 1);
  targets.col(5) += Vec3(-2.5, 2, 1);
  double last = ik.solve(targets).objective;
  for (int i = 0; i < 12; ++i) {
    const double next = ik.solve(targets, IkStart::Warm).objective;
    EXPECT_LE(next, last * (1 + 1e-6)) << "step " << i;
    last = next;
  }
}

TEST(ReducedIk, SpringsComeNearToExactHandlesAsTheyGrow) {
  ReducedIk exact(shared(bendingBar()));
  exact.setHandles(kSolid);
  Points targets = exact.model().rest(Eigen::all, kSolid);
  targets.col(4) += Vec3(-0.4, 0.9, 0);
  targets.col(5) += Vec3(-0.4, 0.9, 0);
  const Points wanted = skinned(exact.model(), exact.solve(targets).controls);
  ReducedIk soft(shared(bendingBar()));
  double last = 1e9;
  for (const double strength : {0.1, 1.0, 10.0, 1000.0}) {
    soft.setHandles(kSolid, strength);
    const IkResult& result = soft.solve(targets);
    EXPECT_LT(result.residualMax, last);
    last = result.residualMax;
  }
  EXPECT_LT(last, 1e-4);
  EXPECT_LT(worst(skinned(soft.model(), soft.solve(targets).controls), wanted), 0.02);
}

TEST(ReducedIk, ExactHandlesStandWhileSpringsPull) {
  ReducedIk ik(shared(bendingBar()));
  const std::vector<IkHandle> handles = {{0, 0}, {4, 0}, {320, 3}, {324, 3}};
  ik.setHandles(handles);
  Points targets(3, 4);
  for (Index i = 0; i < 4; ++i) targets.col(i) = ik.model().rest.col(handles[static_cast<std::size_t>(i)].vertex);
  targets.col(2) += Vec3(0, 1.5, 0);
  targets.col(3) += Vec3(0, 1.5, 0);
  const IkResult& result = ik.solve(targets);
  const Points posed = skinned(ik.model(), result.controls);
  EXPECT_LT((posed.col(0) - targets.col(0)).norm(), 1e-12);
  EXPECT_LT((posed.col(4) - targets.col(1)).norm(), 1e-12);
  EXPECT_GT(posed(1, 320), ik.model().rest(1, 320) + 0.2);
  EXPECT_GT((posed.col(320) - targets.col(2)).norm(), 1e-3);
  EXPECT_NEAR(result.residualMax,
              std::max((posed.col(320) - targets.col(2)).norm(), (posed.col(324) - targets.col(3)).norm()), 1e-9);
}

TEST(ReducedIk, ContradictionsMeetInTheMiddle) {
  ReducedIk ik(shared(bendingBar()));
  ik.setHandles(std::vector<Index>{324, 324, 0, 4});
  Points targets(3, 4);
  targets << ik.model().rest.col(324) + Vec3(0, 0.4, 0), ik.model().rest.col(324), ik.model().rest.col(0),
      ik.model().rest.col(4);
  const IkResult& result = ik.solve(targets);
  const Points posed = skinned(ik.model(), result.controls);
  EXPECT_LT((posed.col(324) - ik.model().rest.col(324) - Vec3(0, 0.2, 0)).norm(), 1e-9);
  EXPECT_NEAR(result.residualMax, 0.2, 1e-9);
  EXPECT_TRUE(std::isinf(result.condition));
  EXPECT_EQ(result.rank, 3);
}

TEST(ReducedIk, ManyHandlesAreMetAsFarAsControlsGo) {
  ReducedIk ik(shared(bendingBar()));
  std::vector<Index> all;
  for (Index v = 0; v < ik.model().rest.cols(); v += 1) all.push_back(v);
  ik.setHandles(all);  // 328 handles, 20 unknowns
  const Points truth = skinned(ik.model(), ik.model().controls[2]);
  const IkResult& result = ik.solve(truth);
  EXPECT_LT(worst(skinned(ik.model(), result.controls), truth), 0.01);
  EXPECT_LE(result.rank, ik.system().unknowns());
  // Random targets cannot be reached: the residual shows it, and the shape keeps its size.
  Lcg random(4);
  Points wild = ik.model().rest;
  for (Index v = 0; v < wild.cols(); ++v) wild.col(v) += 0.5 * random.vector();
  const IkResult& torn = ik.solve(wild);
  const Points posed = skinned(ik.model(), torn.controls);
  EXPECT_TRUE(posed.allFinite());
  EXPECT_NEAR(torn.residualMax, worst(posed, wild), 1e-9);
  EXPECT_LT(posed.cwiseAbs().maxCoeff(), 10);
}

TEST(ReducedIk, UnreachableTargetsGiveFiniteShapes) {
  ReducedIk ik(shared(bendingBar()));
  ik.setHandles(kSolid);
  for (const double far : {1e2, 1e6}) {
    Points targets = ik.model().rest(Eigen::all, kSolid);
    targets.col(5) += Vec3(far, -far, 2 * far);
    const IkResult& result = ik.solve(targets);
    EXPECT_TRUE(skinned(ik.model(), result.controls).allFinite());
    EXPECT_TRUE(result.weights.allFinite());
    EXPECT_LT(result.residualMax, 1e-8 * far);
  }
}

TEST(ReducedIk, TimeOverGivesADraft) {
  ReducedIk hurried(shared(bendingBar()), {.budgetSeconds = 1e-9});
  hurried.setHandles(kSolid);
  const Points truth = skinned(hurried.model(), hurried.model().controls[1]);
  const IkResult& result = hurried.solve(truth(Eigen::all, kSolid));
  EXPECT_TRUE(result.draft);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_LT(result.residualMax, 1e-12);  // handles are met all the same
  EXPECT_LT(worst(skinned(hurried.model(), result.controls), truth), 0.02);
}

TEST(ReducedIk, WarmStartFollowsADrag) {
  ReducedIk ik(shared(bendingBar()));
  ReducedIk fresh(shared(bendingBar()));
  ik.setHandles(kSolid);
  fresh.setHandles(kSolid);
  Points targets = ik.model().rest(Eigen::all, kSolid);
  for (int step = 0; step < 20; ++step) {
    targets.col(4) += Vec3(-0.02, 0.05, 0.01);
    targets.col(5) += Vec3(-0.02, 0.05, 0.01);
    const IkResult& result = ik.solve(targets, IkStart::Warm);
    EXPECT_EQ(result.warm, step > 0);
    EXPECT_LE(result.iterations, 4);
    const Points dragged = skinned(ik.model(), result.controls);
    EXPECT_LT(worst(dragged, skinned(fresh.model(), fresh.solve(targets).controls)), 0.1) << step;
  }
}

TEST(ReducedIk, NeedsNoMemoryWhileDragging) {
  ReducedIk ik(shared(bendingBar(40)));  // as many controls as a horse has
  ik.setHandles(kSolid);
  Points targets = ik.model().rest(Eigen::all, kSolid);
  targets.col(5) += Vec3(0, 0.3, 0);
  for (int i = 0; i < 3; ++i) (void)ik.solve(targets, IkStart::Warm);
  const std::size_t before = test::allocationCount();
  for (int i = 0; i < 20; ++i) {
    targets.col(5) += Vec3(-0.01, 0.03, 0);
    (void)ik.solve(targets, IkStart::Warm);
  }
  EXPECT_EQ(test::allocationCount(), before);
}

// Derivatives by every example would make a blend of 160 cost forty times that of 4.
TEST(ReducedIk, BlendsCostTheSameForAnyNumberOfExamples) {
  const auto seconds = [](int copies) {
    ReducedModel model = bendingBar(40);
    const auto controls = model.controls;
    for (int c = 1; c < copies; ++c) {
      for (std::size_t e = 0; e < controls.size(); ++e) {
        model.names.push_back(model.names[e]);
        model.controls.push_back(controls[e]);
        model.inputFromAligned.push_back(model.inputFromAligned[e]);
      }
    }
    ReducedIk ik(shared(std::move(model)));
    const auto count = static_cast<Index>(ik.model().exampleCount());
    double best = 1e9;
    for (int round = 0; round < 20; ++round) best = std::min(best, ik.blend(Eigen::VectorXd::Unit(count, 1)).seconds);
    return best;
  };
  EXPECT_LT(seconds(40), 8 * seconds(1));
}

TEST(ReducedIk, PosesAModelOfTheRestAlone) {
  ReducedModel model = bendingBar();
  model.names.resize(1);
  model.controls.resize(1);
  model.inputFromAligned.resize(1);
  ReducedIk ik(shared(model), {.rotation = IkRotation::Off});
  ik.setHandles(kSolid);
  Points targets = model.rest(Eigen::all, kSolid);
  targets.col(5) += Vec3(0, 0.2, 0);
  const IkResult& result = ik.solve(targets);
  EXPECT_TRUE(result.converged);
  EXPECT_LT(result.residualMax, 1e-12);
  EXPECT_LT(worst(skinned(model, result.controls), model.rest), 0.5);
}

TEST(ReducedIk, RestThatIsNoExampleAndExamplesThatRepeatAreFine) {
  ReducedModel model = bendingBar();
  model.restExample = -1;  // now `rest` is an example like others, and equal to the rest
  model.names.push_back("up again");
  model.controls.push_back(model.controls[1]);
  model.inputFromAligned.push_back(Eigen::Isometry3d::Identity());
  ReducedIk ik(shared(model));
  ik.setHandles(kSolid);
  const Points truth = skinned(model, model.controls[1]);
  const IkResult& result = ik.solve(truth(Eigen::all, kSolid));
  EXPECT_LT(worst(skinned(model, result.controls), truth), 0.02);
  EXPECT_EQ(result.weights.size(), 5);
}

TEST(ReducedIk, RefusesWhatDoesNotFit) {
  ReducedIk ik(shared(bendingBar()));
  EXPECT_NE(messageOf([&] { ik.setHandles(std::vector<Index>{5000}); }).find("vertex 5000 does not exist"),
            std::string::npos);
  EXPECT_NE(messageOf([&] { ik.setHandles(std::vector<Index>{1}, -2); }).find("is -2; it must be 0 or more"),
            std::string::npos);
  ik.setHandles(std::vector<Index>{1});
  EXPECT_NE(messageOf([&] { (void)ik.solve(Points::Zero(3, 2)); }).find("2 targets for 1 handles"), std::string::npos);
  Points target = Points::Zero(3, 1);
  target(1, 0) = std::nan("");
  EXPECT_NE(messageOf([&] { (void)ik.solve(target); }).find("targets"), std::string::npos);
  EXPECT_NE(messageOf([&] { ik.startFrom(Eigen::VectorXd::Zero(2)); }).find("2 weights for 4 examples"),
            std::string::npos);
  ReducedModel bare = bendingBar();
  bare.proxies = {};
  EXPECT_NE(messageOf([&] { ReducedIk(shared(bare)); }).find("no proxies"), std::string::npos);
  EXPECT_NE(messageOf([&] { ReducedIk(shared(bendingBar()), {.mostIterations = 0}); }).find("iterations"),
            std::string::npos);
}

}  // namespace
}  // namespace sinew::reduced_ik_test
