/*
 * What a depth-first search with a depth limit misses and Loupe does not: the graphs it gets wrong,
 * drawn, and how often that happens on random ones.
 */
#include "check.h"
#include "cycles/cycles.h"
#include "graphs/depth_first_foil.h"

#include <stdlib.h>

static struct drawn_graph drawn;
static struct foil foil;
static struct loupe_arena arena;
static struct loupe_cycles cycles;

static void open_both(uint32_t limit, uint32_t max_rings) {
    struct loupe_cycles_options options = {.max_rings = max_rings};
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &cycles),
             LOUPE_OK);
    foil_init(&foil, &drawn, limit);
}

static void open_picture(const char *picture, uint32_t limit, uint32_t max_rings) {
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    open_both(limit, max_rings);
}

static void close_both(void) {
    foil_deinit(&foil);
    loupe_arena_deinit(&arena);
    drawn_graph_deinit(&drawn);
}

static void check_loupe_finds(uint32_t ring, const char *want) {
    if (CHECK(cycles.knot_count == 1 && cycles.knots[0].rings.count > ring))
        CHECK_STR(drawn_graph_ring(&drawn, &cycles.knots[0].rings.items[ring]), want);
}

/* ---- The graphs ---- */

/* The foil agrees where nothing is in its way, so it is a fair one. */
static void test_both_find_a_plain_ring(void) {
    open_picture("A.b->B B.c->C C.a->A", 10, 1);
    foil_walk(&foil, 0);
    CHECK_EQ(foil.ring_count, 1);
    CHECK_EQ(foil_shortest_through(&foil, 0), 3);
    check_loupe_finds(0, "A.b->B B.c->C C.a->A");
    close_both();
}

static void test_cross_edge_hides_the_second_ring(void) {
    open_picture("A.b->B B.c->C C.a->A A.d->D D.c->C", 10, 9);
    foil_walk(&foil, 0);
    CHECK_EQ(foil.ring_count, 1);
    CHECK_EQ(foil_shortest_through(&foil, 3), 0); /* D */
    check_loupe_finds(1, "A.d->D D.c->C C.a->A");
    close_both();
}

static void test_ring_reached_at_the_limit_first_is_poisoned(void) {
    static const char *const way = "P1.n->P2 P2.n->P3 P3.n->P4 P4.n->P5 P5.n->P6 P6.n->P7 P7.n->P8 "
                                   "P8.n->X X.y->Y Y.x->X";
    char picture[512];
    loupe_format(picture, sizeof(picture), "R.long->P1 R.short->X %s", way);
    open_picture(picture, 10, 1);
    foil_walk(&foil, 0);
    CHECK_EQ(foil.ring_count, 0);
    CHECK_EQ(cycles.knot_count, 1);
    close_both();
    /* With the two ivars in the other order the foil finds it, and Loupe says the same as before.
     */
    loupe_format(picture, sizeof(picture), "R.short->X R.long->P1 %s", way);
    open_picture(picture, 10, 1);
    foil_walk(&foil, 0);
    CHECK_EQ(foil.ring_count, 1);
    CHECK_EQ(cycles.knot_count, 1);
    close_both();
}

