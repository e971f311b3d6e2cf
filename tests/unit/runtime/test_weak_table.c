/* The table of weak references of libobjc2: which memory it is, and where its keys are. */
#include "check.h"
#include "objects/drawn_gnu.h"
#include "runtime/abi.h"

enum { BUCKETS = 131, STRIDE = 24, USED = 0, UNUSED = 0xffff, LAST = 1 << 16, LATER = 7 };

static loupe_addr object, record, table;

static void put_bucket(unsigned number, uint64_t marks, loupe_addr key, loupe_addr value) {
    loupe_addr bucket = table + number * STRIDE;
    drawn_put_word(&gnu_heap, bucket, marks);
    drawn_put_word(&gnu_heap, bucket + 8, key);
    drawn_put_word(&gnu_heap, bucket + 16, value);
}

/* One object that is referenced weakly, and the table that says so, with words behind it. */
static void draw(void) {
    gnu_open_heap(GNUSTEP2);
    object = gnu_put_object(gnu_put_class("Owner", gnu_put_root(), 8, NULL, 0), 8);
    drawn_put_word(&gnu_heap, object - 8, (uint64_t)1 << 63);
    record = drawn_alloc(&gnu_heap, 24);
    drawn_put_word(&gnu_heap, record, drawn_alloc(&gnu_heap, 8));
    drawn_put_word(&gnu_heap, record + 8, object);
    drawn_put_word(&gnu_heap, record + 16, 1);
    table = drawn_alloc(&gnu_heap, BUCKETS * STRIDE + 8);
    for (unsigned i = 0; i < BUCKETS; i++)
        put_bucket(i, UNUSED | (i == BUCKETS - 1 ? LAST : 0), 0, 0);
    put_bucket(LATER, USED, object, record);
}

/* How many keys it has; 0: it is no table. */
static uint32_t keys_in(size_t size) {
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_weak_keys keys = {.count = 0};
    struct loupe_range range = {.start = table, .end = table + size};
    drawn_memory(&gnu_heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    bool is_table =
        CHECK(!loupe_abi_detect(&target, NULL)) && target.abi->weak_table(&target, range, &keys);
    if (is_table) {
        CHECK_EQ(keys.first, table + 8);
        CHECK_EQ(keys.stride, STRIDE);
    }
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return is_table ? keys.count : 0;
}

static void test_table_ends_at_its_last_bucket(void) {
    draw();
    CHECK_EQ(keys_in(BUCKETS * STRIDE), BUCKETS);
    CHECK_EQ(keys_in(BUCKETS * STRIDE + 8), BUCKETS);
    gnu_close_heap();
}

static void test_table_without_an_end_is_none(void) {
    draw();
    CHECK_EQ(keys_in((BUCKETS - 1) * STRIDE), 0);
    put_bucket(BUCKETS - 1, UNUSED, 0, 0);
    CHECK_EQ(keys_in(BUCKETS * STRIDE), 0);
    gnu_close_heap();
}

/* An object and a weak reference to it may stand side by side in a struct of anybody's. */
static void test_few_buckets_are_no_table(void) {
    draw();
    put_bucket(LATER, USED | LAST, object, record);
    CHECK_EQ(keys_in(BUCKETS * STRIDE), 0);
    gnu_close_heap();
}

static void test_each_bucket_must_name_the_object_of_its_record(void) {
    static const uint64_t wrong_marks[] = {0x8000, 2 << 16};
    draw();
    put_bucket(LATER, USED, object + 8, record);
    CHECK_EQ(keys_in(BUCKETS * STRIDE), 0);
    put_bucket(LATER, USED, object, record + 8);
    CHECK_EQ(keys_in(BUCKETS * STRIDE), 0);
    for (unsigned i = 0; i < 2; i++) {
        put_bucket(LATER, wrong_marks[i], object, record);
        CHECK_EQ(keys_in(BUCKETS * STRIDE), 0);
    }
    put_bucket(LATER, UNUSED, object, record);
    CHECK_EQ(keys_in(BUCKETS * STRIDE), 0);
    gnu_close_heap();
}

int main(void) {
    RUN(test_table_ends_at_its_last_bucket);
    RUN(test_table_without_an_end_is_none);
    RUN(test_few_buckets_are_no_table);
    RUN(test_each_bucket_must_name_the_object_of_its_record);
    return check_report();
}
