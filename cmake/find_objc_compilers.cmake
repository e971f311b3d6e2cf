# Chooses the clang that compiles Objective-C: the newest installed one, unless the caller set
# CMAKE_OBJC_COMPILER (and CMAKE_OBJCXX_COMPILER) or the environment sets OBJC (and OBJCXX).
if(NOT APPLE AND NOT CMAKE_OBJC_COMPILER AND NOT DEFINED ENV{OBJC})
  find_program(LOUPE_OBJC_CLANG NAMES clang-22 clang-21 clang-20 clang-19 clang-18 clang-17 clang-16
                                      clang-15 clang-14 clang
               DOC "clang for Objective-C")
  if(NOT LOUPE_OBJC_CLANG)
    message(FATAL_ERROR "no clang found for Objective-C: install one, set CMAKE_OBJC_COMPILER, or "
                        "build without tests (-DLOUPE_BUILD_TESTS=OFF), which any C compiler does")
  endif()
  set(CMAKE_OBJC_COMPILER "${LOUPE_OBJC_CLANG}")
endif()
if(NOT APPLE AND NOT CMAKE_OBJCXX_COMPILER AND NOT DEFINED ENV{OBJCXX} AND CMAKE_OBJC_COMPILER)
  # clang-N and clang++-N live side by side.
  string(REGEX REPLACE "clang(-[0-9]+)?$" "clang++\\1" CMAKE_OBJCXX_COMPILER "${CMAKE_OBJC_COMPILER}")
endif()
