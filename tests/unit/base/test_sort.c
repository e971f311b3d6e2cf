/* Arrays and vectors in order, whatever the order was, the size of elements, and their number. */
#include "base/sort.h"
#include "check.h"
#include "graphs/drawn_graph.h"

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

static void test_what_is_in_order_is_only_looked_at(void) {
    static struct item items[MOST];
    uint32_t compared = 0;
    for (uint32_t i = 0; i < MOST; i++)
        items[i].key = i;
    loupe_sort(items, MOST, sizeof(*items), has_lower_key, &compared);
    CHECK_EQ(compared, MOST - 1);
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
    RUN(test_what_is_in_order_is_only_looked_at);
    RUN(test_vectors_are_sorted);
    return check_report();
}
