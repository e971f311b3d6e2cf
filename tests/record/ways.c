#include "ways.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* Not folded, inlined or ended by a jump. */
#define WAY(name, expression)                                                                      \
    way_fn name;                                                                                   \
    __attribute__((visibility("default"), noinline)) void *name(size_t size) {                     \
        void *block = (expression);                                                                \
        __asm__ volatile("" : "+r"(block) : "i"(sizeof(#name)) : "memory");                        \
        return block;                                                                              \
    }

static void *by_posix_memalign(size_t size) {
    void *block;
    return posix_memalign(&block, 64, size) ? NULL : block;
}

WAY(way_malloc, malloc(size))
WAY(way_calloc, calloc(1, size))
WAY(way_memalign, memalign(32, size))
WAY(way_aligned_alloc, aligned_alloc(64, (size + 63) / 64 * 64))
WAY(way_posix_memalign, by_posix_memalign(size))
WAY(way_valloc, valloc(size))
WAY(way_pvalloc, pvalloc(size))
WAY(way_realloc_nothing, realloc(NULL, size))
WAY(way_reallocarray, reallocarray(NULL, size, 1))
WAY(way_strdup, strdup(size % 2 ? "a text that the library allocates" : ""))
WAY(way_realloc, realloc(malloc(size), size + 100))
WAY(way_realloc_far, realloc(malloc(size), size + (1 << 18)))

way_fn *const ways[WAY_COUNT] = {
    way_malloc, way_calloc,          way_memalign,     way_aligned_alloc, way_posix_memalign,
    way_malloc, way_realloc_nothing, way_reallocarray, way_strdup,        way_realloc,
    way_malloc, way_calloc,          way_valloc,       way_pvalloc,       way_realloc_far};
