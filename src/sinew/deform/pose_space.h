// Pose-space deformation: sculpted corrections that follow the pose. The model is plain data; learn/pose_space makes
// it, io stores it, play packs it.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/choice.h"
#include "sinew/character/pose_space.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/dual_quaternion_blend.h"
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

  [[nodiscard]] std::size_t exampleCount() const { return names.size(); }
  [[nodiscard]] bool lowRank() const { return coefficients.size() > 0; }
  [[nodiscard]] std::size_t shapeCount() const { return lowRank() ? toSize(coefficients.rows()) : exampleCount(); }
  /// The first shape that moves anything: shape 0 of a model without coefficients is the rest pose.
  [[nodiscard]] std::size_t firstShape() const { return lowRank() ? 0 : 1; }
  [[nodiscard]] bool weighted() const { return !groupOf.empty(); }
};

/// The model on a mesh that is made of `vertices`, of `count`, each any number of times.
PoseSpaceModel onVertices(const PoseSpaceModel& model, std::span<const std::uint32_t> vertices, Index count);

/// What the example weights of a model need, without its deltas and coefficients, its groups of vertices and terms.
PoseSpaceModel withoutDeltas(const PoseSpaceModel& model);
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

/// The weight of every shape at a pose, per group of vertices (one column where the model is not weighted). Without
/// coefficients those are the weights of the examples. Built once, then const.
class PoseSpaceWeights {
 public:
  explicit PoseSpaceWeights(const PoseSpaceModel& model);

  [[nodiscard]] Index exampleCount() const { return settings_.poses.cols(); }
  /// Rows of what evaluate() fills.
  [[nodiscard]] Index shapeCount() const { return shapes_; }
  [[nodiscard]] Index groupCount() const { return groups_; }
  [[nodiscard]] Index termCount() const { return terms_; }
  /// The share of a term in a group. Terms of share 0 are not built.
  [[nodiscard]] double share(Index group, Index term) const { return settings_.shares(term, group); }
  /// Its weights are those of the shapes. Groups share the uniform terms.
  [[nodiscard]] const RbfInterpolator& interpolator(Index group, Index term) const {
    return interpolators_[placeOf_[toSize(group * terms_ + term)]];
  }
  /// The term whose distances control the fading of corrections.
  [[nodiscard]] const RbfInterpolator& interpolator(Index group = 0) const { return interpolator(group, fadeTerm_); }
  /// Shapes x groups, faded. `coordinates` as PoseSpace gives them. Does not allocate once the tables have grown.
  void evaluate(const Eigen::Ref<const Eigen::VectorXd>& coordinates, RbfTables& tables,
                Eigen::Ref<Eigen::MatrixXd> weights) const;
  void evaluate(const Eigen::Ref<const Eigen::VectorXd>& coordinates, Eigen::Ref<Eigen::MatrixXd> weights) const;
  /// 1 near the examples, 0 far away, for a group.
  [[nodiscard]] double fade(const Eigen::Ref<const Eigen::VectorXd>& coordinates, Index group = 0) const;
  /// Distance from an example up to which corrections are full; they are zero at twice that distance. 0: they do not
  /// fade.
  [[nodiscard]] double reach(Index group = 0) const;
  /// Row k: the weights of all examples (also of a low-rank model) at the pose of example k as the model without k
  /// gives them, faded. Undetermined where some term cannot do without that example.
  [[nodiscard]] RbfLeftOut weightsWithoutEach(Index group = 0) const;

 private:
  [[nodiscard]] static double fadeOf(double nearest, double reach);
  void build(const Eigen::MatrixXd& coefficients);

  PoseSpaceModel settings_;                     // without deltas and coefficients; shares also for a single term
  std::vector<RbfInterpolator> interpolators_;  // the first is empty
  std::vector<std::size_t> placeOf_;            // group after group, its terms one after the other; 0: not built
  std::vector<char> common_;                    // terms that are the same for several groups
  std::vector<int> blockSizes_;                 // numbers per driver
  std::vector<char> asked_;                     // which additive kernels some term has
  Eigen::VectorXd most_;                        // low rank: the largest coefficient of each shape
  Index fadeTerm_ = 0;                          // the term whose distances control the fading
  bool lowRank_ = false;
  Index shapes_ = 0;
  Index groups_ = 1, terms_ = 1;
};

/// Plays a model on a character: takes rest points (morph targets applied) to posed and corrected ones. It follows
/// PosedJoints::pose, which poseJoints sets. Shares the model; the character need not outlive it.
class PoseSpaceDeformer final : public Deformer {
 public:
  /// `base` replaces the operator that the model names; null: that operator.
  PoseSpaceDeformer(const Character& character, std::shared_ptr<const PoseSpaceModel> model,
                    DeformerPtr base = nullptr);

  [[nodiscard]] std::string_view name() const override { return "pose-space"; }
  [[nodiscard]] Index vertexCount() const override { return vertexCount_; }
  [[nodiscard]] Index bindingCount() const override { return bindingCount_; }
  [[nodiscard]] const PoseSpaceModel& model() const { return *model_; }
  [[nodiscard]] const PoseSpaceWeights& weights() const { return weights_; }
  [[nodiscard]] const Deformer& base() const { return *base_; }

 protected:
  void apply(const ConstPointsRef& points, const PosedJoints& joints, DeformScratch& scratch,
             PointsRef moved) const override;

 private:
  /// The rotations of the corrections: per affected vertex (Frame), or per joint, used for roots.
  void turnFrames(const PosedJoints& joints, DeformScratch& scratch, std::vector<Mat3>& rotations) const;
  void correct(const std::vector<Points>& deltas, CorrectionScratch& memory) const;

  Skeleton skeleton_;
  Index vertexCount_ = 0;
  Index bindingCount_ = 0;
  std::size_t morphCount_ = 0;  // those that drive, and all before them
  std::shared_ptr<const PoseSpaceModel> model_;
  DeformerPtr base_;
  std::unique_ptr<DualQuaternionBlend> frames_;  // of the affected vertices, Frame only
  std::vector<int> rootOf_;                      // per vertex, Forward and layers
  PoseSpaceWeights weights_;
};

}  // namespace sinew
