// The main program of a benchmark that can write its table of the documentation:
//   bench_NAME                           under Google Benchmark
//   bench_NAME --table FILE [--quick]    measures everything and writes FILE, or its part of it
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace sinew::bench {

/// What was registered, by the words of the command line.
inline int runRegistered(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

template <class WriteTable, class RunBenchmarks>
int tableMain(int argc, char** argv, const WriteTable& writeTable, const RunBenchmarks& runBenchmarks) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() >= 2 && words[0] == "--table") {
      return writeTable(words[1], words.size() > 2 && words[2] == "--quick");
    }
    return runBenchmarks(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

}  // namespace sinew::bench
