#include "runtime/zones/nano.h"

enum {
    ASLR_COOKIE = 28680,
    ASLR_COOKIE_SHIFTED = 28688,
    FREE_COOKIE = 28696,
    FIRST_REGION = 28720,
    NEXT_ARENA = 28728
};

bool loupe_nano_read(struct loupe_memory *memory, loupe_addr zone, struct loupe_nano *ret) {
    uint64_t shifted;
    *ret = (struct loupe_nano){.memory = memory};
    if (!loupe_zone_word(memory, zone + ASLR_COOKIE, &ret->cookie) ||
        ret->cookie >= LOUPE_NANO_BLOCKS ||
        !loupe_zone_word(memory, zone + ASLR_COOKIE_SHIFTED, &shifted) ||
        shifted != ret->cookie << LOUPE_NANO_BLOCK_SHIFT ||
        !loupe_zone_word(memory, zone + FREE_COOKIE, &ret->free_cookie) ||
        !loupe_zone_word(memory, zone + FIRST_REGION, &ret->first_region) ||
        !loupe_zone_word(memory, zone + NEXT_ARENA, &ret->next_arena))
        return false;
    ret->own_entry = loupe_nano_exchange_halves((uint32_t)ret->cookie);
    return ret->first_region && ret->first_region % LOUPE_NANO_REGION == 0 &&
           ret->next_arena % LOUPE_NANO_ARENA == 0;
}

/* 64 blocks in a row, by their number mixed with the cookie, have slots of one size. */
uint32_t loupe_nano_slot_size(const struct loupe_nano *nano, uint32_t block) {
    static const uint8_t rows[] = {2, 10, 11, 10, 5, 3, 3, 4, 3, 2, 2, 2, 2, 2, 1, 2};
    uint32_t row = (uint32_t)(block ^ nano->cookie) >> 6, class = 0;
    while (row >= rows[class])
        row -= rows[class ++];
    return (class + 1) * 16;
}

/* The word of the words' own block leads to the next region, so many regions farther. */
bool loupe_nano_next_region(const struct loupe_nano *nano, loupe_addr region, loupe_addr *ret) {
    uint32_t link;
    if (!loupe_zone_half(nano->memory,
                         loupe_nano_words(nano, region) + nano->own_entry * sizeof(link), &link))
        return false;
    link &= 0xffff;
    *ret = link ? region + (loupe_addr)link * LOUPE_NANO_REGION : 0;
    return true;
}

/* ---- One slot ---- */

static bool has_region(const struct loupe_nano *nano, loupe_addr wanted) {
    loupe_addr region = nano->first_region;
    /* Cap: how large the memory is, is not known. */
    for (uint32_t i = 0; i < LOUPE_NANO_MAX_REGIONS && region && region <= wanted; i++)
        if (region == wanted)
            return true;
        else if (!loupe_nano_next_region(nano, region, &region))
            return false;
    return false;
}

/* A free slot begins with a word made of its address and a cookie. */
static bool is_free(const struct loupe_nano *nano, loupe_addr slot) {
    uint64_t guard;
    return !loupe_zone_word(nano->memory, slot, &guard) || guard == (nano->free_cookie ^ slot);
}

uint64_t loupe_nano_room(struct loupe_memory *memory, loupe_addr zone, loupe_addr address) {
    struct loupe_nano nano;
    loupe_addr region = address - address % LOUPE_NANO_REGION,
               arena = address - address % LOUPE_NANO_ARENA;
    uint32_t word, block = (uint32_t)((address - arena) >> LOUPE_NANO_BLOCK_SHIFT);
    if (!loupe_nano_read(memory, zone, &nano) || !has_region(&nano, region) ||
        !loupe_nano_has_arena(&nano, region, arena))
        return 0;
    uint32_t entry = loupe_nano_exchange_halves(block);
    if (entry == nano.own_entry ||
        !loupe_zone_half(memory, loupe_nano_words(&nano, arena) + entry * sizeof(word), &word) ||
        !loupe_nano_has_slots(word & LOUPE_NANO_STATE))
        return 0;
    uint32_t size = loupe_nano_slot_size(&nano, block);
    uint64_t offset = address % LOUPE_NANO_BLOCK;
    bool begins = offset % size == 0 && offset / size < LOUPE_NANO_BLOCK / size;
    return begins && !is_free(&nano, address) ? size : 0;
}
