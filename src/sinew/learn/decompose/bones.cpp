// Alternation finds only the nearest local minimum, so the start matters. Bones are added like the centres of a vector
// quantiser, each at the largest error, and exchanged afterwards: a bone that its vertices hardly need moves to where
// the error is largest, and stays there if the error is lower after a few rounds.
#include "sinew/learn/decompose/bones.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include "sinew/base/parallel.h"
#include "sinew/learn/decompose/transforms.h"

namespace sinew::decompose {
namespace {

constexpr int kLloydRounds = 2;      // after each new bone
constexpr int kLastLloydRounds = 6;  // after the last
constexpr int kSweeps = 6;           // of rigid bones in a round
constexpr int kTrialRounds = 4;      // that an exchanged bone has to prove itself
constexpr double kStalled = 5e-4;    // a round must lower the error by this share
constexpr double kExchangeGain = 2e-3;
constexpr Index kLeastPatch = 12;     // vertices that a new bone starts from,
constexpr Index kFewestVertices = 3;  // and that is no better than the bones around it
constexpr int kRevivals = 6;
constexpr double kExact = 1e-13;  // of a vertex's square: rounding

Bones identityBones(Index examples, Index count) {
  Bones bones = Bones::Zero(3 * examples, 4 * count);
  for (Index p = 0; p < examples; ++p)
    for (Index b = 0; b < count; ++b) bones.block<3, 3>(3 * p, 4 * b).setIdentity();
  return bones;
}

/// The vertices that move most like one of them, itself first.
std::vector<Index> patchAround(const Trajectories& points, Index centre, Index size) {
  const Eigen::VectorXd away =
      (points.coordinates.colwise() - points.coordinates.col(centre)).colwise().squaredNorm().transpose();
  std::vector<Index> order(toSize(points.count()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto count = std::min<std::size_t>(order.size(), toSize(size));
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](Index a, Index b) { return away[a] != away[b] ? away[a] < away[b] : a < b; });
  order.resize(count);
  return order;
}

/// One rigid bone, fitted to some vertices.
Bones boneOfVertices(const DecomposeProblem& problem, const Trajectories& points, std::span<const Index> vertices) {
  const Trajectories some = subset(points, vertices);
  const BoneWeights weights{Eigen::MatrixXi::Zero(1, some.count()), Eigen::MatrixXd::Ones(1, some.count())};
  Bones bone = identityBones(problem.examples(), 1);
  solveRigidBones(boneMoments(problem, some, weights, 1), 1, bone);
  return bone;
}

/// Vertices that a new bone starts from.
Index patchSize(const Trajectories& points, Index bones) {
  return std::max(kLeastPatch, points.count() / (4 * std::max<Index>(1, bones)));
}

Bones boneOfPatch(const DecomposeProblem& problem, const Trajectories& points, Index centre, Index size) {
  return boneOfVertices(problem, points, patchAround(points, centre, size));
}

/// A patch's bone, as the search writes bones.
Bones freshBone(const BoneSearch& search, const Trajectories& points, Index centre, Index size) {
  const Bones bone = boneOfPatch(search.frames, points, centre, size);
  return search.rigid ? bone : search.frames.basis.transpose() * bone;
}

/// Per bone the vertex of its largest error; the bones by the sums of theirs, largest first. Bones that leave no error
/// are left out.
std::vector<Index> worstVertices(const Eigen::VectorXd& errors, const std::vector<int>& labels, Index bones) {
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(bones);
  std::vector<Index> worst(toSize(bones), -1);
  for (Index v = 0; v < errors.size(); ++v) {
    const int label = labels[toSize(v)];
    sums[label] += errors[v];
    Index& at = worst[toSize(label)];
    if (at < 0 || errors[v] > errors[at]) at = v;
  }
  std::vector<Index> order;
  for (Index b = 0; b < bones; ++b)
    if (worst[toSize(b)] >= 0 && sums[b] > 0) order.push_back(b);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return sums[a] > sums[b]; });
  for (Index& b : order) b = worst[toSize(b)];
  return order;
}

std::vector<int> labelsOf(const BoneWeights& weights) {
  std::vector<int> labels;
  for (Index v = 0; v < weights.weights.cols(); ++v) {
    Index best = 0;
    weights.weights.col(v).maxCoeff(&best);
    labels.push_back(weights.bones(best, v));
  }
  return labels;
}

