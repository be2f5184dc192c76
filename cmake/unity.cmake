# sinew_unity(TARGET): compiles its sources a few at a time as one unit, in less than half the time. Sources of one namespace
# must therefore not define the same name twice, not even in unnamed namespaces.
function(sinew_unity target)
  if(NOT SINEW_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${SINEW_UNITY_BATCH})
  # To g++ each source is a header of its unit then, where types of one unit had better not be members.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
