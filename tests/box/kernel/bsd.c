/*
 * bsd.c - mmap() and its like, with Darwin's numbers (<sys/mman.h>).
 */
#include "../loader/image.h"
#include "kernel.h"
#include "map.h"
#include "ports.h"
#include "vm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SHARED = 1, PRIVATE = 2, FIXED = 0x10, NO_RESERVE = 0x40, ANONYMOUS = 0x1000 };

static int host_flags(int flags) {
    if (flags & ~(SHARED | PRIVATE | FIXED | NO_RESERVE | ANONYMOUS))
        box_fail("mmap() with flags %#x", (unsigned)flags);
    return (flags & SHARED ? MAP_SHARED : 0) | (flags & PRIVATE ? MAP_PRIVATE : 0) |
           (flags & FIXED ? MAP_FIXED : 0) | (flags & ANONYMOUS ? MAP_ANONYMOUS : 0) |
           MAP_NORESERVE;
}

static bool is_at_page(uint64_t number) {
    return box_page_down(number) == number;
}

/* In the place of a file, anonymous memory may have a tag. */
static void *map_anonymous(size_t size, int protection, int file) {
    uint64_t got = 0;
    uint32_t tag = file > 0 ? (uint32_t)file >> 24 : 0;
    if (host_mach_vm_allocate(box_task_port, &got, size, (int)(tag << 24 | BOX_ANYWHERE)) || !got) {
        errno = size ? ENOMEM : EINVAL;
        return MAP_FAILED;
    }
    host_mach_vm_protect(box_task_port, got, size, 0, protection);
    return (void *)(uintptr_t)got;
}

/* In a place that is the program's, or nobody's. What the box has is not to be replaced. */
static void *map_there(uint64_t place, size_t size, int protection, int flags, int file,
                       off_t offset) {
    bool is_anonymous = flags & ANONYMOUS;
    struct box_kernel_entry entry = box_kernel_enter();
    int fixed = box_map_is_taken(place, place + size) ? MAP_FIXED : MAP_FIXED_NOREPLACE;
    void *got = mmap((void *)(uintptr_t)place, size, protection, host_flags(flags & ~FIXED) | fixed,
                     is_anonymous ? -1 : file, offset);
    if (got != MAP_FAILED)
        box_map_enter(&(struct box_entry){.start = place,
                                          .end = place + box_page_up(size),
                                          .protection = protection,
                                          .most = BOX_PROT_ALL,
                                          .offset = (uint64_t)offset,
                                          .is_file = !is_anonymous,
                                          .is_shared = flags & SHARED});
    box_kernel_leave(entry);
    return got;
}

/* Protections have the host's numbers. Pages are the program's, which may be larger than the
 * host's: a file begins at one of them, and a place is one (xnu-11417, kern_mman.c: mmap_sanitize).
 */
void *host_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    uint64_t place = (uintptr_t)address;
    bool is_fixed = flags & FIXED;
    if (!is_fixed && (flags & ANONYMOUS))
        return map_anonymous(size, protection, file);
    if (!size || !is_at_page((uint64_t)offset) || (is_fixed && !is_at_page(place))) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    if (!is_fixed) {
        place = (uintptr_t)map_anonymous(size, BOX_PROT_NONE, 0);
        if ((void *)(uintptr_t)place == MAP_FAILED)
            return MAP_FAILED;
    }
    void *got = map_there(place, size, protection, flags, file, offset);
    int error = errno;
    if (got == MAP_FAILED && !is_fixed) {
        host_mach_vm_deallocate(box_task_port, place, size);
        errno = error;
    }
    return got;
}

/* It holds 16 kB as long as the kernel has no more memory for it (bsd/sys/pipe.h: PIPE_SIZE). */
int host_pipe(int ends[2]) {
    enum { CAPACITY = 16384 };
    int failed = pipe(ends);
    if (!failed)
        fcntl(ends[1], F_SETPIPE_SZ, CAPACITY);
    return failed;
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
