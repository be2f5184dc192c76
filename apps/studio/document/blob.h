// Bulk data for the page: arrays in one block of bytes, named by its content, so that a page fetches each once.
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

/// "SKB1", u32 version, u32 n, n x {u32 kind, u32 type, u64 offset, u64 bytes, u32 rows, u32 columns}; arrays on
/// multiples of 64 bytes.
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

/// 32 hexadecimal digits of the content.
std::string contentName(std::span<const std::uint8_t> bytes);

/// The blobs that the page may ask for. Safe to use from several threads.
class BlobStore {
 public:
  /// Returns its name.
  std::string put(Bytes bytes);
  /// Null where there is none of that name.
  [[nodiscard]] std::shared_ptr<const Bytes> find(const std::string& name) const;
  /// Counts as new again: what is oldest is forgotten first, once all together are many bytes.
  void keep(const std::string& name);

 private:
  void forgetOldest();

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Bytes>> blobs_;
  std::deque<std::string> order_;  // the newest last
};

}  // namespace sinew::studio