/// By how much the error grows without each bone, by the other bones of its vertices and one more.
std::vector<double> removalCosts(const DecomposeProblem& problem, const Trajectories& points, const BoneSearch& search,
                                 const Decomposition& state) {
  const Index count = state.bones.cols() / 4;
  const BoneWeights& weights = state.step.weights;
  std::vector<std::vector<Index>> touchedBy(toSize(count));
  for (Index v = 0; v < points.count(); ++v)
    for (Index i = 0; i < weights.bones.rows(); ++i)
      if (weights.weights(i, v) != 0) touchedBy[toSize(weights.bones(i, v))].push_back(v);
  const BoneProducts products(problem, state.bones);
  std::vector<double> costs;
  for (int b = 0; b < count; ++b) {
    const std::vector<Index>& touched = touchedBy[toSize(b)];
    const Trajectories some = subset(points, touched);
    BoneWeights start{Eigen::MatrixXi(weights.bones.rows(), some.count()),
                      Eigen::MatrixXd(weights.bones.rows(), some.count())};
    double before = 0;
    for (std::size_t i = 0; i < touched.size(); ++i) {
      start.bones.col(static_cast<Index>(i)) = weights.bones.col(touched[i]);
      start.weights.col(static_cast<Index>(i)) = weights.weights.col(touched[i]);
      before += state.step.errors[touched[i]];
    }
    costs.push_back(solveBoneWeights(products, some, search.rule, &start, b).total - before);
  }
  return costs;
}

/// Rigid bones, each vertex on its best one. Bones with unchanged vertices are unchanged, so the cost of a new bone
/// depends only on its neighbours.
class GrowingBones {
 public:
  GrowingBones(const DecomposeProblem& problem, const Trajectories& points, Index most)
      : problem_(problem),
        points_(points),
        most_(most),
        bones_(3 * problem.examples(), 4 * most),
        errors_(most, points.count()),
        labels_(toSize(points.count()), 0) {
    std::vector<Index> all(toSize(points.count()));
    std::iota(all.begin(), all.end(), Index{0});
    count_ = 1;
    bones_.leftCols<4>() = boneOfVertices(problem, points, all);
    errors_.row(0) = singleBoneErrors(problem, points, bones_.leftCols<4>());
  }

  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Bones bones() const { return bones_.leftCols(4 * count_); }

  /// Adds a bone where the error is largest. False if no patch of vertices would be fitted better by its own bone.
  bool grow() {
    Eigen::VectorXd least(points_.count());
    std::vector<Index> members(toSize(count_), 0);
    for (Index v = 0; v < points_.count(); ++v) {
      const int label = labels_[toSize(v)];
      least[v] = errors_(label, v);
      ++members[toSize(label)];
    }
    for (const Index centre : worstVertices(least, labels_, count_)) {
      if (least[centre] <= kExact * points_.squares[centre]) continue;
      // A patch as large as the bone that it leaves would be carried by that bone again.
      const Index own = members[toSize(labels_[toSize(centre)])];
      for (Index size = std::min(patchSize(points_, most_), own - 1); size >= kFewestVertices; size /= 2) {
        const Bones bone = boneOfPatch(problem_, points_, centre, size);
        const Eigen::RowVectorXd errors = singleBoneErrors(problem_, points_, bone);
        if (!(errors[centre] < least[centre])) continue;
        bones_.middleCols<4>(4 * count_) = bone;
        errors_.row(count_++) = errors;
        return true;
      }
    }
    return false;
  }

  /// Assigns every vertex to its best bone, and refits bones that lost or gained vertices.
  void settle(int rounds) {
    std::vector<Index> changed{count_ - 1};
    for (int round = 0; round < rounds && !changed.empty(); ++round) changed = refit(relabel(changed));
  }

 private:
  /// Best bones after `changed` ones have moved; the bones whose vertices are others now.
  std::vector<Index> relabel(const std::vector<Index>& changed) {
    std::vector<std::uint8_t> moved(toSize(count_), 0);
    for (const Index b : changed) moved[toSize(b)] = 1;
    std::vector<std::uint8_t> touched(toSize(count_), 0);
    for (Index v = 0; v < points_.count(); ++v) {
      int& label = labels_[toSize(v)];
      Index best = label;
      if (moved[toSize(label)] != 0) {
        errors_.col(v).head(count_).minCoeff(&best);
      } else {
        for (const Index b : changed)
          if (errors_(b, v) < errors_(best, v)) best = b;
      }
      if (best == label) continue;
      touched[toSize(label)] = touched[toSize(best)] = 1;
      label = static_cast<int>(best);
    }
    std::vector<Index> result;
    for (Index b = 0; b < count_; ++b)
      if (touched[toSize(b)] != 0) result.push_back(b);
    return result;
  }

  /// Returns those that have vertices: a bone that lost all of them would jump to the identity, so it is kept.
  std::vector<Index> refit(const std::vector<Index>& which) {
    std::vector<std::vector<Index>> members(toSize(count_));
    for (Index v = 0; v < points_.count(); ++v) members[toSize(labels_[toSize(v)])].push_back(v);
    std::vector<Index> fitted;
    for (const Index b : which)
      if (!members[toSize(b)].empty()) fitted.push_back(b);
    Bones fresh(bones_.rows(), 4 * static_cast<Index>(fitted.size()));
    parallelFor(static_cast<Index>(fitted.size()), 1, [&](Index i) {
      const Index b = fitted[toSize(i)];
      fresh.middleCols<4>(4 * i) = boneOfVertices(problem_, points_, members[toSize(b)]);
    });
    const Eigen::MatrixXd errors = singleBoneErrors(problem_, points_, fresh);
    for (std::size_t i = 0; i < fitted.size(); ++i) {
      bones_.middleCols<4>(4 * fitted[i]) = fresh.middleCols<4>(4 * static_cast<Index>(i));
      errors_.row(fitted[i]) = errors.row(static_cast<Index>(i));
    }
    return fitted;
  }

