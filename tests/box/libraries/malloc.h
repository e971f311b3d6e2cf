/*
 * malloc.h - the double of libmalloc: its zones as tools see them, and the blocks behind.
 *
 * After libmalloc-474, -521 and -646 (include/malloc/malloc.h, src/malloc.c, src/pguard_malloc.c,
 * private/stack_logging.h): the structure of a zone by its version, which grew at its end; what
 * enumerators are asked and how they read; whom malloc_logger tells of what; and the zone that
 * wraps the first one to guard some of its blocks. How blocks are kept is the box's own, but for
 * those of the nano zone (nano.c). Before a fork() each zone is locked.
 *
 * BOX_LIBMALLOC=474, 521 or 646 (the usual one) in the environment picks the release,
 * BOX_MALLOC_GUARD=1 puts the guarding zone before the first one, and with BOX_NANO=0 there is no
 * nano zone.
 */
#ifndef LOUPE_BOX_MALLOC_H
#define LOUPE_BOX_MALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ZONE_WORDS_474 = 19, /* version 14 */
    ZONE_WORDS_521 = 20, /* version 15 */
    ZONE_WORDS_646 = 25, /* version 16 */

    ZONE_TYPE_GUARDED = 2,

    RANGE_IN_USE = 1,
    RANGE_REGION = 2,
    RANGE_ADMIN = 4
};

struct range {
    uintptr_t address, size;
};

typedef int reader(uint32_t task, uintptr_t address, uintptr_t size, void **local);
typedef void recorder(uint32_t task, void *context, unsigned type, struct range *ranges,
                      unsigned count);

struct zone;
struct introspection {
    int (*enumerator)(uint32_t task, void *context, unsigned types, uintptr_t zone, reader *read,
                      recorder *record);
    void *size_to_log[4];
    void (*force_lock)(struct zone *zone); /* before a fork() */
    void (*force_unlock)(struct zone *zone);
    void *statistics_to_discharged[6];
    void (*reinit_lock)(struct zone *zone); /* in the copy that it made */
    void *for_tasks[2];
    unsigned zone_type;
};
_Static_assert(offsetof(struct introspection, zone_type) == 16 * sizeof(void *), "version 14");

/* All fields of version 16; of an older zone the end is not there. */
struct zone {
    void *reserved[2];
    size_t (*size)(struct zone *zone, const void *block);
    void *(*malloc)(struct zone *zone, size_t size);
    void *(*calloc)(struct zone *zone, size_t count, size_t size);
    void *(*valloc)(struct zone *zone, size_t size);
    void (*free)(struct zone *zone, void *block);
    void *(*realloc)(struct zone *zone, void *block, size_t size);
    void (*destroy)(struct zone *zone);
    const char *name;
    void *batch[2];
    struct introspection *introspect;
    unsigned version;
    void *(*memalign)(struct zone *zone, size_t alignment, size_t size);
    void (*free_definite_size)(struct zone *zone, void *block, size_t size);
    size_t (*pressure_relief)(struct zone *zone, size_t goal);
    int (*claimed_address)(struct zone *zone, void *block);
    void (*try_free_default)(struct zone *zone, void *block);
    void *with_options[1]; /* since 521 */
    void *typed[5];        /* since 646 */
};
_Static_assert(sizeof(struct zone) == ZONE_WORDS_646 * sizeof(void *), "version 16");

/* ---- blocks.c ---- */

/* Where a zone keeps its blocks; behind the zone's structure, in memory of its own. */
struct heap;

/* Makes a zone, and its heap, in pages of their own. words: how long its structure is. */
struct zone *blocks_zone(const char *name, unsigned version, unsigned words);
void *blocks_take(struct zone *zone, size_t size, size_t alignment);
/* The size of the block that begins there; 0: none of this zone's does. */
size_t blocks_size(struct zone *zone, const void *block);
void blocks_give(struct zone *zone, void *block);

/* ---- guarded.c ---- */

/* A zone before another one: it has a few blocks with unreadable pages around, the other the rest.
 */
struct zone *guarded_zone(struct zone *wrapped, unsigned version, unsigned words);

/* ---- nano.c ---- */

/* A zone for small blocks before another one, which has the rest. */
struct zone *nano_zone(struct zone *behind, const char *name, unsigned version, unsigned words);
/* In the copy that fork() makes. */
void nano_zone_forked(struct zone *zone);

/* ---- What the library asks of the box ---- */

int host_mach_vm_allocate(uint32_t task, uint64_t *address, uint64_t size, int flags);
int host_mach_vm_deallocate(uint32_t task, uint64_t address, uint64_t size);
int host_mach_vm_protect(uint32_t task, uint64_t address, uint64_t size, int set_maximum,
                         int protection);
uint32_t host_box_task_self(void);
uint64_t host_box_page_size(void);
void host_os_unfair_lock_lock(uint32_t *lock);
void host_os_unfair_lock_unlock(uint32_t *lock);
_Noreturn void host_box_stop(const char *text, const void *address);
const char *host_getenv(const char *name);
void *host_memset(void *to, int byte, size_t size);
void *host_memcpy(void *to, const void *from, size_t size);
int host_strcmp(const char *one, const char *other);
int host_pthread_atfork(void (*before)(void), void (*after)(void), void (*in_copy)(void));

/* Pages that the program can see, tagged. NULL: none. */
void *pages_take(size_t size, unsigned tag);

#endif
