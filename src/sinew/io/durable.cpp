#include "sinew/io/durable.h"
#include "sinew/base/types.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sinew/base/error.h"

namespace sinew {
namespace fs = std::filesystem;

int writeFully(int handle, std::string_view content, const std::atomic<bool>* stop) noexcept {
  constexpr std::size_t kBlock = 1 << 22;
  while (!content.empty() && !(stop != nullptr && *stop)) {
    const ssize_t written = ::write(handle, content.data(), std::min(kBlock, content.size()));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(toSize(written));
  }
  return 0;
}

int syncHandle(int handle) noexcept {
  while (::fsync(handle) != 0) {
    if (errno == EINTR) continue;
    return errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
  }
  return 0;
}

int syncFolder(const fs::path& folder) noexcept {
  const int handle = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // A folder that may be written but not read cannot be flushed by its name.
  if (handle < 0) return errno == EACCES ? 0 : errno;
  const int fault = syncHandle(handle);
  ::close(handle);
  return fault;
}

void writePrivateFile(const fs::path& path, std::string_view content) {
  const auto refuse = [&](int fault) {
    throw Error(ErrorCode::Unwritable, fmt::format("cannot be written ({})", std::strerror(fault)), path.string());
  };
  std::string name = (path.parent_path() / ("." + path.filename().string() + ".XXXXXX.tmp")).string();
  const int handle = ::mkostemps(name.data(), 4, O_CLOEXEC);  // 0600
  if (handle < 0) refuse(errno);
  int fault = writeFully(handle, content);
  if (fault == 0) fault = syncHandle(handle);
  if (::close(handle) != 0 && fault == 0) fault = errno;
  if (fault == 0 && ::rename(name.c_str(), path.c_str()) != 0) fault = errno;
  if (fault != 0) ::unlink(name.c_str());
  if (fault == 0) fault = syncFolder(path.parent_path());
  if (fault != 0) refuse(fault);
}

}  // namespace sinew
