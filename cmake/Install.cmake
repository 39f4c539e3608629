# `cmake --install` and `find_package(convlens)`: the command with its libraries, modules and texts (component Runtime),
# and what others build with (component Development).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/convlens)

install(TARGETS convlens_algorithms convlens_kernels EXPORT convlens-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Runtime)
install(TARGETS convlens RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels DESTINATION ${CMAKE_INSTALL_DATADIR}/convlens COMPONENT Runtime
  FILES_MATCHING PATTERN "*.cu" PATTERN "*.cuh" PATTERN "common/*.h" PATTERN "runtime" EXCLUDE)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/notebooks/data DESTINATION ${CMAKE_INSTALL_DATADIR}/convlens COMPONENT Runtime
  FILES_MATCHING PATTERN "*.jsonl" PATTERN "*.trace")

install(DIRECTORY ${PROJECT_SOURCE_DIR}/algorithms DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/convlens COMPONENT Development
  FILES_MATCHING PATTERN "*.h" PATTERN "peers/onednn" EXCLUDE)
install(EXPORT convlens-targets NAMESPACE convlens:: DESTINATION ${package_dir} COMPONENT Development)
configure_package_config_file(cmake/convlens-config.cmake.in ${CMAKE_BINARY_DIR}/convlens-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/convlens-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/convlens-config.cmake ${CMAKE_BINARY_DIR}/convlens-config-version.cmake
  DESTINATION ${package_dir} COMPONENT Development)

# `cmake --build … --target bundle`: convlens-gpu-bench/ in the build folder, and the same packed.
set(bundle ${CMAKE_BINARY_DIR}/convlens-gpu-bench)
add_custom_target(bundle
  COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -DOUTPUT=${bundle} -DTESTS=$<BOOL:${CONVLENS_BUNDLE_TESTS}>
          -P ${PROJECT_SOURCE_DIR}/cmake/Bundle.cmake
  COMMAND ${CMAKE_COMMAND} -E tar cJf ${bundle}.tar.xz convlens-gpu-bench
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM)
add_dependencies(bundle convlens)
foreach(target convlens_cuda convlens_viewer)
  if(TARGET ${target})
    add_dependencies(bundle ${target})
  endif()
endforeach()
if(CONVLENS_BUNDLE_TESTS AND TARGET convlens_tests)
  add_dependencies(bundle convlens_tests)
endif()
