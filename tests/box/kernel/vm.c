#include "vm.h"

#include "kernel.h"
#include "map.h"
#include "ports.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static int in_host(int protection) {
    return (protection & BOX_PROT_READ ? PROT_READ : 0) |
           (protection & BOX_PROT_WRITE ? PROT_WRITE : 0) |
           (protection & BOX_PROT_EXECUTE ? PROT_EXEC : 0);
}

/* Start and end of the pages that a range touches. False: it wraps around. */
static bool pages_of(uint64_t *start, uint64_t *end, uint64_t address, uint64_t size) {
    *start = box_page_down(address);
    *end = box_page_up(address + size);
    return address + size >= address && *end > *start;
}

/* ---- Taking and giving ---- */

/* Larger pages than the host's are aligned by hand. */
static uint64_t map_anywhere(uint64_t size, int protection) {
    uint64_t slack = box_page_size - (uint64_t)sysconf(_SC_PAGESIZE);
    char *got = mmap(NULL, size + slack, in_host(protection),
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED)
        return 0;
    uint64_t start = box_page_up((uint64_t)(uintptr_t)got), before = start - (uintptr_t)got;
    if (before)
        munmap(got, before);
    if (slack - before)
        munmap(got + before + size, slack - before);
    return start;
}

/* Also where the host has something of its own, which nobody is to find. */
static uint64_t map_fixed(uint64_t start, uint64_t size) {
    if (box_map_is_taken(start, start + size))
        return 0;
    void *got = mmap((void *)(uintptr_t)start, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return got == (void *)(uintptr_t)start ? start : 0;
}

static int allocate(uint64_t *address, uint64_t size, int flags) {
    uint64_t start, end;
    if (!size) {
        *address = 0;
        return BOX_KERN_SUCCESS;
    }
    bool anywhere = flags & BOX_ANYWHERE;
    if (!pages_of(&start, &end, anywhere ? 0 : *address, size))
        return BOX_KERN_INVALID_ARGUMENT;
    uint64_t got = anywhere ? map_anywhere(end - start, BOX_PROT_READ | BOX_PROT_WRITE)
                            : map_fixed(start, end - start);
    if (!got)
        return BOX_KERN_NO_SPACE;
    *address = got;
    box_map_enter(&(struct box_entry){.start = got,
                                      .end = got + (end - start),
                                      .protection = BOX_PROT_READ | BOX_PROT_WRITE,
                                      .most = BOX_PROT_ALL,
                                      .tag = (uint32_t)flags >> 24});
    return BOX_KERN_SUCCESS;
}

int host_mach_vm_allocate(uint32_t task, uint64_t *address, uint64_t size, int flags) {
    struct box_kernel_entry entry = box_kernel_enter();
    int result = task != box_task_port                       ? BOX_KERN_INVALID_ARGUMENT
                 : box_kernel_is_to_fail("mach_vm_allocate") ? BOX_KERN_NO_SPACE
                                                             : allocate(address, size, flags);
    box_kernel_leave(entry);
    return result;
}

/* Holes are no fault. */
static int deallocate(uint64_t address, uint64_t size) {
    uint64_t start, end;
    struct box_entry found;
    if (!size)
        return BOX_KERN_SUCCESS;
    if (!pages_of(&start, &end, address, size))
        return BOX_KERN_INVALID_ARGUMENT;
    for (uint64_t at = start; at < end;) {
        bool is_there = box_map_find(at, &found);
        uint64_t to = !is_there ? at + box_page_size : found.end < end ? found.end : end;
        if (is_there)
            munmap((void *)(uintptr_t)at, to - at);
        at = to;
    }
    box_map_remove(start, end);
    return BOX_KERN_SUCCESS;
}

int host_mach_vm_deallocate(uint32_t task, uint64_t address, uint64_t size) {
    struct box_kernel_entry entry = box_kernel_enter();
    int result = task == box_task_port ? deallocate(address, size) : BOX_KERN_INVALID_ARGUMENT;
    box_kernel_leave(entry);
    return result;
}

/* ---- Protection ---- */

static int protect(uint64_t address, uint64_t size, bool set_maximum, int protection) {
    uint64_t start, end;
    struct box_entry found;
    if (!size)
        return BOX_KERN_SUCCESS;
    if (!pages_of(&start, &end, address, size))
        return BOX_KERN_INVALID_ARGUMENT;
    for (uint64_t at = start; at < end; at = found.end) {
        if (!box_map_find(at, &found))
            return BOX_KERN_INVALID_ADDRESS;
        if ((found.most & protection) != protection)
            return BOX_KERN_PROTECTION_FAILURE;
    }
    for (uint64_t at = start; at < end; at = found.end) {
        box_map_find(at, &found);
        uint64_t to = found.end < end ? found.end : end;
        int now = set_maximum ? found.protection & protection : protection;
        mprotect((void *)(uintptr_t)at, to - at, in_host(now));
        box_map_change(at, to, now, set_maximum ? protection : found.most);
    }
    return BOX_KERN_SUCCESS;
}

int host_mach_vm_protect(uint32_t task, uint64_t address, uint64_t size, int set_maximum,
                         int protection) {
    struct box_kernel_entry entry = box_kernel_enter();
    int result = task != box_task_port ? BOX_KERN_INVALID_ARGUMENT
                 : box_kernel_is_to_fail("mach_vm_protect")
                     ? BOX_KERN_PROTECTION_FAILURE
                     : protect(address, size, set_maximum, protection);
    box_kernel_leave(entry);
    return result;
}

/* ---- Copying ---- */

static int may(int protection, uint64_t address, uint64_t size) {
    struct box_entry found;
    for (uint64_t at = address; at < address + size; at = found.end) {
        if (!box_map_find(at, &found))
            return BOX_KERN_INVALID_ADDRESS;
        if (!(found.protection & protection))
            return BOX_KERN_PROTECTION_FAILURE;
    }
    return BOX_KERN_SUCCESS;
}

/* Where one process cannot be read by another, as under an emulator, a pipe does it. */
static bool copy_by_pipe(uint64_t from, uint64_t to, uint64_t size) {
    enum { STEP = 32768 };
    int ends[2];
    bool done = pipe(ends) == 0;
    for (uint64_t at = 0; done && at < size; at += STEP) {
        size_t step = size - at < STEP ? size - at : STEP;
        done = write(ends[1], (void *)(uintptr_t)(from + at), step) == (ssize_t)step &&
               read(ends[0], (void *)(uintptr_t)(to + at), step) == (ssize_t)step;
    }
    close(ends[0]);
    close(ends[1]);
    return done;
}

static bool copy(uint64_t from, uint64_t to, uint64_t size) {
    struct iovec source = {(void *)(uintptr_t)from, size}, target = {(void *)(uintptr_t)to, size};
    ssize_t copied = process_vm_readv(getpid(), &target, 1, &source, 1, 0);
    return copied == (ssize_t)size ||
           (copied < 0 && errno == ENOSYS && copy_by_pipe(from, to, size));
}

static int read_overwrite(uint64_t address, uint64_t size, uint64_t data, uint64_t *copied) {
    if (address + size < address || data + size < data)
        return BOX_KERN_INVALID_ARGUMENT;
    int result = may(BOX_PROT_READ, address, size);
    if (!result)
        result = may(BOX_PROT_WRITE, data, size);
    if (result)
        return result;
    if (!copy(address, data, size))
        return BOX_KERN_MEMORY_ERROR; /* a file that ends before its mapping */
    *copied = size;
    return BOX_KERN_SUCCESS;
}

int host_mach_vm_read_overwrite(uint32_t task, uint64_t address, uint64_t size, uint64_t data,
                                uint64_t *copied) {
    struct box_kernel_entry entry = box_kernel_enter();
    int before = errno;
    int result = task != box_task_port ? BOX_KERN_INVALID_ARGUMENT
                 : box_kernel_is_to_fail("mach_vm_read_overwrite")
                     ? BOX_KERN_FAILURE
                     : read_overwrite(address, size, data, copied);
    errno = before;
    box_kernel_leave(entry);
    return result;
}
