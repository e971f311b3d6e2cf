/* Who holds a node, and by which path a root does: drawn graphs without a target. */
#include "check.h"
#include "graphs/drawn_graph.h"
#include "graph/incoming.h"

static struct drawn_graph drawn;
static struct loupe_vector roots;
static struct loupe_paths_from_roots paths;
static struct loupe_incoming incoming;

static void open_picture(const char *picture) {
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    loupe_vector_init(&roots, &drawn_chunks, sizeof(struct loupe_root));
}

static void add_root(const char *node, enum loupe_root_kind kind) {
    struct loupe_root *root = loupe_vector_add(&roots);
    *root = (struct loupe_root){.node = drawn_graph_id(&drawn, node), .kind = kind};
}

static uint32_t find(const char *node) {
    uint32_t id = drawn_graph_id(&drawn, node);
    CHECK_EQ(loupe_incoming_find(&drawn.graph, id, &drawn.describer, &roots, &paths, &incoming),
             LOUPE_OK);
    return incoming.edge_count;
}

static uint32_t find_again(const char *node) {
    loupe_paths_from_roots_deinit(&paths);
    return find(node);
}

static void close_picture(void) {
    loupe_paths_from_roots_deinit(&paths);
    loupe_vector_deinit(&roots);
    drawn_graph_deinit(&drawn);
}

/* The i-th holder: its edge, the root of its path (-1: none) and the path's length. */
static void check_holder(uint32_t i, const char *edge, int root, uint32_t length) {
    const struct loupe_incoming_edge *held = &incoming.edges[i];
    CHECK_STR(drawn_graph_edge(&drawn, held->from, held->edge), edge);
    CHECK_EQ(held->path.root, root < 0 ? LOUPE_NO_ROOT : (uint32_t)root);
    CHECK_EQ(held->path.length, length);
}

static void test_shorter_way_comes_first(void) {
    open_picture("S.r->R R.a->A A.b->B B.x->X R.c->C C.x->X");
    add_root("R", LOUPE_ROOT_GLOBAL);
    CHECK_EQ(find("X"), 2);
    check_holder(0, "C.x->X", 0, 1);
    check_holder(1, "B.x->X", 0, 2);
    CHECK_EQ(incoming.edges_found, 2);
    CHECK_EQ(incoming.assumed, 0);
    close_picture();
}

static void test_way_from_a_global_beats_a_shorter_one_from_a_stack(void) {
    open_picture("S.a->A S.g->G G.x->X A.b->B B.x->X");
    add_root("G", LOUPE_ROOT_STACK);
    add_root("A", LOUPE_ROOT_GLOBAL);
    CHECK_EQ(find("X"), 2);
    check_holder(0, "B.x->X", 1, 1);
    check_holder(1, "G.x->X", 0, 0);
    close_picture();
}

static void test_given_root_beats_all_others(void) {
    open_picture("S.a->A A.x->X");
    add_root("A", LOUPE_ROOT_GLOBAL);
    add_root("S", LOUPE_ROOT_GIVEN);
    CHECK_EQ(find("X"), 1);
    check_holder(0, "A.x->X", 1, 1);
    close_picture();
}

static enum loupe_doubt doubt_all(void *ctx, const struct loupe_graph *graph, uint32_t from,
                                  uint32_t edge) {
    (void)ctx, (void)graph, (void)from, (void)edge;
    return LOUPE_SOME_DOUBT;
}

static void test_what_is_doubted_is_no_owner_where_a_variable_lasts(void) {
    open_picture("S.a->A A.x~>X X=1");
    drawn.describer.doubt = doubt_all;
    add_root("S", LOUPE_ROOT_GLOBAL);
    CHECK_EQ(find("X"), 1);
    add_root("X", LOUPE_ROOT_STACK);
    CHECK_EQ(find_again("X"), 1);
    add_root("X", LOUPE_ROOT_GLOBAL);
    CHECK_EQ(find_again("X"), 0);
    CHECK_EQ(incoming.ruled_out_found, 1);
    CHECK_STR(incoming.ruled_out[0].owns_nothing_since,
              "the -dealloc of its class never touches it");
    close_picture();
}

static void test_others_own_nothing_where_known_ones_own_all_retains(void) {
    open_picture("S.a->A S.x->X A.x~>X X=1");
    add_root("S", LOUPE_ROOT_GLOBAL);
    CHECK_EQ(find("X"), 1);
    check_holder(0, "S.x->X", 0, 0);
    CHECK_EQ(incoming.assumed, 0);
    CHECK_EQ(incoming.ruled_out_found, 1);
    close_picture();
}

