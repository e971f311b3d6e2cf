#include "self_memory.h"

#include <stdint.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach/mach.h>

bool watch_read(const void *address, void *dst, size_t size) {
    vm_size_t got = 0;
    return vm_read_overwrite(mach_task_self(), (vm_address_t)address, size, (vm_address_t)dst,
                             &got) == KERN_SUCCESS &&
           got == size;
}
#else
#include <sys/uio.h>

bool watch_read(const void *address, void *dst, size_t size) {
    struct iovec to = {dst, size}, from = {(void *)(uintptr_t)address, size};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size;
}
#endif
