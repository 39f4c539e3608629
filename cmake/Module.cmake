# add_module(name files…): a shared object convlens_NAME.so that the program loads at run time where it can
# (algorithms/interface/module.h). Built beside the program, installed into the library's folder convlens/.
function(add_module name)
  add_library(convlens_${name} MODULE ${ARGN})
  set_target_properties(convlens_${name} PROPERTIES
    PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} INSTALL_RPATH $ORIGIN/..)
  target_link_libraries(convlens_${name} PRIVATE convlens_algorithms convlens_flags)
endfunction()

function(install_module name)
  add_dependencies(program convlens_${name})
  install(TARGETS convlens_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/convlens COMPONENT Runtime)
endfunction()
