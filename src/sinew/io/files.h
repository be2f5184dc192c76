// Whole files in memory, and outputs that appear complete or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sinew {

/// Throws NotFound or Unreadable: a sentence that names the file. Folders and empty files are refused.
std::string readFile(const std::filesystem::path& path);

/// Writes beside the target under a temporary name, then renames. On failure throws Unwritable and leaves nothing
/// behind.
void writeFile(const std::filesystem::path& path, std::string_view content);

/// Several files that belong together (a .gltf and its .bin): all are written under temporary names before any is
/// renamed.
void writeFiles(std::span<const std::pair<std::filesystem::path, std::string>> files);

/// Throws Unwritable unless the folder of `path` exists and can be written.
void checkFolderWritable(const std::filesystem::path& path);

}  // namespace sinew
