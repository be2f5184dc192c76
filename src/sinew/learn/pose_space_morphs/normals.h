// Normal matrices of morph targets: which displacements the sampled poses can tell apart.
#pragma once

#include <Eigen/Core>
#include <map>
#include <span>
#include <vector>

#include "sinew/character/skin.h"

namespace sinew::pose_space_morphs {

/// sum_s weight_s (c_s c_s^T) (x) (M_s^T M_s) for the blended matrices M_s = sum_b w_b B_sb of any vertex: a quadratic
/// form in its skin weights, so a table per pair of joints serves all vertices.
class NormalTables {
 public:
  /// `bones`: per sample and binding; `basis`: targets x samples. Tables are made for the pairs that `weights` has at
  /// `vertices`.
  NormalTables(std::span<const std::vector<Mat3>> bones, const Eigen::VectorXd& sampleWeights,
               const Eigen::MatrixXd& basis, const SkinWeights& weights, std::span<const std::uint32_t> vertices);

  /// Fills the lower triangle of `normal`, 3 targets x 3 targets, coordinate by coordinate.
  void normalOf(std::span<const Influence> influences, Eigen::MatrixXd& normal) const;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  Index targets_ = 0;
  std::map<Pair, Index> placeOf_;
  std::vector<Eigen::MatrixXd> tables_;  // targets x 6 targets: xx, yx, yy, zx, zy, zz
};

}  // namespace sinew::pose_space_morphs
