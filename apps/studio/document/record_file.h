// An append-only file of records. A record that append() accepted is on disk; one that failed leaves no trace.
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

  /// The state of the end of the file.
  enum class Tail {
    Whole,
    Torn,     ///< with an incomplete record: a crash cut it off before it was acknowledged
    Damaged,  ///< with something else, perhaps acknowledged records: it was changed by another program
  };

  explicit RecordFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// Passes the records in order to `use` until the end or the first damaged one; a record that `use` refuses (false)
  /// counts as damaged. Changes nothing. Throws Unreadable if the file cannot be read.
  void read(const std::function<bool(std::span<const std::uint8_t>)>& use);

  [[nodiscard]] std::size_t count() const { return count_; }  ///< complete records
  [[nodiscard]] Tail tail() const { return tail_; }

  /// Appends all or none; they are on disk when it returns. Repairs the file first. Throws Unwritable, also if one is
  /// longer than kMostRecord; then the file is unchanged.
  void append(std::span<const Bytes> records);

  /// Cuts the file after its last complete record. A damaged file is also kept under `aside`. Throws Unwritable.
  void mend();
  /// Where mend() keeps a damaged file.
  void setAside(std::filesystem::path aside) { aside_ = std::move(aside); }

  /// The file was moved.
  void moved(std::filesystem::path path) { path_ = std::move(path); }
  /// The file was removed.
  void forget();

 private:
  void openForAppending();
  void replaceDamaged();
  /// Truncates to the last complete record. Returns 0 or an errno.
  int cutOff() noexcept;
  [[noreturn]] void refuse(int fault) const;

  std::filesystem::path path_;
  std::filesystem::path aside_;
  int descriptor_ = -1;
  std::size_t count_ = 0;
  std::uint64_t end_ = 0;  ///< of the last complete record
  Tail tail_ = Tail::Whole;
};

}  // namespace sinew::studio
