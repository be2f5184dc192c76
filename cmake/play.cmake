# The library sinew_play: a library of its own, whose headers and whose users need the standard library only.
find_package(hwy REQUIRED)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/sinew/play/*.cpp)
add_library(sinew_play STATIC ${sources})
add_library(sinew::play ALIAS sinew_play)
set_target_properties(sinew_play PROPERTIES EXPORT_NAME play)
target_compile_features(sinew_play PUBLIC cxx_std_20)
target_include_directories(sinew_play PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
target_link_libraries(sinew_play PRIVATE $<BUILD_INTERFACE:sinew_flags>)
# Highway's headers, not its library: play chooses the instruction set itself (src/sinew/play/kernels/instruction_set.cpp).
get_target_property(highway hwy::hwy INTERFACE_INCLUDE_DIRECTORIES)
if(highway)
  target_include_directories(sinew_play SYSTEM PRIVATE ${highway})
endif()
# Highway compiles a kernel by including its source again for each instruction set, so each is a unit of its own.
sinew_unity(sinew_play)
file(GLOB kernels ${PROJECT_SOURCE_DIR}/src/sinew/play/kernels/*.cpp)
set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
if(SINEW_FEW_TARGETS)
  target_compile_definitions(sinew_play PRIVATE SINEW_FEW_TARGETS)
  # Vectors of floats have little that is undefined, and the checks of it take minutes to compile; memory is checked.
  set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS -fno-sanitize=undefined)
endif()
