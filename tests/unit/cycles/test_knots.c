/* All knots and nothing else: drawn cases, then thousands of random graphs against the oracle. */
#include "graphs/brute_force.h"
#include "check.h"

static struct drawn_graph drawn;
static struct loupe_knots knots;

static void find_knots(const struct loupe_graph *graph) {
    CHECK_EQ(loupe_knots_find(graph, &drawn_chunks, &knots), LOUPE_OK);
}

static void open_picture(const char *picture) {
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    CHECK(loupe_graph_is_valid(&drawn.graph));
    find_knots(&drawn.graph);
}

static void close_picture(void) {
    loupe_knots_deinit(&knots);
    drawn_graph_deinit(&drawn);
}

/* The members of all knots by name, in their order: "A B, C D". */
static void check_knots(const char *picture, const char *want) {
    static char text[1024];
    size_t length = 0;
    open_picture(picture);
    struct loupe_knot knot = {0};
    text[0] = '\0';
    while (loupe_knots_next(&knots, &knot)) {
        for (uint32_t i = 0; i < knot.count; i++) {
            uint32_t node = loupe_knot_member(&knots, &knot, i);
            length += loupe_format(text + length, sizeof(text) - length, "%s%s",
                                   i        ? " "
                                   : length ? ", "
                                            : "",
                                   drawn.nodes[drawn_graph_drawn(&drawn, node)].name);
        }
    }
    CHECK_STR(text, want);
    close_picture();
}

static void test_single_object_has_no_knot(void) {
    check_knots("A", "");
}

static void test_diamond_has_no_knot(void) {
    check_knots("A.b->B A.c->C B.d->D C.d->D", "");
}

static void test_reference_to_itself_is_a_knot(void) {
    check_knots("A.me->A", "A");
    check_knots("A.b->B B.me->B B.c->C", "B");
}

static void test_two_objects_are_a_knot(void) {
    check_knots("A.b->B B.a->A", "A B");
}

static void test_seed_outside_of_the_knot(void) {
    check_knots("S.a->A A.b->B B.c->C C.a->A", "A B C");
}

static void test_seed_knot_comes_first_then_by_distance(void) {
    check_knots("S.x->X S.a->A X.y->Y Y.x->X A.s->S", "S A, X Y");
    check_knots("S.x->X S.a->A X.y->Y Y.x->X A.me->A", "X Y, A");
}

static void test_knots_joined_in_one_direction_stay_two(void) {
    check_knots("A.b->B B.a->A B.c->C C.d->D D.c->C", "A B, C D");
}

static void test_rings_that_share_an_object_are_one_knot(void) {
    check_knots("A.b->B B.a->A B.c->C C.b->B", "A B C");
}

static void test_ring_closed_by_an_assumed_reference_is_a_knot(void) {
    check_knots("A.b->B B.a~>A", "A B");
}

static void test_hidden_reference_does_not_tie(void) {
    open_picture("A.b->B B.a->A B.me->B");
    loupe_knots_deinit(&knots);
    uint32_t b = drawn_graph_id(&drawn, "B");
    uint32_t first = loupe_graph_first_edge(&drawn.graph, b);
    loupe_graph_hide(&drawn.graph, first);
    find_knots(&drawn.graph);
    CHECK_EQ(knots.count, 1);
    CHECK_EQ(knots.knot_of[b], 0);
    CHECK_EQ(knots.knot_of[0], LOUPE_NO_KNOT);
    loupe_graph_hide(&drawn.graph, first + 1);
    loupe_knots_deinit(&knots);
    find_knots(&drawn.graph);
    CHECK_EQ(knots.count, 0);
    close_picture();
}

static void hide(const char *from, uint32_t place) {
    uint32_t node = drawn_graph_id(&drawn, from);
    loupe_graph_hide(&drawn.graph, loupe_graph_first_edge(&drawn.graph, node) + place);
}

