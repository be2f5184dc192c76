// Landmarks that the quadruped's flesh and its hidden skeleton share.
#pragma once

#include "sinew/samples/body/body_spec.h"

namespace sinew::body {

/// Left side, metres. The animal faces +z and stands on y = 0.
struct QuadrupedLandmarks {
  Vec3 pelvis{0, 0.570, -0.270};
  Vec3 loin{0, 0.585, -0.110};
  Vec3 withers{0, 0.590, 0.060};
  Vec3 neck{0, 0.610, 0.265};
  Vec3 head{0, 0.765, 0.415};
  Vec3 nose{0, 0.722, 0.640};
  Vec3 ear{0.042, 0.812, 0.424};
  Vec3 earTip{0.066, 0.922, 0.408};
  Vec3 tail{0, 0.605, -0.375};
  Vec3 tailMiddle{0, 0.560, -0.500};
  Vec3 tailLow{0, 0.480, -0.595};
  Vec3 tailTip{0, 0.400, -0.665};
  Vec3 shoulder{0.082, 0.478, 0.252};
  Vec3 elbow{0.098, 0.355, 0.165};
  Vec3 carpus{0.096, 0.175, 0.182};
  Vec3 frontPaw{0.096, 0.052, 0.196};
  Vec3 frontToe{0.096, 0.026, 0.262};
  Vec3 hip{0.082, 0.530, -0.300};
  Vec3 knee{0.108, 0.370, -0.205};
  Vec3 hock{0.100, 0.205, -0.372};
  Vec3 hindPaw{0.100, 0.050, -0.345};
  Vec3 hindToe{0.100, 0.026, -0.278};
};
inline const QuadrupedLandmarks kQuadruped;

std::vector<Group> quadrupedFlesh();

/// Example and held-out poses.
void addQuadrupedPoses(BodySpec& spec);

}  // namespace sinew::body
