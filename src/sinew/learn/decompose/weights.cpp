// For one vertex with rest x = (x, 1) and trajectory y, bones T_b and weights that sum to 1,
//   |sum_b a_b T_b x - y|^2 = a^T Q a,   Q_bc = x^T (T_b^T T_c) x - x^T T_b^T y - x^T T_c^T y + |y|^2,
// so Q comes from the 4 x 4 products of bones and from T^T y, one dense product for all vertices; only the columns of
// bones that a vertex uses are computed, so that the cost grows with the bones, not their square. The best set of at
// most K bones is searched by exchange: the bone that lowers the error most along its edge of the simplex (the step of
// Frank and Wolfe) enters, exactly solved, and where there is no room one of the K leaves.
#include "sinew/learn/decompose/weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "sinew/base/parallel.h"
#include "sinew/learn/reduced_model/weights.h"
#include "sinew/math/simplex_least_squares.h"

namespace sinew::decompose {
namespace {

constexpr Index kWeightsBlock = 64;
constexpr int kMostInfluences = 16;
constexpr int kExchanges = 6;    // rounds of one vertex
constexpr int kTried = 2;        // bones that are tried in each
constexpr double kRidge = 1e-9;  // of Q's mean diagonal: equal bones share
constexpr double kGain = 1e-4;   // an exchange must lower the error by this share

using Monomials = Eigen::Matrix<double, 10, 1>;

Monomials monomials(const Eigen::Vector4d& x) {
  Monomials result;
  Index row = 0;
  for (Index i = 0; i < 4; ++i)
    for (Index j = i; j < 4; ++j) result[row++] = x[i] * x[j];
  return result;
}

/// The 4 x 4 matrix m so that x^T m x is its product with the monomials of x.
Monomials packedForm(const Eigen::Matrix4d& m) {
  Monomials result;
  Index row = 0;
  for (Index i = 0; i < 4; ++i)
    for (Index j = i; j < 4; ++j) result[row++] = i == j ? m(i, i) : m(i, j) + m(j, i);
  return result;
}

/// Q of one vertex, of which a search sees the diagonal and the columns of a few bones: only these are computed.
class VertexQ {
 public:
  VertexQ(const BoneProducts& products, double cohesion)
      : products_(products), cohesion_(cohesion), slots_(toSize(products.bones), -1) {}

  /// With a pull on each bone to move the vertex alone: mu sum_b a_b Q_bb is quadratic too, because the weights sum to
  /// 1. `linear` is T^T y, 4 B.
  void set(const Eigen::Vector4d& x, const Eigen::Ref<const Eigen::VectorXd>& linear, double square) {
    const Index n = products_.bones;
    for (const int bone : computed_) slots_[toSize(bone)] = -1;
    computed_.clear();
    monomials_ = monomials(x);
    cross_.noalias() = Eigen::Map<const Eigen::Matrix<double, 4, Eigen::Dynamic>>(linear.data(), 4, n).transpose() * x;
    square_ = square;
    diagonal_.resize(n);
    for (Index b = 0; b < n; ++b)
      diagonal_[b] = products_.packed.col(b + n * b).dot(monomials_) - 2 * cross_[b] + square;
    own_ = (0.5 * cohesion_) * diagonal_;
    diagonal_ += 2 * own_;
    ridge_ = kRidge * std::max(diagonal_.sum(), 0.0) / static_cast<double>(n) + 1e-18;
    diagonal_.array() += ridge_;
  }

