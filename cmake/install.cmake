# `cmake --install` installs the command with the studio's page, the libraries, the public headers, and a package for
# find_package(sinew). `play` is a component that needs nothing else.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
install(TARGETS sinew_play EXPORT sinewPlayTargets)
set(targets sinew_flags sinew_all)
foreach(module IN LISTS SINEW_MODULES)
  list(APPEND targets sinew_${module})
endforeach()
install(TARGETS ${targets} EXPORT sinewTargets)
foreach(export sinewPlayTargets sinewTargets)
  install(EXPORT ${export} NAMESPACE sinew:: DESTINATION ${package})
endforeach()
if(TARGET sinew)
  install(TARGETS sinew)
endif()

# Public headers are sinew/NAME.h and sinew/MODULE/NAME.h; what is deeper is private.
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/sinew/*.h
  ${PROJECT_SOURCE_DIR}/src/sinew/*/*.h)
foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sinewConfig.cmake.in ${PROJECT_BINARY_DIR}/sinewConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sinewConfig.cmake ${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake DESTINATION ${package})
