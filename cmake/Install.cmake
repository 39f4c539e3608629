# `cmake --install` and `find_package(convlens)`: the library with its headers, and the command.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/convlens)

install(TARGETS convlens_algorithms EXPORT convlens-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS convlens RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/algorithms DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/convlens FILES_MATCHING PATTERN "*.h"
  PATTERN "peers/onednn" EXCLUDE)
install(EXPORT convlens-targets NAMESPACE convlens:: DESTINATION ${package_dir})

configure_package_config_file(cmake/convlens-config.cmake.in ${CMAKE_BINARY_DIR}/convlens-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/convlens-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/convlens-config.cmake ${CMAKE_BINARY_DIR}/convlens-config-version.cmake
  DESTINATION ${package_dir})
