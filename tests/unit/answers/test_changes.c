/* What a fix means in the source, decided for drawn rings. */
#include "check.h"
#include "graphs/drawn_graph.h"
#include "report/advice.h"

#include <string.h>

static struct drawn_graph drawn;
static struct loupe_arena arena;
static struct loupe_cycles cycles;

static void open_picture(const char *picture) {
    struct loupe_cycles_options options = {.max_rings = 1};
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &cycles),
             LOUPE_OK);
}

static void close_picture(void) {
    loupe_arena_deinit(&arena);
    drawn_graph_deinit(&drawn);
}

static struct loupe_advice advice_for(const struct loupe_fix *fix, bool without_weak_references) {
    struct loupe_adviser adviser = {.graph = &drawn.graph,
                                    .describer = &drawn.describer,
                                    .knot = cycles.knots,
                                    .without_weak_references = without_weak_references};
    struct loupe_advice advice;
    loupe_advise(&adviser, fix, &advice);
    return advice;
}

/* "invalidate-before T!->A", "take-out L[0]->A in A._all->L": all subjects of the fix that is about
 * an edge. */
static const char *advice_text(const char *edge, bool without_weak_references) {
    static char text[512];
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < cycles.knots->fixes.count; i++) {
        const struct loupe_fix *fix = &cycles.knots->fixes.items[i];
        if (strcmp(drawn_graph_edge(&drawn, fix->from, fix->edge), edge) != 0)
            continue;
        struct loupe_advice advice = advice_for(fix, without_weak_references);
        for (uint32_t j = 0; j < advice.count; j++) {
            const struct loupe_subject *subject = &advice.subjects[j];
            length += loupe_format(text + length, sizeof(text) - length, "%s%s %s", j ? ", " : "",
                                   loupe_change_name(subject->change),
                                   drawn_graph_edge(&drawn, subject->from, subject->edge));
            if (subject->in_edge != LOUPE_NO_EDGE)
                length +=
                    loupe_format(text + length, sizeof(text) - length, " in %s",
                                 drawn_graph_edge(&drawn, subject->in_from, subject->in_edge));
        }
    }
    return text;
}

static void check_advice(const char *picture, const char *edge, const char *want) {
    check_current = picture;
    open_picture(picture);
    CHECK_STR(advice_text(edge, false), want);
    close_picture();
}

static void test_ivars(void) {
    check_advice("A._b->B B._a->A", "B._a->A", "make-weak B._a->A");
    check_advice("A._done->b b{self}->A", "A._done->b", "set-to-nil A._done->b");
    check_advice("A._all->L L[0]->A L:NSKVONotifying_Shelf", "A._all->L", "make-weak A._all->L");
    check_advice("A._all->L L[0]->A L:__NSArrayM", "A._all->L", "set-to-nil A._all->L");
    check_advice("A._tick->T T._a->A T:GameTimer", "A._tick->T", "invalidate A._tick->T");
}

static void test_runtime_without_weak_references(void) {
    open_picture("A._b->B B._a->A");
    CHECK_STR(advice_text("B._a->A", true), "set-to-nil B._a->A");
    close_picture();
}

/* There code that retains by itself can let it be, also where a property says that it retains. */
static void test_manual_code_without_weak_references(void) {
    open_picture("A._b->B B._a+>A");
    CHECK_STR(advice_text("B._a+>A", true), "make-weak B._a+>A");
    close_picture();
}

/* Whichever of the two is taken away: the ivar's change is the target's. */
static void test_what_acts_on_a_target_is_ended(void) {
    check_advice("A._timer->T T!->A T:__NSCFTimer", "A._timer->T", "invalidate-before T!->A");
    check_advice("A._timer->T T!->A T:__NSCFTimer", "T!->A", "invalidate-before T!->A");
    check_advice("A._timer->T T!->b b{x}->A T:NSTimer", "T!->b", "invalidate T!->b");
    check_advice("A._source->T T!->b b{x}->A T:OS_dispatch_source", "T!->b", "cancel T!->b");
    check_advice("A._call->T T!->A T:GSFFIInvocation", "T!->A", "finish T!->A");
}

