#include "sinew/character/turned_normals.h"

#include <fmt/format.h>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/character/weld.h"
#include "sinew/math/rotation.h"

namespace sinew {

Points turnedNormals(const Mesh& mesh, const ConstPointsRef& points) {
  SINEW_CHECK(points.cols() == mesh.points.cols(), "normals",
              fmt::format("{} points for a mesh of {} vertices", points.cols(), mesh.points.cols()));
  if (mesh.normals.cols() == 0) return mesh.normals;
  // Smooth normals over welded seams, before and after: the rotation between them is the rotation of the surface.
  const WeldMap seams = weldMeshes(mesh, mesh.points);
  std::vector<Triangle> triangles = triangulate(mesh);
  for (Triangle& triangle : triangles) {
    for (std::uint32_t& vertex : triangle) vertex = seams.pointOfVertex[vertex];
  }
  Points before;
  Points after;
  computeNormals(weldedPoints(seams, mesh.points), triangles, before);
  computeNormals(weldedPoints(seams, points), triangles, after);
  Points turned = mesh.normals;
  parallelFor(turned.cols(), 1024, [&](Index v) {
    const auto p = static_cast<Index>(seams.pointOfVertex[toSize(v)]);
    if (before.col(p).isZero(0) || after.col(p).isZero(0) || before.col(p) == after.col(p)) return;
    turned.col(v) = rotationBetween(before.col(p), after.col(p)) * Vec3(turned.col(v));
  });
  return turned;
}

}  // namespace sinew
