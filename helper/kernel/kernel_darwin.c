/* Memory, files and time from Mach and the kernel. */
#include "kernel/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <mach/mach.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *map(vm_address_t address, size_t size, int flags) {
    bool failed = vm_allocate(mach_task_self(), &address, size, flags) != KERN_SUCCESS;
    return failed ? NULL : (void *)address;
}

void *loupe_kernel_map(size_t size) {
    return map(0, size, VM_FLAGS_ANYWHERE);
}

void *loupe_kernel_map_at(uintptr_t wanted, size_t size) {
    return map(wanted, size, VM_FLAGS_FIXED);
}

void loupe_kernel_unmap(void *pages, size_t size) {
    vm_deallocate(mach_task_self(), (uintptr_t)pages, size);
}

bool loupe_kernel_protect(void *pages, size_t size) {
    return vm_protect(mach_task_self(), (uintptr_t)pages, size, false, VM_PROT_NONE) ==
           KERN_SUCCESS;
}

void loupe_kernel_prefer_huge(void *pages, size_t size) {
    (void)pages;
    (void)size;
}

int loupe_kernel_process(void) {
    return getpid();
}

static uint64_t microseconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t loupe_kernel_microseconds(void) {
    return microseconds_of(CLOCK_MONOTONIC);
}

uint64_t loupe_kernel_time(void) {
    return microseconds_of(CLOCK_REALTIME) / 1000;
}

/* ---- Files ---- */

/* A device, or a link to what is open already. */
static bool is_systems(const char *path) {
    return strncmp(path, "/dev/", sizeof("/dev/") - 1) == 0;
}

int loupe_kernel_create(const char *path) {
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;
    if (is_systems(path))
        return open(path, flags | O_TRUNC, 0600);
    int file = open(path, flags | O_EXCL | O_NOFOLLOW, 0600);
    if (file >= 0 || errno != EEXIST)
        return file;
    unlink(path);
    return open(path, flags | O_EXCL | O_NOFOLLOW, 0600);
}

bool loupe_kernel_write(int file, const void *bytes, size_t len) {
    const char *at = bytes;
    while (len) {
        ssize_t written = write(file, at, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += written;
        len -= (size_t)written;
    }
    return true;
}

bool loupe_kernel_close(int file) {
    return close(file) == 0;
}

void loupe_kernel_remove(const char *path) {
    if (!is_systems(path))
        unlink(path);
}
