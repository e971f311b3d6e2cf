/*
 * Fingerprints are part of the protocol: values that were worked out by another program from the
 * description in docs/protocol.md stand here, so that they never change unnoticed.
 */
#include "graphs/brute_force.h"
#include "check.h"
#include "cycles/knots/fingerprint.h"

static struct drawn_graph drawn;
static struct loupe_arena arena;
static struct loupe_cycles cycles;

/* What all blocks run; NULL: nobody can tell. */
static const char *function;

static bool function_of(void *ctx, const struct loupe_graph *graph, uint32_t node, uint64_t *id_ret,
                        char *dst, size_t cap) {
    (void)ctx;
    CHECK_EQ(loupe_node_kind(loupe_graph_node(graph, node)), LOUPE_NODE_BLOCK);
    *id_ret = 1;
    loupe_format(dst, cap, "%s", function);
    return *function;
}

static void open_drawing(void) {
    struct loupe_cycles_options options = {.max_rings = 3};
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    loupe_arena_init(&arena, &drawn_chunks);
    drawn.describer.block_function = function ? function_of : NULL;
    CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &cycles),
             LOUPE_OK);
}

static void close_drawing(void) {
    loupe_arena_deinit(&arena);
    drawn_graph_unbuild(&drawn);
}

struct fingerprints {
    uint64_t knot, ring, older_knot, older_ring;
};

/* Of the picture's first knot and its first ring. */
static struct fingerprints fingerprints_of(const char *picture) {
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    open_drawing();
    struct fingerprints found = {
        cycles.knots[0].fingerprint, cycles.knots[0].rings.items[0].fingerprint,
        cycles.knots[0].older_fingerprint, cycles.knots[0].rings.items[0].older_fingerprint};
    close_drawing();
    drawn_graph_deinit(&drawn);
    return found;
}

static void check_same(const char *a, const char *b) {
    struct fingerprints x = fingerprints_of(a), y = fingerprints_of(b);
    CHECK_EQ(x.knot, y.knot);
    CHECK_EQ(x.ring, y.ring);
}

static void check_different(const char *a, const char *b) {
    struct fingerprints x = fingerprints_of(a), y = fingerprints_of(b);
    CHECK(x.knot != y.knot);
    CHECK(x.ring != y.ring);
}

static struct fingerprints fingerprints_with(const char *name, const char *picture) {
    function = name;
    struct fingerprints found = fingerprints_of(picture);
    function = NULL;
    return found;
}

/* A ring through a block is told by what the block runs; older baselines still know it. */
static void test_blocks_of_two_places_are_two_bugs(void) {
    static const char picture[] = "A._handler->block block{self}->A";
    struct fingerprints plain = fingerprints_of(picture), one = fingerprints_with("one", picture),
                        other = fingerprints_with("other", picture),
                        stripped = fingerprints_with("", picture);
    CHECK(one.knot != other.knot && one.ring != other.ring);
    CHECK(one.knot != plain.knot && one.ring != plain.ring);
    CHECK_EQ(stripped.knot, plain.knot);
    CHECK_EQ(stripped.ring, plain.ring);
    CHECK_EQ(plain.older_knot, plain.knot);
    CHECK_EQ(one.older_knot, plain.knot);
    CHECK_EQ(other.older_ring, plain.ring);
    CHECK_EQ(fingerprints_with("one", picture).knot, one.knot);
    struct fingerprints two = fingerprints_with("one", "A.h->block block{self}->A A.b->B B.a->A");
    CHECK(two.older_knot != two.knot);
    CHECK_EQ(fingerprints_with("one", "A.b->B B.a->A").knot, fingerprints_of("A.b->B B.a->A").knot);
}

static void test_known_values(void) {
    struct fingerprints found = fingerprints_of("A._handler->block block{self}->A");
    CHECK_EQ(found.ring, 0x0ef797ed364c47b8);
    CHECK_EQ(found.knot, 0xa10b0d450eb331ae);
    found = fingerprints_of("S.a->Owner Owner._items->list list:NSMutableArray list[3]->Item "
                            "Item.st.owner->Owner");
    CHECK_EQ(found.ring, 0xb9b85b0a992dcc04);
    CHECK_EQ(found.knot, 0xdc8dc8fdb9ce6eb4);
}

