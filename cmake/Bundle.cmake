# Makes the folder OUTPUT from the build folder BUILD: the command, its modules, the kernels' texts, and beside them the
# libraries that they need. It runs from anywhere on a GPU server without network. Left to the server are its glibc and
# NVIDIA's driver and libraries. With TESTS=ON the test binary comes along.
#
#   cmake -DBUILD=build-gpu-bench -DOUTPUT=convlens-gpu-bench -P cmake/Bundle.cmake
set(most_mib 48)

file(REMOVE_RECURSE ${OUTPUT})
function(install_component component)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${OUTPUT} --strip --component ${component}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
install_component(Runtime)
if(TESTS)
  install_component(Tests)
endif()

file(GLOB programs ${OUTPUT}/bin/*)
file(GLOB libraries ${OUTPUT}/lib/*.so)
file(GLOB modules ${OUTPUT}/lib/convlens/*.so)
# Dear ImGui opens this one by its name.
if(EXISTS ${OUTPUT}/lib/convlens/convlens_viewer.so)
  find_file(gl libGL.so.1 PATHS /usr/lib /usr/lib64 /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib/x86_64-linux-gnu
    REQUIRED NO_DEFAULT_PATH)
  list(APPEND libraries ${gl})
  file(INSTALL ${gl} DESTINATION ${OUTPUT}/lib FOLLOW_SYMLINK_CHAIN MESSAGE_NEVER)
endif()
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} LIBRARIES ${libraries} MODULES ${modules}
  RESOLVED_DEPENDENCIES_VAR needed
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread)\\.so" "^lib(cu|nv)")
foreach(library IN LISTS needed)
  cmake_path(IS_PREFIX OUTPUT ${library} NORMALIZE ours)
  if(NOT ours)
    file(INSTALL ${library} DESTINATION ${OUTPUT}/lib FOLLOW_SYMLINK_CHAIN MESSAGE_NEVER)
  endif()
endforeach()

file(GLOB_RECURSE files ${OUTPUT}/*)
set(bytes 0)
foreach(file IN LISTS files)
  if(NOT IS_SYMLINK ${file})
    file(SIZE ${file} size)
    math(EXPR bytes "${bytes} + ${size}")
  endif()
endforeach()
math(EXPR mib "${bytes} / 1048576 + 1")
message(STATUS "${OUTPUT}: ${mib} MiB")
if(mib GREATER most_mib)
  message(FATAL_ERROR "The bundle is larger than ${most_mib} MiB.")
endif()
