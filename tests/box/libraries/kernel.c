/*
 * kernel.c - of libsystem_kernel what is no call: variables, and functions with a variable list of
 * arguments.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

uint32_t mach_task_self_;
uintptr_t vm_page_size, vm_page_mask;
int vm_page_shift;

uint32_t host_box_task_self(void);
uint64_t host_box_page_size(void);
int host_open(const char *path, int flags, int mode);
int host_fcntl(int file, int command, uint64_t argument);
int host_mach_vm_allocate(uint32_t task, uint64_t *address, uint64_t size, int flags);
int host_mach_vm_deallocate(uint32_t task, uint64_t address, uint64_t size);
int host_mach_vm_protect(uint32_t task, uint64_t address, uint64_t size, int set_maximum,
                         int protection);
int host_mach_vm_read_overwrite(uint32_t task, uint64_t address, uint64_t size, uint64_t data,
                                uint64_t *copied);
int host_mach_vm_region_recurse(uint32_t task, uint64_t *address, uint64_t *size, uint32_t *depth,
                                int *info, uint32_t *count);

int host_pthread_atfork(void (*before)(void), void (*after)(void), void (*in_copy)(void));

static void in_copy(void) {
    mach_task_self_ = host_box_task_self();
}

__attribute__((constructor)) static void begin(void) {
    in_copy();
    host_pthread_atfork(NULL, NULL, in_copy);
    vm_page_size = host_box_page_size();
    vm_page_mask = vm_page_size - 1;
    vm_page_shift = __builtin_ctzl(vm_page_size);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int mode = va_arg(arguments, int);
    va_end(arguments);
    return host_open(path, flags, mode);
}

int fcntl(int file, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    uint64_t argument = va_arg(arguments, uint64_t);
    va_end(arguments);
    return host_fcntl(file, command, argument);
}

/* The same as those of mach_vm, since all is 64 bits wide. */
int vm_allocate(uint32_t task, uintptr_t *address, uintptr_t size, int flags) {
    uint64_t found = *address;
    int result = host_mach_vm_allocate(task, &found, size, flags);
    *address = found;
    return result;
}

int vm_protect(uint32_t task, uintptr_t address, uintptr_t size, int set_maximum, int protection) {
    return host_mach_vm_protect(task, address, size, set_maximum, protection);
}

int vm_read_overwrite(uint32_t task, uintptr_t address, uintptr_t size, uintptr_t data,
                      uintptr_t *copied) {
    uint64_t done = *copied;
    int result = host_mach_vm_read_overwrite(task, address, size, data, &done);
    *copied = done;
    return result;
}

int vm_region_recurse_64(uint32_t task, uintptr_t *address, uintptr_t *size, uint32_t *depth,
                         int *info, uint32_t *count) {
    uint64_t start = *address, length = *size;
    int result = host_mach_vm_region_recurse(task, &start, &length, depth, info, count);
    *address = start;
    *size = length;
    return result;
}

int vm_deallocate(uint32_t task, uintptr_t address, uintptr_t size) {
    return host_mach_vm_deallocate(task, address, size);
}
