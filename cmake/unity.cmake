# sinew_unity(TARGET): compiles several sources as one unit, in less than half the time. File-local names must then differ:
# rename one, or list it in unity.h.
function(sinew_unity target)
  if(NOT SINEW_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${SINEW_UNITY_BATCH} UNITY_BUILD_UNIQUE_ID SINEW_UNITY_ID)
  # g++ treats each source as a header of its unit and warns about members of file-local types.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# The same with the renamed constants of unity.h.
function(sinew_unity_apart target)
  sinew_unity(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_CODE_BEFORE_INCLUDE "#include \"${PROJECT_SOURCE_DIR}/cmake/unity.h\"")
endfunction()
