// Weights from poses: plain least squares, scaled to sum 1 as Lee and Wang did, against weights that cannot be
// negative. The built-in biped is posed by its own weights, with noise of 1e-4 diagonals, and both try to find them
// again.
#include <Eigen/QR>
#include <cstdio>
#include <fstream>

#include "sinew/base/random.h"
#include "sinew/learn/weights.h"
#include "sinew/picture/contact_sheet.h"
#include "sinew/picture/png.h"
#include "sinew/picture/render.h"
#include "sinew/sinew.h"

namespace {

using namespace sinew;

/// A weight per binding (row) and vertex (column).
using Weights = Eigen::MatrixXd;

Weights dense(const SkinWeights& sparse) {
  Weights weights = Weights::Zero(static_cast<Index>(sparse.bindingCount()), sparse.vertexCount());
  for (Index v = 0; v < sparse.vertexCount(); ++v) {
    for (const Influence& influence : sparse[v]) weights(influence.binding, v) = influence.weight;
  }
  return weights;
}

/// min |A w - b|^2 for every vertex, then w / sum w.
Weights plainLeastSquares(const FitProblem& problem, std::size_t bindings) {
  const auto rows = 3 * static_cast<Index>(problem.exampleCount());
  Weights weights(static_cast<Index>(bindings), static_cast<Index>(problem.pointOfVertex.size()));
  for (Index v = 0; v < weights.cols(); ++v) {
    const std::uint32_t point = problem.pointOfVertex[static_cast<std::size_t>(v)];
    Eigen::MatrixXd A(rows, weights.rows());
    Eigen::VectorXd b(rows);
    for (std::size_t e = 0; e < problem.exampleCount(); ++e) {
      const auto row = 3 * static_cast<Index>(e);
      for (std::size_t j = 0; j < bindings; ++j)
        A.block<3, 1>(row, static_cast<Index>(j)) = problem.worldFromRest[e][j] * problem.rest.col(point);
      b.segment<3>(row) = problem.targets[e].col(point);
    }
    const Eigen::VectorXd w = A.completeOrthogonalDecomposition().solve(b);
    weights.col(v) = w / w.sum();
  }
  return weights;
}

Points posed(const Character& character, const Weights& weights, const Pose& pose) {
  PosedJoints joints;
  poseJoints(character, pose, joints);
  Points points = Points::Zero(3, weights.cols());
  for (Index v = 0; v < weights.cols(); ++v) {
    for (Index j = 0; j < weights.rows(); ++j) {
      if (weights(j, v) != 0)
        points.col(v) +=
            weights(j, v) * (joints.worldFromRest[static_cast<std::size_t>(j)] * character.mesh.points.col(v));
    }
  }
  return points;
}

}  // namespace

int main() {
  const Sample sample = makeSample("biped", {.vertices = 4000});
  const Character& biped = sample.character;
  const double diagonal = boundingBox(biped.mesh.points).diagonal();
  ExampleSet set;
  Lcg random(7);
  for (std::size_t k = 0; k < sample.examples.examples.size(); k += 3) {
    Example& example = set.examples.emplace_back(sample.examples.examples[k]);
    example.points = posePoints(biped, example.pose);
    for (Index v = 0; v < example.points.cols(); ++v) example.points.col(v) += 1e-4 * diagonal * random.vector();
  }
  Character bound = biped;
  BindOptions options;
  for (const Binding& binding : biped.skin.bindings) options.joints.push_back(binding.joint);
  bound.skin = bindSkin(biped.mesh, biped.skeleton, options).skin;
  const FitProblem problem = makeFitProblem(bound, set);
  const Weights truth = dense(biped.skin.weights);
  const Weights fitted = dense(weightsOfVertices(bound, problem, fitWeights(bound, problem).columns));
  const std::pair<const char*, Weights> rows[] = {
      {"the truth", truth},
      {"plain least squares, scaled", plainLeastSquares(problem, biped.skin.bindings.size())},
      {"sinew fit", fitted}};

  Index arm = 0;
  while (biped.skeleton[biped.skin.bindings[static_cast<std::size_t>(arm)].joint].name != "upper_arm_l") ++arm;
  const Pose& pose = sample.heldOut.examples[3].pose;
  const Points rest = posePoints(biped, restPose(biped));
  const std::vector<Triangle> triangles = triangulate(biped.mesh);
  const picture::ScalarScale scale{-1, 1, "diverging"};
  std::vector<picture::Cell> cells;
  for (const auto& [name, weights] : rows) {
    const double error = compareShapes(posed(biped, truth, pose), posed(biped, weights, pose), diagonal).rmsPercent;
    const Eigen::VectorXd off = (weights - truth).cwiseAbs().colwise().maxCoeff().transpose();
    const double good = 100.0 * static_cast<double>((off.array() < 0.05).count()) / static_cast<double>(off.size());
    std::printf(
        "%-28s weights %8.3f to %7.3f, %5.1f %% of the vertices within 0.05, new pose off by %.3f %% of the diagonal\n",
        name, weights.minCoeff(), weights.maxCoeff(), good, error);
    const Points moved = posed(biped, weights, pose);
    const Eigen::VectorXd scalars = weights.row(arm).transpose();
    for (const Points* points : {&rest, &moved}) {
      picture::Shape shape;
      shape.points = points;
      shape.triangles = triangles;
      if (points == &rest) shape.scalars = {scalars.data(), static_cast<std::size_t>(scalars.size())};
      shape.scale = scale;
      const picture::Camera camera =
          picture::fitCamera(points == &rest ? rest : posed(biped, truth, pose), 0.75, {.azimuth = 25});
      cells.push_back({picture::renderScene({{shape}, {}}, camera, {.width = 300, .height = 400}), name,
                       points == &rest ? "weight of upper_arm_l" : "a new pose"});
    }
  }
  const picture::Legend legend{"weight", true, scale, {}};
  std::ofstream("weights_from_poses.png", std::ios::binary)
      << picture::encodePng(picture::contactSheet(cells, {.columns = 6, .legend = legend}));
  return fitted.minCoeff() >= 0 ? 0 : 1;
}
