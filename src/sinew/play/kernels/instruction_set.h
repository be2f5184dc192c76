// The instruction sets that the kernels are compiled for, best first.
#pragma once

#include <cstddef>

namespace sinew::play::kernels {

#if defined(__x86_64__) || defined(__i386__)
inline constexpr std::size_t kInstructionSets = 4;  ///< AVX-512, AVX2, SSE4, and what every machine of the kind has
#else
inline constexpr std::size_t kInstructionSets = 1;  ///< what the compiler may assume
#endif

/// As Highway names it ("AVX3" is AVX-512); null where the kernels were not compiled for it.
const char* instructionSetName(std::size_t set);

/// Whether this machine, and its operating system, can run it.
bool machineHas(std::size_t set);

}  // namespace sinew::play::kernels
