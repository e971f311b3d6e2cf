/*
 * target.h - what every step of one question shares: the memory, the runtime, the arena, and what
 * was found on the way but not followed.
 */
#ifndef LOUPE_TARGET_H
#define LOUPE_TARGET_H

#include "base/arena.h"
#include "base/target/memory.h"
#include "base/status.h"
#include "base/tagging.h"

struct loupe_abi;
struct loupe_apple_constants;
struct loupe_classes;
struct loupe_map;
struct loupe_recorded;
struct loupe_rooms;

struct loupe_target {
    struct loupe_memory *memory;
    const struct loupe_chunk_ops *chunks;
    struct loupe_arena arena;            /* lives as long as the question */
    struct loupe_chunk_ops arena_chunks; /* chunks out of the arena, for tables that last as long */
    const struct loupe_abi *abi;   /* NULL until detected, or when there is no runtime we know */
    void *abi_state;               /* in the arena; the abi's own */
    uint64_t tagged_mask;          /* a word with one of these bits is a value, not an address */
    struct loupe_tagging tagging;  /* what such words say */
    struct loupe_classes *classes; /* class.c's own; made on first use */
    struct loupe_map *places;      /* containers.c's own; made on first use */
    struct loupe_map *value_rules; /* object_values.c's own; made on first use */
    struct loupe_rooms *rooms;     /* room.c's own; made on first use */
    struct loupe_apple_constants *apple_constants; /* apple_numbers.c's own; the same */
    loupe_addr zombie_classes; /* containers_gnustep_collections.c's own: gnustep-base's table */
    bool looked_for_zombie_classes;
    struct loupe_recorded *recorded; /* recorded.c's own; NULL: there is none */
    bool looked_for_recorded;
    struct loupe_findings findings;
};

void loupe_target_init(struct loupe_target *target, struct loupe_memory *memory,
                       const struct loupe_chunk_ops *chunks);
void loupe_target_deinit(struct loupe_target *target);

/*
 * A copy, in the arena, of a string that ends in a NUL within max bytes. LOUPE_EFAULT,
 * LOUPE_ELIMIT when it is longer or the budget is used up, LOUPE_ENOMEM.
 */
enum loupe_status loupe_target_string(struct loupe_target *target, loupe_addr address, size_t max,
                                      const char **ret);

#endif
