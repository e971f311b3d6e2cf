/* malloc() and its kin, in whose place these stand, with a record of what they gave. */
#include "record.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

struct record *record_here;
uint32_t record_tag;
bool record_clears;
static _Thread_local int inside; /* of a function that calls others of them */

/* ---- The record ---- */

static void lock(void) {
    while (__atomic_test_and_set(&record_here->lock, __ATOMIC_ACQUIRE))
        ;
}

static void unlock(void) {
    __atomic_clear(&record_here->lock, __ATOMIC_RELEASE);
}

static void *remember(void *block, size_t asked) {
    if (!record_here || !block || inside)
        return block;
    uint32_t last = record_places(record_here) - 1,
             place = record_hash(record_here, (uintptr_t)block);
    lock();
    while (record_is_live(&record_here->places[place]))
        place = (place + 1) & last;
    if (record_here->live < last / 2) {
        record_here->places[place] = (struct record_place){
            .disguised = ~(uint64_t)(uintptr_t)block,
            .asked = (uint64_t)asked << RECORD_SHIFT | record_tag,
        };
        record_here->live++;
    } else {
        record_here->full++;
    }
    unlock();
    return block;
}

static void forget(const void *block) {
    if (!record_here || !block || inside)
        return;
    lock();
    struct record_place *place = record_find(record_here, (uintptr_t)block);
    if (place) {
        place->disguised = RECORD_GONE;
        record_here->live--;
    }
    unlock();
}

/* ---- The functions ---- */

/* glibc has its functions under other names, too; elsewhere the linker is told to exchange them. */
#ifdef RECORD_BY_WRAPPING
#define RECORDED(name) __wrap_##name
#define REAL(name)     __real_##name
#else
#define RECORDED(name) name
#define REAL(name)     __libc_##name
#endif

extern void *REAL(malloc)(size_t size);
extern void *REAL(calloc)(size_t count, size_t size);
extern void *REAL(realloc)(void *block, size_t size);
extern void *REAL(memalign)(size_t alignment, size_t size);
extern void REAL(free)(void *block);
void *RECORDED(malloc)(size_t size);
void *RECORDED(calloc)(size_t count, size_t size);
void *RECORDED(realloc)(void *block, size_t size);
void *RECORDED(memalign)(size_t alignment, size_t size);
int RECORDED(posix_memalign)(void **ret, size_t alignment, size_t size);
void *RECORDED(aligned_alloc)(size_t alignment, size_t size);
void RECORDED(free)(void *block);

void *RECORDED(malloc)(size_t size) {
    void *block = REAL(malloc)(size);
    if (block && record_clears)
        memset(block, 0, malloc_usable_size(block));
    return remember(block, size);
}

void *RECORDED(calloc)(size_t count, size_t size) {
    inside++;
    void *block = REAL(calloc)(count, size);
    inside--;
    return remember(block, count * size);
}

void *RECORDED(realloc)(void *block, size_t size) {
    forget(block);
    inside++;
    void *moved = REAL(realloc)(block, size);
    inside--;
    return remember(moved ? moved : size ? block : NULL, size);
}

void *RECORDED(memalign)(size_t alignment, size_t size) {
    inside++;
    void *block = REAL(memalign)(alignment, size);
    inside--;
    return remember(block, size);
}

void RECORDED(free)(void *block) {
    forget(block);
    REAL(free)(block);
}

int RECORDED(posix_memalign)(void **ret, size_t alignment, size_t size) {
    *ret = RECORDED(memalign)(alignment, size);
    return *ret ? 0 : ENOMEM;
}

void *RECORDED(aligned_alloc)(size_t alignment, size_t size) {
    return RECORDED(memalign)(alignment, size);
}
