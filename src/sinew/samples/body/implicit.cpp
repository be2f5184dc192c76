// Smooth unions of simple solids, after Ricci 1973 (constructive geometry) with the polynomial blend of compact support
// that graphics programmers use:
//   smin(a, b; k) = min(a, b) - k h^3 / 6,  h = max(0, 1 - |a - b| / k).
// It is C2 where a and b are, and equals min(a, b) if they differ by k or more, so far solids can be left out.
// The distance to an ellipsoid is Quilez' first-order bound |p/r| (|p/r| - 1) / |p/r^2|.
// A coarse grid lists for each of its cells the solids that can matter near the surface there.
#include "sinew/samples/body/implicit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sinew/base/check.h"

namespace sinew::body {
namespace {

constexpr double kFar = std::numeric_limits<double>::max();
constexpr int kGridCells = 128;  ///< along the longest side
constexpr int kBlockCells = 8;   ///< cells along a block; its solids are found once for all of them
constexpr std::size_t kMostGroups = 32;

Mat3 frameAlong(const Vec3& axis, const Vec3& across) {
  const Vec3 x = axis.normalized();
  Vec3 y = across - across.dot(x) * x;
  if (y.norm() < 1e-9) y = x.unitOrthogonal();
  y.normalize();
  Mat3 localFromWorld;
  localFromWorld << x.transpose(), y.transpose(), x.cross(y).transpose();
  return localFromWorld;
}

// A cone between two balls: three pieces, distinguished by the foot of the perpendicular on the slanted side. The least
// factor of the cross-section keeps the field's slope at most 1.
template <bool kSlope>
double capsuleDistance(const Primitive& c, const Vec3& local, Vec3& gradient) {
  const Vec3 q = local.array() * c.inverseRadii;
  const double radial = std::sqrt(q.y() * q.y() + q.z() * q.z());
  const double foot = c.cosine * q.x() - c.slope * radial;
  if (foot > 0 && foot < c.cosine * c.length) {
    if constexpr (kSlope) {
      const double scale = radial > 1e-12 ? c.cosine / radial : 0;
      gradient = c.factor * (Eigen::Array3d(c.slope, scale * q.y(), scale * q.z()) * c.inverseRadii).matrix();
    }
    return c.factor * (c.cosine * radial + c.slope * q.x() - c.radiusStart);
  }
  const bool end = foot > 0;
  const Vec3 arm = q - Vec3(end ? c.length : 0.0, 0, 0);
  const double norm = arm.norm();
  if constexpr (kSlope) {
    const Vec3 direction = norm > 1e-12 ? Vec3(arm / norm) : Vec3::UnitY();
    gradient = c.factor * (direction.array() * c.inverseRadii).matrix();
  }
  return c.factor * (norm - (end ? c.radiusEnd : c.radiusStart));
}

template <bool kSlope>
double ellipsoidDistance(const Primitive& e, const Vec3& local, Vec3& gradient) {
  const Eigen::Array3d once = local.array() * e.inverseRadii;
  const Eigen::Array3d twice = once * e.inverseRadii;
  const double k0 = std::sqrt(once.square().sum());
  const double k1 = std::sqrt(twice.square().sum());
  // Along its longest axis the bound would be far too deep: no point inside is deeper than the least radius. Blocks of
  // the polygoniser are skipped by this value.
  if (k1 < 1e-9 || k0 * (1 - k0) > e.factor * k1) {
    gradient.setZero();
    return -e.factor;
  }
  // d = (k0^2 - k0) / k1, with grad k0 = p / (r^2 k0) and grad k1 = p / (r^4 k1).
  const double distance = k0 * (k0 - 1) / k1;
  if constexpr (kSlope) {
    const Eigen::Array3d four = twice * e.inverseRadii.square();
    gradient = ((2 * k0 - 1) / (k0 * k1) * twice - distance / (k1 * k1) * four).matrix();
  }
  return distance;
}

template <bool kSlope>
double distanceTo(const Primitive& primitive, const Vec3& point, Vec3& gradient) {
  const Vec3 local = primitive.localFromWorld * (point - primitive.origin);
  Vec3 slope;
  const double distance = primitive.kind == PrimitiveKind::Ellipsoid
                              ? ellipsoidDistance<kSlope>(primitive, local, slope)
                              : capsuleDistance<kSlope>(primitive, local, slope);
  if constexpr (kSlope) gradient = primitive.localFromWorld.transpose() * slope;
  return distance;
}

struct Blended {
  double value;
  double shareOfSecond;
};

Blended smoothMin(double first, double second, double width) {
  const double gap = std::abs(first - second);
  const double share = second < first ? 1.0 : 0.0;
  const double least = std::min(first, second);
  if (gap >= width) return {least, share};
  const double h = 1 - gap / width;
  const double lean = 0.5 * h * h;
  return {least - width * h * h * h / 6, share > 0 ? 1 - lean : lean};
}

// Folds a value and its gradient into a running smooth minimum.
template <bool kSlope>
void meld(double& value, Vec3& gradient, double other, const Vec3& otherGradient, double width) {
  if (other >= value + width) return;
  const Blended blended = smoothMin(value, other, width);
  value = blended.value;
  if constexpr (kSlope) {
    gradient = (1 - blended.shareOfSecond) * gradient + blended.shareOfSecond * otherGradient;
  }
}

// Folds a solid into its group: united, or taken away by -smin(-value, solid).
template <bool kSlope>
void fuse(double& value, Vec3& gradient, double other, const Vec3& otherGradient, const Primitive& solid) {
  if (!solid.carves) {
    meld<kSlope>(value, gradient, other, otherGradient, solid.blend);
    return;
  }
  value = -value;
  if constexpr (kSlope) gradient = -gradient;
  meld<kSlope>(value, gradient, other, otherGradient, solid.blend);
  value = -value;
  if constexpr (kSlope) gradient = -gradient;
}

}  // namespace

Primitive flattenedCapsule(const Vec3& start, const Vec3& end, double radiusStart, double radiusEnd, const Vec3& across,
                           double factorAcross, double factorOther, double blend) {
  Primitive c;
  c.origin = start;
  c.localFromWorld = frameAlong(end - start, across);
  c.length = (end - start).norm();
  SINEW_CHECK(std::abs(radiusStart - radiusEnd) < c.length, "taperedCapsule",
              fmt::format("radii {} and {} differ by more than the length {}", radiusStart, radiusEnd, c.length));
  c.radiusStart = radiusStart;
  c.radiusEnd = radiusEnd;
  c.radii = {1, factorAcross, factorOther};
  c.inverseRadii = c.radii.inverse();
  c.factor = c.radii.minCoeff();
  c.slope = (radiusStart - radiusEnd) / c.length;
  c.cosine = std::sqrt(1 - c.slope * c.slope);
  c.blend = blend;
  return c;
}

Primitive taperedCapsule(const Vec3& start, const Vec3& end, double radiusStart, double radiusEnd, double blend) {
  return flattenedCapsule(start, end, radiusStart, radiusEnd, (end - start).unitOrthogonal(), 1, 1, blend);
}

Primitive ellipsoid(const Vec3& centre, const Vec3& radii, const Vec3& axis, const Vec3& across, double blend) {
  Primitive e;
  e.kind = PrimitiveKind::Ellipsoid;
  e.origin = centre;
  e.localFromWorld = frameAlong(axis, across);
  e.radii = radii.array();
  e.inverseRadii = e.radii.inverse();
  e.factor = e.radii.minCoeff();
  e.blend = blend;
  return e;
}

Primitive ellipsoid(const Vec3& centre, const Vec3& radii, double blend) {
  return ellipsoid(centre, radii, Vec3::UnitX(), Vec3::UnitY(), blend);
}

Primitive carving(Primitive solid) {
  solid.carves = true;
  return solid;
}

double signedDistance(const Primitive& primitive, const Vec3& point, Vec3& gradient) {
  return distanceTo<true>(primitive, point, gradient);
}

ImplicitSurface::ImplicitSurface(std::vector<Group> groups) : groups_(std::move(groups)) {
  SINEW_CHECK(!groups_.empty() && groups_.size() <= kMostGroups, "ImplicitSurface",
              fmt::format("{} groups, but a body has 1 to {}", groups_.size(), kMostGroups));
  groupStart_.push_back(0);
  low_ = Vec3::Constant(kFar);
  high_ = -low_;
  for (const Group& group : groups_) {
    for (const Primitive& p : group.primitives) {
      const bool round = p.kind == PrimitiveKind::Ellipsoid;
      const Vec3 centre = round ? p.origin : Vec3(p.origin + 0.5 * p.length * p.localFromWorld.row(0).transpose());
      const double thick = std::max(p.radiusStart, p.radiusEnd) * std::max(1.0, p.radii.maxCoeff());
      const double radius = round ? p.radii.maxCoeff() : 0.5 * p.length + thick;
      flat_.push_back(p);
      groupOf_.push_back(static_cast<int>(groupStart_.size()) - 1);
      bounds_.push_back({centre, radius});
      if (p.carves) continue;
      low_ = low_.cwiseMin(centre - Vec3::Constant(radius + 0.2 * p.blend));
      high_ = high_.cwiseMax(centre + Vec3::Constant(radius + 0.2 * p.blend));
    }
    groupStart_.push_back(static_cast<std::uint32_t>(flat_.size()));
  }
  cell_ = (high_ - low_).maxCoeff() / kGridCells;
  band_ = cell_;
  gridLow_ = low_ - Vec3::Constant(band_);
  for (int d = 0; d < 3; ++d) cells_[d] = static_cast<int>(((high_ - low_)[d] + 2 * band_) / cell_) + 1;
  listCells();
}

// Cells in order x, y, z; after them one cell that lists every solid.
void ImplicitSurface::listCells() {
  std::array<int, 3> blocks{};
  for (int d = 0; d < 3; ++d) blocks[d] = cells_[d] / kBlockCells + 1;
  std::vector<std::uint32_t> all(flat_.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<std::vector<std::uint32_t>> near(toSize(blocks[0]) * blocks[1] * blocks[2]);
  const double side = kBlockCells * cell_;
  for (std::size_t b = 0; b < near.size(); ++b) {
    const auto x = static_cast<double>(b % blocks[0]);
    const std::size_t row = b / blocks[0];
    const std::size_t layer = row / blocks[1];
    const auto y = static_cast<double>(row % blocks[1]);
    const auto z = static_cast<double>(layer);
    const Vec3 centre = gridLow_ + side * Vec3(x + 0.5, y + 0.5, z + 0.5);
    near[b] = solidsNear(centre, 0.5 * std::sqrt(3.0) * side, all);
  }
  const Vec3 half = Vec3::Constant(0.5 * cell_);
  cellEntries_.push_back(0);
  for (int z = 0; z < cells_[2]; ++z) {
    for (int y = 0; y < cells_[1]; ++y) {
      for (int x = 0; x < cells_[0]; ++x) {
        const int b = ((z / kBlockCells) * blocks[1] + y / kBlockCells) * blocks[0] + x / kBlockCells;
        addCell(near[b].empty() ? near[b] : solidsNear(gridLow_ + cell_ * Vec3(x, y, z) + half, half.norm(), near[b]));
      }
    }
  }
  addCell(all);
}

// Keeps a solid where it may come within the band plus its blend of zero: beyond that its share in the fold vanishes.
// The factor allows for fields that are a little steeper than 1.
std::vector<std::uint32_t> ImplicitSurface::solidsNear(const Vec3& centre, double radius,
                                                       const std::vector<std::uint32_t>& candidates) const {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t i : candidates) {
    const double reach = 1.2 * radius + band_ + 1.25 * std::max(flat_[i].blend, groups_[groupOf_[i]].blend);
    Vec3 unused;
    if ((bounds_[i].centre - centre).norm() - bounds_[i].radius < reach &&
        distanceTo<false>(flat_[i], centre, unused) < reach) {
      found.push_back(i);
    }
  }
  return found;
}

std::vector<ImplicitSurface::Sphere> ImplicitSurface::bounds() const {
  double widest = 0;
  for (const Group& group : groups_) {
    widest = std::max(widest, group.blend);
    for (const Primitive& p : group.primitives) widest = std::max(widest, p.blend);
  }
  std::vector<Sphere> solids;
  for (std::size_t i = 0; i < flat_.size(); ++i) {
    if (!flat_[i].carves) solids.push_back({bounds_[i].centre, bounds_[i].radius + 0.2 * widest});
  }
  return solids;
}

int ImplicitSurface::groupIndex(std::string_view name) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].name == name) return static_cast<int>(g);
  }
  throw Error(ErrorCode::Internal, fmt::format("no group '{}' in this body", name), "ImplicitSurface");
}

