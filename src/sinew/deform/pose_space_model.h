// A learned model of pose-space deformation as plain data: learn/pose_space makes it, io stores it, play packs it.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/character/character.h"
#include "sinew/character/pose_space.h"
#include "sinew/math/rbf.h"

namespace sinew {

/// Where deltas live (docs/methods/pose_space.md).
enum class DeltaSpace {
  Frame,    ///< in the rotating frame of the vertex, added after skinning: skin(v) + Q delta
  Inverse,  ///< in the rest pose, added before skinning: skin(v + delta); where skinning is singular, + R w
  Forward,  ///< in the frame of the skeleton's root, added after skinning: skin(v) + R delta
  Layered   ///< a regularised delta before skinning and the remainder w after it: skin(v + delta) + R w
};
constexpr auto choiceRows(DeltaSpace) {
  return choiceTable<DeltaSpace>({{DeltaSpace::Frame, "frame"},
                                  {DeltaSpace::Inverse, "inverse"},
                                  {DeltaSpace::Forward, "forward"},
                                  {DeltaSpace::Layered, "layered"}});
}

/// The least weight of a driver in the distances of a group: it separates examples that differ only in other joints.
constexpr double kLeastGroupWeight = 0.05;
/// Shapes of a low-rank model: as many as the packed runtime sums (play/correctives.h). More are not of low rank.
constexpr Index kMostLowRankShapes = 256;

/// One of several interpolations whose results are mixed. Each gives every example the weight 1 at its own pose, so
/// every mixture does.
struct PoseSpaceTerm {
  RbfOptions interpolation;
  /// How drivers count for a group of vertices: radial kernels measure by groupWeights, or with `uniform` by all
  /// drivers equally; additive kernels sum over drivers with max(floor, how much the driver bends the skin there).
  bool uniform = false;
  double floor = 0;

  friend bool operator==(const PoseSpaceTerm&, const PoseSpaceTerm&) = default;
};

/// All data for playback. Example 0 is the rest pose, whose deltas are zero.
struct PoseSpaceModel {
  DeltaSpace space = DeltaSpace::Frame;
  std::string base = "linear-blend";  ///< the skinning operator under it, as deformers() names it
  bool rootFrame = true;              ///< Forward and layers: false keeps world-space deltas
  PoseSpace poseSpace;
  RbfOptions interpolation;             ///< radius as given: 0 is automatic; with `terms` only for hints and morphs
  bool fade = true;                     ///< corrections fade out far from every example
  bool restGap = true;                  ///< that distance also counts how far rest is from its nearest example
  std::vector<std::string> names;       ///< per example; 0 is "rest"
  Eigen::MatrixXd poses;                ///< dimensions x examples, unscaled
  std::vector<std::uint32_t> vertices;  ///< those that some example touches, ascending
  std::vector<Points> deltas;           ///< per shape: a column per touched vertex
  std::vector<Points> layer;            ///< Layered, and Inverse at singular poses: w, in the same form; else empty
  /// Low rank: shapes x examples, how much of each shape the correction of an example has; column 0 is zero. Empty:
  /// shape k is the correction of example k.
  Eigen::MatrixXd coefficients;
  /// Weighted: groups of vertices with the same distance measure. Empty: one measure for all.
  std::vector<std::uint32_t> groupOf;  ///< per touched vertex, a column of groupWeights
  Eigen::MatrixXd groupWeights;        ///< drivers x groups: a_j
  /// Mixed: what is interpolated is a mixture of terms, in shares of its own for each group. Empty: `interpolation`.
  std::vector<PoseSpaceTerm> terms;
  Eigen::MatrixXd shares;  ///< terms x groups, 0 or more, columns add up to 1
  bool inMorphs = false;   ///< the character's morph targets are the corrections (morph_driven_skin.h)

  [[nodiscard]] std::size_t exampleCount() const { return names.size(); }
  [[nodiscard]] bool lowRank() const { return coefficients.size() > 0; }
  [[nodiscard]] std::size_t shapeCount() const { return lowRank() ? toSize(coefficients.rows()) : exampleCount(); }
  /// The first shape that moves anything: shape 0 of a model without coefficients is the rest pose.
  [[nodiscard]] std::size_t firstShape() const { return lowRank() ? 0 : 1; }
  [[nodiscard]] bool weighted() const { return !groupOf.empty(); }
};

/// The model on a mesh that is made of `vertices`, of `count`, each any number of times.
PoseSpaceModel onVertices(const PoseSpaceModel& model, std::span<const std::uint32_t> vertices, Index count);

/// Poses and plain interpolation alone; and with groups and terms: all that the weights of examples depend on.
PoseSpaceModel withoutDeltas(const PoseSpaceModel& model);
PoseSpaceModel withoutShapes(const PoseSpaceModel& model);
/// The model without example k: the same settings, the same affected vertices.
PoseSpaceModel withoutExample(const PoseSpaceModel& model, std::size_t k);

/// Morph targets for players without the model. Weights are cardinal functions of knots in pose space, or mixtures.
struct PoseSpaceMorphs {
  Eigen::MatrixXd knots;    ///< dimensions x knots, unscaled; knot 0 is the rest pose, which has no morph target
  Eigen::MatrixXd mixing;   ///< weights x knots; empty: weight k is the cardinal function of knot k
  std::vector<int> morphs;  ///< indices into Character::morphs
  std::vector<int> knotOf;  ///< of each, its weight: a row of `mixing`, or its knot (several meshes share weights)
  RbfOptions interpolation;
  std::string clip;  ///< name of the clip that visits the examples; empty: there is none

  [[nodiscard]] bool empty() const { return morphs.empty(); }
  [[nodiscard]] Index weightCount() const { return mixing.size() > 0 ? mixing.rows() : knots.cols(); }
};

bool operator==(const PoseSpaceModel&, const PoseSpaceModel&);
bool operator==(const PoseSpaceMorphs&, const PoseSpaceMorphs&);

/// A character with learned corrections, as a file holds them.
struct CorrectedCharacter {
  Character character;  ///< with the morph targets that imitate the model
  std::shared_ptr<const PoseSpaceModel> poseSpace;
  PoseSpaceMorphs morphs;
};

/// Checks sizes and values; throws an Error that names the first that is wrong.
void checkPoseSpaceModel(const PoseSpaceModel& model, const Character& character, const char* where);

}  // namespace sinew
