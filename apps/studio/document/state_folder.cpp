#include "studio/document/state_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "sinew/base/error.h"
#include "sinew/io/durable.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPassing = ".new-";
constexpr const char* kDamaged = ".damaged-";

[[noreturn]] void refuseFolder(const fs::path& folder, const std::string& why) {
  throw Error(ErrorCode::Unwritable, fmt::format("{}; choose another folder with --state", why), folder.string());
}

/// Missing parents are created with the same mode, so that new folders are private.
void makeFolders(const fs::path& folder) {
  if (folder.empty() || ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return;
  if (errno == ENOENT && folder.has_parent_path() && folder.parent_path() != folder) {
    makeFolders(folder.parent_path());
    if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return;
  }
  refuseFolder(folder, fmt::format("cannot be created ({})", std::strerror(errno)));
}

/// Its mode, if it is a folder of this user.
mode_t ownMode(const fs::path& folder) {
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0)
    refuseFolder(folder, fmt::format("cannot be opened ({})", std::strerror(errno)));
  if (!S_ISDIR(found.st_mode)) refuseFolder(folder, "is not a folder");
  if (found.st_uid != ::geteuid()) refuseFolder(folder, "belongs to another user");
  return found.st_mode;
}

}  // namespace

fs::path stateFolder() {
  // A path that is not absolute does not count (XDG base directories).
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return fs::path(state) / "sinew" / "studio";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".local" / "state" / "sinew" / "studio";
  throw Error(ErrorCode::Unwritable,
              "there is no folder for unsaved work, since HOME is not set; set it, or give a folder with --state");
}

void claimStateFolder(const fs::path& state) {
  makeFolders(state);
  if ((ownMode(state) & S_IWOTH) != 0) refuseFolder(state, "can be written by everyone");
}

void claimPrivateFolder(const fs::path& folder) {
  makeFolders(folder);
  if ((ownMode(folder) & 0777) != 0700 && ::chmod(folder.c_str(), 0700) != 0)
    refuseFolder(folder, fmt::format("cannot be made private ({})", std::strerror(errno)));
  if (const int fault = syncFolder(folder.parent_path()); fault != 0)
    refuseFolder(folder, fmt::format("cannot be created ({})", std::strerror(fault)));
}

FolderLock::FolderLock(const fs::path& folder, const std::string& name) {
  const fs::path path = folder.string() + ".lock";
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor_ < 0)
    throw Error(ErrorCode::Unwritable,
                fmt::format("cannot be opened ({}); choose another folder with --state", std::strerror(errno)),
                path.string());
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw Error(ErrorCode::BadInput, "is open in another studio; close it there first", name);
  }
}

FolderLock::~FolderLock() {
  ::close(descriptor_);
}

void clearPassing(const fs::path& state) {
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(state, fault)) {
    const std::string name = entry.path().filename().string();
    const std::size_t mark = name.find(kPassing);
    if (mark == std::string::npos) continue;
    const pid_t owner = std::atoi(name.c_str() + mark + std::strlen(kPassing));
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), fault);
  }
}

fs::path passingFolder(const fs::path& folder, std::uint32_t number) {
  return fmt::format("{}{}{}-{}", folder.string(), kPassing, ::getpid(), number);
}

fs::path damagedName(const fs::path& folder) {
  for (int number = 1;; ++number) {
    fs::path path = fmt::format("{}{}{}", folder.string(), kDamaged, number);
    std::error_code fault;
    if (!fs::exists(fs::symlink_status(path, fault))) return path;
  }
}

bool hasDamaged(const fs::path& folder) {
  std::error_code fault;
  return fs::exists(fs::symlink_status(fmt::format("{}{}{}", folder.string(), kDamaged, 1), fault));
}

}  // namespace sinew::studio
