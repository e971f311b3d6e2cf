/* The analysis as a whole: what it says about each knot, its limits, and memory that runs out. */
#include "graphs/brute_force.h"
#include "check.h"
#include "report/objects/report_cycles.h"
#include "runtime/abi.h"

#include <stdlib.h>

static struct drawn_graph drawn;
static struct loupe_arena arena;
static struct loupe_cycles cycles;

static void analyse_for(uint32_t seed) {
    struct loupe_cycles_options options = {.seed = seed};
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &cycles),
             LOUPE_OK);
}

static void analyse(void) {
    analyse_for(0);
}

static void open_picture(const char *picture) {
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    analyse();
}

static void close_picture(void) {
    loupe_arena_deinit(&arena);
    drawn_graph_deinit(&drawn);
}

static void test_seed_knot_is_the_first_and_says_so(void) {
    open_picture("S.x->X X.y->Y Y.x->X S.a->A A.s->S");
    CHECK_EQ(cycles.knot_count, 2);
    CHECK(cycles.knots[0].contains_seed);
    CHECK(!cycles.knots[1].contains_seed);
    CHECK_EQ(cycles.knots[0].objects, 2);
    CHECK_EQ(cycles.knots[0].edges, 2);
    close_picture();
}

/* Who is asked about need not be where the walk began; of a whole heap nobody is. */
static void test_any_node_may_be_the_one_asked_about(void) {
    static const char picture[] = "S.a->A A.b->B B.c->C C.a->A C.b->B";
    enum { NOBODY, A, B, ASKED }; /* the nodes of A and B have their numbers */
    static const uint32_t seed[ASKED] = {LOUPE_NO_NODE, 1, 2};
    static const uint32_t length[ASKED] = {2, 3, 2}, start[ASKED] = {0, 1, 2};
    for (unsigned i = NOBODY; i < ASKED; i++) {
        drawn_graph_init(&drawn);
        drawn_graph_draw(&drawn, picture);
        analyse_for(seed[i]);
        CHECK_EQ(cycles.knot_count, 1);
        CHECK_EQ(cycles.knots[0].contains_seed, i != NOBODY);
        const struct loupe_ring *ring = &cycles.knots[0].rings.items[0];
        CHECK_EQ(ring->length, length[i]);
        if (i != NOBODY)
            CHECK_EQ(loupe_ring_from(&drawn.graph, ring, 0), start[i]);
        close_picture();
    }
}

static void test_ring_with_an_assumed_reference_is_not_certain(void) {
    open_picture("A.b->B B.a~>A");
    CHECK(!cycles.knots[0].certain);
    close_picture();
}

/* The seed is tied in by an assumption only, but there is a ring without it. */
static void test_certain_ring_elsewhere_makes_the_knot_certain(void) {
    open_picture("S.a->A A.b->B B.a->A B.s~>S");
    CHECK(cycles.knots[0].contains_seed);
    CHECK(!cycles.knots[0].rings.items[0].certain);
    CHECK(cycles.knots[0].certain);
    close_picture();
}

/* A random graph, a third of whose references are assumed. */
static void analyse_random(uint64_t *random, struct brute_force *brute) {
    drawn_graph_init(&drawn);
    brute_draw(&drawn, random, 8);
    for (uint32_t i = 0; i < drawn.edge_count; i++) {
        if (drawn_random(random) % 3 == 0)
            drawn.edges[i].ownership = LOUPE_ASSUMED;
    }
    brute_force(&drawn, brute);
    analyse();
}

static void test_random_knots_are_certain_when_strong_references_make_a_ring(void) {
    static struct brute_force brute;
    uint64_t random = 13;
    unsigned uncertain = 0;
    for (unsigned round = 0; round < 2000; round++) {
        analyse_random(&random, &brute);
        for (uint32_t i = 0; i < cycles.knot_count; i++) {
            uint32_t member = loupe_ring_from(&drawn.graph, &cycles.knots[i].rings.items[0], 0);
            uint32_t name = brute.knot_of[drawn_graph_drawn(&drawn, member)];
            CHECK_EQ(cycles.knots[i].certain, brute_girth(&brute, name, true) != 0);
            uncertain += !cycles.knots[i].certain;
        }
        close_picture();
    }
    CHECK(uncertain > 100);
}

static void test_knots_beyond_the_limit_are_counted(void) {
    enum { KNOTS = LOUPE_MAX_SHOWN_KNOTS + 5 };
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i <= KNOTS; i++)
        drawn_graph_add_node(&drawn, "n", "Node");
    for (uint32_t i = 1; i <= KNOTS; i++) {
        drawn_graph_add_edge(&drawn, 0, i, LOUPE_EDGE_ELEMENT, LOUPE_STRONG, "[0]");
        /* One that is described and two that are not are only possible. */
        bool assumed = i == 7 || i > KNOTS - 2;
        drawn_graph_add_edge(&drawn, i, i, LOUPE_EDGE_IVAR, assumed ? LOUPE_ASSUMED : LOUPE_STRONG,
                             "_self");
    }
    analyse();
    CHECK_EQ(cycles.knots_found, KNOTS);
    CHECK_EQ(cycles.possible_found, 3);
    CHECK_EQ(cycles.knot_count, LOUPE_MAX_SHOWN_KNOTS);
    CHECK_EQ(cycles.knots[LOUPE_MAX_SHOWN_KNOTS - 1].verdict.kind, LOUPE_HELD);
    close_picture();
}

