/* The map against an array that is searched from its start, and without memory. */
#include "check.h"
#include "memory/drawn_heap.h"
#include "base/map.h"

#include <stdlib.h>

static uint64_t state = 88172645463325252u;

/* Xorshift: the same numbers in every run. */
static uint64_t pick(uint64_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % bound;
}

/* ---- The oracle ---- */

enum { MOST_KEYS = 4000 };

static struct {
    uint64_t key;
    uint32_t value;
} known[MOST_KEYS];
static unsigned known_count;

static bool oracle_find(uint64_t key, uint32_t *ret) {
    for (unsigned i = 0; i < known_count; i++) {
        if (known[i].key == key) {
            *ret = known[i].value;
            return true;
        }
    }
    return false;
}

static void oracle_put(uint64_t key, uint32_t value) {
    unsigned i = 0;
    while (i < known_count && known[i].key != key)
        i++;
    known_count += i == known_count;
    known[i].key = key;
    known[i].value = value;
}

/* Keys of one kind, as they come: addresses, page numbers, small numbers, all bits. */
static uint64_t pick_key(unsigned kind) {
    switch (kind) {
    case 0:
        return 0x600000000000 + pick(1500) * 16;
    case 1:
        return pick(1500) << 48; /* equal in all low bits */
    case 2:
        return pick(1500);
    default:
        return pick(2) ? UINT64_MAX - pick(700) : pick(UINT64_MAX);
    }
}

static void check_against_oracle(unsigned kind) {
    struct loupe_map map;
    loupe_map_init(&map, &drawn_chunks);
    known_count = 0;
    for (unsigned step = 0; step < 3500; step++) {
        uint64_t key = pick_key(kind);
        uint32_t value = (uint32_t)pick(UINT32_MAX), got = 7, want = 7;
        bool found = loupe_map_find(&map, key, &got);
        CHECK_EQ(found, oracle_find(key, &want));
        CHECK_EQ(got, want);
        if (pick(3)) {
            CHECK_EQ(loupe_map_put(&map, key, value), LOUPE_OK);
            oracle_put(key, value);
        }
        CHECK_EQ(map.count, known_count);
    }
    for (unsigned i = 0; i < known_count; i++) {
        uint32_t got;
        CHECK(loupe_map_find(&map, known[i].key, &got) && got == known[i].value);
    }
    loupe_map_deinit(&map);
}

static void test_map_answers_as_a_plain_list(void) {
    for (unsigned kind = 0; kind < 4; kind++)
        check_against_oracle(kind);
}

/* ---- Edges ---- */

static void test_empty_map_holds_nothing(void) {
    struct loupe_map map;
    uint32_t value = 5;
    loupe_map_init(&map, &drawn_chunks);
    CHECK(!loupe_map_find(&map, 0, &value));
    CHECK_EQ(value, 5);
    loupe_map_clear(&map);
    loupe_map_deinit(&map);
}

static void test_extreme_keys_and_values_are_ordinary(void) {
    struct loupe_map map;
    uint32_t value = 0;
    loupe_map_init(&map, &drawn_chunks);
    CHECK(!loupe_map_find(&map, 0, &value));
    CHECK_EQ(loupe_map_put(&map, 0, UINT32_MAX), LOUPE_OK);
    CHECK_EQ(loupe_map_put(&map, UINT64_MAX, 0), LOUPE_OK);
    CHECK(loupe_map_find(&map, 0, &value) && value == UINT32_MAX);
    CHECK(loupe_map_find(&map, UINT64_MAX, &value) && value == 0);
    CHECK(!loupe_map_find(&map, 1, &value));
    loupe_map_deinit(&map);
}

static void test_cleared_map_keeps_its_table(void) {
    struct drawn_failing_chunks chunk_state = {.fail_at = 2};
    struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&chunk_state);
    struct loupe_map map;
    uint32_t value;
    loupe_map_init(&map, &chunks);
    for (int round = 0; round < 3; round++) {
        for (uint64_t key = 0; key < 100; key++)
            CHECK_EQ(loupe_map_put(&map, key, 1), LOUPE_OK);
        CHECK_EQ(map.count, 100);
        loupe_map_clear(&map);
        CHECK_EQ(map.count, 0);
        CHECK(!loupe_map_find(&map, 50, &value));
    }
    CHECK_EQ(chunk_state.outstanding, 1);
    loupe_map_deinit(&map);
    CHECK_EQ(chunk_state.outstanding, 0);
}

static void test_failing_growth_leaves_the_map_as_it_was(void) {
    for (uint64_t n = 1; n <= 5; n++) {
        struct drawn_failing_chunks chunk_state = {.fail_at = n};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&chunk_state);
        struct loupe_map map;
        uint64_t key = 0;
        uint32_t value;
        loupe_map_init(&map, &chunks);
        while (key < 10000 && loupe_map_put(&map, key * 16, (uint32_t)key) == LOUPE_OK)
            key++;
        CHECK(key < 10000);
        CHECK_EQ(map.count, key);
        CHECK_EQ(loupe_map_put(&map, key * 16, 1), LOUPE_ENOMEM);
        CHECK(!loupe_map_find(&map, key * 16, &value));
        bool same = true;
        for (uint64_t i = 0; i < key; i++)
            same = same && loupe_map_find(&map, i * 16, &value) && value == i;
        CHECK(same);
        if (key) /* a value can still be replaced */
            CHECK(loupe_map_put(&map, 0, 99) == LOUPE_OK && loupe_map_find(&map, 0, &value) &&
                  value == 99);
        loupe_map_deinit(&map);
        CHECK_EQ(chunk_state.outstanding, 0);
    }
}

static void test_every_bit_of_a_key_reaches_the_low_bits_of_its_hash(void) {
    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned differing = 0;
        for (unsigned i = 0; i < 256; i++) {
            uint64_t key = pick(UINT64_MAX);
            differing += ((loupe_hash(key) ^ loupe_hash(key ^ UINT64_C(1) << bit)) & 0xff) != 0;
        }
        CHECK(differing > 128);
    }
}

int main(void) {
    RUN(test_map_answers_as_a_plain_list);
    RUN(test_empty_map_holds_nothing);
    RUN(test_extreme_keys_and_values_are_ordinary);
    RUN(test_cleared_map_keeps_its_table);
    RUN(test_failing_growth_leaves_the_map_as_it_was);
    RUN(test_every_bit_of_a_key_reaches_the_low_bits_of_its_hash);
    return check_report();
}
