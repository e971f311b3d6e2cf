# How programs are compiled for GNUstep's libobjc2, which is found by pkg-config (libobjc) or under
# the prefix that LOUPE_LIBOBJC2 names. Sets LIBOBJC2_LIBRARY, LIBOBJC2_INCLUDE, libobjc2_flags for
# the compiler and LOUPE_LLD, or sets libobjc2_missing to the reason why not. For a Foundation on it, a
# gnustep-base below the prefix that LOUPE_GNUSTEP2 names: GNUSTEP2_BASE, gnustep2_flags and
# gnustep2_folder, or gnustep2_missing.
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

set(LOUPE_GNUSTEP2 "$ENV{LOUPE_GNUSTEP2}" CACHE PATH "prefix of a gnustep-base on libobjc2")
find_path(GNUSTEP2_INCLUDE Foundation/Foundation.h
  PATHS ${LOUPE_GNUSTEP2} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_library(GNUSTEP2_BASE gnustep-base
  PATHS ${LOUPE_GNUSTEP2} PATH_SUFFIXES lib lib64 NO_DEFAULT_PATH)
set(gnustep2_missing)
if(NOT GNUSTEP2_INCLUDE OR NOT GNUSTEP2_BASE)
  set(gnustep2_missing "LOUPE_GNUSTEP2 is not the prefix of one")
  return()
endif()

get_filename_component(gnustep2_folder ${GNUSTEP2_BASE} DIRECTORY)
set(gnustep2_flags
  ${libobjc2_flags} -DGNUSTEP -DGNUSTEP_BASE_LIBRARY=1 -fexceptions -fobjc-exceptions
  -fconstant-string-class=NSConstantString -D_NATIVE_OBJC_EXCEPTIONS -isystem${GNUSTEP2_INCLUDE})
