// Normals of a mesh whose shape has changed.
#pragma once

#include <vector>

#include "sinew/character/correspondence.h"
#include "sinew/character/mesh.h"

namespace sinew {

/// The mesh's own normals, each rotated with the surface around it from mesh.points to `points`: hard edges stay hard,
/// seams stay closed. 3 x 0 if the mesh has none. Throws if the sizes differ.
Points turnedNormals(const Mesh& mesh, const ConstPointsRef& points);

/// The same for several shapes of one mesh, which it refers to.
class NormalTurner {
 public:
  explicit NormalTurner(const Mesh& mesh);
  [[nodiscard]] Points turned(const ConstPointsRef& points) const;

 private:
  const Mesh& mesh_;
  WeldMap seams_;
  std::vector<Triangle> triangles_;  // of welded points
  Points before_;                    // normals of those
};

}  // namespace sinew