// `solids` in the order of their groups.
void ImplicitSurface::addCell(const std::vector<std::uint32_t>& solids) {
  const std::size_t firstEntry = entries_.size();
  std::array<int, kMostGroups> entryOfGroup{};
  entryOfGroup.fill(-1);
  for (std::size_t i = 0; i < solids.size();) {
    const int g = groupOf_[solids[i]];
    Entry entry{static_cast<std::uint32_t>(members_.size()), 0, -1, groups_[g].blend};
    for (; i < solids.size() && groupOf_[solids[i]] == g; ++i, ++entry.count) members_.push_back(solids[i]);
    int ancestor = groups_[g].parent;
    while (ancestor >= 0 && entryOfGroup[ancestor] < 0) ancestor = groups_[ancestor].parent;
    entry.parent = ancestor < 0 ? -1 : entryOfGroup[ancestor];
    entryOfGroup[g] = static_cast<int>(entries_.size() - firstEntry);
    entries_.push_back(entry);
  }
  cellEntries_.push_back(static_cast<std::uint32_t>(entries_.size()));
}

template <bool kSlope>
double ImplicitSurface::fold(std::size_t cell, const Vec3& point, Vec3& gradient) const {
  std::array<double, kMostGroups> values;
  std::array<Vec3, kMostGroups> gradients;
  const Entry* const entries = entries_.data() + cellEntries_[cell];
  const int count = static_cast<int>(cellEntries_[cell + 1] - cellEntries_[cell]);
  double least = kFar;
  gradient = Vec3::UnitY();
  for (int e = 0; e < count; ++e) {
    const Entry& entry = entries[e];
    double value = kFar;
    Vec3 slope = Vec3::Zero();
    for (std::uint32_t m = entry.first; m < entry.first + entry.count; ++m) {
      Vec3 other;
      const double distance = distanceTo<kSlope>(flat_[members_[m]], point, other);
      fuse<kSlope>(value, slope, distance, other, flat_[members_[m]]);
    }
    if (entry.parent >= 0) {
      const double own = value;
      const Vec3 ownSlope = slope;
      value = values[entry.parent];
      slope = gradients[entry.parent];
      meld<kSlope>(value, slope, own, ownSlope, entry.blend);
    }
    values[e] = value;
    gradients[e] = slope;
    if (value < least) {
      least = value;
      gradient = slope;
    }
  }
  return least;
}

