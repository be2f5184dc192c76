#include "sinew/picture/render/screen.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/base/parallel.h"

namespace sinew::picture {
namespace {

/// Nothing nearer to the eye than this part of the target's distance is drawn.
constexpr float kNear = 1e-3F;
/// Screen coordinates stay within this many pixels of the middle, so that edge functions fit 64-bit integers.
constexpr double kGuardPixels = 32000;

/// The planes that a triangle is clipped to, as distance(p) >= 0 with the eye at the origin.
struct ClipPlane {
  Eigen::Vector3f normal;
  float offset;
  [[nodiscard]] float distance(const Eigen::Vector3f& p) const { return normal.dot(p) + offset; }
};

std::array<ClipPlane, 5> clipPlanes(double focal) {
  const auto guard = static_cast<float>(kGuardPixels / focal);
  return {{{{0, 0, -1}, -kNear}, {{1, 0, -guard}, 0}, {{-1, 0, -guard}, 0}, {{0, 1, -guard}, 0}, {{0, -1, -guard}, 0}}};
}

ShadeVertex between(const ShadeVertex& a, const ShadeVertex& b, float t) {
  ShadeVertex v;
  v.position = a.position + t * (b.position - a.position);
  v.normal = a.normal + t * (b.normal - a.normal);
  v.colour = a.colour + t * (b.colour - a.colour);
  v.scalar = a.scalar + t * (b.scalar - a.scalar);
  v.open = a.open + t * (b.open - a.open);
  return v;
}

class Projector {
 public:
  Projector(ViewedScene& viewed, const ScreenFrame& frame)
      : viewed_(viewed), frame_(frame), planes_(clipPlanes(frame.focal)) {}

  std::vector<ScreenTriangle> run() {
    std::vector<ScreenTriangle> result;
    const std::vector<std::uint8_t> outside = outsideMasks();
    result.reserve(viewed_.triangles.size());
    for (const ViewTriangle& t : viewed_.triangles) {
      const int any = outside[t.vertex[0]] | outside[t.vertex[1]] | outside[t.vertex[2]];
      const int all = outside[t.vertex[0]] & outside[t.vertex[1]] & outside[t.vertex[2]];
      if (all != 0) continue;
      if (any == 0) {
        add(t, t.vertex, false, result);
      } else {
        addClipped(t, result);
      }
    }
    return result;
  }

 private:
  /// A bit per plane that a vertex is outside of.
  [[nodiscard]] std::vector<std::uint8_t> outsideMasks() const {
    std::vector<std::uint8_t> masks(viewed_.vertices.size());
    parallelFor(static_cast<Index>(masks.size()), 8192, [&](Index index) {
      const auto i = toSize(index);
      unsigned mask = 0;
      for (std::size_t k = 0; k < planes_.size(); ++k) {
        if (planes_[k].distance(viewed_.vertices[i].position) < 0) mask |= 1U << k;
      }
      masks[i] = static_cast<std::uint8_t>(mask);
    });
    return masks;
  }

  /// Sutherland-Hodgman. The point on a crossing edge is computed from its inner to its outer end, so that both
  /// triangles of the edge get the same one.
  void addClipped(const ViewTriangle& t, std::vector<ScreenTriangle>& result) {
    std::vector<std::uint32_t> polygon(t.vertex.begin(), t.vertex.end());
    std::vector<std::uint32_t> inside;
    for (const ClipPlane& plane : planes_) {
      inside.clear();
      for (std::size_t i = 0; i < polygon.size(); ++i) {
        const std::uint32_t a = polygon[i];
        const std::uint32_t b = polygon[(i + 1) % polygon.size()];
        const float da = plane.distance(viewed_.vertices[a].position);
        const float db = plane.distance(viewed_.vertices[b].position);
        if (da >= 0) inside.push_back(a);
        if ((da >= 0) == (db >= 0)) continue;
        const bool fromA = da >= 0;
        const float t01 = fromA ? da / (da - db) : db / (db - da);
        viewed_.vertices.push_back(between(viewed_.vertices[fromA ? a : b], viewed_.vertices[fromA ? b : a], t01));
        inside.push_back(static_cast<std::uint32_t>(viewed_.vertices.size() - 1));
      }
      polygon.swap(inside);
      if (polygon.size() < 3) return;
    }
    for (std::size_t i = 2; i < polygon.size(); ++i) add(t, {polygon[0], polygon[i - 1], polygon[i]}, true, result);
  }

