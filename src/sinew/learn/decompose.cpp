// Le and Deng, "Smooth skinning decomposition with rigid bones" (SIGGRAPH Asia 2012):
//   minimise sum_p sum_v |sum_b w_vb T_b^p x_v - y_v^p|^2   over weights (non-negative, sum 1, at most K per vertex)
//   and rigid (or affine) bones T, in alternation.
// Departures: bones grow one at a time where the error is largest and are exchanged afterwards (the start decides what
// an alternation can reach); each vertex searches its best set of bones among all of them; sums over vertices and
// examples are taken once per half-step (decompose/problem.h); bones are found on a sample of the vertices.
#include "sinew/learn/decompose.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/base/check.h"
#include "sinew/base/random.h"
#include "sinew/learn/decompose/bones.h"
#include "sinew/learn/reduced_model/clusters.h"
#include "sinew/learn/reduced_model/report.h"
#include "sinew/learn/reduced_proxies.h"
#include "sinew/learn/reduced_skeleton.h"

namespace sinew::decompose {
namespace {

constexpr const char* kWhere = "skinning decomposition";
constexpr double kLeastArea = 0.003;
constexpr std::size_t kMostCounted = 48;  ///< examples by which the number of bones is found

void checkOptions(const DecomposeOptions& options, std::size_t examples) {
  SINEW_CHECK(options.bones >= 0, kWhere,
              fmt::format("{} bones are requested; it must be 1 or more, or 0 for automatic", options.bones));
  SINEW_CHECK(options.maxInfluences >= 1 && options.maxInfluences <= 16, kWhere,
              fmt::format("{} influences per vertex are requested; it must be 1 to 16", options.maxInfluences));
  SINEW_CHECK(options.rest < static_cast<int>(examples), kWhere,
              fmt::format("example {} is selected as the rest, but there are {} examples", options.rest, examples));
  SINEW_CHECK(options.rounds >= 0 && options.exchanges >= 0 && options.sampleVertices >= 1 && options.lastRounds >= 1,
              kWhere, "rounds, exchanges and sampled vertices must not be negative, and one last round is needed");
}

/// Every `n`th vertex with some jitter: every part of the file is sampled, but no pattern in it.
std::vector<Index> sampleOf(Index vertices, Index wanted, int seed) {
  const Index count = std::min(vertices, wanted);
  std::vector<Index> pick;
  auto random = Lcg(static_cast<std::uint32_t>(seed));
  for (Index i = 0; i < count; ++i) {
    const double at =
        (static_cast<double>(i) + random.uniform()) * static_cast<double>(vertices) / static_cast<double>(count);
    const auto vertex = count == vertices ? i : static_cast<Index>(at);
    pick.push_back(std::min(vertex, vertices - 1));
  }
  return pick;
}

/// As many as the mean shift finds groups, in examples that are spread evenly where there are many.
Index automaticCount(const reduced_model::PreparedExamples& prepared, int seed) {
  const std::size_t count = std::min(prepared.aligned.size(), kMostCounted);
  std::vector<Points> some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(prepared.aligned[i * prepared.aligned.size() / count]);
  const reduced_model::RotationFeatures features =
      reduced_model::rotationFeatures(prepared.surface, prepared.graph, prepared.rest, some, 3000, 600, seed);
  return reduced_model::groupsOfBandwidth(prepared.graph, features, reduced_model::bandwidthOfSpread(features),
                                          kLeastArea)
      .count;
}

/// Bones of the scaled problem as maps of the rest.
std::vector<std::vector<Affine>> controlsOf(const DecomposeProblem& problem, const Bones& bones) {
  std::vector<std::vector<Affine>> controls(toSize(problem.examples()));
  for (std::size_t p = 0; p < controls.size(); ++p) {
    for (Index b = 0; b < bones.cols() / 4; ++b) {
      const Eigen::Matrix<double, 3, 4> map = bones.block<3, 4>(3 * static_cast<Index>(p), 4 * b);
      Affine control;
      control.linear() = map.leftCols<3>();
      control.translation() = map.col(3) / problem.scale + problem.centre - control.linear() * problem.centre;
      controls[p].push_back(control);
    }
  }
  return controls;
}

/// Weights of all vertices: unused ones, which are in no face, follow the first bone.
SkinWeights weightsOf(const BoneWeights& weights, std::span<const std::uint8_t> used, Index bones) {
  std::vector<std::vector<Influence>> columns(used.size());
  Index next = 0;
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (used[v] == 0) {
      columns[v] = {{0, 1.0}};
      continue;
    }
    for (Index i = 0; i < weights.bones.rows(); ++i) {
      if (weights.weights(i, next) > 0)
        columns[v].push_back({static_cast<std::uint32_t>(weights.bones(i, next)), weights.weights(i, next)});
    }
    ++next;
  }
  return SkinWeights::fromColumns(toSize(bones), columns);
}

/// The bone with the most weight on each triangle.
std::vector<std::uint32_t> triangleLabels(const reduced_model::ReducedSurface& surface, const SkinWeights& weights) {
  std::vector<std::uint32_t> labels;
  std::vector<double> sums(weights.bindingCount(), 0.0);
  for (const Triangle& triangle : surface.triangles) {
    std::uint32_t best = weights[triangle[0]].front().binding;
    for (const std::uint32_t v : triangle) {
      for (const Influence& influence : weights[v]) {
        sums[influence.binding] += influence.weight;
        if (sums[influence.binding] > sums[best]) best = influence.binding;
      }
    }
    labels.push_back(best);
    for (const std::uint32_t v : triangle)
      for (const Influence& influence : weights[v]) sums[influence.binding] = 0;
  }
  return labels;
}

/// Bones without vertices are removed, the others numbered along the longest side of the rest.
void orderBones(const Trajectories& points, Decomposition& state) {
  const Index count = state.bones.cols() / 4;
  Index axis = 0;
  (points.rest.topRows<3>().rowwise().maxCoeff() - points.rest.topRows<3>().rowwise().minCoeff()).maxCoeff(&axis);
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(count);
  Eigen::VectorXd along = Eigen::VectorXd::Zero(count);
  BoneWeights& weights = state.step.weights;
  for (Index v = 0; v < points.count(); ++v) {
    for (Index i = 0; i < weights.bones.rows(); ++i) {
      sums[weights.bones(i, v)] += weights.weights(i, v);
      along[weights.bones(i, v)] += weights.weights(i, v) * points.rest(axis, v);
    }
  }
  std::vector<Index> order;
  for (Index b = 0; b < count; ++b)
    if (sums[b] > 0) order.push_back(b);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return along[a] / sums[a] > along[b] / sums[b]; });
  Bones bones(state.bones.rows(), 4 * static_cast<Index>(order.size()));
  std::vector<int> number(toSize(count), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    bones.middleCols(4 * static_cast<Index>(i), 4) = state.bones.middleCols(4 * order[i], 4);
    number[toSize(order[i])] = static_cast<int>(i);
  }
  state.bones = std::move(bones);
  weights.bones = weights.bones.unaryExpr([&](int b) { return number[toSize(b)]; });
}

