# loupe_bind_at_load(TARGET): all that a library calls is found when it is loaded, and not when it is
# called first, which takes the dynamic loader's lock: a thread that is stopped meanwhile may have that.
# What tests build for a Mac lld binds at load time in any case (chained fixups); it knows no option.
function(loupe_bind_at_load target)
  if(NOT APPLE)
    target_link_options(${target} PRIVATE -Wl,-z,now)
  elseif(NOT DEFINED LOUPE_DARWIN_ARCH)
    target_link_options(${target} PRIVATE -Wl,-bind_at_load)
  endif()
endfunction()