/* V leads back to the seed, but the seed leads to V by hidden references only. */
static void test_way_back_to_the_seed_is_no_ring_when_the_way_there_is_hidden(void) {
    open_picture("S.a->A A.v->V V.s->S A.x->X X.y->Y Y.x->X");
    loupe_knots_deinit(&knots);
    hide("A", 0);
    find_knots(&drawn.graph);
    CHECK_EQ(knots.count, 1);
    CHECK_EQ(knots.knot_of[drawn_graph_id(&drawn, "V")], LOUPE_NO_KNOT);
    CHECK_EQ(knots.knot_of[drawn_graph_id(&drawn, "S")], LOUPE_NO_KNOT);
    CHECK_EQ(knots.knot_of[drawn_graph_id(&drawn, "X")], 0);
    close_picture();
    open_picture("S.v->V V.s->S S.me->S");
    loupe_knots_deinit(&knots);
    hide("S", 0);
    find_knots(&drawn.graph);
    CHECK_EQ(knots.knot_of[drawn_graph_id(&drawn, "S")], 0);
    CHECK_EQ(knots.knot_of[drawn_graph_id(&drawn, "V")], LOUPE_NO_KNOT);
    close_picture();
}

static void test_edges_inside_are_counted_with_parallel_ones(void) {
    open_picture("A.b->B A.c->B B.a~>A B.c->C A.me->A");
    struct loupe_knot knot = {0};
    CHECK(loupe_knots_next(&knots, &knot));
    struct loupe_knot_edges edges = loupe_knot_count_edges(&knots, &knot);
    CHECK_EQ(edges.inside, 4);
    CHECK_EQ(edges.assumed, 1);
    close_picture();
}

static void test_graph_without_nodes_has_no_knots(void) {
    struct loupe_findings findings = {0};
    struct loupe_graph graph;
    struct loupe_knot knot = {0};
    loupe_graph_init(&graph, &drawn_chunks, 0, &findings);
    CHECK_EQ(loupe_graph_freeze(&graph), LOUPE_OK);
    find_knots(&graph);
    CHECK(!loupe_knots_next(&knots, &knot));
    loupe_knots_deinit(&knots);
    loupe_graph_deinit(&graph);
}

/* ---- Random graphs ---- */

static void check_against_oracle(const struct brute_force *brute) {
    uint32_t found = 0;
    struct loupe_knot knot = {0};
    uint32_t previous = 0;
    while (loupe_knots_next(&knots, &knot)) {
        uint32_t first = loupe_knot_member(&knots, &knot, 0);
        CHECK_EQ(knot.number, found++);
        CHECK(found == 1 || first > previous);
        previous = first;
        uint32_t name = brute->knot_of[drawn_graph_drawn(&drawn, first)];
        uint32_t members = 0;
        uint64_t inside = 0;
        for (uint32_t i = 0; i < brute->nodes; i++) {
            members += brute->knot_of[i] == name;
            for (uint32_t j = 0; j < brute->nodes; j++)
                inside +=
                    brute->knot_of[i] == name && brute->knot_of[j] == name ? brute->edge[i][j] : 0;
        }
        CHECK(name != LOUPE_NO_NODE);
        CHECK_EQ(knot.count, members);
        CHECK_EQ(loupe_knot_count_edges(&knots, &knot).inside, inside);
        for (uint32_t i = 0; i < knot.count; i++) {
            uint32_t node = loupe_knot_member(&knots, &knot, i);
            CHECK_EQ(brute->knot_of[drawn_graph_drawn(&drawn, node)], name);
            CHECK_EQ(knots.knot_of[node], knot.number);
            CHECK(i == 0 || node > loupe_knot_member(&knots, &knot, i - 1));
        }
    }
    CHECK_EQ(found, knots.count);
    for (uint32_t i = 0; i < brute->nodes; i++) {
        uint32_t node = drawn_graph_id_of(&drawn, i);
        CHECK_EQ(node != LOUPE_NO_NODE, brute->reached[i]);
        if (brute->reached[i])
            CHECK_EQ(knots.knot_of[node] != LOUPE_NO_KNOT, brute->knot_of[i] != LOUPE_NO_NODE);
    }
}

/*
 * Hides some edges of what was built and draws the others anew, one number higher: node 0 is a seed
 * that holds all, because hidden edges may be the only way to an object.
 */
