// Pose-space deformation for `play`: the weights of the shapes, their sparse deltas and the skinning of every frame,
// without allocation and with the same bits on 1 and N threads.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/deform/pose_space.h"
#include "sinew/play/correctives.h"

namespace sinew {

struct PackPoseSpaceOptions {
  play::PackOptions skin = {};
  /// In diagonals of the rest mesh: deltas may be off by this, as long as the weights of the examples add up to at most
  /// 2 in magnitude. It decides where 16 bits do.
  double tolerance = 1e-5;
};

/// What one frame needs of a pose. Made once by PackedPoseSpace::frame, then filled for every frame.
struct PoseSpaceFrame {
  Eigen::VectorXd coordinates;
  RbfTables tables;                ///< memory of the interpolation
  Eigen::MatrixXd shapeWeights;    ///< shapes x groups, as PoseSpaceWeights gives them
  std::vector<float> weights;      ///< the same without the rest pose, whose deltas are zero
  std::vector<float> quaternions;  ///< per binding, space `frame` on linear blend
  std::vector<float> turns;        ///< per root, spaces `forward` and `layered`

  [[nodiscard]] play::CorrectiveFrame corrective() const { return {weights, quaternions, turns}; }
};

/// Made once per character, then only read: any number of threads may play it, each with a frame of its own.
class PackedPoseSpace {
 public:
  /// `normals` is 3 x 0 or has a column per vertex. The character's weights are taken as they are; limit them before
  /// where an engine allows fewer. Throws for a model that does not fit the character, and for bases other than
  /// linear-blend and dual-quaternion. Morph targets other than the corrections are not played.
  PackedPoseSpace(const Character& character, const ConstPointsRef& normals, const PoseSpaceModel& model,
                  const PackPoseSpaceOptions& options = {});

  /// What an engine plays, given the weights of the shapes: every example but the rest pose is one, or those of a
  /// low-rank model, each scaled so that 16 bits serve all alike. At most 256.
  [[nodiscard]] const play::PackedCorrectives& correctives() const { return correctives_; }
  /// Packed order, index buffers: as for plain skinning.
  [[nodiscard]] const play::PackedSkin& skin() const { return correctives_.skin(); }
  [[nodiscard]] const play::CorrectiveReport& report() const { return correctives_.report(); }
  /// Whether play() takes dual quaternions (packDualQuaternions) or matrices (packMatrices).
  [[nodiscard]] bool takesDualQuaternions() const { return correctives_.takesDualQuaternions(); }

  [[nodiscard]] PoseSpaceFrame frame() const;
  /// Fills a frame: pose coordinates, weights of the shapes, and the rotations that deltas turn with. Does not
  /// allocate. Throws on sizes that do not fit.
  void update(const Pose& pose, const PosedJoints& joints, PoseSpaceFrame& frame) const;
  /// Moves the vertices: `palette` as for play::skinLinear or play::skinDualQuaternion. Normals are those of the
  /// skinning alone: deltas do not turn them. Does not allocate.
  void play(std::span<const float> palette, const PoseSpaceFrame& frame, const play::SkinOutput& output) const;

 private:
  struct Source;
  PackedPoseSpace(const Character& character, const ConstPointsRef& normals, const Source& source,
                  const PackPoseSpaceOptions& options);
  void fillTurns(const PosedJoints& joints, std::vector<float>& turns) const;

  Skeleton skeleton_;
  PoseSpace poseSpace_;
  PoseSpaceWeights weights_;
  Index firstShape_ = 1;
  std::vector<int> roots_;           // turn -> joint
  std::vector<Mat3> restRotations_;  // of roots_
  bool rootFrame_ = true;
  std::vector<std::uint16_t> framedBones_;  // bindings that vertices follow whose deltas turn with them
  play::PackedCorrectives correctives_;
};

}  // namespace sinew
