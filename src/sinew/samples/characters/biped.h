// Landmarks that the biped's flesh and its skeleton share.
#pragma once

#include "sinew/samples/body/body_spec.h"
#include "sinew/samples/characters/arm_flesh.h"

namespace sinew::body {

/// Left side, metres. Right is the mirror image across x = 0.
struct BipedLandmarks {
  ArmLandmarks arm{{0.176, 1.448, -0.018}, {0.378, 1.262, -0.026}, {0.560, 1.092, 0.004}, {0.621, 1.033, 0.018},
                   {0.676, 0.974, 0.028},  {0.570, 1.071, 0.034},  {0.594, 1.031, 0.086}};
  Vec3 hip{0.098, 0.930, 0.0};
  Vec3 knee{0.122, 0.500, 0.010};
  Vec3 ankle{0.138, 0.085, -0.028};
  Vec3 ball{0.150, 0.024, 0.108};
  Vec3 toe{0.155, 0.019, 0.176};
};
inline const BipedLandmarks kBiped;

std::vector<Group> bipedFlesh();

/// Example poses, held-out poses and clips.
void addBipedPoses(BodySpec& spec);

}  // namespace sinew::body
