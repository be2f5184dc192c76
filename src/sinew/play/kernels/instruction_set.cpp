// The features that Highway takes for granted in each of its targets (hwy/detect_targets.h, hwy/ops/set_macros-inl.h),
// asked of the processor. Wider registers also need the operating system to save them (XCR0).
#include "sinew/play/kernels/instruction_set.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

#include <cstdint>
#endif

namespace sinew::play::kernels {

#if defined(__x86_64__) || defined(__i386__)
namespace {

struct Registers {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
};

/// Zeros where the processor does not know the leaf.
Registers cpuid(unsigned leaf) {
  Registers r;
  if (__get_cpuid_count(leaf, 0, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) return {};
  return r;
}

std::uint32_t savedRegisters() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));  // xgetbv
  return low;
}

constexpr unsigned bit(int n) {
  return 1u << n;
}

constexpr bool hasAll(unsigned value, unsigned bits) {
  return (value & bits) == bits;
}

constexpr unsigned kSse4 =
    bit(0) | bit(1) | bit(9) | bit(19) | bit(20) | bit(25);       // SSE3 PCLMUL SSSE3 SSE4.1 SSE4.2 AES
constexpr unsigned kAvx = bit(12) | bit(27) | bit(28) | bit(29);  // FMA OSXSAVE AVX F16C
constexpr unsigned kAvx2 = bit(3) | bit(5) | bit(8);              // BMI AVX2 BMI2
constexpr unsigned kLzcnt = bit(5);
constexpr unsigned kAvx512 = bit(16) | bit(17) | bit(28) | bit(30) | bit(31);  // F DQ CD BW VL
constexpr unsigned kSavesAvx = bit(1) | bit(2);
constexpr unsigned kSavesAvx512 = kSavesAvx | bit(5) | bit(6) | bit(7);

/// The best set of this machine; those after it are there too.
std::size_t bestSet() {
  const unsigned basic = cpuid(1).ecx;
  if (!hasAll(basic, kSse4)) return 3;
  const unsigned extended = cpuid(7).ebx;
  if (!hasAll(basic, kAvx) || !hasAll(extended, kAvx2) || !hasAll(cpuid(0x80000001u).ecx, kLzcnt)) return 2;
  const std::uint32_t saved = savedRegisters();
  if (!hasAll(saved, kSavesAvx)) return 2;
  return hasAll(extended, kAvx512) && hasAll(saved, kSavesAvx512) ? 0 : 1;
}

}  // namespace

bool machineHas(std::size_t set) {
  static const std::size_t kBest = bestSet();
  return set >= kBest;
}
#else
bool machineHas(std::size_t /*set*/) {
  return true;
}
#endif

}  // namespace sinew::play::kernels
