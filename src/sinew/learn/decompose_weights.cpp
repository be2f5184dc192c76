// For one vertex with rest x = (x, 1) and trajectory y, bones T_b and weights that sum to 1,
//   |sum_b a_b T_b x - y|^2 = a^T Q a,   Q_bc = x^T (T_b^T T_c) x - x^T T_b^T y - x^T T_c^T y + |y|^2,
// so Q comes from the 4 x 4 products of bones and from T^T y, one dense product for all vertices. The best set of at
// most K bones is searched by exchange: the bone that lowers the error most along its edge of the simplex (the step of
// Frank and Wolfe) enters, exactly solved, and where there is no room one of the K leaves.
#include "sinew/learn/decompose_weights.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/base/parallel.h"
#include "sinew/learn/reduced_model_weights.h"
#include "sinew/math/simplex_least_squares.h"

namespace sinew {
namespace {

constexpr Index kBlock = 64;
constexpr int kMostInfluences = 16;
constexpr int kExchanges = 6;    // rounds of one vertex
constexpr int kTried = 2;        // bones that are tried in each
constexpr double kRidge = 1e-9;  // of Q's mean diagonal: equal bones share
constexpr double kGain = 1e-4;   // an exchange must lower the error by this share

/// What all vertices share.
struct Products {
  Eigen::MatrixXd inBasis;  // 4 B x k: T^T basis
  Eigen::MatrixXd packed;   // pairs x 10: x^T (T_b^T T_c) x as a product with the monomials of x
  Index bones = 0;

  [[nodiscard]] static Index pair(Index b, Index c) { return b >= c ? b * (b + 1) / 2 + c : c * (c + 1) / 2 + b; }

  Products(const DecomposeProblem& problem, const Bones& T)
      : inBasis(T.transpose() * problem.basis), bones(T.cols() / 4) {
    const Eigen::MatrixXd products = T.transpose() * T;
    packed.resize(bones * (bones + 1) / 2, 10);
    for (Index b = 0; b < bones; ++b) {
      for (Index c = 0; c <= b; ++c) {
        const Eigen::Matrix4d m = products.block<4, 4>(4 * b, 4 * c);
        Index column = 0;
        for (Index i = 0; i < 4; ++i)
          for (Index j = i; j < 4; ++j) packed(pair(b, c), column++) = i == j ? m(i, i) : m(i, j) + m(j, i);
      }
    }
  }
};

using Monomials = Eigen::Matrix<double, 10, Eigen::Dynamic>;

Monomials monomials(const Eigen::Ref<const Eigen::Matrix<double, 4, Eigen::Dynamic>>& x) {
  Monomials result(10, x.cols());
  for (Index v = 0; v < x.cols(); ++v) {
    Index row = 0;
    for (Index i = 0; i < 4; ++i)
      for (Index j = i; j < 4; ++j) result(row++, v) = x(i, v) * x(j, v);
  }
  return result;
}

/// Q of one vertex after another.
class BlockQ {
 public:
  BlockQ(const Products& products, const Trajectories& points, Index first, Index count)
      : products_(products), points_(points), first_(first) {
    const auto x = points.rest.middleCols(first, count);
    quadratic_.noalias() = products.packed * monomials(x);
    linear_.noalias() = products.inBasis * points.coordinates.middleCols(first, count);
  }

  /// With a pull on each bone to carry the vertex alone: mu sum_b a_b Q_bb is quadratic too, since the weights sum
  /// to 1.
  void fill(Index i, double cohesion, Eigen::MatrixXd& Q) const {
    const Index n = products_.bones;
    const Eigen::Vector4d x = points_.rest.col(first_ + i);
    const Eigen::VectorXd p =
        Eigen::Map<const Eigen::Matrix<double, 4, Eigen::Dynamic>>(linear_.col(i).data(), 4, n).transpose() * x;
    const double square = points_.squares[first_ + i];
    for (Index b = 0, at = 0; b < n; ++b)
      for (Index c = 0; c <= b; ++c, ++at) Q(b, c) = Q(c, b) = quadratic_(at, i) - p[b] - p[c] + square;
    if (cohesion == 0) return;
    const Eigen::VectorXd own = (0.5 * cohesion) * Q.diagonal();
    Q.colwise() += own;
    Q.rowwise() += own.transpose();
  }

