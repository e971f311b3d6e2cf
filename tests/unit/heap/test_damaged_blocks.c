/*
 * Tables of allocators in which every word in turn becomes something else: either all blocks are
 * there as they were drawn, and no other, or somebody is told that they cannot be trusted.
 *
 * usage: test_damaged_blocks [all]
 *   of zones the words that are zero, too, and not only some of them
 */
#include "objects/block_look.h"
#include "check.h"
#include "runtime/zones/room.h"

#include <string.h>

/* Sanitizers make a look six times as slow: a word has some of the values there, the next others.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED
#endif
#endif
#if defined(IS_SANITIZED) || defined(__SANITIZE_ADDRESS__)
enum { STEP_OF_VALUES = 5 };
#else
enum { STEP_OF_VALUES = 1 };
#endif

static struct drawn_heap heap;
static struct drawn_allocators drawn;
static unsigned step_of_zeros = 256; /* bytes */
static loupe_addr elsewhere;         /* where words lead that are damaged */

/* Heaps in which no allocator is doubted, and yet blocks are missing; one has another size; freed
 * ones are shown. */
struct unnoticed {
    unsigned lost, resized, freed;
};

/* Of some blocks, and where none begins. */
static void ask_for_room(struct look *look) {
    for (unsigned i = 0; i < drawn.count; i += drawn.count / 4 + 1) {
        (void)loupe_room_at(&look->target, drawn.starts[i]);
        (void)loupe_room_at(&look->target, drawn.starts[i] + drawn.sizes[i]);
    }
}

/* unnoticed: NULL, where the damage cannot be noticed. */
static void look_at_damage(struct unnoticed *unnoticed) {
    struct look look;
    look_open(&look, &heap, &drawn_chunks);
    CHECK_EQ(look.status, LOUPE_OK);
    CHECK(look_is_sound(&look));
    ask_for_room(&look);
    if (unnoticed && !look_has_doubt(&look)) {
        unsigned lost = look_count_lost(&look, &drawn), missed = look_count_missed(&look, &drawn);
        unnoticed->lost += lost > 0;
        unnoticed->resized += missed > lost;
        unnoticed->freed += look.blocks.count + lost > drawn.count;
    }
    look_close(&look);
}

static void damage_word(loupe_addr at, struct unnoticed *unnoticed) {
    uint64_t word;
    drawn_get(&heap, at, &word, sizeof(word));
    const uint64_t others[] = {
        0,
        UINT64_MAX,
        word + 1,
        word - 1,
        word + 8,
        word - 8,
        word ^ 1,
        word ^ 16,
        at,
        word ^ UINT64_C(1) << 11,
        word ^ UINT64_C(1) << 32,
        at * 0x9e3779b97f4a7c15,
        UINT64_C(1) << 46,
        elsewhere,
    };
    for (unsigned i = at / 8 % STEP_OF_VALUES; i < sizeof(others) / sizeof(others[0]);
         i += STEP_OF_VALUES) {
        drawn_put_word(&heap, at, others[i]);
        look_at_damage(unnoticed);
    }
    drawn_put_word(&heap, at, word);
}

static void damage_each_word(loupe_addr start, loupe_addr end, unsigned step,
                             struct unnoticed *unnoticed) {
    for (loupe_addr at = start; at < end; at += step) {
        if (check_tries(at / step))
            damage_word(at, unnoticed);
    }
}

/* No block gets lost without a word. But one that a cache has at once more than it counts, as while
 * a thread gives it back: no word leads to a block that was not there. */
static void test_damaged_tables_of_glibc(void) {
    struct unnoticed unnoticed = {0};
    elsewhere = 0x7f0000001f00;
    drawn_heap_init(&heap, 8);
    drawn_glibc(&drawn, &heap, "2.42");
    damage_each_word(0x7f0000000c00, 0x7f0000000c60 + 2200, 8, &unnoticed);
    damage_each_word(0x555500000000, 0x555500001800, 8, &unnoticed);
    damage_each_word(0x7e0000000000, 0x7e0000000a00, 8, &unnoticed);
    damage_each_word(0x7d0000000000, 0x7d0000009000, 0x1000, &unnoticed);
    CHECK_EQ(unnoticed.lost, 0);
    CHECK_EQ(unnoticed.resized, 0);
    drawn_heap_deinit(&heap);
}

/* Which slots are free, how large a block is and where all of it begins is said once: that may be
 * lost without a word. */
static void test_damaged_tables_of_musl(void) {
    struct unnoticed unnoticed = {0};
    drawn_heap_init(&heap, 8);
    drawn_musl(&drawn, &heap);
    damage_each_word(drawn_musl_state, drawn_musl_state + 10 * 8, 8, NULL);
    damage_each_word(drawn_musl_pages, drawn_musl_pages + 24 + 3 * 40, 8, NULL);
    damage_each_word(drawn_musl_pages + 0x1000, drawn_musl_pages + 0x1000 + 24 + 2 * 40, 8, NULL);
    damage_each_word(drawn_musl_pages + 8, drawn_musl_pages + 16, 8, &unnoticed);
    damage_each_word(drawn_musl_slots, drawn_musl_slots + DRAWN_MUSL_SLOTS_SIZE, 8, &unnoticed);
    CHECK_EQ(unnoticed.lost, 0);
    drawn_heap_deinit(&heap);
}

/* ---- Zones ---- */

static bool is_among(loupe_addr place, const loupe_addr *places) {
    while (*places && *places != place)
        places++;
    return *places != 0;
}

/*
 * All words of some memory; of zeros some, unless all are asked for. What stands in no other place,
 * too, may be lost without a word: the places of such words, up to 0.
 */
