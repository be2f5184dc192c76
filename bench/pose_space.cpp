// Pose-space deformation of the packed runtime against plain linear blend.
//   bench_pose_space                       under Google Benchmark, biped at 100,000 vertices
//   bench_pose_space --table FILE          measures everything and writes its part of docs/benchmarks.md
//   bench_pose_space --table FILE --quick  shorter, and without the large meshes
#include <benchmark/benchmark.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "pose_space_table.h"
#include "section.h"
#include "table_main.h"

namespace {

using namespace sinew;
using namespace sinew::bench;

int writeTable(const std::string& file, bool quick) {
  std::vector<Index> sizes = {10000, 100000};
  if (!quick) sizes.push_back(1000000);
  replaceSection(file, PoseSpaceTable(quick ? 2.0 : 20.0).text(sizes));
  return 0;
}

int runGoogleBenchmark(int argc, char** argv) {
  const PosedBiped biped = posedBiped(100000);
  std::vector<std::unique_ptr<CorrectedStage>> stages;
  PlainStage plain(biped);
  std::vector<Way> ways = {plain.way("plain linear blend")};
  for (const DeltaSpace space : {DeltaSpace::Inverse, DeltaSpace::Frame, DeltaSpace::Forward, DeltaSpace::Layered}) {
    for (const double share : {0.2, 1.0}) {
      stages.push_back(std::make_unique<CorrectedStage>(biped, CorrectionCase{.space = space, .share = share}));
      ways.push_back(stages.back()->way(fmt::format("{}/{:.0f}%", nameOf(space), 100 * share)));
    }
  }
  for (const Way& way : ways) {
    for (const int threads : {1, 2}) {
      const std::string name = fmt::format("{}/threads:{}", way.name, threads);
      benchmark::RegisterBenchmark(name.c_str(), [&biped, way, threads](benchmark::State& state) {
        const ThreadLimit limit(threads);
        for ([[maybe_unused]] auto _ : state) {
          way.run();
          benchmark::ClobberMemory();
        }
        state.SetItemsProcessed(state.iterations() * biped.character.mesh.vertexCount());
      })->UseRealTime();
    }
  }
  return runRegistered(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  return tableMain(argc, argv, writeTable, runGoogleBenchmark);
}
