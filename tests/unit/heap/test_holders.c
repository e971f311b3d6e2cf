/* Who holds a node of a heap that is drawn: by which path, lost or not, through memory of C too. */
#include "check.h"
#include "memory/drawn_snapshot.h"
#include "leaks/holders.h"

#include <stdio.h>
#include <stdlib.h>

static struct drawn_snapshot drawn;
static struct loupe_arena arena;
static struct loupe_holders holders;

static void find_known(const char *picture, const char *node, struct loupe_filters known) {
    drawn_snapshot_init(&drawn);
    drawn_snapshot_draw(&drawn, picture);
    drawn_snapshot_build(&drawn, "apple");
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_holders_find(&drawn.snapshot, drawn_snapshot_node(&drawn, node), known,
                                &drawn_chunks, &arena, &holders),
             LOUPE_OK);
}

static void find(const char *picture, const char *node) {
    find_known(picture, node, (struct loupe_filters){0});
}

static void close_picture(void) {
    loupe_holders_deinit(&holders);
    loupe_arena_deinit(&arena);
    drawn_snapshot_deinit(&drawn);
}

static uint32_t node_of(uint32_t shown) {
    return loupe_heap_graph_node(&holders.heap, shown);
}

/* "R A B": the nodes of a path from its root to a holder; "": it has none. */
static const char *path_of(const struct loupe_incoming_edge *held) {
    static char text[256];
    uint32_t nodes[64], count = 0;
    text[0] = '\0';
    if (held->path.root == LOUPE_NO_ROOT)
        return text;
    struct loupe_root_path path = held->path;
    nodes[count++] = held->from;
    for (; path.length; path = holders.paths.to[path.from])
        nodes[count++] = path.from;
    while (count--) {
        const char *name = drawn.drawn.nodes[node_of(nodes[count])].name;
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", text[0] ? " " : "",
                 name);
    }
    return text;
}

static const struct loupe_incoming_edge *holder(uint32_t i) {
    CHECK(i < holders.incoming.edge_count);
    return &holders.incoming.edges[i];
}

static const char *kind_of_root(const struct loupe_incoming_edge *held) {
    const struct loupe_root *root =
        loupe_vector_at(&holders.roots, held->path.root, sizeof(struct loupe_root));
    return loupe_root_kind_name(root->kind);
}

static const char *verdict(void) {
    return loupe_object_verdict_name(holders.verdict.kind);
}

static void test_the_shortest_path_to_each_holder_is_told(void) {
    find("global>R R.a->A A.b->B B.x->X R.c->C C.x->X", "X");
    CHECK_EQ(holders.incoming.edges_found, 2);
    CHECK_STR(path_of(holder(0)), "R C");
    CHECK_STR(path_of(holder(1)), "R A B");
    CHECK_STR(kind_of_root(holder(0)), "data");
    close_picture();
}

static void test_a_path_from_a_global_beats_a_shorter_one_from_a_stack(void) {
    find("stack>G G.x->X global>A A.b->B B.x->X pool>P P.x->X", "X");
    CHECK_STR(path_of(holder(0)), "A B");
    CHECK_STR(path_of(holder(1)), "P");
    CHECK_STR(kind_of_root(holder(1)), "autorelease-pool");
    CHECK_STR(path_of(holder(2)), "G");
    close_picture();
}

/* As fifteen messages know their folder, which is in a list or in a variable. */
static void test_what_dealloc_never_touches_is_no_owner_where_another_is(void) {
    find("global>L L.folder->F F.a->A F.b->B A.untouched~>F B.untouched~>F F=1", "F");
    CHECK_EQ(holders.incoming.edges_found, 1);
    CHECK_EQ(holders.incoming.ruled_out_found, 2);
    CHECK_STR(holders.incoming.ruled_out[0].owns_nothing_since,
              "others are known to own all of its retains");
    CHECK_STR(path_of(holder(0)), "L");
    CHECK_STR(verdict(), "held");
    close_picture();
    find("global>F global>L L.a->A L.b->B A.untouched~>F B.untouched~>F F=1", "F");
    CHECK_EQ(holders.incoming.edges_found, 0);
    CHECK_EQ(holders.incoming.ruled_out_found, 2);
    CHECK_STR(holders.incoming.ruled_out[0].owns_nothing_since,
              "the -dealloc of its class never touches it");
    CHECK_STR(verdict(), "held");
    close_picture();
}

