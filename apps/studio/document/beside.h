// Documents that belong together: a character and the models that were learned from it. Each has a journal of its own;
// what describes one names the journals of the others.
#pragma once

#include <filesystem>
#include <string>

#include "studio/document/journal.h"

namespace sinew::studio {

/// How the page names a document that has a journal: kKept and the name of its folder.
inline constexpr std::string_view kKept = "kept:";

/// The document of `own` (a folder below `state`) and those beside it, the character first: [{"what", "title",
/// "current"}]. Empty where it is alone.
Json documentsBeside(const std::filesystem::path& state, const std::string& own, const Json& about);

/// What describes a new model of the document `own`; `about` of that document then names it.
Json aboutModel(const std::filesystem::path& state, const std::string& own, Json& about);

/// A journal that takes the place of the one in `folder` has the same documents beside it.
void keepBeside(const std::filesystem::path& folder, Journal& journal);

/// The document `from` lies in the folder `to` now: those beside it hear of it.
void renameBeside(const std::filesystem::path& state, const Json& about, const std::string& from,
                  const std::string& to);

}  // namespace sinew::studio
