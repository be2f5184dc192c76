// Draws the triangles of one tile and resolves its samples to pixels.
#pragma once

#include <array>
#include <vector>

#include "sinew/picture/render/occlusion.h"
#include "sinew/picture/render/raster.h"
#include "sinew/picture/render/screen.h"
#include "sinew/picture/render/shading.h"

namespace sinew::picture {

/// The buffers of one thread.
struct TileMemory {
  TileBuffer solid;
  TileBuffer ghost;
  explicit TileMemory(int samples) : solid(samplePattern(samples)), ghost(samplePattern(samples)) {}
};

/// All data before the first pixel. Keeps references.
struct FrameParts {
  const ViewedScene& viewed;
  const std::vector<ScreenTriangle>& triangles;
  const TileLists& lists;
  const ScreenFrame& frame;
  const Studio& studio;
  const GroundShadow& shadow;
  const RenderOptions& options;
};

class TileShader {
 public:
  explicit TileShader(const FrameParts& parts);

  /// Draws tile number `tile` (row by row from the top left) into the image.
  void draw(int tile, TileMemory& memory, Image& image) const;

 private:
  /// Light with its alpha multiplied in.
  struct Light {
    LinearRgb colour = LinearRgb::Zero();
    float alpha = 0;
  };
  struct Wire {
    LinearRgb colour;
    float alpha;
  };

  [[nodiscard]] Light solidLight(const TileMemory& memory, int x, int y, float left, float top) const;
  void addGhosts(const TileMemory& memory, int x, int y, float left, float top, Light& pixel) const;
  [[nodiscard]] Light background(float x, float y) const;
  [[nodiscard]] LinearRgb shadeAt(const ScreenTriangle& triangle, float x, float y) const;
  [[nodiscard]] float wireCoverage(const ScreenTriangle& triangle, const std::array<double, 3>& edges,
                                   double area) const;
  void store(const Light& pixel, int x, int y, Image& image) const;

  FrameParts parts_;
  SamplePattern pattern_;
  std::vector<LinearRgb> rows_;             ///< the background's colour per pixel row
  std::vector<std::uint8_t> displayTable_;  ///< linear light to sRGB bytes
  bool hasGhosts_ = false;
};

}  // namespace sinew::picture
