/* Building: order, limits, interruption, memory that runs out, and the index from addresses. */
#include "check.h"
#include "graphs/drawn_graph.h"

#include <stdlib.h>

static struct drawn_graph drawn;

static void open_picture(const char *picture, uint64_t limit) {
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    CHECK_EQ(drawn_graph_build(&drawn, limit), LOUPE_OK);
    CHECK(loupe_graph_is_valid(&drawn.graph));
}

/* All nodes in their order, each with its edges: "A: A.b->B | B:". */
static void check_graph(const char *want) {
    static char text[4096];
    size_t length = 0;
    const struct loupe_graph *graph = &drawn.graph;
    text[0] = '\0';
    for (uint32_t node = 0; node < loupe_graph_node_count(graph); node++) {
        length += loupe_format(text + length, sizeof(text) - length, "%s%s:", node ? " | " : "",
                               drawn.nodes[drawn_graph_drawn(&drawn, node)].name);
        uint32_t end = loupe_graph_edges_end(graph, node);
        for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++) {
            CHECK_EQ(loupe_graph_source(graph, id), node);
            length += loupe_format(text + length, sizeof(text) - length, " %s",
                                   drawn_graph_edge(&drawn, node, id));
        }
    }
    CHECK_STR(text, want);
}

static void test_nodes_are_numbered_breadth_first(void) {
    open_picture("A.b->B A.c->C B.d->D C.e->E D.a->A", 0);
    check_graph("A: A.b->B A.c->C | B: B.d->D | C: C.e->E | D: D.a->A | E:");
    drawn_graph_deinit(&drawn);
}

static void test_parallel_edges_and_edges_to_oneself_are_kept(void) {
    open_picture("A.b->B A.c->B A.me->A A.b2->B", 0);
    check_graph("A: A.b->B A.c->B A.me->A A.b2->B | B:");
    drawn_graph_deinit(&drawn);
}

static void test_what_the_seed_does_not_reach_is_not_there(void) {
    open_picture("A.b->B X.a->A X.y->Y", 0);
    check_graph("A: A.b->B | B:");
    drawn_graph_deinit(&drawn);
}

static void test_limit_leaves_nodes_out_and_counts_references_to_them(void) {
    open_picture("A.b->B A.c->C B.d->D B.a->A C.d->D C.b->B", 3);
    check_graph("A: A.b->B A.c->C | B: B.a->A | C: C.b->B");
    CHECK_EQ(drawn.findings.by_reason[LOUPE_FINDING_LIMIT].count, 2);
    CHECK_EQ(drawn.findings.by_reason[LOUPE_FINDING_LIMIT].example, 0x4000);
    drawn_graph_deinit(&drawn);
}

static void test_limit_that_is_just_enough_counts_nothing(void) {
    open_picture("A.b->B A.c->C C.a->A", 3);
    CHECK_EQ(loupe_graph_node_count(&drawn.graph), 3);
    CHECK_EQ(drawn.findings.by_reason[LOUPE_FINDING_LIMIT].count, 0);
    drawn_graph_deinit(&drawn);
}

static void test_frozen_graph_forgets_addresses(void) {
    uint32_t node;
    open_picture("A.b->B", 0);
    CHECK(!loupe_graph_find(&drawn.graph, 0x1000, &node));
    drawn_graph_deinit(&drawn);
}

/* ---- The invariant ---- */

static void test_graph_that_was_tampered_with_is_not_valid(void) {
    open_picture("A.b->B B.c->C C.a->A", 0);
    struct loupe_graph *graph = &drawn.graph;
    uint32_t *link = (uint32_t *)&graph->columns.to[1];
    uint8_t *kind = &loupe_graph_edge_facts(graph, 1)->kind;
    uint32_t *first_edge = (uint32_t *)&graph->columns.first[1];
    loupe_addr *address = loupe_graph_address_place(graph, 1);
    *link = 3;
    CHECK(!loupe_graph_is_valid(graph));
    *link = 2;
    *kind = LOUPE_EDGE_KIND_COUNT;
    CHECK(!loupe_graph_is_valid(graph));
    *kind = LOUPE_EDGE_IVAR;
    *first_edge = 4;
    CHECK(!loupe_graph_is_valid(graph));
    *first_edge = 3;
    CHECK(!loupe_graph_is_valid(graph));
    *first_edge = 1;
    *address = 0x1000;
    CHECK(!loupe_graph_is_valid(graph));
    *address = 0x2000;
    CHECK(loupe_graph_is_valid(graph));
    first_edge[-1] = 1;
    CHECK(!loupe_graph_is_valid(graph));
    drawn_graph_deinit(&drawn);
}

/* ---- Walks that end early ---- */

