// Wires: a reference curve in the skin and a driven curve; vertices near the first move with the second.
#pragma once

#include <vector>

#include "sinew/deform/deformer.h"
#include "sinew/deform/placement.h"

namespace sinew {

/// One wire. Both curves are Catmull-Rom splines through as many points, at least two, given in rest space.
struct Wire {
  Points reference{3, 0};
  /// 3 x 0: the reference itself, to be moved by its bindings.
  Points driven{3, 0};
  /// Which joints move the points of a curve: empty: none but the placement's; one: all points; else one per point.
  std::vector<int> referenceBindings{};
  std::vector<int> drivenBindings{};
  double radius = 1;    ///< how far the wire reaches, scene units, above 0 (the paper's r)
  double scale = 1;     ///< of the distance from the curve, at the curve (the paper's s)
  double rotation = 1;  ///< 1: the skin rotates with the curve's tangent; 0: it is only translated
};

struct WireOptions {
  std::vector<Wire> wires{};
  /// How wires share a point (the paper's m), above 0: 1 averages by influence, large ones give it to the strongest.
  double exponent = 1;
  Placement placement{};
};

/// Each point near a reference curve is scaled about it, rotated by the angle between the tangents of the two curves,
/// and translated, all weighted by the falloff (1 - (distance / radius)^2)^2.
class WireDeformer final : public Deformer {
 public:
  /// Throws on curves of unlike or too few points, bindings that do not fit, a radius that is not above 0, values that
  /// are not finite, and on a wire of which only one curve follows joints where the placement follows none: that wire
  /// would tear when the character is moved.
  explicit WireDeformer(WireOptions options);

  [[nodiscard]] std::string_view name() const override { return "wire"; }
  [[nodiscard]] const WireOptions& options() const { return options_; }
  [[nodiscard]] Index reached(const ConstPointsRef& points, const PosedJoints& joints) const override;

 protected:
  void apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
             PointsRef moved) const override;

 private:
  /// Curves of all wires in this pose, in memory of start_.back() columns.
  void placeWires(const PlacedFrame& frame, const PosedJoints& joints, double* memory) const;

  WireOptions options_;
  std::vector<Index> start_;  // per wire: its first column in the scratch; and the end
};

}  // namespace sinew
