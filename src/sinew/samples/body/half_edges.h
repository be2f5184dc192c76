// A closed triangle mesh that can be edited without ever ceasing to be two-manifold.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/base/types.h"
#include "sinew/samples/body/polygonise.h"

namespace sinew::body {

/// Half-edge 3 f + k runs from corner k of face f to its next corner. Invariant: every half-edge has a twin in another
/// face, and the faces around a vertex form one cycle.
class HalfEdges {
 public:
  using Id = std::uint32_t;
  static constexpr Id kNone = ~0u;

  /// Throws Internal if the triangles are not closed and consistently oriented.
  explicit HalfEdges(TriangleSoup soup);

  std::vector<Vec3> points;

  [[nodiscard]] std::size_t halfEdgeCount() const { return from_.size(); }
  [[nodiscard]] std::size_t aliveVertices() const { return alive_; }
  [[nodiscard]] bool vertexAlive(Id v) const { return out_[v] != kNone; }
  [[nodiscard]] bool faceAlive(Id face) const { return from_[3 * face] != kNone; }
  static Id next(Id h) { return h % 3 == 2 ? h - 2 : h + 1; }
  static Id previous(Id h) { return h % 3 == 0 ? h + 2 : h - 1; }
  [[nodiscard]] Id from(Id h) const { return from_[h]; }
  [[nodiscard]] Id to(Id h) const { return from_[next(h)]; }
  [[nodiscard]] Id apex(Id h) const { return from_[previous(h)]; }
  [[nodiscard]] Id twin(Id h) const { return twin_[h]; }
  [[nodiscard]] Id out(Id v) const { return out_[v]; }

  /// Calls visit(half-edge) for each half-edge that leaves v.
  template <class Visit>
  void around(Id v, const Visit& visit) const {
    const Id first = out_[v];
    Id h = first;
    do {
      visit(h);
      h = twin_[previous(h)];
    } while (h != first);
  }
  [[nodiscard]] int valence(Id v) const;
  [[nodiscard]] bool adjacent(Id u, Id v) const;

  /// The link condition: the ends share exactly the two opposite vertices.
  [[nodiscard]] bool canCollapse(Id h) const;
  /// Removes to(h) and the two faces of the edge; from(h) stays.
  void collapse(Id h);
  /// The opposite vertices are not joined yet, and no end gets fewer than three neighbours.
  [[nodiscard]] bool canFlip(Id h) const;
  void flip(Id h);

  /// Living vertices and faces, in their order, numbered again.
  [[nodiscard]] TriangleSoup compact() const;

 private:
  void pair(Id a, Id b) {
    twin_[a] = b;
    twin_[b] = a;
  }

  std::vector<Id> from_, twin_, out_;
  std::size_t alive_ = 0;
};

}  // namespace sinew::body
