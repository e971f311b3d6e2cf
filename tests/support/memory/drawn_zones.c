/* Apple's zones. */
#include "drawn_allocators_parts.h"

#include <string.h>

const loupe_addr drawn_zone = 0x100004000;
static const loupe_addr zone_list = 0x100000100;

static void begin_zones(struct drawn_allocators *drawn, struct drawn_heap *heap, const char *name,
                        uint32_t type) {
    enum { VERSION = 16, INTROSPECTION = 0x400, NAME = 0x300 };
    begin(drawn, heap);
    add_memory(heap, 0x100000000, 0x10000);
    drawn_symbol_add(heap, "malloc_num_zones", zone_list - 8);
    drawn_symbol_add(heap, "malloc_zones", zone_list);
    drawn_put_u32(heap, zone_list - 8, 1);
    drawn_put_word(heap, zone_list, zone_list + 0x40);
    drawn_put_word(heap, zone_list + 0x40, drawn_zone);
    drawn_put_word(heap, drawn_zone + 72, zone_list + NAME);
    drawn_put(heap, zone_list + NAME, name, strlen(name) + 1);
    drawn_put_word(heap, drawn_zone + 96, zone_list + INTROSPECTION);
    drawn_put_u32(heap, drawn_zone + 104, VERSION);
    drawn_put_u32(heap, zone_list + INTROSPECTION + 128, type);
}

/* The place of a region in a table of 64. */
static unsigned place_of(loupe_addr region) {
    return (unsigned)((region >> 20) * UINT64_C(11400714819323198549) >> (64 - 6));
}

/* Behind those that are there: one was given back. */
static void put_region(struct drawn_heap *heap, loupe_addr rack, loupe_addr region) {
    unsigned place = place_of(region);
    uint64_t there;
    while (drawn_get(heap, rack + 96 + 8 * (loupe_addr)place, &there, 8), there)
        place = (place + 1) % 64;
    drawn_put_word(heap, rack + 96 + 8 * (loupe_addr)place, region);
}

static void put_rack(struct drawn_heap *heap, loupe_addr rack, loupe_addr region,
                     loupe_addr magazines) {
    drawn_put_word(heap, rack + 8, 2); /* regions, one of which was given back */
    drawn_put_word(heap, rack + 16, 1);
    drawn_put_word(heap, rack + 24, rack + 32);
    drawn_put_word(heap, rack + 32, 64);
    drawn_put_word(heap, rack + 40, 6);
    drawn_put_word(heap, rack + 48, rack + 96);
    drawn_put_word(heap, rack + 96 + 8 * (loupe_addr)place_of(region), UINT64_MAX);
    put_region(heap, rack, region);
    drawn_put_u32(heap, rack + 608, 2);
    drawn_put_word(heap, rack + 624, magazines);
}

/* The magazine of a region that it got last, and what it was given back last. */
static void put_magazine(struct drawn_heap *heap, loupe_addr magazine, loupe_addr region,
                         uint64_t free_at_end, loupe_addr last_free, uint16_t quanta) {
    drawn_put_word(heap, magazine + 8, last_free);
    put_half(heap, magazine + 16, quanta);
    drawn_put_word(heap, magazine + 24, last_free ? region : 0);
    drawn_put_word(heap, magazine + 2128, free_at_end);
    drawn_put_word(heap, magazine + 2144, region);
}

static void put_tiny(struct drawn_heap *heap, loupe_addr region, unsigned index, bool used) {
    loupe_addr pair = region + 40 + 8 * (loupe_addr)(index / 32);
    uint64_t bits;
    drawn_get(heap, pair, &bits, sizeof(bits));
    bits |= UINT64_C(1) << index % 32 | (uint64_t)used << (32 + index % 32);
    drawn_put_word(heap, pair, bits);
}

