// Marching tetrahedra (Doi and Koide 1991) on the body-centred cubic lattice (Chan and Purisima 1998).
//
// Lattice nodes have three even or three odd coordinates in half cells. The tetrahedra around the face between two
// cubes join the cubes' centres with each of the face's four edges; all are congruent. A continuous function that is
// linear inside each tetrahedron has a level set without ambiguous cases, so the surface is two-manifold by
// construction. A smooth map of the lattice (fine zones) changes nothing of that. Blocks of 4^3 cubes that the surface
// cannot reach are left out: the field's slope is near 1, so a block is empty if |f(centre)| exceeds its half
// diagonal by a safety factor and the map's stretch.
#include "sinew/samples/body/polygonise.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/character/mesh.h"
#include "sinew/math/laplacian.h"

namespace sinew::body {
namespace {

constexpr int kBlock = 4;
constexpr int kSide = kBlock + 1;
constexpr int kNodes = 2 * kSide * kSide * kSide;  ///< corners, then centres
constexpr double kSlope = 1.3;                     ///< no field is steeper than this

using Cell = std::array<int, 3>;

// Directions from a node to the seven neighbours on its positive side; the other seven are owned by those.
constexpr std::array<Cell, 7> kDirections{
    {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}}};

// For a tetrahedron with positive volume and `inside` = bits of its corners with f < 0: pairs of corners whose edges
// the surface cuts, in the order of an outward polygon.
struct TetrahedronCase {
  int corners;
  std::array<std::array<int, 2>, 4> edges;
};
constexpr std::array<TetrahedronCase, 16> kCases{{
    {0, {}},
    {3, {{{0, 1}, {0, 2}, {0, 3}, {}}}},
    {3, {{{1, 0}, {1, 3}, {1, 2}, {}}}},
    {4, {{{0, 2}, {0, 3}, {1, 3}, {1, 2}}}},
    {3, {{{2, 0}, {2, 1}, {2, 3}, {}}}},
    {4, {{{0, 3}, {0, 1}, {2, 1}, {2, 3}}}},
    {4, {{{1, 0}, {1, 3}, {2, 3}, {2, 0}}}},
    {3, {{{3, 0}, {3, 1}, {3, 2}, {}}}},
    {3, {{{3, 0}, {3, 2}, {3, 1}, {}}}},
    {4, {{{0, 1}, {0, 2}, {3, 2}, {3, 1}}}},
    {4, {{{1, 2}, {1, 0}, {3, 0}, {3, 2}}}},
    {3, {{{2, 0}, {2, 3}, {2, 1}, {}}}},
    {4, {{{2, 0}, {2, 1}, {3, 1}, {3, 0}}}},
    {3, {{{1, 0}, {1, 2}, {1, 3}, {}}}},
    {3, {{{0, 1}, {0, 3}, {0, 2}, {}}}},
    {0, {}},
}};

struct Lattice {
  Vec3 origin;
  double cell = 0;
  int blocks = 1;  ///< per side, a power of two
  const LatticeMap& map;
  std::vector<BoundingBox> solids;

  [[nodiscard]] Vec3 at(const Cell& node) const {
    return map.worldFromLattice(origin + 0.5 * cell * Vec3(node[0], node[1], node[2]));
  }
};

// Boxes in the lattice that contain the solids of the body. Far from a fine zone's line the map is steep and the
// field's value is unreliable; there the boxes decide which blocks are empty.
std::vector<BoundingBox> solidBoxes(const ImplicitSurface& surface, const LatticeMap& map) {
  std::vector<BoundingBox> boxes;
  for (const ImplicitSurface::Sphere& ball : surface.bounds()) {
    BoundingBox box{Vec3::Constant(1e9), Vec3::Constant(-1e9)};
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 sign((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1);
      const Vec3 u = map.latticeFromWorld(ball.centre + ball.radius * sign);
      box.low = box.low.cwiseMin(u);
      box.high = box.high.cwiseMax(u);
    }
    boxes.push_back(box);
  }
  return boxes;
}

struct BlockMesh {
  std::vector<std::uint64_t> keys;  ///< of its vertices: the owning node and direction
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
};

std::uint64_t edgeKey(const Cell& node, int direction) {
  // Nodes count from 0; 20 bits per axis.
  const auto field = [&](int d) { return static_cast<std::uint64_t>(node[d]); };
  return (((field(0) << 20 | field(1)) << 20 | field(2)) << 3) | static_cast<std::uint64_t>(direction);
}

// Depth first through the octree: the blocks come in Morton order.
void collectBlocks(const ImplicitSurface& surface, const Lattice& lattice, const Cell& block, int size,
                   std::vector<Cell>& found) {
  // Centres of the next block's first layer belong too: half a cell more on each side.
  const double side = lattice.cell * (kBlock * size + 1);
  const Vec3 centre = lattice.origin + lattice.cell * (kBlock * Vec3(block[0], block[1], block[2]) +
                                                       Vec3::Constant(0.5 * kBlock * size + 0.25));
  const bool reachable = std::any_of(lattice.solids.begin(), lattice.solids.end(), [&](const BoundingBox& box) {
    return ((centre - box.centre()).cwiseAbs() - 0.5 * (box.high - box.low)).maxCoeff() < 0.5 * side;
  });
  if (!reachable) return;
  const double radius = 0.5 * std::sqrt(3.0) * side;
  const double reach = kSlope * lattice.map.steepest(centre, radius) * radius;
  const Vec3 place = lattice.map.worldFromLattice(centre);
  const double f = reach < surface.nearBand() ? surface.value(place) : surface.valueAnywhere(place);
  if (std::abs(f) > reach) return;
  if (size == 1) {
    found.push_back(block);
    return;
  }
  const int half = size / 2;
  for (int child = 0; child < 8; ++child) {
    collectBlocks(surface, lattice,
                  {block[0] + half * (child & 1), block[1] + half * (child >> 1 & 1), block[2] + half * (child >> 2)},
                  half, found);
  }
}

class BlockMarcher {
 public:
  BlockMarcher(const ImplicitSurface& surface, const Lattice& lattice) : surface_(surface), lattice_(lattice) {}

