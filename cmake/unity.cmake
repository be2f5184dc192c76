# sinew_unity(TARGET): compiles its sources a few at a time as one unit, in less than half the time. A name that two of them
# have for themselves is then defined twice: give one another name, or let unity.h keep them apart.
function(sinew_unity target)
  if(NOT SINEW_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${SINEW_UNITY_BATCH} UNITY_BUILD_UNIQUE_ID SINEW_UNITY_ID)
  # To g++ each source is a header of its unit then, where types of one unit had better not be members.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# And keeps names apart (unity.h).
function(sinew_unity_apart target)
  sinew_unity(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_CODE_BEFORE_INCLUDE "#include \"${PROJECT_SOURCE_DIR}/cmake/unity.h\"")
endfunction()
