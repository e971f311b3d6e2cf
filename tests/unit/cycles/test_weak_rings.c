/* Rings that a weak reference would close: drawn graphs, and references beside them. */
#include "check.h"
#include "cycles/rings/weak_rings.h"
#include "graphs/drawn_graph.h"

static struct drawn_graph drawn;
static struct loupe_arena arena;
static struct loupe_vector nonowning;
static struct loupe_weak_rings rings;

static void open_picture(const char *picture) {
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    loupe_arena_init(&arena, &drawn_chunks);
    loupe_vector_init(&nonowning, &drawn_chunks, sizeof(struct loupe_nonowning_ref));
}

static void close_picture(void) {
    loupe_vector_deinit(&nonowning);
    loupe_arena_deinit(&arena);
    drawn_graph_deinit(&drawn);
}

static void add_weak_at(const char *from, const char *to, uint32_t offset) {
    struct loupe_nonowning_ref *added = loupe_vector_add(&nonowning);
    uint32_t target = to ? drawn_graph_id(&drawn, to) : LOUPE_NO_NODE;
    *added = (struct loupe_nonowning_ref){.from = drawn_graph_id(&drawn, from),
                                          .edge = {.to = target,
                                                   .offset = offset,
                                                   .ownership = LOUPE_NONOWNING_WEAK,
                                                   .kind = LOUPE_EDGE_IVAR}};
}

static void find(void) {
    CHECK_EQ(loupe_weak_rings_find(&drawn.graph, &nonowning, &arena, &rings), LOUPE_OK);
    CHECK(rings.all);
}

/* The way back of the i-th sort: its length and first and last edge. */
static void check_way(uint32_t i, uint32_t length, const char *first, const char *last) {
    const struct loupe_weak_ring *ring = &rings.items[i];
    CHECK_EQ(ring->length, length);
    uint32_t from = loupe_graph_source(&drawn.graph, ring->edges[0]);
    CHECK_STR(drawn_graph_edge(&drawn, from, ring->edges[0]), first);
    from = loupe_graph_source(&drawn.graph, ring->edges[length - 1]);
    CHECK_STR(drawn_graph_edge(&drawn, from, ring->edges[length - 1]), last);
}

static void test_weak_reference_to_the_owner(void) {
    open_picture("A.b->B B.c->C");
    add_weak_at("C", "A", 8);
    find();
    CHECK_EQ(rings.count, 1);
    CHECK_EQ(rings.found, 1);
    CHECK_EQ(rings.items[0].nonowning, 0);
    CHECK_EQ(rings.items[0].count, 1);
    check_way(0, 2, "A.b->B", "B.c->C");
    close_picture();
}

static void test_weak_reference_to_something_else_closes_nothing(void) {
    open_picture("A.b->B A.c->C");
    add_weak_at("B", "C", 8);
    add_weak_at("A", "C", 8);
    add_weak_at("A", NULL, 16);
    find();
    CHECK_EQ(rings.count, 0);
    CHECK_EQ(rings.found, 0);
    close_picture();
}

static void test_weak_reference_to_itself(void) {
    open_picture("A.b->B");
    add_weak_at("B", "B", 8);
    find();
    CHECK_EQ(rings.count, 1);
    CHECK_EQ(rings.items[0].length, 0);
    close_picture();
}

static void test_the_shortest_way_back_is_shown(void) {
    open_picture("A.x->X X.y->Y Y.z->Z Z.b->B A.b->B");
    add_weak_at("B", "A", 8);
    find();
    check_way(0, 1, "A.b->B", "A.b->B");
    close_picture();
}

static void test_references_of_one_sort_are_one_entry(void) {
    open_picture("R.a->a R.b->b R.c->c a:View b:View c:View R.d->d d:Other");
    add_weak_at("a", "R", 8);
    add_weak_at("b", "R", 8);
    add_weak_at("b", "R", 16);
    add_weak_at("c", "R", 8);
    add_weak_at("d", "R", 8);
    find();
    CHECK_EQ(rings.found, 5);
    CHECK_EQ(rings.sorts_found, 3);
    CHECK_EQ(rings.count, 3);
    CHECK_EQ(rings.items[0].count, 3);
    CHECK_EQ(rings.items[1].count, 1);
    CHECK_EQ(rings.items[2].count, 1);
    close_picture();
}

static void test_hidden_references_are_no_way_back(void) {
    open_picture("A.b->B");
    loupe_graph_hide(&drawn.graph, 0);
    add_weak_at("B", "A", 8);
    find();
    CHECK_EQ(rings.count, 0);
    close_picture();
}

static void test_more_sorts_than_are_shown(void) {
    enum { SORTS = LOUPE_MAX_WEAK_RINGS + 5 };
    open_picture("A.b->B");
    for (uint32_t i = 0; i < SORTS; i++)
        add_weak_at("B", "A", 8 * i);
    add_weak_at("B", "A", 8 * (SORTS - 1));
    find();
    CHECK_EQ(rings.count, LOUPE_MAX_WEAK_RINGS);
    CHECK_EQ(rings.sorts_found, SORTS);
    CHECK_EQ(rings.found, SORTS + 1);
    close_picture();
}

int main(void) {
    RUN(test_weak_reference_to_the_owner);
    RUN(test_weak_reference_to_something_else_closes_nothing);
    RUN(test_weak_reference_to_itself);
    RUN(test_the_shortest_way_back_is_shown);
    RUN(test_references_of_one_sort_are_one_entry);
    RUN(test_hidden_references_are_no_way_back);
    RUN(test_more_sorts_than_are_shown);
    return check_report();
}
