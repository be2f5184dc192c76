// One test character used everywhere: a tube of 2 bones with smooth weights, in a few hundred vertices.
#pragma once

#include "sinew/character/character.h"

namespace sinew::test {

/// A tube along x from -1 to 1 with joints `root` (-1), `upper` (-1, child of root) and `lower` (0, child of upper).
/// `rings` x `sides` vertices, quads; weights of `lower` rise linearly over -0.5 < x < 0.5.
Character testArm(int rings = 21, int sides = 12);

/// The arm bent about z and twisted about x at its elbow, with its root turned and moved a little.
Pose bentArmPose(const Character& arm, double bendDegrees = 90, double twistDegrees = 40);

}  // namespace sinew::test
