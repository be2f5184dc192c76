#include "sinew/learn/reduced_skeleton.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sinew/base/check.h"
#include "sinew/math/decompositions.h"
#include "sinew/math/rigid_fit.h"

namespace sinew {
namespace {

/// The position of each control: the mean of its vertices by squared weight.
Points controlCentres(const Points& rest, const SkinWeights& weights) {
  Points centres = Points::Zero(3, static_cast<Index>(weights.bindingCount()));
  Eigen::VectorXd totals = Eigen::VectorXd::Zero(centres.cols());
  for (Index v = 0; v < rest.cols(); ++v) {
    for (const Influence& influence : weights[v]) {
      const double share = influence.weight * influence.weight;
      centres.col(influence.binding) += share * rest.col(v);
      totals[influence.binding] += share;
    }
  }
  const Vec3 middle = rest.cols() > 0 ? Vec3(rest.rowwise().mean()) : Vec3::Zero();
  for (Index c = 0; c < centres.cols(); ++c) {
    if (totals[c] > 0) {
      centres.col(c) /= totals[c];
    } else {
      centres.col(c) = middle;
    }
  }
  return centres;
}

/// Sum over vertices of the product of two controls' weights; and the mean position of those vertices.
struct Shared {
  Eigen::MatrixXd amount;
  std::vector<Vec3> place;  // of pair (a, b), a * controls + b

