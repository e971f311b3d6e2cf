#include "room.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

static uint64_t limit = UINT64_MAX;
static uint64_t taken;

/* ---- Kernel ---- */

/* By system calls: the program may have put functions of its own in the place of mmap() and the
 * like, and they may allocate. */
#if defined(__linux__)
static void *map(size_t size) {
    long address = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return (void *)address;
}
static void unmap(void *pages, size_t size) {
    syscall(SYS_munmap, pages, size);
}
static bool fence(void *pages, size_t size) {
    return syscall(SYS_mprotect, pages, size, PROT_NONE) == 0;
}
static void drop(void *pages, size_t size) {
    syscall(SYS_madvise, pages, size, MADV_DONTNEED);
}
#else
static void *map(size_t size) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static void unmap(void *pages, size_t size) {
    munmap(pages, size);
}
static bool fence(void *pages, size_t size) {
    return mprotect(pages, size, PROT_NONE) == 0;
}
static void drop(void *pages, size_t size) {
    mmap(pages, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}
#endif

/* ---- Room ---- */

void loupe_room_set_limit(uint64_t bytes) {
    __atomic_store_n(&limit, bytes, __ATOMIC_RELAXED);
}

void *loupe_room_get(size_t size) {
    int saved = errno;
    uint64_t before = __atomic_fetch_add(&taken, size, __ATOMIC_RELAXED);
    bool allowed = before + size <= __atomic_load_n(&limit, __ATOMIC_RELAXED);
    void *pages = allowed ? map(size) : MAP_FAILED;
    if (pages == MAP_FAILED)
        __atomic_fetch_sub(&taken, size, __ATOMIC_RELAXED);
    errno = saved;
    return pages == MAP_FAILED ? NULL : pages;
}

void loupe_room_put_back(void *pages, size_t size) {
    int saved = errno;
    unmap(pages, size);
    __atomic_fetch_sub(&taken, size, __ATOMIC_RELAXED);
    errno = saved;
}

void loupe_room_empty(void *pages, size_t size) {
    int saved = errno;
    drop(pages, size);
    __atomic_fetch_sub(&taken, size, __ATOMIC_RELAXED);
    errno = saved;
}

void *loupe_room_get_fenced(size_t size) {
    int saved = errno;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size = (size + page - 1) / page * page;
    char *pages = loupe_room_get(size + 2 * page);
    if (pages && !(fence(pages, page) && fence(pages + page + size, page))) {
        loupe_room_put_back(pages, size + 2 * page);
        pages = NULL;
    }
    errno = saved;
    return pages ? pages + page : NULL;
}

uint64_t loupe_room_bytes(void) {
    return __atomic_load_n(&taken, __ATOMIC_RELAXED);
}
