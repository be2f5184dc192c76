// The built page: where it lies, and its files as answers.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "studio/net/server.h"

namespace sinew::studio {

/// The folder of the page beside this program: that of an installation, or that of a build; nothing where there is
/// none.
std::optional<std::filesystem::path> findPage();

/// The file of the page at a decoded path ("/" is index.html), or nothing. `refused` is told of links that lead out of
/// the folder.
std::optional<HttpResponse> pageFile(const std::filesystem::path& folder, const std::string& path,
                                     const std::function<void(const std::string&)>& refused);

}  // namespace sinew::studio
