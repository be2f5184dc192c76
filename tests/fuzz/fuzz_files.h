// What the fuzz targets share: seeds that they write themselves, and files for readers that take a path.
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

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

/// A folder of the process, gone with it.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "sinew-fuzz-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return path_ / name; }
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary | std::ios::trunc) << content;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline const Scratch& scratch() {
  static const Scratch folder;
  return folder;
}

inline std::string textOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace sinew::fuzz
