// The least-squares fit of the export: displacements of morph targets that approximate a model over sampled poses.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/deform/pose_space.h"

namespace sinew::pose_space_morphs {

/// A pose at which morph targets should do as the model does.
struct MorphSample {
  Pose pose;
  Eigen::VectorXd coordinates;
  double weight = 1;     ///< of its squared error
  bool example = false;  ///< rest or a sculpted pose
};

/// What the model adds to linear blend skinning at each sample, and how a displacement of the rest pose arrives there.
class MorphFit {
 public:
  MorphFit(const Character& character, const std::shared_ptr<const PoseSpaceModel>& model,
           std::vector<MorphSample> samples, const Progress& progress);

  [[nodiscard]] std::span<const MorphSample> samples() const { return samples_; }
  /// Those that are displaced; columns of what solve() gives.
  [[nodiscard]] std::span<const std::uint32_t> vertices() const { return vertices_; }

  struct Solution {
    std::vector<Points> deltas;  ///< per morph target, a column per requested vertex
    Eigen::VectorXd squares;     ///< per sample: the squared distances that are left, summed over all vertices
    [[nodiscard]] double rms(Index vertexCount) const;
  };

  /// `basis` has a row per morph target and a column per sample: its weight there. Exact for all vertices, or for a few
  /// that represent all (a quick estimate; no deltas).
  [[nodiscard]] Solution solve(const Eigen::MatrixXd& basis) const;
  [[nodiscard]] Solution estimate(const Eigen::MatrixXd& basis) const;

 private:
  struct Block {
    Index begin = 0;
    Index end = 0;  ///< columns of `order`, all with the same skin weights
  };
  struct Chosen {
    std::vector<Index> columns;    ///< of residuals_
    std::vector<double> standFor;  ///< how many vertices each represents
    std::vector<Block> blocks;
  };
  class BlockSolver;

  void gather(const std::shared_ptr<const PoseSpaceModel>& model, const Progress& progress);
  [[nodiscard]] Chosen chosen(std::vector<Index> columns, std::vector<double> standFor) const;
  void chooseFew();
  [[nodiscard]] Solution solveChosen(const Chosen& chosen, const Eigen::MatrixXd& basis, bool keepDeltas) const;

  const Character& character_;
  std::vector<MorphSample> samples_;
  std::vector<std::uint32_t> vertices_;
  std::vector<std::vector<Mat3>> bones_;     // per sample and binding: the linear part of worldFromRest
  std::vector<Eigen::Matrix3Xf> residuals_;  // per sample: model - linear blend, a column per vertex
  Chosen all_;
  Chosen few_;
};

}  // namespace sinew::pose_space_morphs
