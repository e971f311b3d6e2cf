/* Arrays and vectors in order, whatever the order was, the size of elements, and their number. */
#include "base/sort.h"
#include "check.h"
#include "graphs/drawn_graph.h"

#include <string.h>

enum { MOST = 300 };

struct item {
    char before[70]; /* longer than what is moved at once */
    uint32_t key, number;
    char behind[61];
};

static bool has_lower_key(const void *ctx, const void *a, const void *b) {
    ++*(uint32_t *)(uintptr_t)ctx;
    return ((const struct item *)a)->key < ((const struct item *)b)->key;
}

static void fill(struct item *items, uint32_t count, uint64_t *random, uint32_t keys) {
    for (uint32_t i = 0; i < count; i++) {
        items[i] = (struct item){.key = (uint32_t)(drawn_random(random) % keys), .number = i};
        items[i].before[69] = items[i].behind[60] = (char)items[i].key;
    }
}

/* Each element is there once and whole. */
static void check_sorted(const struct item *items, uint32_t count, bool stable) {
    uint64_t numbers = 0;
    for (uint32_t i = 0; i < count; i++) {
        numbers += items[i].number;
        CHECK_EQ(items[i].before[69], (char)items[i].key);
        CHECK_EQ(items[i].behind[60], (char)items[i].key);
        if (i)
            CHECK(items[i - 1].key < items[i].key ||
                  (items[i - 1].key == items[i].key &&
                   (!stable || items[i - 1].number < items[i].number)));
    }
    CHECK_EQ(numbers, (uint64_t)count * (count - (count != 0)) / 2);
}

static void test_arrays_of_every_length_are_sorted(void) {
    static struct item items[MOST];
    uint64_t random = 17;
    uint32_t compared = 0;
    for (uint32_t count = 0; count < MOST; count++) {
        fill(items, count, &random, 1 + count);
        loupe_sort(items, count, sizeof(*items), has_lower_key, &compared);
        check_sorted(items, count, false);
        fill(items, count, &random, 1 + count / 4);
        loupe_sort_few(items, count, sizeof(*items), has_lower_key, &compared);
        check_sorted(items, count, true);
    }
}

/* The beginning of what a whole sort makes, and all are still there. */
static void test_the_first_ones_alone_are_sorted(void) {
    static struct item items[MOST], whole[MOST];
    uint64_t random = 19, numbers;
    uint32_t compared = 0;
    for (uint32_t count = 0; count < MOST; count += 7) {
        for (uint32_t top = 0; top < count + 3; top += 1 + top / 3) {
            fill(items, count, &random, 1 + count);
            memcpy(whole, items, sizeof(items));
            loupe_sort(whole, count, sizeof(*whole), has_lower_key, &compared);
            loupe_sort_top(items, count, top, sizeof(*items), has_lower_key, &compared);
            for (uint32_t i = 0; i < top && i < count; i++)
                CHECK_EQ(items[i].key, whole[i].key);
            numbers = 0;
            for (uint32_t i = 0; i < count; i++)
                numbers += items[i].number;
            CHECK_EQ(numbers, (uint64_t)count * (count - (count != 0)) / 2);
        }
    }
}

static void test_what_is_in_order_is_only_looked_at(void) {
    static struct item items[MOST];
    uint32_t compared = 0;
    for (uint32_t i = 0; i < MOST; i++)
        items[i].key = i;
    loupe_sort(items, MOST, sizeof(*items), has_lower_key, &compared);
    CHECK_EQ(compared, MOST - 1);
}

enum { LONG = 20000 };

static bool has_lower_number(const void *ctx, const void *a, const void *b) {
    ++*(uint32_t *)(uintptr_t)ctx;
    return *(const uint32_t *)a < *(const uint32_t *)b;
}

/* Rising, falling, equal, up and down, few kinds, one out of place. */
static uint32_t number_of(unsigned order, uint32_t i, uint64_t *random) {
    uint32_t half = LONG / 2;
    switch (order) {
    case 0:
        return i;
    case 1:
        return LONG - i;
    case 2:
        return 7;
    case 3:
        return i < half ? i : LONG - i;
    case 4:
        return (uint32_t)(drawn_random(random) % 3);
    default:
        return i == half ? 0 : i + 1;
    }
}

