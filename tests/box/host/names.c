/*
 * names.c - functions of the box and of the host's C library, by the names that the doubles of the
 * system's libraries call them.
 */
#include "../loader/images.h"

#include <dlfcn.h>
#include <string.h>

/* Their addresses, whatever they are declared as. */
#define STUB(name)
#define DECORATED(name, decoration)
#define HOST(name) PASS(name)
#define PASS(name) extern char host_function_##name[] __asm__(#name);
#include "../libraries/c_names.h"
#include "../libraries/kernel_names.h"
#include "../libraries/pthread_names.h"
#undef PASS

static const struct {
    const char *name;
    const void *address;
} passed[] = {
#define PASS(name) {"host_" #name, host_function_##name},
#include "../libraries/c_names.h"
#include "../libraries/kernel_names.h"
#include "../libraries/pthread_names.h"
};

uint64_t box_host_function(const char *name) {
    for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
        if (strcmp(passed[i].name, name) == 0)
            return (uintptr_t)passed[i].address;
    return (uintptr_t)dlsym(RTLD_DEFAULT, name); /* of the box itself, which exports its own */
}