static void hide_some(struct drawn_graph *visible, uint64_t *random) {
    drawn_graph_init(visible);
    for (uint32_t i = 0; i <= drawn.node_count; i++)
        drawn_graph_add_node(visible, "n", "Node");
    for (uint32_t i = 1; i <= drawn.node_count; i++)
        drawn_graph_add_edge(visible, 0, i, LOUPE_EDGE_IVAR, LOUPE_STRONG, "x");
    for (uint32_t id = 0; id < loupe_graph_edge_count(&drawn.graph); id++) {
        uint32_t to = loupe_graph_target(&drawn.graph, id);
        uint32_t from = drawn_graph_drawn(&drawn, loupe_graph_source(&drawn.graph, id));
        if (drawn_random(random) % 4 == 0)
            loupe_graph_hide(&drawn.graph, id);
        else
            drawn_graph_add_edge(visible, 1 + from, 1 + drawn_graph_drawn(&drawn, to),
                                 LOUPE_EDGE_IVAR, LOUPE_STRONG, "x");
    }
}

static void test_random_hidden_edges_are_as_good_as_none(void) {
    static struct brute_force brute;
    uint64_t random = 14;
    for (unsigned round = 0; round < check_share(3000); round++) {
        struct drawn_graph visible;
        drawn_graph_init(&drawn);
        brute_draw(&drawn, &random, 12);
        CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
        hide_some(&visible, &random);
        brute_force(&visible, &brute);
        find_knots(&drawn.graph);
        for (uint32_t i = 0; i < drawn.node_count; i++) {
            uint32_t node = drawn_graph_id_of(&drawn, i), knot = knots.knot_of[node];
            CHECK_EQ(knot != LOUPE_NO_KNOT, brute.knot_of[1 + i] != LOUPE_NO_NODE);
            for (uint32_t j = 0; j < i && knot != LOUPE_NO_KNOT; j++)
                CHECK_EQ(knot == knots.knot_of[drawn_graph_id_of(&drawn, j)],
                         brute.knot_of[1 + i] == brute.knot_of[1 + j]);
        }
        drawn_graph_deinit(&visible);
        close_picture();
    }
}

static void test_random_graphs_have_the_knots_of_the_oracle(void) {
    static struct brute_force brute;
    uint64_t random = 1;
    for (unsigned round = 0; round < check_share(4000); round++) {
        drawn_graph_init(&drawn);
        brute_draw(&drawn, &random, BRUTE_NODES);
        brute_force(&drawn, &brute);
        CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
        CHECK(loupe_graph_is_valid(&drawn.graph));
        find_knots(&drawn.graph);
        check_against_oracle(&brute);
        close_picture();
    }
}

/* ---- Larger graphs ---- */

enum { LARGE = 1500, LARGE_EDGES = 16 * LARGE, LARGE_WORDS = (LARGE + 63) / 64 };

static uint64_t leads[LARGE][LARGE_WORDS]; /* by graph node: the set of nodes it leads to */

static bool in_set(const uint64_t *set, uint32_t node) {
    return set[node / 64] >> node % 64 & 1;
}

/* Transitive closure over the edges that are not hidden. */
static void close_over_large(void) {
    const struct loupe_graph *graph = &drawn.graph;
    uint32_t nodes = loupe_graph_node_count(graph);
    memset(leads, 0, sizeof(leads));
    for (uint32_t id = 0; id < loupe_graph_edge_count(graph); id++) {
        uint32_t to = loupe_graph_target(graph, id);
        if (!loupe_graph_is_hidden(graph, id))
            leads[loupe_graph_source(graph, id)][to / 64] |= (uint64_t)1 << to % 64;
    }
    for (uint32_t via = 0; via < nodes; via++) {
        for (uint32_t from = 0; from < nodes; from++) {
            for (uint32_t word = 0; in_set(leads[from], via) && word < LARGE_WORDS; word++)
                leads[from][word] |= leads[via][word];
        }
    }
}

/*
 * Objects in groups; references within a group or to a later one, some to themselves. back: one in
 * so many leads to any group.
 */