  void add(const ViewTriangle& t, const std::array<std::uint32_t, 3>& vertex, bool clipped,
           std::vector<ScreenTriangle>& result) const {
    ScreenTriangle s{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Eigen::Vector3d p = viewed_.vertices[vertex[k]].position.cast<double>();
      const double depth = std::max(-p.z(), 0.5 * static_cast<double>(kNear));
      const double scale = frame_.focal / depth;
      const double x = std::clamp(p.x() * scale, -kGuardPixels, kGuardPixels);
      const double y = std::clamp(p.y() * scale, -kGuardPixels, kGuardPixels);
      s.x[k] = static_cast<std::int32_t>(std::lrint((x + 0.5 * frame_.width) * kSubpixels));
      s.y[k] = static_cast<std::int32_t>(std::lrint((0.5 * frame_.height - y) * kSubpixels));
      s.w[k] = static_cast<float>(1 / depth);
    }
    const std::int64_t area = static_cast<std::int64_t>(s.x[1] - s.x[0]) * (s.y[2] - s.y[0]) -
                              static_cast<std::int64_t>(s.x[2] - s.x[0]) * (s.y[1] - s.y[0]);
    if (area == 0) return;
    s.vertex = vertex;
    s.shape = t.shape;
    s.source = t.source;
    s.clipped = clipped;
    // Rows go down, so a front face (anticlockwise in the scene) is clockwise here: its area is negative.
    s.back = area > 0;
    if (area < 0) {
      std::swap(s.x[1], s.x[2]);
      std::swap(s.y[1], s.y[2]);
      std::swap(s.w[1], s.w[2]);
      std::swap(s.vertex[1], s.vertex[2]);
    }
    const ScreenBox box = boxOf(s);
    const bool beside = box.right < 0 || box.left >= frame_.width * kSubpixels;
    const bool beyond = box.bottom < 0 || box.top >= frame_.height * kSubpixels;
    if (!beside && !beyond) result.push_back(s);
  }

  ViewedScene& viewed_;
  const ScreenFrame& frame_;
  std::array<ClipPlane, 5> planes_;
};

struct TileRange {
  int left, right, top, bottom;
};

TileRange tilesOf(const ScreenTriangle& t, const ScreenFrame& frame) {
  const int size = kTileSize * kSubpixels;
  const ScreenBox box = boxOf(t);
  return {std::max(box.left, 0) / size, std::min(std::max(box.right, 0) / size, frame.tilesAcross() - 1),
          std::max(box.top, 0) / size, std::min(std::max(box.bottom, 0) / size, frame.tilesDown() - 1)};
}

}  // namespace

ScreenFrame::ScreenFrame(int imageWidth, int imageHeight, double fieldOfViewDegrees)
    : width(imageWidth),
      height(imageHeight),
      focal(0.5 * imageHeight / std::tan(fieldOfViewDegrees * std::numbers::pi / 360)) {}

std::vector<ScreenTriangle> projectTriangles(ViewedScene& viewed, const ScreenFrame& frame) {
  return Projector(viewed, frame).run();
}

TileLists sortIntoTiles(const std::vector<ScreenTriangle>& triangles, const ScreenFrame& frame) {
  const int across = frame.tilesAcross();
  TileLists lists;
  lists.start.assign(toSize(across * frame.tilesDown()) + 1, 0);
  const auto forEachTile = [&](const ScreenTriangle& t, const auto& visit) {
    const TileRange range = tilesOf(t, frame);
    for (int y = range.top; y <= range.bottom; ++y) {
      for (int x = range.left; x <= range.right; ++x) visit(toSize(y) * toSize(across) + toSize(x));
    }
  };
  for (const ScreenTriangle& t : triangles) forEachTile(t, [&](std::size_t tile) { ++lists.start[tile + 1]; });
  for (std::size_t i = 1; i < lists.start.size(); ++i) lists.start[i] += lists.start[i - 1];
  lists.triangle.resize(lists.start.back());
  std::vector<std::uint32_t> next(lists.start.begin(), lists.start.end() - 1);
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    forEachTile(triangles[i], [&](std::size_t tile) { lists.triangle[next[tile]++] = i; });
  }
  return lists;
}

}  // namespace sinew::picture
