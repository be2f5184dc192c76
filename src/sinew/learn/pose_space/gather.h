// The corrections of all examples, read one after the other.
#pragma once

#include <vector>

#include "sinew/base/progress.h"
#include "sinew/learn/pose_space/example_reader.h"
#include "sinew/learn/pose_space/low_rank.h"

namespace sinew::pose_space {

struct GatherOptions {
  DeltaSpace space = DeltaSpace::Frame;
  double leastDelta = 0;  ///< scene units: vertices that no example moves farther are left out
  bool lowRank = false;   ///< as few shapes instead of one per example
  double bytes = 0;       ///< low rank: of memory, about
};

/// Corrections in the space of the model. `vertices` are those that some example moves.
struct Corrections {
  std::vector<std::uint32_t> vertices;
  bool layered = false;        ///< a second part is added after skinning
  Index singular = 0;          ///< vertices that the skin folds flat at some example
  std::vector<Points> deltas;  ///< one per example, the first is of the rest pose; empty if lowRank
  std::vector<Points> layer;   ///< the same of the second part
  /// Low rank: columns are the examples, rest too. Rows are the x y z of all vertices of the mesh, then the same of the
  /// second part, if there can be one.
  LowRank few;
};

/// Of the examples `used` of the reader's source.
Corrections gatherCorrections(const Character& character, ExampleReader& reader, const std::vector<std::size_t>& used,
                              const GatherOptions& options, const Progress& progress = {});

/// The first `rank` shapes with their layers, scaled so that the largest coefficient of each is 1. `coefficients` is
/// scaled with them.
void takeShapes(const Corrections& corrections, Index rank, std::vector<Points>& deltas, std::vector<Points>& layer,
                Eigen::MatrixXd& coefficients);

}  // namespace sinew::pose_space
