# Installs BUILD into a fresh folder of WORK, looks at what is there, and builds and runs the projects beside this file.
cmake_minimum_required(VERSION 3.25)
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nfailed (${status}):\n${output}")
  endif()
endfunction()

set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${prefix} ${WORK}/consumers)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# Public headers only: sinew/NAME.h and sinew/MODULE/NAME.h.
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*)
foreach(header IN LISTS headers)
  if(NOT header MATCHES "^sinew/([a-z_]+/)?[a-z_0-9]+\\.h$")
    message(FATAL_ERROR "${header} is installed; public headers are sinew/NAME.h and sinew/MODULE/NAME.h")
  endif()
endforeach()
if(NOT "sinew/sinew.h" IN_LIST headers OR NOT "sinew/play/play.h" IN_LIST headers)
  message(FATAL_ERROR "sinew/sinew.h or sinew/play/play.h is not installed")
endif()

# The installed command runs, and its studio finds its page, wherever there is one.
run(${prefix}/bin/sinew --version)
if(EXISTS ${BUILD}/web/index.html)
  run(bash ${SOURCE}/studio_starts ${prefix}/bin/sinew ${WORK}/studio)
endif()

foreach(consumer play sinew)
  set(build ${WORK}/consumers/${consumer})
  set(options -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_FLAGS=${FLAGS})
  if(consumer STREQUAL play)
    # As on a machine where nothing but a compiler is installed.
    foreach(package Eigen3 TBB fmt hwy assimp nlohmann_json PNG)
      list(APPEND options -D CMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
    endforeach()
  endif()
  run(${CMAKE_COMMAND} -S ${SOURCE}/${consumer} -B ${build} ${options})
  run(${CMAKE_COMMAND} --build ${build})
  run(${build}/consumer)
endforeach()
