# Toolchain file: the tests for aarch64 Linux, built on another machine and run by qemu. Needs the
# packages gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu and qemu-user of Debian or Ubuntu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(root /usr/aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
# clang itself is chosen as always.
set(CMAKE_OBJC_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_OBJCXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_OBJC_FLAGS_INIT "-isystem ${root}/include")
set(CMAKE_OBJCXX_FLAGS_INIT "-isystem ${root}/include")
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;${root}")
