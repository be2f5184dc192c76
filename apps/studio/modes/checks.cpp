#include "studio/modes/checks.h"

#include <fmt/format.h>

namespace sinew::studio {

std::uint32_t checkedView(const ModeContext& context, std::uint32_t view) {
  context.requireDocument();
  if (view >= context.document().views.size())
    throw CommandFault("bad-input", fmt::format("there is no view {}", view));
  return view;
}

void requireFree(const ModeContext& context, const std::filesystem::path& path, const std::string& has) {
  namespace fs = std::filesystem;
  std::error_code fault;
  if (!fs::exists(fs::symlink_status(path, fault))) return;
  const std::string name = path.filename().string();
  if (fs::equivalent(path, context.document().path, fault))
    throw CommandFault("open-document", fmt::format("{} is the open document", name),
                       fmt::format("Choose another name. If it is replaced, it has only {}.", has));
  throw CommandFault("exists", fmt::format("{} already exists", name), "Choose another name, or replace it.");
}

}  // namespace sinew::studio
