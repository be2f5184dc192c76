// The corrected characters of the benchmark, and every variant of deforming them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "sinew/pack/pose_space.h"
#include "sinew/pack/skin.h"
#include "sinew/play/aligned.h"
#include "skinning_cases.h"

namespace sinew::bench {

/// The biped, at most 4 weights per vertex, in a pose between examples.
struct PosedBiped {
  Character character;
  Pose pose;
  PosedJoints joints;
};

inline PosedBiped posedBiped(Index vertices) {
  PosedBiped result;
  result.character = makeSample("biped", {.vertices = vertices}).character;
  result.character.skin.weights = result.character.skin.weights.limited(kPeerInfluences);
  result.pose = restPose(result.character);
  Lcg random(1);
  for (LocalTransform& local : result.pose.local) {
    const double angle = 0.6 * random.symmetric();
    local.rotation = local.rotation * Quat(Eigen::AngleAxisd(angle, random.vector().normalized()));
  }
  poseJoints(result.character.skeleton, result.character.skin.bindings, result.pose, result.joints);
  return result;
}

struct CorrectionCase {
  DeltaSpace space = DeltaSpace::Frame;
  double share = 0.2;  ///< of the vertices that are corrected: those nearest to the driving joints
  int examples = 8;    ///< the rest pose counted
  int groups = 0;      ///< of a weighted model
  std::string base = "linear-blend";
};

/// Joints that drive: spread over the skeleton, roots left out.
inline std::vector<int> drivingJoints(const Skeleton& skeleton) {
  std::vector<int> joints;
  for (int j = 0; j < skeleton.size(); ++j) {
    if (skeleton[j].parent >= 0 && j % 4 == 2) joints.push_back(j);
  }
  return joints;
}

/// Every example moves every corrected vertex, by up to 2 % of the diagonal.
inline PoseSpaceModel correction(const PosedBiped& biped, const CorrectionCase& wanted) {
  const Character& character = biped.character;
  PoseSpaceModel model;
  model.space = wanted.space;
  model.base = wanted.base;
  PosedJoints rest;
  poseJoints(character, restPose(character), rest);
  std::vector<Vec3> centres;
  for (const int j : drivingJoints(character.skeleton)) {
    model.poseSpace.drivers.push_back({.source = j, .name = character.skeleton[j].name});
    centres.push_back(rest.worldFromJoint[static_cast<std::size_t>(j)].translation());
  }
  const Points& points = character.mesh.points;
  std::vector<double> distance(static_cast<std::size_t>(points.cols()), std::numeric_limits<double>::infinity());
  for (std::size_t v = 0; v < distance.size(); ++v) {
    for (const Vec3& centre : centres) {
      distance[v] = std::min(distance[v], (points.col(static_cast<Index>(v)) - centre).norm());
    }
  }
  std::vector<std::uint32_t> nearest(distance.size());
  std::iota(nearest.begin(), nearest.end(), 0u);
  std::sort(nearest.begin(), nearest.end(), [&](auto a, auto b) { return distance[a] < distance[b]; });
  nearest.resize(static_cast<std::size_t>(wanted.share * static_cast<double>(nearest.size())));
  std::sort(nearest.begin(), nearest.end());
  model.vertices = nearest;

  const double size = 0.02 * boundingBox(points).diagonal();
  Lcg random(5);
  model.poses.resize(model.poseSpace.dimensions(), wanted.examples);
  for (int k = 0; k < wanted.examples; ++k) {
    model.names.push_back(k == 0 ? "rest" : fmt::format("example {}", k));
    for (Index d = 0; d < model.poses.rows(); ++d) model.poses(d, k) = k == 0 ? 0 : 0.8 * random.symmetric();
    Points deltas = Points::Zero(3, static_cast<Index>(nearest.size()));
    for (Index i = 0; k > 0 && i < deltas.cols(); ++i) deltas.col(i) = size * random.vector();
    model.deltas.push_back(deltas);
  }
  if (wanted.space == DeltaSpace::Layered) model.layer = model.deltas;
  if (wanted.groups > 0) {
    model.groupWeights.resize(static_cast<Index>(model.poseSpace.drivers.size()), wanted.groups);
    for (double& weight : model.groupWeights.reshaped()) weight = 0.05 + random.uniform();
    // Groups lie side by side, as those of smooth weights do.
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      model.groupOf.push_back(static_cast<std::uint32_t>(i * static_cast<std::size_t>(wanted.groups) / nearest.size()));
    }
  }
  return model;
}

/// The loop that one writes first: deltas as floats, vertex by vertex, each with its matrix and quaternion.
class PlainPoseSpace {
 public:
  PlainPoseSpace(const PosedBiped& biped, const PoseSpaceModel& model)
      : skin_(biped.character.mesh.points, biped.character.skin.weights),
        frame_(model.space == DeltaSpace::Frame),
        shapes_(model.exampleCount() - 1),
        touched_(skin_.vertices.size(), kUntouched) {
    for (std::size_t i = 0; i < model.vertices.size(); ++i) {
      touched_[model.vertices[i]] = static_cast<std::uint32_t>(i);
      for (std::size_t k = 1; k <= shapes_; ++k) {
        for (int c = 0; c < 3; ++c) deltas_.push_back(static_cast<float>(model.deltas[k](c, static_cast<Index>(i))));
      }
    }
  }

