#include "sinew/io/files.h"
#include "sinew/base/types.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>

#include "sinew/base/error.h"
#include "sinew/io/durable.h"
#include "sinew/io/files/descriptor.h"

namespace sinew::files {

namespace fs = std::filesystem;

namespace {

fs::path folderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

[[noreturn]] void throwUnwritable(const fs::path& path, int fault) {
  throw Error(ErrorCode::Unwritable,
              fmt::format("cannot be written ({}); choose another output path", std::strerror(fault)), path.string());
}

/// Where a link leads: the file there is replaced, the link stays.
fs::path throughLinks(const fs::path& path) {
  constexpr int kMostLinks = 40;
  fs::path here = path;
  for (int k = 0; k < kMostLinks; ++k) {
    std::error_code fault;
    if (!fs::is_symlink(fs::symlink_status(here, fault))) return here;
    const fs::path to = fs::read_symlink(here, fault);
    if (fault) throwUnwritable(path, fault.value());
    here = to.is_absolute() ? to : folderOf(here) / to;
  }
  throwUnwritable(path, ELOOP);
}

/// Creates a new file next to the target, with the permissions and, if allowed, the owner of the file that it will
/// replace. Returns its descriptor, or -1 with errno.
int openBeside(const fs::path& target, std::string& name) {
  static std::atomic<unsigned> count = 0;
  int handle = -1;
  do {
    name = (folderOf(target) / fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), ++count)).string();
    handle = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (handle < 0 && errno == EEXIST);
  struct stat before = {};
  if (handle >= 0 && ::stat(target.c_str(), &before) == 0) {
    // The owner first: a change of owner drops some permissions. Who may not give files away keeps the new one.
    if (::fchown(handle, before.st_uid, before.st_gid) != 0) errno = 0;
    ::fchmod(handle, before.st_mode & 07777);
  }
  return handle;
}

/// Opens without waiting, then looks at what it is: a named pipe would otherwise wait for its other end, a device for
/// someone at a keyboard.
Descriptor openPlainFile(const fs::path& path, std::uintmax_t& size) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat about = {};
  if (file.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      throw Error(ErrorCode::NotFound, "there is no such file; check the path", path.string());
    if (::stat(path.c_str(), &about) != 0 || S_ISREG(about.st_mode))
      throw Error(ErrorCode::Unreadable, "cannot be opened; check its permissions", path.string());
  } else if (::fstat(file.get(), &about) != 0) {
    throw Error(ErrorCode::Unreadable, "cannot be read; check the disk", path.string());
  }
  if (S_ISDIR(about.st_mode)) throw Error(ErrorCode::Unreadable, "is a folder; give a file in it", path.string());
  if (!S_ISREG(about.st_mode)) {
    throw Error(ErrorCode::Unreadable, "is not a regular file but a pipe, a socket or a device; give a file",
                path.string());
  }
  size = static_cast<std::uintmax_t>(about.st_size);
  return file;
}

[[noreturn]] void throwDiscarded() {
  throw Error(ErrorCode::Cancelled, "cancelled while writing");
}

}  // namespace
}  // namespace sinew::files

