#include <unistd.h>

#include <array>

#include "server.h"

namespace sinew::studio {

std::optional<std::filesystem::path> findPage() {
  namespace fs = std::filesystem;
  std::error_code fault;
  const fs::path program = fs::read_symlink("/proc/self/exe", fault);
  if (fault) return std::nullopt;
  // An installation has bin/ beside share/; a build has apps/cli/ and tests/ beside web/.
  const fs::path folder = program.parent_path();
  for (const fs::path& candidate : {folder / "../share/sinew/studio", folder / "../../web", folder / "../web"}) {
    if (fs::is_regular_file(candidate / "index.html", fault)) return fs::canonical(candidate, fault);
  }
  return std::nullopt;
}

}  // namespace sinew::studio
