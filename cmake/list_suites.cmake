# Run by sinew_suites after building a test program: lists the suites of PROGRAM and writes LIST for ctest, each as
# GROUP.Suite.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} cannot list its tests: ${status}")
endif()
string(REGEX REPLACE "[\r\n]+" ";" lines "${listed}")
set(text "")
foreach(line IN LISTS lines)
  # "Suite." or "Instance/Suite.  # TypeParam = ..."; its tests are indented.
  if(line MATCHES "^([A-Za-z0-9_/]+)\\.( |$)")
    set(suite ${CMAKE_MATCH_1})
    set(test "${GROUP}.${CMAKE_MATCH_1}")
    # Suites that mostly wait for the disk in ./test --all start early, in parallel with those that compute.
    set(cost 1)
    if(suite MATCHES "Faults$|Actions$")
      set(cost 500)
    endif()
    string(APPEND text "add_test([=[${test}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=])\n"
      "set_tests_properties([=[${test}]=] PROPERTIES TIMEOUT 1800 COST ${cost})\n")
  endif()
endforeach()
file(WRITE ${LIST} "${text}")
