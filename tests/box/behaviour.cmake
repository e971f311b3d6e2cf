# What is shipped, in programs that other tests run on Linux: they are the same here.
set(watch_flags -fobjc-arc -I${PROJECT_SOURCE_DIR}/watch -Wno-arc-performSelector-leaks)
set(watch_and_helper ${product}/watch/libloupe_watch.dylib ${product}/helper/libloupe_helper.dylib)

# loupe_box_program_of(NAME FOLDER SOURCES ... FLAGS ... LINK ...): sources in a folder of the tests.
function(loupe_box_program_of name folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;FLAGS;LINK")
  list(TRANSFORM arg_SOURCES PREPEND ${tests}/${folder}/)
  loupe_box_objc(${name} SOURCES ${arg_SOURCES} FLAGS ${arg_FLAGS} LINK ${arg_LINK})
endfunction()

# ---- watch: rules, machine code of interceptions, copies of the process, reports ----

loupe_box_program_of(watch_screens watch SOURCES uikit/main.m uikit/UIKit.m FLAGS ${watch_flags})
if(arch STREQUAL "x86_64")
  set(wide_sources watch/trampoline_wide.m box/programs/cpu_model.c)
  set(wide_flags -mavx)
endif()
loupe_box_program_of(watch_trampoline . SOURCES watch/trampoline.m ${wide_sources}
  FLAGS ${watch_flags} ${wide_flags} LINK ${watch_and_helper})
loupe_box_program_of(watch_objects watch SOURCES objects.m
  FLAGS -fno-objc-arc -I${PROJECT_SOURCE_DIR}/watch LINK ${watch_and_helper})
loupe_box_test(watch_trampoline ${here}/watch_trampoline ${tests}/watch/trampoline.loupe-rules)
loupe_box_program_of(watch_api watch SOURCES api.m FLAGS ${watch_flags} LINK ${watch_and_helper})
loupe_box_test(watch_api ${here}/watch_api ${here}/api.baseline ${here}/api.filters)
loupe_box_test(watch_objects ${here}/watch_objects)
add_test(NAME box.watch_uikit COMMAND ${Python3_EXECUTABLE} -B ${tests}/watch/test_uikit.py)
set_tests_properties(box.watch_uikit PROPERTIES LABELS "box;watch;slow" TIMEOUT 900
  ENVIRONMENT "LOUPE_BOX=$<TARGET_FILE:loupe_box>;LOUPE_WATCH_LIBRARY=${product}/watch/libloupe_watch.dylib;LOUPE_WATCH_PROGRAMS=${here}")

# ---- stalls ----

loupe_box_program_of(box_stalls . SOURCES stacks/test_stalls.c support/check.c
  FLAGS -I${tests}/support -I${PROJECT_SOURCE_DIR}/stacks/stalls -I${PROJECT_SOURCE_DIR}/core
  LINK ${product}/stacks/stalls/libloupe_stalls.dylib)
loupe_box_test(stalls ${here}/box_stalls)
loupe_box_program_of(box_stall_observer . SOURCES stacks/test_stall_observer.c support/check.c
  FLAGS -I${tests}/support -I${PROJECT_SOURCE_DIR}/stacks/stalls -I${PROJECT_SOURCE_DIR}/core
  LINK ${product}/stacks/stalls/libloupe_stalls.dylib)
loupe_box_test(stall_observer ${here}/box_stall_observer)
loupe_box_program_of(box_stalled box SOURCES programs/stalled.c)
loupe_box_test(stalled --insert ${product}/stacks/stalls/libloupe_stalls.dylib ${here}/box_stalled ${here}/box_stalled.text)
set_property(TEST box.stalled PROPERTY ENVIRONMENT LOUPE_STALLS=0.1)

# ---- what nobody reads ----

loupe_box_program_of(box_unread box SOURCES programs/unread.c FLAGS -I${PROJECT_SOURCE_DIR}/run_tool)
loupe_box_test(unread ${here}/box_unread)
if(CMAKE_CROSSCOMPILING)
  message(STATUS "box.closed_output: skipped, it starts programs without the emulator")
else()
  add_test(NAME box.closed_output COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test_closed_output.py
           $<TARGET_FILE:loupe_box> ${here}/fixtures/self_block ${product}/watch/libloupe_watch.dylib
           ${product}/record/libloupe_record.dylib ${product}/stacks/stalls/libloupe_stalls.dylib)
  set_tests_properties(box.closed_output PROPERTIES LABELS box)
endif()

# ---- assertions ----

loupe_box_program_of(box_assertions testing SOURCES xctest.m
  FLAGS -fobjc-arc -I${PROJECT_SOURCE_DIR}/testing -I${PROJECT_SOURCE_DIR}/watch -I${tests}/testing/doubles
  LINK ${product}/testing/libloupe_testing.dylib)
loupe_box_test(assertions ${here}/box_assertions)
set(tool $<TARGET_FILE:loupe>)
if(CMAKE_CROSSCOMPILING)
  set(tool ${here}/loupe_in_emulator)
  list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
  file(GENERATE OUTPUT ${tool} CONTENT "#!/bin/sh\nexec ${emulator} $<TARGET_FILE:loupe> \"$@\"\n"
       FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endif()
set_property(TEST box.assertions PROPERTY ENVIRONMENT LOUPE_TOOL=${tool})

# ---- the recorder ----

loupe_box_program_of(box_recorded box SOURCES programs/recorded.m FLAGS -fobjc-arc
  LINK ${product}/helper/libloupe_helper.dylib)
loupe_box_test(recorded --insert ${product}/record/libloupe_record.dylib ${here}/box_recorded)
set_property(TEST box.recorded PROPERTY ENVIRONMENT LOUPE_RECORD=Kept)
loupe_box_test(recorded_without_limit --insert ${product}/record/libloupe_record.dylib ${here}/box_recorded)
set_tests_properties(box.recorded_without_limit PROPERTIES ENVIRONMENT LOUPE_RECORD_LIMIT=much
  PASS_REGULAR_EXPRESSION "LOUPE_RECORD_LIMIT is not a number of megabytes; it stays 2048")
loupe_box_program(libbox_logger.dylib LIBRARY SOURCES programs/logger.c)
loupe_box_program_of(box_history box SOURCES programs/history.m FLAGS -fno-objc-arc -O1 -fomit-frame-pointer
  LINK ${here}/libbox_logger.dylib ${product}/helper/libloupe_helper.dylib)
loupe_box_test(history --list-across-megabyte --insert ${here}/libbox_logger.dylib --insert ${product}/record/libloupe_record.dylib
  ${here}/box_history)
set_property(TEST box.history PROPERTY ENVIRONMENT "LOUPE_RECORD=Thing,Below,Nobody;LOUPE_RECORD_LIMIT=512")

# ---- the helper ----

loupe_box_program_of(box_questions box SOURCES programs/questions.m FLAGS -fobjc-arc
  LINK -U _host_box_rights_held ${product}/helper/libloupe_helper.dylib)
loupe_box_test(questions ${here}/box_questions ${here}/questions.loupe)
loupe_box_test(questions_of_a_cache --shared-cache --list-across-megabyte ${here}/box_questions)
loupe_box_test(questions_of_a_large_cache --large-cache ${here}/box_questions)

loupe_box_program_of(box_failures box SOURCES programs/failures.m FLAGS -fobjc-arc
  LINK -U _host_box_let_fail -U _host_box_let_always_fail -U _host_box_has_failed -U _host_box_rights_held
       ${product}/helper/libloupe_helper.dylib)
loupe_box_test(failures ${here}/box_failures ${here}/failures.loupe)

get_property(objc_programs GLOBAL PROPERTY LOUPE_BOX_OBJC)
add_custom_target(loupe_box_objc ALL DEPENDS ${objc_programs})
