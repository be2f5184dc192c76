// Edge collapse with the link condition of Dey, Edelsbrunner, Guha and Nekhayev 1999: on a closed two-manifold a
// collapse keeps the topology exactly where the ends of the edge have no common neighbours but its two opposite
// vertices.
#include "sinew/samples/body/half_edges.h"

#include <fmt/format.h>

#include "sinew/base/error.h"

namespace sinew::body {

HalfEdges::HalfEdges(TriangleSoup soup) : points(std::move(soup.points)), alive_(points.size()) {
  const std::size_t count = 3 * soup.triangles.size();
  from_.resize(count);
  twin_.assign(count, kNone);
  out_.assign(points.size(), kNone);
  std::vector<std::uint32_t> start(points.size() + 1, 0);
  for (std::size_t h = 0; h < count; ++h) {
    from_[h] = soup.triangles[h / 3][h % 3];
    out_[from_[h]] = static_cast<Id>(h);
    ++start[from_[h] + 1];
  }
  for (std::size_t v = 0; v < points.size(); ++v) start[v + 1] += start[v];
  std::vector<Id> leaving(count);
  std::vector<std::uint32_t> fill(start.begin(), start.end() - 1);
  for (std::size_t h = 0; h < count; ++h) leaving[fill[from_[h]]++] = static_cast<Id>(h);
  // The twin of u -> v is the one half-edge that leaves v for u.
  for (std::size_t h = 0; h < count; ++h) {
    const Id end = to(static_cast<Id>(h));
    for (std::uint32_t i = start[end]; i < start[end + 1]; ++i) {
      if (to(leaving[i]) != from_[h]) continue;
      if (twin_[h] != kNone) throw Error(ErrorCode::Internal, fmt::format("edge at vertex {} is shared twice", end));
      twin_[h] = leaving[i];
    }
    if (twin_[h] == kNone) throw Error(ErrorCode::Internal, fmt::format("the surface is open at vertex {}", end));
  }
}

int HalfEdges::valence(Id v) const {
  int count = 0;
  around(v, [&](Id) { ++count; });
  return count;
}

bool HalfEdges::adjacent(Id u, Id v) const {
  bool found = false;
  around(u, [&](Id h) { found = found || to(h) == v; });
  return found;
}

bool HalfEdges::canCollapse(Id h) const {
  const Id u = from(h);
  const Id v = to(h);
  int common = 0;
  around(u, [&](Id a) {
    const Id neighbour = to(a);
    around(v, [&](Id b) { common += to(b) == neighbour ? 1 : 0; });
  });
  return common == 2 && alive_ > 4;
}

void HalfEdges::collapse(Id h) {
  const Id t = twin_[h];
  const Id u = from_[h];
  const Id v = to(h);
  const Id left = apex(h);
  const Id right = apex(t);
  std::vector<Id> corners;
  around(v, [&](Id c) { corners.push_back(c); });
  for (const Id c : corners) from_[c] = u;
  // The two faces vanish: the outer edges of each become twins.
  const Id leftIn = twin_[next(h)];
  const Id leftOut = twin_[previous(h)];
  const Id rightIn = twin_[next(t)];
  const Id rightOut = twin_[previous(t)];
  pair(leftIn, leftOut);
  pair(rightIn, rightOut);
  // leftIn ran left -> v and now runs left -> u; leftOut runs u -> left; rightIn runs right -> u.
  out_[u] = leftOut;
  out_[left] = leftIn;
  out_[right] = rightIn;
  out_[v] = kNone;
  for (const Id face : {h / 3, t / 3}) {
    for (Id k = 0; k < 3; ++k) from_[3 * face + k] = kNone;
  }
  --alive_;
}

bool HalfEdges::canFlip(Id h) const {
  const Id t = twin_[h];
  return valence(from(h)) > 3 && valence(to(h)) > 3 && apex(h) != apex(t) && !adjacent(apex(h), apex(t));
}

void HalfEdges::flip(Id h) {
  const Id t = twin_[h];
  const Id u = from_[h];
  const Id v = to(h);
  const Id a = apex(h);
  const Id b = apex(t);
  const Id va = twin_[next(h)];
  const Id au = twin_[previous(h)];
  const Id ub = twin_[next(t)];
  const Id bv = twin_[previous(t)];
  // Faces become (b, a, u) and (a, b, v).
  from_[h] = b;
  from_[next(h)] = a;
  from_[previous(h)] = u;
  from_[t] = a;
  from_[next(t)] = b;
  from_[previous(t)] = v;
  pair(next(h), au);
  pair(previous(h), ub);
  pair(next(t), bv);
  pair(previous(t), va);
  out_[u] = previous(h);
  out_[v] = previous(t);
  out_[a] = t;
  out_[b] = h;
}

TriangleSoup HalfEdges::compact() const {
  TriangleSoup soup;
  soup.points.reserve(alive_);
  std::vector<Id> number(points.size(), kNone);
  for (Id v = 0; v < points.size(); ++v) {
    if (!vertexAlive(v)) continue;
    number[v] = static_cast<Id>(soup.points.size());
    soup.points.push_back(points[v]);
  }
  soup.triangles.reserve(2 * alive_);
  for (Id face = 0; 3 * face < from_.size(); ++face) {
    if (!faceAlive(face)) continue;
    soup.triangles.push_back({number[from_[3 * face]], number[from_[3 * face + 1]], number[from_[3 * face + 2]]});
  }
  return soup;
}

}  // namespace sinew::body
