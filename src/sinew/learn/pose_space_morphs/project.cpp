// A file stores the weights of a clip as keys, so they need not be a function that other programs can evaluate:
//
//   w(x) = argmin over w of sum_v n_v | M_v D_v w - r_v(x) |^2 + sum_k mu_k (w_k - w0_k)^2
//
// with the displacements D of the targets, the blended matrices M, what the model adds to the skinned vertices, r, and
// the weights w0 that a player would compute. mu keeps weights that a pose does not determine.
#include "sinew/learn/pose_space_morphs/project.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "sinew/deform/pose_space_morphs.h"
#include "sinew/learn/pose_space_morphs/blocks.h"
#include "sinew/learn/pose_space_morphs/parts.h"

namespace sinew::pose_space_morphs {
namespace {

/// mu, relative to what the target itself moves at the pose.
constexpr double kProjectionDamping = 1e-6;

/// The displacements of a character's morph targets at some vertices, 3 per vertex x weights.
Eigen::MatrixXd displacedBy(const Character& character, const PoseSpaceMorphs& morphs,
                            std::span<const std::uint32_t> vertices) {
  Eigen::MatrixXd displaced = Eigen::MatrixXd::Zero(3 * static_cast<Index>(vertices.size()), morphs.weightCount());
  for (std::size_t m = 0; m < morphs.morphs.size(); ++m) {
    const MorphTarget& morph = character.morphs[toSize(morphs.morphs[m])];
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const Index column = static_cast<Index>(vertices[i]) - morph.firstVertex;
      if (column < 0 || column >= morph.deltas.cols()) continue;
      displaced.block<3, 1>(3 * static_cast<Index>(i), morphs.knotOf[m]) = morph.deltas.col(column);
    }
  }
  return displaced;
}

}  // namespace

WeightSolver::WeightSolver(Eigen::MatrixXd displaced, std::span<const double> standFor)
    : displaced_(std::move(displaced)),
      roots_(static_cast<Index>(standFor.size())),
      image_(displaced_.rows(), displaced_.cols()),
      wanted_(displaced_.rows()) {
  for (Index i = 0; i < roots_.size(); ++i) {
    roots_[i] = std::sqrt(standFor[toSize(i)]);
    displaced_.middleRows<3>(3 * i) *= roots_[i];
  }
}

void WeightSolver::solve(std::span<const Mat3> matrices, const Points& residual, Eigen::Ref<Eigen::VectorXd> weights) {
  for (Index i = 0; i < roots_.size(); ++i) {
    const Mat3& matrix = matrices[toSize(i)];
    for (Index k = 0; k < displaced_.cols(); ++k)
      image_.block<3, 1>(3 * i, k) = matrix * displaced_.block<3, 1>(3 * i, k);
    wanted_.segment<3>(3 * i) = roots_[i] * residual.col(i);
  }
  gram_.setZero(displaced_.cols(), displaced_.cols());
  gram_.selfadjointView<Eigen::Lower>().rankUpdate(image_.transpose());
  Eigen::VectorXd right = image_.transpose() * wanted_;
  for (Index k = 0; k < right.size(); ++k) {
    const double damping = kProjectionDamping * gram_(k, k) + 1e-300;
    gram_(k, k) += damping;
    right[k] += damping * weights[k];
  }
  weights = gram_.selfadjointView<Eigen::Lower>().llt().solve(right);
}

MorphProjection::MorphProjection(const Character& character, const PoseSpaceModel& model, const PoseSpaceMorphs& morphs,
                                 const FewVertices& few)
    : morphs_(morphs),
      part_(partOf(character, few.vertices)),
      residuals_(part_, partOf(model, few.vertices, character.mesh.vertexCount())),
      solver_(displacedBy(character, morphs, few.vertices), few.standFor),
      matrices_(few.vertices.size()),
      weights_(Eigen::VectorXd::Zero(morphs.weightCount())) {}

void MorphProjection::apply(Pose& pose) {
  for (std::size_t m = 0; m < morphs_.morphs.size(); ++m)
    weights_[morphs_.knotOf[m]] = pose.morphWeights[toSize(morphs_.morphs[m])];
  silent_ = pose;
  silencePoseSpaceMorphs(morphs_, silent_);
  poseJoints(part_, silent_, joints_);
  bones_.clear();
  for (const Affine& bone : joints_.worldFromRest) bones_.emplace_back(bone.linear());
  for (std::size_t i = 0; i < matrices_.size(); ++i)
    matrices_[i] = blendedMatrix(bones_, part_.skin.weights[static_cast<Index>(i)]);
  solver_.solve(matrices_, residuals_.at(silent_), weights_);
  for (std::size_t m = 0; m < morphs_.morphs.size(); ++m)
    pose.morphWeights[toSize(morphs_.morphs[m])] = weights_[morphs_.knotOf[m]];
}

}  // namespace sinew::pose_space_morphs