  const DecomposeProblem& problem_;
  const Trajectories& points_;
  Index most_;
  Index count_ = 0;
  Bones bones_;
  Eigen::MatrixXd errors_;  ///< bones x vertices
  std::vector<int> labels_;
};

/// Bones without vertices.
std::vector<Index> idleBones(const Decomposition& state) {
  std::vector<std::uint8_t> busy(toSize(state.bones.cols() / 4), 0);
  const BoneWeights& weights = state.step.weights;
  for (Index v = 0; v < weights.bones.cols(); ++v)
    for (Index i = 0; i < weights.bones.rows(); ++i)
      if (weights.weights(i, v) > 0) busy[toSize(weights.bones(i, v))] = 1;
  std::vector<Index> idle;
  for (std::size_t b = 0; b < busy.size(); ++b)
    if (busy[b] == 0) idle.push_back(static_cast<Index>(b));
  return idle;
}

}  // namespace

Bones growBones(const DecomposeProblem& problem, const Trajectories& points, Index count, const Progress& progress) {
  GrowingBones growing(problem, points, count);
  while (growing.count() < count && growing.grow()) {
    report(progress, {.fraction = 0.1 + 0.2 * static_cast<double>(growing.count()) / static_cast<double>(count),
                      .stage = "bones",
                      .value = static_cast<double>(growing.count())});
    growing.settle(growing.count() == count ? kLastLloydRounds : kLloydRounds);
  }
  return growing.bones();
}

void alternate(const DecomposeProblem& problem, const Trajectories& points, const BoneSearch& search, int rounds,
               Decomposition& state) {
  const Index count = state.bones.cols() / 4;
  for (int round = 0; round < rounds; ++round) {
    const BoneMoments moments = boneMoments(problem, points, state.step.weights, count, search.rule.cohesion);
    if (search.rigid) {
      solveRigidBones(moments, kSweeps, state.bones);
    } else {
      solveAffineBones(moments, state.bones);
    }
    const double before = state.step.total;
    state.step = solveBoneWeights(problem, points, state.bones, search.rule, &state.step.weights);
    if (state.step.total > (1 - kStalled) * before) break;
  }
}

int exchangeBones(const DecomposeProblem& problem, const Trajectories& points, const BoneSearch& search, int tries,
                  Decomposition& state, const Progress& progress) {
  const Index count = state.bones.cols() / 4;
  if (count < 2) return 0;
  int kept = 0;
  Index failed = 0;
  std::vector<double> costs = removalCosts(problem, points, search, state);
  for (int attempt = 0; attempt < tries && failed < 4; ++attempt) {
    report(progress, {.fraction = 0.3 + 0.5 * attempt / tries, .stage = "bones", .value = state.step.total});
    const auto least = static_cast<Index>(std::min_element(costs.begin(), costs.end()) - costs.begin());
    const std::vector<Index> worst = worstVertices(state.step.errors, labelsOf(state.step.weights), count);
    if (worst.empty()) break;
    const Index centre = worst[toSize(failed) % worst.size()];
    Decomposition trial = state;
    trial.bones.middleCols(4 * least, 4) = freshBone(search, points, centre, patchSize(points, count));
    BoneWeights start = state.step.weights;
    start.weights = (start.bones.array() == static_cast<int>(least)).select(0.0, start.weights);
    trial.step = solveBoneWeights(problem, points, trial.bones, search.rule, &start);
    alternate(problem, points, search, kTrialRounds, trial);
    if (trial.step.total < (1 - kExchangeGain) * state.step.total) {
      state = std::move(trial);
      costs = removalCosts(problem, points, search, state);
      ++kept;
      failed = 0;
    } else {
      ++failed;
    }
  }
  return kept;
}

void reviveBones(const DecomposeProblem& problem, const Trajectories& points, const BoneSearch& search,
                 Decomposition& state, const Progress& progress) {
  const Index count = state.bones.cols() / 4;
  Index size = patchSize(points, count);
  std::size_t before = 0;
  for (int attempt = 0; attempt < kRevivals; ++attempt, size = std::max(kFewestVertices, size / 2)) {
    const std::vector<Index> idle = idleBones(state);
    const std::vector<Index> worst = worstVertices(state.step.errors, labelsOf(state.step.weights), count);
    if (idle.empty() || worst.empty()) return;
    if (size == kFewestVertices && idle.size() == before) return;
    before = idle.size();
    report(progress, {.fraction = 0.8, .stage = "bones", .value = state.step.total});
    for (std::size_t i = 0; i < std::min(idle.size(), worst.size()); ++i)
      state.bones.middleCols<4>(4 * idle[i]) = freshBone(search, points, worst[i], size);
    state.step = solveBoneWeights(problem, points, state.bones, search.rule, &state.step.weights);
    alternate(problem, points, search, kTrialRounds, state);
  }
}

}  // namespace sinew::decompose