static void draw_large(uint64_t *random, uint32_t group, uint32_t back) {
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i < LARGE; i++)
        drawn_graph_add_node(&drawn, "n", "Node");
    for (uint32_t i = 0; i < LARGE_EDGES; i++) {
        uint32_t from = (uint32_t)(drawn_random(random) % LARGE);
        uint32_t first = drawn_random(random) % back ? from / group * group : 0;
        uint32_t to = first + (uint32_t)(drawn_random(random) % (LARGE - first));
        if (i < LARGE - 1) /* every object is owned by an older one */
            from = (uint32_t)(drawn_random(random) % (i + 1)), to = i + 1;
        drawn_graph_add_edge(&drawn, from, to, LOUPE_EDGE_IVAR, LOUPE_STRONG, "x");
    }
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
}

static void check_large(void) {
    uint32_t nodes = loupe_graph_node_count(&drawn.graph);
    CHECK_EQ(nodes, LARGE);
    close_over_large();
    find_knots(&drawn.graph);
    for (uint32_t i = 0; i < nodes; i++) {
        CHECK_EQ(knots.knot_of[i] != LOUPE_NO_KNOT, in_set(leads[i], i));
        for (uint32_t j = 0; j < i && knots.knot_of[i] != LOUPE_NO_KNOT; j++) {
            bool together = in_set(leads[i], j) && in_set(leads[j], i);
            if ((knots.knot_of[i] == knots.knot_of[j]) != together)
                CHECK_EQ(i, j); /* a check for each of a million pairs would be slow */
        }
    }
    loupe_knots_deinit(&knots);
}

static void test_large_graphs_have_the_knots_of_their_closure(void) {
    uint64_t random = 12;
    for (unsigned round = 0; round < 12; round++) {
        uint32_t group = round % 2 ? 40 : 400, back = round % 3 ? 5000 : 1u << 30;
        draw_large(&random, group, back);
        check_large();
        for (uint32_t i = 0; i < LARGE_EDGES; i += 1 + (uint32_t)(drawn_random(&random) % 50))
            loupe_graph_hide(&drawn.graph, i);
        check_large();
        drawn_graph_deinit(&drawn);
    }
}

/*
 * Two knots in the middle, before and behind them objects that only lead on, every own-th of which
 * may hold itself. Between the knots stands the object that most references lead to, which is in
 * neither.
 */
enum { FIRST = LARGE / 3, HUB = LARGE / 2, LAST = LARGE / 3 * 2 };

static bool are_in_one_middle(uint32_t a, uint32_t b) {
    return (a >= FIRST && a < HUB && b >= FIRST && b < HUB) ||
           (a > HUB && a < LAST && b > HUB && b < LAST);
}

static void add_reference(uint32_t from, uint32_t to) {
    drawn_graph_add_edge(&drawn, from, to, LOUPE_EDGE_IVAR, LOUPE_STRONG, "x");
}

static void draw_middle(uint64_t *random, uint32_t own) {
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i < LARGE; i++)
        drawn_graph_add_node(&drawn, "n", "Node");
    for (uint32_t i = 0; i < LARGE - 1; i++)
        add_reference(i, i + 1);
    for (uint32_t i = FIRST; i < HUB; i++)
        add_reference(i, HUB);
    for (uint32_t i = 0; i < 4 * LARGE_EDGES; i++) {
        uint32_t from = (uint32_t)(drawn_random(random) % LARGE);
        uint32_t to = (uint32_t)(drawn_random(random) % LARGE);
        if (to > from || are_in_one_middle(from, to))
            add_reference(from, to);
        else if (from % own == own - 1)
            add_reference(from, from);
    }
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
}

static void test_knots_in_the_middle_are_found_between_many_others(void) {
    static const uint32_t own[] = {1, 20, 2 * LARGE};
    uint64_t random = 13;
    for (unsigned round = 0; round < 12; round++) {
        draw_middle(&random, own[round % 3]);
        check_large();
        drawn_graph_deinit(&drawn);
    }
}

