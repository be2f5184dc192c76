// Skin weights from examples against textbook non-negative least squares.
//   bench_fit                       under Google Benchmark, biped at 20,000 vertices
//   bench_fit --table FILE          measures everything and writes its part of docs/benchmarks.md
//   bench_fit --table FILE --quick  shorter, and without the large meshes
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "fit_table.h"
#include "section.h"
#include "table_main.h"

namespace {

using namespace sinew;
using namespace sinew::bench;

int writeTable(const std::string& file, bool quick) {
  replaceSection(file, FitTable(quick).text());
  return 0;
}

int runGoogleBenchmark(int argc, char** argv) {
  const FitStage stage({.vertices = 20000});
  const Index points = stage.problem.pointCount();
  for (const int threads : {1, 2}) {
    const std::string name = fmt::format("fitWeights/threads:{}", threads);
    benchmark::RegisterBenchmark(name.c_str(), [&stage, points, threads](benchmark::State& state) {
      const ThreadLimit limit(threads);
      for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(fit::fitWeights(stage.character, stage.problem));
      state.SetItemsProcessed(state.iterations() * points);
    })->UseRealTime();
  }
  benchmark::RegisterBenchmark("by the book", [&stage, points](benchmark::State& state) {
    const BookFit book(stage.problem, 4);
    Index at = 0;
    for ([[maybe_unused]] auto _ : state) {
      benchmark::DoNotOptimize(book.weights(at));
      at = (at + 50) % points;
    }
    state.SetItemsProcessed(state.iterations());
  });
  return runRegistered(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  return tableMain(argc, argv, writeTable, runGoogleBenchmark);
}
