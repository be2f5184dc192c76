// The least-squares fit of the export: displacements of morph targets that approximate a model over sampled poses.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "sinew/base/progress.h"
#include "sinew/character/character.h"
#include "sinew/deform/pose_space.h"
#include "sinew/learn/pose_space_morphs/project.h"
#include "sinew/learn/pose_space_morphs/samples.h"

namespace sinew::pose_space_morphs {

/// What the model adds to linear blend skinning at each sample, and how a displacement of the rest pose arrives there.
/// Keeps a reference to the character. Corrections of few vertices, which represent all, are in memory; those of all
/// are computed where they are needed, sample after sample.
class MorphFit {
 public:
  MorphFit(const Character& character, std::shared_ptr<const PoseSpaceModel> model, std::vector<MorphSample> samples,
           const Progress& progress);

  [[nodiscard]] std::span<const MorphSample> samples() const { return samples_; }
  /// The leading samples without the possible centres.
  [[nodiscard]] Index scoredCount() const { return scored_; }
  /// Those that are displaced; columns of what solve() gives.
  [[nodiscard]] std::span<const std::uint32_t> vertices() const { return vertices_; }

  /// Squared distances that morph targets leave, per sample but the possible centres, summed over all vertices. `basis`
  /// has a row per target and a column per sample: its weight there.
  [[nodiscard]] Eigen::VectorXd estimate(const Eigen::MatrixXd& basis) const;
  /// The basis with the weights at all samples that suit the displacements best that are fitted to it.
  [[nodiscard]] Eigen::MatrixXd improved(const Eigen::MatrixXd& basis) const;
  /// Their root mean square over the samples of a role (0 without any).
  [[nodiscard]] double rms(const Eigen::VectorXd& squares, SampleRole role = SampleRole::Fitted) const;
  /// Displacements, 3 per vertex x targets.
  [[nodiscard]] Eigen::MatrixXf solve(const Eigen::MatrixXd& basis, const Progress& progress) const;
  /// What the few vertices should be displaced by at each sample, 3 per vertex x samples, scaled so that sums of
  /// squares are those of all vertices. Damped where skinning is singular.
  [[nodiscard]] Eigen::MatrixXd pulledBack() const;
  [[nodiscard]] const FewVertices& few() const { return few_; }

 private:
  void chooseFew();
  void measureFew(const Progress& progress);
  /// Displacements of the few vertices, 3 per vertex x targets.
  [[nodiscard]] Eigen::MatrixXd displacedFew(const Eigen::MatrixXd& basis) const;
  [[nodiscard]] Mat3 blended(std::size_t sample, std::uint32_t vertex) const;
  [[nodiscard]] Eigen::VectorXd sampleWeights() const;

  const Character& character_;
  std::shared_ptr<const PoseSpaceModel> model_;
  std::vector<MorphSample> samples_;
  Index scored_ = 0;  // of them, without the possible centres
  std::vector<std::uint32_t> vertices_;
  std::vector<std::vector<Mat3>> bones_;  // per sample and binding: the linear part of worldFromRest
  FewVertices few_;
  std::vector<Points> residuals_;  // of the few, per sample
};

}  // namespace sinew::pose_space_morphs
