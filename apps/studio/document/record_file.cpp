// A record is u32 length with the highest bit set, u32 number (from 0), u32 CRC-32C of both and of the bytes, then the
// bytes. Older files have u32 length, u32 FNV-1a of the bytes, then the bytes; a file may contain both kinds.
//
// A record that a crash cut off is at the end and shorter than its length. A wrong checksum, or complete records after
// invalid bytes, are damage: these records may have been acknowledged to the page.
#include "studio/document/record_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "sinew/base/error.h"
#include "sinew/base/types.h"
#include "sinew/io/durable.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;
using Span = std::span<const std::uint8_t>;

constexpr std::uint32_t kNumbered = 0x8000'0000u;
constexpr std::size_t kHead = 12;
constexpr std::size_t kOldHead = 8;

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0x82f6'3b78u : 0u);
    table[i] = value;
  }
  return table;
}();

std::uint32_t crcOf(Span bytes, std::uint32_t crc = 0) {
  crc = ~crc;
  for (const std::uint8_t byte : bytes) crc = crc >> 8 ^ kCrcTable[(crc ^ byte) & 0xff];
  return ~crc;
}

std::uint32_t oldSumOf(Span bytes) {
  std::uint32_t sum = 2166136261u;
  for (const std::uint8_t byte : bytes) sum = (sum ^ byte) * 16777619u;
  return sum;
}

std::uint32_t wordAt(Span bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, 4);
  return word;
}

void putWord(RecordFile::Bytes& bytes, std::uint32_t word) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(&word);
  bytes.insert(bytes.end(), from, from + 4);
}

enum class Found { Record, Cut, Wrong };

struct Parsed {
  Found found = Found::Cut;
  Span body;
  std::size_t bytes = 0;  ///< including its header
};

/// The record at the front. Any number is accepted if `number` is null.
Parsed parse(Span rest, const std::uint32_t* number) {
  if (rest.size() < kOldHead) return {};
  const std::uint32_t first = wordAt(rest, 0);
  const std::size_t head = (first & kNumbered) != 0 ? kHead : kOldHead;
  const std::size_t length = first & ~kNumbered;
  if (length > kMostRecord) return {Found::Wrong, {}, 0};
  if (rest.size() < head || length > rest.size() - head) return {};
  const Span body = rest.subspan(head, length);
  const bool good = head == kHead ? (number == nullptr || wordAt(rest, 4) == *number) &&
                                        wordAt(rest, 8) == crcOf(body, crcOf(rest.first(8)))
                                  : wordAt(rest, 4) == oldSumOf(body);
  return {good ? Found::Record : Found::Wrong, body, head + length};
}

/// Whether these bytes at the end are the remains of a record after a crash: its beginning, or blocks that were never
/// written. They are not if the record is complete except for its length, or if a complete one follows.
bool isTorn(Span rest, std::uint32_t number) {
  if (std::all_of(rest.begin(), rest.end(), [](std::uint8_t byte) { return byte == 0; })) return true;
  if (parse(rest, &number).found != Found::Cut) return false;
  if (rest.size() >= kHead) {
    RecordFile::Bytes head;
    putWord(head, static_cast<std::uint32_t>(rest.size() - kHead) | kNumbered);
    putWord(head, number);
    if (crcOf(rest.subspan(kHead), crcOf(head)) == wordAt(rest, 8)) return false;
  }
  for (std::size_t at = 1; at + kHead <= rest.size(); ++at) {
    if ((wordAt(rest, at) & kNumbered) == 0) continue;
    if (parse(rest.subspan(at), nullptr).found == Found::Record) return false;
  }
  return true;
}

/// Reads a file sequentially, on demand.
class Window {
 public:
  explicit Window(const fs::path& path) : path_(path), stream_(path, std::ios::binary) {
    std::error_code fault;
    size_ = fs::file_size(path, fault);
    if (fault || !stream_) fail();
  }
  /// At least `count` bytes from `at` on, or all that are left.
  Span from(std::uint64_t at, std::size_t count) {
    count = toSize(std::min<std::uint64_t>(count, size_ - at));
    if (at < begin_ || at + count > begin_ + bytes_.size()) {
      const std::size_t block = std::max<std::size_t>(count, 1 << 16);
      begin_ = at;
      bytes_.resize(toSize(std::min<std::uint64_t>(block, size_ - at)));
      stream_.seekg(static_cast<std::streamoff>(at));
      stream_.read(reinterpret_cast<char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
      if (!stream_) fail();
    }
    return Span(bytes_).subspan(toSize(at - begin_));
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorCode::Unreadable, "cannot be read to its end; check the disk", path_.string());
  }

  const fs::path& path_;
  std::ifstream stream_;
  std::uint64_t size_ = 0;
  std::uint64_t begin_ = 0;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

RecordFile::~RecordFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RecordFile::forget() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  count_ = 0;
  end_ = 0;
  tail_ = Tail::Whole;
}

