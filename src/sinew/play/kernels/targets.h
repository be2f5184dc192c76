// Which instruction sets the kernels are compiled for, and how one is called. Included before anything of Highway.
#pragma once

// SSSE3 and the AVX-512 of Ice Lake bring no instruction that the kernels use over their predecessors; vectors of
// unknown length (SVE, RVV) cannot be members of arrays, so ARM uses NEON.
#ifdef SINEW_FEW_TARGETS  // no AVX-512: less for sanitizers to compile
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif

// The versions of a kernel in the order of instruction_set.h, null where one was not compiled. Highway's own table
// would need its library at run time; its headers alone do not.
#if defined(__x86_64__) || defined(__i386__)
#define SINEW_KERNEL_TABLE(name)                                            \
  constexpr decltype(&HWY_STATIC_DISPATCH(name)) SINEW_TABLE_OF(name)[] = { \
      HWY_CHOOSE_AVX3(name), HWY_CHOOSE_AVX2(name), HWY_CHOOSE_SSE4(name), HWY_CHOOSE_FALLBACK(name)}
#else
#define SINEW_KERNEL_TABLE(name) \
  constexpr decltype(&HWY_STATIC_DISPATCH(name)) SINEW_TABLE_OF(name)[] = {HWY_CHOOSE_FALLBACK(name)}
#endif
#define SINEW_TABLE_OF(name) name##Versions
#define SINEW_KERNEL(name, job) SINEW_TABLE_OF(name)[(job).layout->instructionSet]
