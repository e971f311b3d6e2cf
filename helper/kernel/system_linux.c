/* Memory, files and time by system calls, also where a program has used up its descriptors. */
#include "kernel/kernel.h"
#include "kernel/system.h"
#include "kernel/system_call.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>

/* Of up to six arguments, which may be pointers. */
#define CALL_6(number, a, b, c, d, e, f)                                                           \
    loupe_system_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define CALL_4(number, a, b, c, d) CALL_6(number, a, b, c, d, 0, 0)
#define CALL_3(number, a, b, c)    CALL_6(number, a, b, c, 0, 0, 0)

/* ---- Memory, time, process ---- */

/* 32-bit machines have an old call that takes its arguments in memory. */
#if defined(SYS_mmap2)
enum { MAP_CALL = SYS_mmap2 };
#else
enum { MAP_CALL = SYS_mmap };
#endif

/* The last page of the address space stands for errors. */
static void *map(uintptr_t wanted, size_t size, int protection, int flags, int file) {
    long result = CALL_6(MAP_CALL, wanted, size, protection, MAP_PRIVATE | flags, file, 0);
    return result < 0 && result > -4096 ? NULL : (void *)result;
}

void *loupe_kernel_map(size_t size) {
    return map(0, size, PROT_READ | PROT_WRITE, MAP_ANON, -1);
}

void *loupe_kernel_map_at(uintptr_t wanted, size_t size) {
    void *got = map(wanted, size, PROT_READ | PROT_WRITE, MAP_ANON, -1);
    if (!got || (uintptr_t)got == wanted)
        return got;
    loupe_kernel_unmap(got, size);
    return NULL;
}

void loupe_kernel_unmap(void *pages, size_t size) {
    CALL_3(SYS_munmap, pages, size, 0);
}

bool loupe_kernel_protect(void *pages, size_t size) {
    return CALL_3(SYS_mprotect, pages, size, PROT_NONE) == 0;
}

void loupe_kernel_prefer_huge(void *pages, size_t size) {
    CALL_3(SYS_madvise, pages, size, MADV_HUGEPAGE);
}

int loupe_kernel_process(void) {
    return (int)CALL_3(SYS_getpid, 0, 0, 0);
}

static uint64_t microseconds_of(int clock) {
    struct {
        long seconds, nanoseconds; /* as wide as the machine's words, whatever time_t is */
    } now = {0, 0};
    CALL_3(SYS_clock_gettime, clock, &now, 0);
    return (uint64_t)now.seconds * 1000000 + (uint64_t)now.nanoseconds / 1000;
}

uint64_t loupe_kernel_microseconds(void) {
    return microseconds_of(CLOCK_MONOTONIC);
}

uint64_t loupe_kernel_time(void) {
    return microseconds_of(CLOCK_REALTIME) / 1000;
}

/* ---- Files ---- */

static int open_file(const char *path, int flags) {
    return (int)CALL_4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
}

/* The kernel's struct of prlimit64(), which is the same for all machines. */
struct limit {
    uint64_t now, highest;
};

static long change_limit(const struct limit *changed, struct limit *ret) {
    return CALL_4(SYS_prlimit64, 0, RLIMIT_NOFILE, changed, ret);
}

/* A program that leaks files has none left, but most may have more than they are limited to. */
static int open_beyond_limit(const char *path, int flags) {
    struct limit limit;
    if (change_limit(NULL, &limit) || limit.now == limit.highest)
        return -1;
    struct limit raised = {.now = limit.highest, .highest = limit.highest};
    if (change_limit(&raised, NULL))
        return -1;
    int file = open_file(path, flags);
    change_limit(&limit, NULL);
    return file;
}

static int open_any(const char *path, int flags) {
    int file = open_file(path, flags);
    return file == -EMFILE ? open_beyond_limit(path, flags) : file;
}

int loupe_system_open(const char *path) {
    return open_any(path, O_RDONLY);
}

/* What is a link to a file that is open already, as one of memory. */
static bool is_link_of_system(const char *path) {
    return strncmp(path, "/proc/", sizeof("/proc/") - 1) == 0 ||
           (strncmp(path, "/dev/", sizeof("/dev/") - 1) == 0 &&
            strncmp(path, "/dev/shm/", sizeof("/dev/shm/") - 1) != 0);
}

