/*
 * A malloc of a program's own, as a library or in the executable: it takes no lock and gives out
 * each address once, so that signal handlers may allocate wherever they interrupt. It has all ten
 * functions that glibc's manual asks of one who replaces malloc: where one is left to glibc, two
 * threads may set up its heap at once, and glibc aborts.
 */
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static _Alignas(64) char room[256 << 20];
static size_t used;

static size_t size_of(const void *block) {
    size_t size;
    memcpy(&size, (const char *)block - sizeof(size), sizeof(size));
    return size;
}

static void *give(size_t alignment, size_t size) {
    size_t whole = size + alignment + 2 * sizeof(size_t);
    size_t start = __atomic_fetch_add(&used, (whole + 15) & ~(size_t)15, __ATOMIC_RELAXED);
    if (size > sizeof(room) || start + whole > sizeof(room))
        return NULL;
    uintptr_t address = ((uintptr_t)room + start + sizeof(size) + alignment - 1) & ~(alignment - 1);
    memcpy((char *)address - sizeof(size), &size, sizeof(size));
    return (void *)address;
}

EXPORTED void *malloc(size_t size) {
    return give(16, size);
}

EXPORTED void free(void *block) {
    (void)block;
}

EXPORTED void *calloc(size_t count, size_t size) {
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : give(16, bytes);
}

EXPORTED void *realloc(void *block, size_t size) {
    void *larger = give(16, size);
    if (block && larger)
        memcpy(larger, block, size_of(block) < size ? size_of(block) : size);
    return larger;
}

EXPORTED void *memalign(size_t alignment, size_t size) {
    return give(alignment < 16 ? 16 : alignment, size);
}

enum { PAGE = 4096 };

EXPORTED void *valloc(size_t size) {
    return memalign(PAGE, size);
}

EXPORTED void *pvalloc(size_t size) {
    return memalign(PAGE, (size + PAGE - 1) & ~(size_t)(PAGE - 1));
}

EXPORTED size_t malloc_usable_size(void *block) {
    return block ? size_of(block) : 0;
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

EXPORTED int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = memalign(alignment, size);
    return *block ? 0 : 12;
}
