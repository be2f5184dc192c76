// Where tests find real example data. Tests that need it skip with a message where it is absent.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace sinew::test {

/// The folder named by SINEW_DATA_DIR, or an empty path.
inline std::filesystem::path dataDir() {
  const char* folder = std::getenv("SINEW_DATA_DIR");
  if (folder == nullptr || !std::filesystem::is_directory(folder)) return {};
  return folder;
}

}  // namespace sinew::test

#define SINEW_NEEDS_DATA()                                                                              \
  if (::sinew::test::dataDir().empty()) {                                                               \
    GTEST_SKIP() << "needs the example data: set SINEW_DATA_DIR to the folder that holds gltf/Fox.glb"; \
  }
