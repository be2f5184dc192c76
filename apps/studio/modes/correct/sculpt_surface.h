// The skin as a surface to sculpt: welded points, so that seams stay closed, their neighbours and normals.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/manipulate/drag_surface.h"

namespace sinew::studio::correct {

/// Built once per mesh. Shapes are given per file vertex; the vertices of a point are always at the same place.
class SculptSurface {
 public:
  explicit SculptSurface(const Character& character);

  [[nodiscard]] const DragSurface& drag() const { return drag_; }
  [[nodiscard]] std::uint32_t pointOf(std::uint32_t vertex) const { return drag_.weld().pointOfVertex[vertex]; }
  [[nodiscard]] Vec3 place(const Points& shape, std::uint32_t point) const {
    return shape.col(static_cast<Index>(drag_.weld().firstVertex[point]));
  }
  void setPlace(std::uint32_t point, const Vec3& place, Points& shape) const {
    for (const std::uint32_t v : drag_.verticesOf(point)) shape.col(static_cast<Index>(v)) = place;
  }
  /// Points that share an edge of a triangle with it.
  [[nodiscard]] std::span<const std::uint32_t> neighbours(std::uint32_t point) const;
  /// Of the triangles around it, by their area; zero if they have none.
  [[nodiscard]] Vec3 normal(const Points& shape, std::uint32_t point) const;

 private:
  DragSurface drag_;
  std::vector<Triangle> triangles_;  ///< of points
  std::vector<std::uint32_t> triangleStart_, around_;
  std::vector<std::uint32_t> neighbourStart_, neighbours_;
};

}  // namespace sinew::studio::correct
