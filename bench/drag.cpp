// Dragging vertices: both stages for one vertex by its number of influences, and a step with a soft
// selection of a thousand vertices on a character of 100,000.
//
//   bench_drag --benchmark_filter=Drag
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/manipulate/drag_weights.h"
#include "sinew/manipulate/drag_weights/solve.h"
#include "sinew/samples/samples.h"

namespace sinew {
namespace {

using drag_weights::ReachOptions;
using drag_weights::ReachSolver;

void vertex(benchmark::State& state, const ReachOptions& options) {
  const auto count = static_cast<Index>(state.range(0));
  Lcg random(300 + static_cast<std::uint32_t>(count));
  Points corners(3, count);
  for (Index i = 0; i < count; ++i) corners.col(i) = random.vector();
  std::vector<Vec3> targets;
  targets.reserve(128);
  for (int i = 0; i < 128; ++i) targets.emplace_back(1.5 * random.vector());
  const Eigen::VectorXd start = Eigen::VectorXd::Constant(count, 1 / static_cast<double>(count));
  Eigen::VectorXd weights(count);
  ReachSolver solver;
  std::size_t at = 0;
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(solver.solve(corners, start, targets[at], options, weights).distance);
    at = (at + 1) % targets.size();
  }
}

void squares(benchmark::State& state) {
  vertex(state, {});
}
void sums(benchmark::State& state) {
  vertex(state, {.secondStage = SecondStage::LeastSum});
}
void negative(benchmark::State& state) {
  vertex(state, {.negative = true});
}
void fourOfEight(benchmark::State& state) {
  vertex(state, {.most = 4});
}
BENCHMARK(squares)->Name("Drag/Vertex")->Arg(2)->Arg(3)->Arg(4)->Arg(8)->Arg(16)->Unit(benchmark::kMicrosecond);
BENCHMARK(sums)->Name("Drag/Vertex/LeastSum")->Arg(4)->Arg(8)->Unit(benchmark::kMicrosecond);
BENCHMARK(negative)->Name("Drag/Vertex/Negative")->Arg(8)->Unit(benchmark::kMicrosecond);
BENCHMARK(fourOfEight)->Name("Drag/Vertex/AtMostFour")->Arg(8)->Unit(benchmark::kMicrosecond);

/// A biped whose vertices all have four influences: their own, and joints around them.
Character fourInfluences() {
  Character biped = makeSample("biped", {.vertices = 100000}).character;
  const auto joints = static_cast<std::uint32_t>(biped.skin.bindings.size());
  std::vector<std::uint32_t> offsets{0};
  std::vector<Influence> influences;
  for (Index v = 0; v < biped.mesh.vertexCount(); ++v) {
    const auto old = biped.skin.weights[v];
    const auto have = [&](std::uint32_t binding) { return biped.skin.weights.weight(v, binding) > 0; };
    std::vector<Influence> column(old.begin(), old.end());
    for (std::uint32_t next = old[0].binding; column.size() < 4; next = (next + 1) % joints) {
      if (!have(next)) column.push_back({next, 0.1});
    }
    double sum = 0;
    for (const Influence& influence : column) sum += influence.weight;
    for (const Influence& influence : column) influences.push_back({influence.binding, influence.weight / sum});
    offsets.push_back(static_cast<std::uint32_t>(influences.size()));
  }
  biped.skin.weights = SkinWeights(joints, std::move(offsets), std::move(influences));
  return biped;
}

struct SoftCase {
  Character character = fourInfluences();
  std::shared_ptr<const DragSurface> surface = std::make_shared<const DragSurface>(character);
  Pose pose = restPose(character);
  double radius = 0.01;

  SoftCase() {
    for (LocalTransform& local : pose.local)
      local.rotation = local.rotation * Quat(Eigen::AngleAxisd(0.35, Vec3(0.3, 1, 0.2).normalized()));
    while (begin().vertices().size() < 1000) radius *= 1.05;
  }
  [[nodiscard]] DragSession begin() const {
    return {character, {.vertices = {40000}, .pose = pose}, {.soft = radius}, surface};
  }
  static const SoftCase& get() {
    static const SoftCase instance;
    return instance;
  }
};

void softStep(benchmark::State& state, int threads) {
  DragSession session = SoftCase::get().begin();
  const ThreadLimit limit(threads);
  int k = 0;
  while (state.KeepRunning()) {
    const double angle = 0.1 * ++k;
    session.move(0.1 * Vec3(std::cos(angle), std::sin(angle), std::sin(2 * angle)));
    benchmark::DoNotOptimize(session.vertices().data());
  }
  state.counters["vertices"] = static_cast<double>(session.vertices().size());
}
void softStepOneCore(benchmark::State& state) {
  softStep(state, 1);
}
void softStepAllCores(benchmark::State& state) {
  softStep(state, 0);
}
void softBegin(benchmark::State& state) {
  const SoftCase& soft = SoftCase::get();
  while (state.KeepRunning()) benchmark::DoNotOptimize(soft.begin().vertices().data());
}
void softFinish(benchmark::State& state) {
  const DragSession session = SoftCase::get().begin();
  while (state.KeepRunning()) benchmark::DoNotOptimize(session.finish().maxInfluences());
}
void makeSurface(benchmark::State& state) {
  const SoftCase& soft = SoftCase::get();
  while (state.KeepRunning()) benchmark::DoNotOptimize(DragSurface(soft.character).weld().pointCount());
}
BENCHMARK(softStepOneCore)->Name("Drag/Soft/Step/OneCore")->Unit(benchmark::kMillisecond);
BENCHMARK(softStepAllCores)->Name("Drag/Soft/Step/AllCores")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(softBegin)->Name("Drag/Soft/Begin")->Unit(benchmark::kMillisecond);
BENCHMARK(softFinish)->Name("Drag/Soft/Finish")->Unit(benchmark::kMillisecond);
BENCHMARK(makeSurface)->Name("Drag/Soft/Surface")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sinew

BENCHMARK_MAIN();
