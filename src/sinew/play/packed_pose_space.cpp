// Pose-space deformation of a packed skin. Corrected vertices are packed after the others, so the plain kernels move
// the blocks before the first of them and kernels_corrected.cpp the rest. Inside a run they are ordered by the
// examples that move them, so that blocks store few deltas (packed_deltas.cpp).
//   inverse: before = delta     frame: after = delta, turned by the vertex     forward: after = delta, by the root
//   layered: before = delta, after = layer, turned by the root
// Dual quaternions move x + delta to where they move x, plus the delta turned by the vertex: there `frame` is
// `inverse`.
#include "sinew/play/packed_pose_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/root_turns.h"
#include "sinew/math/rotation.h"
#include "sinew/play/skin_call.h"

namespace sinew {
namespace {

constexpr const char* kWhere = "packed pose space";
constexpr std::size_t kQuaternionFloats = 4;
constexpr std::size_t kTurnFloats = 12;
/// Deltas shorter than this share of the tolerance are zero.
constexpr double kNothing = 0.01;
/// Largest departure of R^T R from the identity that rounding makes of a rotation.
constexpr double kRigid = 1e-9;

/// Half of the tolerance, in each of three components: deltas may be off by that, and the sums of them too.
double componentShare(double tolerance) {
  return 0.5 * tolerance / std::sqrt(3.0);
}

DeltaSource sourceOf(const PoseSpaceModel& model, const std::vector<Points>& deltas, double tolerance) {
  DeltaSource source;
  source.vertices = model.vertices;
  source.deltas = deltas;
  source.groupOf = model.groupOf;
  source.least = kNothing * tolerance;
  // Half a step times weights that add up to 2.
  source.step = componentShare(tolerance);
  return source;
}

bool turnsWithRoot(const PoseSpaceModel& model) {
  return model.space == DeltaSpace::Forward || !model.layer.empty();
}

/// Class 0 is not corrected; the others are, and where deltas turn with the root each root has its own.
std::vector<VertexClass> classify(const Character& character, const PoseSpaceModel& model, const DeltaSource& source,
                                  std::vector<int>& roots) {
  std::vector<VertexClass> classes(static_cast<std::size_t>(character.mesh.vertexCount()));
  const std::vector<std::uint32_t> places = deltaPlaces(source);
  const std::vector<int> rootOf = turnsWithRoot(model) ? rootOfVertices(character) : std::vector<int>();
  for (std::size_t i = 0; i < model.vertices.size(); ++i) {
    std::size_t root = 0;
    if (!rootOf.empty()) {
      const int joint = rootOf[model.vertices[i]];
      root = static_cast<std::size_t>(std::find(roots.begin(), roots.end(), joint) - roots.begin());
      if (root == roots.size()) roots.push_back(joint);
    }
    classes[model.vertices[i]] = {static_cast<std::uint32_t>(root) + 1, places[i]};
  }
  return classes;
}

PackedSkin packSkin(const Character& character, const ConstPointsRef& normals, const PoseSpaceModel& model,
                    const PackPoseSpaceOptions& options, double tolerance, std::vector<int>& roots) {
  SINEW_CHECK(options.skin.classes.empty(), kWhere, "vertex classes are given; they are chosen here, leave them empty");
  PackOptions packing = options.skin;
  packing.classes = classify(character, model, sourceOf(model, model.deltas, tolerance), roots);
  return {character.mesh.points, normals, character.skin.weights, packing};
}

/// The rotation of a transform, as the double quaternion blend of `deform` takes it.
Quat rotationOf(const Mat3& linear) {
  const double departure = (linear.transpose() * linear - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (departure <= kRigid && linear.determinant() > 0) return Quat(linear).normalized();
  return Quat(polarDecomposition(linear).rotation).normalized();
}

double toleranceOf(const Character& character, const PoseSpaceModel& model, const PackPoseSpaceOptions& options) {
  checkPoseSpaceModel(model, character, kWhere);
  SINEW_CHECK(options.tolerance > 0, kWhere,
              fmt::format("the tolerance is {}; it must be positive", options.tolerance));
  SINEW_CHECK(model.base == "linear-blend" || model.base == "dual-quaternion", kWhere,
              fmt::format("the model corrects '{}'; linear-blend and dual-quaternion can be played", model.base));
  SINEW_CHECK(2 * model.exampleCount() <= kMostDeltaTerms, kWhere,
              fmt::format("the model has {} examples, {} can be played", model.exampleCount(), kMostDeltaTerms / 2));
  return options.tolerance * boundingBox(character.mesh.points).diagonal();
}

PackPoseSpaceReport reportOf(const PackedSkin& skin, const PoseSpaceModel& model,
                             std::initializer_list<const PackedDeltas*> streams) {
  PackPoseSpaceReport report;
  report.skin = skin.report();
  report.corrected = static_cast<Index>(model.vertices.size());
  if (report.corrected == 0) return report;
  double rows = 0;
  double mixed = 0;
  double blocks = 0;
  double bytes = 0;
  for (const PackedDeltas* deltas : streams) {
    report.segments += static_cast<Index>(deltas->segments.size());
    for (const DeltaSegment& segment : deltas->segments) {
      rows += static_cast<double>(segment.blockCount) * segment.terms;
      blocks += segment.blockCount;
      if (segment.group == kMixedGroups) mixed += segment.blockCount;
    }
    bytes += static_cast<double>(deltas->shorts.size() * sizeof(std::int16_t));
  }
  const auto corrected = static_cast<double>(report.corrected);
  report.meanTerms = rows * kBlockLanes / corrected;
  report.mixed = mixed / blocks;
  report.bytesPerCorrection = bytes / corrected;
  return report;
}

}  // namespace

PackedPoseSpace::PackedPoseSpace(const Character& character, const ConstPointsRef& normals, const PoseSpaceModel& model,
                                 const PackPoseSpaceOptions& options)
    : skeleton_(character.skeleton),
      poseSpace_(model.poseSpace),
      tolerance_(toleranceOf(character, model, options)),
      weights_(model),
      rootFrame_(model.rootFrame),
      dualQuaternions_(model.base == "dual-quaternion"),
      framed_(model.space == DeltaSpace::Frame && !dualQuaternions_),
      skin_(packSkin(character, normals, model, options, tolerance_, roots_)) {
  for (const int root : roots_) {
    restRotations_.push_back(polarDecomposition(skeleton_[root].rest.parentFromJoint().linear()).rotation);
  }
  const PackedLayout& layout = skin_.layout();
  firstCorrected_ = layout.blockCount;
  std::vector<bool> follows(layout.bindingCount, false);
  for (const PackedRun& run : layout.runs) {
    if (run.vertexClass > 0) firstCorrected_ = std::min(firstCorrected_, run.firstBlock);
  }
  for (const std::uint32_t v : model.vertices) {
    for (const Influence& influence : character.skin.weights[static_cast<Index>(v)]) follows[influence.binding] = true;
  }
  for (std::size_t b = 0; b < follows.size(); ++b) {
    if (framed_ && follows[b]) framedBones_.push_back(static_cast<std::uint16_t>(b));
  }
  const bool before = model.space == DeltaSpace::Inverse || model.space == DeltaSpace::Layered ||
                      (model.space == DeltaSpace::Frame && dualQuaternions_);
  (before ? before_ : after_) = packDeltas(layout, firstCorrected_, sourceOf(model, model.deltas, tolerance_));
  if (before && !model.layer.empty()) {
    after_ = packDeltas(layout, firstCorrected_, sourceOf(model, model.layer, tolerance_));
  }
  report_ = reportOf(skin_, model, {&before_, &after_});
}

PoseSpaceFrame PackedPoseSpace::frame() const {
  PoseSpaceFrame frame;
  frame.coordinates.setZero(poseSpace_.dimensions());
  frame.exampleWeights.setZero(weights_.exampleCount(), weights_.groupCount());
  // Grows the tables.
  weights_.evaluate(frame.coordinates, frame.tables, frame.exampleWeights);
  frame.exampleWeights.setZero();
  frame.weights.resize(static_cast<std::size_t>(frame.exampleWeights.size()));
  if (framed_) frame.quaternions.resize(skin_.bindingCount() * kQuaternionFloats);
  frame.turns.resize((roots_.size() + 1) * kTurnFloats);
  return frame;
}

void PackedPoseSpace::update(const Pose& pose, const PosedJoints& joints, PoseSpaceFrame& frame) const {
  SINEW_CHECK(frame.exampleWeights.rows() == weights_.exampleCount() &&
                  frame.exampleWeights.cols() == weights_.groupCount() &&
                  frame.coordinates.size() == poseSpace_.dimensions(),
              kWhere, "the frame was made for another model; take it from PackedPoseSpace::frame");
  SINEW_CHECK(
      joints.worldFromRest.size() == skin_.bindingCount(), kWhere,
      fmt::format("{} joints are posed, the skin follows {}", joints.worldFromRest.size(), skin_.bindingCount()));
  poseSpace_.coordinates(skeleton_, pose, frame.coordinates);
  weights_.evaluate(frame.coordinates, frame.tables, frame.exampleWeights);
  Eigen::Map<Eigen::MatrixXf>(frame.weights.data(), frame.exampleWeights.rows(), frame.exampleWeights.cols()) =
      frame.exampleWeights.cast<float>();
  for (const std::uint16_t b : framedBones_) {
    Eigen::Map<Eigen::Vector4f>(frame.quaternions.data() + b * kQuaternionFloats) =
        rotationOf(joints.worldFromRest[b].linear()).coeffs().cast<float>();
  }
  fillTurns(joints, frame.turns);
}

void PackedPoseSpace::fillTurns(const PosedJoints& joints, std::vector<float>& turns) const {
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    const auto root = static_cast<std::size_t>(roots_[i]);
    Mat3 turn = Mat3::Identity();
    if (rootFrame_) {
      turn = rotationOf(joints.worldFromJoint[root].linear()).toRotationMatrix() * restRotations_[i].transpose();
    }
    Eigen::Map<Eigen::Matrix<float, 4, 3>> columns(turns.data() + (i + 1) * kTurnFloats);
    columns.topRows<3>() = turn.cast<float>();
    columns.row(3).setZero();
  }
}

void PackedPoseSpace::play(std::span<const float> palette, const PoseSpaceFrame& frame,
                           const SkinOutput& output) const {
  SINEW_CHECK(frame.weights.size() == static_cast<std::size_t>(weights_.exampleCount() * weights_.groupCount()) &&
                  frame.turns.size() == (roots_.size() + 1) * kTurnFloats &&
                  (!framed_ || frame.quaternions.size() == skin_.bindingCount() * kQuaternionFloats),
              kWhere, "the frame was made for another model; take it from PackedPoseSpace::frame");
  const detail::SkinJob plain =
      detail::checkedJob(kWhere, skin_, palette, dualQuaternions_ ? kDualQuaternionFloats : kMatrixFloats, output);
  detail::CorrectionJob job{plain};
  job.normals = nullptr;
  job.packedNormals = nullptr;
  job.before = before_.empty() ? nullptr : &before_;
  job.after = after_.empty() ? nullptr : &after_;
  job.weights = frame.weights.data();
  job.examples = static_cast<std::size_t>(weights_.exampleCount());
  job.coarse = static_cast<float>(componentShare(tolerance_));
  job.quaternions = framed_ ? frame.quaternions.data() : nullptr;
  job.turns = frame.turns.data();
  const auto move = dualQuaternions_ ? detail::dualQuaternionBlocks : detail::linearBlocks;
  const auto correct = dualQuaternions_ ? detail::correctedDualQuaternionBlocks : detail::correctedLinearBlocks;
  // Where normals are wanted, the plain kernels move corrected blocks first, for their normals.
  const std::uint32_t plainEnd = plain.wantsNormals() ? skin_.layout().blockCount : firstCorrected_;
  parallelRanges(static_cast<Index>(skin_.layout().blockCount), detail::kBlockGrain, [&](Index from, Index to) {
    const auto first = static_cast<std::uint32_t>(from);
    const auto end = static_cast<std::uint32_t>(to);
    if (first < plainEnd) move(plain, first, std::min(end, plainEnd));
    if (end > firstCorrected_) correct(job, std::max(first, firstCorrected_), end);
  });
}

std::string PackPoseSpaceReport::text() const {
  return fmt::format(
      "{}; {} corrected in {} segments, {:.2f} rows of deltas and {:.1f} bytes read per corrected vertex, {:.0f} % "
      "in blocks of mixed groups",
      skin.text(), corrected, segments, meanTerms, bytesPerCorrection, 100 * mixed);
}

}  // namespace sinew