  void play(const float* matrices, const float* quaternions, const float* weights, float* out) const {
    for (std::size_t v = 0; v < touched_.size(); ++v) {
      float point[3] = {skin_.rest[3 * v], skin_.rest[3 * v + 1], skin_.rest[3 * v + 2]};
      float delta[3] = {0, 0, 0};
      const bool touched = touched_[v] != kUntouched;
      if (touched) {
        const float* from = deltas_.data() + 3 * shapes_ * touched_[v];
        for (std::size_t k = 0; k < shapes_; ++k) {
          for (std::size_t c = 0; c < 3; ++c) delta[c] += weights[k] * from[3 * k + c];
        }
        if (!frame_) {
          for (std::size_t c = 0; c < 3; ++c) point[c] += delta[c];
        }
      }
      float m[16] = {};
      const PlainSkin::Vertex& vertex = skin_.vertices[v];
      for (std::size_t j = 0; j < kPeerInfluences; ++j) {
        const float* from = matrices + std::size_t{16} * vertex.joint[j];
        for (std::size_t i = 0; i < 16; ++i) m[i] += vertex.weight[j] * from[i];
      }
      float* to = out + 3 * v;
      for (std::size_t r = 0; r < 3; ++r) {
        to[r] = m[r] * point[0] + m[4 + r] * point[1] + m[8 + r] * point[2] + m[12 + r];
      }
      if (touched && frame_) addTurned(vertex, quaternions, delta, to);
    }
  }

 private:
  static constexpr std::uint32_t kUntouched = 0xffffffff;

  static void addTurned(const PlainSkin::Vertex& vertex, const float* quaternions, const float* v, float* to) {
    const float* pivot = quaternions + std::size_t{4} * vertex.joint[0];
    float q[4] = {};
    for (std::size_t j = 0; j < kPeerInfluences; ++j) {
      const float* from = quaternions + std::size_t{4} * vertex.joint[j];
      float dot = 0;
      for (std::size_t c = 0; c < 4; ++c) dot += pivot[c] * from[c];
      for (std::size_t c = 0; c < 4; ++c) q[c] += (dot < 0 ? -vertex.weight[j] : vertex.weight[j]) * from[c];
    }
    const float twice = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const float t[3] = {q[1] * v[2] - q[2] * v[1] + q[3] * v[0], q[2] * v[0] - q[0] * v[2] + q[3] * v[1],
                        q[0] * v[1] - q[1] * v[0] + q[3] * v[2]};
    to[0] += v[0] + twice * (q[1] * t[2] - q[2] * t[1]);
    to[1] += v[1] + twice * (q[2] * t[0] - q[0] * t[2]);
    to[2] += v[2] + twice * (q[0] * t[1] - q[1] * t[0]);
  }

  PlainSkin skin_;
  bool frame_;
  std::size_t shapes_;
  std::vector<std::uint32_t> touched_;
  std::vector<float> deltas_;
};

/// A packed model with its frame and output. Not copied: the ways refer to it.
class CorrectedStage {
 public:
  CorrectedStage(const PosedBiped& biped, const CorrectionCase& wanted)
      : biped_(biped),
        model_(correction(biped, wanted)),
        packed(biped.character, Points(3, 0), model_),
        frame_(packed.frame()),
        palette_(packed.skin().jointCount() *
                 (packed.takesDualQuaternions() ? play::kDualQuaternionFloats : play::kMatrixFloats)),
        positions_(3 * packed.skin().placeCount()) {
    (packed.takesDualQuaternions() ? packDualQuaternions : packMatrices)(biped.joints.worldFromRest, palette_);
  }
  CorrectedStage(const CorrectedStage&) = delete;
  CorrectedStage& operator=(const CorrectedStage&) = delete;

  /// A whole frame: weights of the examples, deltas, skinning.
  Way way(const std::string& name) {
    return {name, [this] {
              packed.update(biped_.pose, biped_.joints, frame_);
              packed.play(palette_, frame_, {positions_});
            }};
  }
  /// The part that does not grow with the vertices.
  Way updateWay(const std::string& name) {
    return {name, [this] { packed.update(biped_.pose, biped_.joints, frame_); }};
  }
  /// The peer, which is given the weights and the quaternions.
  Way plainWay(const std::string& name) {
    plain_ = std::make_unique<PlainPoseSpace>(biped_, model_);
    packed.update(biped_.pose, biped_.joints, frame_);
    return {name, [this] {
              plain_->play(palette_.data(), frame_.quaternions.data(), frame_.weights.data(), positions_.data());
            }};
  }

 private:
  const PosedBiped& biped_;
  PoseSpaceModel model_;

 public:
  PackedPoseSpace packed;

 private:
  PoseSpaceFrame frame_;
  std::vector<float> palette_;
  play::AlignedFloats positions_;
  std::unique_ptr<PlainPoseSpace> plain_;
};

/// Plain packed linear blend of the same character.
class PlainStage {
 public:
  explicit PlainStage(const PosedBiped& biped)
      : packed_(packSkin(biped.character.mesh.points, Points(3, 0), biped.character.skin.weights)),
        palette_(packed_.jointCount() * play::kMatrixFloats),
        positions_(3 * packed_.placeCount()) {
    packMatrices(biped.joints.worldFromRest, palette_);
  }
  PlainStage(const PlainStage&) = delete;
  PlainStage& operator=(const PlainStage&) = delete;

  Way way(const std::string& name) {
    return {name, [this] { playOnThreads(play::linearCall(packed_, palette_, {positions_})); }};
  }

 private:
  play::PackedSkin packed_;
  std::vector<float> palette_;
  play::AlignedFloats positions_;
};

}  // namespace sinew::bench
