// Memory that starts at a cache line: outputs in it can be streamed past the caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace sinew::play {

/// Bytes of a cache line, and of the widest vector in use.
inline constexpr std::size_t kLineBytes = 64;

/// An allocator for std::vector whose memory starts at a cache line.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{kLineBytes};

  LineAllocator() = default;
  template <class U>
  explicit LineAllocator(const LineAllocator<U>& /*other*/) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T* memory, std::size_t /*count*/) { ::operator delete(memory, kAlignment); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

using AlignedFloats = std::vector<float, LineAllocator<float>>;
using AlignedShorts = std::vector<std::int16_t, LineAllocator<std::int16_t>>;

}  // namespace sinew::play
