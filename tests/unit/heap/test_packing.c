/*
 * Numbers of a snapshot's file in few bytes: what is unpacked is what was packed, and any other
 * bytes are refused or give as many numbers.
 */
#include "check.h"
#include "snapshot/file/packing.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

static uint64_t chance = 88172645463325252u;

static uint64_t draw(void) {
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance;
}

/* Small ones, ones near a place, ones of all bits, and marks. */
static uint64_t draw_value(unsigned element, uint64_t place) {
    uint64_t mask = element == 8 ? UINT64_MAX : element == 4 ? UINT32_MAX : 15;
    switch (draw() % 5) {
    case 0:
        return draw() % 100 & mask;
    case 1:
        return (place + draw() % 9 - 4) & mask;
    case 2:
        return draw() & mask;
    case 3:
        return (0 - draw() % 4) & mask;
    default:
        return draw() >> draw() % 64 & mask;
    }
}

static uint64_t value_at(const void *values, unsigned element, uint64_t place) {
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)values + place * element, element);
    return value;
}

static size_t pack_all(struct loupe_packer packer, const void *values, uint64_t count,
                       uint8_t *dst) {
    size_t used = 0;
    for (uint64_t i = 0; i < count; i++)
        used += loupe_pack(&packer, value_at(values, packer.element, i), dst + used);
    return used + loupe_pack_end(&packer, dst + used);
}

static void check_round(struct loupe_packer packer, uint64_t count) {
    static uint64_t values[MOST], got[MOST];
    static uint8_t packed[MOST * LOUPE_PACKED_MOST];
    memset(got, 0x5a, sizeof(got));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = draw_value(packer.element, i);
        memcpy((uint8_t *)values + i * packer.element, &value, packer.element);
    }
    size_t size = pack_all(packer, values, count, packed);
    CHECK(loupe_unpack(packed, size, packer, count, got));
    CHECK(memcmp(values, got, count * packer.element) == 0);
    CHECK(!loupe_unpack(packed, size, packer, count + 3, got));
    CHECK(!count || !loupe_unpack(packed, size - 1, packer, count, got));
}

static void test_what_was_packed_is_unpacked(void) {
    for (unsigned i = 0; i < 300; i++) {
        uint64_t count = draw() % (MOST - 3);
        for (enum loupe_packing packing = LOUPE_PACKED_NUMBERS; packing <= LOUPE_PACKED_NEAR;
             packing++) {
            check_round((struct loupe_packer){.packing = packing, .element = 4}, count);
            check_round((struct loupe_packer){.packing = packing, .element = 8}, count);
        }
        check_round((struct loupe_packer){.packing = LOUPE_PACKED_HALVES, .element = 1}, count);
    }
}

static void test_marks_and_neighbours_take_a_byte(void) {
    const uint32_t marks[] = {UINT32_MAX, UINT32_MAX - 15, 0, 100}, steps[] = {3, 2, UINT32_MAX, 4};
    uint8_t packed[40];
    CHECK_EQ(pack_all((struct loupe_packer){.packing = LOUPE_PACKED_NUMBERS, .element = 4}, marks,
                      4, packed),
             4);
    CHECK_EQ(packed[0], 15);
    CHECK_EQ(packed[3], 116);
    CHECK_EQ(pack_all((struct loupe_packer){.packing = LOUPE_PACKED_STEPS, .element = 4}, steps, 4,
                      packed),
             4);
    CHECK_EQ(packed[1], 1);
    CHECK_EQ(pack_all((struct loupe_packer){.packing = LOUPE_PACKED_NEAR, .element = 4}, steps, 4,
                      packed),
             4);
}

static void test_groups_come_back(void) {
    uint8_t bytes[200], packed[300], got[200];
    for (unsigned round = 0; round < 200; round++) {
        size_t length = draw() % sizeof(bytes), used = 0;
        uint64_t before = 0, again = 0, at = 0;
        for (size_t i = 0; i < length; i++)
            bytes[i] = draw() % 3 ? 0 : (uint8_t)draw();
        for (size_t i = 0; i < length; i += LOUPE_GROUP)
            used += loupe_pack_group(bytes + i, length - i < LOUPE_GROUP ? length - i : LOUPE_GROUP,
                                     &before, packed + used);
        for (size_t i = 0; i < length; i += LOUPE_GROUP)
            CHECK(loupe_unpack_group(packed, used, &at, &again, got + i,
                                     length - i < LOUPE_GROUP ? length - i : LOUPE_GROUP));
        CHECK_EQ(at, used);
        CHECK(memcmp(bytes, got, length) == 0);
        CHECK(!loupe_unpack_group(packed, used, &at, &again, got, LOUPE_GROUP));
    }
}

static void test_a_group_that_is_cut_off_is_none(void) {
    const uint8_t packed[] = {0xff, 1, 2, 3};
    uint8_t got[LOUPE_GROUP];
    uint64_t at = 0, before = 0;
    CHECK(!loupe_unpack_group(packed, sizeof(packed), &at, &before, got, LOUPE_GROUP));
}

static void test_any_bytes_end(void) {
    uint64_t got[MOST];
    uint8_t bytes[MOST];
    for (unsigned round = 0; round < 2000; round++) {
        size_t size = draw() % sizeof(bytes);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)(draw() % 4 ? draw() : 0xff);
        struct loupe_packer packer = {.packing = 1 + (enum loupe_packing)(draw() % 4),
                                      .element = draw() % 2 ? 4 : 8};
        loupe_unpack(bytes, size, packer, draw() % MOST, got);
    }
    const uint8_t endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    CHECK(!loupe_unpack(endless, sizeof(endless),
                        (struct loupe_packer){.packing = LOUPE_PACKED_NUMBERS, .element = 8}, 1,
                        got));
}

int main(void) {
    RUN(test_what_was_packed_is_unpacked);
    RUN(test_marks_and_neighbours_take_a_byte);
    RUN(test_groups_come_back);
    RUN(test_a_group_that_is_cut_off_is_none);
    RUN(test_any_bytes_end);
    return check_report();
}
