// Free-form deformation: a box of control points bends the space inside it.
#pragma once

#include <array>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/placement.h"

namespace sinew {

/// What happens to points outside the box.
enum class LatticeOutside {
  /// They stay. Inside, the displacement fades to zero over a border of the box, so that the result is C1 everywhere;
  /// farther than the border from each side it is the exact Bezier volume.
  PassThrough,
  /// They move with the nearest point of the box (in box coordinates). The exact Bezier volume inside, C0 across.
  Clamp
};
constexpr auto choiceRows(LatticeOutside) {
  return choiceTable<LatticeOutside>({{LatticeOutside::PassThrough, "pass"}, {LatticeOutside::Clamp, "clamp"}});
}

struct LatticeOptions {
  /// Control points along the box's x, y and z: 2 to kMostLatticePoints each.
  std::array<int, 3> resolution{2, 2, 2};
  /// The box is this image of the unit cube, in rest space; boxBetween makes it from two corners.
  Affine restFromBox = Affine::Identity();
  /// Displacement of control point (i, j, k) from the regular grid, in rest space: column i + resolution[0] * (j +
  /// resolution[1] * k). 3 x 0 means none.
  Points displacements{3, 0};
  /// A binding per control point, in the same order, or empty: all stay with the box. Needs placement.follow.
  std::vector<int> controlBindings{};
  Placement placement{};
  LatticeOutside outside = LatticeOutside::PassThrough;
  double border = 0.1;  ///< of PassThrough: a fraction of the box along each axis, above 0 and at most 0.5
};

constexpr int kMostLatticePoints = 64;

/// The axis-aligned box between two corners.
Affine boxBetween(const Vec3& low, const Vec3& high);

/// p' = p + sum_ijk B_i(s) B_j(t) B_k(u) d_ijk, Bernstein polynomials B at p's coordinates (s, t, u) in the box.
/// A lattice with displacements changes the rest shape, as it should; one without moves only what its joints move.
class Lattice final : public Deformer {
 public:
  /// Throws on sizes that do not fit, a flat box, a border out of range, and values that are not finite.
  explicit Lattice(LatticeOptions options);

  [[nodiscard]] std::string_view name() const override { return "lattice"; }
  [[nodiscard]] const LatticeOptions& options() const { return options_; }
  [[nodiscard]] Index reached(const ConstPointsRef& points, const PosedJoints& joints) const override;
  /// Position of control point (i, j, k) of the undisplaced grid, in rest space.
  [[nodiscard]] Vec3 gridPoint(int i, int j, int k) const;

 protected:
  void apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
             PointsRef moved) const override;

 private:
  LatticeOptions options_;
  Affine boxFromRest_;
  Points grid_;  // displaced control points in rest space
};

}  // namespace sinew
