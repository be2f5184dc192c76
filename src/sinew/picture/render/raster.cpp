// Half-space rasterisation (Pineda 1988): with corners p0 p1 p2 on the integer grid, turning so that the area is
// positive, the edge function opposite to corner i is
//   E_i(q) = (p_k - p_j) x (q - p_j),   j = i + 1, k = i + 2 (mod 3),
// and q is inside where all three are at least 0. A sample exactly on a shared edge is inside both triangles, and the
// depth test decides. Depth is w = w0 + (E_1 (w1 - w0) + E_2 (w2 - w0)) / area.
#include "sinew/picture/render/raster.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sinew::picture {
namespace {

// Four lanes: one SSE or NEON register. Supported by g++ and clang.
using Int4 = std::int32_t __attribute__((vector_size(16)));
using Float4 = float __attribute__((vector_size(16)));

template <class Vector, class Scalar>
Vector load(const Scalar* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

Int4 bits(Float4 v) {
  return reinterpret_cast<Int4>(v);
}
Float4 fromBits(Int4 v) {
  return reinterpret_cast<Float4>(v);
}
bool any(Int4 v) {
  std::array<std::int64_t, 2> halves{};
  std::memcpy(halves.data(), &v, sizeof v);
  return (halves[0] | halves[1]) != 0;
}

/// One edge function over the pixels of a tile.
template <class Integer>
struct Edge {
  Integer dx = 0;     ///< step for one grid unit to the right
  Integer dy = 0;     ///< and down
  Integer value = 0;  ///< at the top left corner of the first pixel
  std::array<Integer, kMaxSamples> atSample{};
  Integer most = 0;  ///< of atSample

  Edge(const ScreenTriangle& t, std::size_t corner, const SamplePattern& pattern, int lanes, int startX, int startY) {
    const std::size_t j = (corner + 1) % 3;
    const std::size_t k = (corner + 2) % 3;
    dx = static_cast<Integer>(t.y[j] - t.y[k]);
    dy = static_cast<Integer>(t.x[k] - t.x[j]);
    value = dx * static_cast<Integer>(startX - t.x[j]) + dy * static_cast<Integer>(startY - t.y[j]);
    for (int s = 0; s < lanes; ++s) {
      const auto i = toSize(s);
      atSample[i] = dx * pattern.x[i] + dy * pattern.y[i];
      most = s == 0 ? atSample[i] : std::max(most, atSample[i]);
    }
  }
};

/// All bits set in the lanes whose sample is inside.
template <class Integer>
Int4 insideMask(const std::array<Edge<Integer>, 3>& edges, const std::array<Integer, 3>& at, std::size_t firstSample) {
  if constexpr (sizeof(Integer) == sizeof(std::int32_t)) {
    Int4 signs{};
    for (std::size_t i = 0; i < 3; ++i) signs |= load<Int4>(edges[i].atSample.data() + firstSample) + at[i];
    return signs >= 0;
  } else {
    Int4 mask{};
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const std::size_t s = firstSample + lane;
      const Integer signs =
          (edges[0].atSample[s] + at[0]) | (edges[1].atSample[s] + at[1]) | (edges[2].atSample[s] + at[2]);
      mask[lane] = signs >= 0 ? -1 : 0;
    }
    return mask;
  }
}

struct PixelBox {
  int left, right, top, bottom;
};

PixelBox pixelsOf(const ScreenTriangle& t) {
  const ScreenBox box = boxOf(t);
  // Arithmetic shifts round down, also for positions left of the picture.
  return {box.left >> 8, box.right >> 8, box.top >> 8, box.bottom >> 8};
}

/// Nearness (1 / depth) over the pixels of a tile.
struct DepthPlane {
  float start = 0;  ///< at the top left corner of the first pixel
  float dx = 0;     ///< per pixel
  float dy = 0;
  std::array<Float4, kMaxSamples / 4> atSample{};
  bool steep = false;  ///< so much that rounding could move samples beyond the corners' depths
  Float4 low{};
  Float4 high{};

  template <class Integer>
  DepthPlane(const ScreenTriangle& t, const std::array<Edge<Integer>, 3>& edges, const SamplePattern& pattern,
             int lanes) {
    const double area = static_cast<double>(t.x[1] - t.x[0]) * (t.y[2] - t.y[0]) -
                        static_cast<double>(t.x[2] - t.x[0]) * (t.y[1] - t.y[0]);
    const double rise1 = (static_cast<double>(t.w[1]) - static_cast<double>(t.w[0])) / area;
    const double rise2 = (static_cast<double>(t.w[2]) - static_cast<double>(t.w[0])) / area;
    const auto along = [&](Integer e1, Integer e2) {
      return static_cast<double>(e1) * rise1 + static_cast<double>(e2) * rise2;
    };
    const auto unitX = static_cast<float>(along(edges[1].dx, edges[2].dx));
    const auto unitY = static_cast<float>(along(edges[1].dy, edges[2].dy));
    start = static_cast<float>(static_cast<double>(t.w[0]) + along(edges[1].value, edges[2].value));
    dx = unitX * kSubpixels;
    dy = unitY * kSubpixels;
    for (std::size_t s = 0; s < toSize(lanes); ++s) {
      atSample[s / 4][s % 4] = unitX * static_cast<float>(pattern.x[s]) + unitY * static_cast<float>(pattern.y[s]);
    }
    low += std::min(t.w[0], std::min(t.w[1], t.w[2]));
    high += std::max(t.w[0], std::max(t.w[1], t.w[2]));
    steep = std::abs(start) + kTileSize * (std::abs(dx) + std::abs(dy)) > 16 * t.w[0];
  }

