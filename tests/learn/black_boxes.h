// Operators to be inverted, known only by their answers.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "deform/exact_arm.h"
#include "sinew/deform/lattice.h"
#include "sinew/deform/linear_blend.h"
#include "sinew/deform/point_map.h"
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

/// Counts the calls of a map, as the box itself would.
inline PointMap counted(PointMap map, int& calls) {
  return [map = std::move(map), &calls](const Points& rest, Points& moved) {
    ++calls;
    map(rest, moved);
  };
}

/// Takes and gives single precision.
inline PointMap inFloat(PointMap map) {
  return [map = std::move(map)](const Points& rest, Points& moved) {
    const Points rounded = rest.cast<float>().cast<double>();
    map(rounded, moved);
    moved = moved.cast<float>().cast<double>().eval();
  };
}

/// After a map, moves each vertex of the tube of 41 x 24 towards the mean of its neighbours.
inline PointMap smoothed(PointMap map, int passes, double amount) {
  return [map = std::move(map), passes, amount](const Points& rest, Points& moved) {
    map(rest, moved);
    for (int pass = 0; pass < passes; ++pass) {
      const Points old = moved;
      for (Index i = 0; i < 41; ++i) {
        for (Index j = 0; j < 24; ++j) {
          Vec3 sum = old.col(24 * i + (j + 1) % 24) + old.col(24 * i + (j + 23) % 24);
          double count = 2;
          if (i > 0) {
            sum += old.col(24 * (i - 1) + j);
            ++count;
          }
          if (i < 40) {
            sum += old.col(24 * (i + 1) + j);
            ++count;
          }
          moved.col(24 * i + j) += amount * (sum / count - old.col(24 * i + j));
        }
      }
    }
  };
}

/// The sculptor of the singular check: the biceps' bulge alone, turned by the blended quaternion.
inline Points bicepsSculpt(const ExactArm& arm, double bend) {
  const double amount = 0.08 * (1 - std::cos(bend * std::numbers::pi / 180)) / 2;
  std::vector<Mat3> frames(984);
  DeformScratch scratch;
  DualQuaternionBlend(arm.weights).vertexRotations(ExactArm::bent(bend, 0), scratch, frames);
  Points sculpt(3, 984);
  for (Index v = 0; v < 984; ++v) {
    const double top = std::max(0.0, arm.normals(1, v));
    const double bulge = amount * std::exp(-std::pow((arm.points(0, v) + 0.45) / 0.18, 2)) * top * top;
    sculpt.col(v) = frames[static_cast<std::size_t>(v)] * (arm.points.col(v) + bulge * arm.normals.col(v));
  }
  return sculpt;
}

}  // namespace sinew::test
