#include "studio/net/page_folder.h"

#include <fmt/format.h>

#include "sinew/io/files.h"
#include "studio/net/http_rules.h"

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

std::optional<HttpResponse> pageFile(const std::filesystem::path& folder, const std::string& path,
                                     const std::function<void(const std::string&)>& refused) {
  const std::filesystem::path file = folder / (path == "/" ? "index.html" : path.substr(1));
  std::error_code fault;
  if (folder.empty() || !std::filesystem::is_regular_file(file, fault)) return std::nullopt;
  // Links inside of the folder must not lead out of it.
  const auto real = std::filesystem::canonical(file, fault);
  const auto home = std::filesystem::canonical(folder, fault);
  const auto relative = real.lexically_relative(home);
  if (fault || relative.empty() || *relative.begin() == "..") {
    refused(fmt::format("refused {}: it leads out of the page's folder", path));
    return std::nullopt;
  }
  HttpResponse response;
  response.type = typeOfFile(file.extension().string());
  response.body = readFile(real);
  response.immutable = path.starts_with("/assets/");
  return response;
}

}  // namespace sinew::studio
