// Examples at the same pose.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/deform/pose_space.h"

namespace sinew::pose_space {

/// Equal numbers: examples at one pose, as their interpolation merges them. Numbers ascend in order of appearance.
std::vector<int> samePoses(const PoseSpaceModel& model);

struct DuplicateOptions {
  double diagonal = 1;
  bool refuse = true;  ///< throw where so many of many examples repeat others that it must be a mistake
};

/// Sentences on examples that repeat the pose of others: their shapes agree, or contradict each other. Of few examples
/// every pair is named. Of many, throws BadInput if a quarter repeat others, or a twentieth contradict others.
/// `groups` of samePoses(). `model` has its deltas.
std::vector<std::string> warningsOfDuplicates(const PoseSpaceModel& model, std::span<const int> groups,
                                              const DuplicateOptions& options);

}  // namespace sinew::pose_space
