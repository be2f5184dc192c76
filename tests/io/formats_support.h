// What the tests of the mesh formats share: a folder that vanishes, refusals with their words, unpacked data.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sinew/base/error.h"
#include "support/data.h"

namespace sinew::test {

/// A fresh folder that is removed at the end of the test.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "sinew io ä XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~ScratchFolder() {
    std::error_code fault;
    std::filesystem::remove_all(path_, fault);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// Writes a file, and the folders above it.
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }
  /// Names of everything in it, to see that nothing was left behind.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::filesystem::path path_;
};

inline std::string textOf(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Runs `call`, which must throw an Error whose sentence holds all of `words`.
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
inline void unpackData(const std::string& archive, const ScratchFolder& folder) {
  const std::string command = "tar xzf '" + (dataDir() / archive).string() + "' -C '" + folder.path().string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace sinew::test