/* A chain of so many objects from the seed to a ring of two. */
static void draw_far_ring(uint32_t hops) {
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i <= hops + 1; i++)
        drawn_graph_add_node(&drawn, "n", "Node");
    for (uint32_t i = 0; i <= hops; i++)
        drawn_graph_add_edge(&drawn, i, i + 1, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_next");
    drawn_graph_add_edge(&drawn, hops + 1, hops, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_back");
}

static void test_distance_of_the_seed_counts_as_length(void) {
    for (uint32_t hops = 0; hops < 15; hops++) {
        draw_far_ring(hops);
        open_both(10, 1);
        foil_walk(&foil, 0);
        CHECK_EQ(foil.ring_count, hops <= 8 ? 1 : 0);
        CHECK_EQ(cycles.knot_count, 1);
        CHECK_EQ(cycles.knots[0].rings.items[0].length, 2);
        close_both();
    }
}

static void test_seeds_own_ring_is_lost_behind_a_longer_way(void) {
    open_picture("S.n->A1 A1.n->A2 A2.n->A3 A3.n->A4 A4.n->A5 A5.n->A6 A6.n->A7 A7.n->A8 A8.n->P "
                 "S.p->P P.q->Q Q.s->S",
                 10, 1);
    foil_walk(&foil, 0);
    CHECK_EQ(foil.ring_count, 0);
    check_loupe_finds(0, "S.p->P P.q->Q Q.s->S");
    close_both();
}

static void test_earlier_candidate_poisons_a_later_one(void) {
    open_picture("R.long->P1 P1.n->P2 P2.n->P3 P3.n->P4 P4.n->P5 P5.n->P6 P6.n->P7 P7.n->P8 "
                 "P8.n->X X.y->Y Y.x->X",
                 10, 1);
    uint32_t x = drawn_graph_drawn(&drawn, drawn_graph_id(&drawn, "X"));
    foil_walk(&foil, 0);
    foil_walk(&foil, x);
    CHECK_EQ(foil.ring_count, 0);
    foil_deinit(&foil);
    foil_init(&foil, &drawn, 10);
    foil_walk(&foil, x);
    foil_walk(&foil, 0);
    CHECK_EQ(foil.ring_count, 1);
    CHECK_EQ(cycles.knot_count, 1);
    close_both();
}

/* ---- Random graphs ---- */

/* An ownership tree in which every object is reached from the first, and extra references. */
static void draw_tree(uint64_t *random, uint32_t nodes, uint32_t extra) {
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i < nodes; i++)
        drawn_graph_add_node(&drawn, "n", "Node");
    for (uint32_t i = 1; i < nodes; i++) {
        uint32_t owner = (uint32_t)(drawn_random(random) % i);
        drawn_graph_add_edge(&drawn, owner, i, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_owned");
    }
    for (uint32_t i = 0; i < extra; i++) {
        uint32_t from = (uint32_t)(drawn_random(random) % nodes);
        uint32_t to = (uint32_t)(drawn_random(random) % nodes);
        drawn_graph_add_edge(&drawn, from, to, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_extra");
    }
    for (uint32_t i = drawn.edge_count; i > 1; i--) { /* ivars in any order */
        uint32_t j = (uint32_t)(drawn_random(random) % i);
        struct drawn_edge edge = drawn.edges[i - 1];
        drawn.edges[i - 1] = drawn.edges[j];
        drawn.edges[j] = edge;
    }
}

/* The length of a shortest ring through the first node, by relaxing all edges again and again. */
static uint32_t shortest_ring_of_seed(void) {
    uint32_t *distance = calloc(drawn.node_count, sizeof(*distance)); /* plus one; 0: none yet */
    uint32_t ring = 0;
    bool changed = true;
    distance[0] = 1;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < drawn.edge_count; i++) {
            const struct drawn_edge *edge = &drawn.edges[i];
            uint32_t length = distance[edge->from];
            if (!length)
                continue;
            if (edge->to == 0 && (!ring || length < ring))
                ring = length;
            if (edge->to && (!distance[edge->to] || length + 1 < distance[edge->to])) {
                distance[edge->to] = length + 1;
                changed = true;
            }
        }
    }
    free(distance);
    return ring;
}

struct rates {
    uint32_t seeds; /* that lie on a ring no longer than 10 */
    uint32_t foil_missed, foil_longer;
    uint32_t loupe_missed, loupe_longer;
};

static void compare(uint64_t seed, uint32_t rounds, uint32_t nodes, uint32_t extra, uint32_t limit,
                    struct rates *rates) {
    uint64_t random = seed;
    *rates = (struct rates){0};
    for (uint32_t round = 0; round < rounds; round++) {
        draw_tree(&random, nodes, extra);
        uint32_t truth = shortest_ring_of_seed();
        open_both(limit, 1);
        if (truth && truth <= 10) {
            foil_walk(&foil, 0);
            uint32_t found = foil_shortest_through(&foil, 0);
            bool contains = cycles.knot_count && cycles.knots[0].contains_seed;
            rates->seeds++;
            rates->foil_missed += !found;
            rates->foil_longer += found > truth;
            rates->loupe_missed += !contains;
            rates->loupe_longer += contains && cycles.knots[0].rings.items[0].length != truth;
        }
        close_both();
    }
}

static void test_miss_rates_on_random_graphs(void) {
    static const struct {
        uint32_t nodes, extra, limit, rounds;
    } cases[] = {
        {400, 200, 10, 300},
        {400, 200, 20, 300},
        {400, 200, FOIL_NO_LIMIT, 300},
        {2000, 600, 10, 100},
    };
    printf("%6s %6s %6s | seeds on a ring of at most 10: missed, shown longer than it is\n",
           "nodes", "extra", "limit");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct rates rates;
        compare(100 + i, cases[i].rounds, cases[i].nodes, cases[i].extra, cases[i].limit, &rates);
        printf("%6u %6u %6s | %u seeds: depth-first %u, %u; loupe %u, %u\n", cases[i].nodes,
               cases[i].extra,
               cases[i].limit == FOIL_NO_LIMIT ? "none"
               : cases[i].limit == 10          ? "10"
                                               : "20",
               rates.seeds, rates.foil_missed, rates.foil_longer, rates.loupe_missed,
               rates.loupe_longer);
        CHECK(rates.seeds > 0);
        CHECK_EQ(rates.loupe_missed, 0);
        CHECK_EQ(rates.loupe_longer, 0);
        CHECK(cases[i].limit == FOIL_NO_LIMIT ? rates.foil_longer > 0 : rates.foil_missed > 0);
    }
}

int main(void) {
    RUN(test_both_find_a_plain_ring);
    RUN(test_cross_edge_hides_the_second_ring);
    RUN(test_ring_reached_at_the_limit_first_is_poisoned);
    RUN(test_distance_of_the_seed_counts_as_length);
    RUN(test_seeds_own_ring_is_lost_behind_a_longer_way);
    RUN(test_earlier_candidate_poisons_a_later_one);
    RUN(test_miss_rates_on_random_graphs);
    return check_report();
}
