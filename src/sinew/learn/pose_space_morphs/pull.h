// Displacements of all vertices: corrections are summed sample after sample, so memory is that of the result.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/pose_space_morphs/samples.h"

namespace sinew::pose_space_morphs {

/// What a model adds to linear blend skinning. Keeps a reference to the character.
class Residuals {
 public:
  Residuals(const Character& character, const std::shared_ptr<const PoseSpaceModel>& model);
  /// Per vertex of the character, valid until the next call.
  const Points& at(const Pose& pose);

 private:
  CharacterPoser plain_;
  CharacterPoser learned_;
  Points residual_;
};

struct PullProblem {
  const Character& character;
  std::shared_ptr<const PoseSpaceModel> model;
  std::span<const MorphSample> samples;
  std::span<const std::uint32_t> vertices;
  std::span<const std::vector<Mat3>> bones;
};

/// 3 per vertex x targets. Of many vertices and samples, as many samples are taken as `basis` needs.
Eigen::MatrixXf pullAll(const PullProblem& problem, const Eigen::MatrixXd& basis, const Progress& progress);

}  // namespace sinew::pose_space_morphs
