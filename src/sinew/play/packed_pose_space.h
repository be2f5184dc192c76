// Pose-space deformation in the form that an engine plays: the weights of the examples, their sparse deltas and the
// skinning of every frame in float, without allocation and with the same bits on 1 and N threads.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinew/character/character.h"
#include "sinew/deform/pose_space.h"
#include "sinew/play/packed_deltas.h"
#include "sinew/play/packed_skin.h"
#include "sinew/play/skinning.h"

namespace sinew {

struct PackPoseSpaceOptions {
  PackOptions skin = {};  ///< its classes are chosen here and must be empty
  /// In diagonals of the rest mesh: deltas may be off by this, as long as the weights of the examples add up to at most
  /// 2 in magnitude. It decides where 16 bits do.
  double tolerance = 1e-5;
};

struct PackPoseSpaceReport {
  PackReport skin;
  Index corrected = 0;            ///< vertices that some example moves
  Index segments = 0;             ///< stretches of them with the same examples
  double meanTerms = 0;           ///< rows of 16-bit deltas per corrected vertex
  double mixed = 0;               ///< share of the corrected vertices whose neighbours have other example weights
  double bytesPerCorrection = 0;  ///< read per frame and corrected vertex besides the skin

  /// One line.
  [[nodiscard]] std::string text() const;
};

/// What one frame needs of a pose. Made once by PackedPoseSpace::frame, then filled again and again.
struct PoseSpaceFrame {
  Eigen::VectorXd coordinates;
  RbfTables tables;                ///< memory of the interpolation
  Eigen::MatrixXd exampleWeights;  ///< examples x groups
  std::vector<float> weights;      ///< the same
  std::vector<float> quaternions;  ///< per binding, space `frame` on linear blend
  std::vector<float> turns;        ///< per root, spaces `forward` and `layered`
};

/// Made once per character, then only read: any number of threads may play it, each with a frame of its own.
class PackedPoseSpace {
 public:
  /// `normals` is 3 x 0 or has a column per vertex. The character's weights are taken as they are; limit them before
  /// where an engine allows fewer. Throws for a model that does not fit the character, and for bases other than
  /// linear-blend and dual-quaternion. Morph targets other than the corrections are not played.
  PackedPoseSpace(const Character& character, const ConstPointsRef& normals, const PoseSpaceModel& model,
                  const PackPoseSpaceOptions& options = {});

  /// Packed order, index buffers: as for plain skinning.
  [[nodiscard]] const PackedSkin& skin() const { return skin_; }
  [[nodiscard]] const PackPoseSpaceReport& report() const { return report_; }
  /// Whether play() takes dual quaternions (packDualQuaternions) or matrices (packMatrices).
  [[nodiscard]] bool takesDualQuaternions() const { return dualQuaternions_; }

  [[nodiscard]] PoseSpaceFrame frame() const;
  /// Fills a frame: pose coordinates, weights of the examples, and the rotations that deltas turn with. Does not
  /// allocate. Throws on sizes that do not fit.
  void update(const Pose& pose, const PosedJoints& joints, PoseSpaceFrame& frame) const;
  /// Moves the vertices: `palette` as for skinLinear or skinDualQuaternion. Normals are those of the skinning alone:
  /// deltas do not turn them. Does not allocate.
  void play(std::span<const float> palette, const PoseSpaceFrame& frame, const SkinOutput& output) const;

 private:
  void fillTurns(const PosedJoints& joints, std::vector<float>& turns) const;

  Skeleton skeleton_;
  PoseSpace poseSpace_;
  double tolerance_ = 0;  // scene units
  PoseSpaceWeights weights_;
  std::vector<int> roots_;           // VertexClass::run - 1 -> joint
  std::vector<Mat3> restRotations_;  // of roots_
  bool rootFrame_ = true;
  bool dualQuaternions_ = false;
  bool framed_ = false;                     // deltas turn with each vertex, after linear blend
  std::vector<std::uint16_t> framedBones_;  // bindings that corrected vertices follow
  PackedSkin skin_;
  PackedDeltas before_;
  PackedDeltas after_;
  std::uint32_t firstCorrected_ = 0;  // block
  PackPoseSpaceReport report_;
};

}  // namespace sinew