  BlockMesh march(const Cell& block) {
    base_ = {2 * kBlock * block[0], 2 * kBlock * block[1], 2 * kBlock * block[2]};
    mesh_ = {};
    bool inside = false;
    bool outside = false;
    for (int n = 0; n < kNodes; ++n) {
      values_[n] = surface_.value(lattice_.at(nodeAt(n)));
      (values_[n] < 0 ? inside : outside) = true;
    }
    if (!inside || !outside) return {};
    vertexOf_.fill(-1);
    for (int z = 0; z < kBlock; ++z) {
      for (int y = 0; y < kBlock; ++y) {
        for (int x = 0; x < kBlock; ++x) marchCell({x, y, z});
      }
    }
    return std::move(mesh_);
  }

 private:
  static int nodeIndex(int kind, const Cell& c) { return ((kind * kSide + c[2]) * kSide + c[1]) * kSide + c[0]; }
  [[nodiscard]] Cell nodeAt(int index) const {
    const int kind = index / (kNodes / 2);
    return {base_[0] + 2 * (index % kSide) + kind, base_[1] + 2 * (index / kSide % kSide) + kind,
            base_[2] + 2 * (index / (kSide * kSide) % kSide) + kind};
  }

  // The three faces on the cube's positive sides, four tetrahedra each.
  void marchCell(const Cell& c) {
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3;
      const int g = (d + 2) % 3;
      Cell next = c;
      ++next[d];
      std::array<int, 4> ring{};
      for (int k = 0; k < 4; ++k) {
        Cell corner = next;
        corner[e] += (k == 1 || k == 2) ? 1 : 0;
        corner[g] += k >= 2 ? 1 : 0;
        ring[k] = nodeIndex(0, corner);
      }
      const int from = nodeIndex(1, c);
      const int to = nodeIndex(1, next);
      for (int k = 0; k < 4; ++k) marchTetrahedron({from, to, ring[k], ring[(k + 1) % 4]});
    }
  }

  void marchTetrahedron(const std::array<int, 4>& nodes) {
    int mask = 0;
    for (int k = 0; k < 4; ++k) mask |= (values_[nodes[k]] < 0 ? 1 : 0) << k;
    const TetrahedronCase& polygon = kCases[mask];
    if (polygon.corners == 0) return;
    std::array<std::uint32_t, 4> v{};
    for (int k = 0; k < polygon.corners; ++k) v[k] = vertex(nodes[polygon.edges[k][0]], nodes[polygon.edges[k][1]]);
    mesh_.triangles.push_back({v[0], v[1], v[2]});
    if (polygon.corners == 4) mesh_.triangles.push_back({v[0], v[2], v[3]});
  }

  std::uint32_t vertex(int a, int b) {
    Cell start = nodeAt(a);
    Cell end = nodeAt(b);
    const auto directionOf = [&] {
      const Cell step{end[0] - start[0], end[1] - start[1], end[2] - start[2]};
      return static_cast<int>(std::find(kDirections.begin(), kDirections.end(), step) - kDirections.begin());
    };
    int direction = directionOf();
    if (direction == static_cast<int>(kDirections.size())) {
      std::swap(start, end);
      std::swap(a, b);
      direction = directionOf();
    }
    int& known = vertexOf_[a * 7 + direction];
    if (known < 0) {
      known = static_cast<int>(mesh_.points.size());
      // Kept off the nodes: coinciding vertices would make triangles without area.
      const double t = std::clamp(values_[a] / (values_[a] - values_[b]), 0.02, 0.98);
      mesh_.points.emplace_back((1 - t) * lattice_.at(start) + t * lattice_.at(end));
      mesh_.keys.push_back(edgeKey(start, direction));
    }
    return static_cast<std::uint32_t>(known);
  }