static void test_start_of_the_ring_does_not_matter(void) {
    check_same("A.b->B B.c->C C.a->A", "B.c->C C.a->A A.b->B");
    check_same("A.b->B B.c->C C.a->A", "S.c->C C.a->A A.b->B B.c->C");
}

static void test_number_of_the_element_does_not_matter(void) {
    check_same("A.list->L L[0]->A", "A.list->L L[7]->A");
}

static void test_names_of_nodes_do_not_matter(void) {
    check_same("x:A y:B x.b->y y.a->x", "A.b->B B.a->A");
}

/* Which debug information alone tells. */
static void test_name_of_a_captured_variable_does_not_matter(void) {
    check_same("A.h->block block{self}->A", "A.h->block block{slot.owner}->A");
}

static void test_class_path_and_kind_matter(void) {
    check_different("A.b->B B.a->A", "A.b->C C.a->A");
    check_different("A.b->B B.a->A", "A.b->B B.c->A");
    check_different("A.b->B B.a->A", "A.b->B B@a->A");
    check_different("A.b->B B[0]->A", "A.b->B B=>A");
}

static void test_border_between_class_and_path_matters(void) {
    check_different("A.b->BC BC.a->A", "A.bB->C C.a->A");
}

static void test_length_of_a_ring_matters_to_the_ring_only(void) {
    struct fingerprints two = fingerprints_of("a:N b:N a.next->b b.next->a");
    struct fingerprints three = fingerprints_of("a:N b:N c:N a.next->b b.next->c c.next->a");
    CHECK(two.ring != three.ring);
    CHECK_EQ(two.knot, three.knot);
}

static void test_least_rotation_of_random_sequences(void) {
    uint64_t random = 8;
    for (unsigned round = 0; round < 20000; round++) {
        uint64_t numbers[12];
        uint32_t count = 1 + (uint32_t)(drawn_random(&random) % 12), best = 0;
        for (uint32_t i = 0; i < count; i++)
            numbers[i] = drawn_random(&random) % 3;
        for (uint32_t start = 1; start < count; start++) {
            uint32_t i = 0;
            while (i < count && numbers[(start + i) % count] == numbers[(best + i) % count])
                i++;
            if (i < count && numbers[(start + i) % count] < numbers[(best + i) % count])
                best = start;
        }
        uint32_t got = loupe_least_rotation(numbers, count);
        CHECK(got < count);
        for (uint32_t i = 0; i < count; i++)
            CHECK_EQ(numbers[(got + i) % count], numbers[(best + i) % count]);
    }
}