static void test_what_foundation_ends_in_its_own_way(void) {
    check_advice("A._token->O O._block->b b{self}->A O:__NSObserver", "A._token->O",
                 "remove-token A._token->O");
    check_advice("A._token->O O._block->b b{self}->A O:GSNotificationObserver", "O._block->b",
                 "remove-token O._block->b");
    check_advice("A._net->S S._delegate->A S:__NSURLSessionLocal", "A._net->S",
                 "invalidate A._net->S");
    check_advice("A._net->S S._delegate->A S:__NSURLSessionLocal", "S._delegate->A",
                 "invalidate-before S._delegate->A");
}

/* The target of a timer that is on the ring by something else is another matter. */
static void test_target_beside_the_ring(void) {
    check_advice("A._timer->T T._info->A T!->X T:NSTimer", "A._timer->T", "invalidate A._timer->T");
}

static void test_captures(void) {
    check_advice("A._done->b b{self}->A", "b{self}->A", "capture-weakly b{self}->A");
    check_advice("A._done->b b{x}->v v&me->A", "b{x}->v", "make-weak v&me->A");
    check_advice("A._done->b b{x}->v v&me->A", "v&me->A", "make-weak v&me->A");
}

static void test_undo_managers(void) {
    check_advice("A._undo->U U._stack->L L[0]->A U:NSUndoManager L:NSMutableArray", "A._undo->U",
                 "remove-actions A._undo->U");
}

static void test_observers(void) {
    check_advice("A._wire->W W._observers->L L[0]->A L:NSMutableArray", "L[0]->A",
                 "remove-observer L[0]->A in W._observers->L");
    check_advice("A._wire->W W._observers->L L[0]->b b{self}->A L:NSMutableArray", "L[0]->b",
                 "take-out L[0]->b in W._observers->L");
    check_advice("A._wire->W W._observers->L L[0]->A L:NSMutableArray W:NSConnection", "L[0]->A",
                 "take-out L[0]->A");
}

static void test_collections(void) {
    check_advice("A._all->L L[0]->A L:NSMutableArray", "L[0]->A", "take-out L[0]->A in A._all->L");
    check_advice("A._all->L L=>A L:NSMutableDictionary", "L=>A", "take-out L=>A in A._all->L");
    check_advice("A@extra->B B._a->A", "A@extra->B", "weak-wrapper A@extra->B");
}

static void test_parallel_references_change_together(void) {
    check_advice("A._b->B B._delegate->A B._data->A", "B._data->A",
                 "make-weak B._data->A, make-weak B._delegate->A");
}

static void test_reach(void) {
    open_picture("A._b->B B._a->A");
    CHECK_EQ(advice_for(cycles.knots->fixes.items, false).reach, LOUPE_REACHES_KNOT);
    close_picture();
    open_picture("R.kid->A R.kid2->B A.up->R B.up->R A:Leaf B:Leaf");
    CHECK_EQ(advice_for(cycles.knots->fixes.items, false).reach, LOUPE_REACHES_EVERYWHERE);
    close_picture();
    open_picture("A.b->B B.a->A A.c->C C.a->A");
    CHECK_EQ(advice_for(cycles.knots->fixes.items, false).reach, LOUPE_REACHES_RING);
    close_picture();
}

static void test_names_lead_back(void) {
    for (unsigned i = 0; i < LOUPE_CHANGE_COUNT; i++)
        CHECK_EQ(loupe_change_named(loupe_span_of(loupe_change_name((enum loupe_change)i))), i);
    CHECK_EQ(loupe_change_named(loupe_span_of("rewrite")), LOUPE_CHANGE_COUNT);
}

int main(void) {
    RUN(test_ivars);
    RUN(test_runtime_without_weak_references);
    RUN(test_manual_code_without_weak_references);
    RUN(test_what_acts_on_a_target_is_ended);
    RUN(test_what_foundation_ends_in_its_own_way);
    RUN(test_target_beside_the_ring);
    RUN(test_captures);
    RUN(test_undo_managers);
    RUN(test_observers);
    RUN(test_collections);
    RUN(test_parallel_references_change_together);
    RUN(test_reach);
    RUN(test_names_lead_back);
    return check_report();
}
