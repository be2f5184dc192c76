// Morph targets d_k with weights c_k(x) act before linear blend skinning. Per vertex, with its blended matrix M_s and
// what the model adds to the skinned vertex, r_s, at the sampled poses s:
//
//   min over d of  sum_s w_s | M_s sum_k c_k(x_s) d_k - r_s |^2 + lambda |d|^2
//
// The normal matrix is a quadratic form in the skin weights (normals.h), and vertices with the same weights (whole
// rigid parts, the copies of a vertex at a seam) share one factorisation. Errors are estimated from few vertices.
#include "sinew/learn/pose_space_morphs/fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/parallel.h"
#include "sinew/deform/posing.h"
#include "sinew/learn/pose_space_morphs/blocks.h"
#include "sinew/learn/pose_space_morphs/parts.h"
#include "sinew/learn/pose_space_morphs/pull.h"
#include "sinew/math/decompositions.h"

namespace sinew::pose_space_morphs {
namespace {

/// Vertices of an estimate.
constexpr std::size_t kFew = 256;
/// Samples that tell where corrections are large.
constexpr std::size_t kScouts = 6;
/// Damping of displacements that are pulled back, relative to squares of lengths.
constexpr double kPullDamping = 1e-2;

}  // namespace

MorphFit::MorphFit(const Character& character, std::shared_ptr<const PoseSpaceModel> model,
                   std::vector<MorphSample> samples, const Progress& progress)
    : character_(character), model_(std::move(model)), samples_(std::move(samples)) {
  if (model_->base == "linear-blend") {
    vertices_ = model_->vertices;
  } else {
    // The morph targets imitate the other operator too, wherever it is not linear blending.
    vertices_.resize(toSize(character.mesh.vertexCount()));
    std::iota(vertices_.begin(), vertices_.end(), 0u);
  }
  scored_ = std::count_if(samples_.begin(), samples_.end(),
                          [](const MorphSample& sample) { return sample.role != SampleRole::Centre; });
  PosedJoints joints;
  for (const MorphSample& sample : samples_) {
    poseJoints(character_, sample.pose, joints);
    std::vector<Mat3> bones;
    bones.reserve(joints.worldFromRest.size());
    for (const Affine& bone : joints.worldFromRest) bones.emplace_back(bone.linear());
    bones_.push_back(std::move(bones));
  }
  report(progress, {0.02, "sampled poses"});
  chooseFew();
  measureFew(progress);
}

void MorphFit::measureFew(const Progress& progress) {
  const Character part = partOf(character_, few_.vertices);
  Residuals residuals(part, partOf(*model_, few_.vertices, character_.mesh.vertexCount()));
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    report(progress, {0.05 + 0.15 * static_cast<double>(s) / static_cast<double>(samples_.size()), "sampled poses"});
    residuals_.push_back(residuals.at(samples_[s].pose));
  }
}

void MorphFit::chooseFew() {
  const std::size_t count = vertices_.size();
  std::vector<std::uint32_t> taken = vertices_;
  std::vector<double> standFor(count, 1);
  if (count > 2 * kFew) {
    taken.clear();
    standFor.clear();
    // Systematic sampling, half of it by the size of the corrections: a vertex represents 1 / its probability.
    Eigen::VectorXd energy = Eigen::VectorXd::Zero(static_cast<Index>(count));
    Residuals residuals(character_, model_);
    const std::size_t stride = std::max<std::size_t>(1, toSize(scored_) / kScouts);
    for (std::size_t s = stride / 2; s < toSize(scored_); s += stride) {
      const Points& left = residuals.at(samples_[s].pose);
      for (std::size_t i = 0; i < count; ++i) energy[static_cast<Index>(i)] += left.col(vertices_[i]).squaredNorm();
    }
    const double total = energy.sum();
    double passed = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double share = total > 0 ? energy[static_cast<Index>(i)] / total : 0;
      const double chance = static_cast<double>(kFew) * (0.5 * share + 0.5 / static_cast<double>(count));
      const double before = std::floor(passed + 0.5);
      passed += chance;
      const double hits = std::floor(passed + 0.5) - before;
      if (hits < 1) continue;
      taken.push_back(vertices_[i]);
      standFor.push_back(hits / chance);
    }
  }
  for (const std::size_t place : byWeights(character_.skin.weights, taken)) {
    few_.vertices.push_back(taken[place]);
    few_.standFor.push_back(standFor[place]);
  }
}

Mat3 MorphFit::blended(std::size_t sample, std::uint32_t vertex) const {
  return blendedMatrix(bones_[sample], character_.skin.weights[vertex]);
}

