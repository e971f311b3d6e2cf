/*
 * bsd.c - mmap() and its like, with Darwin's numbers (<sys/mman.h>).
 */
#include "../loader/image.h"
#include "kernel.h"
#include "map.h"
#include "ports.h"
#include "vm.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

enum { SHARED = 1, PRIVATE = 2, FIXED = 0x10, NO_RESERVE = 0x40, ANONYMOUS = 0x1000 };

static int host_flags(int flags) {
    if (flags & ~(SHARED | PRIVATE | FIXED | NO_RESERVE | ANONYMOUS))
        box_fail("mmap() with flags %#x", (unsigned)flags);
    return (flags & SHARED ? MAP_SHARED : 0) | (flags & PRIVATE ? MAP_PRIVATE : 0) |
           (flags & FIXED ? MAP_FIXED : 0) | (flags & ANONYMOUS ? MAP_ANONYMOUS : 0) |
           MAP_NORESERVE;
}

/* Protections have the host's numbers. In the place of a file, anonymous memory may have a tag. */
void *host_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    bool is_anonymous = flags & ANONYMOUS;
    uint64_t whole = box_page_up(size);
    if (is_anonymous && !(flags & FIXED)) {
        uint64_t got = 0;
        uint32_t tag = file > 0 ? (uint32_t)file >> 24 : 0;
        if (host_mach_vm_allocate(box_task_port, &got, size, (int)(tag << 24 | BOX_ANYWHERE)) ||
            !got) {
            errno = size ? ENOMEM : EINVAL;
            return MAP_FAILED;
        }
        host_mach_vm_protect(box_task_port, got, size, 0, protection);
        return (void *)(uintptr_t)got;
    }
    struct box_kernel_entry entry = box_kernel_enter();
    void *got =
        mmap(address, size, protection, host_flags(flags), is_anonymous ? -1 : file, offset);
    if (got != MAP_FAILED)
        box_map_enter(&(struct box_entry){.start = (uintptr_t)got,
                                          .end = (uintptr_t)got + whole,
                                          .protection = protection,
                                          .most = BOX_PROT_ALL,
                                          .offset = (uint64_t)offset,
                                          .is_file = !is_anonymous,
                                          .is_shared = flags & SHARED});
    box_kernel_leave(entry);
    return got;
}

static int as_error(int result) {
    if (!result)
        return 0;
    errno = result == BOX_KERN_PROTECTION_FAILURE ? EACCES
            : result == BOX_KERN_INVALID_ADDRESS  ? ENOMEM
                                                  : EINVAL;
    return -1;
}

int host_munmap(void *address, size_t size) {
    return as_error(size ? host_mach_vm_deallocate(box_task_port, (uintptr_t)address, size)
                         : BOX_KERN_INVALID_ARGUMENT);
}

int host_mprotect(void *address, size_t size, int protection) {
    return as_error(host_mach_vm_protect(box_task_port, (uintptr_t)address, size, 0, protection));
}

/* Advice, which need not be taken. */
int host_madvise(void *address, size_t size, int advice) {
    (void)address;
    (void)size;
    (void)advice;
    return 0;
}
