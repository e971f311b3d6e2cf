/*
 * Rings: drawn cases, then random graphs against the oracle: each ring is a simple cycle, the first
 * one a shortest one, and those that follow are all there are, or the shortest of them.
 */
#include "graphs/brute_force.h"
#include "check.h"

static struct drawn_graph drawn;
static struct loupe_knots knots;
static struct loupe_arena arena;
static struct loupe_ring_finder finder;

static void open_drawing(void) {
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    CHECK_EQ(loupe_knots_find(&drawn.graph, &drawn_chunks, &knots), LOUPE_OK);
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_ring_finder_init(&finder, &knots, &drawn.describer, &arena), LOUPE_OK);
}

static void open_picture(const char *picture) {
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    open_drawing();
}

static void close_drawing(void) {
    loupe_ring_finder_deinit(&finder);
    loupe_arena_deinit(&arena);
    loupe_knots_deinit(&knots);
    drawn_graph_unbuild(&drawn);
}

static void close_picture(void) {
    close_drawing();
    drawn_graph_deinit(&drawn);
}

static struct loupe_rings rings_of_first_knot(uint32_t max_rings) {
    struct loupe_rings rings = {0};
    struct loupe_knot knot = {0};
    CHECK(loupe_knots_next(&knots, &knot));
    CHECK_EQ(loupe_rings_find(&finder, &knot, max_rings, &rings), LOUPE_OK);
    return rings;
}

/*
 * The rings of the picture's first knot, one a line. Those through the seed start there, the others
 * where their names read least as fingerprints.
 */
static void check_rings(const char *picture, uint32_t max_rings, const char *want, bool all) {
    static char text[8192];
    size_t length = 0;
    open_picture(picture);
    struct loupe_rings rings = rings_of_first_knot(max_rings);
    for (uint32_t i = 0; i < rings.count; i++)
        length += loupe_format(text + length, sizeof(text) - length, "%s%s", i ? "\n" : "",
                               drawn_graph_ring(&drawn, &rings.items[i]));
    CHECK_STR(text, want);
    CHECK_EQ(rings.all, all);
    close_picture();
}

static size_t asked;

static void *get_counted(void *ctx, size_t size) {
    asked += size;
    return drawn_chunks.get(ctx, size);
}

/* There may be thousands of small knots with a few rings each. */
static void test_further_rings_of_a_small_knot_take_little_memory(void) {
    const struct loupe_chunk_ops counting = {.get = get_counted, .put = drawn_chunks.put};
    open_picture("A.b->B B.a->A B.c->C C.a->A");
    knots.chunks = &counting;
    asked = 0;
    CHECK_EQ(rings_of_first_knot(64).count, 2);
    CHECK(asked > 0 && asked <= 64 * 1024);
    knots.chunks = &drawn_chunks;
    close_picture();
}

static void test_object_that_holds_itself(void) {
    check_rings("A.me->A", 1, "A.me->A", true);
}

static void test_block_and_owner(void) {
    check_rings("A.handler->b b{self}->A", 1, "A.handler->b b{self}->A", true);
}

static void test_ring_through_the_seed_starts_at_the_seed(void) {
    check_rings("B.c->C C.a->A A.b->B", 1, "B.c->C C.a->A A.b->B", true);
}

static void test_shortest_ring_through_the_seed_is_found_behind_a_longer_one(void) {
    check_rings("S.a->A A.b->B B.c->C C.s->S C.b->B S.z->Z Z.s->S", 1, "S.z->Z Z.s->S", false);
}

static void test_ring_through_the_seed_comes_before_a_shorter_one_elsewhere(void) {
    check_rings("S.a->A A.b->B B.s->S A.me->A", 1, "S.a->A A.b->B B.s->S", false);
    check_rings("S.a->A A.b->B B.s->S A.me->A", 9, "S.a->A A.b->B B.s->S\nA.me->A", true);
}

static void test_knot_without_the_seed_shows_its_shortest_ring(void) {
    check_rings("S.a->A A.b->B B.c->C C.a->A C.d->D D.c->C", 1, "C.d->D D.c->C", false);
}

