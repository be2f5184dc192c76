// How the file that a journal belongs to stands to it, by the names of its bytes.
#pragma once

#include <filesystem>
#include <string>

#include "sinew/io/gltf.h"
#include "studio/document/journal.h"

namespace sinew::studio {

struct FileState {
  bool changed = false;      ///< it is neither what was opened nor what was saved last: someone else wrote it
  std::size_t unsaved = 0;   ///< steps since what it holds, or since it was saved last
  bool savedUntold = false;  ///< it was saved, and the studio ended before it could say so
};
/// Of the file at `path`, which is that of the journal or one that the document was saved to; `content` is the name of
/// its bytes now, empty where it has none or is gone.
FileState fileState(const Journal& journal, const std::filesystem::path& path, const std::string& content);

/// The name of a file's bytes, those of the buffers of a .gltf too; of a folder, of what is in it. Empty where there is
/// nothing.
std::string contentOf(const std::filesystem::path& path);
/// The same of what is about to be written.
std::string contentOf(const GltfFiles& packed);

}  // namespace sinew::studio
