// Fitting: with x right, y up and z towards the viewer, a camera at (cx, cy, D) with half-openings tx, ty sees a point
// where |x - cx| <= tx (D - z) and |y - cy| <= ty (D - z). The four sides are independent: with
//   R = max(x + tx z), L = max(-x + tx z):   cx = (R - L) / 2,   D >= (R + L) / (2 tx)
// and the same for y, so one pass over the points gives the nearest camera.
#include "sinew/picture/camera.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sinew/base/check.h"

namespace sinew::picture {
namespace {

constexpr double kCameraLargestCoordinate = 1e100;

double halfOpening(double fieldOfViewDegrees) {
  return std::tan(fieldOfViewDegrees * std::numbers::pi / 360);
}

/// The world axis that azimuth 0 looks from, for a given up axis.
Vec3 frontAxis(const Vec3& up) {
  const Vec3 wanted = std::abs(up.z()) > 0.5 ? Vec3(0, -1, 0) : Vec3(0, 0, 1);
  return (wanted - wanted.dot(up) * up).normalized();
}

Vec3 viewerDirection(const ViewAngles& view, const Vec3& up) {
  const double azimuth = view.azimuth * std::numbers::pi / 180;
  const double elevation = view.elevation * std::numbers::pi / 180;
  const Vec3 front = frontAxis(up);
  const Vec3 side = up.cross(front);
  return std::cos(elevation) * (std::cos(azimuth) * front + std::sin(azimuth) * side) + std::sin(elevation) * up;
}

struct SideLimits {
  double right = -std::numeric_limits<double>::infinity();
  double left = right;
  double top = right;
  double bottom = right;
  double nearest = right;
  double farthest = -right;

  void add(const Vec3& p, double tx, double ty) {
    right = std::max(right, p.x() + tx * p.z());
    left = std::max(left, -p.x() + tx * p.z());
    top = std::max(top, p.y() + ty * p.z());
    bottom = std::max(bottom, -p.y() + ty * p.z());
    nearest = std::max(nearest, p.z());
    farthest = std::min(farthest, p.z());
  }
};

void checkView(const ViewAngles& view, double aspect) {
  const char* where = "fitCamera";
  SINEW_CHECK(aspect > 0 && std::isfinite(aspect), where,
              fmt::format("the aspect ratio is {}; it must be positive", aspect));
  SINEW_CHECK(view.up.allFinite() && view.up.norm() > 0, where, "the up axis has no direction");
  SINEW_CHECK(std::isfinite(view.azimuth) && std::abs(view.elevation) <= 90, where,
              fmt::format("azimuth {} and elevation {} are not a view; the elevation must be -90 to 90 degrees",
                          view.azimuth, view.elevation));
  SINEW_CHECK(view.fieldOfView >= 1 && view.fieldOfView <= 120, where,
              fmt::format("the field of view is {} degrees; choose 1 to 120", view.fieldOfView));
  SINEW_CHECK(view.margin >= 0 && view.margin <= 0.4, where,
              fmt::format("the margin is {} of the picture; choose 0 to 0.4", view.margin));
}

}  // namespace

Mat3 Camera::viewFromWorld() const {
  const Vec3 back = (eye - target).normalized();
  Vec3 right = up.cross(back);
  // Straight down the up axis any other axis will do as up.
  if (right.norm() < 1e-9 * up.norm()) right = (std::abs(back.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitZ()).cross(back);
  right.normalize();
  Mat3 rows;
  rows << right.transpose(), back.cross(right).transpose(), back.transpose();
  return rows;
}

Vec3 Camera::project(const Vec3& point) const {
  const Vec3 inView = viewFromWorld() * (point - eye);
  const double depth = -inView.z();
  const double scale = 1 / (depth * halfOpening(fieldOfView));
  return {inView.x() * scale, inView.y() * scale, depth};
}

void checkCamera(const Camera& camera, const char* where) {
  SINEW_CHECK(camera.eye.allFinite() && camera.target.allFinite() && camera.up.allFinite(), where,
              "the camera's eye, target or up is not finite");
  SINEW_CHECK((camera.eye - camera.target).norm() > 0 && camera.up.norm() > 0, where,
              "the camera has no direction: its eye is at its target, or its up axis is zero");
  SINEW_CHECK(camera.fieldOfView >= 1 && camera.fieldOfView <= 120, where,
              fmt::format("the field of view is {} degrees; choose 1 to 120", camera.fieldOfView));
}

Camera fitCamera(std::span<const Points* const> pointSets, double aspect, const ViewAngles& view) {
  checkView(view, aspect);
  Camera camera;
  camera.up = view.up.normalized();
  camera.fieldOfView = view.fieldOfView;
  camera.target = Vec3::Zero();
  camera.eye = viewerDirection(view, camera.up);
  const Mat3 viewFromWorld = camera.viewFromWorld();
  const double ty = halfOpening(view.fieldOfView) * (1 - 2 * view.margin);
  const double tx = ty * aspect;

  SideLimits limits;
  double largest = 0;
  for (const Points* points : pointSets) {
    checkFinite(*points, "fitCamera", "the points");
    if (points->cols() > 0) largest = std::max(largest, points->cwiseAbs().maxCoeff());
    for (Index i = 0; i < points->cols(); ++i) limits.add(viewFromWorld * points->col(i), tx, ty);
  }
  SINEW_CHECK(largest <= kCameraLargestCoordinate, "fitCamera",
              fmt::format("a coordinate of {} is too large for a picture; scale the scene", largest));
  if (!std::isfinite(limits.nearest)) limits.add(Vec3::Zero(), tx, ty);

  const double depth = limits.nearest - limits.farthest;
  const double wide = std::max((limits.right + limits.left) / (2 * tx), (limits.top + limits.bottom) / (2 * ty));
  const double size = std::max({wide - limits.nearest, depth, 1e-9 * largest, 1e-100});
  // Never closer to the nearest point than a twentieth of the scene; a lone point is seen from a distance of 1.
  double distance = std::max(wide, limits.nearest + 0.05 * size);
  const bool onePlace = depth <= 1e-12 * largest && wide - limits.nearest <= 1e-9 * std::max(largest, 1e-100);
  if (onePlace) distance = limits.nearest + std::max(1.0, largest);
  const double cx = (limits.right - limits.left) / 2;
  const double cy = (limits.top - limits.bottom) / 2;
  const double middle = 0.5 * (limits.nearest + limits.farthest);
  camera.eye = viewFromWorld.transpose() * Vec3(cx, cy, distance);
  camera.target = viewFromWorld.transpose() * Vec3(cx, cy, middle);
  return camera;
}

Camera fitCamera(const ConstPointsRef& points, double aspect, const ViewAngles& view) {
  const Points copy = points;
  const std::array<const Points*, 1> sets{&copy};
  return fitCamera(sets, aspect, view);
}

Camera fitCamera(const BoundingBox& box, double aspect, const ViewAngles& view) {
  Points corners(3, 8);
  for (Index i = 0; i < 8; ++i) {
    corners.col(i) = Vec3((i & 1) != 0 ? box.high.x() : box.low.x(), (i & 2) != 0 ? box.high.y() : box.low.y(),
                          (i & 4) != 0 ? box.high.z() : box.low.z());
  }
  return fitCamera(corners, aspect, view);
}

}  // namespace sinew::picture
