#include "named_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "sinew/base/error.h"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;

struct NamedFile {
  std::string flag;  ///< empty for inputs, and for words that may be none
  std::string file;
};

constexpr std::array<std::string_view, 4> kWrites{"-o", "--output", "--report", "--chart"};

/// Every word that may be a file, with the flag before it where that is one of an output.
std::vector<NamedFile> namedFiles(std::span<const std::string> words) {
  std::vector<NamedFile> all;
  std::string flag;
  for (const std::string& word : words) {
    const std::size_t mark = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, mark);
    const bool writes = std::find(kWrites.begin(), kWrites.end(), name) != kWrites.end();
    if (mark != std::string::npos) {
      all.push_back({writes ? name : "", word.substr(mark + 1)});
      flag.clear();
    } else if (word.starts_with('-')) {
      flag = writes ? name : "";
    } else {
      all.push_back({flag, word});
      flag.clear();
    }
  }
  return all;
}

bool isSame(const std::string& a, const std::string& b) {
  std::error_code fault;
  return fs::equivalent(a, b, fault) || fs::weakly_canonical(a, fault) == fs::weakly_canonical(b, fault);
}

}  // namespace

void checkNamedOutputs(std::span<const std::string> words) {
  const std::vector<NamedFile> all = namedFiles(words);
  for (const NamedFile& written : all) {
    if (written.flag != "--report" && written.flag != "--chart") continue;
    const std::string extension = fs::path(written.file).extension().string();
    if (written.flag == "--report" && extension != ".html" && extension != ".htm") {
      throw Error(ErrorCode::BadInput, "is not a page; --report writes a file that ends in .html", written.file);
    }
    for (const NamedFile& other : all) {
      if (&other == &written || !isSame(other.file, written.file)) continue;
      throw Error(
          ErrorCode::BadInput,
          fmt::format("is used by {} and by another argument; choose another file for {}", written.flag, written.flag),
          written.file);
    }
  }
}

}  // namespace sinew::cli
