// The poses of the morph targets (knots), and the poses at which they are fitted.
#pragma once

#include <string>
#include <vector>

#include "sinew/character/example_set.h"
#include "sinew/learn/pose_space_morphs.h"
#include "sinew/learn/pose_space_morphs/fit.h"

namespace sinew::pose_space_morphs {

/// Rest, the examples, poses on the paths between them, and frames of the clips.
std::vector<MorphSample> sampleMorphPoses(const Character& character, const PoseSpaceModel& model,
                                          const ExampleSet& set);

struct MorphKnots {
  Eigen::MatrixXd knots;           ///< knot 0 is rest
  std::vector<std::string> names;  ///< of the example, or of the examples that the knot is between
  RbfOptions interpolation;
  Eigen::MatrixXd basis;  ///< weights of the knots but the first at the samples
  std::vector<PoseSpaceTrade> trade;
};

/// The fewest knots whose morph targets leave at most `asked` (rms, scene units) over the samples: examples first, then
/// where the error is largest. If `maxMorphs` are not enough, the fewest that are within 2 % of the best.
/// `bytesPerMorph` is for the table.
MorphKnots chooseMorphKnots(const MorphFit& fit, const PoseSpaceModel& model, Index vertexCount, int maxMorphs,
                            double asked, std::size_t bytesPerMorph, const Progress& progress);

}  // namespace sinew::pose_space_morphs
