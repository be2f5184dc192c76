// Alternation finds the nearest valley only, so bones must start well. They grow like the centres of a vector
// quantiser, each at the largest error, and are exchanged afterwards: a bone whose vertices do almost as well without
// it moves to where the error is largest, and stays if a few rounds prove it right.
#include "sinew/learn/decompose_bones.h"

#include <algorithm>
#include <numeric>

#include "sinew/learn/decompose_transforms.h"

namespace sinew {
namespace {

constexpr int kLloydRounds = 2;      // after each new bone
constexpr int kLastLloydRounds = 6;  // after the last
constexpr int kSweeps = 6;           // of rigid bones in a round
constexpr int kTrialRounds = 3;      // that an exchanged bone has to prove itself
constexpr double kStalled = 5e-4;    // a round must lower the error by this share
constexpr double kExchangeGain = 2e-3;
constexpr Index kLeastPatch = 12;  // vertices that a new bone starts from

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
  std::vector<Index> order(static_cast<std::size_t>(points.count()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto count = std::min<std::size_t>(order.size(), static_cast<std::size_t>(size));
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](Index a, Index b) { return away[a] != away[b] ? away[a] < away[b] : a < b; });
  order.resize(count);
  return order;
}

Bones boneOfPatch(const DecomposeProblem& problem, const Trajectories& points, Index centre, Index bones) {
  const Index size = std::max(kLeastPatch, points.count() / (4 * std::max<Index>(1, bones)));
  const Trajectories patch = subset(points, patchAround(points, centre, size));
  return bonesOfLabels(problem, patch, std::vector<int>(static_cast<std::size_t>(patch.count()), 0), 1);
}

/// The vertex of the largest error within the bone that leaves the largest sum of errors. `rank` 0 is that bone, 1 the
/// next.
Index worstVertex(const Eigen::VectorXd& errors, const std::vector<int>& labels, Index bones, Index rank) {
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(bones);
  std::vector<Index> worst(static_cast<std::size_t>(bones), -1);
  for (Index v = 0; v < errors.size(); ++v) {
    const int label = labels[static_cast<std::size_t>(v)];
    sums[label] += errors[v];
    Index& at = worst[static_cast<std::size_t>(label)];
    if (at < 0 || errors[v] > errors[at]) at = v;
  }
  std::vector<Index> order;
  for (Index b = 0; b < bones; ++b)
    if (worst[static_cast<std::size_t>(b)] >= 0) order.push_back(b);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return sums[a] > sums[b]; });
  const auto chosen = static_cast<std::size_t>(rank) % order.size();
  return worst[static_cast<std::size_t>(order[chosen])];
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
  std::vector<double> costs;
  for (int b = 0; b < count; ++b) {
    std::vector<Index> touched;
    for (Index v = 0; v < points.count(); ++v) {
      for (Index i = 0; i < weights.bones.rows(); ++i) {
        if (weights.bones(i, v) != b || weights.weights(i, v) == 0) continue;
        touched.push_back(v);
        break;
      }
    }
    const Trajectories some = subset(points, touched);
    BoneWeights start{Eigen::MatrixXi(weights.bones.rows(), some.count()),
                      Eigen::MatrixXd(weights.bones.rows(), some.count())};
    double before = 0;
    for (std::size_t i = 0; i < touched.size(); ++i) {
      start.bones.col(static_cast<Index>(i)) = weights.bones.col(touched[i]);
      start.weights.col(static_cast<Index>(i)) = weights.weights.col(touched[i]);
      before += state.step.errors[touched[i]];
    }
    costs.push_back(solveBoneWeights(problem, some, state.bones, search.rule, &start, b).total - before);
  }
  return costs;
}

}  // namespace

Bones bonesOfLabels(const DecomposeProblem& problem, const Trajectories& points, const std::vector<int>& labels,
                    Index count) {
  BoneWeights weights{Eigen::MatrixXi::Zero(1, points.count()), Eigen::MatrixXd::Zero(1, points.count())};
  for (Index v = 0; v < points.count(); ++v) {
    const int label = labels[static_cast<std::size_t>(v)];
    if (label < 0) continue;
    weights.bones(0, v) = label;
    weights.weights(0, v) = 1;
  }
  Bones bones = identityBones(problem.examples(), count);
  solveRigidBones(boneMoments(problem, points, weights, count), 1, bones);
  return bones;
}

Bones growBones(const DecomposeProblem& problem, const Trajectories& points, Index count) {
  std::vector<int> labels(static_cast<std::size_t>(points.count()), 0);
  Bones bones = bonesOfLabels(problem, points, labels, 1);
  Eigen::MatrixXd errors = singleBoneErrors(problem, points, bones);
  for (Index n = 1; n < count; ++n) {
    const Index centre = worstVertex(errors.colwise().minCoeff().transpose(), labels, n, 0);
    Bones more(bones.rows(), 4 * (n + 1));
    more << bones, boneOfPatch(problem, points, centre, count);
    bones = std::move(more);
    const int rounds = n + 1 == count ? kLastLloydRounds : kLloydRounds;
    for (int round = 0; round < rounds; ++round) {
      errors = singleBoneErrors(problem, points, bones);
      for (Index v = 0; v < points.count(); ++v) {
        Index best = 0;
        errors.col(v).minCoeff(&best);
        labels[static_cast<std::size_t>(v)] = static_cast<int>(best);
      }
      // A bone that lost all its vertices would jump to the identity: it stays.
      const Bones settled = bonesOfLabels(problem, points, labels, n + 1);
      std::vector<Index> members(static_cast<std::size_t>(n) + 1, 0);
      for (const int label : labels) ++members[static_cast<std::size_t>(label)];
      for (Index b = 0; b <= n; ++b)
        if (members[static_cast<std::size_t>(b)] > 0) bones.middleCols(4 * b, 4) = settled.middleCols(4 * b, 4);
    }
    errors = singleBoneErrors(problem, points, bones);
  }
  return bones;
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
    const Index centre = worstVertex(state.step.errors, labelsOf(state.step.weights), count, failed);
    Decomposition trial = state;
    trial.bones.middleCols(4 * least, 4) = boneOfPatch(problem, points, centre, count);
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

}  // namespace sinew