  const ImplicitSurface& surface_;
  const Lattice& lattice_;
  Cell base_{};
  std::array<double, kNodes> values_{};
  std::array<int, kNodes * 7> vertexOf_{};
  BlockMesh mesh_;
};

// Vertices on borders between blocks get one number: the first block's.
class VertexTable {
 public:
  explicit VertexTable(std::size_t expected) {
    std::size_t size = 16;
    while (size < 2 * expected) size *= 2;
    keys_.assign(size, kEmpty);
    numbers_.resize(size);
  }
  /// The number of a key; `next` where it is new.
  std::uint32_t number(std::uint64_t key, std::uint32_t next) {
    std::size_t slot = (key * 0x9E3779B97F4A7C15ull) >> 20 & (keys_.size() - 1);
    while (keys_[slot] != kEmpty && keys_[slot] != key) slot = (slot + 1) & (keys_.size() - 1);
    if (keys_[slot] == kEmpty) {
      keys_[slot] = key;
      numbers_[slot] = next;
    }
    return numbers_[slot];
  }

 private:
  static constexpr std::uint64_t kEmpty = ~0ull;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> numbers_;
};

// The largest connected piece alone. A lattice coarser than a thin tip may cut off small pieces of it.
TriangleSoup largestPiece(TriangleSoup soup) {
  std::vector<WeightedEdge> edges;
  edges.reserve(2 * soup.triangles.size());
  for (const Triangle& t : soup.triangles) {
    edges.push_back({t[0], t[1], 1});
    edges.push_back({t[0], t[2], 1});
  }
  const std::vector<std::uint32_t> pieceOf = connectedPieces(static_cast<Index>(soup.points.size()), edges);
  std::vector<std::uint32_t> size(soup.points.size(), 0);
  for (const std::uint32_t piece : pieceOf) ++size[piece];
  const auto largest = static_cast<std::uint32_t>(std::max_element(size.begin(), size.end()) - size.begin());
  if (size[largest] == soup.points.size()) return soup;

  TriangleSoup piece;
  std::vector<std::uint32_t> number(soup.points.size(), 0);
  for (std::uint32_t v = 0; v < pieceOf.size(); ++v) {
    if (pieceOf[v] != largest) continue;
    number[v] = static_cast<std::uint32_t>(piece.points.size());
    piece.points.push_back(soup.points[v]);
  }
  for (const Triangle& t : soup.triangles) {
    if (pieceOf[t[0]] == largest) piece.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
  }
  return piece;
}

TriangleSoup joined(const std::vector<BlockMesh>& meshes) {
  std::size_t vertices = 0;
  std::size_t triangles = 0;
  for (const BlockMesh& mesh : meshes) {
    vertices += mesh.points.size();
    triangles += mesh.triangles.size();
  }
  TriangleSoup soup;
  soup.points.reserve(vertices);
  soup.triangles.reserve(triangles);
  VertexTable table(vertices);
  std::vector<std::uint32_t> numbers;
  for (const BlockMesh& mesh : meshes) {
    numbers.resize(mesh.points.size());
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
      numbers[v] = table.number(mesh.keys[v], static_cast<std::uint32_t>(soup.points.size()));
      if (numbers[v] == soup.points.size()) soup.points.push_back(mesh.points[v]);
    }
    for (const Triangle& t : mesh.triangles) soup.triangles.push_back({numbers[t[0]], numbers[t[1]], numbers[t[2]]});
  }
  return soup;
}

}  // namespace

TriangleSoup polygonise(const ImplicitSurface& surface, double cell, const LatticeMap& map) {
  Lattice lattice{Vec3::Zero(), cell, 1, map, solidBoxes(surface, map)};
  BoundingBox box{surface.low(), surface.high()};
  for (const BoundingBox& solid : lattice.solids) {
    box.low = box.low.cwiseMin(solid.low);
    box.high = box.high.cwiseMax(solid.high);
  }
  // The irrational offset keeps nodes off the body's planes of symmetry.
  lattice.origin = box.low - cell * Vec3(1.4142, 1.2361, 1.1547);
  const double extent = (box.high - lattice.origin).maxCoeff() + cell;
  while (lattice.blocks * kBlock * cell < extent) lattice.blocks *= 2;
  SINEW_CHECK(lattice.blocks * kBlock < (1 << 18), "polygonise", "the cells are too small for this body");

  std::vector<Cell> blocks;
  collectBlocks(surface, lattice, {0, 0, 0}, lattice.blocks, blocks);
  std::vector<BlockMesh> meshes(blocks.size());
  parallelRanges(static_cast<Index>(blocks.size()), 16, [&](Index begin, Index end) {
    BlockMarcher marcher(surface, lattice);
    for (Index b = begin; b < end; ++b) meshes[b] = marcher.march(blocks[b]);
  });
  SINEW_CHECK(std::any_of(meshes.begin(), meshes.end(), [](const BlockMesh& m) { return !m.points.empty(); }),
              "polygonise", "the cells are too large for this body");
  return largestPiece(joined(meshes));
}

}  // namespace sinew::body
