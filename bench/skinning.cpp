// The packed runtime against other implementations.
//   bench_skinning                     under Google Benchmark, biped at 100,000 and 1,000,000 vertices
//   bench_skinning --table FILE        measures everything and writes docs/benchmarks.md
//   bench_skinning --table FILE --quick  without the large meshes
#include <benchmark/benchmark.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "skinning_table.h"
#include "table_main.h"

namespace {

using namespace sinew;
using namespace sinew::bench;

int writeTable(const std::string& file, bool quick) {
  std::vector<Index> sizes = {10000, 30000, 100000};
  if (!quick) sizes.insert(sizes.end(), {300000, 1000000, 2000000});
  TableWriter(file, quick ? 2.0 : 20.0).write(sizes);
  return 0;
}

void registerStage(const std::shared_ptr<Stage>& stage, int threads) {
  for (const Way& way : threads == 1 ? stage->ways() : stage->packedWays()) {
    const std::string name = fmt::format("biped/{}/{}/threads:{}", stage->vertices, way.name, threads);
    benchmark::RegisterBenchmark(name.c_str(), [stage, way, threads](benchmark::State& state) {
      const ThreadLimit limit(threads);
      for ([[maybe_unused]] auto _ : state) {
        way.run();
        benchmark::ClobberMemory();
      }
      state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(stage->vertices));
    })->UseRealTime();
  }
}

int runGoogleBenchmark(int argc, char** argv) {
  for (const Index size : {Index{100000}, Index{1000000}}) {
    const auto stage = std::make_shared<Stage>(biped(size));
    for (const int threads : {1, 2}) registerStage(stage, threads);
  }
  return runRegistered(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  return tableMain(argc, argv, writeTable, runGoogleBenchmark);
}