/* A chain without end; expand() of the given node returns a failure instead. */
struct chain {
    uint32_t fail_at;
    enum loupe_status failure;
    uint32_t interrupt_at;
    uint32_t expanded;
};

static enum loupe_status expand_chain(void *ctx, struct loupe_graph *graph) {
    struct chain *chain = ctx;
    uint32_t node = loupe_graph_open_next(graph);
    if (node == chain->fail_at)
        return chain->failure;
    chain->expanded++;
    uint32_t next;
    enum loupe_status status =
        loupe_graph_add_node(graph, loupe_graph_address(graph, node) + 16, 0, &next);
    struct loupe_edge edge = {.to = next};
    return status ? status : loupe_graph_add_edge(graph, &edge);
}

static enum loupe_status read_nothing(void *ctx, loupe_addr addr, void *dst, size_t len) {
    (void)ctx, (void)addr, (void)dst, (void)len;
    return LOUPE_EFAULT;
}

static bool chain_interrupted(void *ctx) {
    const struct chain *chain = ctx;
    return chain->interrupt_at && chain->expanded >= chain->interrupt_at;
}

static enum loupe_status walk_chain(struct chain *chain, struct loupe_graph *graph,
                                    struct loupe_findings *findings) {
    static const struct loupe_reader_ops ops = {.read = read_nothing,
                                                .interrupted = chain_interrupted};
    struct loupe_machine machine = {.pointer_size = 8};
    struct loupe_memory memory;
    struct loupe_expander expander = {.ctx = chain, .expand = expand_chain};
    uint32_t seed;
    *findings = (struct loupe_findings){0};
    loupe_memory_init(&memory, &ops, chain, machine, &drawn_chunks);
    loupe_graph_init(graph, &drawn_chunks, 100000, findings);
    CHECK_EQ(loupe_graph_add_node(graph, 0x1000, 0, &seed), LOUPE_OK);
    enum loupe_status status = loupe_graph_build(graph, &memory, &expander);
    CHECK(loupe_graph_is_valid(graph));
    loupe_memory_deinit(&memory);
    return status;
}

static void test_interruption_ends_the_walk_and_counts_what_is_left(void) {
    struct chain chain = {.fail_at = LOUPE_NO_NODE, .interrupt_at = 1000};
    struct loupe_graph graph;
    struct loupe_findings findings;
    CHECK_EQ(walk_chain(&chain, &graph, &findings), LOUPE_OK);
    CHECK(chain.expanded >= 1000 && chain.expanded < 2000);
    CHECK_EQ(loupe_graph_node_count(&graph), chain.expanded + 1);
    CHECK_EQ(findings.by_reason[LOUPE_FINDING_INTERRUPTED].count, 1);
    CHECK_EQ(findings.by_reason[LOUPE_FINDING_INTERRUPTED].example,
             0x1000 + 16 * (loupe_addr)chain.expanded);
    loupe_graph_deinit(&graph);
}

static void test_budget_that_ends_counts_the_node_it_ended_in(void) {
    struct chain chain = {.fail_at = 10, .failure = LOUPE_ELIMIT};
    struct loupe_graph graph;
    struct loupe_findings findings;
    CHECK_EQ(walk_chain(&chain, &graph, &findings), LOUPE_OK);
    CHECK_EQ(loupe_graph_node_count(&graph), 11);
    CHECK_EQ(findings.by_reason[LOUPE_FINDING_LIMIT].count, 1);
    loupe_graph_deinit(&graph);
}

static void test_timeout_inside_of_a_node_is_an_interruption(void) {
    struct chain chain = {.fail_at = 10, .failure = LOUPE_ETIMEOUT};
    struct loupe_graph graph;
    struct loupe_findings findings;
    CHECK_EQ(walk_chain(&chain, &graph, &findings), LOUPE_OK);
    CHECK_EQ(findings.by_reason[LOUPE_FINDING_INTERRUPTED].count, 1);
    loupe_graph_deinit(&graph);
}

static void test_failure_of_the_expander_is_handed_on(void) {
    struct chain chain = {.fail_at = 10, .failure = LOUPE_EINTERNAL};
    struct loupe_graph graph;
    struct loupe_findings findings;
    CHECK_EQ(walk_chain(&chain, &graph, &findings), LOUPE_EINTERNAL);
    loupe_graph_deinit(&graph);
}

/* ---- Memory ---- */

