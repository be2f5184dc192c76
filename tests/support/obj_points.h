// Points of real meshes for tests below io: the `v` lines of an OBJ, out of a packed folder of example data.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sinew/base/text.h"
#include "sinew/base/types.h"
#include "support/data.h"
#include "support/temporary_folder.h"

namespace sinew::test {

/// Unpacks NAME.tar.gz of the example data; false where it is not there.
inline bool unpackData(const std::string& name, const std::filesystem::path& into) {
  const std::filesystem::path archive = dataDir() / (name + ".tar.gz");
  if (!std::filesystem::exists(archive)) return false;
  const std::string command = "tar xzf '" + archive.string() + "' -C '" + into.string() + "'";
  return std::system(command.c_str()) == 0;  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
}

inline Points objPoints(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<double> numbers;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("v ", 0) != 0) continue;
    char* at = line.data() + 2;
    for (int k = 0; k < 3; ++k) numbers.push_back(std::strtod(at, &at));
  }
  return Eigen::Map<const Points>(numbers.data(), 3, static_cast<Index>(numbers.size() / 3));
}

/// The OBJ files of a folder, in natural order.
inline std::vector<Points> objSequence(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".obj") names.push_back(entry.path().string());
  }
  std::sort(names.begin(), names.end(), naturalLess);
  std::vector<Points> frames;
  frames.reserve(names.size());
  for (const std::string& name : names) frames.push_back(objPoints(name));
  return frames;
}

}  // namespace sinew::test
