#include "studio/modes/correct/sculpt_surface.h"

#include <algorithm>

namespace sinew::studio::correct {

SculptSurface::SculptSurface(const Character& character) : drag_(character) {
  const std::vector<std::uint32_t>& pointOf = drag_.weld().pointOfVertex;
  const std::size_t count = drag_.weld().firstVertex.size();
  for (const Triangle& triangle : triangulate(character.mesh)) {
    const Triangle points{pointOf[triangle[0]], pointOf[triangle[1]], pointOf[triangle[2]]};
    if (points[0] != points[1] && points[1] != points[2] && points[2] != points[0]) triangles_.push_back(points);
  }
  triangleStart_.assign(count + 1, 0);
  for (const Triangle& triangle : triangles_) {
    for (const std::uint32_t point : triangle) ++triangleStart_[point + 1];
  }
  for (std::size_t p = 0; p < count; ++p) triangleStart_[p + 1] += triangleStart_[p];
  around_.resize(triangleStart_.back());
  std::vector<std::uint32_t> next(triangleStart_.begin(), triangleStart_.end() - 1);
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    for (const std::uint32_t point : triangles_[t]) around_[next[point]++] = static_cast<std::uint32_t>(t);
  }
  neighbourStart_.push_back(0);
  std::vector<std::uint32_t> ring;
  for (std::uint32_t p = 0; p < count; ++p) {
    ring.clear();
    for (std::uint32_t i = triangleStart_[p]; i < triangleStart_[p + 1]; ++i) {
      for (const std::uint32_t other : triangles_[around_[i]]) {
        if (other != p) ring.push_back(other);
      }
    }
    std::sort(ring.begin(), ring.end());
    neighbours_.insert(neighbours_.end(), ring.begin(), std::unique(ring.begin(), ring.end()));
    neighbourStart_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
  }
}

std::span<const std::uint32_t> SculptSurface::neighbours(std::uint32_t point) const {
  return std::span(neighbours_).subspan(neighbourStart_[point], neighbourStart_[point + 1] - neighbourStart_[point]);
}

Vec3 SculptSurface::normal(const Points& shape, std::uint32_t point) const {
  Vec3 sum = Vec3::Zero();
  for (std::uint32_t i = triangleStart_[point]; i < triangleStart_[point + 1]; ++i) {
    const Triangle& t = triangles_[around_[i]];
    const Vec3 a = place(shape, t[0]);
    sum += (place(shape, t[1]) - a).cross(place(shape, t[2]) - a);
  }
  const double length = sum.norm();
  return length > 0 ? Vec3(sum / length) : Vec3::Zero();
}

}  // namespace sinew::studio::correct
