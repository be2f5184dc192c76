// Singh and Fiume, "Wires: a geometric deformation technique", SIGGRAPH 1998.
//
// A wire is a driven curve W, a reference R, a radius r, a scale s and a falloff f. A point P has the influence
// F = f(|P - R(t)| / r), R(t) its nearest point on R, and is, in this order,
//   scaled about R(t) by 1 + F (s - 1),
//   turned about R(t) by F times the angle from R'(t) to W'(t), about R'(t) x W'(t),
//   carried by F (W(t) - R(t)).
// Several wires with displacements D_i:  P' = P + sum_i F_i^m D_i / sum_i F_i^m.
// Ours: f(x) = (1 - x^2)^2, a factor on the turn, joints that move the curves. Not taken over: domain curves, locators
// along the wire, and the falloff's asymmetry.
#include "sinew/deform/wire.h"

#include <fmt/format.h>

#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/wire/curve.h"

namespace sinew::wire {
namespace {

constexpr Index kGrain = 128;
constexpr const char* kName = "wire";

/// Columns of the scratch for a wire: control points, both curves, samples, and one for `stray`.
Index columnsOf(const Wire& wire) {
  const Index points = wire.reference.cols();
  return points + 2 * coefficientColumns(points) + sampleColumns(points) + 1;
}

/// The parts of those columns.
struct WireColumns {
  WireColumns(double* memory, Index points)
      : controls(memory, 3, points),
        reference(controls.data() + controls.size(), 3, coefficientColumns(points)),
        driven(reference.data() + reference.size(), 3, coefficientColumns(points)),
        samples(driven.data() + driven.size(), 3, sampleColumns(points)),
        stray(samples.data() + samples.size()) {}

  Eigen::Map<Points> controls;
  Eigen::Map<Points> reference;
  Eigen::Map<Points> driven;
  Eigen::Map<Points> samples;
  double* stray;
};

/// The control points of a curve in this pose, in the placement's frame.
void placeCurve(const Points& rest, const std::vector<int>& bindings, const Placement& placement,
                const PlacedFrame& frame, const PosedJoints& joints, PointsRef placed) {
  placed = rest;
  if (bindings.empty()) return;
  for (Index i = 0; i < rest.cols(); ++i) {
    const int binding = bindings[bindings.size() == 1 ? 0 : toSize(i)];
    placed.col(i) = frame.localFromWorld * (boundTransform(binding, placement, joints, kName) * rest.col(i));
  }
}

/// The vector rotated by `amount` times the angle between two directions. Opposite ones have no axis: it is unchanged.
Vec3 turned(const Vec3& vector, const Vec3& from, const Vec3& to, double amount) {
  const Vec3 across = from.cross(to);
  const double sine = across.norm();
  if (sine <= 1e-14 * from.norm() * to.norm()) return vector;
  const double angle = amount * std::atan2(sine, from.dot(to));
  return Eigen::AngleAxisd(angle, across / sine) * vector;
}

struct Pull {
  double influence = 0;  // F
  Vec3 displacement = Vec3::Zero();
};

Pull pull(const Wire& wire, const WireColumns& columns, const Vec3& point) {
  const WireCurve reference(columns.reference);
  const NearestOnCurve nearest = nearestOnCurve(reference, columns.samples, *columns.stray, wire.radius, point);
  const double x = nearest.distance / wire.radius;
  if (x >= 1) return {};
  const double f = (1 - x * x) * (1 - x * x);

  const WireCurve::Jet foot = reference.at(nearest.t);
  const WireCurve::Jet target = WireCurve(columns.driven).at(nearest.t);
  const Vec3 arm = point - foot.point;
  const Vec3 scaled = (1 + f * (wire.scale - 1)) * arm;
  const Vec3 swung = turned(scaled, foot.slope, target.slope, f * wire.rotation);
  return {f, (swung - arm) + f * (target.point - foot.point)};
}

/// sum_i F_i^m D_i / sum_i F_i^m, one wire after the other, with powers of F relative to the largest so far: they
/// cannot all underflow.
class Blend {
 public:
  explicit Blend(double exponent) : exponent_(exponent) {}

  void add(const Pull& pull) {
    if (pull.influence <= 0) return;
    if (pull.influence > largest_) {
      const double old = std::pow(largest_ / pull.influence, exponent_);
      sum_ *= old;
      total_ *= old;
      largest_ = pull.influence;
    }
    const double weight = std::pow(pull.influence / largest_, exponent_);
    sum_ += weight * pull.displacement;
    total_ += weight;
  }
  [[nodiscard]] bool any() const { return total_ > 0; }
  [[nodiscard]] Vec3 displacement() const { return sum_ / total_; }