int loupe_kernel_create(const char *path) {
    if (is_link_of_system(path))
        return open_any(path, O_WRONLY | O_CREAT | O_TRUNC);
    int file = open_any(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (file != -EEXIST)
        return file;
    loupe_kernel_remove(path);
    return open_any(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
}

bool loupe_kernel_write(int file, const void *bytes, size_t len) {
    const char *at = bytes;
    while (len) {
        long written = CALL_3(SYS_write, file, at, len);
        if (written == -EINTR)
            continue;
        if (written <= 0)
            return false;
        at += written;
        len -= (size_t)written;
    }
    return true;
}

bool loupe_kernel_close(int file) {
    return CALL_3(SYS_close, file, 0, 0) == 0;
}

void loupe_kernel_remove(const char *path) {
    if (!is_link_of_system(path))
        CALL_3(SYS_unlinkat, AT_FDCWD, path, 0);
}

long loupe_system_read(int file, void *dst, size_t len) {
    return CALL_3(SYS_read, file, dst, len);
}

long loupe_system_read_at(int file, void *dst, size_t len, uint64_t offset) {
#if __SIZEOF_POINTER__ == 8
    return CALL_4(SYS_pread64, file, dst, len, offset);
#else
    (void)file, (void)dst, (void)len, (void)offset;
    return -ENOSYS; /* 32-bit machines each pass it in another way */
#endif
}

int64_t loupe_system_find_data(int file, uint64_t offset) {
#if __SIZEOF_POINTER__ == 8
    return CALL_3(SYS_lseek, file, offset, SEEK_DATA);
#else
    (void)file, (void)offset;
    return -ENOSYS;
#endif
}

long loupe_system_list(int folder, void *dst, size_t len) {
    return CALL_3(SYS_getdents64, folder, dst, len);
}

int loupe_system_thread(void) {
    return (int)CALL_3(SYS_gettid, 0, 0, 0);
}

void loupe_system_close(int file) {
    CALL_3(SYS_close, file, 0, 0);
}

bool loupe_system_stat(int file, struct loupe_system_file *ret) {
    struct statx found;
    if (CALL_6(SYS_statx, file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
               STATX_INO | STATX_SIZE | STATX_TYPE, &found, 0))
        return false;
    *ret = (struct loupe_system_file){.inode = found.stx_ino,
                                      .size = found.stx_size,
                                      .device_major = found.stx_dev_major,
                                      .device_minor = found.stx_dev_minor};
    return (found.stx_mode & S_IFMT) == S_IFREG;
}

long loupe_system_file_name(uint64_t file, char *dst, size_t len) {
    char path[sizeof("/proc/self/fd/") + 20] = "/proc/self/fd/";
    char digits[20];
    size_t count = 0, at = sizeof("/proc/self/fd/") - 1;
    do
        digits[count++] = (char)('0' + file % 10);
    while (file /= 10);
    while (count)
        path[at++] = digits[--count];
    return CALL_4(SYS_readlinkat, AT_FDCWD, path, dst, len);
}

const void *loupe_system_map_file(int file, size_t size) {
    return map(0, size, PROT_READ, 0, file);
}

void loupe_system_unmap_file(const void *bytes, size_t size) {
    loupe_kernel_unmap((void *)(uintptr_t)bytes, size);
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
        if (CALL_4(SYS_rt_sigprocmask, NO_SUCH_WAY, word, 0, MASK_SIZE) != -EINVAL)
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
    /* By this thread's number: the process has no memory any more when its first thread ended. */
    long copied = CALL_6(SYS_process_vm_readv, loupe_system_thread(), to, 1, from, count, 0);
    bool refused = copied == -ENOSYS || copied == -EPERM || copied == -EACCES;
    return refused ? copy_after_checks(to, from, count) : copied;
}

int loupe_system_mincore(uint64_t start, size_t len, uint8_t *resident) {
    return (int)CALL_3(SYS_mincore, start, len, resident);
}

/* Of the sizes that there are the smallest at which a page can begin. */
size_t loupe_system_page_size(void) {
    enum { SMALLEST = 1 << 12, LARGEST = 1 << 16 };
    uint8_t nothing;
    size_t size = SMALLEST;
    /* Cap: no kernel has larger pages. */
    while (size < LARGEST && loupe_system_mincore(size, 0, &nothing) == -EINVAL)
        size <<= 2;
    return size;
}
