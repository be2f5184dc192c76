// The lighting: three soft lights around the camera, and ambient light.
#pragma once

#include "sinew/picture/image.h"

namespace sinew::picture {

struct SurfacePoint {
  Eigen::Vector3f normal;  ///< of any length; zero is taken as facing the viewer
  LinearRgb albedo;
  float open = 1;  ///< part of the ambient light that arrives
  bool back = false;
};

class Studio {
 public:
  /// `up` is the scene's up axis in the view frame.
  explicit Studio(const Eigen::Vector3f& up);

  /// Light that leaves the point towards the viewer; `toViewer` is a unit vector.
  [[nodiscard]] LinearRgb shade(const SurfacePoint& point, const Eigen::Vector3f& toViewer) const;
  /// As shade, for ghosts: brighter at their rims, no shadows.
  [[nodiscard]] LinearRgb shadeGhost(const SurfacePoint& point, const Eigen::Vector3f& toViewer) const;

  /// Direction of the key light, in the view frame.
  [[nodiscard]] const Eigen::Vector3f& keyDirection() const { return key_; }

 private:
  Eigen::Vector3f up_;
  Eigen::Vector3f key_;
  Eigen::Vector3f fill_;
  Eigen::Vector3f rim_;
};

}  // namespace sinew::picture
