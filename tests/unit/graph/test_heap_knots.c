/*
 * Knots of whole heaps, the leak roots of what is garbage, and totals by class, against their
 * definitions.
 */
#include "analysis/heap_rings.h"
#include "analysis/dominators/histogram.h"
#include "analysis/size_model.h"
#include "check.h"
#include "graphs/drawn_columns.h"
#include "graphs/drawn_graph.h"

#include <stdlib.h>

static struct drawn_columns drawn;
static const loupe_link_kinds strong = LOUPE_ALL_LINKS & ~(1u << LOUPE_LINK_WEAK);

static void draw(const char *picture) {
    drawn_columns_init(&drawn);
    drawn_columns_draw(&drawn, picture);
    drawn_columns_build(&drawn);
}

/* ---- Knots ---- */

static void check_knot(const struct loupe_heap_knots *knots, const char *node, uint32_t want) {
    CHECK_EQ(knots->of[drawn_columns_node(&drawn, node)], want);
}

static void test_knots_are_numbered_by_their_lowest_node(void) {
    struct loupe_heap_knots knots;
    draw("A->B B->C C->B D->D C->D E->F F->E D->F A~>A");
    CHECK_EQ(loupe_heap_knots_find(&drawn.columns, strong, NULL, &drawn_chunks, &knots), LOUPE_OK);
    CHECK_EQ(knots.count, 3);
    check_knot(&knots, "A", LOUPE_NO_KNOT);
    check_knot(&knots, "B", 0);
    check_knot(&knots, "C", 0);
    check_knot(&knots, "D", 1);
    check_knot(&knots, "F", 2);
    CHECK_EQ(knots.first[2], drawn_columns_node(&drawn, "E"));
    loupe_heap_knots_deinit(&knots);
    drawn_columns_deinit(&drawn);
}

enum { MOST_NODES = 40 };

/* By one link or more, not through what is outside. */
static void close_over(bool leads[MOST_NODES][MOST_NODES], const struct loupe_marks *outside) {
    const struct loupe_columns *c = &drawn.columns;
    memset(leads, 0, sizeof(bool) * MOST_NODES * MOST_NODES);
    for (uint32_t node = 0; node < c->nodes; node++) {
        for (uint32_t link = c->first[node]; link < c->first[node + 1]; link++)
            leads[node][c->to[link]] |= c->kinds[link] != LOUPE_LINK_WEAK &&
                                        !loupe_is_marked(outside, node) &&
                                        !loupe_is_marked(outside, c->to[link]);
    }
    for (uint32_t via = 0; via < c->nodes; via++) {
        for (uint32_t from = 0; from < c->nodes; from++) {
            for (uint32_t to = 0; leads[from][via] && to < c->nodes; to++)
                leads[from][to] |= leads[via][to];
        }
    }
}

static bool knots_are_right(const struct loupe_heap_knots *knots,
                            bool leads[MOST_NODES][MOST_NODES]) {
    bool right = true;
    for (uint32_t a = 0; a < drawn.nodes; a++) {
        right &= (knots->of[a] != LOUPE_NO_KNOT) == leads[a][a];
        for (uint32_t b = 0; b < a; b++) {
            bool together = knots->of[a] != LOUPE_NO_KNOT && knots->of[a] == knots->of[b];
            right &= together == (leads[a][b] && leads[b][a]);
        }
    }
    return right;
}

/* A head is garbage that no other garbage leads to, but what it leads to itself. */
static bool leak_roots_are_right(const struct loupe_leak_roots *leak_roots,
                                 const struct loupe_marks *alive,
                                 bool leads[MOST_NODES][MOST_NODES]) {
    uint32_t listed = 0;
    for (uint32_t node = 0; node < drawn.nodes; node++) {
        bool is_leak_root = !loupe_is_marked(alive, node);
        for (uint32_t other = 0; other < drawn.nodes; other++) {
            is_leak_root &= other == node || !leads[other][node] || leads[node][other];
            is_leak_root &= other >= node || !leads[other][node] || !leads[node][other];
        }
        if (is_leak_root && (listed == leak_roots->count || leak_roots->nodes[listed++] != node))
            return false;
    }
    return listed == leak_roots->count;
}