static void draw_tiny(struct drawn_allocators *drawn, loupe_addr rack, loupe_addr region,
                      loupe_addr magazines) {
    struct drawn_heap *heap = drawn->heap;
    loupe_addr blocks = region + (1 << 20) - 64504 * 16;
    add_memory(heap, region, 1 << 20);
    put_rack(heap, rack, region, magazines);
    put_tiny(heap, region, 0, true);
    put_tiny(heap, region, 3, false);
    put_tiny(heap, region, 30, true); /* what was given back last */
    put_tiny(heap, region, 31, true);
    put_tiny(heap, region, 70, true);
    put_tiny(heap, region, 71, true); /* where the part begins that was never given out */
    drawn_put_u32(heap, region + 16, (3 + 1 + 39 + 1) * 16);
    drawn_put_u32(heap, region + 20, 4);
    drawn_put_u32(heap, region + 24, 1);
    put_magazine(heap, magazines + 2560, region, (64504 - 71) * 16, blocks + 30 * 16, 1);
    add(drawn, blocks, 3 * 16);
    add(drawn, blocks + 31 * 16, 39 * 16);
    add(drawn, blocks + 70 * 16, 16);
}

static void draw_small(struct drawn_allocators *drawn, loupe_addr rack, loupe_addr region,
                       loupe_addr magazines) {
    struct drawn_heap *heap = drawn->heap;
    loupe_addr blocks = region + (8 << 20) - 16319 * 512, table = region + 40;
    add_memory(heap, region, 8 << 20);
    put_rack(heap, rack, region, magazines);
    put_half(heap, table, 2);
    put_half(heap, table + 2 * 2, 3 | 1 << 15);
    put_half(heap, table + 2 * 5, 1);
    put_half(heap, table + 2 * 6, 4);
    drawn_put_u32(heap, region + 16, 7 * 512);
    drawn_put_u32(heap, region + 24, UINT32_MAX); /* of the magazine that is nobody's */
    put_magazine(heap, magazines - 2560, region, (16319 - 10) * 512, blocks + 6 * 512, 4);
    add(drawn, blocks, 2 * 512);
    add(drawn, blocks + 5 * 512, 512);
}

/* A region of medium blocks: only its tables, for which it has a quantum in front, have bytes. */
enum { MEDIUM_QUANTUM = 1 << 15, MEDIUM_REGION = 1 << 27, MEDIUM_BLOCKS = 4095 };
static void add_medium(struct drawn_heap *heap, loupe_addr region) {
    drawn_region_add(heap, region, MEDIUM_QUANTUM);
    drawn_process_region(region, region + MEDIUM_REGION);
}

/* The last of its entries says the same as the first, for the one behind it to become a part. */
static void put_medium_free(struct drawn_heap *heap, loupe_addr region, unsigned index,
                            uint16_t quanta) {
    const loupe_addr table = region + 40, advised = table + (loupe_addr)2 * MEDIUM_BLOCKS;
    put_half(heap, table + 2 * (loupe_addr)index, quanta | 1 << 15);
    put_half(heap, table + 2 * (loupe_addr)(index + quanta - 1), quanta | 1 << 15);
    /* The system has its bytes back, but those of the first quantum. */
    if (quanta > 1)
        put_half(heap, advised + 2 * (loupe_addr)(index + 1), (uint16_t)((quanta - 1) | 1 << 15));
}

static void put_medium_used(struct drawn_heap *heap, loupe_addr region, unsigned index,
                            uint16_t quanta) {
    put_half(heap, region + 40 + 2 * (loupe_addr)index, quanta);
}

static void add_medium_block(struct drawn_allocators *drawn, loupe_addr region, unsigned index,
                             uint16_t quanta) {
    put_medium_used(drawn->heap, region, index, quanta);
    add(drawn, region + (loupe_addr)(index + 1) * MEDIUM_QUANTUM,
        (uint64_t)quanta * MEDIUM_QUANTUM);
}

/* Two regions: one that is full, which is nobody's, and one that begins and ends with parts that
 * were never given out. */
