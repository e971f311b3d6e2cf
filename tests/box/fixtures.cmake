# The test double of the runtime as libobjc.A.dylib, and the fixtures, as Mach-O.
set(tests ${PROJECT_SOURCE_DIR}/tests)
set(objc_flags -isysroot ${darwin_sdk} -fblocks -D_GNU_SOURCE -D_DARWIN_C_SOURCE
  -I${tests}/runtime/include -I${tests}/runtime/src -I${tests}/runtime/foundation -I${tests}/fixtures
  -I${PROJECT_SOURCE_DIR}/helper -Wno-arc-retain-cycles -Wno-unused-parameter)
file(GLOB objc_headers CONFIGURE_DEPENDS ${tests}/runtime/*/*.h ${tests}/runtime/include/*/*.h
  ${tests}/fixtures/*.h ${tests}/fixtures/*/*.h)
set(cxx_headers ${LOUPE_CROSS_LIBCXX}) # tests/cross finds it

# An object of one source, with these flags, to the variable.
function(loupe_box_objc_object variable source)
  file(RELATIVE_PATH object ${tests} ${source})
  string(REPLACE "/" "_" object ${object})
  set(object ${objects}/${object}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${LOUPE_CROSS_CLANG} --target=${arch}-apple-macosx13
            -g -fno-stack-protector ${objc_flags} ${ARGN} -c ${source} -o ${object}
    DEPENDS ${source} ${objc_headers} VERBATIM)
  set(${variable} ${object} PARENT_SCOPE)
endfunction()

# ---- The runtime ----

file(GLOB runtime_sources CONFIGURE_DEPENDS ${tests}/runtime/foundation/*.m ${tests}/runtime/src/*.c
  ${tests}/runtime/src/*.S ${tests}/runtime/src/*/*.c)
list(FILTER runtime_sources EXCLUDE REGEX "/image_sections\\.c$")
set(runtime_objects)
foreach(source IN LISTS runtime_sources)
  loupe_box_objc_object(object ${source} -O1 $<$<BOOL:${LOUPE_WERROR}>:-Wall>)
  list(APPEND runtime_objects ${object})
endforeach()
# Classes with a second name, which blocks and constant strings have as their class.
set(aliases -alias "_OBJC_CLASS_$___NSCFConstantString" ___CFConstantStringClassReference)
foreach(kind StackBlock MallocBlock GlobalBlock AutoBlock FinalizingBlock WeakBlockVariable)
  list(APPEND aliases -alias "_OBJC_CLASS_$___NS${kind}__" __NSConcrete${kind})
endforeach()
set(libobjc ${root}/usr/lib/libobjc.A.dylib)
add_custom_command(OUTPUT ${libobjc}
  COMMAND ${darwin_link} -dylib -syslibroot ${root} -install_name /usr/lib/libobjc.A.dylib
          ${runtime_objects} ${aliases} -lSystem.B -o ${libobjc}
  DEPENDS ${runtime_objects} ${system_libraries} VERBATIM)

# ---- Programs with it ----

# loupe_box_objc(NAME SOURCES ... [FLAGS ...] [LINK ...]); sources that end in ".mm" are C++. With LIBRARY a dylib.
function(loupe_box_objc name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LIBRARY" "" "SOURCES;FLAGS;LINK")
  set(made)
  foreach(source IN LISTS arg_SOURCES)
    set(flags ${arg_FLAGS})
    if(source MATCHES "\\.mm$")
      list(APPEND flags -std=c++17 -nostdinc++ -isystem ${cxx_headers})
    elseif(source MATCHES "\\.c$")
      list(REMOVE_ITEM flags -fobjc-arc -fno-objc-arc)
    endif()
    if(source MATCHES "/(holders|manual)\\.m$")
      list(APPEND flags -fno-objc-arc)
    endif()
    loupe_box_objc_object(object ${source} ${flags})
    list(APPEND made ${object})
  endforeach()
  set(kind)
  get_filename_component(file_name ${name} NAME)
  if(arg_LIBRARY)
    set(kind -dylib -install_name @rpath/${file_name})
  endif()
  set(depends ${arg_LINK})
  list(FILTER depends INCLUDE REGEX "^/")
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${name})
  add_custom_command(OUTPUT ${file}
    COMMAND ${darwin_link} ${kind} -syslibroot ${root} -rpath @loader_path ${product_rpaths} ${made} ${arg_LINK}
            -lobjc.A -lc++.1 -lSystem.B -o ${file}
    DEPENDS ${made} ${depends} ${system_libraries} ${libobjc} ${root}/usr/lib/libc++.1.dylib VERBATIM)
  set_property(GLOBAL APPEND PROPERTY LOUPE_BOX_OBJC ${file})
