#include "sinew/character/turned_normals.h"

#include <fmt/format.h>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/character/weld.h"
#include "sinew/math/rotation.h"

namespace sinew {

NormalTurner::NormalTurner(const Mesh& mesh) : mesh_(mesh) {
  if (mesh.normals.cols() == 0) return;
  // Smooth normals over welded seams, before and after: the rotation between them is the rotation of the surface.
  seams_ = weldMeshes(mesh, mesh.points);
  triangles_ = triangulate(mesh);
  for (Triangle& triangle : triangles_) {
    for (std::uint32_t& vertex : triangle) vertex = seams_.pointOfVertex[vertex];
  }
  computeNormals(weldedPoints(seams_, mesh.points), triangles_, before_);
}

Points NormalTurner::turned(const ConstPointsRef& points) const {
  SINEW_CHECK(points.cols() == mesh_.points.cols(), "normals",
              fmt::format("{} points for a mesh of {} vertices", points.cols(), mesh_.points.cols()));
  Points turned = mesh_.normals;
  if (turned.cols() == 0) return turned;
  Points after;
  computeNormals(weldedPoints(seams_, points), triangles_, after);
  parallelFor(turned.cols(), 1024, [&](Index v) {
    const auto p = static_cast<Index>(seams_.pointOfVertex[toSize(v)]);
    if (before_.col(p).isZero(0) || after.col(p).isZero(0) || before_.col(p) == after.col(p)) return;
    turned.col(v) = rotationBetween(before_.col(p), after.col(p)) * Vec3(turned.col(v));
  });
  return turned;
}

Points turnedNormals(const Mesh& mesh, const ConstPointsRef& points) {
  return NormalTurner(mesh).turned(points);
}

}  // namespace sinew
