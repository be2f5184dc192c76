// What the fuzz targets share: seeds that they write themselves, and files for readers that take a path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace sinew::fuzz {

/// From LLVMFuzzerInitialize: writes the seeds into the first folder among the arguments, which is the corpus.
inline void writeSeeds(int argc, char** argv, const std::vector<std::string>& seeds) {
  for (int a = 1; a < argc; ++a) {
    if (!std::filesystem::is_directory(argv[a])) continue;
    for (std::size_t s = 0; s < seeds.size(); ++s)
      std::ofstream(std::filesystem::path(argv[a]) / ("seed" + std::to_string(s)), std::ios::binary) << seeds[s];
    return;
  }
}

/// A folder of the process, removed at its end.
inline const test::TemporaryFolder& scratch() {
  static const test::TemporaryFolder folder("sinew-fuzz");
  return folder;
}

inline std::string textOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace sinew::fuzz
