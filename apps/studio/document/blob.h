// Bulk data for the page: arrays in one block of bytes, named by a hash of its content, so that a page fetches each
// only once.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "studio/messages.h"

namespace sinew::studio {

enum class ArrayType : std::uint32_t { F32 = 1, U32 = 2 };

/// "SKB1", u32 version, u32 n, n x {u32 kind, u32 type, u64 offset, u64 bytes, u32 rows, u32 columns}; arrays aligned
/// to 64 bytes.
class BlobWriter {
 public:
  void add(ArrayKind kind, std::uint32_t rows, const std::vector<float>& values);
  void add(ArrayKind kind, std::uint32_t rows, const std::vector<std::uint32_t>& values);
  [[nodiscard]] Bytes finish() const;

 private:
  struct Entry {
    ArrayKind kind;
    ArrayType type;
    std::uint32_t rows;
    std::uint32_t columns;
    Bytes bytes;
  };
  std::vector<Entry> entries_;
};

/// A hash of the content, 32 hexadecimal digits.
std::string contentName(std::span<const std::uint8_t> bytes);

/// The blobs that the page may ask for. Safe to use from several threads.
class BlobStore {
 public:
  /// Returns its name.
  std::string put(Bytes bytes);
  /// Null if there is no such blob.
  [[nodiscard]] std::shared_ptr<const Bytes> find(const std::string& name) const;
  /// Marks it as used. Beyond a total size, the least recently used are dropped first.
  void keep(const std::string& name);

 private:
  void forgetOldest();

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Bytes>> blobs_;
  std::deque<std::string> order_;  // the newest last
};

}  // namespace sinew::studio