static void test_text_is_16_lower_case_digits(void) {
    char text[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(0x00ab0000000000cd, text);
    CHECK_STR(text, "00ab0000000000cd");
}

/* Sums over knots and rings, which have no order. */
static void add_up(struct fingerprints *ret) {
    *ret = (struct fingerprints){0};
    for (uint32_t i = 0; i < cycles.knot_count; i++) {
        ret->knot += cycles.knots[i].fingerprint;
        for (uint32_t j = 0; j < cycles.knots[i].rings.count; j++)
            ret->ring += cycles.knots[i].rings.items[j].fingerprint;
    }
}

static void test_addresses_and_order_of_ivars_do_not_matter(void) {
    uint64_t random = 9;
    for (unsigned round = 0; round < 2000; round++) {
        struct fingerprints before, after;
        drawn_graph_init(&drawn);
        brute_draw(&drawn, &random, 10);
        open_drawing();
        add_up(&before);
        close_drawing();
        brute_shuffle_addresses(&drawn, &random);
        brute_shuffle_edges(&drawn, &random);
        open_drawing();
        add_up(&after);
        CHECK_EQ(after.knot, before.knot);
        CHECK_EQ(after.ring, before.ring);
        close_drawing();
        drawn_graph_deinit(&drawn);
    }
}

static void test_ivars_of_many_instances_are_named_once(void) {
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i < 500; i++)
        drawn_graph_add_node(&drawn, "n", "Node");
    for (uint32_t i = 0; i < 500; i++)
        drawn_graph_add_edge(&drawn, i, (i + 1) % 500, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_next");
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    struct loupe_knots knots;
    struct loupe_knot knot = {0};
    uint64_t fingerprint;
    CHECK_EQ(loupe_knots_find(&drawn.graph, &drawn_chunks, &knots), LOUPE_OK);
    CHECK(loupe_knots_next(&knots, &knot));
    struct loupe_knot_namer namer;
    loupe_knot_namer_init(&namer, &knots, &drawn.describer);
    CHECK_EQ(loupe_fingerprint_knot(&namer, &knot, &fingerprint), LOUPE_OK);
    CHECK_EQ(drawn.labels, 1);
    loupe_knot_namer_deinit(&namer);
    loupe_knots_deinit(&knots);
    drawn_graph_deinit(&drawn);
}

/* Rings of two nodes, of which every third holds by another ivar; and what each is called alone. */
static void test_ivars_of_many_knots_are_named_once(void) {
    enum { KNOTS = 300 };
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i < 2 * KNOTS; i++)
        drawn_graph_add_node(&drawn, "n", i % 2 ? "Child" : "Parent");
    for (uint32_t i = 0; i < KNOTS; i++) {
        drawn_graph_add_edge(&drawn, 2 * i, 2 * i + 1, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_child");
        drawn_graph_add_edge(&drawn, 2 * i + 1, 2 * i, LOUPE_EDGE_IVAR, LOUPE_STRONG,
                             i % 3 ? "_parent" : "_owner");
        if (i + 1 < KNOTS)
            drawn_graph_add_edge(&drawn, 2 * i, 2 * i + 2, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_next");
    }
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    struct loupe_knots knots;
    struct loupe_knot knot = {0};
    struct loupe_knot_namer namer;
    uint64_t together[KNOTS], alone;
    uint32_t count = 0;
    CHECK_EQ(loupe_knots_find(&drawn.graph, &drawn_chunks, &knots), LOUPE_OK);
    loupe_knot_namer_init(&namer, &knots, &drawn.describer);
    while (loupe_knots_next(&knots, &knot) && count < KNOTS)
        CHECK_EQ(loupe_fingerprint_knot(&namer, &knot, &together[count++]), LOUPE_OK);
    CHECK_EQ(count, KNOTS);
    CHECK_EQ(drawn.labels, 3);
    loupe_knot_namer_deinit(&namer);
    knot = (struct loupe_knot){0};
    for (uint32_t i = 0; loupe_knots_next(&knots, &knot); i++) {
        loupe_knot_namer_init(&namer, &knots, &drawn.describer);
        CHECK_EQ(loupe_fingerprint_knot(&namer, &knot, &alone), LOUPE_OK);
        CHECK_EQ(together[i], alone);
        CHECK((together[i] == together[1]) == (i % 3 != 0));
        loupe_knot_namer_deinit(&namer);
    }
    loupe_knots_deinit(&knots);
    drawn_graph_deinit(&drawn);
}

int main(void) {
    RUN(test_known_values);
    RUN(test_blocks_of_two_places_are_two_bugs);
    RUN(test_start_of_the_ring_does_not_matter);
    RUN(test_number_of_the_element_does_not_matter);
    RUN(test_names_of_nodes_do_not_matter);
    RUN(test_name_of_a_captured_variable_does_not_matter);
    RUN(test_class_path_and_kind_matter);
    RUN(test_border_between_class_and_path_matters);
    RUN(test_length_of_a_ring_matters_to_the_ring_only);
    RUN(test_least_rotation_of_random_sequences);
    RUN(test_text_is_16_lower_case_digits);
    RUN(test_addresses_and_order_of_ivars_do_not_matter);
    RUN(test_ivars_of_many_instances_are_named_once);
    RUN(test_ivars_of_many_knots_are_named_once);
    return check_report();
}
