/* Which assumed references retain counts rule out, and which they must not. */
#include "check.h"
#include "cycles/cycles.h"
#include "graphs/drawn_graph.h"

#include <string.h>

static struct drawn_graph drawn;
static struct loupe_arena arena;
static struct loupe_cycles cycles;

/* As -dealloc and names would tell: of a.little and a.much. */
static bool doubts;

static enum loupe_doubt doubt_by_path(void *ctx, const struct loupe_graph *graph, uint32_t from,
                                      uint32_t edge) {
    struct loupe_edge_label label;
    drawn.describer.label(ctx, graph, from, edge, &label);
    if (strcmp(label.path, "much") == 0)
        return LOUPE_MUCH_DOUBT;
    return strcmp(label.path, "little") == 0 ? LOUPE_SOME_DOUBT : LOUPE_NO_DOUBT;
}

static void open_picture(const char *picture) {
    struct loupe_cycles_options options = {0};
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    if (doubts)
        drawn.describer.doubt = doubt_by_path;
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &cycles),
             LOUPE_OK);
}

static void close_picture(void) {
    loupe_arena_deinit(&arena);
    drawn_graph_deinit(&drawn);
}

/* How many references are ruled out and how many knots are left. */
static void check_picture(const char *picture, uint64_t ruled_out, uint32_t knots) {
    open_picture(picture);
    CHECK_EQ(cycles.ruled_out.by_counts, ruled_out);
    CHECK_EQ(cycles.knot_count, knots);
    close_picture();
}

static void test_object_that_known_owners_explain(void) {
    check_picture("S[0]->A A.b->B B._delegate~>A A=1", 1, 0);
    check_picture("S[0]->A S[1]->A A.b->B B._delegate~>A A=2", 1, 0);
}

static void test_one_retain_is_left_for_the_reference(void) {
    check_picture("S[0]->A A.b->B B._delegate~>A A=2", 0, 1);
}

/* A local variable may be what the retain belongs to, so the ring stays, as a possible one. */
static void test_object_without_known_owner_proves_nothing(void) {
    open_picture("A.b->B B._delegate~>A A=1");
    CHECK_EQ(cycles.ruled_out.by_counts, 0);
    CHECK_EQ(cycles.knot_count, 1);
    CHECK_EQ(cycles.knots[0].certain, false);
    close_picture();
}

static void test_count_that_is_unknown_proves_nothing(void) {
    check_picture("S[0]->A A.b->B B._delegate~>A A=?", 0, 1);
    check_picture("S[0]->A A.b->B B._delegate~>A A=!", 0, 1);
}

static void test_more_owners_than_retains_is_a_contradiction(void) {
    check_picture("S[0]->A S[1]->A A.b->B B._delegate~>A A=1", 0, 1);
}

/* What a property says to retain is taken for an owner when the counts agree with it. */
static void test_property_is_an_owner_for_others_but_never_certain(void) {
    check_picture("S.a+>A A.b->B B._delegate~>A A=1", 1, 0);
    open_picture("S.a->A A.b->B B._delegate+>A A=2");
    CHECK_EQ(cycles.ruled_out.by_counts, 0);
    CHECK_EQ(cycles.knots[0].certain, false);
    close_picture();
}

static void test_property_against_the_counts_is_a_contradiction(void) {
    check_picture("S[0]->A A.b->B B._delegate+>A A=1", 0, 1);
    check_picture("S[0]->A A.b->B B._delegate+>A B._other~>A A=1", 0, 1);
}

/* Only what leads into a knot is asked about: all else cannot close a ring. */
static void test_references_outside_of_knots_are_left_alone(void) {
    check_picture("S[0]->A S.b~>A A=1", 0, 0);
    check_picture("S.s->S S[0]->A S.b~>A A=1", 0, 1);
}

static void test_reference_from_outside_into_a_knot_is_ruled_out_too(void) {
    open_picture("S[0]->A S._last~>A A.b->B B.a->A A=2 S=1");
    CHECK_EQ(cycles.ruled_out.by_counts, 0); /* the knot is certain without it */
    close_picture();
    open_picture("S[0]->A S._last~>A A.b->B B.c->C C._owner~>B C.a->A A=2 B=1 S=1");
    CHECK_EQ(cycles.ruled_out.by_counts, 2);
    CHECK_EQ(cycles.knot_count, 1);
    CHECK_EQ(cycles.knots[0].certain, true);
    CHECK_EQ(cycles.knots[0].verdict.kind, LOUPE_HELD);
    CHECK_EQ(cycles.knots[0].verdict.excess, 0);
    close_picture();
}