  [[nodiscard]] double single(Index i, Index b) const {
    const Eigen::Vector4d x = points_.rest.col(first_ + i);
    return quadratic_(Products::pair(b, b), i) - 2 * x.dot(linear_.col(i).segment<4>(4 * b)) +
           points_.squares[first_ + i];
  }

 private:
  const Products& products_;
  const Trajectories& points_;
  Index first_;
  Eigen::MatrixXd quadratic_;
  Eigen::MatrixXd linear_;
};

/// A set of bones with its weights and error.
struct Blend {
  int size = 0;
  std::array<int, kMostInfluences> bones{};
  std::array<double, kMostInfluences> weights{};
  double error = 0;

  [[nodiscard]] bool has(int bone) const {
    return std::find(bones.begin(), bones.begin() + size, bone) != bones.begin() + size;
  }
};

class VertexSolver {
 public:
  VertexSolver(int most, int banned) : most_(most), banned_(banned) {}

  Blend solve(Eigen::MatrixXd& Q, const Blend& start) {
    Q.diagonal().array() += kRidge * std::max(Q.trace(), 0.0) / static_cast<double>(Q.rows()) + 1e-18;
    Blend best = start.size == 0 ? single(Q) : exact(Q, start);
    for (int round = 0; round < kExchanges; ++round)
      if (!improve(Q, best)) break;
    return best;
  }

 private:
  [[nodiscard]] Blend single(const Eigen::MatrixXd& Q) const {
    int best = -1;
    for (int b = 0; b < Q.rows(); ++b)
      if (b != banned_ && (best < 0 || Q(b, b) < Q(best, best))) best = b;
    return {1, {best}, {1.0}, Q(best, best)};
  }

  /// The best blend of these bones; those without weight leave.
  Blend exact(const Eigen::MatrixXd& Q, const Blend& bones) {
    const Index n = bones.size;
    small_.resize(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        small_(i, j) = Q(bones.bones[static_cast<std::size_t>(i)], bones.bones[static_cast<std::size_t>(j)]);
    weights_.setOnes(n);
    double error = small_(0, 0);
    if (n > 4) {
      solveSimplex(small_, Eigen::VectorXd(), 1, {}, scratch_, weights_);
      error = weights_.dot(small_ * weights_);
    } else if (n > 1) {
      error = solveSmallSimplex(small_, weights_);
    }
    Blend blend;
    blend.error = error;
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      if (!(weights_[i] > 1e-6)) continue;
      blend.bones[static_cast<std::size_t>(blend.size)] = bones.bones[static_cast<std::size_t>(i)];
      blend.weights[static_cast<std::size_t>(blend.size++)] = weights_[i];
      sum += weights_[i];
    }
    for (double& weight : blend.weights) weight /= sum;
    return blend;
  }

  /// Lets the most promising bones in. False where none lowers the error.
  bool improve(const Eigen::MatrixXd& Q, Blend& best) {
    gradient_.setZero(Q.rows());
    for (int i = 0; i < best.size; ++i)
      gradient_ += best.weights[static_cast<std::size_t>(i)] * Q.col(best.bones[static_cast<std::size_t>(i)]);
    std::array<std::pair<double, int>, kTried> tried{};
    for (int b = 0; b < Q.rows(); ++b) {
      const double slope = best.error - gradient_[b];
      if (b == banned_ || !(slope > 0)) continue;
      const double curvature = Q(b, b) - 2 * gradient_[b] + best.error;
      const double gain = curvature > 0 ? slope * slope / curvature : 0;
      if (gain <= tried.back().first) continue;
      tried.back() = {gain, b};
      for (std::size_t i = tried.size() - 1; i > 0 && tried[i].first > tried[i - 1].first; --i)
        std::swap(tried[i], tried[i - 1]);
    }
    Blend found = best;
    for (const auto& [gain, bone] : tried) {
      if (!(gain > kGain * best.error)) break;
      admit(Q, best, bone, found);
    }
    if (!(found.error < (1 - kGain) * best.error)) return false;
    best = found;
    return true;
  }