Decomposition decompose(const DecomposeProblem& problem, Index count, const DecomposeOptions& options,
                        reduced_model::StageClock& clock, const Progress& progress) {
  const std::vector<Index> pick = sampleOf(problem.all.count(), options.sampleVertices, options.seed);
  const Trajectories sample = subset(problem.all, pick);
  const BoneSearch search{problem, options.rigid, {options.maxInfluences, options.cohesion}};
  Decomposition state;
  state.bones = growBones(problem, sample, std::min(count, sample.count()), progress);
  clock.lap("bones");
  report(progress, {.fraction = 0.3, .stage = "weights and transforms"});
  // Affine bones are a linear function of the trajectories, so they need no more directions than these.
  DecomposeProblem directions;
  if (!options.rigid) {
    directions.basis.setIdentity(problem.basis.cols(), problem.basis.cols());
    state.bones = problem.basis.transpose() * state.bones;
  }
  const DecomposeProblem& fitted = options.rigid ? problem : directions;
  state.step = solveBoneWeights(fitted, sample, state.bones, search.rule);
  alternate(fitted, sample, search, options.rounds, state);
  exchangeBones(fitted, sample, search, options.exchanges, state, progress);
  alternate(fitted, sample, search, 2 * options.rounds, state);
  reviveBones(fitted, sample, search, state, progress);
  clock.lap("weights and transforms");
  report(progress, {.fraction = 0.85, .stage = "all vertices"});
  if (sample.count() < problem.all.count()) {
    state.step = solveBoneWeights(fitted, problem.all, state.bones, search.rule);
    alternate(fitted, problem.all, search, options.lastRounds, state);
  }
  if (!options.rigid) state.bones = problem.basis * state.bones;
  orderBones(problem.all, state);
  clock.lap("all vertices");
  return state;
}

}  // namespace
}  // namespace sinew::decompose

namespace sinew {

ReducedResult decomposeSkin(const Mesh& topology, std::span<const Points> examples, std::span<const std::string> names,
                            const std::optional<Points>& rest, const DecomposeOptions& options,
                            const Progress& progress) {
  decompose::checkOptions(options, examples.size());
  reduced_model::StageClock clock;
  ReducedResult result;
  ReducedModel& model = result.model;
  report(progress, {.fraction = 0, .stage = "checks"});
  const reduced_model::PreparedExamples prepared =
      reduced_model::prepareExamples(topology, examples, names, rest, options.rest, options.seed, clock);
  reduced_model::fillModel(prepared, model);
  report(progress, {.fraction = 0.1, .stage = "bones"});
  const Index count = options.bones > 0 ? options.bones : decompose::automaticCount(prepared, options.seed);
  const decompose::DecomposeProblem problem =
      decompose::makeDecomposeProblem(prepared.rest, prepared.aligned, prepared.surface.used);
  const decompose::Decomposition found = decompose::decompose(problem, count, options, clock, progress);

  model.rigid = options.rigid;
  model.controls = decompose::controlsOf(problem, found.bones);
  if (model.restExample >= 0) {
    auto& atRest = model.controls[toSize(model.restExample)];
    std::fill(atRest.begin(), atRest.end(), Affine::Identity());
  }
  model.weights = decompose::weightsOf(found.step.weights, prepared.surface.used, found.bones.cols() / 4);
  model.parents = controlHierarchy(model.rest, model.weights);
  model.labels = reduced_model::labelsOfSource(prepared, decompose::triangleLabels(prepared.surface, model.weights));
  reduced_model::finish(
      prepared, {.proxies = options.proxies, .requested = options.bones, .proxiesBegin = 0.92, .errorsBegin = 0.96},
      clock, progress, result);
  return result;
}

}  // namespace sinew
