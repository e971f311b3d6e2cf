/* A library that allocates, built under two names with code of different lengths. */
#include <stdlib.h>

__attribute__((visibility("default"), noinline)) void *MODULE_ALLOCATES(size_t size);

void *MODULE_ALLOCATES(size_t size) {
    volatile char padding[MODULE_PADDING];
    padding[0] = 1;
    void *block = malloc(size + (size_t)padding[0]);
    __asm__ volatile("" : "+r"(block) : : "memory");
    return block;
}
