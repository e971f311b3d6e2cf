#include "memory/system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/auxv.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int open_file(const char *path) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                        0);
}

/* The kernel's struct of prlimit64(), which is the same for all machines. */
struct limit {
    uint64_t now, highest;
};

static long change_limit(const struct limit *changed, struct limit *ret) {
    return syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, changed, ret);
}

/* A program that leaks files has none left, but most may have more than they are limited to. */
static int open_beyond_limit(const char *path) {
    struct limit limit;
    if (change_limit(NULL, &limit) || limit.now == limit.highest)
        return -1;
    struct limit raised = {.now = limit.highest, .highest = limit.highest};
    if (change_limit(&raised, NULL))
        return -1;
    int file = open_file(path);
    change_limit(&limit, NULL);
    return file;
}

int loupe_system_open(const char *path) {
    int file = open_file(path);
    return file < 0 && errno == EMFILE ? open_beyond_limit(path) : file;
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

/* ---- Copies ---- */

/* What rt_sigprocmask() reads before it refuses a way of changing the mask that there is not. */
enum { NO_SUCH_WAY = ~0, MASK_SIZE = 8 };

/* Whether the aligned words that a range touches can be read, without reading them here. Pages do
 * for that, their size being a multiple of all there are. */
static bool can_be_read(const struct iovec *range) {
    uintptr_t word = (uintptr_t)range->iov_base / MASK_SIZE * MASK_SIZE;
    uintptr_t end = (uintptr_t)range->iov_base + range->iov_len;
    size_t page_size = loupe_system_page_size();
    for (; word < end; word = (word / page_size + 1) * page_size)
        if (!syscall(SYS_rt_sigprocmask, (long)NO_SUCH_WAY, word, NULL, (long)MASK_SIZE) ||
            errno != EINVAL)
            return false;
    return true;
}

/* Where a sandbox refuses the system call that copies. Another thread that unmaps what was just
 * found readable makes this fault. */
static long copy_after_checks(const struct iovec *to, const struct iovec *from, size_t count) {
    uint8_t *next = to->iov_base;
    for (size_t i = 0; i < count; i++) {
        if (!can_be_read(&from[i]))
            break;
        memcpy(next, from[i].iov_base, from[i].iov_len);
        next += from[i].iov_len;
    }
    return next - (uint8_t *)to->iov_base;
}

long loupe_system_copy(const struct iovec *to, const struct iovec *from, size_t count) {
    long copied = syscall(SYS_process_vm_readv, (long)syscall(SYS_getpid), to, 1ul, from,
                          (unsigned long)count, 0ul);
    bool refused = copied < 0 && (errno == ENOSYS || errno == EPERM || errno == EACCES);
    return refused ? copy_after_checks(to, from, count) : copied;
}

int loupe_system_mincore(uint64_t start, size_t len, uint8_t *resident) {
    return (int)syscall(SYS_mincore, start, len, resident);
}

size_t loupe_system_page_size(void) {
    return getauxval(AT_PAGESZ);
}
