// The test arm: a tube whose sculptor is a formula, so that other programs can check every number of a method on it.
#pragma once

#include "sinew/samples/samples.h"

namespace sinew {

/// v(24 i + j) = (X, 0.2 cos a, 0.2 sin a), X = -1 + i / 20 for i = 0..40, a = 2 pi j / 24: 984 rest points.
Points exactArmRest();

/// Weight of the lower bone at each point: clamp(0.5 + X, 0, 1).
Eigen::VectorXd exactArmLowerWeights();

/// The ground truth: Q (v + (biceps + forearm) n), Q the blended rotation, with the lower bone rotated by Rz(bend)
/// Rx(twist), in radians.
Points exactArmSculpt(double bend, double twist);

/// The pose of the exact arm with that rotation of `lower`.
Pose exactArmPose(const Character& arm, double bend, double twist);

/// 984 vertices, joints `upper` and `lower`, open tube of quads, no texture coordinates; sculpts at bends 40, 80, 120
/// and 160 degrees, held-out truths at 20, 60, 100 and 140.
Sample makeExactArm();

}  // namespace sinew
