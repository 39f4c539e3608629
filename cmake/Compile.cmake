# How our own code is compiled.
#
# convlens_flags: the warnings, for every target. Never exported. GCC collects its garbage more than once a file by default,
# and takes a fifteenth of its time for it; no file of ours needs 512 MiB.
add_library(convlens_flags INTERFACE)
target_compile_options(convlens_flags INTERFACE -Wall -Wextra -Wpedantic -Wno-restrict
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)

# convlens_words: for words, tables and pictures, which nobody waits for once they run, but everybody while they are
# compiled. No arithmetic of a convolution is under it.
add_library(convlens_words INTERFACE)
target_compile_options(convlens_words INTERFACE $<$<CONFIG:Release>:-O1>)
target_link_libraries(convlens_words INTERFACE convlens_flags)

# precompile(target): those of the standard library's headers that most files include are parsed once for the target. A
# build through a compiler cache, which cannot see into them, goes without, so every file still names what it includes.
function(precompile target)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <cmath> <filesystem> <functional> <map> <memory> <optional> <span> <sstream> <string> <vector>)
  # GCC 12 no longer knows them for the system's own, and warns of what std::string does inside.
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds>)
  endif()
endfunction()
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

if(CONVLENS_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_options(${sanitizers} -D_GLIBCXX_ASSERTIONS)
  add_link_options(${sanitizers})
endif()
