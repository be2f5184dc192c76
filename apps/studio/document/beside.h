// Related documents: a character and the models that were learned from it. Each has its own journal, whose description
// names the journals of the others.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "studio/document/journal.h"
#include "studio/document_info.h"

namespace sinew::studio {

/// The page's name for a document with a journal: kKept and the name of its folder.
inline constexpr std::string_view kKept = "kept:";

/// The document of `own` (a folder below `state`) and its related ones, the character first. Empty if there are none.
std::vector<wire::RelatedInfo> documentsBeside(const std::filesystem::path& state, const std::string& own,
                                               const Json& about);

/// The description of a new model of the document `own`; the description `about` of that document then names it.
Json aboutModel(const std::filesystem::path& state, const std::string& own, Json& about);

/// A journal that replaces the one in `folder` keeps its related documents.
void keepBeside(const std::filesystem::path& folder, Journal& journal);

/// The document `from` has moved to the folder `to`: updates its related documents.
void renameBeside(const std::filesystem::path& state, const Json& about, const std::string& from,
                  const std::string& to);

}  // namespace sinew::studio
