# `cmake --install` installs the command, the libraries, the headers, and a package for find_package(sinew).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(targets sinew_flags sinew_all)
foreach(module IN LISTS SINEW_MODULES)
  list(APPEND targets sinew_${module})
endforeach()
install(TARGETS ${targets} EXPORT sinewTargets)
if(TARGET sinew)
  install(TARGETS sinew)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sinewConfig.cmake.in ${PROJECT_BINARY_DIR}/sinewConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sinewConfig.cmake ${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
