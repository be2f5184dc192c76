// The C library lets a program replace malloc; operator new and Eigen call it. Under the address sanitizer, which
// replaces malloc itself, its own hook counts.
#include "support/allocations.h"

#include <atomic>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SINEW_SANITIZED_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SINEW_SANITIZED_MALLOC 1
#endif
#endif

namespace sinew::test {
namespace {

std::atomic<std::size_t> count{0};
std::atomic<long> failsFrom{-1};
std::atomic<std::size_t> leastFailing{0};
std::atomic<bool> failed{false};
thread_local bool spared = false;

/// Counts one more allocation. Returns whether it must fail.
[[maybe_unused]] bool fails(std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  const long from = failsFrom.load(std::memory_order_relaxed);
  if (from < 0 || spared || size < leastFailing) return false;
  if (from > 0) {
    --failsFrom;
    return false;
  }
  failed = true;
  return true;
}

}  // namespace

void failAllocations(long from, std::size_t least) {
  spared = true;
  failed = false;
  leastFailing = least;
  failsFrom = from;
}

bool allocationFailed() {
  return failed;
}

bool canFailAllocations() {
#ifdef SINEW_SANITIZED_MALLOC
  return false;
#else
  return true;
#endif
}

std::size_t allocationCount() {
  return count.load();
}

}  // namespace sinew::test

#ifdef SINEW_SANITIZED_MALLOC

// Declared here because g++ has the function, but not clang's header of it.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*onMalloc)(const volatile void*, std::size_t),
                                                         void (*onFree)(const volatile void*));

namespace sinew::test {
namespace {

const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { count.fetch_add(1, std::memory_order_relaxed); },
    [](const volatile void*) {});

}  // namespace
}  // namespace sinew::test

#else

#include <cerrno>
#include <cstdlib>

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

// What the C library's own functions are called inside it.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  return sinew::test::fails(size) ? nullptr : __libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) {
  return sinew::test::fails(number * size) ? nullptr : __libc_calloc(number, size);
}

void* realloc(void* memory, std::size_t size) {
  return sinew::test::fails(size) ? nullptr : __libc_realloc(memory, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  return sinew::test::fails(size) ? nullptr : __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

}  // extern "C"

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

#endif
