// The file of an export: in memory, or on disk.
#pragma once

#include <filesystem>

#include "studio/modes/export/prepare.h"

namespace sinew::studio::exporting {

struct WrittenFile {
  LostList lost;
  double bytes = 0;  ///< of all its files
};

/// A file, and what a reader gets of it.
struct FileInMemory {
  WrittenFile file;
  CharacterFile read;
};
/// Nothing stays on disk; `scratch` is a name for what cannot be done in memory, with the extension of the format.
FileInMemory writtenInMemory(const std::filesystem::path& scratch, const Prepared& prepared);

/// All files appear, or none where it is cancelled or fails. Throws Unwritable, also where the file exists and is not
/// to be replaced.
WrittenFile writeNow(const std::filesystem::path& path, const Prepared& prepared, bool replace,
                     const sinew::Progress& progress = {});

}  // namespace sinew::studio::exporting