static void draw_medium(struct drawn_allocators *drawn, loupe_addr rack, loupe_addr full,
                        loupe_addr last, loupe_addr magazines) {
    struct drawn_heap *heap = drawn->heap;
    enum { FREED = 256, AT_START = 7, END = 100 };
    add_medium(heap, full);
    add_medium(heap, last);
    put_rack(heap, rack, last, magazines);
    drawn_put_word(heap, rack + 8, 3);
    put_region(heap, rack, full);

    add_medium_block(drawn, full, 0, 3);
    put_medium_free(heap, full, 3, 40);
    add_medium_block(drawn, full, 43, 1);
    put_medium_used(heap, full, 44, FREED); /* what was given back last */
    add_medium_block(drawn, full, 44 + FREED, 2);
    put_medium_free(heap, full, 46 + FREED, 1);
    add_medium_block(drawn, full, 47 + FREED, MEDIUM_BLOCKS - 47 - FREED);
    drawn_put_u32(heap, full + 16, (MEDIUM_BLOCKS - 41) * MEDIUM_QUANTUM);
    drawn_put_u32(heap, full + 24, UINT32_MAX);

    add_medium_block(drawn, last, AT_START, 5);
    put_medium_free(heap, last, AT_START + 5, 30);
    add_medium_block(drawn, last, AT_START + 35, END - AT_START - 35);
    drawn_put_u32(heap, last + 16, (END - AT_START - 30) * MEDIUM_QUANTUM);
    drawn_put_u32(heap, last + 24, 1);
    put_magazine(heap, magazines + 2560, last, (uint64_t)(MEDIUM_BLOCKS - END) * MEDIUM_QUANTUM,
                 full + (loupe_addr)45 * MEDIUM_QUANTUM, FREED);
    drawn_put_word(heap, magazines + 2560 + 24, full);
    drawn_put_word(heap, magazines + 2560 + 2136, (uint64_t)AT_START * MEDIUM_QUANTUM);
}

/* Large blocks that were given back, with all that they had: the ring goes over its end. */
static void draw_kept(struct drawn_heap *heap, loupe_addr kept, loupe_addr block) {
    enum { COUNT = 16, OLDEST = 15, NEWEST = 1, STALE = 5, SIZE = 0x20000, ADVISED = 1 };
    uint64_t bytes = 0;
    drawn_put_u32(heap, kept, OLDEST);
    drawn_put_u32(heap, kept + 4, NEWEST);
    for (unsigned i = OLDEST; i <= COUNT + NEWEST; i++) {
        const loupe_addr place = kept + 8 + 24 * (loupe_addr)(i % COUNT),
                         start = 0x510000000 + 0x100000 * (loupe_addr)i;
        add_memory(heap, start, SIZE);
        drawn_put_word(heap, start + 64, block);
        drawn_put_word(heap, place, start);
        drawn_put_word(heap, place + 8, SIZE);
        drawn_put_u32(heap, place + 16, i % 2 ? ADVISED : 0);
        bytes += SIZE;
    }
    /* What a ring that became shorter has left. */
    drawn_put_word(heap, kept + 8 + 24 * STALE, 0x7777000);
    drawn_put_word(heap, kept + 8 + 24 * STALE + 8, SIZE);
    drawn_put_u32(heap, kept + 8 + 24 * 64, COUNT);
    drawn_put_word(heap, kept + 8 + 24 * 64 + 40, bytes);
}

const loupe_addr drawn_medium_rack = 0x100004000 + 16384 + 1664; /* in the zone */

void drawn_scalable_zone(struct drawn_allocators *drawn, struct drawn_heap *heap) {
    const loupe_addr tables = drawn_zone + 16384, large = 0x100008000 + 0x3000;
    begin_zones(drawn, heap, "DefaultMallocZone", 0);
    add_memory(heap, 0x110000000, 0xc000);
    draw_tiny(drawn, tables + 128, 0x200000000, 0x110000000 + 2560);
    draw_small(drawn, tables + 896, 0x280000000, 0x110004000 + 2560);
    draw_medium(drawn, drawn_medium_rack, 0x400000000, 0x408000000, 0x110008000 + 2560);
    drawn_put_u32(heap, tables + 2436, 1);
    drawn_put_u32(heap, tables + 2440, 4);
    drawn_put_word(heap, tables + 2448, large);
    drawn_put_word(heap, tables + 2456, 0x21000);
    drawn_put_word(heap, large, 0x300000000); /* by its page, of four places the first */
    drawn_put_word(heap, large + 8, 0x21000);
    add(drawn, 0x300000000, 0x21000);
    draw_kept(heap, tables + 2464, 0x300000000);
}

/* ---- nano ---- */

static void put_nano_word(struct drawn_heap *heap, loupe_addr words, uint32_t block, uint32_t next,
                          uint32_t free_count) {
    uint32_t index = (block >> 6 | block << 6) & 0xfff;
    drawn_put_u32(heap, words + 4 * (loupe_addr)index,
                  next | (free_count - 1) % 1024 << 11 | UINT32_C(1) << 31);
}

