// Convex hull of few points: find the dimension by the farthest point, line and plane, then insert points one at a time
// (Clarkson and Shor 1989 without the conflict graph: the sets are small). A point is inserted where it lies more than
// a tolerance above some triangle: the triangles that it sees go, and the border of the hole is joined to it. Points
// that end up within a face or an edge (all their triangles lie in one or two planes) are taken out, and the hull is
// built again from the corners alone, so that corners, edges and triangles do not depend on the order of the points.
#include "sinew/math/convex_hull.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/check.h"

namespace sinew {
namespace {

constexpr const char* kConvexHullWhere = "convex hull";
/// Directions closer than this are one, and so are planes closer than this in diameters.
constexpr double kSame = 1e-9;
/// In diameters: a point less than this above a triangle is on it. Far below `flat`, so that thin hulls stay closed.
constexpr double kRounding = 1e-13;

using Ids = std::vector<std::uint32_t>;

struct Facet {
  Triangle corner{};
  Vec3 normal = Vec3::Zero();
  double offset = 0;
};

class Builder {
 public:
  Builder(const ConstPointsRef& points, double tolerance) : points_(points), tolerance_(tolerance) {}

  /// The hull of a tetrahedron and of every other point that sticks out of it.
  void build(const Ids& first, const Ids& ids) {
    facets_.clear();
    const std::uint32_t a = first[0];
    const std::uint32_t b = first[1];
    const std::uint32_t c = first[2];
    const std::uint32_t d = first[3];
    const bool below = (p(b) - p(a)).cross(p(c) - p(a)).dot(p(d) - p(a)) < 0;
    const auto top = below ? std::array{a, b, c} : std::array{a, c, b};
    add(top[0], top[1], top[2]);
    add(top[1], top[0], d);
    add(top[2], top[1], d);
    add(top[0], top[2], d);
    for (const std::uint32_t id : ids) {
      if (std::find(first.begin(), first.end(), id) == first.end()) insert(id);
    }
  }

  void build(const Ids& first) {
    Ids all(toSize(points_.cols()));
    std::iota(all.begin(), all.end(), 0u);
    build(first, all);
  }

  /// Vertices whose triangles are in three planes or more.
  [[nodiscard]] Ids trueCorners() const {
    Ids vertices;
    for (const Facet& facet : facets_) vertices.insert(vertices.end(), facet.corner.begin(), facet.corner.end());
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    std::erase_if(vertices, [this](std::uint32_t vertex) { return !isCorner(vertex); });
    return vertices;
  }

  [[nodiscard]] const std::vector<Facet>& facets() const { return facets_; }

 private:
  [[nodiscard]] Vec3 p(std::uint32_t id) const { return points_.col(static_cast<Index>(id)); }

  void add(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    Facet facet{{a, b, c}};
    const Vec3 cross = (p(b) - p(a)).cross(p(c) - p(a));
    const double length = cross.norm();
    if (length > 0) facet.normal = cross / length;
    facet.offset = facet.normal.dot((p(a) + p(b) + p(c)) / 3);
    facets_.push_back(facet);
  }

  void insert(std::uint32_t id) {
    seen_.assign(facets_.size(), 0);
    bool any = false;
    for (std::size_t f = 0; f < facets_.size(); ++f) {
      seen_[f] = facets_[f].normal.dot(p(id)) > facets_[f].offset + tolerance_ ? 1 : 0;
      any = any || seen_[f] != 0;
    }
    if (!any) return;
    border_.clear();
    for (std::size_t f = 0; f < facets_.size(); ++f) {
      if (seen_[f] == 0) continue;
      for (std::size_t k = 0; k < 3; ++k) border_.push_back({facets_[f].corner[k], facets_[f].corner[(k + 1) % 3]});
    }
    // An edge of the hole is one whose other side stays.
    const auto isInner = [this](const std::array<std::uint32_t, 2>& edge) {
      return std::find(border_.begin(), border_.end(), std::array{edge[1], edge[0]}) != border_.end();
    };
    hole_.clear();
    for (const auto& edge : border_) {
      if (!isInner(edge)) hole_.push_back(edge);
    }
    std::size_t kept = 0;
    for (std::size_t f = 0; f < facets_.size(); ++f) {
      if (seen_[f] == 0) facets_[kept++] = facets_[f];
    }
    facets_.resize(kept);
    for (const auto& edge : hole_) add(edge[0], edge[1], id);
  }