double ImplicitSurface::valueAnywhere(const Vec3& point) const {
  Vec3 gradient;
  return fold<false>(cellEntries_.size() - 2, point, gradient);
}

// Outside the grid the surface is further away than the band.
std::optional<std::size_t> ImplicitSurface::cellOf(const Vec3& point) const {
  const Vec3 at = (point - gridLow_) / cell_;
  const bool inside = (at.array() >= 0).all() && at.x() < cells_[0] && at.y() < cells_[1] && at.z() < cells_[2];
  if (!inside) return std::nullopt;
  const std::size_t row = toSize(at.z()) * cells_[1] + toSize(at.y());
  return row * cells_[0] + toSize(at.x());
}

double ImplicitSurface::value(const Vec3& point) const {
  Vec3 unused;
  const std::optional<std::size_t> cell = cellOf(point);
  return cell ? fold<false>(*cell, point, unused) : 2 * band_;
}

double ImplicitSurface::value(const Vec3& point, Vec3& gradient) const {
  return fold<true>(cellOf(point).value_or(cellEntries_.size() - 2), point, gradient);
}

Vec3 ImplicitSurface::normal(const Vec3& point) const {
  Vec3 gradient;
  value(point, gradient);
  return gradient.squaredNorm() > 1e-20 ? Vec3(gradient.normalized()) : Vec3::UnitY();
}

Vec3 ImplicitSurface::projected(Vec3 point, int steps, double longest) const {
  for (int i = 0; i < steps; ++i) {
    Vec3 gradient;
    const double f = value(point, gradient);
    const double square = gradient.squaredNorm();
    if (square < 1e-12) break;
    Vec3 step = -f / square * gradient;
    const double norm = step.norm();
    if (norm > longest) step *= longest / norm;
    point += step;
    if (norm < 1e-9) break;
  }
  return point;
}

void ImplicitSurface::groupDistances(const Vec3& point, double most, std::vector<double>& distances) const {
  distances.assign(groups_.size(), most);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    double value = kFar;
    Vec3 slope = Vec3::Zero();
    for (std::uint32_t i = groupStart_[g]; i < groupStart_[g + 1]; ++i) {
      if ((bounds_[i].centre - point).norm() - bounds_[i].radius > most + flat_[i].blend) continue;
      Vec3 other;
      const double distance = distanceTo<false>(flat_[i], point, other);
      fuse<false>(value, slope, distance, other, flat_[i]);
    }
    distances[g] = std::min(most, value);
  }
}

}  // namespace sinew::body
