#include "studio/session/memory_reserve.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include "studio/bounds.h"

namespace sinew::studio {
namespace {

std::atomic<void*> reserve = nullptr;

void useReserve() {
  void* const memory = reserve.exchange(nullptr);
  if (memory == nullptr) throw std::bad_alloc();
  std::free(memory);
}

}  // namespace

bool restoreReserve() noexcept {
  if (reserve.load() != nullptr) return true;
  void* const memory = std::malloc(kReserve);
  if (memory == nullptr) return false;
  void* none = nullptr;
  if (!reserve.compare_exchange_strong(none, memory)) std::free(memory);
  return true;
}

void holdReserve() {
  std::set_new_handler(useReserve);
  if (!restoreReserve()) throw std::bad_alloc();
}

}  // namespace sinew::studio
