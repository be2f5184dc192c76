#include "sinew/picture/render/smooth_normals.h"

#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "sinew/base/parallel.h"

namespace sinew::picture {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

/// For each point, the first one with the same coordinates: a hash table with open addressing.
std::vector<std::uint32_t> weldExactly(const Points& points) {
  const auto count = toSize(points.cols());
  std::vector<std::uint32_t> table(std::bit_ceil(2 * count + 1), kNone);
  std::vector<std::uint32_t> first(count);
  const std::size_t mask = table.size() - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto p = points.col(static_cast<Index>(i));
    std::uint64_t hash = 0;
    for (Index k = 0; k < 3; ++k) {
      // Adding zero gives -0 and 0 the same bits.
      hash = (hash ^ std::bit_cast<std::uint64_t>(p[k] + 0.0)) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32U;
    }
    std::size_t slot = hash & mask;
    while (table[slot] != kNone && points.col(table[slot]) != p) slot = (slot + 1) & mask;
    if (table[slot] == kNone) table[slot] = static_cast<std::uint32_t>(i);
    first[i] = table[slot];
  }
  return first;
}

/// Corners (3 * triangle + k) around each welded point, as one list with offsets.
struct CornerLists {
  std::vector<std::uint32_t> start;
  std::vector<std::uint32_t> corner;

  CornerLists(std::size_t points, std::span<const Triangle> triangles, std::span<const std::uint32_t> weld)
      : start(points + 1, 0), corner(3 * triangles.size()) {
    for (const Triangle& t : triangles) {
      for (const std::uint32_t v : t) ++start[weld[v] + 1];
    }
    for (std::size_t i = 0; i < points; ++i) start[i + 1] += start[i];
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
      for (std::uint32_t k = 0; k < 3; ++k) corner[next[weld[triangles[t][k]]]++] = 3 * t + k;
    }
  }
  [[nodiscard]] std::span<const std::uint32_t> around(std::size_t point) const {
    return {corner.data() + start[point], corner.data() + start[point + 1]};
  }
};

struct FaceFrame {
  Eigen::Vector3f normal = Eigen::Vector3f::Zero();  ///< unit, or zero for a triangle without area
  std::array<float, 3> angle{};                      ///< at each corner
};

std::vector<FaceFrame> faceFrames(const Points& points, std::span<const Triangle> triangles) {
  std::vector<FaceFrame> frames(triangles.size());
  parallelFor(static_cast<Index>(triangles.size()), 2048, [&](Index i) {
    const Triangle& t = triangles[toSize(i)];
    const std::array<Vec3, 3> p{points.col(t[0]), points.col(t[1]), points.col(t[2])};
    const Vec3 area = (p[1] - p[0]).cross(p[2] - p[0]);
    const double length = area.norm();
    if (!(length > 0)) return;
    FaceFrame& frame = frames[toSize(i)];
    frame.normal = (area / length).cast<float>();
    for (std::size_t k = 0; k < 3; ++k) {
      const double along = (p[(k + 1) % 3] - p[k]).dot(p[(k + 2) % 3] - p[k]);
      frame.angle[k] = std::atan2(1.0F, static_cast<float>(along / length));
    }
  });
  return frames;
}

Eigen::Vector3f unit(const Eigen::Vector3f& v) {
  const float length = v.norm();
  return length > 0 ? Eigen::Vector3f(v / length) : v;
}

}  // namespace

CornerNormals smoothNormals(const Points& points, std::span<const Triangle> triangles, double creaseDegrees) {
  const auto count = toSize(points.cols());
  const std::vector<std::uint32_t> weld = weldExactly(points);
  const CornerLists lists(count, triangles, weld);
  const std::vector<FaceFrame> faces = faceFrames(points, triangles);
  const auto radians = static_cast<float>(creaseDegrees * std::numbers::pi / 180);
  const float cosCrease = std::cos(radians);
  const float cosHalfCrease = std::cos(radians / 2);

  CornerNormals result;
  result.normals.assign(count, Eigen::Vector3f::Zero());
  result.triangles.assign(triangles.begin(), triangles.end());
  std::vector<std::uint8_t> creased(count, 0);
  parallelFor(static_cast<Index>(count), 2048, [&](Index index) {
    const auto i = toSize(index);
    const auto around = lists.around(weld[i]);
    Eigen::Vector3f sum = Eigen::Vector3f::Zero();
    for (const std::uint32_t c : around) sum += faces[c / 3].angle[c % 3] * faces[c / 3].normal;
    result.normals[i] = unit(sum);
    // Faces that are all within half the crease angle of the mean are within the crease angle of each other.
    for (const std::uint32_t c : around) {
      const FaceFrame& face = faces[c / 3];
      if (face.angle[c % 3] > 0 && face.normal.dot(result.normals[i]) < cosHalfCrease) creased[i] = 1;
    }
  });
  result.vertex.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) result.vertex[i] = i;

  // At a crease every corner takes the mean of the faces that bend less than the crease from its own.
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t v = triangles[t][k];
      if (creased[v] == 0) continue;
      Eigen::Vector3f sum = Eigen::Vector3f::Zero();
      for (const std::uint32_t c : lists.around(weld[v])) {
        const FaceFrame& face = faces[c / 3];
        if (face.normal.dot(faces[t].normal) >= cosCrease) sum += face.angle[c % 3] * face.normal;
      }
      result.triangles[t][k] = static_cast<std::uint32_t>(result.normals.size());
      result.normals.push_back(unit(sum));
      result.vertex.push_back(v);
    }
  }
  return result;
}

}  // namespace sinew::picture
