/* Leaked, held or unknown, and the arithmetic behind it. Counts are those of the pictures. */
#include "check.h"
#include "cycles/cycles.h"
#include "graphs/drawn_graph.h"

static struct drawn_graph drawn;
static struct loupe_arena arena;
static struct loupe_cycles cycles;

static const struct loupe_verdict *open_picture(const char *picture, uint64_t limit) {
    struct loupe_cycles_options options = {0};
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    CHECK_EQ(drawn_graph_build(&drawn, limit), LOUPE_OK);
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &cycles),
             LOUPE_OK);
    return &cycles.knots[0].verdict;
}

static void close_picture(void) {
    loupe_arena_deinit(&arena);
    drawn_graph_deinit(&drawn);
}

/* "leaked: 2 retains = 2 inside + 0 outside + 0 unexplained - 0 excess" */
static void check_verdict(const char *picture, const char *want) {
    char text[256];
    const struct loupe_verdict *verdict = open_picture(picture, 0);
    const char *reason = loupe_verdict_reason_text(verdict->reason);
    loupe_format(text, sizeof(text), "%s%s%s: %llu = %llu inside + %llu outside + %llu - %llu",
                 loupe_verdict_name(verdict->kind), reason ? ", " : "", reason ? reason : "",
                 (unsigned long long)verdict->retains, (unsigned long long)verdict->inside,
                 (unsigned long long)verdict->outside, (unsigned long long)verdict->unexplained,
                 (unsigned long long)verdict->excess);
    CHECK_STR(text, want);
    close_picture();
}

static void test_ring_that_only_holds_itself_is_leaked(void) {
    check_verdict("A.b->B B.a->A", "leaked: 2 = 2 inside + 0 outside + 0 - 0");
}

static void test_each_parallel_reference_is_a_retain(void) {
    check_verdict("A.b->B A.c->B B.a->A", "leaked: 3 = 3 inside + 0 outside + 0 - 0");
    check_verdict("A.b->B A.c->B B.a->A B=3", "held: 4 = 3 inside + 0 outside + 1 - 0");
}

/* By two std::shared_ptr: the object counts what they share, once. */
static void test_shared_references_are_one_retain(void) {
    check_verdict("A.b->B A.c%>B B.a->A", "leaked: 2 = 3 inside + 0 outside + 0 - 0");
    check_verdict("A.b->B A.c%>B B.a->A B=2", "held: 3 = 3 inside + 0 outside + 1 - 0");
    check_verdict("S.a->A A.b->B B.a%>A S=1 A=1", "held: 2 = 2 inside + 1 outside + 0 - 0");
}

static void test_retain_of_a_local_variable_holds(void) {
    check_verdict("A.b->B B.a->A A=2", "held: 3 = 2 inside + 0 outside + 1 - 0");
}

static void test_known_reference_from_outside_holds(void) {
    check_verdict("S=1 S.a->A A.b->B B.a->A", "held: 3 = 2 inside + 1 outside + 0 - 0");
    open_picture("S=1 S.a->A S.b->B A.b->B B.a->A", 0);
    const struct loupe_verdict *verdict = &cycles.knots[0].verdict;
    CHECK_EQ(verdict->holder_count, 2);
    CHECK_STR(drawn_graph_edge(&drawn, verdict->holders[0].from, verdict->holders[0].edge),
              "S.a->A");
    CHECK_STR(drawn_graph_edge(&drawn, verdict->holders[1].from, verdict->holders[1].edge),
              "S.b->B");
    close_picture();
}

static void test_reference_from_another_knot_is_one_from_outside(void) {
    check_verdict("S.me->S S.a->A A.s->S", "leaked: 3 = 3 inside + 0 outside + 0 - 0");
    open_picture("X.y->Y Y.x->X Y.a->A A.b->B B.a->A", 0);
    CHECK_EQ(cycles.knots[0].verdict.kind, LOUPE_LEAKED);
    CHECK_EQ(cycles.knots[1].verdict.kind, LOUPE_HELD);
    CHECK_EQ(cycles.knots[1].verdict.outside, 1);
    close_picture();
}

static void test_holders_beyond_the_list_are_counted(void) {
    open_picture("S=1 S.p->P S.a->A S.b->A S.c->A S.d->A S.e->A S.f->A S.g->A S.h->A S.i->A "
                 "A.b->B B.a->A",
                 0);
    CHECK_EQ(cycles.knots[0].verdict.outside, 9);
    CHECK_EQ(cycles.knots[0].verdict.holder_count, LOUPE_MAX_HOLDERS);
    close_picture();
}

static void test_count_that_cannot_be_read_decides_nothing(void) {
    check_verdict("A.b->B B.a->A B=?", "unknown, the retain count of an object in it is unknown: "
                                       "1 = 2 inside + 0 outside + 0 - 0");
}

