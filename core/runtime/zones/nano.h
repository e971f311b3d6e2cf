/*
 * nano.h - a nano zone, the second version: blocks of up to 256 bytes as slots of 16 KB blocks,
 * each for slots of one size. 4,096 of those are an arena; one of them has a word for each of the
 * others.
 */
#ifndef LOUPE_ZONES_NANO_H
#define LOUPE_ZONES_NANO_H

#include "runtime/zones/zone.h"

enum {
    LOUPE_NANO_BLOCK_SHIFT = 14,
    LOUPE_NANO_BLOCK = 1 << LOUPE_NANO_BLOCK_SHIFT, /* bytes */
    LOUPE_NANO_BLOCKS = 4096,
    LOUPE_NANO_ARENA = LOUPE_NANO_BLOCKS * LOUPE_NANO_BLOCK,
    LOUPE_NANO_ARENAS = 8,
    LOUPE_NANO_REGION = LOUPE_NANO_ARENAS * LOUPE_NANO_ARENA,
    LOUPE_NANO_MAX_REGIONS = 1 << 15
};

/* What a block's word says in place of its next free slot. */
enum {
    LOUPE_NANO_NEVER_USED = 0,
    LOUPE_NANO_GUARD = 0x7fa,
    LOUPE_NANO_NONE_FREE_BEFORE = 0x7fb,
    LOUPE_NANO_FULL = 0x7fc,
    LOUPE_NANO_GOING = 0x7fe,
    LOUPE_NANO_GONE = 0x7ff,
    LOUPE_NANO_STATE = 0x7ff /* the bits of the word that say it */
};

struct loupe_nano {
    struct loupe_memory *memory;
    uint64_t cookie, free_cookie;
    loupe_addr first_region, next_arena;
    uint32_t own_entry; /* of the words of an arena: its own */
};

bool loupe_nano_read(struct loupe_memory *memory, loupe_addr zone, struct loupe_nano *ret);

/* The order of words is that of blocks with the halves of their numbers exchanged. */
static inline uint32_t loupe_nano_exchange_halves(uint32_t number) {
    return (number >> 6 | number << 6) & (LOUPE_NANO_BLOCKS - 1);
}

/* Where the words of an arena stand. */
static inline loupe_addr loupe_nano_words(const struct loupe_nano *nano, loupe_addr arena) {
    return arena ^ nano->cookie << LOUPE_NANO_BLOCK_SHIFT;
}

/* Whether a block has slots, by the state that its word says. */
static inline bool loupe_nano_has_slots(uint32_t state) {
    return state != LOUPE_NANO_NEVER_USED && state != LOUPE_NANO_GUARD &&
           state != LOUPE_NANO_GOING && state != LOUPE_NANO_GONE;
}

/* The bytes of each slot of a block, by its number in its arena. */
uint32_t loupe_nano_slot_size(const struct loupe_nano *nano, uint32_t block);

/* Whether an arena of a region has been begun. */
static inline bool loupe_nano_has_arena(const struct loupe_nano *nano, loupe_addr region,
                                        loupe_addr arena) {
    bool is_current = nano->next_arena > region && nano->next_arena <= region + LOUPE_NANO_REGION;
    return !is_current || arena < nano->next_arena;
}

/* The region behind one; 0: it is the last. False: that cannot be read. */
bool loupe_nano_next_region(const struct loupe_nano *nano, loupe_addr region, loupe_addr *ret);

/* The bytes of the slot that begins at an address; 0: none does, or it is on a list of free ones.
 * Of those that were never given out some have room, too. */
uint64_t loupe_nano_room(struct loupe_memory *memory, loupe_addr zone, loupe_addr address);

#endif
