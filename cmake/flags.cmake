# Compiler settings of all targets.
add_library(sinew_flags INTERFACE)
# Warnings apply to our own build, not to programs that use the library.
target_compile_options(sinew_flags INTERFACE "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion;-Wnon-virtual-dtor;-Woverloaded-virtual;-Wcast-align;-Wformat=2;-Werror>")
# Without this, Eigen's alignment depends on -march, which breaks the ABI for programs built with other flags.
target_compile_definitions(sinew_flags INTERFACE EIGEN_MAX_STATIC_ALIGN_BYTES=16)
# Eigen sizes the blocks of its products by the caches it finds, so the order of sums (the bits) and the work space (stack or
# heap) would depend on the machine. Fixed blocks instead: multiples of every register tile (24 x 8 at most), and at most
# 128 * 128 * 8 = 131,072 bytes each, Eigen's limit for the stack (docs/decisions/0021-fixed-blocks-of-products.md).
target_compile_definitions(sinew_flags INTERFACE EIGEN_NO_CPUID EIGEN_TEST_SPECIFIC_BLOCKING_SIZES=1
  EIGEN_TEST_SPECIFIC_BLOCKING_SIZE_K=128 EIGEN_TEST_SPECIFIC_BLOCKING_SIZE_M=120 EIGEN_TEST_SPECIFIC_BLOCKING_SIZE_N=128)

# -O2: with -O3, g++ 12 vectorises some small fixed-size loops badly.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
# With the default heap size, g++ spends a tenth of its time on garbage collection.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(sinew_flags INTERFACE "$<BUILD_INTERFACE:SHELL:--param ggc-min-heapsize=1000000>")
endif()