static void test_knots_and_heads_on_random_heaps(void) {
    static bool leads[MOST_NODES][MOST_NODES];
    uint64_t random = 3;
    uint32_t wrong = 0;
    drawn_columns_init(&drawn);
    for (uint32_t i = 0; i < 5000; i++) {
        struct loupe_marks alive;
        struct loupe_amount amount;
        struct loupe_leak_roots leak_roots;
        drawn_columns_random(&drawn, &random, MOST_NODES);
        drawn.root_count /= 2;
        drawn_columns_build(&drawn);
        CHECK_EQ(loupe_marks_init(&alive, &drawn_chunks, drawn.nodes), LOUPE_OK);
        CHECK_EQ(loupe_reach(&drawn.columns, strong, &alive, &amount), LOUPE_OK);
        CHECK_EQ(loupe_leak_roots_find(&drawn.columns, strong, &alive, &drawn_chunks, &leak_roots),
                 LOUPE_OK);
        close_over(leads, &alive);
        wrong += !knots_are_right(&leak_roots.knots, leads);
        wrong += !leak_roots_are_right(&leak_roots, &alive, leads);
        loupe_leak_roots_deinit(&leak_roots);
        loupe_marks_deinit(&alive);
    }
    CHECK_EQ(wrong, 0);
    drawn_columns_deinit(&drawn);
}

/* ---- Rings ---- */

/* Of the shortest ring through a node: breadth first, level by level. */
static uint32_t shortest_ring(uint32_t through) {
    const struct loupe_columns *c = &drawn.columns;
    bool met[MOST_NODES] = {false}, next[MOST_NODES];
    met[through] = true;
    for (uint32_t length = 1; length <= c->nodes; length++) {
        memcpy(next, met, sizeof(next));
        for (uint32_t node = 0; node < c->nodes; node++) {
            for (uint32_t link = c->first[node]; met[node] && link < c->first[node + 1]; link++) {
                if (c->kinds[link] == LOUPE_LINK_WEAK)
                    continue;
                if (c->to[link] == through)
                    return length;
                next[c->to[link]] = true;
            }
        }
        memcpy(met, next, sizeof(met));
    }
    return 0;
}

static bool leads(uint32_t from, uint32_t to) {
    const struct loupe_columns *c = &drawn.columns;
    for (uint32_t link = c->first[from]; link < c->first[from + 1]; link++) {
        if (c->to[link] == to && c->kinds[link] != LOUPE_LINK_WEAK)
            return true;
    }
    return false;
}

static bool ring_is_right(const struct loupe_heap_knots *knots,
                          const struct loupe_heap_rings *rings, uint32_t knot) {
    uint32_t nodes[MOST_NODES], length = rings->of[knot].length, members = 0;
    loupe_heap_ring_nodes(rings, knot, nodes);
    bool right = nodes[0] == knots->first[knot] && length == shortest_ring(nodes[0]);
    for (uint32_t i = 0; i < length; i++)
        right &= leads(nodes[i], nodes[(i + 1) % length]);
    for (uint32_t node = 0; node < drawn.nodes; node++)
        members += knots->of[node] == knot;
    return right && rings->of[knot].objects == members;
}

static void test_rings_on_random_heaps(void) {
    uint64_t random = 11;
    uint32_t wrong = 0;
    drawn_columns_init(&drawn);
    for (uint32_t i = 0; i < 5000; i++) {
        struct loupe_heap_knots knots;
        struct loupe_heap_rings rings;
        drawn_columns_random(&drawn, &random, MOST_NODES);
        drawn_columns_build(&drawn);
        CHECK_EQ(loupe_heap_knots_find(&drawn.columns, strong, NULL, &drawn_chunks, &knots),
                 LOUPE_OK);
        CHECK_EQ(loupe_heap_rings_find(&drawn.columns, strong, &knots,
                                       (struct loupe_heap_likeness){0}, &drawn_chunks, &rings),
                 LOUPE_OK);
        for (uint32_t knot = 0; knot < knots.count; knot++)
            wrong += !ring_is_right(&knots, &rings, knot);
        loupe_heap_rings_deinit(&rings);
        loupe_heap_knots_deinit(&knots);
    }
    CHECK_EQ(wrong, 0);
    drawn_columns_deinit(&drawn);
}

/* ---- What hangs on leak roots ---- */

