// A tube over three bones with a sculptor: shoulder (three degrees of freedom) and elbow.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/base/random.h"
#include "sinew/character/character.h"
#include "sinew/character/example_set.h"
#include "sinew/deform/dual_quaternion_blend.h"
#include "sinew/math/rotation.h"

namespace sinew::test {

/// X = -1 + 3 i / 60 (i = 0..60), 16 per ring, radius 0.2; f(u) = clamp(0.5 + u / 0.8, 0, 1); weights torso 1 - f(X),
/// upper f(X)(1 - f(X - 1)), fore f(X) f(X - 1). Joints torso, upper (at 0) and fore (at 1).
struct Arm3 {
  Character character;
  Points normals{3, 976};

  Arm3() {
    Mesh& mesh = character.mesh;
    mesh.points.resize(3, 976);
    std::vector<std::vector<Influence>> columns;
    for (int i = 0; i <= 60; ++i) {
      const double x = -1 + 3.0 * i / 60;
      for (int j = 0; j < 16; ++j) {
        const double a = 2 * std::numbers::pi * j / 16;
        normals.col(16 * i + j) = Vec3(0, std::cos(a), std::sin(a));
        mesh.points.col(16 * i + j) = Vec3(x, 0.2 * std::cos(a), 0.2 * std::sin(a));
        columns.push_back({{0, 1 - rise(x)}, {1, rise(x) * (1 - rise(x - 1))}, {2, rise(x) * rise(x - 1)}});
      }
    }
    std::vector<Joint> joints(3);
    joints[0] = {"torso", -1, {}};
    joints[1] = {"upper", 0, {}};
    joints[2] = {"fore", 1, {}};
    joints[2].rest.translation = Vec3(1, 0, 0);
    character.skeleton = Skeleton(std::move(joints));
    character.skin.bindings = {{0, Affine::Identity()}, {1, Affine::Identity()}, {2, Affine::Identity()}};
    character.skin.bindings[2].jointFromRest.translation() = Vec3(-1, 0, 0);
    character.skin.weights = SkinWeights::fromColumns(3, columns);
  }

  static double rise(double u) { return std::clamp(0.5 + u / 0.8, 0.0, 1.0); }

  [[nodiscard]] Pose pose(const Vec3& shoulder, double elbow) const {
    Pose result = restPose(character);
    result.local[1].rotation = quaternionFromRotationVector(shoulder);
    result.local[2].rotation = Quat(Eigen::AngleAxisd(elbow, Vec3::UnitZ()));
    return result;
  }

  /// Dual quaternion skinning of the bulged rest shape.
  [[nodiscard]] Example sculpted(const Vec3& shoulder, double elbow) const {
    const double raised =
        std::acos(std::clamp(quaternionFromRotationVector(shoulder).toRotationMatrix()(0, 0), -1.0, 1.0));
    Points bulged = character.mesh.points;
    for (Index v = 0; v < bulged.cols(); ++v) {
      const double x = bulged(0, v);
      const double a = 2 * std::numbers::pi * static_cast<double>(v % 16) / 16;
      const double top = std::pow(std::max(0.0, std::cos(a)), 2);
      const double biceps = 0.08 * (1 - std::cos(elbow)) / 2 * std::exp(-std::pow((x - 0.5) / 0.18, 2)) * top;
      const double deltoid =
          0.08 * (1 - std::cos(raised)) / 2 * std::exp(-std::pow((x - 0.15) / 0.2, 2)) * (0.5 + 0.5 * std::cos(a - 1));
      bulged.col(v) += (biceps + deltoid) * normals.col(v);
    }
    Example example;
    example.pose = pose(shoulder, elbow);
    PosedJoints joints;
    poseJoints(character, example.pose, joints);
    example.points = DualQuaternionBlend(character.skin).deform(bulged, joints);
    return example;
  }

  /// Draws of the shoulder until they lie in the unit ball, times `shoulder` degrees; the elbow up to `elbow` degrees.
  [[nodiscard]] Example random(Lcg& random, double shoulder, double elbow) const {
    Vec3 drawn = random.vector();
    while (drawn.norm() > 1) drawn = random.vector();
    constexpr double kDegree = std::numbers::pi / 180;
    return sculpted(drawn * shoulder * kDegree, (0.5 + 0.5 * random.symmetric()) * elbow * kDegree);
  }
};

}  // namespace sinew::test
