// What a program allows when it reads files: the same for every file, so it is handed through all readers.
#pragma once

#include <cstddef>
#include <filesystem>

namespace sinew {

/// Third-party importers run in another process, so that a file that makes them crash, hang or exhaust memory does no
/// harm (docs/decisions/0026-foreign-formats-in-a-separate-process.md).
struct ForeignRules {
  /// The program that reads them: its main() begins with runForeignReader() (io/foreign.h), as in `sinew`. A program
  /// that does so itself can use "/proc/self/exe". Empty: such files are rejected.
  std::filesystem::path program = {};
  bool inProcess = false;     ///< read them here, without any protection: for programs that trust their files
  bool rareFormats = false;   ///< also those that hardly anyone rigs with (docs/formats.md)
  double seconds = 0;         ///< that one file may take; 0: by its size
  std::size_t megabytes = 0;  ///< of memory that one file may take; 0: by its size
};

struct FileRules {
  ForeignRules foreign = {};
  /// Files, and those that they refer to (buffers, images, meshes), must be below it, with links resolved; empty:
  /// anywhere.
  std::filesystem::path root = {};
};

/// Whether a path, with all links resolved, is `root` or below it; always true for an empty root.
bool isInside(const std::filesystem::path& path, const std::filesystem::path& root);

/// Throws Unreadable unless isInside().
void checkInside(const std::filesystem::path& path, const FileRules& rules);

}  // namespace sinew
