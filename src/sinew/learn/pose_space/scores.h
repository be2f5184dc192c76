// How far a model is from its examples, and the models that leave each out from it.
#pragma once

#include <functional>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/pose_space.h"
#include "sinew/learn/pose_space/example_reader.h"

namespace sinew::pose_space {

/// Weights by which left-out models are played, of shapes that may be others than the model's own.
struct LeftOutPlayer {
  /// Shapes x groups, at the pose of the k-th of the used examples (from 0).
  std::function<Eigen::MatrixXd(std::size_t k)> weights;
  const std::vector<Points>* deltas = nullptr;
  const std::vector<Points>* layer = nullptr;
};

/// Fills examples, before, after and leaveOneOut of a report. Vertices that an example does not cover count as matched.
/// Returns squared distances per vertex, summed over the examples: of plain skinning, and of the left-out models.
struct VertexSquares {
  Eigen::VectorXd before;
  Eigen::VectorXd leftOut;
};
VertexSquares scoreExamples(const Character& character, const PoseSpaceDeformer& deformer, const LeftOutPlayer& leftOut,
                            ExampleReader& reader, const std::vector<std::size_t>& used, double diagonal,
                            PoseSpaceReport& report, const Progress& progress);

}  // namespace sinew::pose_space
