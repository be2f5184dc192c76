// Scene -> view frame -> occlusion -> screen triangles -> tiles. Each tile is drawn and shaded on its own: a z-buffer
// with several samples per pixel keeps only the number of the nearest triangle, and afterwards every pixel is shaded
// once for each triangle that it shows, at the middle of that triangle's samples.
#include "sinew/picture/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/picture/render/tile_shader.h"

namespace sinew::picture {
namespace {

void checkOptions(const RenderOptions& options) {
  const char* where = "renderScene";
  checkImageSize(options.width, options.height, where);
  SINEW_CHECK(options.samples == 1 || options.samples == 4 || options.samples == 8 || options.samples == 16, where,
              fmt::format("{} samples per pixel; choose 1, 4, 8 or 16", options.samples));
  SINEW_CHECK(options.occlusionDirections >= 0 && options.occlusionDirections <= 1024, where,
              fmt::format("{} directions for the ambient light; choose 0 to 1024", options.occlusionDirections));
  SINEW_CHECK(options.wireWidth > 0 && options.wireWidth <= 100, where,
              fmt::format("wires of {} pixels; choose more than 0 and at most 100", options.wireWidth));
  SINEW_CHECK(options.creaseDegrees >= 0 && options.creaseDegrees <= 180, where,
              fmt::format("a crease of {} degrees; choose 0 to 180", options.creaseDegrees));
  SINEW_CHECK(options.ghostOpacity >= 0 && options.ghostOpacity <= 1 && options.ghostOpacityInside >= 0 &&
                  options.ghostOpacityInside <= 1,
              where, "the opacity of ghosts must be 0 to 1");
}

}  // namespace

Image renderScene(const Scene& scene, const Camera& camera, const RenderOptions& options) {
  checkOptions(options);
  checkCamera(camera, "renderScene");
  ViewedScene viewed = viewScene(scene, camera, options);
  const Studio studio(viewed.up);
  GroundShadow shadow;
  if (options.lit) {
    shadow = computeOcclusion(viewed, options.occlusionDirections, options.ground, studio.keyDirection());
  }
  const ScreenFrame frame(options.width, options.height, camera.fieldOfView);
  const std::vector<ScreenTriangle> triangles = projectTriangles(viewed, frame);
  const TileLists lists = sortIntoTiles(triangles, frame);

  Image image(options.width, options.height, {});
  const TileShader shader({.viewed = viewed,
                           .triangles = triangles,
                           .lists = lists,
                           .frame = frame,
                           .studio = studio,
                           .shadow = shadow,
                           .options = options});
  parallelRanges(frame.tilesAcross() * static_cast<Index>(frame.tilesDown()), 4, [&](Index begin, Index end) {
    TileMemory memory(options.samples);
    for (Index tile = begin; tile < end; ++tile) shader.draw(static_cast<int>(tile), memory, image);
  });
  return image;
}

std::vector<std::uint8_t> visibleEdges(const Mesh& mesh) {
  // triangulate() takes faces in order and gives n - 2 triangles for n corners.
  const std::vector<Triangle> triangles = triangulate(mesh);
  std::vector<std::uint8_t> masks;
  masks.reserve(triangles.size());
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto face = mesh.faces[f];
    const auto isSide = [&](std::uint32_t a, std::uint32_t b) {
      for (std::size_t i = 0; i < face.size(); ++i) {
        const std::uint32_t p = face[i];
        const std::uint32_t q = face[(i + 1) % face.size()];
        if ((p == a && q == b) || (p == b && q == a)) return true;
      }
      return false;
    };
    for (std::size_t i = 2; i < face.size(); ++i) {
      const Triangle& t = triangles[masks.size()];
      unsigned mask = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        if (isSide(t[k], t[(k + 1) % 3])) mask |= 1U << k;
      }
      masks.push_back(static_cast<std::uint8_t>(mask));
    }
  }
  return masks;
}

}  // namespace sinew::picture
