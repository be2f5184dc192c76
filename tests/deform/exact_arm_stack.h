// The stack of the check values on the exact arm: linear blend, lattice, and an operator that is not ours.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "deform/exact_arm.h"
#include "sinew/deform/lattice.h"
#include "sinew/deform/linear_blend.h"
#include "sinew/deform/stack.h"

namespace sinew::test {

/// Turns each point about x by 0.8 times its x: not an operator of ours, as a user's own would be.
class Twist final : public Deformer {
 public:
  [[nodiscard]] std::string_view name() const override { return "twist"; }

 protected:
  void apply(const ConstPointsRef& points, const PosedJoints& /*joints*/, DeformScratch& /*scratch*/,
             PointsRef moved) const override {
    for (Index v = 0; v < points.cols(); ++v)
      moved.col(v) = Eigen::AngleAxisd(0.8 * points(0, v), Vec3::UnitX()) * points.col(v);
  }
};

/// The lattice of the check values: 4 x 4 x 4 on [-1.5, 1.5]^3.
inline DeformerPtr wavyLattice() {
  LatticeOptions options;
  options.resolution = {4, 4, 4};
  options.restFromBox = boxBetween(Vec3::Constant(-1.5), Vec3::Constant(1.5));
  options.displacements.resize(3, 64);
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 4; ++i) {
        options.displacements.col(i + 4 * (j + 4 * k)) =
            0.1 * Vec3(std::sin(i + 2 * j + 3 * k), std::cos(2 * i + j - k), std::sin(i - j + 2 * k));
      }
    }
  }
  options.outside = LatticeOutside::Clamp;
  return std::make_shared<Lattice>(options);
}

/// Linear blend, lattice, twist.
inline DeformerPtr armStack(const ExactArm& arm) {
  return std::make_shared<DeformerStack>(
      std::vector<DeformerPtr>{std::make_shared<LinearBlend>(arm.weights), wavyLattice(), std::make_shared<Twist>()});
}

}  // namespace sinew::test
