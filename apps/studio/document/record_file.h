// A file of records that only grows. A record that was appended is on disk; one that could not be is neither there nor
// in the way of the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "studio/bounds.h"

namespace sinew::studio {

class RecordFile {
 public:
  using Bytes = std::vector<std::uint8_t>;

  /// How the file ends.
  enum class Tail {
    Whole,
    Torn,     ///< with the beginning of a record: a crash cut it off before anyone was told of it
    Damaged,  ///< with something else, perhaps records that were told: it was changed outside
  };

  explicit RecordFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// Gives the records from the first on to `use`, one at a time, until the end or the first that is damaged; one that
  /// `use` refuses (false) counts as damaged. Changes nothing. Throws Unreadable where the file cannot be read.
  void read(const std::function<bool(std::span<const std::uint8_t>)>& use);

  [[nodiscard]] std::size_t count() const { return count_; }  ///< whole records
  [[nodiscard]] Tail tail() const { return tail_; }

  /// Appends them, all or none; when it returns they are on disk. Mends the file first. Throws Unwritable, also where
  /// one is longer than kMostRecord; then the file is what it was.
  void append(std::span<const Bytes> records);

  /// The file ends with its last whole record from here on. A damaged one is kept whole beside it under `aside`. Throws
  /// Unwritable.
  void mend();
  /// Where mend() keeps a damaged file.
  void setAside(std::filesystem::path aside) { aside_ = std::move(aside); }

  /// It lies elsewhere now.
  void moved(std::filesystem::path path) { path_ = std::move(path); }
  /// It was removed.
  void forget();

 private:
  void openForAppending();
  void replaceDamaged();
  /// Back to the last whole record. Returns 0 or an errno.
  int cutOff() noexcept;
  [[noreturn]] void refuse(int fault) const;

  std::filesystem::path path_;
  std::filesystem::path aside_;
  int descriptor_ = -1;
  std::size_t count_ = 0;
  std::uint64_t end_ = 0;  ///< of the last whole record
  Tail tail_ = Tail::Whole;
};

}  // namespace sinew::studio
