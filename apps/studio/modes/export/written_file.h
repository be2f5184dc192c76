// The file of an export: in memory, or written and read again from disk.
#pragma once

#include <filesystem>

#include "studio/modes/export/prepare.h"

namespace sinew::studio::exporting {

struct WrittenFile {
  CharacterFile read;  ///< what a reader gets of it
  LostList lost;
  double bytes = 0;  ///< of all its files
};

/// Nothing stays on disk; `scratch` is a name for what cannot be done in memory, with the extension of the format.
WrittenFile writtenInMemory(const std::filesystem::path& scratch, const Prepared& prepared);

struct WriteRequest {
  FileRules rules;       ///< how it is read again
  bool replace = false;  ///< a file of that name
  sinew::Progress progress = {};
};
/// All files appear, or none where it is cancelled or fails. Throws Unwritable, also where the file exists and must not
/// be replaced.
WrittenFile writeNow(const std::filesystem::path& path, const Prepared& prepared, const WriteRequest& request);

}  // namespace sinew::studio::exporting
