# sinew_suites(TARGET GROUP): registers each suite of a GoogleTest program as one ctest test, GROUP.Suite, so that the
# fixtures of a suite (a sample, a learned model) are made once.
function(sinew_suites target group)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${target}> -D GROUP=${group} -D LIST=${list} -P ${PROJECT_SOURCE_DIR}/cmake/list_suites.cmake
    BYPRODUCTS ${list} VERBATIM)
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
  file(WRITE ${include} "if(EXISTS \"${list}\")\n  include(\"${list}\")\nelse()\n  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()
