// A pose-space model as correctives: every example but the rest pose is a shape.
//   inverse: before = delta     frame: after = delta, turned by the vertex     forward: after = delta, by the root
//   layered: before = delta, after = layer, turned by the root
#include "sinew/pack/pose_space.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/base/check.h"
#include "sinew/deform/root_turns.h"
#include "sinew/math/rotation.h"
#include "sinew/pack/plain_skin.h"
#include "sinew/pack/skin.h"

namespace sinew {
namespace {

constexpr const char* kWhere = "packed pose space";
/// Largest departure of R^T R from the identity that rounding makes of a rotation.
constexpr double kRigid = 1e-9;

/// The rotation of a transform, as the double quaternion blend of `deform` takes it.
Quat rotationOf(const Mat3& linear) {
  const double departure = (linear.transpose() * linear - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (departure <= kRigid && linear.determinant() > 0) return Quat(linear).normalized();
  return Quat(polarDecomposition(linear).rotation).normalized();
}

bool isDualQuaternion(const PoseSpaceModel& model) {
  return model.base == "dual-quaternion";
}

const PoseSpaceModel& checked(const Character& character, const PoseSpaceModel& model) {
  checkPoseSpaceModel(model, character, kWhere);
  SINEW_CHECK(model.base == "linear-blend" || isDualQuaternion(model), kWhere,
              fmt::format("the model corrects '{}'; linear-blend and dual-quaternion can be played", model.base));
  return model;
}

using ShapeSpans = std::vector<std::span<const double>>;

ShapeSpans shapesOf(const std::vector<Points>& deltas) {
  ShapeSpans shapes;
  for (std::size_t k = 1; k < deltas.size(); ++k) {
    shapes.emplace_back(deltas[k].data(), toSize(deltas[k].size()));
  }
  return shapes;
}

/// Per touched vertex its place in `roots`, which is filled in the order of the vertices.
std::vector<std::uint32_t> turnsOf(const Character& character, const PoseSpaceModel& model, std::vector<int>& roots) {
  std::vector<std::uint32_t> turnOf;
  const std::vector<int> rootOf = rootOfVertices(character);
  for (const std::uint32_t vertex : model.vertices) {
    const auto found = std::find(roots.begin(), roots.end(), rootOf[vertex]);
    turnOf.push_back(static_cast<std::uint32_t>(found - roots.begin()));
    if (found == roots.end()) roots.push_back(rootOf[vertex]);
  }
  return turnOf;
}

play::PackedCorrectives packCorrectives(const Character& character, const ConstPointsRef& normals,
                                        const PoseSpaceModel& model, const PackPoseSpaceOptions& options,
                                        std::size_t groups, std::vector<int>& roots) {
  const PlainSkin source(character.mesh.points, normals, character.skin.weights);
  const ShapeSpans deltas = shapesOf(model.deltas);
  const ShapeSpans layer = shapesOf(model.layer);
  const bool before = model.space == DeltaSpace::Inverse || model.space == DeltaSpace::Layered;
  std::vector<std::uint32_t> turnOf;
  if (model.space == DeltaSpace::Forward || !layer.empty()) turnOf = turnsOf(character, model, roots);
  play::CorrectiveArrays<double> shapes;
  shapes.vertices = model.vertices;
  if (before) shapes.before = deltas;
  shapes.after = before ? layer : deltas;
  shapes.turnsWithVertex = model.space == DeltaSpace::Frame;
  shapes.turnOf = turnOf;
  shapes.turnCount = std::max<std::size_t>(roots.size(), 1);
  shapes.groupOf = model.groupOf;
  shapes.groupCount = groups;
  return refusedAsError([&] {
    return play::PackedCorrectives(
        source.arrays(), shapes,
        {.skin = options.skin, .dualQuaternions = isDualQuaternion(model), .tolerance = options.tolerance});
  });
}

}  // namespace

PackedPoseSpace::PackedPoseSpace(const Character& character, const ConstPointsRef& normals, const PoseSpaceModel& model,
                                 const PackPoseSpaceOptions& options)
    : skeleton_(character.skeleton),
      poseSpace_(model.poseSpace),
      weights_(checked(character, model)),
      rootFrame_(model.rootFrame),
      correctives_(packCorrectives(character, normals, model, options, toSize(weights_.groupCount()), roots_)) {
  for (const int root : roots_) {
    restRotations_.push_back(polarDecomposition(skeleton_[root].rest.parentFromJoint().linear()).rotation);
  }
  if (!correctives_.needsRotations()) return;
  std::vector<bool> follows(skin().jointCount(), false);
  for (const std::uint32_t v : model.vertices) {
    for (const Influence& influence : character.skin.weights[Index{v}]) follows[influence.binding] = true;
  }
  for (std::size_t b = 0; b < follows.size(); ++b) {
    if (follows[b]) framedBones_.push_back(static_cast<std::uint16_t>(b));
  }
}

PoseSpaceFrame PackedPoseSpace::frame() const {
  PoseSpaceFrame frame;
  frame.coordinates.setZero(poseSpace_.dimensions());
  frame.exampleWeights.setZero(weights_.exampleCount(), weights_.groupCount());
  // Grows the tables.
  weights_.evaluate(frame.coordinates, frame.tables, frame.exampleWeights);
  frame.exampleWeights.setZero();
  frame.weights.resize(correctives_.shapeCount() * correctives_.groupCount());
  if (correctives_.needsRotations()) frame.quaternions.resize(skin().jointCount() * play::kRotationFloats);
  frame.turns.resize(correctives_.turnCount() * play::kTurnFloats);
  return frame;
}

void PackedPoseSpace::update(const Pose& pose, const PosedJoints& joints, PoseSpaceFrame& frame) const {
  SINEW_CHECK(frame.exampleWeights.rows() == weights_.exampleCount() &&
                  frame.exampleWeights.cols() == weights_.groupCount() &&
                  frame.coordinates.size() == poseSpace_.dimensions(),
              kWhere, "the frame was made for another model; take it from PackedPoseSpace::frame");
  SINEW_CHECK(
      joints.worldFromRest.size() == skin().jointCount(), kWhere,
      fmt::format("{} joints are posed, the skin follows {}", joints.worldFromRest.size(), skin().jointCount()));
  poseSpace_.coordinates(skeleton_, pose, frame.coordinates);
  weights_.evaluate(frame.coordinates, frame.tables, frame.exampleWeights);
  const Index shapes = frame.exampleWeights.rows() - 1;
  Eigen::Map<Eigen::MatrixXf>(frame.weights.data(), shapes, frame.exampleWeights.cols()) =
      frame.exampleWeights.bottomRows(shapes).cast<float>();
  for (const std::uint16_t b : framedBones_) {
    Eigen::Map<Eigen::Vector4f>(frame.quaternions.data() + b * play::kRotationFloats) =
        rotationOf(joints.worldFromRest[b].linear()).coeffs().cast<float>();
  }
  fillTurns(joints, frame.turns);
}

void PackedPoseSpace::fillTurns(const PosedJoints& joints, std::vector<float>& turns) const {
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    const auto root = toSize(roots_[i]);
    Mat3 turn = Mat3::Identity();
    if (rootFrame_) {
      turn = rotationOf(joints.worldFromJoint[root].linear()).toRotationMatrix() * restRotations_[i].transpose();
    }
    Eigen::Map<Eigen::Matrix<float, 4, 3>> columns(turns.data() + i * play::kTurnFloats);
    columns.topRows<3>() = turn.cast<float>();
    columns.row(3).setZero();
  }
}

void PackedPoseSpace::play(std::span<const float> palette, const PoseSpaceFrame& frame,
                           const play::SkinOutput& output) const {
  refusedAsError([&] { playOnThreads(correctives_.call(palette, frame.corrective(), output)); });
}

}  // namespace sinew
