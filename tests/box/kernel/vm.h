/*
 * vm.h - virtual memory by its calls: those of Mach, and those of BSD that do the same.
 *
 * After xnu-10063: osfmk/vm/vm_user.c (sizes of 0, ranges that wrap, rounding), vm_map.c
 * (vm_map_enter: a fixed place that is taken is refused; vm_map_protect: holes and what exceeds the
 * most; vm_map_copyin: what may not be read), and bsd/kern/kern_mman.c.
 */
#ifndef LOUPE_BOX_VM_H
#define LOUPE_BOX_VM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { BOX_ANYWHERE = 1 };

int host_mach_vm_allocate(uint32_t task, uint64_t *address, uint64_t size, int flags);
int host_mach_vm_deallocate(uint32_t task, uint64_t address, uint64_t size);
int host_mach_vm_protect(uint32_t task, uint64_t address, uint64_t size, int set_maximum,
                         int protection);
int host_mach_vm_read_overwrite(uint32_t task, uint64_t address, uint64_t size, uint64_t data,
                                uint64_t *copied);

void *host_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);
int host_munmap(void *address, size_t size);
int host_mprotect(void *address, size_t size, int protection);
int host_madvise(void *address, size_t size, int advice);

/*
 * The region at or behind *address, down to *depth levels of submaps, as vm_map_region_recurse_64()
 * of xnu finds it: *address moves to where it starts as far as it can be seen, *depth to the level
 * where it was found. A submap that was not entered, because *depth did not allow it, is told by
 * its own start.
 */
int host_mach_vm_region_recurse(uint32_t task, uint64_t *address, uint64_t *size, uint32_t *depth,
                                int *info, uint32_t *count);

#endif