static void put_nano_free(struct drawn_heap *heap, loupe_addr place, uint64_t cookie,
                          uint64_t next) {
    drawn_put_word(heap, place, cookie ^ place);
    drawn_put_word(heap, place + 8, next);
}

void drawn_nano_zone(struct drawn_allocators *drawn, struct drawn_heap *heap) {
    const loupe_addr arena = 0x600000000000;
    const uint64_t cookie = 0x5a, free_cookie = 0x1234567890abcdef;
    const uint32_t of_32 = (2 * 64 + 5) ^ 0x5a, of_256 = (63 * 64 + 1) ^ 0x5a;
    loupe_addr words = arena ^ cookie << 14;
    loupe_addr block = arena + ((loupe_addr)of_32 << 14), full = arena + ((loupe_addr)of_256 << 14);
    begin_zones(drawn, heap, "DefaultMallocZone", 0);
    drawn_put_word(heap, drawn_zone + 28680, cookie);
    drawn_put_word(heap, drawn_zone + 28688, cookie << 14);
    drawn_put_word(heap, drawn_zone + 28696, free_cookie);
    drawn_put_word(heap, drawn_zone + 28720, arena);
    drawn_put_word(heap, drawn_zone + 28728, arena + (64 << 20));
    add_memory(heap, words, 1 << 14);
    add_memory(heap, block, 1 << 14);
    add_memory(heap, full, 1 << 14);
    /* Ten slots were ever used; the third and the eighth one are free. */
    put_nano_word(heap, words, of_32, 3, 512 - 8);
    put_nano_free(heap, block + 2 * 32, free_cookie, 8);
    put_nano_free(heap, block + 7 * 32, free_cookie, 0x7fb);
    for (unsigned i = 0; i < 10; i++)
        if (i != 2 && i != 7)
            add(drawn, block + i * 32, 32);
    put_nano_word(heap, words, of_256, 0x7fc, 1);
    for (unsigned i = 0; i < 64; i++)
        add(drawn, full + i * 256, 256);
}

/* ---- xzone ---- */

static void put_slice(struct drawn_heap *heap, loupe_addr segment, unsigned slice, uint64_t word,
                      uint32_t kind, uint32_t xzone, uint32_t count) {
    loupe_addr description = segment + 2104 + 48 * (loupe_addr)slice;
    drawn_put_word(heap, description, word);
    drawn_put_u32(heap, description + 32, kind | xzone << 8 | 1 << 16);
    drawn_put_u32(heap, description + 40, count);
}

static void put_xzone(struct drawn_heap *heap, loupe_addr xzone, uint64_t block,
                      uint32_t capacity) {
    drawn_put_word(heap, xzone + 48, block);
    drawn_put_u32(heap, xzone + 68, capacity);
    put_half(heap, xzone + 82, 1);
}

void drawn_xzone_zone(struct drawn_allocators *drawn, struct drawn_heap *heap) {
    const loupe_addr xzones = 0x100009000, table = 0x120000000, segment = 0x130000000,
                     body = 0x140000000;
    begin_zones(drawn, heap, "DefaultMallocZone", 1);
    drawn_put_word(heap, drawn_zone + 216, xzones);
    drawn_put_word(heap, drawn_zone + 488, table);
    put_xzone(heap, xzones + 96, 64, 256);
    put_xzone(heap, xzones + 2 * 96, 5120, 12);
    add_memory(heap, table, 1 << 16);
    drawn_put_u32(heap, table + 4 * (body >> 22), (uint32_t)(segment >> 14) | UINT32_C(1) << 31);
    add_memory(heap, segment, 1 << 14);
    add_memory(heap, body, 12 << 14);
    drawn_put_u32(heap, segment + 16, 12);
    drawn_put_word(heap, segment + 40, body);
    /* 250 blocks were never used; of the others the second and the fifth one are free. */
    put_slice(heap, segment, 0, (1 * 64 / 16) | 252 << 11, 2, 1, 0);
    drawn_put_word(heap, body + 1 * 64 + 8, 4 * 64 / 16);
    drawn_put_word(heap, body + 4 * 64 + 8, 0x400);
    for (unsigned i = 0; i < 6; i++)
        if (i != 1 && i != 4)
            add(drawn, body + i * 64, 64);
    put_slice(heap, segment, 2, 0xff0, 5, 2, 4); /* four of twelve in use */
    for (unsigned i = 0; i < 4; i++)
        add(drawn, body + (2 << 14) + i * 5120, 5120);
    put_slice(heap, segment, 6, 0, 7, 0, 3);
    add(drawn, body + (6 << 14), 3 << 14);
    /* Three slices that were a chunk, with all that it had. */
    put_slice(heap, segment, 9, 0, 3, 0, 3);
    put_slice(heap, segment, 10, 0, 4, 0, 0);
    put_slice(heap, segment, 11, 0, 4, 0, 0);
    for (unsigned i = 9; i < 12; i++)
        drawn_put_word(heap, body + ((loupe_addr)i << 14) + 64, body + (6 << 14));
}

