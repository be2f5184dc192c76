// With D_i,e = T_i,e v - t_e the matrix of a point is
//   Q_ij = sum_e f_e D_i,e . D_j,e = vb^T (sum_e f_e T_i,e^T T_j,e) vb - c_i - c_j + s,   vb = (v, 1)
//   c_i = vb^T sum_e f_e T_i,e^T t_e,   s = sum_e f_e |t_e|^2.
// The 4 x 4 sums do not depend on the point, so a pair costs ten products whatever the number of poses; c is one matrix
// product for a block of points. These differences of large numbers lose digits, so everything is centred: v at the
// middle of the rest shape, T_i,e and t_e relative to the mean motion of the joints.
#include "sinew/learn/fit/weights_moments.h"

#include "sinew/character/mesh.h"

namespace sinew::fit {

Monomials monomialsOf(const Vec3& point) {
  const double x = point.x();
  const double y = point.y();
  const double z = point.z();
  Monomials m;
  m << x * x, y * y, z * z, 1, 2 * x * y, 2 * x * z, 2 * x, 2 * y * z, 2 * y, 2 * z;
  return m;
}

namespace {

constexpr std::array<std::array<int, 2>, kMonomials> kEntries = {
    {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
using Moment = Eigen::Matrix4d;

Monomials coefficients(const Moment& moment) {
  Monomials out;
  for (int k = 0; k < kMonomials; ++k) {
    const auto [r, c] = kEntries[toSize(k)];
    out[k] = 0.5 * (moment(r, c) + moment(c, r));
  }
  return out;
}

}  // namespace

Monomials momentOf(std::span<const Affine> a, std::span<const Affine> b, std::span<const double> factors) {
  Moment sum = Moment::Zero();
  for (std::size_t e = 0; e < a.size(); ++e) sum.noalias() += factors[e] * a[e].matrix().transpose() * b[e].matrix();
  return coefficients(sum);
}

JointMoments::JointMoments(const FitProblem& problem, std::size_t row) {
  const std::vector<std::uint32_t>& candidates = problem.candidates[row];
  joints_ = static_cast<Index>(candidates.size());
  centre_ = boundingBox(problem.rest).centre();
  std::vector<double> factors;
  for (std::size_t e = 0; e < problem.exampleCount(); ++e) {
    if (problem.confidence[e] == 0) continue;
    examples_.push_back(e);
    factors.push_back(problem.confidence[e]);
  }
  // Per joint, per example: the motion of the centred point relative to the mean.
  std::vector<std::vector<Affine>> motion(candidates.size(), std::vector<Affine>(examples_.size()));
  targetMap_.resize(4 * joints_, 3 * static_cast<Index>(examples_.size()));
  for (std::size_t k = 0; k < examples_.size(); ++k) {
    const std::vector<Affine>& worldFromRest = problem.worldFromRest[examples_[k]];
    Affine mean;
    mean.matrix().setZero();
    for (const std::uint32_t b : candidates) mean.matrix() += worldFromRest[b].matrix();
    mean.matrix() /= static_cast<double>(joints_);
    mean_.push_back(mean);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      Affine& relative = motion[i][k];
      relative.matrix() = worldFromRest[candidates[i]].matrix() - mean.matrix();
      relative.translation() += relative.linear() * centre_;
      targetMap_.block<4, 3>(4 * static_cast<Index>(i), 3 * static_cast<Index>(k)) =
          factors[k] * relative.matrix().transpose();
    }
  }
  pairs_.resize(joints_, kMonomials * joints_);
  own_.resize(joints_, kMonomials);
  for (Index i = 0; i < joints_; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const Monomials moment = momentOf(motion[toSize(i)], motion[toSize(j)], factors);
      pairs_.block<1, kMonomials>(i, kMonomials * j) = moment.transpose();
      pairs_.block<1, kMonomials>(j, kMonomials * i) = moment.transpose();
    }
    own_.row(i) = pairs_.block<1, kMonomials>(i, kMonomials * i);
  }
}

void JointMoments::fill(const FitProblem& problem, std::span<const std::uint32_t> points, Block& block) const {
  const auto count = static_cast<Index>(points.size());
  block.centred.resize(3 * static_cast<Index>(examples_.size()), count);
  block.crossed.resize(joints_, count);
  block.squared.resize(count);
  block.monomials.resize(kMonomials, count);
  for (Index p = 0; p < count; ++p) {
    const auto point = static_cast<Index>(points[toSize(p)]);
    const Vec3 rest = problem.rest.col(point);
    block.squared[p] = 0;
    for (std::size_t k = 0; k < examples_.size(); ++k) {
      const Vec3 target = problem.targets[examples_[k]].col(point) - mean_[k] * rest;
      block.centred.col(p).segment<3>(3 * static_cast<Index>(k)) = target;
      block.squared[p] += problem.confidence[examples_[k]] * target.squaredNorm();
    }
    block.monomials.col(p) = monomialsOf(rest - centre_);
  }
  block.products.noalias() = targetMap_ * block.centred;
  for (Index p = 0; p < count; ++p) {
    const auto point = static_cast<Index>(points[toSize(p)]);
    const Eigen::Vector4d from = (problem.rest.col(point) - centre_).homogeneous();
    const double* product = block.products.col(p).data();
    double* crossed = block.crossed.col(p).data();
    for (Index i = 0; i < joints_; ++i, product += 4)
      crossed[i] = from[0] * product[0] + from[1] * product[1] + from[2] * product[2] + product[3];
  }
}

void JointMoments::diagonal(const Block& block, Index column, Eigen::Ref<Eigen::VectorXd> out) const {
  out.noalias() = own_ * block.monomials.col(column);
  out -= 2 * block.crossed.col(column);
  out.array() += block.squared[column];
}

void JointMoments::row(const Block& block, Index column, Index joint, Eigen::Ref<Eigen::VectorXd> out) const {
  out.noalias() = pairs_.middleCols<kMonomials>(kMonomials * joint) * block.monomials.col(column);
  out -= block.crossed.col(column);
  out.array() += block.squared[column] - block.crossed(joint, column);
}

}  // namespace sinew::fit