  [[nodiscard]] bool isCorner(std::uint32_t vertex) const {
    Vec3 first = Vec3::Zero();
    Vec3 across = Vec3::Zero();
    const auto around = [&](const auto& visit) {
      for (const Facet& facet : facets_) {
        if (std::find(facet.corner.begin(), facet.corner.end(), vertex) != facet.corner.end()) visit(facet.normal);
      }
    };
    around([&](const Vec3& normal) {
      if (first.isZero()) first = normal;
      const Vec3 cross = first.cross(normal);
      if (cross.squaredNorm() > across.squaredNorm()) across = cross;
    });
    if (across.norm() < kSame) return false;
    across.normalize();
    bool third = false;
    around([&](const Vec3& normal) { third = third || std::abs(normal.dot(across)) > kSame; });
    return third;
  }

  ConstPointsRef points_;
  double tolerance_;
  std::vector<Facet> facets_;
  std::vector<char> seen_;
  std::vector<std::array<std::uint32_t, 2>> border_;
  std::vector<std::array<std::uint32_t, 2>> hole_;
};

/// Points of which none is within the tolerance of one before.
Ids distinct(const ConstPointsRef& points, double tolerance) {
  Ids found;
  for (Index i = 0; i < points.cols(); ++i) {
    const bool known = std::any_of(found.begin(), found.end(), [&](std::uint32_t other) {
      return (points.col(i) - points.col(other)).norm() <= tolerance;
    });
    if (!known) found.push_back(static_cast<std::uint32_t>(i));
  }
  return found;
}

Points columns(const ConstPointsRef& points, const Ids& ids) {
  Points taken(3, static_cast<Index>(ids.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) taken.col(static_cast<Index>(i)) = points.col(ids[i]);
  return taken;
}

Ids columnsOf(const Ids& ids, const Ids& local) {
  Ids taken;
  taken.reserve(local.size());
  for (const std::uint32_t id : local) taken.push_back(ids[id]);
  return taken;
}

/// The two points farthest apart, the point farthest from their line, the one farthest from that plane: as many as
/// exceed the tolerance.
Ids frame(const ConstPointsRef& points, double flat) {
  double diameter = 0;
  Ids found{0};
  for (Index i = 0; i < points.cols(); ++i) {
    for (Index j = i + 1; j < points.cols(); ++j) {
      const double distance = (points.col(i) - points.col(j)).norm();
      if (distance <= diameter) continue;
      diameter = distance;
      found = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)};
    }
  }
  if (found.size() < 2) return found;
  const Vec3 origin = points.col(found[0]);
  const auto addFarthest = [&](const auto& distance) {
    double most = flat;
    Index best = -1;
    for (Index i = 0; i < points.cols(); ++i) {
      const double d = distance(Vec3(points.col(i) - origin));
      if (d <= most) continue;
      most = d;
      best = i;
    }
    if (best >= 0) found.push_back(static_cast<std::uint32_t>(best));
    return best >= 0;
  };
  const Vec3 along = (points.col(found[1]) - origin) / diameter;
  if (!addFarthest([&](const Vec3& d) { return d.cross(along).norm(); })) return found;
  const Vec3 normal = along.cross(points.col(found[2]) - origin).normalized();
  addFarthest([&](const Vec3& d) { return std::abs(d.dot(normal)); });
  return found;
}

/// Corners of a planar set in cyclic order (Andrew's monotone chain), without points within edges.
Ids planarHull(const ConstPointsRef& points, const Vec3& u, const Vec3& v, double flat) {
  struct Place {
    double x, y;
    std::uint32_t id;
  };
  std::vector<Place> places;
  for (Index i = 0; i < points.cols(); ++i)
    places.push_back({u.dot(points.col(i)), v.dot(points.col(i)), static_cast<std::uint32_t>(i)});
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.id < b.id;
  });
  const auto turnsLeft = [flat](const Place& a, const Place& b, const Place& c) {
    // b must be off the line from a to c by more than the tolerance.
    const double cross = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    return cross > flat * std::hypot(c.x - a.x, c.y - a.y);
  };
  std::vector<Place> chain;
  const auto extend = [&](const Place& place, std::size_t least) {
    while (chain.size() >= least + 2 && !turnsLeft(chain[chain.size() - 2], chain.back(), place)) chain.pop_back();
    chain.push_back(place);
  };
  for (const Place& place : places) extend(place, 0);
  const std::size_t lower = chain.size() - 1;
  for (auto place = places.rbegin() + 1; place != places.rend(); ++place) extend(*place, lower);
  chain.pop_back();
  Ids corners;
  for (const Place& place : chain) corners.push_back(place.id);
  return corners;
}

void addEdge(ConvexHull& hull, std::uint32_t a, std::uint32_t b) {
  hull.edges.push_back({std::min(a, b), std::max(a, b)});
}

