// Right sides sum_s w_s c_s^T (x) M_s^T r_s first, then one solution per vertex. Where all M_s are close to a rotation
// (times a size), the metric of the posed shape is that of the rest shape: with M_s^-1 instead of M_s^T the normal
// matrix is sum_s w_s c_s c_s^T for each coordinate, and one factorisation serves all those vertices.
#include "sinew/learn/pose_space_morphs/pull.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/parallel.h"
#include "sinew/learn/pose_space_morphs/blocks.h"

namespace sinew::pose_space_morphs {
namespace {

/// Samples whose corrections are added up at once.
constexpr Index kBatch = 8;
constexpr Index kRows = 512;
/// Vertices times samples that are worth their time.
constexpr double kMostPulled = 8e6;
/// |M^T M / g - I| of vertices that share a system; singular values are at least 0.77 of the mean then.
constexpr double kNearRotation = 0.4;
/// Meshes up to this size are solved exactly at every vertex.
constexpr std::size_t kExact = 20000;

}  // namespace

Residuals::Residuals(const Character& character, const std::shared_ptr<const PoseSpaceModel>& model)
    : plain_(character), learned_(character, std::make_shared<PoseSpaceDeformer>(character, model)) {}

const Points& Residuals::at(const Pose& pose) {
  residual_ = learned_.pose(pose);
  residual_ -= plain_.pose(pose);
  return residual_;
}

namespace {

/// Knots first, then as many others, evenly spread, as the budget allows.
std::vector<Index> fittedSamples(const PullProblem& problem, const Eigen::MatrixXd& basis) {
  std::vector<Index> chosen;
  std::vector<Index> others;
  for (Index s = 0; s < basis.cols(); ++s) {
    const MorphSample& sample = problem.samples[toSize(s)];
    if (sample.role != SampleRole::Fitted) continue;
    const bool knot = basis.rows() > 0 && basis.col(s).maxCoeff() > 1 - 1e-6 && basis.col(s).cwiseAbs().sum() < 1.001;
    (sample.example || knot ? chosen : others).push_back(s);
  }
  const double budget = kMostPulled / static_cast<double>(std::max<std::size_t>(1, problem.vertices.size()));
  const auto most = static_cast<std::size_t>(std::max(budget, static_cast<double>(2 * basis.rows() + 32))) -
                    std::min<std::size_t>(chosen.size(), 32);
  for (std::size_t i = 0; i < std::min(most, others.size()); ++i) {
    chosen.push_back(most >= others.size() ? others[i] : others[i * others.size() / most]);
  }
  return chosen;
}

class Puller {
 public:
  Puller(const PullProblem& problem, const Eigen::MatrixXd& basis)
      : problem_(problem), weights_(problem.character.skin.weights) {
    for (const Index s : fittedSamples(problem, basis)) {
      samples_.push_back(toSize(s));
      bones_.push_back(problem.bones[toSize(s)]);
    }
    basis_.resize(basis.rows(), static_cast<Index>(samples_.size()));
    sampleWeights_.resize(basis_.cols());
    for (Index i = 0; i < basis_.cols(); ++i) {
      basis_.col(i) = basis.col(static_cast<Index>(samples_[toSize(i)]));
      sampleWeights_[i] = problem.samples[samples_[toSize(i)]].weight;
    }
    for (const std::size_t place : byWeights(weights_, problem.vertices)) {
      order_.push_back(static_cast<Index>(place));
      ordered_.push_back(problem.vertices[place]);
    }
    blocks_ = blocksOf(weights_, ordered_);
    findNearRotations();
  }

  Eigen::MatrixXf run(const Progress& progress) {
    sums_ = Eigen::MatrixXd::Zero(3 * static_cast<Index>(ordered_.size()), basis_.rows());
    Residuals residuals(problem_.character, problem_.model);
    for (Index first = 0; first < basis_.cols(); first += kBatch) {
      report(progress, {0.8 * static_cast<double>(first) / static_cast<double>(basis_.cols()), "displacements"});
      add(residuals, first, std::min(kBatch, basis_.cols() - first));
    }
    solveShared();
    solveOthers();
    return sums_.cast<float>();
  }

 private:
  void findNearRotations() {
    shared_.assign(blocks_.size(), 0);
    if (ordered_.size() <= kExact) return;
    parallelFor(static_cast<Index>(blocks_.size()), 64, [&](Index b) {
      const auto influences = weights_[ordered_[toSize(blocks_[toSize(b)].begin)]];
      std::vector<Mat3> metrics;
      double size = 0;
      for (const std::vector<Mat3>& bones : bones_) {
        const Mat3 matrix = blendedMatrix(bones, influences);
        metrics.emplace_back(matrix.transpose() * matrix);
        size += metrics.back().trace() / 3;
      }
      size /= static_cast<double>(std::max<std::size_t>(1, metrics.size()));
      shared_[toSize(b)] = std::all_of(metrics.begin(), metrics.end(), [&](const Mat3& metric) {
        return (metric - size * Mat3::Identity()).squaredNorm() <= std::pow(kNearRotation * size, 2);
      });
    });
  }

