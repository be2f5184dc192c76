// The built page: its location, and its files as answers.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "studio/net/server.h"

namespace sinew::studio {

/// The folder of the page beside this program, of an installation or a build; none if there is no page.
std::optional<std::filesystem::path> findPage();

/// The file of the page at a decoded path ("/" is index.html), if it exists. `refused` is called for links that lead
/// out of the folder.
std::optional<HttpResponse> pageFile(const std::filesystem::path& folder, const std::string& path,
                                     const std::function<void(const std::string&)>& refused);

}  // namespace sinew::studio
