# Compiler settings that every target of the project shares.
add_library(sinew_flags INTERFACE)
# Warnings are for our own build, not for programs that use the library.
target_compile_options(sinew_flags INTERFACE "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion;-Wnon-virtual-dtor;-Woverloaded-virtual;-Wcast-align;-Wformat=2;-Werror>")
# Eigen's alignment depends on -march otherwise: an ABI break against programs built with other flags.
target_compile_definitions(sinew_flags INTERFACE EIGEN_MAX_STATIC_ALIGN_BYTES=16)

# -O2: g++ 12's -O3 vectorises some of the small fixed-size loops for the worse.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
# g++ spends a tenth of its time collecting garbage unless it may use more memory.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(sinew_flags INTERFACE "$<BUILD_INTERFACE:SHELL:--param ggc-min-heapsize=1000000>")
endif()
