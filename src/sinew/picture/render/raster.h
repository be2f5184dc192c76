// The z-buffer of one tile: for every sample, the nearest triangle.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sinew/picture/render/screen.h"

namespace sinew::picture {

inline constexpr int kMaxSamples = 16;
inline constexpr std::uint32_t kNoTriangle = 0xffffffffU;

/// Sample positions within a pixel, in 1/256 pixel from its top left corner: every row and every column of the pixel's
/// grid has one sample, so that edges near the axes get as many grey levels as there are samples.
struct SamplePattern {
  int count = 1;
  std::array<std::int32_t, kMaxSamples> x{};
  std::array<std::int32_t, kMaxSamples> y{};
};

/// `samples` is 1, 4, 8 or 16.
SamplePattern samplePattern(int samples);

/// Samples are in groups of four (a single sample fills one lane of a group).
class TileBuffer {
 public:
  explicit TileBuffer(const SamplePattern& pattern);

  void clear();
  /// Puts the triangle into the tile whose top left pixel is (left, top). Of samples at the same depth the earlier
  /// triangle stays.
  void draw(const ScreenTriangle& triangle, std::uint32_t number, int left, int top);

  /// The samples of pixel (x, y) of the tile: pattern.count numbers, kNoTriangle where nothing is.
  [[nodiscard]] const std::uint32_t* triangles(int x, int y) const { return triangle_.data() + first(x, y); }
  /// 1 / depth of the samples, 0 if nothing is.
  [[nodiscard]] const float* nearness(int x, int y) const { return nearness_.data() + first(x, y); }

 private:
  /// `FixedGroups` lets the compiler unroll the common pattern; 0 takes the number from the pattern.
  template <class Integer, int FixedGroups>
  void drawWith(const ScreenTriangle& triangle, std::uint32_t number, int left, int top);
  [[nodiscard]] std::size_t first(int x, int y) const { return toSize(y * kTileSize + x) * toSize(stride_); }

  SamplePattern pattern_;
  int stride_;  ///< samples per pixel, rounded up to whole groups
  std::vector<float> nearness_;
  std::vector<std::uint32_t> triangle_;
};

}  // namespace sinew::picture
