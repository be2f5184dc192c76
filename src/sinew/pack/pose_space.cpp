// A pose-space model as correctives: every example but the rest pose is a shape, or the shapes of a low-rank model.
//   inverse: before = delta     frame: after = delta, turned by the vertex     forward: after = delta, by the root
//   layered: before = delta, after = layer, turned by the root
#include "sinew/pack/pose_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

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
  SINEW_CHECK(static_cast<Index>(model.shapeCount() - model.firstShape()) <= kMostLowRankShapes, kWhere,
              fmt::format("the model has a shape for each of its {} examples, but only {} shapes can be played; learn "
                          "it again with a rank (sinew psd --rank auto)",
                          model.exampleCount() - 1, kMostLowRankShapes));
  return model;
}

/// The largest component of a shape.
double extentOf(const PoseSpaceModel& model, std::size_t shape) {
  double extent = 0;
  for (const std::vector<Points>* deltas : {&model.deltas, &model.layer}) {
    if (!deltas->empty())
      extent = std::max(extent, (*deltas)[shape].size() > 0 ? (*deltas)[shape].cwiseAbs().maxCoeff() : 0);
  }
  return extent;
}

/// A low-rank model of the same corrections, whose shapes are all as large as the largest sum that an example makes of
/// them. Then its weights at an example add up to at most 1 in magnitude, as they do without coefficients, and 16-bit
/// numbers lose no more.
PoseSpaceModel evened(const PoseSpaceModel& model) {
  PoseSpaceModel result = model;
  Eigen::VectorXd extents(model.coefficients.rows());
  for (Index k = 0; k < extents.size(); ++k) extents[k] = extentOf(model, toSize(k));
  const double whole = (extents.asDiagonal() * model.coefficients).cwiseAbs().colwise().sum().maxCoeff();
  for (Index k = 0; k < extents.size(); ++k) {
    const double factor = whole / extents[k];
    if (!(factor > 0 && std::isfinite(factor))) continue;  // a shape or a model that moves nothing
    result.coefficients.row(k) /= factor;
    result.deltas[toSize(k)] *= factor;
    if (!result.layer.empty()) result.layer[toSize(k)] *= factor;
  }
  return result;
}

using ShapeSpans = std::vector<std::span<const double>>;

ShapeSpans shapesOf(const PoseSpaceModel& model, const std::vector<Points>& deltas) {
  ShapeSpans shapes;
  for (std::size_t k = model.firstShape(); k < deltas.size(); ++k) {
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
  const ShapeSpans deltas = shapesOf(model, model.deltas);
  const ShapeSpans layer = shapesOf(model, model.layer);
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

/// The model as it is packed.
struct PackedPoseSpace::Source {
  Source(const Character& character, const PoseSpaceModel& given)
      : own(checked(character, given).lowRank() ? std::optional(evened(given)) : std::nullopt),
        model(own ? *own : given) {}

  std::optional<PoseSpaceModel> own;
  const PoseSpaceModel& model;
};

PackedPoseSpace::PackedPoseSpace(const Character& character, const ConstPointsRef& normals, const PoseSpaceModel& model,
                                 const PackPoseSpaceOptions& options)
    : PackedPoseSpace(character, normals, Source(character, model), options) {}

PackedPoseSpace::PackedPoseSpace(const Character& character, const ConstPointsRef& normals, const Source& source,
                                 const PackPoseSpaceOptions& options)
    : skeleton_(character.skeleton),
      poseSpace_(source.model.poseSpace),
      weights_(source.model),
      firstShape_(static_cast<Index>(source.model.firstShape())),
      rootFrame_(source.model.rootFrame),
      correctives_(packCorrectives(character, normals, source.model, options, toSize(weights_.groupCount()), roots_)) {
  for (const int root : roots_) {
    restRotations_.push_back(polarDecomposition(skeleton_[root].rest.parentFromJoint().linear()).rotation);
  }
  if (!correctives_.needsRotations()) return;
  std::vector<bool> follows(skin().jointCount(), false);
  for (const std::uint32_t v : source.model.vertices) {
    for (const Influence& influence : character.skin.weights[Index{v}]) follows[influence.binding] = true;
  }
  for (std::size_t b = 0; b < follows.size(); ++b) {
    if (follows[b]) framedBones_.push_back(static_cast<std::uint16_t>(b));
  }
}

PoseSpaceFrame PackedPoseSpace::frame() const {
  PoseSpaceFrame frame;
  frame.coordinates.setZero(poseSpace_.dimensions());
  frame.shapeWeights.setZero(weights_.shapeCount(), weights_.groupCount());
  // Grows the tables.
  weights_.evaluate(frame.coordinates, frame.tables, frame.shapeWeights);
  frame.shapeWeights.setZero();
  frame.weights.resize(correctives_.shapeCount() * correctives_.groupCount());
  if (correctives_.needsRotations()) frame.quaternions.resize(skin().jointCount() * play::kRotationFloats);
  frame.turns.resize(correctives_.turnCount() * play::kTurnFloats);
  return frame;
}

void PackedPoseSpace::update(const Pose& pose, const PosedJoints& joints, PoseSpaceFrame& frame) const {
  SINEW_CHECK(frame.shapeWeights.rows() == weights_.shapeCount() &&
                  frame.shapeWeights.cols() == weights_.groupCount() &&
                  frame.coordinates.size() == poseSpace_.dimensions(),
              kWhere, "the frame was made for another model; take it from PackedPoseSpace::frame");
  SINEW_CHECK(
      joints.worldFromRest.size() == skin().jointCount(), kWhere,
      fmt::format("{} joints are posed, the skin follows {}", joints.worldFromRest.size(), skin().jointCount()));
  poseSpace_.coordinates(skeleton_, pose, frame.coordinates);
  weights_.evaluate(frame.coordinates, frame.tables, frame.shapeWeights);
  const Index shapes = frame.shapeWeights.rows() - firstShape_;
  Eigen::Map<Eigen::MatrixXf>(frame.weights.data(), shapes, frame.shapeWeights.cols()) =
      frame.shapeWeights.bottomRows(shapes).cast<float>();
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
