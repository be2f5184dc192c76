// Animation clips as glTF has them.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/pose.h"

namespace sinew {

enum class ClipPath { Translation, Rotation, Scale, Weights };
enum class Interpolation { Linear, Step, CubicSpline };

/// One curve. `values` has a column per key, three per key for cubic splines (in-tangent, value, out-tangent).
/// Rows: 3 for translation and scale, 4 for rotation (x, y, z, w), one per morph target for weights.
struct ClipChannel {
  ClipPath path = ClipPath::Translation;
  Interpolation interpolation = Interpolation::Linear;
  int joint = 0;       ///< the joint that moves (for weights: the joint that places the mesh)
  int firstMorph = 0;  ///< for weights: the first of the character's morph targets that it drives
  std::vector<double> times;
  Eigen::MatrixXd values;
};

struct Clip {
  std::string name;  ///< may be empty: then it is named by its index
  std::vector<ClipChannel> channels;

  /// The last key's time.
  [[nodiscard]] double seconds() const;
};

/// Writes the values of the clip at `time` into `pose` and leaves the rest of `pose` unchanged. Times outside a
/// channel's keys take its first or last value. Rotations are interpolated along the shorter arc.
void sampleClip(const Clip& clip, double time, Pose& pose);

}  // namespace sinew
