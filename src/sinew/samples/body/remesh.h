// Well-shaped triangles on an implicit surface, with a given number of vertices.
#pragma once

#include "sinew/base/progress.h"
#include "sinew/base/types.h"
#include "sinew/samples/body/half_edges.h"
#include "sinew/samples/body/implicit.h"
#include "sinew/samples/body/polygonise.h"

namespace sinew::body {

/// A closed mesh of the surface with `vertices` vertices, within 8 %. `fine` vertices resolve every feature: below
/// twice that, twice as many as requested (at least `fine`) are made and the rest is simplified away where the surface
/// is flat.
TriangleSoup meshSurface(const ImplicitSurface& surface, const LatticeMap& map, Index vertices, Index fine,
                         const Progress& progress);

/// Collapses edges shorter than `length` times the map's scale, in the order of their numbers.
void collapseShortEdges(HalfEdges& mesh, const ImplicitSurface& surface, double length, const LatticeMap& map);

/// Collapses an edge of each face that is not well formed, where that leaves no worse ones.
void collapseNeedles(HalfEdges& mesh, const ImplicitSurface& surface);

/// Collapses edges until `vertices` are left, shortest first, lengths counted in the local radius of curvature. May
/// stop early where no collapse is possible without folding the surface.
void simplify(HalfEdges& mesh, const ImplicitSurface& surface, std::size_t vertices);

/// Rounds of Delaunay flips, and of moving each vertex towards the middle of its neighbours along the surface.
void relax(HalfEdges& mesh, const ImplicitSurface& surface, int rounds);

/// Unit gradients of the field at the vertices (those that live).
std::vector<Vec3> surfaceNormals(const HalfEdges& mesh, const ImplicitSurface& surface);

/// Whether the triangle faces the same way as its corners' normals and is not a sliver: it may be added to the mesh.
bool wellFormed(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& outward);

/// Whether an edge may join vertices with these normals. One that joins opposite sides cuts through the flesh: fingers
/// would end as blades.
bool sameSide(const Vec3& normalA, const Vec3& normalB);

}  // namespace sinew::body