Eigen::VectorXd MorphFit::sampleWeights() const {
  Eigen::VectorXd weights(static_cast<Index>(samples_.size()));
  for (Index s = 0; s < weights.size(); ++s) weights[s] = samples_[toSize(s)].weight;
  return weights;
}

double MorphFit::rms(const Eigen::VectorXd& squares, SampleRole role) const {
  double sum = 0;
  double count = 0;
  for (Index s = 0; s < squares.size(); ++s) {
    if (samples_[toSize(s)].role != role) continue;
    sum += squares[s];
    count += static_cast<double>(character_.mesh.vertexCount());
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

Eigen::MatrixXd MorphFit::displacedFew(const Eigen::MatrixXd& wholeBasis) const {
  const SkinWeights& skin = character_.skin.weights;
  const Eigen::MatrixXd basis = wholeBasis.leftCols(scored_);
  const Eigen::VectorXd weights = sampleWeights();
  const NormalTables tables(bones_, weights, basis, skin, few_.vertices);
  const std::vector<VertexBlock> blocks = blocksOf(skin, few_.vertices);
  Eigen::MatrixXd displaced(3 * static_cast<Index>(few_.vertices.size()), basis.rows());
  parallelRanges(static_cast<Index>(blocks.size()), 4, [&](Index begin, Index end) {
    Eigen::Matrix3Xd pulled(3, scored_);
    BlockSolver solver(tables);
    for (Index b = begin; b < end; ++b) {
      const VertexBlock& block = blocks[toSize(b)];
      const std::uint32_t first = few_.vertices[toSize(block.begin)];
      solver.factorise(skin[first]);
      for (Index i = block.begin; i < block.end; ++i) {
        for (Index s = 0; s < scored_; ++s)
          pulled.col(s) = weights[s] * (blended(toSize(s), first).transpose() * residuals_[toSize(s)].col(i));
        displaced.middleRows<3>(3 * i) = solver.solve(pulled * basis.transpose());
      }
    }
  });
  return displaced;
}

Eigen::VectorXd MorphFit::estimate(const Eigen::MatrixXd& basis) const {
  const Eigen::MatrixXd displaced = displacedFew(basis);
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(scored_);
  parallelFor(scored_, 16, [&](Index s) {
    const Eigen::VectorXd moved = displaced * basis.col(s);
    for (std::size_t i = 0; i < few_.vertices.size(); ++i) {
      const auto place = static_cast<Index>(i);
      squares[s] += few_.standFor[i] * (blended(toSize(s), few_.vertices[i]) * moved.segment<3>(3 * place) -
                                        residuals_[toSize(s)].col(place))
                                           .squaredNorm();
    }
  });
  return squares;
}

Eigen::MatrixXd MorphFit::improved(const Eigen::MatrixXd& basis) const {
  const Eigen::MatrixXd displaced = displacedFew(basis);
  Eigen::MatrixXd better = basis;
  parallelRanges(basis.cols(), 16, [&](Index begin, Index end) {
    WeightSolver solver(displaced, few_.standFor);
    std::vector<Mat3> matrices(few_.vertices.size());
    for (Index s = begin; s < end; ++s) {
      for (std::size_t i = 0; i < matrices.size(); ++i) matrices[i] = blended(toSize(s), few_.vertices[i]);
      solver.solve(matrices, residuals_[toSize(s)], better.col(s));
    }
  });
  return better;
}

Eigen::MatrixXd MorphFit::pulledBack() const {
  Eigen::MatrixXd pulled(3 * static_cast<Index>(few_.vertices.size()), static_cast<Index>(samples_.size()));
  parallelFor(static_cast<Index>(few_.vertices.size()), 16, [&](Index i) {
    const double scale = std::sqrt(few_.standFor[toSize(i)]);
    for (std::size_t s = 0; s < samples_.size(); ++s) {
      const Mat3 matrix = blended(s, few_.vertices[toSize(i)]);
      const double mu = kPullDamping * std::max(matrix.squaredNorm() / 3, 1e-300);
      pulled.block<3, 1>(3 * i, static_cast<Index>(s)) = scale * pullBack(matrix, residuals_[s].col(i), mu);
    }
  });
  return pulled;
}

Eigen::MatrixXf MorphFit::solve(const Eigen::MatrixXd& basis, const Progress& progress) const {
  return pullAll({character_, model_, samples_, vertices_, bones_}, basis, progress);
}

}  // namespace sinew::pose_space_morphs