/* What M. D. McIlroy's "A Killer Adversary for Quicksort" does: values are only decided when two
 * undecided ones are compared, and so that what serves as a pivot is nearly the smallest. */
struct adversary {
    uint32_t values[LONG]; /* LONG: undecided */
    uint32_t decided, candidate, compared;
};

static bool adversary_says(const void *ctx, const void *a, const void *b) {
    struct adversary *adversary = (struct adversary *)(uintptr_t)ctx;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    uint32_t *values = adversary->values;
    adversary->compared++;
    if (values[left] == LONG && values[right] == LONG)
        values[left == adversary->candidate ? left : right] = adversary->decided++;
    if (values[left] == LONG)
        adversary->candidate = left;
    else if (values[right] == LONG)
        adversary->candidate = right;
    return values[left] < values[right];
}

static void test_the_worst_order_takes_no_longer(void) {
    static struct adversary adversary;
    static uint32_t numbers[LONG];
    for (uint32_t i = 0; i < LONG; i++) {
        numbers[i] = i;
        adversary.values[i] = LONG;
    }
    numbers[0] = 1; /* not in order already */
    numbers[1] = 0;
    loupe_sort(numbers, LONG, sizeof(*numbers), adversary_says, &adversary);
    CHECK(adversary.compared < LONG * 60u);
}

static void test_no_order_takes_long(void) {
    static uint32_t numbers[LONG];
    uint64_t random = 20;
    for (unsigned order = 0; order < 6; order++) {
        uint32_t compared = 0;
        for (uint32_t i = 0; i < LONG; i++)
            numbers[i] = number_of(order, i, &random);
        loupe_sort(numbers, LONG, sizeof(*numbers), has_lower_number, &compared);
        CHECK(compared < LONG * 60u); /* 4 * n * log2(n) */
        for (uint32_t i = 1; i < LONG; i++)
            CHECK(numbers[i - 1] <= numbers[i]);
    }
}

/* What before() compares may come from a damaged file. */
static bool says_anything(const void *ctx, const void *a, const void *b) {
    (void)a;
    (void)b;
    return drawn_random((uint64_t *)(uintptr_t)ctx) % 4 != 0;
}

static void test_nonsense_stays_within_bounds(void) {
    static uint32_t numbers[LONG];
    uint64_t random = 21, sum = 0;
    for (uint32_t i = 0; i < LONG; i++)
        numbers[i] = i;
    loupe_sort(numbers, LONG, sizeof(*numbers), says_anything, &random);
    loupe_sort_top(numbers, LONG, LONG / 3, sizeof(*numbers), says_anything, &random);
    for (uint32_t i = 0; i < LONG; i++)
        sum += numbers[i];
    CHECK_EQ(sum, (uint64_t)LONG * (LONG - 1) / 2);
}

static void test_vectors_are_sorted(void) {
    struct loupe_vector vector;
    uint64_t random = 18;
    uint32_t compared = 0;
    loupe_vector_init(&vector, &drawn_chunks, sizeof(struct item));
    for (uint32_t i = 0; i < 20000; i++) {
        struct item *item = loupe_vector_add(&vector);
        fill(item, 1, &random, 1 << 20);
    }
    loupe_vector_sort(&vector, has_lower_key, &compared);
    for (uint32_t i = 1; i < vector.count; i++) {
        const struct item *one = loupe_vector_at(&vector, i - 1, sizeof(struct item));
        const struct item *next = loupe_vector_at(&vector, i, sizeof(struct item));
        CHECK(one->key <= next->key);
    }
    loupe_vector_deinit(&vector);
}

int main(void) {
    RUN(test_arrays_of_every_length_are_sorted);
    RUN(test_the_first_ones_alone_are_sorted);
    RUN(test_what_is_in_order_is_only_looked_at);
    RUN(test_no_order_takes_long);
    RUN(test_the_worst_order_takes_no_longer);
    RUN(test_nonsense_stays_within_bounds);
    RUN(test_vectors_are_sorted);
    return check_report();
}
