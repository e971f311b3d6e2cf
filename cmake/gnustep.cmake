# How Foundation programs are compiled for the GNUstep of this system, by gcc with its Objective-C
# front end (gobjc) and by clang for the same runtime. Defines loupe_gnustep_program(), or says why
# not and defines nothing.
if(APPLE)
  message(STATUS "GNUstep programs: skipped, this is a Mac")
  return()
endif()
if(CMAKE_CROSSCOMPILING)
  message(STATUS "GNUstep programs: skipped, gnustep-config tells of this machine's")
  return()
endif()
find_program(LOUPE_GNUSTEP_CONFIG gnustep-config DOC "knows how programs on GNUstep are compiled")
find_program(LOUPE_GOBJC NAMES gcc DOC "GCC with an Objective-C compiler")
if(NOT LOUPE_GNUSTEP_CONFIG)
  message(STATUS "GNUstep programs: skipped, gnustep-config is not installed")
  return()
endif()
execute_process(COMMAND ${LOUPE_GNUSTEP_CONFIG} --objc-flags
                OUTPUT_VARIABLE gnustep_flags OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${LOUPE_GNUSTEP_CONFIG} --base-libs
                OUTPUT_VARIABLE gnustep_libraries OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT gnustep_flags MATCHES "-DGNU_RUNTIME=1")
  message(STATUS "GNUstep programs: skipped, GNUstep here does not run on GCC's libobjc")
  return()
endif()
separate_arguments(gnustep_flags)
separate_arguments(gnustep_libraries)
list(REMOVE_ITEM gnustep_flags -MMD -MP -O2 -I. -shared-libgcc -Wall)
list(REMOVE_ITEM gnustep_libraries -shared-libgcc)
list(TRANSFORM gnustep_flags REPLACE "^-I(/.*)$" "-isystem\\1")
list(APPEND gnustep_flags -std=gnu99 -O0 -g)

# The runtime's headers and its library belong to GCC, which alone knows where they are.
execute_process(COMMAND ${LOUPE_GOBJC} -print-file-name=include/objc/objc.h
                OUTPUT_VARIABLE gcc_objc_header OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${LOUPE_GOBJC} -print-file-name=libobjc.so
                OUTPUT_VARIABLE gcc_objc_library OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT EXISTS "${gcc_objc_header}")
  message(STATUS "GNUstep programs: skipped, ${LOUPE_GOBJC} has no Objective-C (package gobjc)")
  return()
endif()
get_filename_component(gcc_include ${gcc_objc_header}/../.. ABSOLUTE)
get_filename_component(gcc_library_folder ${gcc_objc_library} DIRECTORY)

set(gnustep_gobjc ${LOUPE_GOBJC} -Wall -Wextra -Wno-import)
set(gnustep_clang_flags
  -fobjc-runtime=gcc -Wall -Wextra -Wno-deprecated-declarations -Wno-expansion-to-defined
  -isystem${gcc_include})
set(gnustep_clang ${CMAKE_OBJC_COMPILER} ${gnustep_clang_flags} -L${gcc_library_folder})

# loupe_gnustep_object(<variable> <compiler> <source> <folder for the object> [FLAGS <flag>...] [HEADERS <file>...]):
# what several programs are linked with, compiled once.
function(loupe_gnustep_object variable compiler source folder)
  cmake_parse_arguments(arg "" "" "HEADERS;FLAGS" ${ARGN})
  file(MAKE_DIRECTORY ${folder})
  get_filename_component(name ${source} NAME)
  add_custom_command(
    OUTPUT ${folder}/${name}.o
    COMMAND ${gnustep_${compiler}} -Wno-unused-command-line-argument ${gnustep_flags} ${arg_FLAGS} -c -o ${folder}/${name}.o ${source}
    DEPENDS ${source} ${arg_HEADERS}
    VERBATIM)
  set(${variable} ${folder}/${name}.o PARENT_SCOPE)
endfunction()

# loupe_gnustep_program(<compiler> <name> <folder for the program>
#                       SOURCES <file>... [HEADERS <file>...] [FLAGS <flag>...])
# The compiler is gobjc or clang.
function(loupe_gnustep_program compiler name folder)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;FLAGS" ${ARGN})
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${folder}/${name}
    COMMAND ${gnustep_${compiler}} ${gnustep_flags} ${arg_FLAGS} -o ${folder}/${name} ${arg_SOURCES}
            ${gnustep_libraries}
    DEPENDS ${arg_SOURCES} ${arg_HEADERS}
    VERBATIM)
  add_custom_target(gnustep_${compiler}_${name} ALL DEPENDS ${folder}/${name})
endfunction()

