// Shared by the tests of the mesh formats: checks of refusals, unpacked data.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sinew/base/error.h"
#include "support/data.h"
#include "support/temporary_folder.h"

namespace sinew::test {

inline std::string textOf(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Runs `call`, which must throw an Error whose message contains all of `words`.
template <class Call>
void expectRefused(const Call& call, const std::vector<std::string>& words) {
  try {
    call();
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    for (const std::string& word : words) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << "no '" << word << "' in: " << error.what();
    }
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

/// Unpacks an archive of the example data into the folder.
inline void unpackData(const std::string& archive, const TemporaryFolder& folder) {
  const std::string command = "tar xzf '" + (dataDir() / archive).string() + "' -C '" + folder.path().string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace sinew::test