const loupe_addr drawn_kept_blocks[2] = {0x160000000, 0x168000000};
const loupe_addr drawn_kept_segments[2] = {0x151000000, 0x151004000};
const loupe_addr drawn_kept_group = 0x150000000 + 496;
const loupe_addr drawn_kept_ring = 0x152000000;
static const loupe_addr reclaim = 0x150001000;

/* Where a ring has what is taken away, being so, entered last; and its entries. */
static const struct {
    unsigned head, busy, tail, entries;
} rings[DRAWN_RINGS] = {{88, 96, 104, 128}, {80, 88, 96, 112}, {24, 40, 32, 48}};

void drawn_xzone_take_away(struct drawn_heap *heap, enum drawn_ring release, uint64_t number) {
    drawn_put_word(heap, drawn_kept_ring + rings[release].head, number);
    drawn_put_word(heap, drawn_kept_ring + rings[release].busy, number);
}

void drawn_xzone_kept(struct drawn_heap *heap, enum drawn_ring release) {
    enum { KEPT = 2, SLICES = 3, FIRST = 5, LENGTH = 4, MAY_BE = 16 };
    const loupe_addr used = 0x140000000 + (6 << 14);
    drawn_put_u32(heap, drawn_zone + 412, 1 | 2 << 8);
    drawn_put_word(heap, drawn_zone + 472, drawn_kept_group - 496);
    drawn_put_word(heap, drawn_zone + 568, reclaim);
    add_memory(heap, drawn_kept_group - 496, 0x2000);
    add_memory(heap, drawn_kept_segments[0], KEPT << 14);
    add_memory(heap, drawn_kept_ring, 0x1000);
    drawn_put_word(heap, reclaim, drawn_kept_ring);
    drawn_put_word(heap, drawn_kept_group + 24, drawn_zone);
    drawn_put_word(heap, drawn_kept_group + 464, drawn_kept_segments[0]);
    drawn_put_u32(heap, drawn_kept_group + 480, MAY_BE | KEPT << 16);
    drawn_put_u32(heap, drawn_kept_ring + 16, LENGTH);
    drawn_put_u32(heap, drawn_kept_ring + 20, LENGTH);
    drawn_put_word(heap, drawn_kept_ring + rings[release].tail, FIRST + KEPT);
    drawn_xzone_take_away(heap, release, FIRST);
    for (unsigned i = 0; i < KEPT; i++) {
        loupe_addr segment = drawn_kept_segments[i], body = drawn_kept_blocks[i];
        loupe_addr entry = drawn_kept_ring + rings[release].entries + (FIRST + i) % LENGTH * 16;
        add_memory(heap, body, SLICES << 14);
        drawn_put_word(heap, body + 64, used);
        drawn_put_word(heap, segment, drawn_kept_group);
        drawn_put_u32(heap, segment + 12, SLICES);
        drawn_put_u32(heap, segment + 16, 1);
        drawn_put_u32(heap, segment + 20, 1);
        drawn_put_word(heap, segment + 24, i + 1 < KEPT ? drawn_kept_segments[i + 1] : 0);
        drawn_put_word(heap, segment + 40, body);
        drawn_put_word(heap, segment + 48, FIRST + i);
        drawn_put_word(heap, entry, body);
        drawn_put_u32(heap, entry + 8, SLICES << 14);
        drawn_put_u32(heap, entry + 12, 2);
    }
}

void drawn_unknown_zone(struct drawn_allocators *drawn, struct drawn_heap *heap) {
    begin_zones(drawn, heap, "SomebodysZone", 0);
}