static void test_stacks_and_registers_are_equally_good(void) {
    open_picture("S.a->A S.b->B A.x->X B.c->C C.x->X");
    add_root("A", LOUPE_ROOT_REGISTER);
    add_root("B", LOUPE_ROOT_STACK);
    CHECK_EQ(find("X"), 2);
    check_holder(0, "A.x->X", 0, 0);
    check_holder(1, "C.x->X", 1, 1);
    close_picture();
}

static void test_first_of_two_roots_of_one_node_counts(void) {
    open_picture("S.a->A A.x->X");
    add_root("A", LOUPE_ROOT_GLOBAL);
    add_root("A", LOUPE_ROOT_GLOBAL);
    CHECK_EQ(find("X"), 1);
    check_holder(0, "A.x->X", 0, 0);
    close_picture();
}

static void test_holder_that_only_the_node_keeps_has_no_way(void) {
    open_picture("X.a->A A.x->X");
    add_root("X", LOUPE_ROOT_STACK);
    CHECK_EQ(find("X"), 1);
    check_holder(0, "A.x->X", -1, 0);
    CHECK_EQ(incoming.root_count, 1);
    CHECK_EQ(incoming.words[LOUPE_ROOT_STACK], 1);
    CHECK_EQ(incoming.words[LOUPE_ROOT_GLOBAL], 0);
    close_picture();
}

static void check_closing(uint32_t i, enum loupe_closing closing, uint64_t references) {
    CHECK_EQ(incoming.edges[i].closing, closing);
    CHECK_EQ(incoming.edges[i].references, references);
}

static void test_ring_of_strong_references_is_certain(void) {
    open_picture("X.a->A A.b->B B.x->X B.a->A X.b~>B");
    CHECK_EQ(find("X"), 1);
    check_closing(0, LOUPE_CLOSES_A_RING, 2);
    close_picture();
}

static void test_ring_with_an_assumed_reference_is_possible(void) {
    static const char *const pictures[] = {"X.a->A A.b~>B B.x->X", "X.b->B B.x~>X",
                                           "X.b+>B B.x->X"};
    for (size_t i = 0; i < sizeof(pictures) / sizeof(*pictures); i++) {
        open_picture(pictures[i]);
        CHECK_EQ(find("X"), 1);
        check_closing(0, LOUPE_MAY_CLOSE_A_RING, 1);
        close_picture();
    }
}

static void hide(const char *edge) {
    for (uint32_t from = 0; from < drawn.graph.opened; from++) {
        for (uint32_t id = loupe_graph_first_edge(&drawn.graph, from);
             id < loupe_graph_edges_end(&drawn.graph, from); id++) {
            if (strcmp(drawn_graph_edge(&drawn, from, id), edge) == 0)
                loupe_graph_hide(&drawn.graph, id);
        }
    }
}

static void test_hidden_references_hold_nothing_and_are_on_no_way(void) {
    open_picture("S.b~>B S.x~>X X.b~>B B.x->X");
    add_root("S", LOUPE_ROOT_GLOBAL);
    hide("X.b~>B");
    hide("S.b~>B");
    hide("S.x~>X");
    CHECK_EQ(find("X"), 1);
    check_holder(0, "B.x->X", -1, 0);
    check_closing(0, LOUPE_CLOSES_NO_RING, 0);
    CHECK_EQ(incoming.edges_found, 1);
    CHECK_EQ(incoming.ruled_out_found, 1);
    CHECK_EQ(incoming.ruled_out[0].from, drawn_graph_id(&drawn, "S"));
    close_picture();
}

static void test_pool_owns_holders_too(void) {
    open_picture("X.b->B B.x->X B.y->B");
    add_root("B", LOUPE_ROOT_POOL);
    ((struct loupe_root *)loupe_vector_at(&roots, 0, sizeof(struct loupe_root)))->retains = 2;
    roots.count = 1;
    CHECK_EQ(find("X"), 1);
    check_holder(0, "B.x->X", 0, 0);
    roots.count = 0;
    loupe_paths_from_roots_deinit(&paths);
    CHECK_EQ(find("X"), 1);
    check_closing(0, LOUPE_CLOSES_A_RING, 2);
    close_picture();
}

static void test_reference_to_itself_is_one(void) {
    open_picture("X.me->X");
    CHECK_EQ(find("X"), 1);
    check_holder(0, "X.me->X", -1, 0);
    close_picture();
}

static void test_holders_without_a_way_come_last(void) {
    open_picture("X.a->A A.x->X X.s->S S.g->G G.x->X");
    add_root("G", LOUPE_ROOT_STACK);
    CHECK_EQ(find("X"), 2);
    check_holder(0, "G.x->X", 0, 0);
    check_holder(1, "A.x->X", -1, 0);
    close_picture();
}