  /// Corrections of a few samples, pulled back, times their weights and their part of the basis.
  void add(Residuals& residuals, Index first, Index count) {
    batch_.resize(sums_.rows(), count);
    for (Index k = 0; k < count; ++k) {
      const std::size_t sample = samples_[toSize(first + k)];
      const Points& residual = residuals.at(problem_.samples[sample].pose);
      parallelFor(static_cast<Index>(blocks_.size()), 64, [&](Index b) {
        const VertexBlock& block = blocks_[toSize(b)];
        const std::uint32_t one = ordered_[toSize(block.begin)];
        const Mat3 matrix = blendedMatrix(problem_.bones[sample], weights_[one]);
        const Mat3 pull =
            sampleWeights_[first + k] * (shared_[toSize(b)] ? Mat3(matrix.inverse()) : matrix.transpose());
        for (Index i = block.begin; i < block.end; ++i) {
          batch_.block<3, 1>(3 * order_[toSize(i)], k) = pull * residual.col(ordered_[toSize(i)]);
        }
      });
    }
    const Eigen::MatrixXd part = basis_.middleCols(first, count).transpose();
    // Fixed runs of rows: a product's bits may depend on where its rows begin.
    parallelFor((sums_.rows() + kRows - 1) / kRows, 1, [&](Index run) {
      const Index rows = std::min(kRows, sums_.rows() - run * kRows);
      sums_.middleRows(run * kRows, rows).noalias() += batch_.middleRows(run * kRows, rows) * part;
    });
  }

  [[nodiscard]] auto vertexRows(Index i) { return sums_.middleRows<3>(3 * order_[toSize(i)]); }

  void solveShared() {
    if (std::find(shared_.begin(), shared_.end(), 1) == shared_.end()) return;
    Eigen::MatrixXd normal = basis_ * sampleWeights_.asDiagonal() * basis_.transpose();
    normal.diagonal().array() += 1e-8 * normal.trace() / static_cast<double>(std::max<Index>(1, normal.rows()));
    const Eigen::MatrixXd inverse =
        Eigen::LLT<Eigen::MatrixXd>(normal).solve(Eigen::MatrixXd::Identity(normal.rows(), normal.cols()));
    parallelFor(static_cast<Index>(blocks_.size()), 64, [&](Index b) {
      if (!shared_[toSize(b)]) return;
      for (Index i = blocks_[toSize(b)].begin; i < blocks_[toSize(b)].end; ++i) {
        const Eigen::Matrix3Xd solved = vertexRows(i) * inverse;
        vertexRows(i) = solved;
      }
    });
  }

  void solveOthers() {
    std::vector<Index> others;
    std::vector<std::uint32_t> vertices;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (shared_[b]) continue;
      others.push_back(static_cast<Index>(b));
      vertices.push_back(ordered_[toSize(blocks_[b].begin)]);
    }
    const NormalTables tables(bones_, sampleWeights_, basis_, weights_, vertices);
    parallelRanges(static_cast<Index>(others.size()), 16, [&](Index begin, Index end) {
      BlockSolver solver(tables);
      for (Index o = begin; o < end; ++o) {
        const VertexBlock& block = blocks_[toSize(others[toSize(o)])];
        solver.factorise(weights_[ordered_[toSize(block.begin)]]);
        for (Index i = block.begin; i < block.end; ++i) {
          const Eigen::Matrix3Xd solved = solver.solve(vertexRows(i));
          vertexRows(i) = solved;
        }
      }
    });
  }

  const PullProblem& problem_;
  const SkinWeights& weights_;
  std::vector<std::size_t> samples_;
  std::vector<std::vector<Mat3>> bones_;
  Eigen::MatrixXd basis_;
  Eigen::VectorXd sampleWeights_;
  std::vector<Index> order_;
  std::vector<std::uint32_t> ordered_;
  std::vector<VertexBlock> blocks_;
  std::vector<char> shared_;  // per block
  Eigen::MatrixXd sums_;      // then displacements
  Eigen::MatrixXd batch_;
};

}  // namespace

Eigen::MatrixXf pullAll(const PullProblem& problem, const Eigen::MatrixXd& basis, const Progress& progress) {
  return Puller(problem, basis).run(progress);
}

}  // namespace sinew::pose_space_morphs
