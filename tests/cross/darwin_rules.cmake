# Where programs look for libraries: CMake gives that to linkers of a Mac whose version it was told by
# a Mac alone.
set(CMAKE_SHARED_LIBRARY_RUNTIME_C_FLAG "-Wl,-rpath,")
set(CMAKE_SHARED_LIBRARY_RUNTIME_CXX_FLAG "-Wl,-rpath,")
set(CMAKE_LINK_DEPENDENT_LIBRARY_FILES 0)