static void test_what_heads_keep_is_told_by_dominators(void) {
    struct loupe_marks alive;
    struct loupe_amount amount;
    struct loupe_leak_roots leak_roots;
    struct loupe_dominators found;
    draw(">R R->S  L->M M->S M->X  P->Q Q->P Q->T Q->X T=50 S=1000");
    CHECK_EQ(loupe_marks_init(&alive, &drawn_chunks, drawn.nodes), LOUPE_OK);
    CHECK_EQ(loupe_reach(&drawn.columns, strong, &alive, &amount), LOUPE_OK);
    CHECK_EQ(amount.bytes, 1001);
    CHECK_EQ(loupe_leak_roots_find(&drawn.columns, strong, &alive, &drawn_chunks, &leak_roots),
             LOUPE_OK);
    CHECK_EQ(leak_roots.count, 2);
    struct loupe_columns from_leak_roots = drawn.columns;
    from_leak_roots.roots = leak_roots.nodes;
    from_leak_roots.root_count = leak_roots.count;
    struct loupe_dominator_options options = {.kinds = strong, .outside = &alive};
    CHECK_EQ(loupe_dominators_find(&from_leak_roots, &options, &drawn_chunks, &found), LOUPE_OK);
    CHECK_EQ(found.retained[drawn_columns_node(&drawn, "L")], 2);
    CHECK_EQ(found.retained[drawn_columns_node(&drawn, "P")], 52);
    CHECK_EQ(found.immediate[drawn_columns_node(&drawn, "X")], drawn.nodes);
    CHECK_EQ(found.immediate[drawn_columns_node(&drawn, "S")], LOUPE_NO_NODE);
    loupe_dominators_deinit(&found);
    loupe_leak_roots_deinit(&leak_roots);
    loupe_marks_deinit(&alive);
    drawn_columns_deinit(&drawn);
}

static void test_long_ring(void) {
    enum { LONG = 200000 };
    struct loupe_heap_knots knots;
    drawn_columns_init(&drawn);
    drawn_columns_add_nodes(&drawn, LONG);
    for (uint32_t node = 0; node < LONG; node++)
        drawn_columns_link(&drawn, node, (node + 1) % LONG, LOUPE_LINK_STRONG);
    drawn_columns_build(&drawn);
    CHECK_EQ(loupe_heap_knots_find(&drawn.columns, strong, NULL, &drawn_chunks, &knots), LOUPE_OK);
    CHECK_EQ(knots.count, 1);
    CHECK_EQ(knots.of[LONG - 1], 0);
    loupe_heap_knots_deinit(&knots);
    drawn_columns_deinit(&drawn);
}

/* ---- By class ---- */

static void test_class_counts_what_its_objects_retain_once(void) {
    struct loupe_dominators found;
    struct loupe_class_total totals[3];
    struct loupe_dominator_options options = {.kinds = strong};
    draw(">A A->B B->C C->D >E E->F A=10 B=20 C=30 D=40 E=5 F=6 G=7 G->A");
    uint32_t classes[] = {0, 1, 0, 2, 0, 1, 2};
    CHECK_EQ(loupe_dominators_find(&drawn.columns, &options, &drawn_chunks, &found), LOUPE_OK);
    loupe_histogram_count(&drawn.columns, classes, NULL, 3, totals);
    CHECK_EQ(loupe_histogram_add_retained(&found, classes, 3, &drawn_chunks, totals), LOUPE_OK);
    CHECK_EQ(totals[0].count, 3);
    CHECK_EQ(totals[0].bytes, 45);
    CHECK_EQ(totals[0].retained, 111); /* all of A, all of E; C is in A */
    CHECK_EQ(totals[1].retained, 96);
    CHECK_EQ(totals[2].count, 2);
    CHECK_EQ(totals[2].bytes, 47);
    CHECK_EQ(totals[2].retained, 40); /* G is garbage */
    loupe_dominators_deinit(&found);
    drawn_columns_deinit(&drawn);
}

/* ---- Sizes ---- */

