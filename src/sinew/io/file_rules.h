// What a program allows when it reads files: the same for every file, so it is handed through all readers.
#pragma once

#include <cstddef>
#include <filesystem>

namespace sinew {

/// Formats whose importer is not ours are read by another process, so that a file that makes it crash, hang or take all
/// memory harms no one (docs/decisions/0026-foreign-formats-in-a-separate-process.md).
struct ForeignRules {
  /// The program that reads them: one whose main() begins with runForeignReader() (io/foreign.h), as `sinew` does. A
  /// program that does so itself names "/proc/self/exe". Empty: such files are rejected.
  std::filesystem::path program = {};
  bool inProcess = false;     ///< read them here, without any protection: for programs that trust their files
  bool rareFormats = false;   ///< also those that hardly anyone rigs with (docs/formats.md)
  double seconds = 0;         ///< that one file may take; 0: by its size
  std::size_t megabytes = 0;  ///< of memory that one file may take; 0: by its size
};

struct FileRules {
  ForeignRules foreign = {};
  /// Files, and those that they name (buffers, images, meshes), must lie below it, links followed; empty: anywhere.
  std::filesystem::path root = {};
};

/// Whether a path, with all links followed, is `root` or lies below it; always for an empty root.
bool isInside(const std::filesystem::path& path, const std::filesystem::path& root);

/// Throws Unreadable unless isInside().
void checkInside(const std::filesystem::path& path, const FileRules& rules);

}  // namespace sinew
