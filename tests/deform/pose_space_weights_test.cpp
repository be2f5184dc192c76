// Weights of a pose space whose groups mix several interpolations.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sinew/deform/pose_space.h"

namespace sinew::pose_space_weights_test {
namespace {

/// Two drivers, six examples, three groups: two mix both terms, one has only the first.
PoseSpaceModel mixedModel() {
  PoseSpaceModel model;
  model.poseSpace.drivers.resize(2);
  model.poseSpace.drivers[0].name = "upper";
  model.poseSpace.drivers[1].name = "lower";
  model.names = {"rest", "a", "b", "c", "d", "e"};
  model.poses.resize(6, 6);
  for (Index k = 0; k < 6; ++k) {
    for (Index i = 0; i < 6; ++i) model.poses(i, k) = k == 0 ? 0 : std::sin(1.7 * static_cast<double>(6 * k + i));
  }
  model.vertices = {0, 1, 2};
  model.groupOf = {0, 1, 2};
  model.groupWeights = Eigen::MatrixXd::Constant(2, 3, 0.4);
  model.terms.resize(2);
  model.terms[0].interpolation.kernel = "cubic";
  model.terms[0].uniform = true;
  model.terms[1].interpolation.kernel = "linear";
  model.terms[1].uniform = true;
  model.shares.resize(2, 3);
  model.shares << 0.3, 0.9, 1, 0.7, 0.1, 0;
  model.fade = false;
  return model;
}

// The order of products and sums decides the last bit of weights, and files must deform to the same bits in every
// version: the share is a factor of each summand.
TEST(PoseSpaceWeights, HaveTheBitsOfTermsAddedOneAfterTheOther) {
  const PoseSpaceModel model = mixedModel();
  const PoseSpaceWeights weights(model);
  RbfTables tables;
  Eigen::MatrixXd found(6, 3);
  const std::vector<int> sizes{3, 3};
  const std::vector<char> asked(additiveKernels().size(), 0);
  for (int n = 0; n < 20; ++n) {
    Eigen::VectorXd x(6);
    for (Index i = 0; i < 6; ++i) x[i] = std::cos(static_cast<double>(7 * n + i));
    weights.evaluate(x, tables, found);
    fillTables(model.poses, sizes, asked, x, tables);
    for (Index g = 0; g < 3; ++g) {
      Eigen::VectorXd wanted = Eigen::VectorXd::Zero(6);
      for (Index t = 0; t < 2; ++t) {
        if (model.shares(t, g) != 0) weights.interpolator(g, t).addWeights(x, tables, model.shares(t, g), wanted);
      }
      EXPECT_EQ(found.col(g), wanted) << "group " << g;
    }
  }
}

void expectExactAtExamples(const PoseSpaceModel& model) {
  const PoseSpaceWeights weights(model);
  Eigen::MatrixXd found(weights.shapeCount(), weights.groupCount());
  for (Index k = 0; k < model.poses.cols(); ++k) {
    weights.evaluate(model.poses.col(k), found);
    for (Index g = 0; g < found.cols(); ++g)
      EXPECT_LT((found.col(g) - Eigen::VectorXd::Unit(found.rows(), k)).cwiseAbs().maxCoeff(), 1e-5) << k;
  }
}

// One term measures by all drivers equally, the other by the weights of the group: each has distances of its own.
TEST(PoseSpaceWeights, OfASingleGroupMixTermsThatMeasureDifferently) {
  PoseSpaceModel model = mixedModel();
  model.vertices = {0};
  model.groupOf = {0};
  model.groupWeights = Eigen::Vector2d(1, 0.2);
  model.terms[1].uniform = false;
  model.shares = Eigen::Vector2d(0.3, 0.7);
  expectExactAtExamples(model);
  const PoseSpaceWeights weights(model);
  Eigen::MatrixXd found(6, 1);
  const Eigen::VectorXd x = 0.4 * model.poses.col(1) + 0.5 * model.poses.col(2);
  weights.evaluate(x, found);
  const Eigen::VectorXd wanted =
      0.3 * weights.interpolator(0, 0).weights(x) + 0.7 * weights.interpolator(0, 1).weights(x);
  EXPECT_LT((found - wanted).cwiseAbs().maxCoeff(), 1e-12);
}

// Such a model is not learned, but a file may hold it.
TEST(PoseSpaceWeights, OfAnAdditiveKernelNeedNoTerms) {
  PoseSpaceModel model = mixedModel();
  model.groupOf.clear();
  model.groupWeights.resize(0, 0);
  model.terms.clear();
  model.shares.resize(0, 0);
  model.interpolation.kernel = "joint-quadratic";
  model.interpolation.local = 0.1;
  expectExactAtExamples(model);
}

}  // namespace
}  // namespace sinew::pose_space_weights_test