  [[nodiscard]] Index rows() const { return products_.bones; }
  [[nodiscard]] double diagonal(Index b) const { return diagonal_[b]; }
  [[nodiscard]] double operator()(Index b, Index c) const {
    if (b == c) return diagonal_[b];
    return products_.packed.col(b + products_.bones * c).dot(monomials_) - cross_[b] - cross_[c] + square_ + own_[b] +
           own_[c];
  }
  [[nodiscard]] Eigen::MatrixXd::ConstColXpr column(int c) {
    int& slot = slots_[toSize(c)];
    if (slot < 0) {
      slot = static_cast<int>(computed_.size());
      computed_.push_back(c);
      if (columns_.cols() < static_cast<Index>(computed_.size()))
        columns_.conservativeResize(products_.bones, 2 * static_cast<Index>(computed_.size()) + 6);
      auto column = columns_.col(slot);
      column.noalias() = products_.packed.middleCols(products_.bones * c, products_.bones).transpose() * monomials_;
      column += own_ - cross_;
      column.array() += square_ - cross_[c] + own_[c];
      column[c] = diagonal_[c];
    }
    return std::as_const(columns_).col(slot);
  }

 private:
  const BoneProducts& products_;
  double cohesion_;
  double square_ = 0;
  double ridge_ = 0;
  Monomials monomials_;
  Eigen::VectorXd cross_;     // x^T T_b^T y
  Eigen::VectorXd own_;       // the pull
  Eigen::VectorXd diagonal_;  // with pull and ridge
  Eigen::MatrixXd columns_;
  std::vector<int> slots_;     // per bone: its column, or -1
  std::vector<int> computed_;  // bones that have one
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

  Blend solve(VertexQ& Q, const Blend& start) {
    Blend best = start.size == 0 ? single(Q) : exact(Q, start);
    for (int round = 0; round < kExchanges; ++round)
      if (!improve(Q, best)) break;
    return best;
  }

 private:
  [[nodiscard]] Blend single(const VertexQ& Q) const {
    int best = -1;
    for (int b = 0; b < Q.rows(); ++b)
      if (b != banned_ && (best < 0 || Q.diagonal(b) < Q.diagonal(best))) best = b;
    return {1, {best}, {1.0}, Q.diagonal(best)};
  }

  /// The best blend of these bones; those without weight leave.
  Blend exact(const VertexQ& Q, const Blend& bones) {
    const Index n = bones.size;
    small_.resize(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) small_(i, j) = small_(j, i) = Q(bones.bones[toSize(i)], bones.bones[toSize(j)]);
    weights_.setOnes(n);
    double error = small_(0, 0);
    if (n > 4) {
      solveSimplex(small_, Eigen::VectorXd(), 1, {}, scratch_, weights_);
      error = weights_.dot(small_ * weights_);
    } else if (n > 1) {
      error = reduced_model::solveSmallSimplex(small_, weights_);
    }
    Blend blend;
    blend.error = error;
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      if (!(weights_[i] > 1e-6)) continue;
      blend.bones[toSize(blend.size)] = bones.bones[toSize(i)];
      blend.weights[toSize(blend.size++)] = weights_[i];
      sum += weights_[i];
    }
    // Every bone is exact here: the first is as good as any.
    if (!(sum > 0)) return {1, {bones.bones[0]}, {1.0}, small_(0, 0)};
    for (double& weight : blend.weights) weight /= sum;
    return blend;
  }

