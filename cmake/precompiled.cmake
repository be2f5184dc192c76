# Common headers are compiled once and shared by all targets of a kind. SINEW_PCH=OFF gives the same result, only slower.
#   sinew_precompile(KIND TARGET HEADER...): the first target of a kind compiles the headers, the others reuse them.
function(sinew_precompile kind target)
  if(NOT SINEW_PCH)
    return()
  endif()
  get_property(owner GLOBAL PROPERTY SINEW_PRECOMPILED_${kind})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY SINEW_PRECOMPILED_${kind} ${target})
  endif()
endfunction()

# A program that reuses the headers of libraries: it is compiled with their flags and definitions, as g++ requires.
function(sinew_precompile_program kind target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  sinew_precompile(${kind} ${target})
endfunction()

set(SINEW_PRECOMPILED ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)
set(SINEW_PRECOMPILED_CHARACTER ${PROJECT_SOURCE_DIR}/cmake/precompiled_character.h)
set(SINEW_PRECOMPILED_FILES ${PROJECT_SOURCE_DIR}/cmake/precompiled_files.h)
