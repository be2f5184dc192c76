#include "sinew/picture/render/viewed_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/picture/render/smooth_normals.h"

namespace sinew::picture {
namespace {

constexpr const char* kWhere = "renderScene";
constexpr double kViewedSceneLargestCoordinate = 1e100;

void checkShape(const Shape& shape, std::size_t number) {
  SINEW_CHECK(shape.points != nullptr, kWhere, fmt::format("shape {} has no points", number));
  const Points& points = *shape.points;
  checkFinite(points, kWhere, fmt::format("shape {}", number).c_str());
  SINEW_CHECK(
      points.cols() == 0 || points.cwiseAbs().maxCoeff() <= kViewedSceneLargestCoordinate, kWhere,
      fmt::format("shape {} has a coordinate beyond {}; scale the scene", number, kViewedSceneLargestCoordinate));
  const auto count = toSize(points.cols());
  for (const Triangle& t : shape.triangles) {
    const std::uint32_t largest = std::max({t[0], t[1], t[2]});
    SINEW_CHECK(largest < count, kWhere,
                fmt::format("a triangle of shape {} refers to vertex {}, but it has {}", number, largest, count));
  }
  if (shape.normals != nullptr) {
    SINEW_CHECK(shape.normals->cols() == points.cols(), kWhere,
                fmt::format("shape {} has {} normals for {} points", number, shape.normals->cols(), count));
    checkFinite(*shape.normals, kWhere, fmt::format("the normals of shape {}", number).c_str());
  }
  const auto fits = [&](std::size_t given, std::size_t wanted, const char* what) {
    SINEW_CHECK(given == 0 || given == wanted, kWhere,
                fmt::format("shape {} has {} {} instead of {} or none", number, given, what, wanted));
  };
  fits(shape.vertexColours.size(), count, "vertex colours");
  fits(shape.triangleColours.size(), shape.triangles.size(), "triangle colours");
  fits(shape.visibleEdges.size(), shape.triangles.size(), "edge masks");
  fits(shape.scalars.size(), count, "scalars");
  if (!shape.scalars.empty()) checkScale(shape.scale, kWhere);
  for (std::size_t i = 0; i < shape.scalars.size(); ++i) {
    SINEW_CHECK(std::isfinite(shape.scalars[i]), kWhere, fmt::format("scalar {} of shape {} is not finite", i, number));
  }
}

ShapeStyle styleOf(const Shape& shape) {
  ShapeStyle style;
  style.ghost = shape.ghost;
  style.edges.assign(shape.visibleEdges.begin(), shape.visibleEdges.end());
  if (!shape.scalars.empty()) {
    const Colormap& map = colormap(shape.scale.colormap);
    for (int i = 0; i < kColourSteps; ++i) {
      style.colourSteps.push_back(linearColour(map.colour(static_cast<double>(i) / (kColourSteps - 1))));
    }
  } else if (!shape.triangleColours.empty()) {
    style.triangleColours.reserve(shape.triangleColours.size());
    for (const Rgba colour : shape.triangleColours) style.triangleColours.push_back(linearColour(colour));
  }
  return style;
}

/// Normals as given, one per point.
CornerNormals givenNormals(const Points& normals, const Mat3& viewFromWorld, std::span<const Triangle> triangles) {
  CornerNormals result;
  result.triangles.assign(triangles.begin(), triangles.end());
  for (Index i = 0; i < normals.cols(); ++i) {
    const Vec3 normal = viewFromWorld * normals.col(i);
    result.normals.emplace_back(normal.stableNormalized().cast<float>());
    result.vertex.push_back(static_cast<std::uint32_t>(i));
  }
  return result;
}

float onScale(const ScalarScale& scale, double value) {
  return static_cast<float>(std::clamp((value - scale.low) / (scale.high - scale.low), 0.0, 1.0));
}

/// Appends one shape. `inView` contains its points in the view frame.
void addShape(const Shape& shape, const Points& inView, const Mat3& viewFromWorld, double creaseDegrees,
              ViewedScene& viewed) {
  const CornerNormals corners = shape.normals != nullptr ? givenNormals(*shape.normals, viewFromWorld, shape.triangles)
                                                         : smoothNormals(inView, shape.triangles, creaseDegrees);
  const std::size_t first = viewed.vertices.size();
  viewed.vertices.resize(first + corners.normals.size());
  const LinearRgb base = linearColour(shape.colour);
  parallelFor(static_cast<Index>(corners.normals.size()), 4096, [&](Index index) {
    const auto i = toSize(index);
    const std::uint32_t v = corners.vertex[i];
    ShadeVertex& vertex = viewed.vertices[first + i];
    vertex.position = inView.col(v).cast<float>();
    vertex.normal = corners.normals[i];
    vertex.colour = shape.vertexColours.empty() ? base : linearColour(shape.vertexColours[v]);
    vertex.scalar = shape.scalars.empty() ? 0 : onScale(shape.scale, shape.scalars[v]);
  });
  const auto number = static_cast<std::uint32_t>(viewed.styles.size());
  const auto offset = static_cast<std::uint32_t>(first);
  viewed.triangles.reserve(viewed.triangles.size() + corners.triangles.size());
  for (std::uint32_t t = 0; t < corners.triangles.size(); ++t) {
    const Triangle& c = corners.triangles[t];
    viewed.triangles.push_back({{c[0] + offset, c[1] + offset, c[2] + offset}, number, t});
  }
  viewed.styles.push_back(styleOf(shape));
  if (!shape.ghost && !corners.triangles.empty()) viewed.hasSolid = true;
}

}  // namespace

ViewedScene viewScene(const Scene& scene, const Camera& camera, const RenderOptions& options) {
  const Mat3 viewFromWorld = camera.viewFromWorld();
  const double scale = 1 / (camera.eye - camera.target).stableNorm();
  ViewedScene viewed;
  viewed.up = (viewFromWorld * camera.up.normalized()).cast<float>();
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < scene.shapes.size(); ++i) {
    const Shape& shape = scene.shapes[i];
    checkShape(shape, i);
    const Points inView = scale * (viewFromWorld * (shape.points->colwise() - camera.eye));
    SINEW_CHECK(inView.cols() == 0 || inView.cwiseAbs().maxCoeff() < 1e15, kWhere,
                fmt::format("shape {} extends far beyond the view of the camera; fit the camera to the scene", i));
    addShape(shape, inView, viewFromWorld, options.creaseDegrees, viewed);
    if (!shape.ghost && inView.cols() > 0) {
      lowest = std::min(lowest, (viewed.up.cast<double>().transpose() * inView).minCoeff());
    }
  }
  if (scene.groundHeight) {
    SINEW_CHECK(std::isfinite(*scene.groundHeight), kWhere, "the height of the ground is not finite");
    lowest = scale * (*scene.groundHeight - camera.up.normalized().dot(camera.eye));
  }
  viewed.groundHeight = std::isfinite(lowest) ? static_cast<float>(lowest) : 0;
  return viewed;
}

}  // namespace sinew::picture
