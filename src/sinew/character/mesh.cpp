#include "sinew/character/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"

namespace sinew {
namespace {

/// Newell's normal of a polygon, not normalised: robust on polygons that are not quite flat.
Vec3 polygonNormal(const Points& points, std::span<const std::uint32_t> face) {
  Vec3 normal = Vec3::Zero();
  for (std::size_t i = 0; i < face.size(); ++i) {
    normal += points.col(face[i]).cross(points.col(face[(i + 1) % face.size()]));
  }
  return normal;
}

/// Twice the signed area of the corner a, b, c as seen along the normal.
double turn(const Points& points, const Vec3& normal, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return (points.col(b) - points.col(a)).cross(points.col(c) - points.col(b)).dot(normal);
}

bool isConvex(const Points& points, const Vec3& normal, std::span<const std::uint32_t> face) {
  const std::size_t n = face.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (turn(points, normal, face[i], face[(i + 1) % n], face[(i + 2) % n]) < 0) return false;
  }
  return true;
}

bool cornerContainsAnother(const Points& points, const Vec3& normal, std::span<const std::uint32_t> ring,
                           std::size_t ear) {
  const std::size_t n = ring.size();
  const std::uint32_t a = ring[(ear + n - 1) % n];
  const std::uint32_t b = ring[ear];
  const std::uint32_t c = ring[(ear + 1) % n];
  for (const std::uint32_t p : ring) {
    if (p == a || p == b || p == c) continue;
    if (turn(points, normal, a, b, p) >= 0 && turn(points, normal, b, c, p) >= 0 && turn(points, normal, c, a, p) >= 0)
      return true;
  }
  return false;
}

/// Ear clipping; a polygon with no ear left (it crosses itself) is finished as a fan.
void clipEars(const Points& points, const Vec3& normal, std::span<const std::uint32_t> face,
              std::vector<Triangle>& triangles) {
  std::vector<std::uint32_t> ring(face.begin(), face.end());
  while (ring.size() > 3) {
    std::size_t ear = 0;
    for (; ear < ring.size(); ++ear) {
      const std::size_t n = ring.size();
      if (turn(points, normal, ring[(ear + n - 1) % n], ring[ear], ring[(ear + 1) % n]) > 0 &&
          !cornerContainsAnother(points, normal, ring, ear)) {
        break;
      }
    }
    if (ear == ring.size()) ear = 1;
    const std::size_t n = ring.size();
    triangles.push_back({ring[(ear + n - 1) % n], ring[ear], ring[(ear + 1) % n]});
    ring.erase(ring.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  triangles.push_back({ring[0], ring[1], ring[2]});
}

}  // namespace

std::vector<Triangle> triangulate(const Mesh& mesh) {
  std::vector<Triangle> triangles;
  triangles.reserve(mesh.faces.corner.size());
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto face = mesh.faces[f];
    if (face.size() < 3) continue;
    if (face.size() > 3) {
      const Vec3 normal = polygonNormal(mesh.points, face);
      if (!isConvex(mesh.points, normal, face)) {
        clipEars(mesh.points, normal, face, triangles);
        continue;
      }
    }
    for (std::size_t i = 2; i < face.size(); ++i) triangles.push_back({face[0], face[i - 1], face[i]});
  }
  return triangles;
}

void computeNormals(const ConstPointsRef& points, std::span<const Triangle> triangles, Points& normals) {
  normals.setZero(3, points.cols());
  for (const Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 a = points.col(t[(k + 1) % 3]) - points.col(t[k]);
      const Vec3 b = points.col(t[(k + 2) % 3]) - points.col(t[k]);
      const Vec3 cross = a.cross(b);
      const double length = cross.norm();
      if (length > 0) normals.col(t[k]) += cross * (std::atan2(length, a.dot(b)) / length);
    }
  }
  for (Index v = 0; v < normals.cols(); ++v) {
    const double length = normals.col(v).norm();
    if (length > 0) normals.col(v) /= length;
  }
}

BoundingBox boundingBox(const ConstPointsRef& points) {
  if (points.cols() == 0) return {};
  return {points.rowwise().minCoeff(), points.rowwise().maxCoeff()};
}

void checkMesh(const Mesh& mesh, const char* where) {
  const Index count = mesh.vertexCount();
  checkFinite(mesh.points, where, "the mesh");
  const std::vector<std::uint32_t>& start = mesh.faces.start;
  SINEW_CHECK(!start.empty() && start.front() == 0 && start.back() == mesh.faces.corner.size() &&
                  std::is_sorted(start.begin(), start.end()),
              where, "the list of faces does not cover its corners in order");
  for (const std::uint32_t vertex : mesh.faces.corner) {
    SINEW_CHECK(vertex < count, where, fmt::format("a face refers to vertex {}, but the mesh has {}", vertex, count));
  }
  SINEW_CHECK(mesh.normals.cols() == 0 || mesh.normals.cols() == count, where,
              fmt::format("the mesh has {} normals for {} vertices", mesh.normals.cols(), count));
  SINEW_CHECK(
      mesh.cornerUv.empty() || mesh.cornerUv.size() == mesh.faces.corner.size(), where,
      fmt::format("the mesh has {} texture corners for {} corners", mesh.cornerUv.size(), mesh.faces.corner.size()));
  SINEW_CHECK(!mesh.cornerUv.empty() || mesh.uvs.cols() == 0 || mesh.uvs.cols() == count, where,
              fmt::format("the mesh has {} texture coordinates for {} vertices", mesh.uvs.cols(), count));
  for (const std::uint32_t uv : mesh.cornerUv) {
    SINEW_CHECK(uv < mesh.uvs.cols(), where,
                fmt::format("a corner refers to texture coordinate {} of {}", uv, mesh.uvs.cols()));
  }
  Index next = 0;
  for (const MeshPart& part : mesh.parts) {
    SINEW_CHECK(part.firstVertex == next && part.vertexCount >= 0, where,
                fmt::format("part '{}' starts at vertex {} where {} was expected", part.name, part.firstVertex, next));
    SINEW_CHECK(part.firstFace <= mesh.faces.size() && part.faceCount <= mesh.faces.size() - part.firstFace, where,
                fmt::format("part '{}' has {} faces from number {}, but the mesh has {}", part.name, part.faceCount,
                            part.firstFace, mesh.faces.size()));
    next += part.vertexCount;
  }
  SINEW_CHECK(mesh.parts.empty() || next == count, where,
              fmt::format("the parts cover {} of {} vertices", next, count));
}

}  // namespace sinew
