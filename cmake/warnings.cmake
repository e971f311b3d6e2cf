# Warnings and sanitizers as link targets, so that each directory says in one line what it is held to.
add_library(loupe_warnings INTERFACE)
target_compile_options(loupe_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion
  $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
  $<$<BOOL:${LOUPE_WERROR}>:-Werror>)

add_library(loupe_sanitizers INTERFACE)
if(LOUPE_SANITIZE)
  set(sanitizers address,undefined)
  if(LOUPE_SANITIZE STREQUAL "thread")
    set(sanitizers thread)
  elseif(LOUPE_BUILD_FUZZERS) # which see where an input gets to
    set(sanitizers fuzzer-no-link,address,undefined)
  endif()
  target_compile_options(loupe_sanitizers INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(loupe_sanitizers INTERFACE -fsanitize=${sanitizers})
endif()
