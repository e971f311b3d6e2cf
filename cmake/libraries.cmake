# One function for each kind of library. Lists of sources are in the order of folders (tree.source_lists).

# loupe_room(NAME SOURCES... [FOLDER FOLDER] [PUBLIC TARGET...] [PRIVATE TARGET...]): a static library, found by
# its headers below its own folder or FOLDER.
function(loupe_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "FOLDER" "SOURCES;PUBLIC;PRIVATE")
  if(NOT room_FOLDER)
    set(room_FOLDER ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  add_library(${name} STATIC ${room_SOURCES})
  target_include_directories(${name} PUBLIC ${room_FOLDER})
  target_link_libraries(${name} PUBLIC ${room_PUBLIC} PRIVATE loupe_warnings ${room_PRIVATE})
endfunction()

# loupe_library(NAME SOURCES... [HEADERS FILE...] [PRIVATE TARGET...]): a shared library that programs load,
# installed where the commands look for it; with HEADERS, which are installed too, programs link it.
function(loupe_library name)
  cmake_parse_arguments(PARSE_ARGV 1 library "" "" "SOURCES;HEADERS;PRIVATE")
  add_library(${name} SHARED ${library_SOURCES})
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${library_PRIVATE} loupe_warnings)
  if(library_HEADERS)
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>)
    install(TARGETS ${name} EXPORT LoupeTargets LIBRARY DESTINATION lib/loupe INCLUDES DESTINATION include)
    install(FILES ${library_HEADERS} DESTINATION include)
  else()
    install(TARGETS ${name} LIBRARY DESTINATION lib/loupe)
  endif()
endfunction()

# loupe_finds_its_neighbours(TARGET): libraries of ours that it needs are where it is installed itself.
function(loupe_finds_its_neighbours target)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $<IF:$<BOOL:${APPLE}>,@loader_path,$ORIGIN>)
endfunction()

# loupe_runs_inside(TARGET): what it compiles may run inside any program, in any state. So without the checked
# forms of memcpy() and the like, which only a C library has, and which the headers of Darwin make macros of
# unasked.
function(loupe_runs_inside target)
  target_compile_options(${target} PRIVATE -fno-stack-protector -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=0)
endfunction()