static void test_rest_of_a_knot_that_falls_apart(void) {
    open_picture("S[0]->A A.b->B B.c->C C.b~>B B._delegate~>A A=1 B=2");
    CHECK_EQ(cycles.ruled_out.by_counts, 1);
    CHECK_EQ(cycles.knot_count, 1);
    CHECK_EQ(cycles.knots[0].objects, 2);
    CHECK_EQ(cycles.knots[0].certain, false);
    close_picture();
}

static void check_doubts(const char *picture, uint64_t hidden, uint32_t knots) {
    doubts = true;
    open_picture(picture);
    CHECK_EQ(cycles.ruled_out.by_dealloc, hidden);
    CHECK_EQ(cycles.ruled_out.by_counts, 0);
    CHECK_EQ(cycles.knot_count, knots);
    close_picture();
    doubts = false;
}

static void test_much_doubt_is_enough(void) {
    check_doubts("A.b->B B.much~>A A=1", 1, 0);
    check_doubts("A.b->B B.much~>A A=?", 1, 0);
    check_doubts("A.b->B B.much->A A=1", 0, 1); /* known is known */
    check_doubts("A.b->B B.much+>A A=1", 0, 1); /* a property says that it retains */
}

static void test_some_doubt_needs_others_that_explain_the_count(void) {
    check_doubts("A.b->B B.little~>A A=1", 0, 1);
    check_doubts("S.a~>A A.b->B B.little~>A A=1", 1, 0);
    check_doubts("S.a~>A A.b->B B.little~>A A=2", 0, 1); /* one retain is left */
    check_doubts("S.a~>A S[0]->A A.b->B B.little~>A A=2", 1, 0);
    check_doubts("S.little~>A A.b->B B.little~>A A=1", 0, 1); /* of which it may be either */
    check_doubts("S.a~>A A.b->B B.little~>A A=?", 0, 1);
    check_doubts("S.a~>A S[0]->A S[1]->A A.b->B B.little~>A A=1", 0, 1); /* a contradiction */
}

/* As many messages know one folder, which something keeps that is not seen. */
static void test_more_of_one_ivar_than_retains_are_left_own_nothing(void) {
    check_doubts("A:F x:M y:M A.m->x A.n->y x.little~>A y.little~>A A=1", 2, 0);
    check_doubts("S[0]->A A:F x:M y:M A.m->x A.n->y x.little~>A y.little~>A A=2", 2, 0);
    check_doubts("A:F x:M y:M A.m->x A.n->y x.little~>A y.little~>A A=2", 0, 1);
    check_doubts("A:F x:M y:M A.m->x A.n->y x.a~>A y.a~>A A=1", 0, 1); /* -dealloc releases it */
    check_doubts("A:F x:M y:M A.m->x A.n->y x.little~>A y.little~>A A=?", 0, 1);
    /* It may be either. */
    check_doubts("A:F x:M y:N A.m->x A.n->y x.little~>A y.little~>A A=1", 0, 1);
}

int main(void) {
    RUN(test_much_doubt_is_enough);
    RUN(test_some_doubt_needs_others_that_explain_the_count);
    RUN(test_more_of_one_ivar_than_retains_are_left_own_nothing);
    RUN(test_object_that_known_owners_explain);
    RUN(test_one_retain_is_left_for_the_reference);
    RUN(test_object_without_known_owner_proves_nothing);
    RUN(test_count_that_is_unknown_proves_nothing);
    RUN(test_more_owners_than_retains_is_a_contradiction);
    RUN(test_property_is_an_owner_for_others_but_never_certain);
    RUN(test_property_against_the_counts_is_a_contradiction);
    RUN(test_references_outside_of_knots_are_left_alone);
    RUN(test_reference_from_outside_into_a_knot_is_ruled_out_too);
    RUN(test_rest_of_a_knot_that_falls_apart);
    return check_report();
}
