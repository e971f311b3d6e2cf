# What is shipped for a Mac, built by its own CMake files as for one.
set(product ${CMAKE_CURRENT_BINARY_DIR}/product)
set(product_libraries
  ${product}/helper/libloupe_helper.dylib
  ${product}/watch/libloupe_watch.dylib
  ${product}/record/libloupe_record.dylib
  ${product}/stacks/stalls/libloupe_stalls.dylib
  ${product}/testing/libloupe_testing.dylib)
set(product_rpaths)
foreach(library IN LISTS product_libraries)
  get_filename_component(folder ${library} DIRECTORY)
  list(APPEND product_rpaths -rpath ${folder})
endforeach()

set(launchers)
foreach(language C CXX ASM)
  if(CMAKE_${language}_COMPILER_LAUNCHER)
    list(APPEND launchers -DCMAKE_${language}_COMPILER_LAUNCHER=${CMAKE_${language}_COMPILER_LAUNCHER})
  endif()
endforeach()
# What of it runs is counted by its own code. Counters stand in a segment of their own, which the box keeps in
# a file (loader/counters.h): LLVM's own runtime for that is nothing that is installed here.
option(LOUPE_BOX_COVERAGE "Count which lines run of what is built for a Mac (./run coverage-darwin)" OFF)
set(counting)
if(LOUPE_BOX_COVERAGE)
  set(counting
    "CFLAGS=-include ${CMAKE_CURRENT_LIST_DIR}/no_profile_runtime.h -Xclang -fprofile-instrument=clang -Xclang -fcoverage-mapping"
    "LDFLAGS=-Wl,-rename_section,__DATA,__llvm_prf_cnts,__COUNTERS,__llvm_prf_cnts")
endif()
add_custom_command(OUTPUT ${product}/build.ninja
  COMMAND ${CMAKE_COMMAND} -E env ${counting} ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${product} -G Ninja
          -DCMAKE_TOOLCHAIN_FILE=${PROJECT_SOURCE_DIR}/tests/cross/darwin_toolchain.cmake
          -DLOUPE_DARWIN_ARCH=${arch} -DLOUPE_BUILD_TESTS=OFF -DLOUPE_WERROR=${LOUPE_WERROR}
          -DCMAKE_BUILD_TYPE=RelWithDebInfo ${launchers} >${CMAKE_CURRENT_BINARY_DIR}/product.log
  DEPENDS ${PROJECT_SOURCE_DIR}/tests/cross/darwin_toolchain.cmake VERBATIM)
# Asked each time: it knows what is to be made again.
add_custom_target(loupe_box_product ALL
  COMMAND ${CMAKE_COMMAND} --build ${product} --target loupe_helper loupe_watch loupe_record loupe_stalls loupe_testing
  DEPENDS ${product}/build.ninja BYPRODUCTS ${product_libraries} VERBATIM USES_TERMINAL)
