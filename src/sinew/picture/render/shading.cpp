// Lambert with wrapped terminators for soft lights, a broad Blinn-Phong highlight of the key light, a rim light that
// grows towards the silhouette, and hemispheric ambient light. Sums are in linear light and rolled off softly above
// kShadingShoulder, so that bright colours do not burn out.
#include "sinew/picture/render/shading.h"

#include <algorithm>
#include <cmath>

namespace sinew::picture {
namespace {

constexpr float kShadingShoulder = 0.80F;

/// Diffuse light of a lamp so large that it reaches around the edge: 0 at n.l = -wrap, 1 at n.l = 1.
float wrapped(float cosine, float wrap) {
  return std::max(0.0F, (cosine + wrap) / (1 + wrap));
}

float power8(float value) {
  const float square = value * value;
  const float fourth = square * square;
  return fourth * fourth;
}

/// The identity up to the shoulder, then a smooth approach to 1.
LinearRgb rollOff(const LinearRgb& light) {
  const LinearRgb above = (light - kShadingShoulder).max(0.0F) / (1 - kShadingShoulder);
  return light.min(kShadingShoulder) + (1 - kShadingShoulder) * above / (1 + above);
}

}  // namespace

Studio::Studio(const Eigen::Vector3f& up)
    : up_(up),
      key_(Eigen::Vector3f(-0.62F, 0.66F, 0.48F).normalized()),
      fill_(Eigen::Vector3f(0.85F, 0.12F, 0.50F).normalized()),
      rim_(Eigen::Vector3f(0.45F, 0.50F, -0.75F).normalized()) {}

LinearRgb Studio::shade(const SurfacePoint& point, const Eigen::Vector3f& toViewer) const {
  const LinearRgb keyColour(1.0F, 0.945F, 0.86F);
  const LinearRgb fillColour(0.74F, 0.85F, 1.0F);
  const LinearRgb rimColour(0.90F, 0.95F, 1.0F);
  const LinearRgb skyColour(0.93F, 0.97F, 1.0F);
  const LinearRgb floorColour(0.52F, 0.48F, 0.46F);

  const float length = point.normal.norm();
  Eigen::Vector3f n = length > 0 ? Eigen::Vector3f(point.normal / length) : toViewer;
  LinearRgb albedo = point.albedo;
  if (point.back) {
    // The inside of a surface: lit from its own side, but dim and cool, so that it is never taken for the outside.
    n = -n;
    albedo *= LinearRgb(0.44F, 0.46F, 0.52F);
  }
  const float facing = std::clamp(n.dot(toViewer), 0.0F, 1.0F);
  const float sky = 0.5F + 0.5F * n.dot(up_);
  const float key = wrapped(n.dot(key_), 0.15F);
  const float fill = wrapped(n.dot(fill_), 0.35F);
  const float edge = 1 - facing;
  const float rim = edge * edge * edge * wrapped(n.dot(rim_), 0.45F);
  // Hollows also lose some of the large lamps' light.
  const float sheltered = 0.45F + 0.55F * point.open;

  const LinearRgb ambient = (0.40F * point.open * point.open) * (floorColour + (skyColour - floorColour) * sky);
  const LinearRgb direct = (0.92F * key * sheltered) * keyColour + (0.15F * fill * sheltered) * fillColour;
  LinearRgb light = albedo * (ambient + direct);

  const Eigen::Vector3f half = (key_ + toViewer).normalized();
  const float highlight = power8(std::max(0.0F, n.dot(half)));
  light += (0.055F * highlight * highlight * highlight * sheltered) * keyColour;
  light += (0.26F * rim * point.open) * rimColour * (0.35F + 0.65F * albedo);
  return rollOff(light);
}

LinearRgb Studio::shadeGhost(const SurfacePoint& point, const Eigen::Vector3f& toViewer) const {
  const float length = point.normal.norm();
  const Eigen::Vector3f n = length > 0 ? Eigen::Vector3f(point.normal / length) : toViewer;
  const float facing = std::abs(n.dot(toViewer));
  const float edge = 1 - facing;
  const float key = wrapped(n.dot(key_), 0.6F);
  return rollOff(point.albedo * (0.62F + 0.5F * key) + 0.25F * edge * edge);
}

}  // namespace sinew::picture
