#include "studio/document/blob.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace sinew::studio {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::uint32_t kBlobVersion = 1;
constexpr std::size_t kEntryBytes = 32;
constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::size_t kAlwaysKept = 6;  // mesh, weights and morph targets, current and previous

template <class T>
Bytes bytesOf(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
void put(Bytes& bytes, std::size_t& at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
  at += sizeof(T);
}

std::size_t aligned(std::size_t at) {
  return (at + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

void BlobWriter::add(ArrayKind kind, std::uint32_t rows, const std::vector<float>& values) {
  const auto columns = static_cast<std::uint32_t>(values.size() / std::max<std::uint32_t>(rows, 1));
  entries_.push_back({kind, ArrayType::F32, rows, columns, bytesOf(values)});
}

void BlobWriter::add(ArrayKind kind, std::uint32_t rows, const std::vector<std::uint32_t>& values) {
  const auto columns = static_cast<std::uint32_t>(values.size() / std::max<std::uint32_t>(rows, 1));
  entries_.push_back({kind, ArrayType::U32, rows, columns, bytesOf(values)});
}

Bytes BlobWriter::finish() const {
  std::size_t size = aligned(12 + kEntryBytes * entries_.size());
  std::vector<std::size_t> offsets;
  for (const Entry& entry : entries_) {
    offsets.push_back(size);
    size = aligned(size + entry.bytes.size());
  }
  Bytes bytes(size);
  std::memcpy(bytes.data(), "SKB1", 4);
  std::size_t at = 4;
  put(bytes, at, kBlobVersion);
  put(bytes, at, static_cast<std::uint32_t>(entries_.size()));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    put(bytes, at, static_cast<std::uint32_t>(entry.kind));
    put(bytes, at, static_cast<std::uint32_t>(entry.type));
    put(bytes, at, static_cast<std::uint64_t>(offsets[i]));
    put(bytes, at, static_cast<std::uint64_t>(entry.bytes.size()));
    put(bytes, at, entry.rows);
    put(bytes, at, entry.columns);
    std::copy(entry.bytes.begin(), entry.bytes.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offsets[i]));
  }
  return bytes;
}

// Two FNV-like lanes over 8 bytes at a time: a key for caches, not a cryptographic hash.
std::string contentName(std::span<const std::uint8_t> bytes) {
  std::uint64_t a = 0xcbf29ce484222325ull ^ bytes.size();
  std::uint64_t b = 0x9e3779b97f4a7c15ull;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    a = (a ^ word) * 0x100000001b3ull;
    a ^= a >> 29;
    b = std::rotl(b + word, 23) * 0xff51afd7ed558ccdull;
    b ^= b >> 32;
  }
  return fmt::format("{:016x}{:016x}", a, b);
}

std::string BlobStore::put(Bytes bytes) {
  std::string name = contentName(bytes);
  const std::scoped_lock lock(mutex_);
  blobs_.try_emplace(name, std::make_shared<const Bytes>(std::move(bytes)));
  std::erase(order_, name);
  order_.push_back(name);
  forgetOldest();
  return name;
}

void BlobStore::forgetOldest() {
  std::size_t bytes = 0;
  for (const auto& [name, blob] : blobs_) bytes += blob->size();
  while (bytes > kMostBytes && order_.size() > kAlwaysKept) {
    const auto oldest = blobs_.find(order_.front());
    bytes -= oldest->second->size();
    blobs_.erase(oldest);
    order_.pop_front();
  }
}

std::shared_ptr<const Bytes> BlobStore::find(const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = blobs_.find(name);
  return found == blobs_.end() ? nullptr : found->second;
}

void BlobStore::keep(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  if (std::erase(order_, name) > 0) order_.push_back(name);
}

}  // namespace sinew::studio
