#include "support/test_arm.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sinew::test {

Character testArm(int rings, int sides) {
  Character arm;
  arm.name = "test arm";
  arm.mesh.points.resize(3, rings * sides);
  std::vector<std::vector<Influence>> columns;
  for (int i = 0; i < rings; ++i) {
    const double x = -1 + 2.0 * i / (rings - 1);
    const double lower = std::clamp(0.5 + x, 0.0, 1.0);
    for (int j = 0; j < sides; ++j) {
      const double angle = 2 * std::numbers::pi * j / sides;
      arm.mesh.points.col(i * sides + j) = Vec3(x, 0.2 * std::cos(angle), 0.2 * std::sin(angle));
      columns.push_back({{1, 1 - lower}, {2, lower}});
      if (i + 1 == rings) continue;
      const auto corner = [&](int ring, int side) { return static_cast<std::uint32_t>(ring * sides + side % sides); };
      arm.mesh.faces.add(std::array{corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j)});
    }
  }
  MeshPart part;
  part.name = "tube";
  part.vertexCount = arm.mesh.vertexCount();
  part.faceCount = arm.mesh.faces.size();
  part.skinned = true;
  arm.mesh.parts.push_back(part);

  Joint root{"root", -1, {}};
  root.rest.translation = Vec3(-1, 0, 0);
  Joint lower{"lower", 1, {}};
  lower.rest.translation = Vec3(1, 0, 0);
  arm.skeleton = Skeleton({root, Joint{"upper", 0, {}}, lower});
  const auto jointAt = [](int joint, double x) {
    Binding binding{joint, Affine::Identity()};
    binding.jointFromRest.translation() = Vec3(-x, 0, 0);
    return binding;
  };
  arm.skin.bindings = {jointAt(0, -1), jointAt(1, -1), jointAt(2, 0)};
  arm.skin.weights = SkinWeights::fromColumns(3, columns);
  return arm;
}

Pose bentArmPose(const Character& arm, double bendDegrees, double twistDegrees) {
  const auto radians = [](double degrees) { return degrees * std::numbers::pi / 180; };
  Pose pose = restPose(arm);
  pose.local[0].rotation = Quat(Eigen::AngleAxisd(0.3, Vec3(1, 2, 3).normalized()));
  pose.local[0].translation += Vec3(0.1, -0.2, 0.3);
  pose.local[2].rotation = Quat(Eigen::AngleAxisd(radians(bendDegrees), Vec3::UnitZ()) *
                                Eigen::AngleAxisd(radians(twistDegrees), Vec3::UnitX()));
  return pose;
}

}  // namespace sinew::test
