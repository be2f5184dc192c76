// Posing of reduced models.
//   bench_reduced                                          under Google Benchmark, the quadruped at 15,000 vertices
//   bench_reduced --table FILE [--quick] [FOLDER...]       the table of posing, on the quadruped and folders of meshes
// FILE is docs/benchmarks.md, or - for the terminal. --quick skips the quadruped at other resolutions.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

#include "reduced_table.h"
#include "section.h"
#include "table_main.h"

namespace {

using namespace sinew;
using namespace sinew::bench;

ReducedRow measured(PosedSet stage) {
  stage.measureSteps(true);
  stage.measureDrag();
  return stage.row;
}

int writeTable(const std::vector<std::string>& words) {
  const std::string& file = words.at(1);
  const bool quick = std::find(words.begin(), words.end(), "--quick") != words.end();
  std::vector<ReducedRow> rows = {measured(quadrupedStage(15000))};
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i] != "--quick") rows.push_back(measured(folderStage(words[i])));
  }
  std::vector<ReducedRow> sizes;
  for (const Index vertices : {10000, 100000, 1000000}) {
    if (quick) break;
    PosedSet stage = quadrupedStage(vertices);
    stage.measureSteps(false);
    stage.measureDrag();
    sizes.push_back(stage.row);
  }
  const std::string section = reducedSection(rows, sizes);
  if (file == "-") {
    std::fputs(section.c_str(), stdout);
  } else {
    replaceSection(file, section);
  }
  return 0;
}

int runGoogleBenchmark(int argc, char** argv) {
  const PosedSet stage = quadrupedStage(15000);
  ReducedIk ik(stage.model, {.mostIterations = 4});
  const std::vector<Index> handles = stage.firstHandles();
  const std::vector<Points> tasks = stage.tasks();
  benchmark::RegisterBenchmark("place 8 handles", [&](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) ik.setHandles(handles);
  });
  benchmark::RegisterBenchmark("solve", [&](benchmark::State& state) {
    std::size_t task = 0;
    ik.setHandles(handles);
    for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(ik.solve(tasks[task++ % tasks.size()]).objective);
  });
  return runRegistered(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  return tableMain(
      argc, argv, [&](const std::string&, bool) { return writeTable(words); }, runGoogleBenchmark);
}
