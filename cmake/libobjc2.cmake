# How programs are compiled for GNUstep's libobjc2, which is found by pkg-config (libobjc) or under
# the prefix that LOUPE_LIBOBJC2 names. Sets LIBOBJC2_LIBRARY, LIBOBJC2_INCLUDE, libobjc2_flags for
# the compiler and LOUPE_LLD, or says why not and sets libobjc2_missing.
set(LOUPE_LIBOBJC2 "$ENV{LOUPE_LIBOBJC2}" CACHE PATH "prefix of an installed libobjc2")

find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND AND NOT LOUPE_LIBOBJC2)
  pkg_check_modules(LIBOBJC2 QUIET libobjc)
endif()
find_path(LIBOBJC2_INCLUDE objc/objc-arc.h
  PATHS ${LOUPE_LIBOBJC2} ${LIBOBJC2_INCLUDE_DIRS} PATH_SUFFIXES include include/GNUstep
  NO_DEFAULT_PATH)
find_library(LIBOBJC2_LIBRARY objc
  PATHS ${LOUPE_LIBOBJC2} ${LIBOBJC2_LIBRARY_DIRS} PATH_SUFFIXES lib lib64 NO_DEFAULT_PATH)
find_program(LOUPE_LLD NAMES ld.lld-22 ld.lld-19 ld.lld-16 ld.lld-14 ld.lld DOC "linker for libobjc2")

set(libobjc2_missing)
if(NOT LIBOBJC2_INCLUDE OR NOT LIBOBJC2_LIBRARY)
  set(libobjc2_missing "pkg-config knows no libobjc and LOUPE_LIBOBJC2 is not set")
elseif(APPLE OR NOT CMAKE_OBJC_COMPILER)
  set(libobjc2_missing "they need clang on another system than macOS")
elseif(NOT LOUPE_LLD)
  set(libobjc2_missing "the sections of its programs need lld")
endif()
if(libobjc2_missing)
  return()
endif()

get_filename_component(libobjc2_folder ${LIBOBJC2_LIBRARY} DIRECTORY)
set(libobjc2_flags -fobjc-runtime=gnustep-2.0 -fblocks -isystem${LIBOBJC2_INCLUDE})