static void test_immortal_member_decides_nothing(void) {
    check_verdict("A.b->B B.a->A A=? B=!", "unknown, an object in it is never freed: "
                                           "0 = 2 inside + 0 outside + 0 - 0");
    check_verdict("A.b->B B.a->A A=! B=?", "unknown, an object in it is never freed: "
                                           "0 = 2 inside + 0 outside + 0 - 0");
    open_picture("A.b->B B.a->A A=? B=!", 0);
    CHECK_EQ(cycles.knots[0].verdict.example, drawn_graph_id(&drawn, "B"));
    CHECK_EQ(cycles.knots[0].verdict.not_counted, 2);
    close_picture();
}

static void test_more_references_than_retains_is_our_mistake_and_said(void) {
    check_verdict("A.b->B A.c->B B.a->A B=1",
                  "unknown, an object in it has more references than retains: "
                  "2 = 3 inside + 0 outside + 0 - 1");
}

/* One member has a retain too many, the other one too few: the sum would say leaked. */
static void test_errors_of_two_members_do_not_cancel_out(void) {
    check_verdict("A.b->B A.c->B B.a->A A=2 B=1",
                  "unknown, an object in it has more references than retains: "
                  "3 = 3 inside + 0 outside + 1 - 1");
}

static void test_assumed_reference_decides_nothing(void) {
    check_verdict("A.b->B B.a~>A", "unknown, references that may own nothing lead into it: "
                                   "2 = 2 inside + 0 outside + 0 - 0");
    check_verdict("S=1 S.a~>A A.b->B B.a->A",
                  "unknown, references that may own nothing lead into it: "
                  "3 = 2 inside + 1 outside + 0 - 0");
}

static void test_assumed_reference_out_of_the_knot_does_not_matter(void) {
    check_verdict("A.b->B B.a->A B.c~>C", "leaked: 2 = 2 inside + 0 outside + 0 - 0");
}

static void test_hidden_reference_still_explains_a_retain(void) {
    struct loupe_filter filter = {.source = "A", .path = "c", .reason = "on purpose"};
    struct loupe_cycles_options options = {.filters = &filter, .filter_count = 1};
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, "A.b->B A.c->B B.a->A");
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &cycles),
             LOUPE_OK);
    CHECK_EQ(cycles.knots[0].edges, 2);
    CHECK_EQ(cycles.knots[0].verdict.inside, 3);
    CHECK_EQ(cycles.knots[0].verdict.kind, LOUPE_LEAKED);
    close_picture();
}

/* Of a walk from the first object of the picture. */
static bool is_timed(const char *picture, bool judges_timers) {
    struct loupe_cycles_options options = {.judges_timers = judges_timers};
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &cycles),
             LOUPE_OK);
    bool ret = cycles.knots[0].is_timed;
    CHECK(!ret || cycles.knots[0].verdict.kind == LOUPE_HELD);
    close_picture();
    return ret;
}

static void test_what_a_run_loop_keeps_by_a_timer_is_held_by_that_alone(void) {
    CHECK(is_timed("Poller.timer->NSTimer NSTimer.target->Poller NSTimer=2", true));
    CHECK(is_timed("Poller.timer->NSTimer NSTimer.target~>Poller NSTimer=2", true));
    CHECK(is_timed("S.t->NSTimer NSTimer.target->Poller Poller.timer->NSTimer", true));
    CHECK(is_timed("NSTimer.target->Poller Poller.timer->NSTimer NSTimer=2", true));
    CHECK(!is_timed("Poller.timer->NSTimer NSTimer.target->Poller NSTimer=2", false));
}

static void test_what_something_else_keeps_is_not(void) {
    CHECK(!is_timed("Poller.timer->NSTimer NSTimer.target->Poller", true));
    CHECK(!is_timed("Poller.timer->NSTimer NSTimer.target->Poller NSTimer=2 Poller=2", true));
    CHECK(!is_timed("S.p->Poller Poller.timer->NSTimer NSTimer.target->Poller NSTimer=2", true));
    CHECK(!is_timed("S.p->P P.timer->NSTimer NSTimer.target->P NSTimer=2 P=3", true));
    CHECK(!is_timed("Poller.timer->NSTimer NSTimer.target->Poller NSTimer=2 Poller=?", true));
    CHECK(!is_timed("A.b->B B.a->A A=2", true));
}

int main(void) {
    RUN(test_ring_that_only_holds_itself_is_leaked);
    RUN(test_each_parallel_reference_is_a_retain);
    RUN(test_shared_references_are_one_retain);
    RUN(test_retain_of_a_local_variable_holds);
    RUN(test_known_reference_from_outside_holds);
    RUN(test_reference_from_another_knot_is_one_from_outside);
    RUN(test_holders_beyond_the_list_are_counted);
    RUN(test_count_that_cannot_be_read_decides_nothing);
    RUN(test_immortal_member_decides_nothing);
    RUN(test_more_references_than_retains_is_our_mistake_and_said);
    RUN(test_errors_of_two_members_do_not_cancel_out);
    RUN(test_assumed_reference_decides_nothing);
    RUN(test_assumed_reference_out_of_the_knot_does_not_matter);
    RUN(test_hidden_reference_still_explains_a_retain);
    RUN(test_what_a_run_loop_keeps_by_a_timer_is_held_by_that_alone);
    RUN(test_what_something_else_keeps_is_not);
    return check_report();
}
