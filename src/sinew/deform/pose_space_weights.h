// The weights of the shapes of a pose-space model at a pose.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/deform/pose_space_model.h"
#include "sinew/math/rbf.h"

namespace sinew {

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
  /// Of the term whose distances control fading.
  [[nodiscard]] const RbfInterpolator& interpolator(Index group = 0) const { return interpolator(group, fadeTerm_); }
  /// Shapes x groups, faded. `coordinates` as PoseSpace gives them. Does not allocate once the tables have grown.
  void evaluate(const Eigen::Ref<const Eigen::VectorXd>& coordinates, RbfTables& tables,
                Eigen::Ref<Eigen::MatrixXd> weights) const;
  void evaluate(const Eigen::Ref<const Eigen::VectorXd>& coordinates, Eigen::Ref<Eigen::MatrixXd> weights) const;
  /// 1 near the examples, 0 far away, for a group.
  [[nodiscard]] double fade(const Eigen::Ref<const Eigen::VectorXd>& coordinates, Index group = 0) const;
  /// Distance from an example up to which corrections are full; at twice that they are zero. 0: they do not fade.
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

}  // namespace sinew
