// The state of a file relative to its journal, by content hashes.
#pragma once

#include <filesystem>
#include <string>

#include "sinew/io/gltf.h"
#include "studio/document/journal.h"

namespace sinew::studio {

struct FileState {
  bool changed = false;      ///< it is neither what was opened nor what was saved last: another program wrote it
  std::size_t unsaved = 0;   ///< steps since its content, or since the last save
  bool savedUntold = false;  ///< it was saved, but the studio ended before recording it
};
/// For the file at `path`, which is that of the journal or one that the document was saved to; `content` is its current
/// content hash, empty if it does not exist.
FileState fileState(const Journal& journal, const std::filesystem::path& path, const std::string& content);

/// The content hash of a file, including the buffers of a .gltf; of a folder, of its entries. Empty if it does not
/// exist.
std::string contentOf(const std::filesystem::path& path);
/// The same for content that is about to be written.
std::string contentOf(const GltfFiles& packed);

}  // namespace sinew::studio
