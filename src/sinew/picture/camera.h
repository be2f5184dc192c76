// A perspective camera that orbits its target, and how to fit it to a scene.
#pragma once

#include <span>

#include "sinew/base/types.h"
#include "sinew/character/mesh.h"

namespace sinew::picture {

/// Where a picture is taken from. Azimuth 0 looks at the front (from +z where y is up, from -y where z is up);
/// positive azimuths walk to the character's left, positive elevations rise.
struct ViewAngles {
  double azimuth = 30;      ///< degrees
  double elevation = 12;    ///< degrees, -90 to 90
  double fieldOfView = 28;  ///< degrees over the picture's height, 1 to 120
  double margin = 0.07;     ///< empty border, as a part of the picture's width or height, 0 to 0.4
  Vec3 up = Vec3::UnitY();  ///< the axis that points up in the scene
};

struct Camera {
  Vec3 eye = Vec3(0, 0, 4);
  Vec3 target = Vec3::Zero();  ///< in the middle of the picture; its distance sets the scale of near and far
  Vec3 up = Vec3::UnitY();
  double fieldOfView = 28;  ///< degrees over the picture's height

  /// Rows: right, up and backwards (towards the viewer), unit and orthogonal.
  [[nodiscard]] Mat3 viewFromWorld() const;
  /// Position in the picture, from (-aspect, -1) at the bottom left to (aspect, 1); z is the distance in front of
  /// the eye. For points with z > 0 only.
  [[nodiscard]] Vec3 project(const Vec3& point) const;
};

/// Throws unless the camera looks somewhere with a sensible field of view.
void checkCamera(const Camera& camera, const char* where);

/// The nearest camera in this direction that has all points within the margin: exact, not a bounding sphere. `aspect`
/// is width / height. Several point sets give a camera for a whole contact sheet. No points, or all at one position,
/// give a camera that looks at that position.
Camera fitCamera(std::span<const Points* const> pointSets, double aspect, const ViewAngles& view = {});
Camera fitCamera(const ConstPointsRef& points, double aspect, const ViewAngles& view = {});
Camera fitCamera(const BoundingBox& box, double aspect, const ViewAngles& view = {});

}  // namespace sinew::picture