static void test_what_dealloc_never_touches_may_own_what_nobody_else_does(void) {
    find("global>L L.a->A L.b->B A.untouched~>F B.untouched~>F F=1", "F");
    CHECK_EQ(holders.incoming.edges_found, 2);
    close_picture();
    find("stack>F global>L L.a->A A.untouched~>F F=1", "F");
    CHECK_EQ(holders.incoming.edges_found, 1);
    close_picture();
    find("global>F global>L L.a->A A.untouched~>F F=2", "F");
    CHECK_EQ(holders.incoming.edges_found, 1);
    close_picture();
}

static void test_who_owns_for_certain_comes_first(void) {
    find("global>R R.a->A A.b->B B.x->X R.c->C C.x~>X X=2", "X");
    CHECK_STR(path_of(holder(0)), "R A B");
    CHECK_STR(path_of(holder(1)), "R C");
    close_picture();
}

static void test_a_holder_in_memory_of_c_is_named_with_its_path(void) {
    find("global>m m*64 m?>n n*32 n?>X X=1", "X");
    CHECK_EQ(holders.incoming.edges_found, 0);
    CHECK_EQ(holders.incoming.memory_found, 1);
    const struct loupe_incoming_edge *word = &holders.incoming.memory[0];
    CHECK_STR(path_of(word), "m n");
    CHECK_EQ(loupe_node_kind(loupe_graph_node(&holders.heap.graph, word->from)), LOUPE_NODE_RAW);
    CHECK_STR(verdict(), "held");
    CHECK_STR(holders.verdict.reason, "a pointer in reachable non-object memory may own it");
    close_picture();
}

static void test_a_path_goes_through_memory_of_c(void) {
    find("global>m m*64 m?>A A.x->X X=1", "X");
    CHECK_STR(path_of(holder(0)), "m A");
    CHECK_STR(verdict(), "held");
    close_picture();
}

static void test_memory_that_only_a_stack_leads_to_keeps_nothing_for_long(void) {
    find("stack>m m*64 m?>X X=1", "X");
    CHECK_STR(path_of(&holders.incoming.memory[0]), "m");
    CHECK(!holders.incoming.memory[0].is_reached_without_stacks);
    CHECK_STR(verdict(), "unknown");
    close_picture();
}

static void test_a_holder_that_nothing_leads_to_is_lost(void) {
    find("global>R L.x->X X=1", "X");
    CHECK_STR(path_of(holder(0)), "");
    CHECK(holder(0)->is_lost);
    CHECK_EQ(holder(0)->closing, LOUPE_CLOSES_NO_RING);
    CHECK_STR(verdict(), "leaked");
    CHECK_STR(holders.verdict.reason, "all that holds it is itself unreachable");
    close_picture();
}

static void test_a_holder_that_the_node_alone_keeps_is_a_ring(void) {
    find("stack>X X.a->A A.x->X A=1", "X");
    CHECK_STR(path_of(holder(0)), "");
    CHECK_EQ(holder(0)->closing, LOUPE_CLOSES_A_RING);
    CHECK_EQ(holder(0)->references, 1);
    CHECK(!holder(0)->is_lost);
    CHECK_STR(verdict(), "leaked");
    close_picture();
    find("X.a->A A.b~>B B.x->X", "X");
    CHECK_EQ(holder(0)->closing, LOUPE_MAY_CLOSE_A_RING);
    CHECK(holder(0)->is_lost);
    close_picture();
}

static void test_a_word_that_closes_a_circle_is_no_ring(void) {
    find("X?>A A.x->X", "X");
    CHECK_EQ(holder(0)->closing, LOUPE_CLOSES_NO_RING);
    close_picture();
}