static void test_certain_ring_comes_before_a_shorter_one_that_is_not(void) {
    check_rings("S.a->A A.s~>S A.b->B B.s->S", 1, "S.a->A A.b->B B.s->S", false);
    check_rings("S.x->X X.y->Y Y.x~>X Y.z->Z Z.x->X", 1, "X.y->Y Y.z->Z Z.x->X", false);
}

static void test_assumed_ring_is_shown_when_there_is_no_other(void) {
    open_picture("S.a->A A.s~>S");
    struct loupe_rings rings = rings_of_first_knot(1);
    CHECK_STR(drawn_graph_ring(&drawn, rings.items), "S.a->A A.s~>S");
    CHECK(!rings.items->certain);
    close_picture();
}

static void test_parallel_references_are_one_ring(void) {
    open_picture("A.x->B A.y->B B.a->A");
    struct loupe_rings rings = rings_of_first_knot(9);
    CHECK_EQ(rings.count, 1);
    CHECK_EQ(rings.items->length, 2);
    CHECK(rings.all);
    close_picture();
}

static void test_seven_objects_with_three_rings(void) {
    check_rings("A.b->B A.c->C C.a->A B.d->D D.a->A B.e->E E.g->G G.b->B", 9,
                "A.c->C C.a->A\n"
                "A.b->B B.d->D D.a->A\n"
                "G.b->B B.e->E E.g->G",
                true);
}

static void test_no_more_rings_than_asked_for(void) {
    check_rings("A.b->B B.a->A A.c->C C.a->A A.d->D D.b->B", 2, "A.b->B B.a->A\nA.c->C C.a->A",
                false);
}

static void test_ring_of_100_objects(void) {
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i < 100; i++) {
        char name[16];
        loupe_format(name, sizeof(name), "n%u", i);
        drawn_graph_add_node(&drawn, name, "Node");
    }
    for (uint32_t i = 0; i < 100; i++)
        drawn_graph_add_edge(&drawn, i, (i + 1) % 100, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_next");
    open_drawing();
    struct loupe_rings rings = rings_of_first_knot(5);
    CHECK_EQ(rings.count, 1);
    CHECK_EQ(rings.items->length, 100);
    CHECK(rings.items->shortest && rings.all);
    close_picture();
}

/* ---- The graphs that depth-first searches get wrong ---- */

static void test_cross_edge_hides_no_ring(void) {
    check_rings("A.b->B B.c->C C.a->A A.d->D D.c->C", 9,
                "A.b->B B.c->C C.a->A\nA.d->D D.c->C C.a->A", true);
}

static void test_long_way_first_hides_no_ring(void) {
    check_rings("R.a->P1 P1.n->P2 P2.n->P3 P3.n->P4 P4.n->P5 P5.n->P6 P6.n->P7 P7.n->P8 P8.n->X "
                "R.b->X X.y->Y Y.x->X",
                1, "X.y->Y Y.x->X", true);
}

static void test_far_seed_hides_no_ring(void) {
    check_rings("S.n->P1 P1.n->P2 P2.n->P3 P3.n->P4 P4.n->P5 P5.n->P6 P6.n->P7 P7.n->P8 P8.n->P9 "
                "P9.n->P10 P10.n->P11 P11.n->P12 P12.y->Y Y.p->P12",
                1, "Y.p->P12 P12.y->Y", true);
}

static void test_seeds_own_ring_behind_a_long_way(void) {
    check_rings("S.n->A1 A1.n->A2 A2.n->A3 A3.n->A4 A4.n->A5 A5.n->A6 A6.n->A7 A7.n->A8 A8.n->P "
                "S.p->P P.q->Q Q.s->S",
                1, "S.p->P P.q->Q Q.s->S", false);
}

/* ---- Limits ---- */

