// Where the lattice that meshes a body is finer: hands, ears.
#pragma once

#include <vector>

#include "sinew/base/types.h"

namespace sinew::body {

/// Beyond a plane the lattice shrinks towards a line that leaves the plane, so that fingers and the gaps between them
/// contain enough nodes. Only the small part may be beyond the plane, near the line.
struct FineZone {
  Vec3 start;    ///< where the line leaves the plane
  Vec3 axis;     ///< along the line
  Vec3 normal;   ///< of the plane, on the fine side
  double width;  ///< over which the scale goes from 1 to `scale`, metres of the lattice
  double scale;  ///< of the lattice's cells, above 0, at most 1
};

/// The map from the lattice to the world. With t = n . (u - start) and the line's point c(t) = start + axis t
/// (n . axis = 1), a point u goes to c(psi(t)) + s(t) (u - c(t)), psi' = s: its derivative s I + s' (u - c) n^T is
/// invertible, since u - c lies in the plane. Zones must not overlap.
class LatticeMap {
 public:
  LatticeMap() = default;
  explicit LatticeMap(const std::vector<FineZone>& zones);

  [[nodiscard]] Vec3 worldFromLattice(const Vec3& u) const;
  [[nodiscard]] Vec3 latticeFromWorld(const Vec3& x) const;
  /// The scale of the lattice's cells at a point of the world.
  [[nodiscard]] double scaleAt(const Vec3& x) const;
  /// A bound of the map's stretch within `radius` of a point of the lattice.
  [[nodiscard]] double steepest(const Vec3& u, double radius) const;

 private:
  std::vector<FineZone> zones_;  ///< with unit normals and n . axis = 1
};

}  // namespace sinew::body
