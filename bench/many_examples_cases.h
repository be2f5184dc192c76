// Examples by the hundred, made when they are read.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "../tests/learn/arm3.h"
#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/character/example_source.h"
#include "sinew/deform/dual_quaternion_blend.h"
#include "sinew/io/formats.h"
#include "sinew/math/rotation.h"
#include "sinew/samples/samples.h"

namespace sinew::bench {

/// The tube of the tests at random poses of its shoulder and elbow.
inline ExampleSet tubeExamples(const test::Arm3& arm, std::size_t count) {
  ExampleSet set;
  Lcg random(8);
  for (std::size_t k = 0; k < count; ++k) {
    set.examples.push_back(arm.random(random, 70, 125));
    set.examples.back().name = fmt::format("frame{}", k);
  }
  return set;
}

/// The biped at random poses of its left arm, as a simulation of muscles gives them: dual quaternions move the skin,
/// and it bulges in the middle of the upper arm and of the forearm as they bend.
class ArmExamples final : public ExampleSource {
 public:
  ArmExamples(Index vertices, std::size_t count) : ArmExamples(makeSample("biped", {.vertices = vertices}), count) {}

  [[nodiscard]] const Character& character() const { return character_; }

  void read(std::size_t k, Example& example) override {
    example = outline().examples[k];
    poseJoints(character_, example.pose, joints_);
    Points bulged = character_.mesh.points;
    const double elbow = Eigen::AngleAxisd(turnOf(example.pose, elbow_)).angle();
    const double shoulder = Eigen::AngleAxisd(turnOf(example.pose, shoulder_)).angle();
    parallelFor(bulged.cols(), 1024, [&](Index v) {
      const double size = (1 - std::cos(elbow)) * muscles_(0, v) + (1 - std::cos(shoulder)) * muscles_(1, v);
      bulged.col(v) += size * normals_.col(v);
    });
    example.points = sculptor_.deform(bulged, joints_);
  }

 private:
  ArmExamples(Sample sample, std::size_t count)
      : ExampleSource(posesOf(sample.character, count)),
        character_(std::move(sample.character)),
        sculptor_(character_.skin),
        shoulder_(character_.skeleton.index("upper_arm_l")),
        elbow_(character_.skeleton.index("forearm_l")) {
    computeNormals(character_.mesh.points, triangulate(character_.mesh), normals_);
    const double size = 0.01 * boundingBox(character_.mesh.points).diagonal();
    muscles_.resize(2, character_.mesh.vertexCount());
    PosedJoints rest;
    poseJoints(character_, restPose(character_), rest);
    const Vec3 top = rest.worldFromJoint[toSize(shoulder_)].translation();
    const Vec3 middle = rest.worldFromJoint[toSize(elbow_)].translation();
    const double length = (middle - top).norm();
    for (Index v = 0; v < muscles_.cols(); ++v) {
      const auto bump = [&](const Vec3& at) {
        return size * std::exp(-((character_.mesh.points.col(v) - at) / (0.25 * length)).squaredNorm());
      };
      muscles_.col(v) << bump(0.5 * (top + middle)), bump(top);
    }
  }

  static ExampleSet posesOf(const Character& character, std::size_t count) {
    constexpr double kDegree = std::numbers::pi / 180;
    ExampleSet set;
    Lcg random(8);
    for (std::size_t k = 0; k < count; ++k) {
      Example example;
      example.name = fmt::format("frame{}", k);
      example.pose = restPose(character);
      Vec3 swing = random.vector();
      while (swing.norm() > 1) swing = random.vector();
      turn(example.pose, character.skeleton.index("upper_arm_l"), quaternionFromRotationVector(60 * kDegree * swing));
      turn(example.pose, character.skeleton.index("forearm_l"),
           Quat(Eigen::AngleAxisd(110 * kDegree * random.uniform(), Vec3::UnitY())));
      set.examples.push_back(std::move(example));
    }
    return set;
  }

  static void turn(Pose& pose, int joint, const Quat& by) {
    pose.local[toSize(joint)].rotation = pose.local[toSize(joint)].rotation * by;
  }
  [[nodiscard]] Quat turnOf(const Pose& pose, int joint) const {
    return character_.skeleton[joint].rest.rotation.conjugate() * pose.local[toSize(joint)].rotation;
  }

  Character character_;
  Points normals_{3, 0};
  DualQuaternionBlend sculptor_;
  int shoulder_;
  int elbow_;
  Eigen::Matrix2Xd muscles_;
  PosedJoints joints_;
};

/// The same as files: `arm.glb` with the clip `poses`, a frame per example, and `shapes.pc2`.
inline void writeFiles(ArmExamples& examples, const std::filesystem::path& folder) {
  constexpr double kFrames = 24;
  std::filesystem::create_directories(folder);
  Character character = examples.character();
  const auto count = static_cast<Index>(examples.size());
  Clip clip{.name = "poses", .channels = {}};
  for (const char* name : {"upper_arm_l", "forearm_l"}) {
    ClipChannel channel;
    channel.path = ClipPath::Rotation;
    channel.joint = character.skeleton.index(name);
    channel.values.resize(4, count);
    for (Index k = 0; k < count; ++k) {
      channel.times.push_back(static_cast<double>(k) / kFrames);
      channel.values.col(k) =
          examples.outline().examples[toSize(k)].pose.local[toSize(channel.joint)].rotation.coeffs();
    }
    clip.channels.push_back(std::move(channel));
  }
  character.clips.push_back(std::move(clip));
  writeCharacter(folder / "arm.glb", character);

  std::ofstream out(folder / "shapes.pc2", std::ios::binary);
  const auto put = [&](auto value) { out.write(reinterpret_cast<const char*>(&value), sizeof(value)); };
  out.write("POINTCACHE2", 12);
  put(std::int32_t{1});
  put(static_cast<std::int32_t>(character.mesh.vertexCount()));
  put(0.0F);
  put(1.0F);
  put(static_cast<std::int32_t>(count));
  Example example;
  for (std::size_t k = 0; k < examples.size(); ++k) {
    examples.read(k, example);
    const Eigen::Matrix3Xf frame = example.points.cast<float>();
    out.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(toSize(frame.size()) * 4));
  }
  SINEW_CHECK(out.good(), "benchmark", "cannot write the point cache");
}

}  // namespace sinew::bench
