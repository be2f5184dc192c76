// Where journals lie, and who may be there: each in a folder of its own that only its owner can read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace sinew::studio {

/// $XDG_STATE_HOME/sinew/studio, or ~/.local/state/sinew/studio. Throws Unwritable where neither is set: no folder that
/// others use is taken instead.
std::filesystem::path stateFolder();

/// Makes the folder and those above it where they are missing (0700). Throws Unwritable where it is not one's own, or
/// everyone may write to it.
void claimStateFolder(const std::filesystem::path& state);

/// A folder for its owner alone: made, or narrowed to 0700. Throws Unwritable, also where it is another's.
void claimPrivateFolder(const std::filesystem::path& folder);

/// Only one studio may write to a journal.
class FolderLock {
 public:
  /// Throws BadInput where another studio has it, and Unwritable where it cannot be made; `name` is for people.
  FolderLock(const std::filesystem::path& folder, const std::string& name);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// A place beside `folder` for a journal that will take its place; `number` tells those of one studio apart.
std::filesystem::path passingFolder(const std::filesystem::path& folder, std::uint32_t number);

/// Takes away what studios that were killed left behind: journals that had not taken their place yet.
void clearPassing(const std::filesystem::path& state);

/// A free name beside `folder` for something damaged that is kept: NAME.damaged-1, NAME.damaged-2.
std::filesystem::path damagedName(const std::filesystem::path& folder);

}  // namespace sinew::studio
