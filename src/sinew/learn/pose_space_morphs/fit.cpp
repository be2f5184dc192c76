// Morph targets d_k with weights c_k(x) act before linear blend skinning. Per vertex, with its blended matrix M_s and
// what the model adds to the skinned vertex, r_s, at the sampled poses s:
//
//   min over d of  sum_s w_s | M_s sum_k c_k(x_s) d_k - r_s |^2 + lambda |d|^2
//
// The normal matrix sum_s w_s (c c^T) (x) (M_s^T M_s) depends on the skin weights only, so vertices with the same
// weights (whole rigid parts, the copies of a vertex at a seam) share one factorisation.
#include "sinew/learn/pose_space_morphs/fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/parallel.h"
#include "sinew/deform/linear_blend.h"
#include "sinew/deform/posing.h"

namespace sinew::pose_space_morphs {
namespace {

/// lambda, relative to the mean of the normal matrix's diagonal.
constexpr double kRidge = 1e-8;
/// Vertices that share a factorisation, at most: more of them would leave threads without work.
constexpr Index kLargestBlock = 128;
/// Vertices of an estimate.
constexpr std::size_t kFew = 256;
constexpr Index kRuns = 256;
/// Displacements of the rest pose that no sample can see are left at 0.
constexpr double kLeastDiagonal = 1e-300;

bool sameWeights(const SkinWeights& weights, std::uint32_t a, std::uint32_t b) {
  const auto x = weights[a];
  const auto y = weights[b];
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

bool weightsLess(const SkinWeights& weights, std::uint32_t a, std::uint32_t b) {
  const auto x = weights[a];
  const auto y = weights[b];
  return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), [](const auto& p, const auto& q) {
    return p.binding != q.binding ? p.binding < q.binding : p.weight < q.weight;
  });
}

}  // namespace

double MorphFit::Solution::rms(Index vertexCount) const {
  const double count = static_cast<double>(vertexCount) * static_cast<double>(squares.size());
  return count > 0 ? std::sqrt(squares.sum() / count) : 0;
}

/// Solves for vertices with the same skin weights, one after the other.
class MorphFit::BlockSolver {
 public:
  BlockSolver(const MorphFit& fit, const Eigen::MatrixXd& basis, std::uint32_t vertex)
      : fit_(fit), basis_(basis), matrices_(fit.samples_.size()) {
    for (std::size_t s = 0; s < matrices_.size(); ++s) {
      matrices_[s].setZero();
      for (const Influence& influence : fit.character_.skin.weights[vertex]) {
        matrices_[s] += influence.weight * fit.bones_[s][influence.binding];
      }
    }
    const Index targets = basis.rows();
    Eigen::MatrixXd normal(3 * targets, 3 * targets);
    Eigen::RowVectorXd factor(basis.cols());
    for (int row = 0; row < 3; ++row) {
      for (int column = row; column < 3; ++column) {
        for (std::size_t s = 0; s < matrices_.size(); ++s) {
          factor[static_cast<Index>(s)] = fit.samples_[s].weight * matrices_[s].col(row).dot(matrices_[s].col(column));
        }
        const Eigen::MatrixXd part = (basis.array().rowwise() * factor.array()).matrix() * basis.transpose();
        normal.block(row * targets, column * targets, targets, targets) = part;
        normal.block(column * targets, row * targets, targets, targets) = part;
      }
    }
    const double lambda = kRidge * normal.trace() / static_cast<double>(std::max<Index>(1, normal.rows()));
    normal.diagonal().array() += std::max(lambda, kLeastDiagonal);
    factorised_.compute(normal);
  }

  /// Displacements of one vertex, a column per morph target; `left` are the squared distances per sample.
  Eigen::Matrix3Xd solve(Index column, Eigen::Ref<Eigen::VectorXd> left) const {
    const Index targets = basis_.rows();
    Eigen::Matrix3Xd pulled(3, basis_.cols());
    for (std::size_t s = 0; s < matrices_.size(); ++s) {
      pulled.col(static_cast<Index>(s)) = fit_.samples_[s].weight * (matrices_[s].transpose() * residual(s, column));
    }
    const Eigen::MatrixXd right = basis_ * pulled.transpose();  // targets x 3
    const Eigen::VectorXd solved = factorised_.solve(Eigen::VectorXd(right.reshaped()));
    Eigen::Matrix3Xd deltas = solved.reshaped(targets, 3).transpose();
    const Eigen::Matrix3Xd added = deltas * basis_;
    for (std::size_t s = 0; s < matrices_.size(); ++s) {
      left[static_cast<Index>(s)] =
          (matrices_[s] * added.col(static_cast<Index>(s)) - residual(s, column)).squaredNorm();
    }
    return deltas;
  }

 private:
  [[nodiscard]] Vec3 residual(std::size_t sample, Index column) const {
    return fit_.residuals_[sample].col(column).cast<double>();
  }

  const MorphFit& fit_;
  const Eigen::MatrixXd& basis_;
  std::vector<Mat3> matrices_;
  Eigen::LLT<Eigen::MatrixXd> factorised_;
};

