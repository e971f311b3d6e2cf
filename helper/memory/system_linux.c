#include "memory/system.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int loupe_system_open(const char *path) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                        0);
}

long loupe_system_read(int file, void *dst, size_t len) {
    return syscall(SYS_read, file, dst, len);
}

void loupe_system_close(int file) {
    syscall(SYS_close, file);
}

bool loupe_system_stat(int file, struct loupe_system_file *ret) {
    struct statx found;
    if (syscall(SYS_statx, file, "", AT_EMPTY_PATH, STATX_INO | STATX_SIZE | STATX_TYPE, &found))
        return false;
    *ret = (struct loupe_system_file){.inode = found.stx_ino,
                                      .size = found.stx_size,
                                      .device_major = found.stx_dev_major,
                                      .device_minor = found.stx_dev_minor};
    return (found.stx_mode & S_IFMT) == S_IFREG;
}

const void *loupe_system_map_file(int file, size_t size) {
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

void loupe_system_unmap_file(const void *bytes, size_t size) {
    munmap((void *)(uintptr_t)bytes, size);
}

long loupe_system_copy(const struct iovec *to, const struct iovec *from, size_t count) {
    return syscall(SYS_process_vm_readv, (long)syscall(SYS_getpid), to, 1ul, from,
                   (unsigned long)count, 0ul);
}

int loupe_system_mincore(uint64_t start, size_t len, uint8_t *resident) {
    return (int)syscall(SYS_mincore, start, len, resident);
}

size_t loupe_system_page_size(void) {
    return getauxval(AT_PAGESZ);
}
