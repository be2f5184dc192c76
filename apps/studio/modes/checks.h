// What commands of several modes check.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "studio/modes/mode.h"
#include "studio/sentence.h"  // for the modes

namespace sinew::studio {

/// The view. Throws a CommandFault if the document has no such view.
std::uint32_t checkedView(const ModeContext& context, std::uint32_t view);

/// Throws a CommandFault if there is a file, so that the user can confirm that it is replaced. `has`: what it would
/// have then, for the file of the open document.
void requireFree(const ModeContext& context, const std::filesystem::path& path, const std::string& has);

}  // namespace sinew::studio