static void test_every_chunk_that_fails_is_reported_and_none_is_lost(void) {
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        struct drawn_failing_chunks state = {.fail_at = n};
        struct loupe_chunk_ops failing = drawn_failing_chunk_ops(&state);
        drawn_graph_init(&drawn);
        drawn_graph_draw(&drawn, "A.b->B B.c->C C.d->D D.e->E E.f->F F.g->G G.a->A");
        drawn.chunks = &failing;
        enum loupe_status status = drawn_graph_build(&drawn, 0);
        done = status == LOUPE_OK;
        CHECK(done || status == LOUPE_ENOMEM);
        state.fail_at = 0;
        CHECK(loupe_graph_is_valid(&drawn.graph));
        drawn_graph_deinit(&drawn);
        CHECK_EQ(state.outstanding, 0);
        CHECK(!done || n > 4);
    }
}

/* A provider that knows how much it gave. */
struct counted_chunks {
    size_t now, most;
};

static void *get_counted(void *ctx, size_t size) {
    struct counted_chunks *counted = ctx;
    counted->now += size;
    counted->most = counted->now > counted->most ? counted->now : counted->most;
    return malloc(size);
}

static void put_counted(void *ctx, void *chunk, size_t size) {
    struct counted_chunks *counted = ctx;
    counted->now -= size;
    free(chunk);
}

/* What nothing was written to yet is no memory, but addresses. */
static size_t untouched(const struct loupe_graph *graph) {
    return (graph->first.room - loupe_graph_node_count(graph)) * sizeof(uint32_t) +
           (graph->links.room - loupe_graph_edge_count(graph)) * sizeof(uint32_t);
}

/* Whatever the number of nodes: also just after the index has grown; and 4 more while a column
 * does. */
static void test_building_takes_24_bytes_a_node(void) {
    struct counted_chunks counted = {0};
    struct loupe_chunk_ops chunks = {.get = get_counted, .put = put_counted, .ctx = &counted};
    struct loupe_findings findings = {0};
    struct loupe_graph graph;
    uint64_t random = 10;
    loupe_graph_init(&graph, &chunks, 0, &findings);
    for (uint32_t i = 0; i < 1000000; i++) {
        uint32_t node;
        bool grows = i == graph.first.room;
        counted.most = counted.now;
        CHECK_EQ(loupe_graph_add_node(&graph, drawn_random(&random) & ~15ull, 0, &node), LOUPE_OK);
        if (i > 100000)
            CHECK(counted.most - untouched(&graph) <=
                  (grows ? 28 : 24) * ((size_t)i + LOUPE_SEGMENT_SIZE));
    }
    CHECK_EQ(loupe_graph_freeze(&graph), LOUPE_OK);
    CHECK(counted.now - untouched(&graph) <= 16 * (1000000 + LOUPE_SEGMENT_SIZE) + 8192);
    loupe_graph_deinit(&graph);
    CHECK_EQ(counted.now, 0);
}

/* ---- Index ---- */

static void check_index(loupe_addr first, loupe_addr step, uint32_t count) {
    struct loupe_findings findings = {0};
    struct loupe_graph graph;
    loupe_graph_init(&graph, &drawn_chunks, 0, &findings);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node;
        loupe_addr address = first + i * step;
        CHECK(!loupe_graph_find(&graph, address, &node));
        CHECK_EQ(loupe_graph_add_node(&graph, address, 0, &node), LOUPE_OK);
        CHECK_EQ(node, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = LOUPE_NO_NODE;
        CHECK(loupe_graph_find(&graph, first + i * step, &node));
        CHECK_EQ(node, i);
        CHECK(!loupe_graph_find(&graph, first + i * step + 1, &node));
    }
    loupe_graph_deinit(&graph);
}

static void test_addresses_of_all_patterns_are_found(void) {
    check_index(0, 2, 5000);
    check_index(0x600000000000, 16, 50000);
    check_index(0x7fff00000000, 4096, 50000);
    check_index(1, (loupe_addr)1 << 48, 60000);
    check_index(UINT64_MAX - 100000, 2, 50000);
    check_index(0x10000, (loupe_addr)1 << 32, 50000);
}

int main(void) {
    RUN(test_nodes_are_numbered_breadth_first);
    RUN(test_parallel_edges_and_edges_to_oneself_are_kept);
    RUN(test_what_the_seed_does_not_reach_is_not_there);
    RUN(test_limit_leaves_nodes_out_and_counts_references_to_them);
    RUN(test_limit_that_is_just_enough_counts_nothing);
    RUN(test_frozen_graph_forgets_addresses);
    RUN(test_graph_that_was_tampered_with_is_not_valid);
    RUN(test_interruption_ends_the_walk_and_counts_what_is_left);
    RUN(test_budget_that_ends_counts_the_node_it_ended_in);
    RUN(test_timeout_inside_of_a_node_is_an_interruption);
    RUN(test_failure_of_the_expander_is_handed_on);
    RUN(test_every_chunk_that_fails_is_reported_and_none_is_lost);
    RUN(test_building_takes_24_bytes_a_node);
    RUN(test_addresses_of_all_patterns_are_found);
    return check_report();
}