void RecordFile::refuse(int fault) const {
  throw Error(ErrorCode::Unwritable, fmt::format("cannot be written ({})", std::strerror(fault)), path_.string());
}

void RecordFile::read(const std::function<bool(Span)>& use) {
  count_ = 0;
  end_ = 0;
  tail_ = Tail::Whole;
  std::error_code fault;
  if (!fs::exists(path_, fault)) return;
  Window window(path_);
  while (end_ < window.size()) {
    const Span head = window.from(end_, kHead);
    const std::size_t length = head.size() < 4 ? 0 : wordAt(head, 0) & ~kNumbered;
    const auto number = static_cast<std::uint32_t>(count_);
    const Parsed record = parse(window.from(end_, kHead + std::min(length, kMostRecord)), &number);
    if (record.found != Found::Record || !use(record.body)) {
      const bool torn = record.found != Found::Record && isTorn(window.from(end_, window.size() - end_), number);
      tail_ = torn ? Tail::Torn : Tail::Damaged;
      return;
    }
    end_ += record.bytes;
    ++count_;
  }
}

int RecordFile::cutOff() noexcept {
  while (::ftruncate(descriptor_, static_cast<off_t>(end_)) != 0) {
    if (errno != EINTR) return errno;
  }
  return ::fdatasync(descriptor_) == 0 ? 0 : errno;
}

void RecordFile::openForAppending() {
  if (descriptor_ >= 0) return;
  const bool isNew = ::access(path_.c_str(), F_OK) != 0;
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor_ < 0) refuse(errno);
  ::fchmod(descriptor_, 0600);  // older files were readable by others
  if (const int fault = isNew ? syncFolder(path_.parent_path()) : 0; fault != 0) {
    ::close(descriptor_);
    descriptor_ = -1;
    refuse(fault);
  }
}

/// Copies the complete records, then renames the damaged file, then the copy.
void RecordFile::replaceDamaged() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  const fs::path copy = path_.string() + ".mended";
  std::error_code ignored;
  const int to = ::open(copy.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (to < 0) refuse(errno);
  int fault = 0;
  {
    Window window(path_);
    constexpr std::size_t kCopiedAtOnce = 1 << 20;
    for (std::uint64_t at = 0; at < end_ && fault == 0;) {
      const auto count = toSize(std::min<std::uint64_t>(kCopiedAtOnce, end_ - at));
      fault = writeFully(to, {reinterpret_cast<const char*>(window.from(at, count).data()), count});
      at += count;
    }
  }
  if (fault == 0) fault = syncHandle(to);
  if (::close(to) != 0 && fault == 0) fault = errno;
  // Not all file systems have links; then for a moment only the damaged file exists.
  if (fault == 0 && ::link(path_.c_str(), aside_.c_str()) != 0 && ::rename(path_.c_str(), aside_.c_str()) != 0)
    fault = errno;
  if (fault == 0 && ::rename(copy.c_str(), path_.c_str()) != 0) fault = errno;
  if (fault == 0) fault = syncFolder(path_.parent_path());
  if (fault == 0) fault = syncFolder(aside_.parent_path());
  if (fault != 0) {
    fs::remove(copy, ignored);
    refuse(fault);
  }
}

void RecordFile::mend() {
  if (tail_ == Tail::Whole) return;
  if (tail_ == Tail::Damaged) {
    replaceDamaged();
  } else {
    openForAppending();
    if (const int fault = cutOff(); fault != 0) refuse(fault);
  }
  tail_ = Tail::Whole;
}

void RecordFile::append(std::span<const Bytes> records) {
  Bytes bytes;
  auto number = static_cast<std::uint32_t>(count_);
  for (const Bytes& record : records) {
    if (record.size() > kMostRecord)
      throw Error(ErrorCode::Unwritable, fmt::format("a step of {} MB is larger than can be kept ({} MB)",
                                                     record.size() >> 20, kMostRecord >> 20));
    const std::size_t at = bytes.size();
    putWord(bytes, static_cast<std::uint32_t>(record.size()) | kNumbered);
    putWord(bytes, number++);
    putWord(bytes, crcOf(record, crcOf(Span(bytes).subspan(at))));
    bytes.insert(bytes.end(), record.begin(), record.end());
  }
  mend();
  openForAppending();
  int fault = 0;
  for (std::size_t done = 0; done < bytes.size() && fault == 0;) {
    const ssize_t wrote =
        ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(end_ + done));
    if (wrote < 0 && errno != EINTR) fault = errno;
    if (wrote == 0) fault = EIO;
    if (wrote > 0) done += toSize(wrote);
  }
  if (fault == 0 && ::fdatasync(descriptor_) != 0) fault = errno;
  if (fault != 0) {
    // If it cannot be undone now, it must be before the next append.
    if (cutOff() != 0) tail_ = Tail::Torn;
    refuse(fault);
  }
  end_ += bytes.size();
  count_ += records.size();
}

}  // namespace sinew::studio