void fillPolygon(const ConstPointsRef& points, const Ids& base, double flat, ConvexHull& hull) {
  const Vec3 u = (points.col(base[1]) - points.col(base[0])).normalized();
  const Vec3 normal = u.cross(points.col(base[2]) - points.col(base[0])).normalized();
  hull.corners = planarHull(points, u, normal.cross(u), flat);
  const Ids& ring = hull.corners;
  for (std::size_t k = 0; k < ring.size(); ++k) {
    addEdge(hull, ring[k], ring[(k + 1) % ring.size()]);
    if (k + 2 >= ring.size()) continue;
    hull.triangles.push_back({ring[0], ring[k + 1], ring[k + 2]});
    const Vec3 a = points.col(ring[k + 1]) - points.col(ring[0]);
    const Vec3 b = points.col(ring[k + 2]) - points.col(ring[0]);
    hull.area += 0.5 * a.cross(b).norm();
  }
}

/// Triangles, the edges between those that meet at an angle, area and volume.
void fillSolid(const ConstPointsRef& points, const std::vector<Facet>& facets, double flat, ConvexHull& hull) {
  const Vec3 centre = points.col(facets[0].corner[0]);
  for (const Facet& facet : facets) {
    hull.triangles.push_back(facet.corner);
    const Vec3 a = points.col(facet.corner[0]);
    const Vec3 cross = (points.col(facet.corner[1]) - a).cross(points.col(facet.corner[2]) - a);
    hull.area += 0.5 * cross.norm();
    hull.volume += cross.dot(a - centre) / 6;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t from = facet.corner[k];
      const std::uint32_t to = facet.corner[(k + 1) % 3];
      if (from > to) continue;
      for (const Facet& other : facets) {
        for (std::size_t m = 0; m < 3; ++m) {
          if (other.corner[m] != to || other.corner[(m + 1) % 3] != from) continue;
          const Vec3 opposite = points.col(other.corner[(m + 2) % 3]);
          if (facet.normal.dot(opposite - a) < -flat) addEdge(hull, from, to);
        }
      }
    }
  }
}

/// From indices among the distinct points to those of the caller.
void numberAs(const Ids& ids, ConvexHull& hull) {
  for (std::uint32_t& corner : hull.corners) corner = ids[corner];
  for (Triangle& triangle : hull.triangles) {
    for (std::uint32_t& corner : triangle) corner = ids[corner];
  }
  for (auto& edge : hull.edges) edge = {ids[edge[0]], ids[edge[1]]};
  std::sort(hull.corners.begin(), hull.corners.end());
  std::sort(hull.edges.begin(), hull.edges.end());
}

}  // namespace

double pointDiameter(const ConstPointsRef& points) {
  double squared = 0;
  for (Index i = 0; i < points.cols(); ++i) {
    for (Index j = i + 1; j < points.cols(); ++j)
      squared = std::max(squared, (points.col(i) - points.col(j)).squaredNorm());
  }
  return std::sqrt(squared);
}

ConvexHull convexHull(const ConstPointsRef& points, const HullOptions& options) {
  checkFinite(points, kConvexHullWhere, "point");
  SINEW_CHECK(std::isfinite(options.flat) && options.flat >= 0, kConvexHullWhere, "the tolerance must be 0 or more");
  ConvexHull hull;
  if (points.cols() == 0) return hull;
  hull.diameter = pointDiameter(points);
  // Rounding of the coordinates themselves is never shape.
  const double rounding = 1e-14 * points.cwiseAbs().maxCoeff();
  const double flat = std::max(options.flat * hull.diameter, rounding);
  const Ids ids = distinct(points, std::max(kSame * hull.diameter, rounding));
  const Points own = columns(points, ids);
  const Ids base = frame(own, flat);
  hull.dimension = static_cast<int>(base.size()) - 1;
  if (hull.dimension < 2) hull.corners = base;
  if (hull.dimension == 1) addEdge(hull, base[0], base[1]);
  if (hull.dimension == 2) fillPolygon(own, base, kSame * hull.diameter, hull);
  if (hull.dimension == 3) {
    Builder builder(own, std::max(kRounding * hull.diameter, rounding));
    builder.build(base);
    hull.corners = builder.trueCorners();
    const Ids again = columnsOf(hull.corners, frame(columns(own, hull.corners), flat));
    if (again.size() == 4 && hull.corners.size() < ids.size()) builder.build(again, hull.corners);
    fillSolid(own, builder.facets(), kSame * hull.diameter, hull);
  }
  numberAs(ids, hull);
  return hull;
}

}  // namespace sinew