  /// Lets the most promising bones in. False where none lowers the error.
  bool improve(VertexQ& Q, Blend& best) {
    gradient_.setZero(Q.rows());
    for (int i = 0; i < best.size; ++i) gradient_ += best.weights[toSize(i)] * Q.column(best.bones[toSize(i)]);
    std::array<std::pair<double, int>, kTried> tried{};
    for (int b = 0; b < Q.rows(); ++b) {
      const double slope = best.error - gradient_[b];
      if (b == banned_ || !(slope > 0)) continue;
      const double curvature = Q.diagonal(b) - 2 * gradient_[b] + best.error;
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

  void admit(const VertexQ& Q, const Blend& now, int bone, Blend& found) {
    if (now.has(bone)) return;
    Blend with = now;
    if (with.size < most_) {
      with.bones[toSize(with.size++)] = bone;
      keepBetter(exact(Q, with), found);
      return;
    }
    for (int i = 0; i < now.size; ++i) {
      with = now;
      with.bones[toSize(i)] = bone;
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
    if (start->weights(i, v) > 0 && start->bones(i, v) != banned) set.bones[toSize(set.size++)] = start->bones(i, v);
  return set;
}

}  // namespace

BoneProducts::BoneProducts(const DecomposeProblem& problem, const Bones& T)
    : inBasis(T.transpose() * problem.basis), bones(T.cols() / 4) {
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(T.cols(), T.cols());
  products.selfadjointView<Eigen::Lower>().rankUpdate(T.transpose());
  packed.resize(10, bones * bones);
  for (Index b = 0; b < bones; ++b) {
    for (Index c = 0; c <= b; ++c) {
      const Eigen::Matrix4d m =
          b == c ? Eigen::Matrix4d(products.block<4, 4>(4 * b, 4 * c).selfadjointView<Eigen::Lower>())
                 : Eigen::Matrix4d(products.block<4, 4>(4 * b, 4 * c));
      packed.col(b + bones * c) = packed.col(c + bones * b) = packedForm(m);
    }
  }
}

WeightStep solveBoneWeights(const BoneProducts& products, const Trajectories& points, const BlendRule& rule,
                            const BoneWeights* start, int banned) {
  const int most = std::min(rule.most, kMostInfluences);
  WeightStep step{{Eigen::MatrixXi::Zero(most, points.count()), Eigen::MatrixXd::Zero(most, points.count())},
                  Eigen::VectorXd::Zero(points.count())};
  parallelFor((points.count() + kWeightsBlock - 1) / kWeightsBlock, 1, [&](Index block) {
    const Index first = block * kWeightsBlock;
    const Index count = std::min(kWeightsBlock, points.count() - first);
    const Eigen::MatrixXd linear = products.inBasis * points.coordinates.middleCols(first, count);
    VertexQ Q(products, rule.cohesion);
    VertexSolver solver(most, banned);
    for (Index i = 0; i < count; ++i) {
      Q.set(points.rest.col(first + i), linear.col(i), points.squares[first + i]);
      const Blend blend = solver.solve(Q, startSet(start, first + i, banned));
      for (int j = 0; j < blend.size; ++j) {
        step.weights.bones(j, first + i) = blend.bones[toSize(j)];
        step.weights.weights(j, first + i) = blend.weights[toSize(j)];
      }
      step.errors[first + i] = std::max(0.0, blend.error);
    }
  });
  step.total = step.errors.sum();
  return step;
}

WeightStep solveBoneWeights(const DecomposeProblem& problem, const Trajectories& points, const Bones& bones,
                            const BlendRule& rule, const BoneWeights* start, int banned) {
  return solveBoneWeights(BoneProducts(problem, bones), points, rule, start, banned);
}

Eigen::MatrixXd singleBoneErrors(const DecomposeProblem& problem, const Trajectories& points, const Bones& bones) {
  const Index count = bones.cols() / 4;
  const Eigen::MatrixXd inBasis = bones.transpose() * problem.basis;
  Eigen::MatrixXd squares(10, count);
  for (Index b = 0; b < count; ++b) {
    const auto bone = bones.middleCols(4 * b, 4);
    squares.col(b) = packedForm(bone.transpose() * bone);
  }
  Eigen::MatrixXd errors(count, points.count());
  parallelFor((points.count() + kWeightsBlock - 1) / kWeightsBlock, 1, [&](Index block) {
    const Index first = block * kWeightsBlock;
    const Index size = std::min(kWeightsBlock, points.count() - first);
    const Eigen::MatrixXd linear = inBasis * points.coordinates.middleCols(first, size);
    for (Index i = 0; i < size; ++i) {
      const Eigen::Vector4d x = points.rest.col(first + i);
      const Monomials m = monomials(x);
      for (Index b = 0; b < count; ++b) {
        const double error =
            squares.col(b).dot(m) - 2 * x.dot(linear.col(i).segment<4>(4 * b)) + points.squares[first + i];
        errors(b, first + i) = std::max(0.0, error);
      }
    }
  });
  return errors;
}

}  // namespace sinew::decompose