static void test_parallel_and_assumed_references_all_count(void) {
    open_picture("S.a->X S.b->X S.c~>X");
    add_root("S", LOUPE_ROOT_GLOBAL);
    CHECK_EQ(find("X"), 3);
    CHECK_EQ(incoming.edges_found, 3);
    CHECK_EQ(incoming.assumed, 1);
    close_picture();
}

static void test_node_that_nothing_holds(void) {
    open_picture("X.a->A");
    CHECK_EQ(find("X"), 0);
    CHECK_EQ(incoming.edges_found, 0);
    CHECK_EQ(incoming.root_count, 0);
    close_picture();
}

/* More holders than are shown: the best ones are, and all count. */
static void test_many_holders(void) {
    enum { HOLDERS = 3 * LOUPE_MAX_INCOMING };
    drawn_graph_init(&drawn);
    uint32_t seed = drawn_graph_add_node(&drawn, "S", "S");
    uint32_t target = drawn_graph_add_node(&drawn, "X", "X");
    uint32_t last = seed;
    for (unsigned i = 0; i < HOLDERS; i++) { /* a list whose every node holds X */
        char name[16];
        snprintf(name, sizeof(name), "N%u", i);
        uint32_t node = drawn_graph_add_node(&drawn, name, "N");
        drawn_graph_add_edge(&drawn, node, target, LOUPE_EDGE_IVAR, LOUPE_STRONG, "x");
        drawn_graph_add_edge(&drawn, last, node, LOUPE_EDGE_IVAR, LOUPE_STRONG, "next");
        last = node;
    }
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    loupe_vector_init(&roots, &drawn_chunks, sizeof(struct loupe_root));
    add_root("N250", LOUPE_ROOT_STACK);
    add_root("N0", LOUPE_ROOT_GLOBAL);
    add_root("N299", LOUPE_ROOT_GIVEN);
    CHECK_EQ(find("X"), LOUPE_MAX_INCOMING);
    CHECK_EQ(incoming.edges_found, HOLDERS);
    check_holder(0, "N299.x->X", 2, 0);
    for (uint32_t i = 1; i < LOUPE_MAX_INCOMING; i++) {
        CHECK_EQ(incoming.edges[i].path.root, 1);
        CHECK_EQ(incoming.edges[i].path.length, i - 1);
    }
    close_picture();
}

static void test_every_failing_allocation_is_told(void) {
    struct drawn_failing_chunks state = {0};
    bool done = false;
    open_picture("S.a->A A.x->X B.x->X X.b->B");
    add_root("S", LOUPE_ROOT_GLOBAL);
    uint32_t id = drawn_graph_id(&drawn, "X");
    for (state.fail_at = 1; !done; state.fail_at++) {
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        state.gets = 0;
        drawn.graph.nodes.chunks = &chunks;
        enum loupe_status status =
            loupe_incoming_find(&drawn.graph, id, &drawn.describer, &roots, &paths, &incoming);
        done = status == LOUPE_OK;
        CHECK(done || status == LOUPE_ENOMEM);
        if (done)
            loupe_paths_from_roots_deinit(&paths);
        CHECK_EQ(state.outstanding, 0);
    }
    CHECK(state.fail_at > 12);
    drawn.graph.nodes.chunks = &drawn_chunks;
    CHECK_EQ(find("X"), 2);
    close_picture();
}

int main(void) {
    RUN(test_shorter_way_comes_first);
    RUN(test_way_from_a_global_beats_a_shorter_one_from_a_stack);
    RUN(test_given_root_beats_all_others);
    RUN(test_what_is_doubted_is_no_owner_where_a_variable_lasts);
    RUN(test_others_own_nothing_where_known_ones_own_all_retains);
    RUN(test_stacks_and_registers_are_equally_good);
    RUN(test_first_of_two_roots_of_one_node_counts);
    RUN(test_holder_that_only_the_node_keeps_has_no_way);
    RUN(test_ring_of_strong_references_is_certain);
    RUN(test_ring_with_an_assumed_reference_is_possible);
    RUN(test_hidden_references_hold_nothing_and_are_on_no_way);
    RUN(test_pool_owns_holders_too);
    RUN(test_reference_to_itself_is_one);
    RUN(test_holders_without_a_way_come_last);
    RUN(test_parallel_and_assumed_references_all_count);
    RUN(test_node_that_nothing_holds);
    RUN(test_many_holders);
    RUN(test_every_failing_allocation_is_told);
    return check_report();
}
