#include "sinew/io/file_rules.h"

#include <algorithm>
#include <system_error>

#include "sinew/base/error.h"

namespace sinew {
namespace fs = std::filesystem;

bool isInside(const fs::path& path, const fs::path& root) {
  if (root.empty()) return true;
  std::error_code fault;
  const fs::path real = fs::weakly_canonical(fs::absolute(path, fault), fault);
  if (fault) return false;
  fs::path home = fs::weakly_canonical(fs::absolute(root, fault), fault);
  if (fault) return false;
  if (!home.has_filename()) home = home.parent_path();  // "folder/"
  const auto [end, ignored] = std::mismatch(home.begin(), home.end(), real.begin(), real.end());
  return end == home.end();
}

void checkInside(const fs::path& path, const FileRules& rules) {
  if (isInside(path, rules.root)) return;
  throw Error(ErrorCode::Unreadable, "is outside the folder that files may be read from; move it there", path.string());
}

}  // namespace sinew