/* Of the same cycles leaks.h says so: what runs may have left the words on stacks. */
static void test_what_leaks_says_of_its_holders_is_the_verdict(void) {
    static const char in_cycle[] = "only a retain cycle keeps it alive",
                      below[] = "all that holds it is itself leaked";
    static const struct {
        const char *picture, *node, *verdict, *reason;
    } heaps[] = {
        {"stack>A A.b->B B.a->A", "B", "leaked", in_cycle},
        {"stack>A A.b~>B B.a~>A", "B", "leaked", in_cycle},
        {"stack>A A.b~>B B.a~>A", "A", "leaked", in_cycle},
        {"stack>A A.b->B B.a->A B.c->C C.d->D", "D", "leaked", below},
        {"global>G G.a/>A A.b->B B.a->A B.c->C", "C", "leaked", below},
        {"stack>A A.b~>B B.a~>A B.c->C", "C", "leaked", below},
        {"stack>A A.b->B B.a->A A=2", "B", "held", NULL},
        {"stack>A A.b->B B.a->A B.c->C stack>C C=2", "C", "held", NULL},
        {"global>A A.b~>B B.a~>A", "B", "held", NULL},
        {"global>G G.a->A A.b->B B.a->A B.c->C", "C", "held", NULL},
        {"stack>A A.b->B B.a->A B.c->C global>G G.c->C", "C", "held", NULL},
        {"global>L L:Loop L[0]->T T:Timer<NSTimer T!->A A.timer->T A.data->D", "D", "held", NULL}};
    for (size_t i = 0; i < sizeof(heaps) / sizeof(*heaps); i++) {
        find(heaps[i].picture, heaps[i].node);
        CHECK_STR(verdict(), heaps[i].verdict);
        if (heaps[i].reason)
            CHECK_STR(holders.verdict.reason, heaps[i].reason);
        close_picture();
    }
}

static void test_what_owns_nothing_is_told_apart(void) {
    find("global>S S.b^>X S.c/>X S.d->X X=1", "X");
    CHECK_EQ(holders.incoming.edges_found, 1);
    CHECK_EQ(holders.nonowning.items.count, 2);
    CHECK_EQ(loupe_nonowning_at(&holders.nonowning, 0)->edge.ownership, LOUPE_NONOWNING_WEAK);
    CHECK_EQ(loupe_nonowning_at(&holders.nonowning, 1)->edge.ownership, LOUPE_NONOWNING_UNRETAINED);
    CHECK_STR(verdict(), "held");
    close_picture();
}

static void test_no_path_goes_along_what_is_known_to_own_nothing(void) {
    static struct loupe_filter items[] = {
        {.source = "Center", .path = "observer", .owns_nothing = true, .reason = "it is so"}};
    struct loupe_filters known = {.items = items, .count = 1};
    find_known("global>S S:Center S.observer~>A A.x->X X=1 T:Center T.observer~>X", "X", known);
    CHECK_EQ(holders.incoming.edges_found, 1);
    CHECK_STR(path_of(holder(0)), "");
    CHECK_EQ(holders.incoming.ruled_out_found, 1);
    CHECK_STR(drawn.drawn.nodes[node_of(holders.incoming.ruled_out[0].from)].name, "T");
    CHECK(loupe_graph_is_hidden(&holders.heap.graph, holders.incoming.ruled_out[0].edge));
    close_picture();
}

static void test_words_of_roots_are_counted_by_kind(void) {
    find("global>X stack>X stack>X pool>X memory>X X=2", "X");
    CHECK_EQ(holders.incoming.words[LOUPE_ROOT_GLOBAL], 1);
    CHECK_EQ(holders.incoming.words[LOUPE_ROOT_STACK], 2);
    CHECK_EQ(holders.incoming.owned_by_roots, 1);
    CHECK_EQ(holders.incoming.root_count, 4);
    CHECK_EQ(holders.evidence.other_words, 1);
    close_picture();
}

static void test_a_release_is_missing_where_no_word_is_left(void) {
    find("global>A A.x->X X=3", "X");
    CHECK_STR(verdict(), "leaked");
    CHECK(strstr(holders.verdict.reason, "releases are missing: 2 of its 3 retains"));
    close_picture();
}

static void test_what_it_alone_keeps_is_added_up(void) {
    find("global>R R.x->X X.a->A A.b->B X.r->S R.s->S X#100 A#40 B#60", "X");
    CHECK_EQ(holders.keeps.objects, 3);
    CHECK_EQ(holders.keeps.bytes, 200);
    close_picture();
    find("global>S L.x->X X.a->A X.s->S X#100 A#40", "X");
    CHECK_EQ(holders.keeps.objects, 2);
    CHECK_EQ(holders.keeps.bytes, 140);
    close_picture();
}

