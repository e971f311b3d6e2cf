/* Decimal numbers, UUIDs and sets of indexes, also such as no program writes. */
#include "check.h"
#include "memory/drawn_heap.h"
#include "objects/drawn_objects.h"
#include "loupe.h"
#include "runtime/values/foundation_values.h"

#include <string.h>

typedef bool put_fn(struct loupe_target *target, loupe_addr address, struct loupe_value_text *text);

static struct drawn_heap heap;

static const char *said(put_fn *put, loupe_addr address) {
    static char dst[256];
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_value_text text = {.dst = dst, .room = sizeof(dst) - 1};
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    bool is_one = put(&target, address, &text);
    dst[text.used] = '\0';
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return is_one ? dst : "nothing";
}

/* The first 4 bytes as Foundation/NSDecimalNumber.h has them: exponent:8, length:4, isNegative:1.
 */
static const char *apples(int exponent, unsigned length, bool is_negative, uint64_t mantissa) {
    loupe_addr address = drawn_alloc(&heap, 16);
    drawn_put_u32(&heap, address, (uint8_t)exponent | length << 8 | (uint32_t)is_negative << 12);
    drawn_put(&heap, address + 4, &mantissa, sizeof(mantissa));
    return said(loupe_put_apple_decimal, address + 4);
}

static void test_decimals_of_apple(void) {
    drawn_heap_init(&heap, 8);
    CHECK_STR(apples(-2, 1, false, 1234), "12.34");
    CHECK_STR(apples(-3, 1, true, 5), "-0.005");
    CHECK_STR(apples(2, 2, false, 70000), "7000000");
    CHECK_STR(apples(100, 1, false, 12), "12E100");
    CHECK_STR(apples(-100, 1, false, 12), "12E-100");
    CHECK_STR(apples(0, 0, false, 0), "0");
    CHECK_STR(apples(0, 0, true, 0), "NaN");
    CHECK_STR(apples(0, 8, false, 1), "nothing"); /* of 128 bits */
    CHECK_STR(said(loupe_put_apple_decimal, 8), "nothing");
    drawn_heap_deinit(&heap);
}

static void test_decimals_of_gnustep(void) {
    uint8_t decimal[42] = {(uint8_t)-4, 1, 1, 3, 1, 2, 3};
    drawn_heap_init(&heap, 8);
    CHECK_STR(said(loupe_put_gnustep_decimal, drawn_bytes(&heap, decimal, sizeof(decimal))),
              "-0.0123");
    decimal[4] = 10; /* no digit */
    CHECK_STR(said(loupe_put_gnustep_decimal, drawn_bytes(&heap, decimal, sizeof(decimal))),
              "nothing");
    decimal[4] = 1;
    decimal[3] = 39;
    CHECK_STR(said(loupe_put_gnustep_decimal, drawn_bytes(&heap, decimal, sizeof(decimal))),
              "nothing");
    drawn_heap_deinit(&heap);
}

/* An ivar, the array and its ranges. */
static const char *indexes(const uint64_t *ranges, uint32_t count) {
    loupe_addr place = drawn_alloc(&heap, 8), array = drawn_alloc(&heap, 32),
               items = drawn_alloc(&heap, 16 * 8);
    drawn_put_word(&heap, place, array);
    drawn_put_word(&heap, array, items);
    drawn_put_u32(&heap, array + 8, count);
    for (uint64_t i = 0; i < 2 * (uint64_t)count && i < 16; i++)
        drawn_put_word(&heap, items + 8 * i, ranges[i]);
    return said(loupe_put_gnustep_indexes, place);
}

static void test_indexes(void) {
    static const uint64_t many[] = {1, 1, 3, 2, 7, 1, 9, 1, 11, 1, 13, 1, 15, 1, 17, 1},
                          empty[] = {1, 0}, wrapped[] = {UINT64_MAX, 2};
    drawn_heap_init(&heap, 8);
    CHECK_STR(indexes(many, 1), "1 index: 1");
    CHECK_STR(indexes(many, 2), "3 indexes: 1, 3-4");
    CHECK_STR(indexes(many, 6), "7 indexes: 1, 3-4, 7, 9, 11, ...");
    CHECK_STR(indexes(empty, 1), "nothing");
    CHECK_STR(indexes(wrapped, 1), "nothing");
    CHECK_STR(indexes(many, UINT32_MAX), "nothing");
    CHECK_STR(said(loupe_put_gnustep_indexes, drawn_alloc(&heap, 8)), "0 indexes");
    drawn_heap_deinit(&heap);
}

int main(void) {
    RUN(test_decimals_of_apple);
    RUN(test_decimals_of_gnustep);
    RUN(test_indexes);
    return check_report();
}