 private:
  double exponent_;
  double largest_ = 0;
  double total_ = 0;
  Vec3 sum_ = Vec3::Zero();
};

void checkCurve(const Points& curve, const std::vector<int>& bindings, std::size_t wire, const char* which) {
  checkFinite(curve, kName, which);
  SINEW_CHECK(bindings.size() <= 1 || static_cast<Index>(bindings.size()) == curve.cols(), kName,
              fmt::format("{} of wire {} binds {} of {} points; give no joint, one for all points, or one per point",
                          which, wire, bindings.size(), curve.cols()));
}

void check(const Wire& wire, std::size_t index, const Placement& placement) {
  SINEW_CHECK(
      wire.reference.cols() >= 2, kName,
      fmt::format("the reference of wire {} has {} points; a curve needs at least 2", index, wire.reference.cols()));
  SINEW_CHECK(wire.driven.cols() == wire.reference.cols(), kName,
              fmt::format("the curves of wire {} have {} and {} points; both must have the same number", index,
                          wire.reference.cols(), wire.driven.cols()));
  checkCurve(wire.reference, wire.referenceBindings, index, "the reference");
  checkCurve(wire.driven, wire.drivenBindings, index, "the driven curve");
  SINEW_CHECK(std::isfinite(wire.radius) && wire.radius > 0, kName,
              fmt::format("the radius of wire {} is {}; it must be above 0", index, wire.radius));
  SINEW_CHECK(std::isfinite(wire.scale) && std::isfinite(wire.rotation), kName,
              fmt::format("wire {} has scale {} and rotation {}; both must be finite numbers", index, wire.scale,
                          wire.rotation));
  if (placement.follow) return;
  const bool bound = !wire.referenceBindings.empty();
  SINEW_CHECK(bound == !wire.drivenBindings.empty(), kName,
              fmt::format("one curve of wire {} follows joints and the other does not move; let both follow joints, or "
                          "let the whole wire follow a joint",
                          index));
  SINEW_CHECK(!bound || placement.space == PointSpace::Posed, kName,
              fmt::format("wire {} is applied before the skin and its curves follow joints; set 'follow' to the joint "
                          "whose frame it uses",
                          index));
}

}  // namespace
}  // namespace sinew::wire

namespace sinew {

WireDeformer::WireDeformer(WireOptions options) : options_(std::move(options)) {
  SINEW_CHECK(std::isfinite(options_.exponent) && options_.exponent > 0, wire::kName,
              fmt::format("the exponent is {}; it must be above 0", options_.exponent));
  Index columns = 0;
  for (std::size_t i = 0; i < options_.wires.size(); ++i) {
    Wire& wire = options_.wires[i];
    if (wire.driven.cols() == 0) wire.driven = wire.reference;
    wire::check(wire, i, options_.placement);
    start_.push_back(columns);
    columns += wire::columnsOf(wire);
  }
  start_.push_back(columns);
}

void WireDeformer::placeWires(const PlacedFrame& frame, const PosedJoints& joints, double* memory) const {
  for (std::size_t i = 0; i < options_.wires.size(); ++i) {
    const Wire& wire = options_.wires[i];
    wire::WireColumns columns(memory + 3 * start_[i], wire.reference.cols());
    wire::placeCurve(wire.reference, wire.referenceBindings, options_.placement, frame, joints, columns.controls);
    wire::fitWireCurve(columns.controls, columns.reference);
    wire::placeCurve(wire.driven, wire.drivenBindings, options_.placement, frame, joints, columns.controls);
    wire::fitWireCurve(columns.controls, columns.driven);
    *columns.stray = wire::sampleWireCurve(wire::WireCurve(columns.reference), columns.samples);
  }
}

Index WireDeformer::reached(const ConstPointsRef& points, const PosedJoints& joints) const {
  const PlacedFrame frame = placedFrame(options_.placement, joints, wire::kName);
  Points memory(3, start_.back());
  placeWires(frame, joints, memory.data());
  Index count = 0;
  for (Index v = 0; v < points.cols(); ++v) {
    const Vec3 local = frame.localFromPoints * points.col(v);
    for (std::size_t i = 0; i < options_.wires.size(); ++i) {
      const Wire& wire = options_.wires[i];
      if (wire::pull(wire, wire::WireColumns(memory.data() + 3 * start_[i], wire.reference.cols()), local).influence <=
          0)
        continue;
      ++count;
      break;
    }
  }
  return count;
}

void WireDeformer::apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
                         PointsRef moved) const {
  const PlacedFrame frame = placedFrame(options_.placement, joints, wire::kName);
  double* memory = scratch.controlColumns(start_.back()).data();
  placeWires(frame, joints, memory);
  const auto columnsAt = [&](std::size_t i) {
    return wire::WireColumns(memory + 3 * start_[i], options_.wires[i].reference.cols());
  };
  parallelFor(points.cols(), wire::kGrain, [&](Index v) {
    const Vec3 local = frame.localFromPoints * points.col(v);
    wire::Blend blend(options_.exponent);
    for (std::size_t i = 0; i < options_.wires.size(); ++i)
      blend.add(wire::pull(options_.wires[i], columnsAt(i), local));
    moved.col(v) = points.col(v);
    if (blend.any()) moved.col(v) += frame.pointsFromLocal * blend.displacement();
  });
}

}  // namespace sinew