static void test_a_long_path_is_told_from_its_end(void) {
    enum { LENGTH = 2 * LOUPE_MAX_PATH_SHOWN };
    char picture[64], name[16];
    drawn_snapshot_init(&drawn);
    drawn_snapshot_draw(&drawn, "global>N0");
    for (unsigned i = 0; i < LENGTH; i++) {
        snprintf(picture, sizeof(picture), "N%u.next->N%u", i, i + 1);
        drawn_snapshot_draw(&drawn, picture);
    }
    snprintf(picture, sizeof(picture), "N%u.x->X N300.x->X", LENGTH);
    drawn_snapshot_draw(&drawn, picture);
    drawn_snapshot_build(&drawn, "apple");
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_holders_find(&drawn.snapshot, drawn_snapshot_node(&drawn, "X"),
                                (struct loupe_filters){0}, &drawn_chunks, &arena, &holders),
             LOUPE_OK);
    for (uint32_t i = 0; i < 2; i++) {
        struct loupe_root_path path = holder(i)->path;
        uint32_t at = holder(i)->from;
        unsigned number = i ? LENGTH : 300;
        CHECK_EQ(path.length, number);
        for (unsigned step = 0; step < LOUPE_MAX_PATH_SHOWN; step++) {
            snprintf(name, sizeof(name), "N%u", number - step);
            CHECK_STR(drawn.drawn.nodes[node_of(at)].name, name);
            CHECK(path.edge != LOUPE_NO_EDGE);
            at = path.from;
            path = holders.paths.to[at];
        }
    }
    close_picture();
}

static void test_every_failing_allocation_is_told(void) {
    struct drawn_failing_chunks state = {0};
    static const char picture[] = "global>m m*64 m?>A A.x->X X.b->B B.x->X S.c^>X L.x->X";
    enum loupe_status status = LOUPE_ENOMEM;
    drawn_snapshot_init(&drawn);
    drawn_snapshot_draw(&drawn, picture);
    drawn_snapshot_build(&drawn, "apple");
    for (state.fail_at = 1; status; state.fail_at++) {
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        state.gets = 0;
        loupe_arena_init(&arena, &chunks);
        status = loupe_holders_find(&drawn.snapshot, drawn_snapshot_node(&drawn, "X"),
                                    (struct loupe_filters){0}, &chunks, &arena, &holders);
        CHECK(!status || status == LOUPE_ENOMEM);
        if (!status)
            loupe_holders_deinit(&holders);
        loupe_arena_deinit(&arena);
        CHECK_EQ(state.outstanding, 0);
    }
    CHECK(state.fail_at > 10);
    drawn_snapshot_deinit(&drawn);
}

int main(void) {
    RUN(test_the_shortest_path_to_each_holder_is_told);
    RUN(test_a_path_from_a_global_beats_a_shorter_one_from_a_stack);
    RUN(test_what_dealloc_never_touches_is_no_owner_where_another_is);
    RUN(test_what_dealloc_never_touches_may_own_what_nobody_else_does);
    RUN(test_who_owns_for_certain_comes_first);
    RUN(test_a_holder_in_memory_of_c_is_named_with_its_path);
    RUN(test_a_path_goes_through_memory_of_c);
    RUN(test_memory_that_only_a_stack_leads_to_keeps_nothing_for_long);
    RUN(test_a_holder_that_nothing_leads_to_is_lost);
    RUN(test_a_holder_that_the_node_alone_keeps_is_a_ring);
    RUN(test_a_word_that_closes_a_circle_is_no_ring);
    RUN(test_what_leaks_says_of_its_holders_is_the_verdict);
    RUN(test_what_owns_nothing_is_told_apart);
    RUN(test_no_path_goes_along_what_is_known_to_own_nothing);
    RUN(test_words_of_roots_are_counted_by_kind);
    RUN(test_a_release_is_missing_where_no_word_is_left);
    RUN(test_what_it_alone_keeps_is_added_up);
    RUN(test_a_long_path_is_told_from_its_end);
    RUN(test_every_failing_allocation_is_told);
    return check_report();
}