MorphFit::MorphFit(const Character& character, const std::shared_ptr<const PoseSpaceModel>& model,
                   std::vector<MorphSample> samples, const Progress& progress)
    : character_(character), samples_(std::move(samples)) {
  if (model->base == "linear-blend") {
    vertices_ = model->vertices;
  } else {
    // The morph targets imitate the other operator too, wherever it is not linear blending.
    vertices_.resize(toSize(character.mesh.vertexCount()));
    std::iota(vertices_.begin(), vertices_.end(), 0u);
  }
  gather(model, progress);
  std::vector<Index> columns(vertices_.size());
  std::iota(columns.begin(), columns.end(), Index{0});
  std::vector<double> ones(columns.size(), 1);
  all_ = chosen(std::move(columns), std::move(ones));
  chooseFew();
}

void MorphFit::gather(const std::shared_ptr<const PoseSpaceModel>& model, const Progress& progress) {
  CharacterPoser plain(character_);
  CharacterPoser learned(character_, std::make_shared<PoseSpaceDeformer>(character_, model));
  PosedJoints joints;
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    report(progress, {0.3 * static_cast<double>(s) / static_cast<double>(samples_.size()), "sampled poses"});
    const Pose& pose = samples_[s].pose;
    poseJoints(character_, pose, joints);
    std::vector<Mat3> bones;
    bones.reserve(joints.worldFromRest.size());
    for (const Affine& bone : joints.worldFromRest) bones.emplace_back(bone.linear());
    bones_.push_back(std::move(bones));
    const Points& skinned = plain.pose(pose);
    const Points& wanted = learned.pose(pose);
    Eigen::Matrix3Xf residual(3, static_cast<Index>(vertices_.size()));
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      residual.col(static_cast<Index>(i)) = (wanted.col(vertices_[i]) - skinned.col(vertices_[i])).cast<float>();
    }
    residuals_.push_back(std::move(residual));
  }
}

MorphFit::Chosen MorphFit::chosen(std::vector<Index> columns, std::vector<double> standFor) const {
  const SkinWeights& weights = character_.skin.weights;
  const auto vertex = [&](Index column) { return vertices_[toSize(column)]; };
  std::vector<std::size_t> order(columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return weightsLess(weights, vertex(columns[a]), vertex(columns[b]));
  });
  Chosen result;
  for (const std::size_t place : order) {
    const auto next = static_cast<Index>(result.columns.size());
    const bool joins = !result.blocks.empty() && next - result.blocks.back().begin < kLargestBlock &&
                       sameWeights(weights, vertex(result.columns.back()), vertex(columns[place]));
    if (!joins) result.blocks.push_back({next, next});
    result.columns.push_back(columns[place]);
    result.standFor.push_back(standFor[place]);
    result.blocks.back().end = next + 1;
  }
  return result;
}

void MorphFit::chooseFew() {
  const std::size_t count = vertices_.size();
  if (count <= 2 * kFew) {
    few_ = all_;
    return;
  }
  // Systematic sampling, half of it by the size of the corrections: a vertex represents 1 / its probability.
  Eigen::VectorXd energy = Eigen::VectorXd::Zero(static_cast<Index>(count));
  for (const Eigen::Matrix3Xf& residual : residuals_) {
    energy += residual.colwise().squaredNorm().transpose().cast<double>();
  }
  const double total = energy.sum();
  std::vector<Index> taken;
  std::vector<double> standFor;
  double passed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = total > 0 ? energy[static_cast<Index>(i)] / total : 0;
    const double chance = static_cast<double>(kFew) * (0.5 * share + 0.5 / static_cast<double>(count));
    const double before = std::floor(passed + 0.5);
    passed += chance;
    const double hits = std::floor(passed + 0.5) - before;
    if (hits < 1) continue;
    taken.push_back(static_cast<Index>(i));
    standFor.push_back(hits / chance);
  }
  few_ = chosen(std::move(taken), std::move(standFor));
}

MorphFit::Solution MorphFit::solve(const Eigen::MatrixXd& basis) const {
  return solveChosen(all_, basis, true);
}

MorphFit::Solution MorphFit::estimate(const Eigen::MatrixXd& basis) const {
  return solveChosen(few_, basis, false);
}

MorphFit::Solution MorphFit::solveChosen(const Chosen& chosen, const Eigen::MatrixXd& basis, bool keepDeltas) const {
  const auto count = static_cast<Index>(vertices_.size());
  const auto samples = static_cast<Index>(samples_.size());
  Solution solution;
  if (keepDeltas) solution.deltas.assign(toSize(basis.rows()), Points::Zero(3, count));
  // Sums of fixed runs of blocks, added up in order, so that threads change no bit.
  const auto blocks = static_cast<Index>(chosen.blocks.size());
  const Index run = std::max<Index>(1, blocks / kRuns);
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(samples, (blocks + run - 1) / run);
  parallelFor(squares.cols(), 1, [&](Index r) {
    Eigen::VectorXd left(samples);
    for (Index b = r * run; b < std::min(blocks, (r + 1) * run); ++b) {
      const Block& block = chosen.blocks[toSize(b)];
      const auto first = chosen.columns[toSize(block.begin)];
      const BlockSolver solver(*this, basis, vertices_[toSize(first)]);
      for (Index i = block.begin; i < block.end; ++i) {
        const Index column = chosen.columns[toSize(i)];
        const Eigen::Matrix3Xd deltas = solver.solve(column, left);
        squares.col(r) += chosen.standFor[toSize(i)] * left;
        for (Index k = 0; keepDeltas && k < deltas.cols(); ++k) {
          solution.deltas[toSize(k)].col(column) = deltas.col(k);
        }
      }
    }
  });
  solution.squares = squares.rowwise().sum();
  return solution;
}

}  // namespace sinew::pose_space_morphs
