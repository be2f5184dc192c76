// Whole files in memory, and outputs that appear complete or not at all.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinew/base/progress.h"

namespace sinew {

/// Every reader begins here or with readFile(): missing, unreadable and non-regular files (a folder, a named pipe, a
/// device) are rejected immediately, without waiting. Returns the size in bytes.
std::uintmax_t checkPlainFile(const std::filesystem::path& path);

/// Throws NotFound or Unreadable with a sentence that names the file. Empty files are rejected too. `progress` is
/// called after every block.
std::string readFile(const std::filesystem::path& path, const Progress& progress = {});

/// Files that appear together or not at all. Each is written next to its target under a temporary name and flushed to
/// disk; commit() renames them. Files that are not committed are removed, at the latest by the destructor, and so are
/// folders made for them.
class OutputFiles {
 public:
  OutputFiles() = default;
  ~OutputFiles() { discard(); }
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  /// The order in which files get their names: data first, and what refers to it (a .gltf to its .bin) once that is on
  /// disk.
  enum class Rank { Data, Main };

  /// A link is written through, and a file that is replaced leaves its permissions to the new one; other files get
  /// those that the umask allows. Throws Unwritable if the file cannot be written or was added before, and Cancelled
  /// after discard().
  void add(const std::filesystem::path& target, std::string_view content, Rank rank = Rank::Main);
  /// A file that is no longer used once all are in place: commit() removes it then. Throws Cancelled after discard().
  void removeAfterwards(const std::filesystem::path& outdated);
  /// Makes a folder and those above it, if they are missing. Throws as add().
  void makeFolder(const std::filesystem::path& folder);
  /// Renames all files to their targets; when it returns they are on disk. Throws as add(), and then removes targets
  /// that did not exist before. After that the object is empty and can be used again.
  void commit();
  /// Removes everything that is not committed; may be called from any thread while another one adds. From then on the
  /// other functions throw Cancelled.
  void discard() noexcept;

 private:
  struct Entry {
    std::filesystem::path target;
    std::string temporary;
    Rank rank = Rank::Main;
  };
  void putInPlace(Rank rank, std::vector<std::filesystem::path>& fresh, bool& replaced);

  std::mutex mutex_;  // of the lists
  std::vector<Entry> entries_;
  std::vector<std::filesystem::path> outdated_;
  std::vector<std::filesystem::path> folders_;  // made here, parents first
  std::atomic<bool> discarded_ = false;
};

/// Writes next to the target under a temporary name, then renames. On failure throws Unwritable and leaves no file.
void writeFile(const std::filesystem::path& path, std::string_view content);

/// Several files that belong together: all are written under temporary names before any is renamed.
void writeFiles(std::span<const std::pair<std::filesystem::path, std::string>> files);

/// Adds the file to `into`; where that is null, writes it at once.
void putFile(const std::filesystem::path& path, std::string_view content, OutputFiles* into);

/// Throws Unwritable unless the folder of `path` exists and can be written.
void checkFolderWritable(const std::filesystem::path& path);

}  // namespace sinew
