// Skin weights from the body's own build: a smooth function of the point in space.
#pragma once

#include "sinew/character/skin.h"
#include "sinew/samples/body/body_spec.h"

namespace sinew::body {

/// At most four influences per vertex, smooth over the surface, without bleeding between limbs that only come near.
Skin makeSkin(const BodySpec& spec, const ImplicitSurface& surface, const Skeleton& skeleton,
              const ConstPointsRef& points);

/// 0 below 0, 1 above 1, with zero slope and curvature at both ends.
inline double smoothStep(double t) {
  if (t <= 0) return 0;
  if (t >= 1) return 1;
  return t * t * t * (t * (6 * t - 15) + 10);
}

}  // namespace sinew::body
