/*
 * dyld.c - of libdyld what depends on who calls.
 */
#include <stdint.h>

void *host_dlopen_from(const char *name, int mode, uint64_t caller);
void *host_dlsym_from(void *handle, const char *name, uint64_t caller);

#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))

void *dlopen(const char *name, int mode) {
    return host_dlopen_from(name, mode, CALLER);
}

void *dlsym(void *handle, const char *name) {
    return host_dlsym_from(handle, name, CALLER);
}

/* Descriptors lead here until their image is prepared, and are never called before. */
void *_tlv_bootstrap(void *descriptor) {
    (void)descriptor;
    __builtin_trap();
}

/* Programs name it when they are made; nothing is bound at the first call here. */
void dyld_stub_binder_(void) __asm__("dyld_stub_binder");
void dyld_stub_binder_(void) {
    __builtin_trap();
}