namespace sinew {

namespace fs = std::filesystem;

void OutputFiles::add(const fs::path& named, std::string_view content, Rank rank) {
  const fs::path target = files::throughLinks(named);
  checkFolderWritable(target);
  int handle = -1;
  std::string name;
  {
    // Made and remembered in one step, so that discard() sees every temporary file that there is.
    const std::scoped_lock lock(mutex_);
    if (discarded_) files::throwDiscarded();
    handle = files::openBeside(target, name);
    if (handle < 0) files::throwUnwritable(named, errno);
    entries_.push_back({target, name, rank});
  }
  int fault = writeFully(handle, content, &discarded_);
  // On disk before it gets its name: a crash must not leave the name with half of the content.
  if (fault == 0 && !discarded_) fault = syncHandle(handle);
  if (::close(handle) != 0 && fault == 0) fault = errno;
  if (discarded_) files::throwDiscarded();
  if (fault != 0) files::throwUnwritable(named, fault);
}

void OutputFiles::makeFolder(const fs::path& folder) {
  const std::scoped_lock lock(mutex_);
  if (discarded_) files::throwDiscarded();
  fs::path made;
  for (const fs::path& part : folder) {
    made /= part;
    std::error_code fault;
    if (fs::create_directory(made, fault)) folders_.push_back(made);
    if (fault) {
      throw Error(ErrorCode::Unwritable, fmt::format("cannot be created ({}); choose another folder", fault.message()),
                  folder.string());
    }
  }
}

void OutputFiles::removeAfterwards(const fs::path& outdated) {
  const std::scoped_lock lock(mutex_);
  if (discarded_) files::throwDiscarded();
  outdated_.push_back(outdated);
}

void OutputFiles::putInPlace(Rank rank, std::vector<fs::path>& fresh, bool& replaced) {
  std::set<fs::path> folders;
  for (Entry& entry : entries_) {
    if (entry.rank != rank) continue;
    std::error_code ignored;
    const bool isNew = !fs::exists(fs::symlink_status(entry.target, ignored));
    if (::rename(entry.temporary.c_str(), entry.target.c_str()) != 0) files::throwUnwritable(entry.target, errno);
    entry.temporary.clear();
    folders.insert(files::folderOf(entry.target));
    if (isNew) fresh.push_back(entry.target);
    replaced = replaced || !isNew;
  }
  for (const fs::path& folder : folders) {
    if (const int fault = syncFolder(folder); fault != 0) files::throwUnwritable(folder, fault);
  }
}

void OutputFiles::commit() {
  const std::scoped_lock lock(mutex_);
  if (discarded_) files::throwDiscarded();
  for (const fs::path& folder : folders_) {
    if (const int fault = syncFolder(files::folderOf(folder)); fault != 0) files::throwUnwritable(folder, fault);
  }
  std::vector<fs::path> fresh;
  bool replaced = false;
  try {
    putInPlace(Rank::Data, fresh, replaced);
    putInPlace(Rank::Main, fresh, replaced);
  } catch (...) {
    // Targets that did not exist before are removed after a failure, unless a file that may refer to them is already in
    // place.
    if (!replaced) {
      for (const fs::path& path : fresh) ::unlink(path.c_str());
    }
    throw;
  }
  for (const fs::path& path : outdated_) ::unlink(path.c_str());
  entries_.clear();
  outdated_.clear();
  folders_.clear();
}

void OutputFiles::discard() noexcept {
  const std::scoped_lock lock(mutex_);
  discarded_ = true;
  for (const Entry& entry : entries_) {
    if (!entry.temporary.empty()) ::unlink(entry.temporary.c_str());
  }
  entries_.clear();
  outdated_.clear();
  for (; !folders_.empty(); folders_.pop_back()) ::rmdir(folders_.back().c_str());
}

std::uintmax_t checkPlainFile(const fs::path& path) {
  std::uintmax_t size = 0;
  files::openPlainFile(path, size);
  return size;
}

std::string readFile(const fs::path& path, const Progress& progress) {
  std::uintmax_t told = 0;
  const files::Descriptor file = files::openPlainFile(path, told);
  // By blocks, not by the reported size: a file may grow, and files of /proc report none.
  std::string content;
  constexpr std::size_t kBlock = 1 << 20;
  constexpr std::uintmax_t kMostAhead = 1 << 30;
  content.reserve(toSize(std::min(told, kMostAhead)) + 2 * kBlock);
  for (bool more = true; more;) {
    const double read = told > 0 ? static_cast<double>(content.size()) / static_cast<double>(told) : 0;
    report(progress, {std::min(1.0, read), "reading"});
    const std::size_t size = content.size();
    content.resize(size + kBlock);
    const ssize_t came = ::read(file.get(), content.data() + size, kBlock);
    content.resize(size + toSize(std::max<ssize_t>(came, 0)));
    if (came < 0 && errno != EINTR)
      throw Error(ErrorCode::Unreadable, "cannot be read to its end; check the disk", path.string());
    more = came != 0;
  }
  if (content.empty()) throw Error(ErrorCode::Unreadable, "is empty; export it again", path.string());
  return content;
}

void writeFile(const fs::path& path, std::string_view content) {
  OutputFiles files;
  files.add(path, content);
  files.commit();
}

void writeFiles(std::span<const std::pair<fs::path, std::string>> files) {
  OutputFiles written;
  for (const auto& [path, content] : files) written.add(path, content);
  written.commit();
}

void putFile(const fs::path& path, std::string_view content, OutputFiles* into) {
  if (into == nullptr) return writeFile(path, content);
  into->add(path, content);
}

void checkFolderWritable(const fs::path& path) {
  const fs::path folder = files::folderOf(path);
  std::error_code fault;
  if (!fs::is_directory(folder, fault)) {
    throw Error(ErrorCode::Unwritable,
                fmt::format("cannot be written: there is no folder '{}'; create it first", folder.string()),
                path.string());
  }
  if (fs::is_directory(path, fault))
    throw Error(ErrorCode::Unwritable, "is a folder; give a file name for the output", path.string());
  if (fs::exists(path, fault) && !fs::is_regular_file(path, fault)) {
    throw Error(ErrorCode::Unwritable, "is a device or a pipe, not a file; give a file name for the output",
                path.string());
  }
  if (::access(folder.c_str(), W_OK) != 0) files::throwUnwritable(path, errno);
}

}  // namespace sinew
