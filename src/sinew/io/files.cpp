#include "sinew/io/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "sinew/base/error.h"

namespace sinew {
namespace fs = std::filesystem;
namespace {

fs::path folderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

[[noreturn]] void throwUnwritable(const fs::path& path, int fault) {
  throw Error(ErrorCode::Unwritable,
              fmt::format("cannot be written ({}); choose another output path", std::strerror(fault)), path.string());
}

/// A file under a temporary name that vanishes unless it is renamed.
class TemporaryFile {
 public:
  TemporaryFile(fs::path target, std::string_view content) : target_(std::move(target)) {
    std::string name = (folderOf(target_) / ("." + target_.filename().string() + ".XXXXXX.tmp")).string();
    const int handle = ::mkstemps(name.data(), 4);
    if (handle < 0) throwUnwritable(target_, errno);
    temporary_ = name;
    ::fchmod(handle, 0644);
    while (!content.empty()) {
      const ssize_t written = ::write(handle, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        const int fault = errno;
        ::close(handle);
        ::unlink(temporary_.c_str());
        throwUnwritable(target_, fault);
      }
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::close(handle) != 0) {
      const int fault = errno;
      ::unlink(temporary_.c_str());
      throwUnwritable(target_, fault);
    }
  }
  ~TemporaryFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }
  TemporaryFile(TemporaryFile&& other) noexcept
      : target_(std::move(other.target_)), temporary_(std::move(other.temporary_)) {
    other.temporary_.clear();
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  TemporaryFile& operator=(TemporaryFile&&) = delete;

  void rename() {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) throwUnwritable(target_, errno);
    temporary_.clear();
  }

 private:
  fs::path target_;
  std::string temporary_;
};

}  // namespace

std::string readFile(const fs::path& path) {
  std::error_code fault;
  if (!fs::exists(path, fault))
    throw Error(ErrorCode::NotFound, "there is no such file; check the path", path.string());
  if (fs::is_directory(path, fault))
    throw Error(ErrorCode::Unreadable, "is a folder; name a file in it", path.string());
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error(ErrorCode::Unreadable, "cannot be opened; check its permissions", path.string());
  // By blocks, not by the size told: pipes and special files have none.
  std::string content;
  constexpr std::size_t kBlock = 1 << 20;
  while (stream) {
    const std::size_t size = content.size();
    content.resize(size + kBlock);
    stream.read(content.data() + size, kBlock);
    content.resize(size + static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) throw Error(ErrorCode::Unreadable, "cannot be read to its end; check the disk", path.string());
  if (content.empty()) throw Error(ErrorCode::Unreadable, "is empty; export it again", path.string());
  return content;
}

void writeFile(const fs::path& path, std::string_view content) {
  checkFolderWritable(path);
  TemporaryFile(path, content).rename();
}

void writeFiles(std::span<const std::pair<fs::path, std::string>> files) {
  std::vector<TemporaryFile> written;
  written.reserve(files.size());
  for (const auto& [path, content] : files) {
    checkFolderWritable(path);
    written.emplace_back(path, content);
  }
  for (TemporaryFile& file : written) file.rename();
}

void checkFolderWritable(const fs::path& path) {
  const fs::path folder = folderOf(path);
  std::error_code fault;
  if (!fs::is_directory(folder, fault)) {
    throw Error(ErrorCode::Unwritable,
                fmt::format("cannot be written: there is no folder '{}'; create it first", folder.string()),
                path.string());
  }
  if (fs::is_directory(path, fault))
    throw Error(ErrorCode::Unwritable, "is a folder; name a file for the output", path.string());
  if (::access(folder.c_str(), W_OK) != 0) throwUnwritable(path, errno);
}

}  // namespace sinew
