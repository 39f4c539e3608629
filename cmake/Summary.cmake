# What was found or left out, and why: collected while configuring, printed at its end.
function(report what state)
  set_property(GLOBAL APPEND PROPERTY CONVLENS_SUMMARY "${what}: ${state}")
endfunction()

function(print_summary)
  get_property(lines GLOBAL PROPERTY CONVLENS_SUMMARY)
  message(STATUS "Convlens ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  foreach(line IN LISTS lines)
    message(STATUS "  ${line}")
  endforeach()
endfunction()