/* Every object in a ring with its parent: many rings, no long search. */
static void test_tree_of_parent_pointers_takes_linear_time(void) {
    drawn_graph_init(&drawn);
    enum { NODES = 3000 };
    for (uint32_t i = 0; i < NODES; i++) {
        char name[16];
        loupe_format(name, sizeof(name), "n%u", i);
        drawn_graph_add_node(&drawn, name, "Node");
    }
    drawn_graph_add_edge(&drawn, 0, 1, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_root");
    for (uint32_t i = 2; i < NODES; i++) {
        drawn_graph_add_edge(&drawn, i / 2, i, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_child");
        drawn_graph_add_edge(&drawn, i, i / 2, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_parent");
    }
    open_drawing();
    struct loupe_rings rings = rings_of_first_knot(1);
    CHECK_EQ(rings.items->length, 2);
    CHECK(rings.items->shortest);
    CHECK(drawn.labels < 1000);
    rings = rings_of_first_knot(50);
    CHECK_EQ(rings.count, 50);
    CHECK(!rings.all);
    for (uint32_t i = 0; i < rings.count; i++)
        CHECK_EQ(rings.items[i].length, 2);
    close_picture();
}

/* No ring is shorter than the knot is long, and no search of 4096 edges sees it whole. */
static void test_ring_longer_than_a_search_is_found_but_not_proven(void) {
    drawn_graph_init(&drawn);
    enum { NODES = 6000 };
    drawn_graph_add_node(&drawn, "seed", "Seed");
    for (uint32_t i = 1; i <= NODES; i++) {
        char name[16];
        loupe_format(name, sizeof(name), "n%u", i);
        drawn_graph_add_node(&drawn, name, "Node");
    }
    drawn_graph_add_edge(&drawn, 0, 1, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_first");
    for (uint32_t i = 1; i <= NODES; i++)
        drawn_graph_add_edge(&drawn, i, i % NODES + 1, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_next");
    open_drawing();
    struct loupe_rings rings = rings_of_first_knot(1);
    CHECK_EQ(rings.items->length, NODES);
    CHECK(!rings.items->shortest);
    close_picture();
}

static void draw_levels(uint32_t levels, uint32_t width) {
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i < levels * width + 1; i++)
        drawn_graph_add_node(&drawn, i ? "n" : "seed", i ? "Node" : "Seed");
    for (uint32_t i = 0; i < width; i++)
        drawn_graph_add_edge(&drawn, 0, 1 + i, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_next");
    for (uint32_t i = 0; i < levels * width; i++) {
        uint32_t next = (i / width + 1) * width;
        for (uint32_t j = 0; j < (next < levels * width ? width : 1); j++)
            drawn_graph_add_edge(&drawn, 1 + i, next < levels * width ? 1 + next + j : 0,
                                 LOUPE_EDGE_IVAR, LOUPE_STRONG, "_next");
    }
    open_drawing();
}

/* From level to level, all nodes of one lead to all of the next: nothing but addresses differs. */
static void check_lowest_addresses(uint32_t levels, uint32_t width) {
    draw_levels(levels, width);
    struct loupe_rings rings = rings_of_first_knot(1);
    const struct loupe_ring *ring = rings.items;
    CHECK_EQ(ring->length, levels + 1);
    for (uint32_t i = 1; i < ring->length; i++)
        CHECK_EQ(drawn_graph_drawn(&drawn, loupe_ring_from(&drawn.graph, ring, i)),
                 1 + (i - 1) * width);
    close_picture();
}

static void test_equal_names_leave_the_choice_to_addresses(void) {
    check_lowest_addresses(5, 3);
}

static void test_too_many_names_leave_the_choice_to_addresses(void) {
    check_lowest_addresses(10, 30);
    CHECK(drawn.labels < 4200);
}

static void test_long_rings_leave_the_choice_to_addresses(void) {
    check_lowest_addresses(1500, 2);
}

/* Every object holds every other one: more rings than could ever be looked at. */
static void draw_all_to_all(uint32_t nodes) {
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i < nodes; i++)
        drawn_graph_add_node(&drawn, "n", "Node");
    for (uint32_t i = 0; i < nodes; i++) {
        for (uint32_t j = 0; j < nodes; j++) {
            if (i != j)
                drawn_graph_add_edge(&drawn, i, j, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_other");
        }
    }
    open_drawing();
}

static void check_lengths(const struct loupe_rings *rings, uint32_t length, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < rings->count; i++)
        found += rings->items[i].length == length;
    CHECK_EQ(found, count);
}

static void test_dense_knot_gives_its_shortest_rings(void) {
    draw_all_to_all(20); /* 190 rings of two, 2280 of three, 29070 of four, ... */
    struct loupe_rings rings = rings_of_first_knot(300);
    CHECK_EQ(rings.count, 300);
    CHECK(!rings.all);
    check_lengths(&rings, 2, 190);
    check_lengths(&rings, 3, 110);
    rings = rings_of_first_knot(UINT32_MAX);
    CHECK_EQ(rings.count, LOUPE_MAX_RINGS);
    CHECK(!rings.all);
    check_lengths(&rings, 2, 190);
    check_lengths(&rings, 3, 2280);
    close_picture();
}

static void test_without_time_rings_show_references_that_are_on_no_other(void) {
    draw_all_to_all(6);
    finder.enumeration_left = 50;
    struct loupe_rings rings = rings_of_first_knot(100);
    bool shown[6][6] = {{false}};
    uint32_t count = 0;
    for (uint32_t i = 0; i < rings.count; i++) {
        const struct loupe_ring *ring = &rings.items[i];
        uint32_t before = count;
        for (uint32_t j = 0; j < ring->length; j++) {
            uint32_t from = loupe_ring_from(&drawn.graph, ring, j);
            uint32_t to = loupe_graph_target(&drawn.graph, ring->edges[j]);
            count += !shown[from][to];
            shown[from][to] = true;
        }
        CHECK(count > before);
    }
    CHECK_EQ(count, 30);
    CHECK(!rings.all);
    CHECK(finder.enumeration_left < 50);
    close_picture();
}

/* A long ring with leaves and hidden references everywhere, and two short cuts back. */
static void test_rings_of_a_large_knot_leave_hidden_and_outer_references_alone(void) {
    drawn_graph_init(&drawn);
    enum { NODES = 5000 };
    for (uint32_t i = 0; i < NODES; i++)
        drawn_graph_add_node(&drawn, "n", "Node");
    drawn_graph_add_node(&drawn, "leaf", "Leaf");
    for (uint32_t i = 0; i < NODES; i++) {
        drawn_graph_add_edge(&drawn, i, i, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_hidden");
        drawn_graph_add_edge(&drawn, i, NODES, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_leaf");
        drawn_graph_add_edge(&drawn, i, (i + 1) % NODES, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_next");
    }
    drawn_graph_add_edge(&drawn, 2000, 1980, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_back");
    drawn_graph_add_edge(&drawn, 2000, 1990, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_back");
    open_drawing();
    for (uint32_t id = 0; id < loupe_graph_edge_count(&drawn.graph); id++) {
        if (loupe_graph_target(&drawn.graph, id) == loupe_graph_source(&drawn.graph, id))
            loupe_graph_hide(&drawn.graph, id);
    }
    struct loupe_rings rings = rings_of_first_knot(10);
    CHECK_EQ(rings.count, 3);
    CHECK_EQ(rings.items[0].length, NODES);
    CHECK_EQ(rings.items[1].length, 11);
    CHECK_EQ(rings.items[2].length, 21);
    CHECK(!rings.all);
    CHECK_EQ(rings_of_first_knot(2).count, 2);
    close_picture();
}

/* ---- Random graphs ---- */

static struct brute_force brute;
static struct brute_rings all_rings;

static void check_is_simple_cycle(const struct loupe_ring *ring, const struct loupe_knot *knot) {
    bool visited[BRUTE_NODES] = {false};
    bool certain = true;
    for (uint32_t i = 0; i < ring->length; i++) {
        uint32_t from = loupe_ring_from(&drawn.graph, ring, i), edge = ring->edges[i];
        uint32_t at = drawn_graph_drawn(&drawn, from);
        CHECK(edge >= loupe_graph_first_edge(&drawn.graph, from) &&
              edge < loupe_graph_edges_end(&drawn.graph, from));
        CHECK_EQ(knots.knot_of[from], knot->number);
        CHECK(!visited[at]);
        visited[at] = true;
        certain &= loupe_graph_edge_facts(&drawn.graph, edge)->ownership == LOUPE_STRONG;
    }
    CHECK_EQ(ring->certain, certain);
}

/* The place of a ring among those of the oracle, which start at their lowest drawn node. */
static uint32_t find_in_oracle(const struct loupe_ring *ring) {
    uint8_t nodes[BRUTE_NODES];
    uint32_t lowest = 0;
    for (uint32_t i = 0; i < ring->length; i++) {
        uint32_t node = drawn_graph_drawn(&drawn, loupe_ring_from(&drawn.graph, ring, i));
        nodes[i] = (uint8_t)node;
        lowest = node < nodes[lowest] ? i : lowest;
    }
    for (uint32_t r = 0; r < all_rings.count; r++) {
        uint32_t same = 0;
        while (all_rings.length[r] == ring->length && same < ring->length &&
               all_rings.nodes[r][same] == nodes[(lowest + same) % ring->length])
            same++;
        if (same && same == ring->length)
            return r;
    }
    return all_rings.count;
}

static void check_first(const struct loupe_knot *knot, const struct loupe_ring *first,
                        uint32_t name) {
    bool seed = loupe_knot_member(&knots, knot, 0) == 0;
    uint32_t strong = seed ? brute_ring_through(&brute, 0, true) : brute_girth(&brute, name, true);
    uint32_t any = seed ? brute_ring_through(&brute, 0, false) : brute_girth(&brute, name, false);
    CHECK(first->shortest);
    CHECK_EQ(first->length, strong ? strong : any);
    CHECK_EQ(first->certain, strong != 0);
    if (seed)
        CHECK_EQ(loupe_ring_from(&drawn.graph, first, 0), 0);
}

/* No ring twice, the first first, then by length, and none that is left out is shorter. */
static void check_rings_of(const struct loupe_knot *knot, uint32_t max_rings, uint32_t name) {
    static bool seen[BRUTE_RINGS];
    struct loupe_rings rings;
    CHECK_EQ(loupe_rings_find(&finder, knot, max_rings, &rings), LOUPE_OK);
    check_first(knot, &rings.items[0], name);
    memset(seen, 0, sizeof(seen));
    for (uint32_t i = 0; i < rings.count; i++) {
        check_is_simple_cycle(&rings.items[i], knot);
        uint32_t place = find_in_oracle(&rings.items[i]);
        if (CHECK(place < all_rings.count)) {
            CHECK(!seen[place]);
            seen[place] = true;
        }
        CHECK(i < 2 || rings.items[i].length >= rings.items[i - 1].length);
    }
    CHECK_EQ(rings.count, all_rings.count < max_rings ? all_rings.count : max_rings);
    CHECK(!rings.all || rings.count == all_rings.count);
    if (1 < max_rings && all_rings.count < max_rings)
        CHECK(rings.all);
    for (uint32_t r = 0; r < all_rings.count && rings.count > 1; r++)
        CHECK(seen[r] || all_rings.length[r] >= rings.items[rings.count - 1].length);
}

/* buffer_size: small ones make searches borrow the list of members. */
static void check_random_graphs(uint64_t random, unsigned rounds, uint32_t buffer_size) {
    for (unsigned round = 0; round < rounds; round++) {
        drawn_graph_init(&drawn);
        brute_draw(&drawn, &random, round % 50 ? 9 : 16);
        brute_force(&drawn, &brute);
        open_drawing();
        uint32_t real_size = finder.search.buffer_size;
        finder.search.buffer_size = buffer_size ? buffer_size : real_size;
        struct loupe_knot knot = {0};
        while (loupe_knots_next(&knots, &knot)) {
            uint32_t name =
                brute.knot_of[drawn_graph_drawn(&drawn, loupe_knot_member(&knots, &knot, 0))];
            brute_all_rings(&brute, name, &all_rings);
            if (all_rings.count == BRUTE_RINGS)
                continue;
            check_rings_of(&knot, 1, name);
            check_rings_of(&knot, 3, name);
            if (all_rings.count < LOUPE_MAX_RINGS)
                check_rings_of(&knot, LOUPE_MAX_RINGS, name);
        }
        finder.search.buffer_size = real_size;
        close_picture();
    }
}

static void test_random_graphs_have_the_rings_of_the_oracle(void) {
    check_random_graphs(2, 3000, 0);
}

static void test_the_same_with_the_members_as_queue(void) {
    check_random_graphs(3, 1000, 1);
}

/* ---- What does not matter ---- */

/* A text of all first rings of all knots, sorted; with names of nodes or only fingerprints. */
static void describe_first_rings(char *text, size_t cap, bool names) {
    char lines[BRUTE_NODES][256];
    uint32_t count = 0;
    struct loupe_knot knot = {0};
    while (loupe_knots_next(&knots, &knot)) {
        struct loupe_ring ring;
        CHECK_EQ(loupe_rings_first(&finder, &knot, &ring), LOUPE_OK);
        char line[256];
        loupe_format(line, sizeof(line), "%llx %s\n", (unsigned long long)ring.fingerprint,
                     names ? drawn_graph_ring(&drawn, &ring) : "");
        uint32_t place = count++;
        for (; place && strcmp(lines[place - 1], line) > 0; place--)
            memcpy(lines[place], lines[place - 1], sizeof(line));
        memcpy(lines[place], line, sizeof(line));
    }
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < count; i++)
        length += loupe_format(text + length, cap - length, "%s", lines[i]);
}

static void test_order_of_edges_does_not_change_the_first_rings(void) {
    static char before[16384], after[16384];
    uint64_t random = 4;
    for (unsigned round = 0; round < check_share(2000); round++) {
        drawn_graph_init(&drawn);
        brute_draw(&drawn, &random, 12);
        open_drawing();
        describe_first_rings(before, sizeof(before), true);
        close_drawing();
        brute_shuffle_edges(&drawn, &random);
        open_drawing();
        describe_first_rings(after, sizeof(after), true);
        CHECK_STR(after, before);
        close_picture();
    }
}

static void test_addresses_do_not_change_the_fingerprints_of_first_rings(void) {
    static char before[16384], after[16384];
    uint64_t random = 5;
    for (unsigned round = 0; round < check_share(2000); round++) {
        drawn_graph_init(&drawn);
        brute_draw(&drawn, &random, 12);
        open_drawing();
        describe_first_rings(before, sizeof(before), false);
        close_drawing();
        brute_shuffle_addresses(&drawn, &random);
        brute_shuffle_edges(&drawn, &random);
        open_drawing();
        describe_first_rings(after, sizeof(after), false);
        CHECK_STR(after, before);
        close_picture();
    }
}

int main(void) {
    RUN(test_further_rings_of_a_small_knot_take_little_memory);
    RUN(test_object_that_holds_itself);
    RUN(test_block_and_owner);
    RUN(test_ring_through_the_seed_starts_at_the_seed);
    RUN(test_shortest_ring_through_the_seed_is_found_behind_a_longer_one);
    RUN(test_ring_through_the_seed_comes_before_a_shorter_one_elsewhere);
    RUN(test_knot_without_the_seed_shows_its_shortest_ring);
    RUN(test_certain_ring_comes_before_a_shorter_one_that_is_not);
    RUN(test_assumed_ring_is_shown_when_there_is_no_other);
    RUN(test_parallel_references_are_one_ring);
    RUN(test_seven_objects_with_three_rings);
    RUN(test_no_more_rings_than_asked_for);
    RUN(test_ring_of_100_objects);
    RUN(test_cross_edge_hides_no_ring);
    RUN(test_long_way_first_hides_no_ring);
    RUN(test_far_seed_hides_no_ring);
    RUN(test_seeds_own_ring_behind_a_long_way);
    RUN(test_tree_of_parent_pointers_takes_linear_time);
    RUN(test_ring_longer_than_a_search_is_found_but_not_proven);
    RUN(test_equal_names_leave_the_choice_to_addresses);
    RUN(test_too_many_names_leave_the_choice_to_addresses);
    RUN(test_long_rings_leave_the_choice_to_addresses);
    RUN(test_dense_knot_gives_its_shortest_rings);
    RUN(test_without_time_rings_show_references_that_are_on_no_other);
    RUN(test_rings_of_a_large_knot_leave_hidden_and_outer_references_alone);
    RUN(test_random_graphs_have_the_rings_of_the_oracle);
    RUN(test_the_same_with_the_members_as_queue);
    RUN(test_order_of_edges_does_not_change_the_first_rings);
    RUN(test_addresses_do_not_change_the_fingerprints_of_first_rings);
    return check_report();
}
