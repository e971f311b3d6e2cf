# Histories on releases of glibc that the machine does not have: LOUPE_GLIBCS, folders that each
# have a libc.so.6 and its loader (tests/heap/get_glibcs.sh fetches some).
set(LOUPE_GLIBCS "" CACHE STRING "folders with other releases of glibc, for tests of whole heaps")
if(NOT LOUPE_GLIBCS)
  message(STATUS "heap.glibc.*: skipped, LOUPE_GLIBCS names no other releases of glibc")
  return()
endif()

# heap.glibc.<release>: the same program, linked to that library, and loaded by its loader.
function(loupe_test_other_glibc folder)
  set(loader ${folder}/ld-linux-x86-64.so.2)
  execute_process(COMMAND ${loader} ${folder}/libc.so.6 OUTPUT_VARIABLE says ERROR_QUIET)
  if(NOT says MATCHES "release version ([0-9.]+[0-9])")
    message(WARNING "heap.glibc.*: ${folder} has no libc.so.6 that runs by its own loader")
    return()
  endif()
  set(release ${CMAKE_MATCH_1})
  set(program heap_history_${release})
  set(libraries ${folder}/libc.so.6)
  if(release VERSION_LESS 2.34) # threads were a library of their own
    list(APPEND libraries ${folder}/libpthread.so.0)
  endif()
  add_custom_command(OUTPUT ${program}
    COMMAND ${CMAKE_C_COMPILER} -O2 -fno-builtin ${CMAKE_CURRENT_SOURCE_DIR}/history.c
            ${CMAKE_CURRENT_SOURCE_DIR}/recording.c -o ${program} -nodefaultlibs ${libraries} ${loader}
            -lgcc -Wl,-rpath-link,${folder}
            -Wl,--disable-new-dtags,-rpath,${folder} -Wl,--dynamic-linker,${loader}
    DEPENDS history.c recording.c record.h VERBATIM)
  add_custom_target(${program}_built ALL DEPENDS ${program})
  add_test(NAME heap.glibc.${release}
    COMMAND test_live_blocks ${CMAKE_CURRENT_BINARY_DIR}/${program} 4)
  set_tests_properties(heap.glibc.${release} PROPERTIES LABELS unit)
  foreach(tunables default tcache_count=0 tcache_count=100 mmap_threshold=600 arena_max=1 mxfast=0)
    add_test(NAME heap.glibc.${release}.${tunables}
      COMMAND test_live_blocks ${CMAKE_CURRENT_BINARY_DIR}/${program} 4 glibc.malloc.${tunables} 10)
    set_tests_properties(heap.glibc.${release}.${tunables} PROPERTIES LABELS "heap;slow")
  endforeach()
endfunction()

foreach(folder IN LISTS LOUPE_GLIBCS)
  loupe_test_other_glibc(${folder})
endforeach()