static void test_sizes_as_virtual_machines_have_them(void) {
    const struct loupe_size_model *model = loupe_size_model_of(false, 8, 4);
    CHECK_EQ(loupe_size_of_instance(model, 0, 0, 0), 16);  /* java.lang.Object */
    CHECK_EQ(loupe_size_of_instance(model, 0, 4, 0), 16);  /* java.lang.Integer */
    CHECK_EQ(loupe_size_of_instance(model, 0, 8, 0), 24);  /* java.lang.Long */
    CHECK_EQ(loupe_size_of_instance(model, 3, 4, 40), 32); /* java.util.HashMap.Node */
    CHECK_EQ(loupe_size_of_array(model, 0, 3), 32);
    CHECK_EQ(loupe_size_of_array(model, 1, 1), 24);
    CHECK_EQ(loupe_size_of_array(model, 8, 2), 32);
    CHECK_EQ(loupe_size_of_array(loupe_size_model_of(false, 4, 4), 8, 2), 32);
    CHECK_EQ(loupe_size_of_array(loupe_size_model_of(true, 4, 4), 2, 3), 24);
    CHECK_EQ(loupe_size_of_instance(loupe_size_model_of(true, 4, 4), 9, 9, 20), 24);
    CHECK_EQ(loupe_size_of_class(loupe_size_model_of_visualvm(false, 8, 4), 4, 0), 0);
    CHECK_EQ(loupe_size_of_array(model, 8, UINT32_MAX), 8 * (uint64_t)UINT32_MAX + 16);
}

/* ---- Memory that runs out ---- */

static bool is_odd(const void *ctx, uint32_t node) {
    (void)ctx;
    return node % 2;
}

static enum loupe_status do_all(const struct loupe_chunk_ops *chunks) {
    static const uint32_t classes[8];
    struct loupe_class_total totals[1];
    struct loupe_marks alive;
    struct loupe_leak_roots leak_roots;
    struct loupe_dominators found;
    struct loupe_amount amount;
    uint32_t node = 1;
    struct loupe_node_set set = {.nodes = &node, .count = 1};
    enum loupe_status status = loupe_retained_by_set(&drawn.columns, strong, &set, chunks, &amount);
    if (status || (status = loupe_marks_init(&alive, chunks, drawn.nodes)))
        return status;
    status = loupe_reach(&drawn.columns, strong, &alive, &amount);
    if (!status)
        status = loupe_leak_roots_find(&drawn.columns, strong, &alive, chunks, &leak_roots);
    loupe_marks_deinit(&alive);
    if (status)
        return status;
    loupe_leak_roots_deinit(&leak_roots);
    status = loupe_dominators_by_policy(&drawn.columns, loupe_link_policy_named("visualvm"), chunks,
                                        &found);
    if (status)
        return status;
    status = loupe_histogram_add_retained(&found, classes, 1, chunks, totals);
    if (!status)
        status = loupe_dominators_count_apart(
            &found, &(struct loupe_others){.ctx = NULL, .has = is_odd}, chunks);
    loupe_dominators_deinit(&found);
    return status;
}

static void test_every_failed_chunk_is_told_and_nothing_is_kept(void) {
    draw(">A A->B B->C C->B D->E E->D E->A");
    enum loupe_status status = LOUPE_ENOMEM;
    for (uint32_t fail_at = 1; status && fail_at < 100; fail_at++) {
        struct drawn_failing_chunks state = {.fail_at = fail_at};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        status = do_all(&chunks);
        CHECK_EQ(state.outstanding, 0);
    }
    CHECK_EQ(status, LOUPE_OK);
    drawn_columns_deinit(&drawn);
}

static void test_columns_of_a_file_are_checked(void) {
    draw(">A A->B B->A");
    CHECK(loupe_columns_are_valid(&drawn.columns));
    uint32_t to[] = {1, 2}, first[] = {0, 3, 2}, root = 2;
    uint8_t kinds[] = {0, LOUPE_LINK_KIND_COUNT};
    struct loupe_columns bad = drawn.columns;
    bad.to = to;
    CHECK(!loupe_columns_are_valid(&bad));
    bad = drawn.columns;
    bad.first = first;
    CHECK(!loupe_columns_are_valid(&bad));
    bad = drawn.columns;
    bad.kinds = kinds;
    CHECK(!loupe_columns_are_valid(&bad));
    bad = drawn.columns;
    bad.roots = &root;
    CHECK(!loupe_columns_are_valid(&bad));
    drawn_columns_deinit(&drawn);
}

int main(void) {
    RUN(test_knots_are_numbered_by_their_lowest_node);
    RUN(test_knots_and_heads_on_random_heaps);
    RUN(test_rings_on_random_heaps);
    RUN(test_what_heads_keep_is_told_by_dominators);
    RUN(test_long_ring);
    RUN(test_class_counts_what_its_objects_retain_once);
    RUN(test_sizes_as_virtual_machines_have_them);
    RUN(test_every_failed_chunk_is_told_and_nothing_is_kept);
    RUN(test_columns_of_a_file_are_checked);
    return check_report();
}
