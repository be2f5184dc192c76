// Groups of triangles that move as one: the controls of a reduced model.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/reduced_model/rotations.h"

namespace sinew::reduced_model {

struct ControlGroups {
  std::vector<std::uint32_t> labels;  ///< per triangle of the surface
  Index count = 0;
  double bandwidth = 0;  ///< radians; 0 if nothing rotates
  Index unconverged = 0;
};

/// Mean shift at a bandwidth in radians, split into edge-connected groups; those below `leastArea` of the whole join
/// the neighbour that moves most like them.
ControlGroups groupsOfBandwidth(const TriangleGraph& graph, const RotationFeatures& features, double bandwidth,
                                double leastArea);

/// The requested number of groups, or fewer if there are fewer triangles: bisection on the bandwidth, then single
/// splits or merges.
ControlGroups groupsOfCount(const TriangleGraph& graph, const RotationFeatures& features, Index count, double leastArea,
                            const Progress& progress);

/// Bandwidth in radians that suits the spread of the rotations.
double bandwidthOfSpread(const RotationFeatures& features);

}  // namespace sinew::reduced_model