static void damage_zone(loupe_addr start, loupe_addr end, const loupe_addr *said_once) {
    for (loupe_addr at = start; at < end; at += 8) {
        struct unnoticed unnoticed = {0};
        uint64_t word;
        drawn_get(&heap, at, &word, sizeof(word));
        if ((!word && at % step_of_zeros) || !check_tries(at / 8))
            continue;
        damage_word(at, is_among(at, said_once) ? NULL : &unnoticed);
        if (!CHECK(!unnoticed.lost && !unnoticed.resized && !unnoticed.freed))
            fprintf(stderr, "at 0x%llx: %u times lost, %u resized, %u freed\n",
                    (unsigned long long)at, unnoticed.lost, unnoticed.resized, unnoticed.freed);
    }
}

static const loupe_addr nothing[] = {0};
static const loupe_addr list_of_zones = 0x100000000, zone = 0x100004000;

static void damage_start_of_zone(void) {
    damage_zone(list_of_zones, list_of_zones + 0x600, nothing);
    damage_zone(zone, zone + 256, nothing);
}

static void test_damaged_tables_of_a_scalable_zone(void) {
    enum {
        TABLES = 2560,
        MAGAZINES = 3 * 2560,
        TINY_TABLE = 40 + 2016 * 8,
        SMALL_TABLE = 40 + 16319 * 2,
        MEDIUM_TABLE = 40 + 4095 * 2
    };
    const loupe_addr tables = zone + 16384, large = 0x10000b000, tiny = 0x200000000,
                     small = 0x280000000, medium = 0x400000000, medium_last = 0x408000000,
                     magazines = 0x110000000;
    const loupe_addr where_a_large_block_is[] = {large, 0};
    drawn_heap_init(&heap, 8);
    drawn_scalable_zone(&drawn, &heap);
    elsewhere = drawn.starts[0];
    damage_start_of_zone();
    damage_zone(tables, tables + TABLES, nothing);
    damage_zone(large, large + 4 * 24, where_a_large_block_is);
    damage_zone(magazines, magazines + MAGAZINES, nothing);
    damage_zone(magazines + 0x4000, magazines + 0x4000 + MAGAZINES, nothing);
    damage_zone(tiny, tiny + TINY_TABLE, nothing);
    damage_zone(magazines + 0x8000, magazines + 0x8000 + MAGAZINES, nothing);
    damage_zone(small, small + SMALL_TABLE, nothing);
    damage_zone(medium, medium + MEDIUM_TABLE, nothing);
    damage_zone(medium_last, medium_last + MEDIUM_TABLE, nothing);
    drawn_heap_deinit(&heap);
}

/* Of a block with slots, whether any is free and how many were ever used. */
static void test_damaged_tables_of_a_nano_zone(void) {
    enum { BLOCK = 1 << 14, OF_32 = (2 * 64 + 5) ^ 0x5a };
    const loupe_addr arena = 0x600000000000, words = arena ^ 0x5a << 14,
                     slots = arena + (loupe_addr)OF_32 * BLOCK;
    const loupe_addr of_blocks[] = {words + 0x1bf8, words + 0x1f08, 0};
    drawn_heap_init(&heap, 8);
    drawn_nano_zone(&drawn, &heap);
    elsewhere = drawn.starts[0];
    damage_start_of_zone();
    damage_zone(zone + 28672, zone + 28672 + 64, nothing);
    damage_zone(words, words + BLOCK, of_blocks);
    damage_zone(slots, slots + 12 * 32, nothing);
    drawn_heap_deinit(&heap);
}

/* Where a segment is and how many slices it has; of each chunk what it is, and its size or which of
 * its blocks are free; how large the blocks of an xzone are, if as many fit. */
static void test_damaged_tables_of_an_xzone_zone(void) {
    enum { SLICES = 2104, SLICE = 48, TABLE = 1 << 16 };
    const loupe_addr table = 0x120000000, segment = 0x130000000, blocks = 0x140000000;
    const loupe_addr slices = segment + SLICES, of_segment[] = {segment + 16,
                                                                slices,
                                                                slices + 32,
                                                                slices + 2 * SLICE,
                                                                slices + 2 * SLICE + 32,
                                                                slices + 6 * SLICE + 32,
                                                                slices + 6 * SLICE + 40,
                                                                0};
    const loupe_addr of_table[] = {table + 4 * (blocks >> 22), 0}, xzones = 0x100009000,
                     of_xzones[] = {xzones + 2 * 96 + 48, 0};
    drawn_heap_init(&heap, 8);
    drawn_xzone_zone(&drawn, &heap);
    drawn_xzone_kept(&heap, DRAWN_RING_OF_26);
    elsewhere = drawn.starts[0];
    damage_start_of_zone();
    damage_zone(drawn_kept_group - 496, drawn_kept_group + 496, nothing);
    damage_zone(drawn_kept_segments[0], drawn_kept_segments[0] + 64, nothing);
    damage_zone(drawn_kept_segments[1], drawn_kept_segments[1] + 64, nothing);
    damage_zone(drawn_kept_ring, drawn_kept_ring + 256, nothing);
    damage_zone(zone + 200, zone + 600, nothing);
    damage_zone(xzones, xzones + 4 * 96, of_xzones);
    damage_zone(segment, slices + 11 * SLICE, of_segment);
    damage_zone(table, table + TABLE, of_table);
    damage_zone(blocks, blocks + 7 * 64, nothing);
    drawn_heap_deinit(&heap);
}

int main(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "all") == 0)
        step_of_zeros = 8;
    RUN(test_damaged_tables_of_glibc);
    RUN(test_damaged_tables_of_musl);
    RUN(test_damaged_tables_of_a_scalable_zone);
    RUN(test_damaged_tables_of_a_nano_zone);
    RUN(test_damaged_tables_of_an_xzone_zone);
    return check_report();
}
