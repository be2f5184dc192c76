// Weights from poses: plain least squares, scaled to sum 1 as Lee and Wang did, against weights that cannot be
// negative. The built-in biped is posed by its own weights, with noise of 1e-4 diagonals, and both estimate them
// from a third of its poses. Sinew starts from initial weights by distance along the surface (sinew bind).
#include <Eigen/QR>
#include <fstream>
#include <iostream>

#include "sinew/base/random.h"
#include "sinew/picture/contact_sheet.h"
#include "sinew/picture/png.h"
#include "sinew/picture/render.h"
#include "sinew/sinew.h"

namespace {

using namespace sinew;

/// A column per joint: where it carries a vertex in each of the poses, one below the other.
Eigen::MatrixXd carried(const Character& character, std::span<const Example> poses, Index vertex) {
  Eigen::MatrixXd columns(3 * static_cast<Index>(poses.size()), static_cast<Index>(character.skin.bindings.size()));
  for (std::size_t e = 0; e < poses.size(); ++e) {
    PosedJoints joints;
    poseJoints(character, poses[e].pose, joints);
    for (Index j = 0; j < columns.cols(); ++j)
      columns.block<3, 1>(3 * static_cast<Index>(e), j) = joints.worldFromRest[j] * character.mesh.points.col(vertex);
  }
  return columns;
}

picture::Image draw(const Character& character, const Points& points, const Eigen::VectorXd& colours) {
  const std::vector<Triangle> triangles = triangulate(character.mesh);
  picture::Shape shape;
  shape.points = &points;
  shape.triangles = triangles;
  shape.scalars = {colours.data(), static_cast<std::size_t>(colours.size())};
  shape.scale = {-1, 1, "diverging"};
  const auto camera = picture::fitCamera(character.mesh.points, 0.75, {.azimuth = 25});
  return picture::renderScene({{shape}, {}}, camera, {.width = 300, .height = 400});
}

}  // namespace

int main() {
  const Sample sample = makeSample("biped", {.vertices = 4000});
  const Character& biped = sample.character;
  const double diagonal = boundingBox(biped.mesh.points).diagonal();
  ExampleSet set;
  Eigen::MatrixXd targets(3 * 7, biped.mesh.vertexCount());
  Lcg random(7);
  for (std::size_t k = 0; k < sample.examples.examples.size(); k += 3) {
    Example& example = set.examples.emplace_back(sample.examples.examples[k]);
    example.points = posePoints(biped, example.pose);
    for (double& number : example.points.reshaped()) number += 1e-4 * diagonal * random.symmetric();
    targets.middleRows(static_cast<Index>(k), 3) = example.points;
  }
  Character bound = biped;
  bound.skin = bindSkin(biped.mesh, biped.skeleton, {.joints = skinJoints(biped)}).skin;
  const SkinWeights fitted = fitSkin(bound, set).character.skin.weights;
  const char* const names[] = {"ground truth", "plain least squares, scaled", "sinew fit"};
  const Example& pose = sample.heldOut.examples[3];
  std::vector<picture::Cell> cells;
  for (int way = 0; way < 3; ++way) {
    Eigen::MatrixXd weights(static_cast<Index>(biped.skin.bindings.size()), biped.mesh.vertexCount());
    Points moved(3, weights.cols());
    for (Index v = 0; v < weights.cols(); ++v) {
      const Eigen::MatrixXd A = carried(biped, set.examples, v);
      if (way == 1) weights.col(v) = A.completeOrthogonalDecomposition().solve(targets.col(v));
      for (Index j = 0; j < weights.rows() && way != 1; ++j)
        weights(j, v) = (way == 0 ? biped.skin.weights : fitted).weight(v, static_cast<std::uint32_t>(j));
      weights.col(v) /= weights.col(v).sum();
      moved.col(v) = carried(biped, {&pose, 1}, v) * weights.col(v);
    }
    std::cout << names[way] << ": " << weights.minCoeff() << " to " << weights.maxCoeff() << ", error "
              << compareShapes(posePoints(biped, pose.pose), moved, diagonal).rmsPercent << " %\n";
    cells.push_back({draw(biped, biped.mesh.points, weights.row(6)), names[way], "weight of upper_arm_l"});
    cells.push_back({draw(biped, moved, {}), names[way], "a new pose"});
  }
  const std::string png = picture::encodePng(picture::contactSheet(cells, {.columns = 6}));
  std::ofstream("weights_from_poses.png", std::ios::binary) << png;
}
