// Which instruction sets the kernels are compiled for. Included before anything of Highway.
#pragma once

// SSSE3 and the AVX-512 of Ice Lake bring no instruction that the kernels use over their predecessors; vectors of
// unknown length (SVE, RVV) cannot stand in arrays, so ARM plays by NEON.
#ifdef SINEW_FEW_TARGETS  // no AVX-512: less for sanitizers to compile
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
