# For CMake: programs for arm64 Linux, made on another machine and run by qemu. Needs the packages
# gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu, and qemu-user or qemu-user-static of Debian or Ubuntu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(root /usr/aarch64-linux-gnu)
# Nothing of this machine is taken for one of that.
set(CMAKE_FIND_ROOT_PATH ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
# clang itself is chosen as always.
set(CMAKE_OBJC_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_OBJCXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_OBJC_FLAGS_INIT "-isystem ${root}/include")
set(CMAKE_OBJCXX_FLAGS_INIT "-isystem ${root}/include")
find_program(LOUPE_ARM64_EMULATOR NAMES qemu-aarch64 qemu-aarch64-static DOC "runs arm64 programs")
set(CMAKE_CROSSCOMPILING_EMULATOR "${LOUPE_ARM64_EMULATOR};-L;${root}")
