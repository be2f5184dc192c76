// ARM: a tube of 41 rings with 24 points. w = clamp(0.5 + X, 0, 1) is the weight of the lower bone, R = Rz(theta)
// Rx(tau) its turn, Q the matrix of normalise((1 - w) q_I + w q_R) with q_R's scalar part non-negative. The sculptor is
//   Q (v + (bic + fore) n),
//   bic  = 0.08 (1 - cos theta) / 2 exp(-((X + 0.45) / 0.18)^2) max(0, cos a)^2,
//   fore = 0.06 (1 - cos theta) / 2 exp(-((X - 0.7) / 0.15)^2) max(0, cos a)^2.
#include "sinew/samples/exact_arm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sinew {
namespace {

constexpr int kRings = 41;
constexpr int kSides = 24;
constexpr double kRadius = 0.2;

double ringX(int ring) {
  return -1 + 2.0 * ring / (kRings - 1);
}
double sideAngle(int side) {
  return 2 * std::numbers::pi * side / kSides;
}
double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

Quat lowerTurn(double bend, double twist) {
  Quat turn(Eigen::AngleAxisd(bend, Vec3::UnitZ()) * Eigen::AngleAxisd(twist, Vec3::UnitX()));
  if (turn.w() < 0) turn.coeffs() *= -1;
  return turn;
}

Mesh tube() {
  Mesh mesh;
  mesh.points = exactArmRest();
  for (int i = 0; i + 1 < kRings; ++i) {
    for (int j = 0; j < kSides; ++j) {
      const auto corner = [](int ring, int side) { return static_cast<std::uint32_t>(kSides * ring + side % kSides); };
      mesh.faces.add(std::array{corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j)});
    }
  }
  computeNormals(mesh.points, triangulate(mesh), mesh.normals);
  MeshPart part;
  part.name = "arm";
  part.vertexCount = mesh.vertexCount();
  part.faceCount = mesh.faces.size();
  part.skinned = true;
  mesh.parts.push_back(part);
  return mesh;
}

Skin tubeSkin() {
  const Eigen::VectorXd lower = exactArmLowerWeights();
  std::vector<std::vector<Influence>> columns;
  for (const double w : lower) columns.push_back({{0, 1 - w}, {1, w}});
  Skin skin;
  skin.bindings = {{0, Affine::Identity()}, {1, Affine::Identity()}};
  skin.bindings[0].jointFromRest.translation() = Vec3(1, 0, 0);
  skin.weights = SkinWeights::fromColumns(2, columns);
  return skin;
}

ExampleSet bends(const Character& arm, std::span<const int> degrees) {
  ExampleSet set;
  set.rest = arm.mesh.points;
  set.drivers = {{"lower", 1}};
  for (const int angle : degrees) {
    Example example;
    example.name = fmt::format("bend{}", angle);
    example.pose = exactArmPose(arm, radians(angle), 0);
    example.points = exactArmSculpt(radians(angle), 0);
    set.examples.push_back(std::move(example));
  }
  return set;
}

// Bends to 120 degrees and back, then twists a little.
Clip flexClip(const Character& arm) {
  const std::array<std::array<double, 2>, 5> turns{{{0, 0}, {60, 0}, {120, 0}, {60, 45}, {0, 0}}};
  ClipChannel channel;
  channel.path = ClipPath::Rotation;
  channel.joint = 1;
  channel.values.resize(4, turns.size());
  for (std::size_t k = 0; k < turns.size(); ++k) {
    channel.times.push_back(0.5 * static_cast<double>(k));
    const Pose pose = exactArmPose(arm, radians(turns[k][0]), radians(turns[k][1]));
    channel.values.col(static_cast<Index>(k)) = pose.local[1].rotation.coeffs();
  }
  return {"flex", {channel}};
}

}  // namespace

Points exactArmRest() {
  Points points(3, kRings * kSides);
  for (int i = 0; i < kRings; ++i) {
    for (int j = 0; j < kSides; ++j) {
      const double a = sideAngle(j);
      points.col(kSides * i + j) = Vec3(ringX(i), kRadius * std::cos(a), kRadius * std::sin(a));
    }
  }
  return points;
}

Eigen::VectorXd exactArmLowerWeights() {
  Eigen::VectorXd weights(kRings * kSides);
  for (int i = 0; i < kRings; ++i)
    weights.segment(kSides * i, kSides).setConstant(std::clamp(0.5 + ringX(i), 0.0, 1.0));
  return weights;
}

Points exactArmSculpt(double bend, double twist) {
  const Points rest = exactArmRest();
  const Eigen::VectorXd lower = exactArmLowerWeights();
  const Quat turn = lowerTurn(bend, twist);
  const double flex = 0.5 * (1 - std::cos(bend));
  Points points(3, rest.cols());
  for (int v = 0; v < kRings * kSides; ++v) {
    const double x = ringX(v / kSides);
    const double a = sideAngle(v % kSides);
    const double top = std::pow(std::max(0.0, std::cos(a)), 2);
    const double biceps = 0.08 * flex * std::exp(-std::pow((x + 0.45) / 0.18, 2)) * top;
    const double forearm = 0.06 * flex * std::exp(-std::pow((x - 0.7) / 0.15, 2)) * top;
    const Vec3 normal(0, std::cos(a), std::sin(a));
    Quat blended;
    blended.coeffs() = (1 - lower[v]) * Quat::Identity().coeffs() + lower[v] * turn.coeffs();
    points.col(v) = blended.normalized() * Vec3(rest.col(v) + (biceps + forearm) * normal);
  }
  return points;
}

Pose exactArmPose(const Character& arm, double bend, double twist) {
  Pose pose = restPose(arm);
  pose.local[arm.skeleton.index("lower")].rotation = lowerTurn(bend, twist);
  return pose;
}

Sample makeExactArm() {
  Sample sample;
  Character& arm = sample.character;
  arm.name = "arm";
  arm.mesh = tube();
  Joint upper{"upper", -1, {}};
  upper.rest.translation = Vec3(-1, 0, 0);
  Joint lower{"lower", 0, {}};
  lower.rest.translation = Vec3(1, 0, 0);
  arm.skeleton = Skeleton({upper, lower});
  arm.skin = tubeSkin();
  arm.clips.push_back(flexClip(arm));
  constexpr std::array kExamples{40, 80, 120, 160};
  constexpr std::array kHeldOut{20, 60, 100, 140};
  sample.examples = bends(arm, kExamples);
  sample.heldOut = bends(arm, kHeldOut);
  return sample;
}

}  // namespace sinew
