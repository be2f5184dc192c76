// Operators to be inverted as black boxes.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "deform/exact_arm_stack.h"
#include "sinew/deform/lattice.h"
#include "sinew/deform/linear_blend.h"
#include "sinew/deform/point_map.h"
#include "sinew/deform/stack.h"

namespace sinew::test {

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

/// The sculpts of the singular check: only the biceps' bulge, rotated by the blended quaternion.
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
