#include "sinew/math/decompositions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sinew/base/random.h"
#include "sinew/math/rotation.h"

namespace sinew::decompositions_test {
namespace {

Eigen::MatrixXd randomMatrix(Index rows, Index cols, std::uint32_t seed) {
  Lcg random(seed);
  Eigen::MatrixXd matrix(rows, cols);
  for (double& value : matrix.reshaped()) value = random.symmetric();
  return matrix;
}

TEST(Decompositions, PutTheMatrixTogetherAgain) {
  const Mat3 m = randomMatrix(3, 3, 1);
  const Svd3 small = svd3(m);
  EXPECT_LT((small.u * small.values.asDiagonal() * small.v.transpose() - m).norm(), 1e-14);
  EXPECT_LT((singularValues3(m) - small.values).norm(), 1e-14);
  EXPECT_TRUE(small.values[0] >= small.values[1] && small.values[1] >= small.values[2] && small.values[2] >= 0);

  const Eigen::MatrixXd tall = randomMatrix(9, 4, 2);
  const ThinSvd thin = thinSvd(tall);
  EXPECT_EQ(thin.u.cols(), 4);
  EXPECT_LT((thin.u * thin.values.asDiagonal() * thin.v.transpose() - tall).norm(), 1e-13);
  EXPECT_LT((singularValues(tall) - thin.values).norm(), 1e-13);

  const ThinQr qr = thinQr(tall);
  EXPECT_LT((qr.q * qr.r - tall).norm(), 1e-13);
  EXPECT_LT((qr.q.transpose() * qr.q - Eigen::MatrixXd::Identity(4, 4)).norm(), 1e-13);
  EXPECT_EQ(upperFactor(tall), qr.r);

  const Eigen::MatrixXd square = tall.transpose() * tall;
  const SymmetricEigen eigen = symmetricEigen(square);
  EXPECT_LT((eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose() - square).norm(), 1e-13);
  EXPECT_LT((symmetricEigenvalues(square) - eigen.values).norm(), 1e-13);
  EXPECT_LT((eigen.values.cwiseSqrt().reverse() - thin.values).norm(), 1e-7);
  const SymmetricEigen3 three = symmetricEigen3(Mat3(m * m.transpose()));
  EXPECT_LT((three.values.cwiseSqrt().reverse() - small.values).norm(), 1e-7);
}

TEST(Decompositions, SingularValuesAloneAreThoseOfTheDecomposition) {
  Eigen::MatrixXd dependent = randomMatrix(40, 24, 11);
  dependent.rightCols(6) = dependent.leftCols(6) + dependent.middleCols(6, 6);
  const Eigen::MatrixXd wide = randomMatrix(5, 17, 12);
  const Eigen::MatrixXd column = randomMatrix(7, 1, 13);
  for (const Eigen::MatrixXd& matrix :
       {dependent, wide, column, Eigen::MatrixXd(column.transpose()), Eigen::MatrixXd(1e-200 * wide),
        Eigen::MatrixXd(1e200 * dependent), Eigen::MatrixXd(Eigen::MatrixXd::Zero(4, 3)),
        Eigen::MatrixXd(Eigen::MatrixXd::Identity(6, 6))}) {
    const Eigen::VectorXd alone = singularValues(matrix);
    const Eigen::VectorXd wanted = thinSvd(matrix).values;
    ASSERT_EQ(alone.size(), wanted.size());
    EXPECT_LE((alone - wanted).cwiseAbs().maxCoeff(),
              1e-14 * wanted[0] * std::sqrt(static_cast<double>(matrix.size())));
    EXPECT_TRUE(std::is_sorted(alone.begin(), alone.end(), std::greater<>()));
    EXPECT_GE(alone.minCoeff(), 0);
  }
  EXPECT_EQ((singularValues(dependent).array() < 1e-12).count(), 6);
}

TEST(Decompositions, LeastSquaresLeavesOutColumnsThatDependOnOthers) {
  Eigen::MatrixXd matrix = randomMatrix(8, 3, 3);
  const Eigen::VectorXd wanted = randomMatrix(8, 1, 4);
  const Eigen::VectorXd best = leastSquares(matrix, wanted, 1e-10);
  EXPECT_LT((matrix.transpose() * (matrix * best - wanted)).norm(), 1e-13);
  matrix.col(2) = matrix.col(0) + matrix.col(1);
  const Eigen::VectorXd found = leastSquares(matrix, wanted, 1e-10);
  EXPECT_LT((matrix.transpose() * (matrix * found - wanted)).norm(), 1e-13);
  EXPECT_EQ((found.array() == 0).count(), 1);
}

TEST(Decompositions, TheInverseOfASingularMatrixIsThePseudoInverse) {
  const Eigen::MatrixXd regular = randomMatrix(4, 4, 6);
  EXPECT_LT((inverseOrPseudoInverse(regular) * regular - Eigen::MatrixXd::Identity(4, 4)).norm(), 1e-12);
  Eigen::MatrixXd flat = regular;
  flat.col(3) = flat.col(1);
  const Eigen::MatrixXd pseudo = inverseOrPseudoInverse(flat);
  EXPECT_LT((flat * pseudo * flat - flat).norm(), 1e-12);
  EXPECT_LT((pseudo * flat * pseudo - pseudo).norm(), 1e-12);
  const Eigen::MatrixXd basis = orthonormalBasis(flat, 1e-10);
  EXPECT_EQ(basis.cols(), 3);
  EXPECT_LT((basis * basis.transpose() * flat - flat).norm(), 1e-13);
}

TEST(RotationBetween, TurnsOneDirectionToTheOtherTheShortestWay) {
  Lcg random(5);
  const auto direction = [&] { return Vec3(random.symmetric(), random.symmetric(), random.symmetric()); };
  for (int i = 0; i < 100; ++i) {
    const Vec3 a = direction();
    const Vec3 b = direction();
    const Quat turn = rotationBetween(a, b);
    EXPECT_LT((turn * a.normalized() - b.normalized()).norm(), 1e-14);
    EXPECT_NEAR(turn.vec().dot(a), 0, 1e-14);
  }
  const Vec3 x = Vec3::UnitX();
  EXPECT_LT((rotationBetween(x, -2 * x) * x + x).norm(), 1e-14);
  const Vec3 nearlyOpposite = Vec3(-1, 1e-5, 0).normalized();
  EXPECT_LT((rotationBetween(x, nearlyOpposite) * x - nearlyOpposite).norm(), 1e-9);
  EXPECT_EQ(rotationBetween(x, Vec3::Zero()).coeffs(), Quat::Identity().coeffs());
}

}  // namespace
}  // namespace sinew::decompositions_test
