# Programs that know all of their heap, on each runtime that there is.
foreach(checker check_census check_agreement)
  add_executable(${checker} ${checker}.c opened.c)
  target_link_libraries(${checker} PRIVATE loupe_test_support loupe_warnings)
endforeach()
set(census ${CMAKE_CURRENT_SOURCE_DIR}/census.m)
add_library(heap_recording OBJECT recording.c)
target_compile_options(heap_recording PRIVATE -fno-builtin)
set_target_properties(heap_recording PROPERTIES C_VISIBILITY_PRESET default)
set(recording $<TARGET_OBJECTS:heap_recording>)
set(includes -I${CMAKE_CURRENT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/helper)
set(helper $<TARGET_FILE:loupe_helper> -Wl,-rpath,$<TARGET_FILE_DIR:loupe_helper>)
set(census_programs)
if(LOUPE_SANITIZE)
  message(STATUS "heap.census.*: skipped, the malloc of sanitizers would take the place of the recorded one")
  return()
endif()

if(COMMAND loupe_gnustep_program)
  loupe_gnustep_program(gobjc census_gcc ${CMAKE_CURRENT_BINARY_DIR}
    SOURCES ${census}
    HEADERS ${CMAKE_CURRENT_SOURCE_DIR}/record.h ${recording}
    FLAGS ${includes} ${recording} -Wl,--no-as-needed ${helper})
  add_dependencies(gnustep_gobjc_census_gcc loupe_helper heap_recording)
  list(APPEND census_programs gcc)
endif()

if(NOT libobjc2_missing)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/../libobjc2)
  set(built ${CMAKE_CURRENT_BINARY_DIR}/../libobjc2)
  add_custom_command(OUTPUT census_libobjc2
    COMMAND ${CMAKE_OBJC_COMPILER} ${libobjc2_flags} -g -O0 -Wno-everything -I${folder}/include ${includes}
            --ld-path=${LOUPE_LLD} -o census_libobjc2 ${census} ${recording} ${built}/NSObject.o
            ${built}/watch.o ${helper} ${LIBOBJC2_LIBRARY} -Wl,-rpath,${libobjc2_folder}
    DEPENDS ${census} record.h ${recording} libobjc2_fixtures loupe_helper VERBATIM)
  add_custom_target(heap_census_libobjc2 ALL DEPENDS census_libobjc2)
  list(APPEND census_programs libobjc2)
endif()

if(COMMAND loupe_objc_program AND TARGET loupe_test_runtime)
  loupe_objc_program(census_apple SOURCES ${census} MRC)
    target_include_directories(census_apple PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/helper)
  target_link_libraries(census_apple PRIVATE loupe_helper heap_recording)
  list(APPEND census_programs apple)
endif()

# More than 10^5 blocks of memory each. LLDB takes its time to read the libraries.
foreach(name IN LISTS census_programs)
  set(command ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test_census.py
              ${CMAKE_CURRENT_BINARY_DIR}/census_${name} $<TARGET_FILE:loupe> ${CMAKE_CURRENT_BINARY_DIR})
  add_test(NAME heap.census.${name} COMMAND ${command} 120000 1)
  add_test(NAME heap.census.${name}.all COMMAND ${command} 120000 20 ${makers})
  set_tests_properties(heap.census.${name} heap.census.${name}.all PROPERTIES LABELS heap)
  set_tests_properties(heap.census.${name}.all PROPERTIES LABELS "heap;slow")
endforeach()
