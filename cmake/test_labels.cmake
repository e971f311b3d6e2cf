# Which tests do not run with every commit. Called after a test has its other labels.

# loupe_long_tests(TEST...): with ./run test-long alone.
function(loupe_long_tests)
  set_property(TEST ${ARGN} APPEND PROPERTY LABELS slow)
endfunction()

# loupe_shared_tests(TEST...): tests that take things by the dozen or the thousand. ./run test tells them to
# take a share (tests/support/share.py, check.h), ./run test-long has them take all.
function(loupe_shared_tests)
  set_property(TEST ${ARGN} APPEND PROPERTY LABELS share)
endfunction()

# The programs of this folder are for the tree under the sanitizers (./run test). Elsewhere the target
# loupe_unit_tests makes them, with which ./run test-long runs them once more.
add_custom_target(loupe_unit_tests)
function(loupe_runs_under_sanitizers)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  add_dependencies(loupe_unit_tests ${targets})
  if(NOT LOUPE_SANITIZE AND NOT LOUPE_BUILD_FUZZERS)
    set_target_properties(${targets} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()
