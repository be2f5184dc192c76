#include "sinew/samples/body/fine_zone.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"

namespace sinew::body {
namespace {

// s(t) falls from 1 to the zone's scale by a cubic step.
double scaleOf(const FineZone& zone, double t) {
  const double x = std::clamp(t / zone.width, 0.0, 1.0);
  return 1 - (1 - zone.scale) * x * x * (3 - 2 * x);
}

// psi(t), the integral of s.
double lengthOf(const FineZone& zone, double t) {
  const double x = t / zone.width;
  const double step = x < 1 ? x * x * x * (1 - 0.5 * x) : x - 0.5;
  return t - (1 - zone.scale) * zone.width * step;
}

// psi's inverse by Newton's method; psi is concave, so steps from above do not overshoot.
double parameterOf(const FineZone& zone, double length) {
  double t = length / zone.scale;
  for (int i = 0; i < 30; ++i) {
    const double step = (lengthOf(zone, t) - length) / scaleOf(zone, t);
    t -= step;
    if (std::abs(step) < 1e-12) break;
  }
  return t;
}

}  // namespace

LatticeMap::LatticeMap(const std::vector<FineZone>& zones) : zones_(zones) {
  for (FineZone& zone : zones_) {
    SINEW_CHECK(zone.scale > 0 && zone.scale <= 1 && zone.width > 0 && zone.axis.dot(zone.normal) > 0, "LatticeMap",
                "a fine zone needs a scale in (0, 1], a width and an axis that leaves its plane");
    zone.normal.normalize();
    zone.axis /= zone.axis.dot(zone.normal);
  }
}

Vec3 LatticeMap::worldFromLattice(const Vec3& u) const {
  for (const FineZone& zone : zones_) {
    const double t = zone.normal.dot(u - zone.start);
    if (t <= 0) continue;
    const Vec3 off = u - zone.start - t * zone.axis;
    return zone.start + lengthOf(zone, t) * zone.axis + scaleOf(zone, t) * off;
  }
  return u;
}

Vec3 LatticeMap::latticeFromWorld(const Vec3& x) const {
  for (const FineZone& zone : zones_) {
    const double length = zone.normal.dot(x - zone.start);
    if (length <= 0) continue;
    const double t = parameterOf(zone, length);
    const Vec3 off = x - zone.start - length * zone.axis;
    return zone.start + t * zone.axis + off / scaleOf(zone, t);
  }
  return x;
}

double LatticeMap::scaleAt(const Vec3& x) const {
  for (const FineZone& zone : zones_) {
    const double length = zone.normal.dot(x - zone.start);
    if (length > 0) return scaleOf(zone, parameterOf(zone, length));
  }
  return 1;
}

double LatticeMap::steepest(const Vec3& u, double radius) const {
  double bound = 1;
  for (const FineZone& zone : zones_) {
    const double t = zone.normal.dot(u - zone.start);
    if (t + radius <= 0 || t - radius >= zone.width) continue;
    const double off = (u - zone.start - t * zone.axis).norm() + radius * (1 + zone.axis.norm());
    bound = std::max(bound, 1 + 1.5 * (1 - zone.scale) / zone.width * off);
  }
  return bound;
}

}  // namespace sinew::body
