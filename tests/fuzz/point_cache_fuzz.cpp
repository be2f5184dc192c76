// Any bytes as a point cache of either kind: frames of one size, all finite, or an Error.
#include <cstdlib>

#include "fuzz_files.h"
#include "sinew/base/error.h"
#include "sinew/io/point_cache.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  std::vector<std::string> seeds;
  for (const char* name : {"seed.pc2", "seed.mdd"}) {
    sinew::writePointCache(sinew::fuzz::scratch().file(name),
                           {{sinew::Points::Random(3, 3), sinew::Points::Random(3, 3)}, {}});
    std::ifstream stream(sinew::fuzz::scratch().file(name), std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  sinew::fuzz::writeSeeds(*argc, *argv, seeds);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const char* name : {"fuzz.pc2", "fuzz.mdd"}) {
    try {
      const sinew::PointCache cache =
          sinew::readPointCache(sinew::fuzz::scratch().write(name, sinew::fuzz::textOf(data, size)));
      if (cache.frames.empty() || cache.times.size() != cache.frames.size()) std::abort();
      for (const sinew::Points& frame : cache.frames) {
        if (frame.cols() != cache.frames.front().cols() || !frame.allFinite()) std::abort();
      }
    } catch (const sinew::Error&) {
      continue;
    }
  }
  return 0;
}
