# Writes OUTPUT, a header with the version and the git revision of SOURCE; touches it only when either has changed.
# Of its own repository only: a copy without one may lie inside another.
execute_process(COMMAND git --git-dir=${SOURCE}/.git --work-tree=${SOURCE} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(revision "unknown")
endif()
set(text "#define CONVLENS_VERSION \"${VERSION}\"\n#define CONVLENS_REVISION \"${revision}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
