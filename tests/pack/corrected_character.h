// Characters with pose-space models of known shape for the packed runtime.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "play/packed_character.h"
#include "sinew/character/character.h"
#include "sinew/deform/pose_space.h"

namespace sinew::test {

/// Points and weights of a packed character on a skeleton of two chains with a root each, both turned at rest.
inline Character rigged(const PackedCharacter& packed) {
  Character character;
  character.mesh.points = packed.rest;
  character.mesh.normals = packed.normals;
  std::vector<Joint> joints;
  Lcg random(17);
  const auto count = static_cast<int>(packed.weights.bindingCount());
  for (int j = 0; j < count; ++j) {
    Joint joint;
    joint.name = "joint" + std::to_string(j);
    joint.parent = j == 0 || j == count / 2 ? -1 : j - 1;
    joint.rest.translation = 0.3 * random.vector();
    joint.rest.rotation = Quat(Eigen::AngleAxisd(random.symmetric(), random.vector().normalized()));
    joints.push_back(joint);
  }
  character.skeleton = Skeleton(joints);
  character.skin.weights = packed.weights;
  for (int j = 0; j < count; ++j) character.skin.bindings.push_back({j, Affine::Identity()});
  PosedJoints atRest;
  poseJoints(character, restPose(character), atRest);
  for (int j = 0; j < count; ++j) {
    character.skin.bindings[static_cast<std::size_t>(j)].jointFromRest =
        atRest.worldFromJoint[static_cast<std::size_t>(j)].inverse();
  }
  return character;
}

/// Every joint turned by up to `turn` radians away from rest.
inline Pose turnedPose(const Character& character, double turn, std::uint32_t seed) {
  Pose pose = restPose(character);
  Lcg random(seed);
  for (LocalTransform& local : pose.local) {
    local.rotation = local.rotation * Quat(Eigen::AngleAxisd(turn * random.symmetric(), random.vector().normalized()));
  }
  return pose;
}

struct ModelShape {
  DeltaSpace space = DeltaSpace::Frame;
  std::string base = "linear-blend";
  int examples = 8;     ///< rest counted
  double share = 0.3;   ///< of the vertices that are touched
  double size = 0.05;   ///< of deltas, in diagonals
  double sparsity = 0;  ///< share of deltas of touched vertices that are zero
  int groups = 0;       ///< of a weighted model
  int rank = 0;         ///< low rank: as many shapes
};

/// Deltas at random on a stretch of vertices; the first three joints drive.
inline PoseSpaceModel plantedModel(const Character& character, const ModelShape& shape) {
  PoseSpaceModel model;
  model.space = shape.space;
  model.base = shape.base;
  model.fade = false;
  const double size = shape.size * boundingBox(character.mesh.points).diagonal();
  for (int j = 0; j < 3; ++j) {
    model.poseSpace.drivers.push_back(
        {.kind = DriverKind::RotationVector, .source = j, .name = character.skeleton[j].name});
  }
  const Index vertices = character.mesh.vertexCount();
  Lcg random(23);
  for (Index v = 0; v < vertices; ++v) {
    if (random.uniform() < shape.share) model.vertices.push_back(static_cast<std::uint32_t>(v));
  }
  const auto touched = static_cast<Index>(model.vertices.size());
  model.poses.resize(model.poseSpace.dimensions(), shape.examples);
  const int shapes = shape.rank > 0 ? shape.rank : shape.examples;
  const auto plant = [&](std::vector<Points>& deltas) {
    for (int k = 0; k < shapes; ++k) {
      Points delta = Points::Zero(3, touched);
      for (Index i = 0; (shape.rank > 0 || k > 0) && i < touched; ++i) {
        if (random.uniform() >= shape.sparsity) delta.col(i) = size * random.vector() / std::sqrt(3.0);
      }
      deltas.push_back(delta);
    }
  };
  for (int k = 0; k < shape.examples; ++k) {
    model.names.push_back(k == 0 ? "rest" : "example" + std::to_string(k));
    const Pose pose = k == 0 ? restPose(character) : turnedPose(character, 1.5, static_cast<std::uint32_t>(k));
    model.poses.col(k) = model.poseSpace.coordinates(character.skeleton, pose);
  }
  if (shape.rank > 0) {
    model.coefficients = Eigen::MatrixXd::Zero(shapes, shape.examples);
    for (double& number : model.coefficients.rightCols(shape.examples - 1).reshaped()) number = random.symmetric();
  }
  plant(model.deltas);
  if (shape.space == DeltaSpace::Layered) plant(model.layer);
  if (shape.groups > 0) {
    model.groupWeights.resize(static_cast<Index>(model.poseSpace.drivers.size()), shape.groups);
    for (double& weight : model.groupWeights.reshaped()) weight = 0.05 + 0.95 * random.uniform();
    for (Index i = 0; i < touched; ++i) {
      model.groupOf.push_back(static_cast<std::uint32_t>(random.uniform() * shape.groups));
    }
  }
  return model;
}

}  // namespace sinew::test