  Shared(const Points& rest, const SkinWeights& weights) {
    const auto n = static_cast<Index>(weights.bindingCount());
    amount = Eigen::MatrixXd::Zero(n, n);
    place.assign(toSize(n * n), Vec3::Zero());
    for (Index v = 0; v < rest.cols(); ++v) {
      for (const Influence& a : weights[v]) {
        for (const Influence& b : weights[v]) {
          if (a.binding == b.binding) continue;
          amount(a.binding, b.binding) += a.weight * b.weight;
          place[toSize(a.binding * n + b.binding)] += a.weight * b.weight * rest.col(v);
        }
      }
    }
  }
  [[nodiscard]] Vec3 placeOf(Index a, Index b) const { return place[toSize(a * amount.rows() + b)] / amount(a, b); }
};

/// Keys of one joint, one per example.
struct JointKeys {
  int joint = 0;
  std::vector<LocalTransform> keys;
  bool scaled = false;
};

void addChannel(Clip& clip, const JointKeys& track, ClipPath path, double framesPerSecond) {
  ClipChannel channel;
  channel.path = path;
  channel.joint = track.joint;
  channel.values.resize(path == ClipPath::Rotation ? 4 : 3, static_cast<Index>(track.keys.size()));
  Quat last = Quat::Identity();
  for (std::size_t e = 0; e < track.keys.size(); ++e) {
    const LocalTransform& key = track.keys[e];
    const auto column = static_cast<Index>(e);
    channel.times.push_back(static_cast<double>(e) / framesPerSecond);
    if (path == ClipPath::Rotation) {
      // Of the two quaternions of a rotation, the one nearer to the key before.
      const double sign = key.rotation.dot(last) < 0 ? -1 : 1;
      channel.values.col(column) = sign * key.rotation.coeffs();
      last.coeffs() = channel.values.col(column);
    } else {
      channel.values.col(column) = path == ClipPath::Scale ? key.scale : key.translation;
    }
  }
  clip.channels.push_back(std::move(channel));
}

Clip sequenceClip(const std::vector<JointKeys>& tracks, double framesPerSecond) {
  Clip clip;
  clip.name = "sequence";
  for (const JointKeys& track : tracks) {
    addChannel(clip, track, ClipPath::Translation, framesPerSecond);
    addChannel(clip, track, ClipPath::Rotation, framesPerSecond);
    if (track.scaled) addChannel(clip, track, ClipPath::Scale, framesPerSecond);
  }
  return clip;
}

std::string controlName(const SkeletonOptions& options, Index control, Index controls) {
  const int digits = controls > 999 ? 4 : controls > 99 ? 3 : 2;
  return fmt::format("{}_{:0{}}", options.prefix, control, digits);
}

/// The position of the joint of each control: between it and its parent, or at its own centre.
Points jointPlaces(const ReducedModel& model, const std::vector<int>& parents) {
  Points places = controlCentres(model.rest, model.weights);
  const Shared shared(model.rest, model.weights);
  for (Index c = 0; c < places.cols(); ++c) {
    const int parent = parents[toSize(c)];
    if (parent >= 0 && shared.amount(c, parent) > 1e-9) places.col(c) = shared.placeOf(c, parent);
  }
  return places;
}

/// Where a control moves the rest in example `e`, in the space of the input meshes.
Affine inputFromRest(const ReducedModel& model, std::size_t e, std::size_t control) {
  return Affine(model.inputFromAligned[e] * model.controls[e][control]);
}

void bindControl(Character& character, int joint, const Vec3& place) {
  Binding binding;
  binding.joint = joint;
  binding.jointFromRest.translation() = -place;
  character.skin.bindings.push_back(binding);
}

/// One joint per control, in a tree.
void addRigidJoints(const ReducedModel& model, const SkeletonOptions& options, Character& character) {
  const std::vector<int> parents = model.parents.empty() ? controlHierarchy(model.rest, model.weights) : model.parents;
  const Points places = jointPlaces(model, parents);
  const Index controls = model.controlCount();
  std::vector<Joint> joints;
  std::vector<JointKeys> tracks;
  for (Index c = 0; c < controls; ++c) {
    const int parent = parents[toSize(c)];
    Joint joint{controlName(options, c, controls), parent, {}};
    joint.rest.translation = parent < 0 ? Vec3(places.col(c)) : Vec3(places.col(c) - places.col(parent));
    joints.push_back(joint);
    bindControl(character, static_cast<int>(c), places.col(c));
    JointKeys track{static_cast<int>(c), {}, false};
    for (std::size_t e = 0; e < model.exampleCount(); ++e) {
      Affine world = inputFromRest(model, e, toSize(c)) * Eigen::Translation3d(places.col(c));
      if (parent >= 0) {
        const Affine above = inputFromRest(model, e, toSize(parent)) * Eigen::Translation3d(places.col(parent));
        world = above.inverse(Eigen::Isometry) * world;
      }
      LocalTransform key;
      key.translation = world.translation();
      key.rotation = Quat(nearestRotation(world.linear())).normalized();
      track.keys.push_back(key);
    }
    tracks.push_back(std::move(track));
  }
  character.skeleton = Skeleton(std::move(joints));
  character.clips = {sequenceClip(tracks, options.framesPerSecond)};
}

/// Axes of a symmetric matrix in the order and with the signs nearest to the axes before, so that rotations change
/// little from key to key. A proper rotation.
Mat3 nearestAxes(const Mat3& symmetric, const Mat3& before) {
  const Mat3 axes = symmetricEigen3(symmetric).vectors;
  constexpr std::array<std::array<int, 3>, 6> kOrders{
      {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  Mat3 best = Mat3::Identity();
  double most = -std::numeric_limits<double>::infinity();
  for (const auto& order : kOrders) {
    for (int signs = 0; signs < 8; ++signs) {
      Mat3 trial;
      for (int k = 0; k < 3; ++k) trial.col(k) = ((signs >> k & 1) != 0 ? -1.0 : 1.0) * axes.col(order[toSize(k)]);
      const double near = trial.cwiseProduct(before).sum();
      if (trial.determinant() < 0 || near <= most) continue;
      most = near;
      best = trial;
    }
  }
  return best;
}

/// F = R1 S R2 with R1 = R V, S diagonal and R2 = V^T, from F = R (V S V^T).
void splitAffine(const Mat3& linear, const Mat3& axesBefore, LocalTransform& outer, LocalTransform& inner, Mat3& axes) {
  const Mat3 rotation = nearestRotation(linear);
  const Mat3 stretch = rotation.transpose() * linear;
  axes = nearestAxes(0.5 * (stretch + stretch.transpose()), axesBefore);
  outer.rotation = Quat(Mat3(rotation * axes)).normalized();
  outer.scale = (axes.transpose() * stretch * axes).diagonal();
  inner.rotation = Quat(Mat3(axes.transpose())).normalized();
}

/// minimise |F - R diag(s)| by alternation.
LocalTransform nearestScaled(const Mat3& linear) {
  LocalTransform local;
  Mat3 rotation = nearestRotation(linear);
  for (int step = 0; step < 20; ++step) {
    local.scale = (rotation.transpose() * linear).diagonal();
    rotation = nearestRotation(linear * local.scale.asDiagonal());
  }
  local.scale = (rotation.transpose() * linear).diagonal();
  local.rotation = Quat(rotation).normalized();
  return local;
}

/// Joints of affine controls under one root: two for each, or one that comes near.
void addAffineJoints(const ReducedModel& model, const SkeletonOptions& options, Character& character) {
  const Points places = controlCentres(model.rest, model.weights);
  const Index controls = model.controlCount();
  const bool nested = options.joints == ControlJoints::Nested;
  std::vector<Joint> joints{{"root", -1, {}}};
  std::vector<JointKeys> tracks;
  for (Index c = 0; c < controls; ++c) {
    const std::string name = controlName(options, c, controls);
    Joint outer{name, 0, {}};
    outer.rest.translation = places.col(c);
    const auto outerIndex = static_cast<int>(joints.size());
    joints.push_back(outer);
    if (nested) joints.push_back({name + "_axes", outerIndex, {}});
    bindControl(character, nested ? outerIndex + 1 : outerIndex, places.col(c));
    JointKeys outerTrack{outerIndex, {}, true};
    JointKeys innerTrack{outerIndex + 1, {}, false};
    Mat3 axes = Mat3::Identity();
    for (std::size_t e = 0; e < model.exampleCount(); ++e) {
      const Affine map = inputFromRest(model, e, toSize(c));
      LocalTransform first;
      LocalTransform second;
      if (nested) {
        splitAffine(map.linear(), axes, first, second, axes);
      } else {
        first = nearestScaled(map.linear());
      }
      first.translation = map * places.col(c);
      outerTrack.keys.push_back(first);
      innerTrack.keys.push_back(second);
    }
    tracks.push_back(std::move(outerTrack));
    if (nested) tracks.push_back(std::move(innerTrack));
  }
  character.skeleton = Skeleton(std::move(joints));
  character.clips = {sequenceClip(tracks, options.framesPerSecond)};
}

/// The clip at its keys against the model.
SequenceError playedError(const ReducedModel& model, const Character& character, double framesPerSecond) {
  std::vector<Points> truths;
  std::vector<Points> shapes;
  PosedJoints posed;
  Points points(3, model.rest.cols());
  for (std::size_t e = 0; e < model.exampleCount(); ++e) {
    deformReduced(model, model.controls[e], points);
    truths.push_back((model.inputFromAligned[e].linear() * points).colwise() + model.inputFromAligned[e].translation());
    poseJoints(character, clipPose(character, "sequence", static_cast<double>(e) / framesPerSecond), posed);
    deformReduced(model, posed.worldFromRest, points);
    shapes.push_back(points);
  }
  return compareSequences(truths, shapes, boundingBox(model.rest).diagonal());
}

}  // namespace

std::vector<int> controlHierarchy(const Points& rest, const SkinWeights& weights) {
  const auto n = static_cast<Index>(weights.bindingCount());
  std::vector<int> parents(toSize(n), -1);
  if (n == 0) return parents;
  const Points centres = controlCentres(rest, weights);
  const Shared shared(rest, weights);
  const double diagonal = std::max(boundingBox(rest).diagonal(), std::numeric_limits<double>::min());
  const Vec3 middle = rest.rowwise().mean();
  Index root = 0;
  (centres.colwise() - middle).colwise().squaredNorm().minCoeff(&root);

  // Prim's tree: the control that shares most with the tree comes next; one that shares nothing scores by its distance,
  // always below those that share.
  const auto score = [&](Index a, Index b) {
    const double both = shared.amount(a, b);
    return both > 1e-9 ? both : -(centres.col(a) - centres.col(b)).norm() / diagonal;
  };
  std::vector<std::uint8_t> inside(toSize(n), 0);
  inside[toSize(root)] = 1;
  for (Index added = 1; added < n; ++added) {
    double best = -std::numeric_limits<double>::infinity();
    Index child = -1;
    Index parent = -1;
    for (Index a = 0; a < n; ++a) {
      for (Index b = 0; b < n && inside[toSize(a)] != 0; ++b) {
        if (inside[toSize(b)] != 0 || score(a, b) <= best) continue;
        best = score(a, b);
        parent = a;
        child = b;
      }
    }
    parents[toSize(child)] = static_cast<int>(parent);
    inside[toSize(child)] = 1;
  }
  return parents;
}

ReducedCharacter reducedCharacter(const Mesh& topology, const ReducedModel& model, const SkeletonOptions& options) {
  constexpr const char* kWhere = "skeleton of a reduced model";
  checkReducedModel(model, kWhere);
  SINEW_CHECK(topology.vertexCount() == model.rest.cols(), kWhere,
              fmt::format("the mesh has {} vertices, the model {}", topology.vertexCount(), model.rest.cols()));
  SINEW_CHECK(options.framesPerSecond > 0 && std::isfinite(options.framesPerSecond), kWhere,
              fmt::format("{} frames per second must be positive", options.framesPerSecond));
  ReducedCharacter result;
  Character& character = result.character;
  character.mesh = topology;
  character.mesh.points = model.rest;
  if (topology.normals.cols() > 0) computeNormals(model.rest, triangulate(topology), character.mesh.normals);
  for (MeshPart& part : character.mesh.parts) {
    part.skinned = true;
    part.node = -1;
    part.instances = 1;
  }
  if (model.rigid) {
    addRigidJoints(model, options, character);
  } else {
    addAffineJoints(model, options, character);
  }
  character.skin.weights = model.weights;
  checkCharacter(character, kWhere);
  result.error = playedError(model, character, options.framesPerSecond);
  return result;
}

}  // namespace sinew
