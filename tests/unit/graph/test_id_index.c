/*
 * From ids of a heap dump to nodes: ids in the order of their places and in any other, close
 * together and far apart, some of them twice.
 */
#include "check.h"
#include "graphs/drawn_graph.h"
#include "memory/drawn_heap.h"
#include "snapshot/id_index.h"

enum { MOST = 30000 };

static uint64_t ids[MOST], kept[MOST];
static uint32_t nodes[MOST], moves;

static void move(void *ctx, uint32_t from, uint32_t to) {
    (void)ctx;
    moves += from > to;
}

static void shuffle(uint32_t from, uint32_t to, uint64_t *random) {
    for (uint32_t i = to - 1; i > from; i--) {
        uint32_t other = from + (uint32_t)(drawn_random(random) % (i - from + 1));
        uint64_t id = ids[i];
        ids[i] = ids[other];
        ids[other] = id;
    }
}

/* Objects of 16 to 64 bytes, one behind the other. */
static void draw(uint32_t count, uint64_t *random) {
    uint64_t id = 0x700000000;
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = id;
        id += 16 + 8 * (drawn_random(random) % 7);
    }
}

static struct loupe_id_index index_of(uint32_t count) {
    struct loupe_id_index index;
    memcpy(kept, ids, count * sizeof(*ids));
    moves = 0;
    CHECK_EQ(loupe_id_index_init(&index, &drawn_chunks, kept, count, move, NULL), LOUPE_OK);
    return index;
}

/* Every id leads to a node that has it, none but those is found, and the list is in order. */
static void check_index(const struct loupe_id_index *index, uint32_t count) {
    uint32_t wrong = 0, node;
    for (uint32_t i = 0; i < count; i++) {
        wrong += !loupe_id_index_find(index, ids[i], &node) || node >= index->count ||
                 kept[node] != ids[i];
        wrong += loupe_id_index_find(index, ids[i] + 1, &node) && kept[node] != ids[i] + 1;
    }
    CHECK_EQ(wrong, 0);
    loupe_id_index_list(index, nodes);
    for (uint32_t i = 1; i < index->count; i++)
        wrong += kept[nodes[i - 1]] >= kept[nodes[i]];
    CHECK_EQ(wrong, 0);
}

static void test_pages_in_order_list_no_nodes(void) {
    uint64_t random = 3;
    draw(MOST, &random);
    struct loupe_id_index index = index_of(MOST);
    CHECK(index.pages && index.page_count > 20);
    CHECK_EQ(index.order_room, 0);
    check_index(&index, MOST);
    loupe_id_index_deinit(&index);
}

static void test_page_out_of_order_lists_its_nodes(void) {
    uint64_t random = 4;
    draw(MOST, &random);
    shuffle(5000, 5010, &random);
    struct loupe_id_index index = index_of(MOST);
    CHECK(index.order_room > 0 && index.order_room < MOST / 10);
    check_index(&index, MOST);
    loupe_id_index_deinit(&index);
}

static void test_pages_may_come_in_any_order(void) {
    uint64_t random = 5;
    draw(MOST, &random);
    shuffle(0, MOST, &random);
    struct loupe_id_index index = index_of(MOST);
    CHECK(index.pages);
    check_index(&index, MOST);
    loupe_id_index_deinit(&index);
}

static void test_first_of_equal_ids_keeps_its_node(void) {
    uint64_t random = 6;
    draw(MOST, &random);
    for (uint32_t i = 100; i < MOST; i += 100)
        ids[i] = ids[i - 50];
    struct loupe_id_index index = index_of(MOST);
    CHECK_EQ(index.count, MOST - (MOST / 100 - 1));
    CHECK_EQ(moves, MOST - MOST / 100 - 99);
    check_index(&index, MOST);
    loupe_id_index_deinit(&index);
}

static void test_ids_far_apart_are_sorted(void) {
    uint64_t random = 7;
    for (uint32_t i = 0; i < MOST; i++)
        ids[i] = drawn_random(&random) | 1;
    ids[7] = ids[6];
    struct loupe_id_index index = index_of(MOST);
    CHECK(!index.pages);
    CHECK_EQ(index.count, MOST - 1);
    check_index(&index, MOST);
    loupe_id_index_deinit(&index);
}

static void test_no_ids_at_all(void) {
    uint32_t node;
    struct loupe_id_index index = index_of(0);
    CHECK(!loupe_id_index_find(&index, 8, &node));
    loupe_id_index_list(&index, nodes);
    loupe_id_index_deinit(&index);
}

static void test_every_failed_chunk_is_told_and_nothing_is_kept(void) {
    uint64_t random = 8, fail_at = 1;
    enum loupe_status status = LOUPE_ENOMEM;
    draw(MOST, &random);
    for (; status == LOUPE_ENOMEM; fail_at++) {
        struct drawn_failing_chunks state = {.fail_at = fail_at};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        struct loupe_id_index index;
        memcpy(kept, ids, sizeof(kept));
        status = loupe_id_index_init(&index, &chunks, kept, MOST, move, NULL);
        if (!status)
            loupe_id_index_deinit(&index);
    }
    CHECK_EQ(status, LOUPE_OK);
    CHECK(fail_at > 5);
}

int main(void) {
    RUN(test_pages_in_order_list_no_nodes);
    RUN(test_page_out_of_order_lists_its_nodes);
    RUN(test_pages_may_come_in_any_order);
    RUN(test_first_of_equal_ids_keeps_its_node);
    RUN(test_ids_far_apart_are_sorted);
    RUN(test_no_ids_at_all);
    RUN(test_every_failed_chunk_is_told_and_nothing_is_kept);
    return check_report();
}
