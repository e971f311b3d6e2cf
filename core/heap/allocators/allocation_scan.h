/*
 * allocation_scan.h - what the files of this folder do for one another: each finds the allocators
 * of one kind, and adds what those gave out.
 */
#ifndef LOUPE_HEAP_ALLOCATION_SCAN_H
#define LOUPE_HEAP_ALLOCATION_SCAN_H

#include "heap/allocators/blocks.h"

/* Of a block, in any order, as long as not all of them are known. */
struct loupe_taken_block {
    loupe_addr start;
    uint64_t size : 48;
    uint64_t allocator : 16;
};

struct loupe_allocation_scan {
    struct loupe_blocks *blocks;
    struct loupe_target *target;
    const struct loupe_scene *scene;
    struct loupe_vector taken;     /* of struct loupe_taken_block */
    struct loupe_vector freed;     /* of loupe_addr: a block that starts there was given back */
    struct loupe_vector own;       /* of loupe_addr: it is the allocator's */
    struct loupe_ranges explained; /* memory whose use is known: no object is guessed there */
    struct loupe_ranges tables;    /* of allocators' own: no root is there */
    bool has_unread;               /* there is an allocator whose tables are not read */
    uint32_t unread;               /* it; of several the last one */
    bool says_states;              /* a byte before its blocks tells which are in use (guessed.c) */
};

/* The doubt about an allocator whose blocks are guessed. */
#define LOUPE_GUESSED_DOUBT                                                                        \
    "its tables are not known: only objects are found, and freed ones may be among them"

enum { LOUPE_MAX_ALLOCATORS = 1 << 16 };

/* The number of one more allocator; its counts of blocks are made at the end. LOUPE_ENOMEM,
 * LOUPE_ELIMIT. */
enum loupe_status loupe_allocation_scan_allocator(struct loupe_allocation_scan *scan,
                                                  struct loupe_allocator allocator, uint32_t *ret);

/* Valid until the next allocator is added. */
static inline struct loupe_allocator *
loupe_allocation_scan_at(const struct loupe_allocation_scan *scan, uint32_t allocator) {
    return loupe_vector_at(&scan->blocks->allocators, allocator, sizeof(struct loupe_allocator));
}

/* One place of an allocator's tables makes no sense; `doubt` is kept if it is the first one. */
void loupe_allocation_scan_damage(const struct loupe_allocation_scan *scan, uint32_t allocator,
                                  loupe_addr place, const char *doubt);

/* LOUPE_ENOMEM, LOUPE_ELIMIT. */
enum loupe_status loupe_allocation_scan_add(struct loupe_allocation_scan *scan, loupe_addr start,
                                            uint64_t size, uint32_t allocator);
/* Of a block that was added, before or later: it was given back; the allocator keeps it for itself.
 */
enum loupe_status loupe_allocation_scan_add_freed(struct loupe_allocation_scan *scan,
                                                  loupe_addr start);
enum loupe_status loupe_allocation_scan_add_own(struct loupe_allocation_scan *scan,
                                                loupe_addr start);

/*
 * Memory of an allocator's own that leads to blocks in use, or into them, and keeps none alive: the
 * links of glibc lead to where chunks begin, which is the last word of the block before.
 */
static inline enum loupe_status loupe_allocation_scan_add_tables(struct loupe_allocation_scan *scan,
                                                                 loupe_addr start, uint64_t size) {
    return loupe_ranges_add(&scan->tables, start, start + size);
}

/*
 * Memory that can be written and whose use is not known yet: no data of images, nothing that was
 * explained. Whatever comes back, the caller deinits it. LOUPE_ENOMEM.
 */
enum loupe_status loupe_allocation_scan_unexplained(struct loupe_allocation_scan *scan,
                                                    struct loupe_ranges *ret);

/* The address, or where the next memory begins that can be written; UINT64_MAX: there is none. */
loupe_addr loupe_allocation_scan_next_writable(const struct loupe_allocation_scan *scan,
                                               loupe_addr address);

/* ---- Kinds of allocators: each adds all of its kind, or none; LOUPE_ENOMEM, LOUPE_ELIMIT,
 * LOUPE_ETIMEOUT ---- */

enum loupe_status loupe_take_named(struct loupe_allocation_scan *scan);
enum loupe_status loupe_take_glibc(struct loupe_allocation_scan *scan);
enum loupe_status loupe_take_musl(struct loupe_allocation_scan *scan);
enum loupe_status loupe_take_zones(struct loupe_allocation_scan *scan);
/* The last one: in memory that nobody has explained. */
enum loupe_status loupe_take_guessed(struct loupe_allocation_scan *scan);

/* blocks.c: what was taken less what was freed, in order, with what finds them. */
enum loupe_status loupe_blocks_pack(struct loupe_blocks *blocks,
                                    struct loupe_allocation_scan *scan);

#endif
