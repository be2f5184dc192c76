// Draws meshes to an image without a GPU: z-buffer, antialiasing, three soft lights, ambient occlusion, a soft shadow
// on the ground. docs/methods/pictures.md describes the method, its cost and its limits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/character/mesh.h"
#include "sinew/picture/camera.h"
#include "sinew/picture/colormap.h"
#include "sinew/picture/image.h"

namespace sinew::picture {

inline constexpr Rgba kClay{220, 202, 186};

/// One mesh to draw. It looks at the caller's data, which must live until the picture is made. If several colours are
/// given, scalars win over triangle colours, those over vertex colours, those over `colour`.
struct Shape {
  const Points* points = nullptr;  ///< 3 x V
  std::span<const Triangle> triangles;
  const Points* normals = nullptr;  ///< 3 x V; null: smooth normals from the triangles, also over seams
  Rgba colour = kClay;
  std::span<const Rgba> vertexColours;    ///< V, or none
  std::span<const Rgba> triangleColours;  ///< one per triangle, or none
  std::span<const double> scalars;        ///< V, or none; coloured by `scale` after interpolation
  ScalarScale scale;
  std::span<const std::uint8_t>
      visibleEdges;    ///< per triangle, bit k: its edge from corner k is drawn as wire; none: all
  bool ghost = false;  ///< drawn half transparent over the rest, fainter where it is inside
};

struct Scene {
  std::vector<Shape> shapes;
  /// Height of the ground along the camera's up axis; none: under the lowest solid point.
  std::optional<double> groundHeight;
};

struct RenderOptions {
  int width = 800;  ///< pixels, 1 to kMaxImageSize
  int height = 800;
  int samples = 8;  ///< antialiasing samples per pixel: 1, 4, 8 or 16
  Rgba backgroundTop{243, 244, 246};
  Rgba backgroundBottom{214, 218, 224};
  bool transparent = false;      ///< leave the background out; the ground's shadow stays, as soft black
  bool lit = true;               ///< false: plain colours without light, occlusion and ground
  int occlusionDirections = 48;  ///< for the ambient light and the ground's shadow, 0 (none) to 1024
  bool ground = true;            ///< a soft shadow on the ground
  bool wireframe = false;        ///< the triangles' edges as fine lines
  Rgba wireColour{40, 46, 60, 150};
  double wireWidth = 0.9;            ///< pixels
  double creaseDegrees = 75;         ///< computed normals are smooth over edges that bend less
  double ghostOpacity = 0.85;        ///< of ghosts in front of the rest
  double ghostOpacityInside = 0.62;  ///< of ghosts behind the surface
};

/// Throws on sizes out of range, points that are not finite, and indices or colours that do not fit. Triangles without
/// area are left out; those that cross the plane of the eye are clipped. The same bits on any number of threads.
Image renderScene(const Scene& scene, const Camera& camera, const RenderOptions& options = {});

/// For `Shape::visibleEdges`: which edges of triangulate(mesh) are edges of a face, so that quads show no diagonals.
std::vector<std::uint8_t> visibleEdges(const Mesh& mesh);

}  // namespace sinew::picture
