// A scene as the camera sees it: vertices in the camera's frame, ready to be projected and shaded.
//
// The view frame has x right, y up, z towards the viewer, the eye at the origin, and the camera's target at distance 1:
// scenes of any size come out near 1, so that single precision serves from here on.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/picture/camera.h"
#include "sinew/picture/image.h"
#include "sinew/picture/render.h"

namespace sinew::picture {

struct ShadeVertex {
  Eigen::Vector3f position;
  Eigen::Vector3f normal;  ///< unit or zero
  LinearRgb colour = LinearRgb::Zero();
  float scalar = 0;  ///< on its scale: 0 to 1 if a shape has scalars
  float open = 1;    ///< part of the ambient light that arrives
};

inline constexpr int kColourSteps = 512;

/// What the triangles of one shape share.
struct ShapeStyle {
  std::vector<LinearRgb> colourSteps;      ///< kColourSteps entries for shapes with scalars, else none
  std::vector<LinearRgb> triangleColours;  ///< one per triangle, or none
  std::vector<std::uint8_t> edges;         ///< one per triangle, or none
  bool ghost = false;
};

struct ViewTriangle {
  std::array<std::uint32_t, 3> vertex;  ///< of ViewedScene::vertices
  std::uint32_t shape = 0;
  std::uint32_t source = 0;  ///< its number in the shape
};

struct ViewedScene {
  std::vector<ShadeVertex> vertices;
  std::vector<ViewTriangle> triangles;  ///< in the order of shapes and their triangles
  std::vector<ShapeStyle> styles;
  Eigen::Vector3f up = Eigen::Vector3f::UnitY();  ///< the scene's up axis
  float groundHeight = 0;                         ///< along up
  bool hasSolid = false;                          ///< some triangle is not a ghost
};

/// Checks the scene and brings it into the view frame.
ViewedScene viewScene(const Scene& scene, const Camera& camera, const RenderOptions& options);

}  // namespace sinew::picture
