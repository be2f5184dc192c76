// A tube of 41 rings and 24 sides with check values: docs/methods/skinning_operators.md, "Check values".
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/character/pose.h"
#include "sinew/deform/dual_quaternion_blend.h"

namespace sinew::test {

/// Vertex 24 i + j = (X, 0.2 cos a, 0.2 sin a), X = -1 + 2 i / 40, a = 2 pi j / 24; the lower bone's weight is
/// clamp(0.5 + X, 0, 1). Binding 0 is the upper bone, 1 the lower.
struct ExactArm {
  Points points{3, 984};
  Points normals{3, 984};
  SkinWeights weights;
  static constexpr double kDiagonal = 2.0784609690826528;  // sqrt(4.32)

  ExactArm() {
    std::vector<std::vector<Influence>> columns;
    for (int i = 0; i <= 40; ++i) {
      const double x = -1 + 2.0 * i / 40;
      const double lower = std::clamp(0.5 + x, 0.0, 1.0);
      for (int j = 0; j < 24; ++j) {
        const double a = 2 * std::numbers::pi * j / 24;
        normals.col(24 * i + j) = Vec3(0, std::cos(a), std::sin(a));
        points.col(24 * i + j) = Vec3(x, 0.2 * std::cos(a), 0.2 * std::sin(a));
        columns.push_back({{0, 1 - lower}, {1, lower}});
      }
    }
    weights = SkinWeights::fromColumns(2, columns);
  }

  /// The lower bone bent by Rz(bend) Rx(twist), degrees; the upper at rest.
  static PosedJoints bent(double bend, double twist) {
    const double radian = std::numbers::pi / 180;
    PosedJoints joints;
    joints.worldFromRest.assign(2, Affine::Identity());
    joints.worldFromRest[1].linear() =
        (Eigen::AngleAxisd(bend * radian, Vec3::UnitZ()) * Eigen::AngleAxisd(twist * radian, Vec3::UnitX()))
            .toRotationMatrix();
    return joints;
  }

  /// The sculptor ALL: the vertex with the bulges of biceps and forearm, turned by the blended quaternion.
  [[nodiscard]] Points sculpted(double bend, double twist) const {
    const double amount = (1 - std::cos(bend * std::numbers::pi / 180)) / 2;
    std::vector<Mat3> frames(984);
    DeformScratch scratch;
    DualQuaternionBlend(weights).vertexRotations(bent(bend, twist), scratch, frames);
    Points sculpt(3, 984);
    for (Index v = 0; v < 984; ++v) {
      const double x = points(0, v);
      const double top = std::max(0.0, normals(1, v));
      const double biceps = 0.08 * std::exp(-std::pow((x + 0.45) / 0.18, 2));
      const double forearm = 0.06 * std::exp(-std::pow((x - 0.7) / 0.15, 2));
      const Vec3 bulged = points.col(v) + amount * (biceps + forearm) * top * top * normals.col(v);
      sculpt.col(v) = frames[static_cast<std::size_t>(v)] * bulged;
    }
    return sculpt;
  }

  /// The points, each moved by `size` times three draws in [-1, 1) of Lcg(seed).
  [[nodiscard]] Points shaken(double size, std::uint32_t seed) const {
    Lcg random(seed);
    Points moved = points;
    for (Index v = 0; v < moved.cols(); ++v) moved.col(v) += size * random.vector();
    return moved;
  }
};

}  // namespace sinew::test
