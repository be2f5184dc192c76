// Pose spaces of many examples: what learning costs in processor time and memory, and playing what was learned.
//   bench_many_examples                       under Google Benchmark: learning from 200 poses of a tube
//   bench_many_examples --table FILE          measures everything and writes its part of docs/benchmarks.md
//   bench_many_examples --table FILE --quick  shorter, at 5,000 vertices
//   bench_many_examples --files FOLDER COUNT VERTICES
//                                             writes the examples as a character with a clip and a point cache
#include <benchmark/benchmark.h>

#include <string>

#include "many_examples_table.h"
#include "section.h"
#include "table_main.h"

namespace {

using namespace sinew;
using namespace sinew::bench;

int writeTable(const std::string& file, bool quick) {
  replaceSection(file, ManyExamplesTable(quick).text());
  return 0;
}

int runGoogleBenchmark(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--files") {
    ArmExamples examples(std::stol(argv[4]), std::stoul(argv[3]));
    writeFiles(examples, argv[2]);
    return 0;
  }
  benchmark::RegisterBenchmark("learn/200", [](benchmark::State& state) {
    const test::Arm3 arm;
    const ExampleSet set = tubeExamples(arm, 200);
    for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(learnPoseSpace(arm.character, set));
  })->Unit(benchmark::kMillisecond);
  return runRegistered(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  return tableMain(argc, argv, writeTable, runGoogleBenchmark);
}