  void admit(const Eigen::MatrixXd& Q, const Blend& now, int bone, Blend& found) {
    if (now.has(bone)) return;
    Blend with = now;
    if (with.size < most_) {
      with.bones[static_cast<std::size_t>(with.size++)] = bone;
      keepBetter(exact(Q, with), found);
      return;
    }
    for (int i = 0; i < now.size; ++i) {
      with = now;
      with.bones[static_cast<std::size_t>(i)] = bone;
      keepBetter(exact(Q, with), found);
    }
  }

  static void keepBetter(const Blend& candidate, Blend& found) {
    if (candidate.error < found.error) found = candidate;
  }

  int most_;
  int banned_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostInfluences, kMostInfluences> small_;
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostInfluences, 1> weights_;
  Eigen::VectorXd gradient_;
  SimplexScratch scratch_;
};

Blend startSet(const BoneWeights* start, Index v, int banned) {
  Blend set;
  if (start == nullptr) return set;
  for (Index i = 0; i < start->bones.rows(); ++i)
    if (start->weights(i, v) > 0 && start->bones(i, v) != banned)
      set.bones[static_cast<std::size_t>(set.size++)] = start->bones(i, v);
  return set;
}

}  // namespace

WeightStep solveBoneWeights(const DecomposeProblem& problem, const Trajectories& points, const Bones& bones,
                            const BlendRule& rule, const BoneWeights* start, int banned) {
  const int most = std::min(rule.most, kMostInfluences);
  const Products products(problem, bones);
  WeightStep step{{Eigen::MatrixXi::Zero(most, points.count()), Eigen::MatrixXd::Zero(most, points.count())},
                  Eigen::VectorXd::Zero(points.count())};
  parallelFor((points.count() + kBlock - 1) / kBlock, 1, [&](Index block) {
    const Index first = block * kBlock;
    const Index count = std::min(kBlock, points.count() - first);
    const BlockQ source(products, points, first, count);
    Eigen::MatrixXd Q(products.bones, products.bones);
    VertexSolver solver(most, banned);
    for (Index i = 0; i < count; ++i) {
      source.fill(i, rule.cohesion, Q);
      const Blend blend = solver.solve(Q, startSet(start, first + i, banned));
      for (int j = 0; j < blend.size; ++j) {
        step.weights.bones(j, first + i) = blend.bones[static_cast<std::size_t>(j)];
        step.weights.weights(j, first + i) = blend.weights[static_cast<std::size_t>(j)];
      }
      step.errors[first + i] = std::max(0.0, blend.error);
    }
  });
  step.total = step.errors.sum();
  return step;
}

Eigen::MatrixXd singleBoneErrors(const DecomposeProblem& problem, const Trajectories& points, const Bones& bones) {
  const Products products(problem, bones);
  Eigen::MatrixXd errors(products.bones, points.count());
  parallelFor((points.count() + kBlock - 1) / kBlock, 1, [&](Index block) {
    const Index first = block * kBlock;
    const Index count = std::min(kBlock, points.count() - first);
    const BlockQ source(products, points, first, count);
    for (Index i = 0; i < count; ++i)
      for (Index b = 0; b < products.bones; ++b) errors(b, first + i) = std::max(0.0, source.single(i, b));
  });
  return errors;
}

}  // namespace sinew