/* Two seeds: what leads to the first one need not be held by it. */
static void test_second_seed_that_holds_the_first_is_in_no_knot(void) {
    struct loupe_findings findings = {0};
    struct loupe_graph graph;
    uint32_t first, second;
    loupe_graph_init(&graph, &drawn_chunks, 0, &findings);
    CHECK_EQ(loupe_graph_add_node(&graph, 0x1000, 0, &first), LOUPE_OK);
    CHECK_EQ(loupe_graph_add_node(&graph, 0x2000, 0, &second), LOUPE_OK);
    struct loupe_edge edge = {.to = first};
    loupe_graph_open_next(&graph);
    CHECK_EQ(loupe_graph_add_edge(&graph, &edge), LOUPE_OK);
    loupe_graph_open_next(&graph);
    CHECK_EQ(loupe_graph_add_edge(&graph, &edge), LOUPE_OK);
    CHECK_EQ(loupe_graph_freeze(&graph), LOUPE_OK);
    find_knots(&graph);
    CHECK_EQ(knots.count, 1);
    CHECK_EQ(knots.knot_of[first], 0);
    CHECK_EQ(knots.knot_of[second], LOUPE_NO_KNOT);
    loupe_knots_deinit(&knots);
    loupe_graph_deinit(&graph);
}

/* ---- Memory ---- */

/* References lead to the lowest object and later ones. */
static void check_failing_chunks(uint32_t nodes, uint32_t edges_each, uint32_t lowest) {
    uint64_t random = 11;
    bool done = false;
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i < nodes; i++)
        drawn_graph_add_node(&drawn, "n", "Node");
    for (uint32_t i = 0; i < nodes * edges_each; i++) {
        uint32_t to =
            i < nodes - 1 ? i + 1 : lowest + (uint32_t)(drawn_random(&random) % (nodes - lowest));
        drawn_graph_add_edge(&drawn, i / edges_each, to, LOUPE_EDGE_IVAR, LOUPE_STRONG, "x");
    }
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    for (uint64_t n = 1; !done; n++) {
        struct drawn_failing_chunks state = {.fail_at = n};
        struct loupe_chunk_ops failing = drawn_failing_chunk_ops(&state);
        enum loupe_status status = loupe_knots_find(&drawn.graph, &failing, &knots);
        done = status == LOUPE_OK;
        CHECK(done || status == LOUPE_ENOMEM);
        if (done)
            loupe_knots_deinit(&knots);
        CHECK_EQ(state.outstanding, 0);
        CHECK(!done || n > 3);
    }
    drawn_graph_deinit(&drawn);
}

static void test_every_chunk_that_fails_is_reported_and_none_is_lost(void) {
    check_failing_chunks(20, 3, 0);
    check_failing_chunks(3000, 30, 0);
    check_failing_chunks(3000, 30, 1); /* the seed is in no knot */
}

int main(void) {
    RUN(test_single_object_has_no_knot);
    RUN(test_diamond_has_no_knot);
    RUN(test_reference_to_itself_is_a_knot);
    RUN(test_two_objects_are_a_knot);
    RUN(test_seed_outside_of_the_knot);
    RUN(test_seed_knot_comes_first_then_by_distance);
    RUN(test_knots_joined_in_one_direction_stay_two);
    RUN(test_rings_that_share_an_object_are_one_knot);
    RUN(test_ring_closed_by_an_assumed_reference_is_a_knot);
    RUN(test_hidden_reference_does_not_tie);
    RUN(test_way_back_to_the_seed_is_no_ring_when_the_way_there_is_hidden);
    RUN(test_edges_inside_are_counted_with_parallel_ones);
    RUN(test_graph_without_nodes_has_no_knots);
    RUN(test_random_graphs_have_the_knots_of_the_oracle);
    RUN(test_random_hidden_edges_are_as_good_as_none);
    RUN(test_large_graphs_have_the_knots_of_their_closure);
    RUN(test_knots_in_the_middle_are_found_between_many_others);
    RUN(test_second_seed_that_holds_the_first_is_in_no_knot);
    RUN(test_every_chunk_that_fails_is_reported_and_none_is_lost);
    return check_report();
}
