// From an implicit surface to triangles.
#pragma once

#include <vector>

#include "sinew/base/types.h"
#include "sinew/samples/body/fine_zone.h"
#include "sinew/samples/body/implicit.h"

namespace sinew::body {

struct TriangleSoup {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
};

/// Marching tetrahedra on a body-centred cubic lattice with cubes of side `cell`, smaller in the map's fine zones. The
/// result is closed and
/// two-manifold, oriented outwards, in one piece (crumbs that the lattice cuts off thin tips are dropped), with
/// vertices in Morton order of the lattice's blocks; its triangles are of any shape. Visits only the neighbourhood of
/// the surface. The same bits on any number of threads.
TriangleSoup polygonise(const ImplicitSurface& surface, double cell, const LatticeMap& map = {});

}  // namespace sinew::body