/* Counting alone comes to the same numbers as describing, in hundreds of graphs. */
static void test_counting_finds_what_describing_does(void) {
    static struct brute_force brute;
    uint64_t random = 29;
    uint32_t knots = 0, possible = 0;
    for (unsigned round = 0; round < 500; round++) {
        analyse_random(&random, &brute);
        struct loupe_cycles_options options = {.only_counts = true};
        struct loupe_cycles counted;
        CHECK(!loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &counted));
        CHECK_EQ(counted.knot_count, 0);
        CHECK_EQ(counted.knots_found, cycles.knots_found);
        CHECK_EQ(counted.possible_found, cycles.possible_found);
        knots += counted.knots_found;
        possible += counted.possible_found;
        close_picture();
    }
    CHECK(possible > 50 && possible < knots);
}

/* ---- Rings that the best fix leaves ---- */

/* Three back references of three classes: each ring has to be broken by itself. */
static const char three_ways_back[] =
    "A.b->B B._delegate->A A.c->C C._owner->A A.d->D D._parent->A";

/* Of each it is wanted that what it keeps would go. */
static uint32_t count_together(const struct loupe_fixes *fixes) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < fixes->count; i++)
        count += fixes->items[i].together && !fixes->items[i].only_holder;
    return count;
}

static void test_what_is_needed_together_is_the_same_however_many_are_shown(void) {
    static const struct loupe_cycles_options ways[] = {
        {.max_rings_left = 5}, {.max_rings = 2}, {.max_rings = 3}, {.max_rings = 100}};
    static const uint32_t shown[] = {3, 2, 3, 3};
    for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        drawn_graph_init(&drawn);
        drawn_graph_draw(&drawn, three_ways_back);
        CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
        loupe_arena_init(&arena, &drawn_chunks);
        CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, &ways[i], &arena, &cycles),
                 LOUPE_OK);
        CHECK_EQ(cycles.knots[0].rings.count, shown[i]);
        CHECK_EQ(cycles.knots[0].rings.all, shown[i] == 3);
        CHECK_EQ(count_together(&cycles.knots[0].fixes), 3);
        CHECK(cycles.knots[0].fixes.together_are_enough);
        close_picture();
    }
}

/* ---- Memory ---- */

/* The whole question with a provider that fails from the n-th chunk on. False when it failed. */
static bool answer_with(uint64_t fail_at, uint32_t max_rings, const char *picture) {
    struct drawn_failing_chunks state = {.fail_at = fail_at};
    struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
    struct loupe_cycles_options options = {.max_rings = max_rings,
                                           .filters = loupe_apple_filters.items,
                                           .filter_count = loupe_apple_filters.count};
    struct drawn_text text = {0};
    struct loupe_json json;
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    drawn.chunks = &chunks;
    loupe_arena_init(&arena, &chunks);
    loupe_json_init(&json, drawn_text_sink(&text));
    enum loupe_status status = drawn_graph_build(&drawn, 0);
    if (!status)
        status = loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &cycles);
    if (!status) {
        struct loupe_envelope envelope = {.query = "q", .engine = "drawn", .pointer_size = 8};
        struct loupe_cycles_answer answer = {.envelope = &envelope,
                                             .graph = &drawn.graph,
                                             .describer = &drawn.describer,
                                             .options = &options,
                                             .cycles = &cycles,
                                             .memory = &drawn.memory,
                                             .findings = &drawn.findings,
                                             .arena = &arena};
        status = loupe_report_cycles(&json, &answer);
    }
    CHECK(status == LOUPE_OK || status == LOUPE_ENOMEM);
    CHECK_EQ(loupe_json_finish(&json), LOUPE_OK);
    CHECK_EQ(text.length > 0, status == LOUPE_OK); /* all of an answer or nothing */
    free(text.text);
    close_picture();
    CHECK_EQ(state.outstanding, 0);
    return status == LOUPE_OK;
}

static void test_every_chunk_that_fails_is_reported_and_none_is_lost(void) {
    static const char *const pictures[] = {
        "A.b->B B.a->A A._handler->b b{self}->A",
        "S=1 S.a->A A.b->B B.c->C C.a->A A.c->C C.me->C B.a~>A",
    };
    for (unsigned i = 0; i < 4; i++) {
        uint64_t n = 1;
        while (!answer_with(n, 1 + i / 2 * 8, pictures[i % 2]))
            n++;
        CHECK(n > 15);
    }
}

int main(void) {
    RUN(test_seed_knot_is_the_first_and_says_so);
    RUN(test_any_node_may_be_the_one_asked_about);
    RUN(test_ring_with_an_assumed_reference_is_not_certain);
    RUN(test_certain_ring_elsewhere_makes_the_knot_certain);
    RUN(test_random_knots_are_certain_when_strong_references_make_a_ring);
    RUN(test_knots_beyond_the_limit_are_counted);
    RUN(test_counting_finds_what_describing_does);
    RUN(test_what_is_needed_together_is_the_same_however_many_are_shown);
    RUN(test_every_chunk_that_fails_is_reported_and_none_is_lost);
    return check_report();
}
