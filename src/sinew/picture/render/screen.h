// Triangles on the screen: projected, clipped, snapped to a grid of 1/256 pixel and sorted into tiles.
//
// On the grid the edge functions are integers, so two triangles that share an edge leave no crack between them,
// whatever the order and the size.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sinew/picture/render/viewed_scene.h"

namespace sinew::picture {

inline constexpr int kSubpixels = 256;
inline constexpr int kTileSize = 32;

struct ScreenTriangle {
  std::array<std::int32_t, 3> x;  ///< in 1/256 pixel, from the left
  std::array<std::int32_t, 3> y;  ///< from the top
  std::array<float, 3> w;         ///< 1 / distance in front of the eye: linear on the screen, larger is nearer
  std::array<std::uint32_t, 3> vertex;
  std::uint32_t shape = 0;
  std::uint32_t source = 0;
  bool back = false;     ///< seen from behind; corners are then stored in reverse order
  bool clipped = false;  ///< a piece of a larger triangle
};

/// The box around a triangle, in 1/256 pixel.
struct ScreenBox {
  std::int32_t left, right, top, bottom;
};
inline ScreenBox boxOf(const ScreenTriangle& t) {
  return {std::min(t.x[0], std::min(t.x[1], t.x[2])), std::max(t.x[0], std::max(t.x[1], t.x[2])),
          std::min(t.y[0], std::min(t.y[1], t.y[2])), std::max(t.y[0], std::max(t.y[1], t.y[2]))};
}

struct ScreenFrame {
  int width = 0;
  int height = 0;
  double focal = 1;  ///< pixels per unit at distance 1

  ScreenFrame(int width, int height, double fieldOfViewDegrees);
  [[nodiscard]] int tilesAcross() const { return (width + kTileSize - 1) / kTileSize; }
  [[nodiscard]] int tilesDown() const { return (height + kTileSize - 1) / kTileSize; }
  /// The ray through a position on the screen (in pixels), in the view frame, at z = -1.
  [[nodiscard]] Eigen::Vector3f ray(float x, float y) const {
    return {(x - static_cast<float>(width) / 2) / static_cast<float>(focal),
            (static_cast<float>(height) / 2 - y) / static_cast<float>(focal), -1};
  }
};

/// Projects all triangles. Clipping appends vertices to the scene. Triangles out of the picture or without area are
/// left out.
std::vector<ScreenTriangle> projectTriangles(ViewedScene& viewed, const ScreenFrame& frame);

/// The triangles that touch each tile, in their order.
struct TileLists {
  std::vector<std::uint32_t> start;
  std::vector<std::uint32_t> triangle;
};
TileLists sortIntoTiles(const std::vector<ScreenTriangle>& triangles, const ScreenFrame& frame);

}  // namespace sinew::picture
