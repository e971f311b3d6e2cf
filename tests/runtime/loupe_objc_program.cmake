# loupe_objc_program(<target> SOURCES <file>... [MRC] [CXX])
#
# A program of Objective-C (.m), Objective-C++ (.mm, with CXX) and C with blocks (.c), compiled for
# Apple's ABI and run by the test runtime. ARC unless MRC is given. Optimised as LOUPE_OBJC_OPTIMIZE
# says, whatever the build type: a debugger looks at these programs.
set(LOUPE_OBJC_OPTIMIZE "-O0" CACHE STRING "Optimisation of Objective-C test programs")

# What makes clang emit Apple's ABI.
add_library(loupe_objc_abi INTERFACE)
target_compile_options(loupe_objc_abi INTERFACE
  $<$<COMPILE_LANGUAGE:OBJC,OBJCXX>:-fobjc-runtime=macosx-10.15 -fblocks>)

# C files that must be compiled by clang, as C: those with blocks, and all that run under the
# sanitizers beside Objective-C, since a program can have one sanitizer runtime only.
function(loupe_compile_with_clang)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE OBJC COMPILE_OPTIONS "-xc")
endfunction()

function(loupe_objc_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MRC;CXX" "" "SOURCES")
  set(sections ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/src/images/image_sections.c)
  add_executable(${target} ${arg_SOURCES} ${sections})
  set(c_sources ${arg_SOURCES} ${sections})
  list(FILTER c_sources INCLUDE REGEX "\\.c$")
  loupe_compile_with_clang(${c_sources})
  set(counting -fobjc-arc)
  if(arg_MRC)
    set(counting -fno-objc-arc)
  endif()
  if(arg_CXX)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE OBJCXX)
  endif()
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:OBJC,OBJCXX>:${counting} -g ${LOUPE_OBJC_OPTIMIZE}>)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/src)
  # CMake 3.25 has no rpath flag for Objective-C. Symbols are bound at start, so that the hand-over
  # of returned objects works from the first call (src/ownership/returned.c).
  target_link_options(${target} PRIVATE
    -Wl,-rpath,$<TARGET_FILE_DIR:loupe_test_runtime> -Wl,-z,now)
  target_link_libraries(${target} PRIVATE loupe_test_runtime loupe_objc_abi loupe_sanitizers)
endfunction()
