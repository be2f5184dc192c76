// Durable files: flushed to disk before they are renamed, and their folder after, so that they survive a power failure.
#pragma once

#include <atomic>
#include <filesystem>
#include <string_view>

namespace sinew {

/// Writes all of it, however many calls that takes. Returns 0 or the errno; ends early where `stop` is set.
int writeFully(int handle, std::string_view content, const std::atomic<bool>* stop = nullptr) noexcept;

/// What was written to the handle is on disk. Returns 0 or the errno; file systems that cannot flush count as flushed.
int syncHandle(int handle) noexcept;

/// The names in a folder (after a rename, a new file, a removal) are on disk. Returns 0 or the errno.
int syncFolder(const std::filesystem::path& folder) noexcept;

/// A file for its owner alone (mode 0600), whole or not at all and on disk when this returns. A link of that name is
/// replaced, never followed. Throws Unwritable; then the file is what it was.
void writePrivateFile(const std::filesystem::path& path, std::string_view content);

}  // namespace sinew