  /// At the samples of one group, for a pixel whose corner has nearness `corner`.
  [[nodiscard]] Float4 at(float corner, std::size_t group) const {
    Float4 depth = atSample[group] + corner;
    if (!steep) return depth;
    const Int4 below = depth < low;
    depth = fromBits((below & bits(low)) | (~below & bits(depth)));
    const Int4 above = depth > high;
    return fromBits((above & bits(high)) | (~above & bits(depth)));
  }
};

/// Puts the samples of a group that are inside and nearer than what is there.
void put(Int4 inside, Float4 depth, Int4 number, float* nearness, std::uint32_t* triangle) {
  const auto before = load<Float4>(nearness);
  const Int4 wins = inside & static_cast<Int4>(depth > before);
  if (!any(wins)) return;
  const Float4 after = fromBits((wins & bits(depth)) | (~wins & bits(before)));
  std::memcpy(nearness, &after, sizeof after);
  const Int4 owner = (wins & number) | (~wins & load<Int4>(triangle));
  std::memcpy(triangle, &owner, sizeof owner);
}

}  // namespace

SamplePattern samplePattern(int samples) {
  // Rank-1 lattices: sample i in column i and row i * step (mod count); the step maximises the distance of neighbours.
  SamplePattern pattern;
  pattern.count = samples;
  const int step = samples == 16 ? 5 : (samples == 8 ? 3 : 2);
  for (int i = 0; i < samples; ++i) {
    // Four samples are the rotated grid 1 3 0 2, which no step from 0 gives.
    const int row = samples == 4 ? (2 * i + 1) % 5 : (i * step) % samples;
    const auto k = toSize(i);
    pattern.x[k] = (2 * i + 1) * kSubpixels / (2 * samples);
    pattern.y[k] = (2 * row + 1) * kSubpixels / (2 * samples);
  }
  // A lone sample fills its group with copies of itself.
  for (auto k = toSize(samples); k < kMaxSamples; ++k) {
    pattern.x[k] = pattern.x[0];
    pattern.y[k] = pattern.y[0];
  }
  return pattern;
}

TileBuffer::TileBuffer(const SamplePattern& pattern)
    : pattern_(pattern),
      stride_((pattern.count + 3) / 4 * 4),
      nearness_(toSize(kTileSize * kTileSize * stride_)),
      triangle_(nearness_.size()) {}

void TileBuffer::clear() {
  std::fill(nearness_.begin(), nearness_.end(), 0.0F);
  std::fill(triangle_.begin(), triangle_.end(), kNoTriangle);
}

void TileBuffer::draw(const ScreenTriangle& triangle, std::uint32_t number, int left, int top) {
  // Triangles of up to 64 pixels have edge functions below 2^30 inside their box: 32 bits are enough.
  constexpr int kSmall = 64;
  const PixelBox box = pixelsOf(triangle);
  if (box.right - box.left >= kSmall || box.bottom - box.top >= kSmall) {
    drawWith<std::int64_t, 0>(triangle, number, left, top);
  } else if (stride_ == 8) {
    drawWith<std::int32_t, 2>(triangle, number, left, top);
  } else {
    drawWith<std::int32_t, 0>(triangle, number, left, top);
  }
}

template <class Integer, int FixedGroups>
void TileBuffer::drawWith(const ScreenTriangle& t, std::uint32_t number, int left, int top) {
  const int groups = FixedGroups > 0 ? FixedGroups : stride_ / 4;
  const int lanes = 4 * groups;
  PixelBox box = pixelsOf(t);
  box = {std::max(box.left, left), std::min(box.right, left + kTileSize - 1), std::max(box.top, top),
         std::min(box.bottom, top + kTileSize - 1)};
  if (box.left > box.right || box.top > box.bottom) return;

  const int startX = box.left * kSubpixels;
  const int startY = box.top * kSubpixels;
  const std::array<Edge<Integer>, 3> edges{Edge<Integer>(t, 0, pattern_, lanes, startX, startY),
                                           Edge<Integer>(t, 1, pattern_, lanes, startX, startY),
                                           Edge<Integer>(t, 2, pattern_, lanes, startX, startY)};
  const DepthPlane plane(t, edges, pattern_, lanes);
  const Int4 mine = Int4{} + static_cast<std::int32_t>(number);
  std::array<Integer, 3> row{edges[0].value, edges[1].value, edges[2].value};
  for (int y = box.top; y <= box.bottom; ++y) {
    std::array<Integer, 3> at = row;
    const float rowDepth = plane.start + plane.dy * static_cast<float>(y - box.top);
    std::size_t sample = first(box.left - left, y - top);
    bool entered = false;
    for (int x = box.left; x <= box.right; ++x, sample += toSize(lanes)) {
      // A negative sum anywhere: the pixel is completely outside that edge. The others are adjacent in a row.
      if (((at[0] + edges[0].most) | (at[1] + edges[1].most) | (at[2] + edges[2].most)) < 0) {
        if (entered) break;
      } else {
        entered = true;
        const float corner = rowDepth + plane.dx * static_cast<float>(x - box.left);
        for (int g = 0; g < groups; ++g) {
          const auto group = toSize(g);
          const Int4 inside = insideMask(edges, at, 4 * group);
          if (!any(inside)) continue;
          put(inside, plane.at(corner, group), mine, nearness_.data() + sample + 4 * group,
              triangle_.data() + sample + 4 * group);
        }
      }
      for (std::size_t i = 0; i < 3; ++i) at[i] += edges[i].dx * kSubpixels;
    }
    for (std::size_t i = 0; i < 3; ++i) row[i] += edges[i].dy * kSubpixels;
  }
}

}  // namespace sinew::picture
