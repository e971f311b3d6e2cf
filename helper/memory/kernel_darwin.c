#include "memory/kernel.h"

#include <mach/mach.h>
#include <mach/mach_vm.h>
#include <time.h>
#include <unistd.h>

static void *map(mach_vm_address_t address, size_t size, int flags) {
    bool failed = mach_vm_allocate(mach_task_self(), &address, size, flags) != KERN_SUCCESS;
    return failed ? NULL : (void *)(uintptr_t)address;
}

void *loupe_kernel_map(size_t size) {
    return map(0, size, VM_FLAGS_ANYWHERE);
}

void *loupe_kernel_map_at(uintptr_t wanted, size_t size) {
    return map(wanted, size, VM_FLAGS_FIXED);
}

void loupe_kernel_unmap(void *pages, size_t size) {
    mach_vm_deallocate(mach_task_self(), (uintptr_t)pages, size);
}

bool loupe_kernel_protect(void *pages, size_t size) {
    return mach_vm_protect(mach_task_self(), (uintptr_t)pages, size, false, VM_PROT_NONE) ==
           KERN_SUCCESS;
}

void loupe_kernel_prefer_huge(void *pages, size_t size) {
    (void)pages;
    (void)size;
}

int loupe_kernel_process(void) {
    return getpid();
}

uint64_t loupe_kernel_microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}
