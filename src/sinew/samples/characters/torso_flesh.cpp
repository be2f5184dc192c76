#include "sinew/samples/characters/torso_flesh.h"

namespace sinew::body {

Group torsoGroup(const Vec3& shift) {
  Group g{"torso", -1, 0, {}};
  auto& p = g.primitives;
  p.push_back(ellipsoid({0, 0.965, -0.004}, {0.138, 0.100, 0.098}, 0.05));
  p.push_back(ellipsoid({0, 1.090, -0.002}, {0.122, 0.150, 0.086}, 0.08));
  p.push_back(ellipsoid({0, 1.275, -0.016}, {0.146, 0.180, 0.108}, 0.08));
  p.push_back(flattenedCapsule({-0.105, 1.420, -0.026}, {0.105, 1.420, -0.026}, 0.062, 0.0621, kY, 0.85, 1.0, 0.05));
  both(p, ellipsoid({0.072, 1.352, 0.054}, {0.086, 0.060, 0.030}, {1, 0.22, -0.38}, kY, 0.048));    // pectoral
  both(p, taperedCapsule({0.022, 1.520, -0.048}, {0.140, 1.462, -0.032}, 0.038, 0.030, 0.04));      // trapezius
  both(p, ellipsoid({0.112, 1.250, -0.046}, {0.135, 0.046, 0.060}, {-0.22, -1, -0.05}, kX, 0.04));  // latissimus
  both(p, ellipsoid({0.084, 1.380, -0.088}, {0.085, 0.060, 0.026}, {-0.15, 1, 0}, kX, 0.05));       // shoulder blade
  both(p, ellipsoid({0.034, 1.130, -0.072}, {0.165, 0.032, 0.026}, {0, 1, 0.02}, kX, 0.025));       // erectors
  both(p, ellipsoid({0.032, 1.145, 0.070}, {0.120, 0.034, 0.022}, {0, 1, -0.02}, kX, 0.022));       // abdominals
  both(p, ellipsoid({0.100, 1.050, 0.006}, {0.075, 0.028, 0.058}, kY, kX, 0.06));                   // obliques
  both(p, ellipsoid({0.074, 0.926, -0.054}, {0.092, 0.078, 0.062}, {0.25, -1, 0.1}, kX, 0.055));    // gluteus
  p.push_back(ellipsoid({0, 0.886, -0.006}, {0.055, 0.050, 0.056}, 0.04));                          // crotch
  both(p, taperedCapsule({0.030, 1.470, 0.030}, {0.150, 1.470, -0.012}, 0.013, 0.015, 0.025));      // collar bone
  for (Primitive& solid : p) solid.origin += shift;
  return g;
}

}  // namespace sinew::body
