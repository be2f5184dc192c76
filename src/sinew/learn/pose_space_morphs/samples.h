// The poses at which morph targets are fitted and scored.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/character/example_set.h"
#include "sinew/deform/pose_space.h"

namespace sinew::pose_space_morphs {

enum class SampleRole {
  Fitted,   ///< displacements are fitted to it
  HeldOut,  ///< scores what was fitted
  Centre    ///< only the weights are fitted to it; those samples are the last
};

/// A pose at which morph targets should do as the model does.
struct MorphSample {
  Pose pose;
  Eigen::VectorXd coordinates;
  double weight = 1;     ///< of its squared error; 0 unless it is fitted
  bool example = false;  ///< rest or a sculpted pose
  SampleRole role = SampleRole::Fitted;
};

/// Rest, the examples, poses on the paths between them, frames of the clips; between any three examples, the poses that
/// are held out; between and around them, possible centres.
std::vector<MorphSample> sampleMorphPoses(const Character& character, const PoseSpaceModel& model,
                                          const ExampleSet& set);

}  // namespace sinew::pose_space_morphs