endfunction()

# ---- The fixtures ----

file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fixtures)
foreach(source fixture.c steps.c after_main.c)
  loupe_box_objc_object(fixture_${source} ${tests}/fixtures/${source})
endforeach()
file(GLOB expectations CONFIGURE_DEPENDS ${tests}/fixtures/*/expect.json)
foreach(expectation IN LISTS expectations)
  get_filename_component(folder ${expectation} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  file(GLOB sources ${folder}/*.m ${folder}/*.mm ${folder}/*.c)
  set(counting -fobjc-arc)
  if(name STREQUAL "mrc_block")
    set(counting -fno-objc-arc)
  endif()
  if(sources MATCHES "\\.mm" AND NOT cxx_headers)
    message(STATUS "box.fixtures: ${name} skipped, no headers of libc++ (libc++-22-dev)")
    continue()
  endif()
  loupe_box_objc(fixtures/${name} SOURCES ${sources} FLAGS ${counting}
                 LINK ${fixture_fixture.c} ${fixture_steps.c} ${fixture_after_main.c})
endforeach()

# ---- What is asked of them ----

loupe_box_objc(libbox_observer.dylib LIBRARY SOURCES ${tests}/helper/observer.c LINK ${product}/helper/libloupe_helper.dylib)
add_test(NAME box.fixtures
  COMMAND ${Python3_EXECUTABLE} ${tests}/helper/fixtures_directly.py ${here}/libbox_observer.dylib
          ${here}/fixtures ${tests}/fixtures ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:loupe_box>)
set_tests_properties(box.fixtures PROPERTIES LABELS "box;helper")
if(TARGET helper_observer AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME box.same_answers
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/test_same_answers.py
            ${here}/libbox_observer.dylib ${here}/fixtures
            $<TARGET_FILE:helper_observer> ${PROJECT_BINARY_DIR}/tests/fixtures
            ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:loupe_box>)
  set_tests_properties(box.same_answers PROPERTIES LABELS "box;elf;slow") # takes the fixtures of this system
endif()

# The whole heap from inside, with other threads, as it lies on several systems.
loupe_box_objc(box_whole_heap SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/programs/whole_heap.m FLAGS -fobjc-arc -O1
               LINK ${product}/helper/libloupe_helper.dylib)
loupe_box_test(whole_heap ${here}/box_whole_heap)
loupe_box_test(whole_heap_with_a_cache --shared-cache ${here}/box_whole_heap)
loupe_box_test(whole_heap_across --list-across-megabyte ${here}/box_whole_heap)
foreach(release 474 521 646)
  loupe_box_test(whole_heap_guarded_${release} ${here}/box_whole_heap)
  set_property(TEST box.whole_heap_guarded_${release} PROPERTY ENVIRONMENT
               BOX_LIBMALLOC=${release} BOX_MALLOC_GUARD=1)
endforeach()

# ---- As LLDB sees them on a Mac ----

if(LOUPE_LLDB AND TARGET loupe_plugin)
  add_test(NAME box.lldb COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/test_lldb.py)
  set_tests_properties(box.lldb PROPERTIES LABELS "box;lldb" SKIP_RETURN_CODE 77 ENVIRONMENT
    "LOUPE_TEST_LLDB=${LOUPE_LLDB};LOUPE_TEST_BUILD=${PROJECT_BINARY_DIR};LOUPE_BOX=${here};LOUPE_BOX_HELPER=${product}/helper/libloupe_helper.dylib")
endif()
