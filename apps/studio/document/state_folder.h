// The folders of journals: each journal has its own, which only its owner can read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace sinew::studio {

/// $XDG_STATE_HOME/sinew/studio, or ~/.local/state/sinew/studio. Throws Unwritable if neither is set: a shared folder
/// is not a fallback.
std::filesystem::path stateFolder();

/// Creates the folder and missing parents (0700). Throws Unwritable if it belongs to another user or is world-writable.
void claimStateFolder(const std::filesystem::path& state);

/// Creates a private folder, or restricts it to 0700. Throws Unwritable, also if it belongs to another user.
void claimPrivateFolder(const std::filesystem::path& folder);

/// Only one studio may write to a journal.
class FolderLock {
 public:
  /// Throws BadInput if another studio holds it, and Unwritable if it cannot be created; `name` is for the message.
  FolderLock(const std::filesystem::path& folder, const std::string& name);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// A path beside `folder` for a journal that will replace it; `number` distinguishes those of one studio.
std::filesystem::path passingFolder(const std::filesystem::path& folder, std::uint32_t number);

/// Removes what killed studios left behind: journals that had not been moved into place yet.
void clearPassing(const std::filesystem::path& state);

/// A free name beside `folder` for something damaged that is kept: NAME.damaged-1, NAME.damaged-2.
std::filesystem::path damagedName(const std::filesystem::path& folder);
/// Whether something of that kind is kept.
bool hasDamaged(const std::filesystem::path& folder);

}  // namespace sinew::studio
