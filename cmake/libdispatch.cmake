# libdispatch, as swift-corelibs-libdispatch builds it, below the prefix that LOUPE_LIBDISPATCH
# names. Sets LIBDISPATCH_LIBRARY, LIBDISPATCH_INCLUDE and libdispatch_folder, or sets
# libdispatch_missing to the reason why not.
set(LOUPE_LIBDISPATCH "$ENV{LOUPE_LIBDISPATCH}" CACHE PATH "prefix of an installed libdispatch")

find_path(LIBDISPATCH_INCLUDE dispatch/dispatch.h
  PATHS ${LOUPE_LIBDISPATCH} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_library(LIBDISPATCH_LIBRARY dispatch
  PATHS ${LOUPE_LIBDISPATCH} PATH_SUFFIXES lib lib64 NO_DEFAULT_PATH)

set(libdispatch_missing)
if(NOT LIBDISPATCH_INCLUDE OR NOT LIBDISPATCH_LIBRARY)
  set(libdispatch_missing "LOUPE_LIBDISPATCH is not the prefix of one")
  return()
endif()
get_filename_component(libdispatch_folder ${LIBDISPATCH_LIBRARY} DIRECTORY)
