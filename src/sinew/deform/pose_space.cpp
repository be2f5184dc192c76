// Playing pose-space deformation: Lewis, Cordner and Fong (SIGGRAPH 2000); before skinning as Xian et al. and Lee and
// Wang do it, or in the rotating frame of each vertex (docs/methods/pose_space.md).
//   weights c_k(x) of the examples at the pose x, per group of vertices;  delta_v = sum_k c_k(x) delta_kv
//   low rank: s(x) = coefficients c(x), delta_v = sum_k s_k(x) shape_kv, so vertices cost the shapes, not the examples
//   inverse: skin(v + delta)    frame: skin(v) + Q_v delta    forward: skin(v) + R delta    layered: skin(v + delta) +
//   R w
#include "sinew/deform/pose_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/parallel.h"
#include "sinew/deform/deformers.h"
#include "sinew/deform/root_turns.h"

namespace sinew {
namespace {

constexpr Index kPoseSpaceGrain = 512;

/// Weights of some vertices only.
SkinWeights weightsOf(const SkinWeights& weights, const std::vector<std::uint32_t>& vertices) {
  std::vector<std::vector<Influence>> columns;
  columns.reserve(vertices.size());
  for (const std::uint32_t v : vertices) columns.emplace_back(weights[v].begin(), weights[v].end());
  return SkinWeights::fromColumns(weights.bindingCount(), columns);
}

/// Takes the memory of one depth while it lives, also when an operator throws.
class CorrectionLease {
 public:
  explicit CorrectionLease(DeformScratch& scratch) : scratch_(scratch), depth_(scratch.correctionDepth++) {
    if (scratch_.corrections.size() <= depth_) scratch_.corrections.resize(depth_ + 1);
  }
  ~CorrectionLease() { --scratch_.correctionDepth; }
  CorrectionLease(const CorrectionLease&) = delete;
  CorrectionLease& operator=(const CorrectionLease&) = delete;

  [[nodiscard]] CorrectionScratch& memory() const { return scratch_.corrections[depth_]; }

 private:
  DeformScratch& scratch_;
  std::size_t depth_;
};

}  // namespace

PoseSpaceDeformer::PoseSpaceDeformer(const Character& character, std::shared_ptr<const PoseSpaceModel> model,
                                     DeformerPtr base)
    : skeleton_(character.skeleton),
      vertexCount_(character.mesh.vertexCount()),
      bindingCount_(static_cast<Index>(character.skin.bindings.size())),
      model_(std::move(model)),
      base_(std::move(base)),
      weights_([&] {
        SINEW_CHECK(model_ != nullptr, "pose-space deformation", "there is no model");
        checkPoseSpaceModel(*model_, character, "pose-space deformation");
        return PoseSpaceWeights(*model_);
      }()) {
  for (const PoseDriver& driver : model_->poseSpace.drivers) {
    if (driver.kind == DriverKind::Channel) morphCount_ = std::max(morphCount_, toSize(driver.source) + 1);
  }
  if (!base_) base_ = makeSkinDeformer(model_->base, character.skin);
  SINEW_CHECK(base_->vertexCount() < 0 || base_->vertexCount() == vertexCount_, "pose-space deformation",
              fmt::format("'{}' was made for {} vertices, the character has {}", base_->name(), base_->vertexCount(),
                          vertexCount_));
  SINEW_CHECK(
      base_->bindingCount() < 0 || base_->bindingCount() == bindingCount_, "pose-space deformation",
      fmt::format("'{}' was made for {} joints, the skin has {}", base_->name(), base_->bindingCount(), bindingCount_));
  if (model_->space == DeltaSpace::Frame && !model_->vertices.empty()) {
    frames_ = std::make_unique<DualQuaternionBlend>(
        Skin{character.skin.bindings, weightsOf(character.skin.weights, model_->vertices)});
  }
  if (model_->space == DeltaSpace::Forward || !model_->layer.empty()) rootOf_ = rootOfVertices(character);
}

void PoseSpaceDeformer::turnFrames(const PosedJoints& joints, DeformScratch& scratch,
                                   std::vector<Mat3>& rotations) const {
  if (frames_) {
    rotations.resize(model_->vertices.size());
    frames_->vertexRotations(joints, scratch, rotations);
    return;
  }
  if (model_->rootFrame) {
    rootTurns(skeleton_, joints, rotations);
  } else {
    rotations.assign(toSize(skeleton_.size()), Mat3::Identity());
  }
}

void PoseSpaceDeformer::correct(const std::vector<Points>& deltas, CorrectionScratch& memory) const {
  const auto touched = static_cast<Index>(model_->vertices.size());
  memory.correction.resize(3, touched);
  // A few vertices at a time, so that their sums stay in the cache.
  const Index tiles = (touched + kPoseSpaceGrain - 1) / kPoseSpaceGrain;
  parallelFor(tiles, 1, [&](Index tile) {
    const Index first = tile * kPoseSpaceGrain;
    const Index end = std::min(touched, first + kPoseSpaceGrain);
    auto sum = memory.correction.middleCols(first, end - first);
    sum.setZero();
    for (std::size_t k = model_->firstShape(); k < deltas.size(); ++k) {
      const auto row = static_cast<Index>(k);
      if (!model_->weighted()) {
        if (memory.weights(row, 0) != 0) sum += memory.weights(row, 0) * deltas[k].middleCols(first, end - first);
        continue;
      }
      for (Index i = first; i < end; ++i) {
        const auto group = static_cast<Index>(model_->groupOf[toSize(i)]);
        memory.correction.col(i) += memory.weights(row, group) * deltas[k].col(i);
      }
    }
  });
}

void PoseSpaceDeformer::apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
                              PointsRef moved) const {
  SINEW_CHECK(
      joints.pose.local.size() == toSize(skeleton_.size()) && joints.pose.morphWeights.size() >= morphCount_,
      name().data(),
      fmt::format("it follows the pose of {} joints and {} morph targets, but the joints came with a pose of {} "
                  "and {}",
                  skeleton_.size(), morphCount_, joints.pose.local.size(), joints.pose.morphWeights.size()));
  const CorrectionLease lease(scratch);
  CorrectionScratch& memory = lease.memory();
  memory.coordinates.resize(model_->poseSpace.dimensions());
  model_->poseSpace.coordinates(skeleton_, joints.pose, memory.coordinates);
  memory.weights.resize(weights_.shapeCount(), weights_.groupCount());
  weights_.evaluate(memory.coordinates, memory.tables, memory.weights);

  const bool before = model_->space == DeltaSpace::Inverse || model_->space == DeltaSpace::Layered;
  const auto touched = static_cast<Index>(model_->vertices.size());
  const auto vertex = [&](Index i) { return static_cast<Index>(model_->vertices[toSize(i)]); };
  if (before) {
    correct(model_->deltas, memory);
    memory.corrected = points;
    for (Index i = 0; i < touched; ++i) memory.corrected.col(vertex(i)) += memory.correction.col(i);
    base_->apply(memory.corrected, joints, scratch, moved);
    if (model_->layer.empty()) return;
  } else {
    base_->apply(points, joints, scratch, moved);
  }

  correct(before ? model_->layer : model_->deltas, memory);
  turnFrames(joints, scratch, memory.rotations);
  parallelFor(touched, kPoseSpaceGrain, [&](Index i) {
    const auto place = toSize(i);
    const auto frame = frames_ ? place : toSize(rootOf_[model_->vertices[place]]);
    moved.col(vertex(i)) += memory.rotations[frame] * memory.correction.col(i);
  });
}

}  // namespace sinew
