// Weights of third-party rigs, from posed vertices and joint matrices alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <fstream>
#include <limits>

#include "planted.h"
#include "sinew/learn/fit/weights.h"
#include "sinew/math/decompositions.h"
#include "sinew/math/simplex_least_squares.h"
#include "support/obj_points.h"

namespace sinew::weights_rigs_test {
namespace {

std::vector<double> numbersOf(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<double> numbers;
  for (double value = 0; in >> value;) numbers.push_back(value);
  return numbers;
}

/// A 4 x 3 block per joint: the transposed 3 x 4 matrix.
std::vector<Affine> jointMatrices(const std::filesystem::path& file) {
  const std::vector<double> numbers = numbersOf(file);
  std::vector<Affine> joints(numbers.size() / 12);
  for (std::size_t j = 0; j < joints.size(); ++j)
    joints[j].matrix() = Eigen::Map<const Eigen::Matrix<double, 3, 4>>(numbers.data() + 12 * j);
  return joints;
}

/// "columns rows", then the columns.
Eigen::MatrixXd dmat(const std::filesystem::path& file) {
  const std::vector<double> numbers = numbersOf(file);
  const auto cols = static_cast<Index>(numbers[0]);
  const auto rows = static_cast<Index>(numbers[1]);
  return Eigen::Map<const Eigen::MatrixXd>(numbers.data() + 2, rows, cols);
}

/// Joints without a hierarchy: each is a root.
struct Rig {
  Rig(const Points& rest, std::vector<std::vector<Affine>> worldFromRest, std::vector<Points> targets) {
    const std::size_t joints = worldFromRest[0].size();
    std::vector<Joint> roots(joints);
    problem.candidates.emplace_back();
    for (std::size_t j = 0; j < joints; ++j) {
      roots[j].name = fmt::format("joint {}", j);
      character.skin.bindings.push_back({static_cast<int>(j), Affine::Identity(), 0});
      problem.candidates[0].push_back(static_cast<std::uint32_t>(j));
    }
    character.skeleton = Skeleton(roots);
    character.mesh.points = rest;
    character.skin.weights = SkinWeights::rigid(joints, rest.cols(), 0);
    const auto points = static_cast<std::size_t>(rest.cols());
    for (std::uint32_t p = 0; p < points; ++p) {
      problem.pointOfVertex.push_back(p);
      problem.firstVertex.push_back(p);
    }
    problem.rest = rest;
    problem.skinOf.assign(points, 0);
    problem.prior.assign(points, {{0, 1.0}});
    problem.confidence.assign(targets.size(), 1);
    problem.masks.resize(targets.size());
    problem.targets = std::move(targets);
    problem.worldFromRest = std::move(worldFromRest);
    problem.diagonal = boundingBox(rest).diagonal();
  }
  [[nodiscard]] Eigen::MatrixXd fit(fit::WeightFit& result) const {
    const auto joints = static_cast<int>(problem.candidates[0].size());
    result = fit::fitWeights(character, problem, {.maxInfluences = joints});
    Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(problem.pointCount(), joints);
    for (Index p = 0; p < weights.rows(); ++p) {
      for (const Influence& i : result.columns[static_cast<std::size_t>(p)]) weights(p, i.binding) = i.weight;
    }
    return weights;
  }
  Character character;
  fit::FitProblem problem;
};

TEST(WeightsOfRigs, CylinderGivesTheReferenceBack) {
  SINEW_NEEDS_DATA();
  const test::TemporaryFolder folder;
  if (!test::unpackData("rigs-with-weights", folder.path())) GTEST_SKIP() << "needs rigs-with-weights.tar.gz";
  std::vector<std::vector<Affine>> joints;
  std::vector<Points> targets;
  std::vector<Eigen::MatrixXd> blended;  // per pose and vertex: the 4 x 3 blended matrix, row by row
  for (int k = 1; k <= 4; ++k) {
    const std::filesystem::path base = folder.path() / "cylinder" / fmt::format("cylinder-{}", k);
    joints.push_back(jointMatrices(base.string() + ".Tmat"));
    targets.push_back(test::objPoints(base.string() + ".obj"));
    blended.push_back(dmat(base.string() + ".DMAT"));
  }
  const Index vertices = targets[0].cols();
  ASSERT_EQ(vertices, 420);
  ASSERT_EQ(joints[0].size(), 4u);
  Points rest(3, vertices);
  for (Index v = 0; v < vertices; ++v) {
    Eigen::Matrix<double, 12, 3> A;
    Eigen::Matrix<double, 12, 1> b;
    for (Index e = 0; e < 4; ++e) {
      const Eigen::VectorXd entries = blended[static_cast<std::size_t>(e)].row(v);
      const Eigen::Map<const Eigen::Matrix<double, 3, 4>> matrix(entries.data());
      A.middleRows<3>(3 * e) = matrix.leftCols<3>();
      b.segment<3>(3 * e) = targets[static_cast<std::size_t>(e)].col(v) - matrix.col(3);
    }
    rest.col(v) = leastSquares(A, b, 1e-15);
  }
  const Rig rig(rest, joints, targets);
  fit::WeightFit fit;
  const Eigen::MatrixXd weights = rig.fit(fit);
  // The reference: the same matrices from the weights, translations in diagonals.
  const double size = rig.problem.diagonal;
  SimplexScratch scratch;
  double worst = 0;
  for (Index v = 0; v < vertices; ++v) {
    Eigen::MatrixXd A(48, 4);
    for (Index e = 0; e < 4; ++e) {
      Eigen::VectorXd wanted = blended[static_cast<std::size_t>(e)].row(v);
      wanted.tail<3>() /= size;
      for (Index j = 0; j < 4; ++j) {
        Eigen::Matrix<double, 3, 4> matrix = joints[static_cast<std::size_t>(e)][static_cast<std::size_t>(j)].matrix();
        matrix.col(3) /= size;
        A.block<12, 1>(12 * e, j) = matrix.reshaped() - wanted;
      }
    }
    Eigen::VectorXd reference(4);
    solveSimplex(A.transpose() * A, Eigen::VectorXd(), 1, {}, scratch, reference);
    worst = std::max(worst, (reference.transpose() - weights.row(v)).cwiseAbs().maxCoeff());
  }
  EXPECT_LE(worst, 1e-5);
}

TEST(WeightsOfRigs, CheburashkaGivesItsOwnWeightsBack) {
  SINEW_NEEDS_DATA();
  const test::TemporaryFolder folder;
  if (!test::unpackData("rigs-with-weights", folder.path())) GTEST_SKIP() << "needs rigs-with-weights.tar.gz";
  const std::filesystem::path base = folder.path() / "cheburashka";
  const Eigen::MatrixXd truth = dmat(base / "cheburashka.DMAT");
  std::vector<std::vector<Affine>> joints;
  std::vector<Points> targets;
  for (int k = 1; k <= 11; ++k) {
    joints.push_back(jointMatrices(base / fmt::format("cheburashka-{:02}.Tmat", k)));
    targets.push_back(test::objPoints(base / fmt::format("cheburashka-{:02}.obj", k)));
  }
  std::ifstream off(base / "cheburashka.off");
  std::string magic;
  Index vertices = 0;
  Index ignored = 0;
  off >> magic >> vertices >> ignored >> ignored;
  Points rest(3, vertices);
  for (double& value : rest.reshaped()) off >> value;
  ASSERT_EQ(vertices, 6669);
  ASSERT_EQ(truth.cols(), 11);
  const Rig rig(rest, joints, targets);
  fit::WeightFit fit;
  const Eigen::MatrixXd weights = rig.fit(fit);
  const Eigen::VectorXd worst = (weights - truth).cwiseAbs().rowwise().maxCoeff();
  EXPECT_GE(static_cast<double>((worst.array() <= 1e-3).count()), 0.999 * 6669);
  EXPECT_LE((weights - truth).norm() / std::sqrt(6669.0 * 11), 2e-5);
  EXPECT_LE(std::sqrt(fit.report.objective / (6669.0 * 11)) / rig.problem.diagonal, 2e-6);
}

}  // namespace
}  // namespace sinew::weights_rigs_test
