/* The knots of a heap by their shapes: those alike are one, the largest first. */
#include "check.h"
#include "cycles/knots/knot_shapes.h"
#include "memory/drawn_heap.h"
#include "memory/drawn_native.h"

static struct drawn_native drawn;
static struct loupe_tracer tracer;

/* Retain cycle of so many nodes of a class, each next to the one before. Its first node. */
static uint32_t draw_ring(uint32_t class_number, uint32_t length, uint32_t size) {
    uint32_t label = drawn_native_ivar(&drawn, "_next", NULL), first = 0, last = 0;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t node = drawn_native_node(&drawn, class_number, size);
        if (i)
            drawn_native_link(&drawn, last, node, LOUPE_LINK_STRONG, label, 8);
        else
            first = node;
        last = node;
    }
    drawn_native_link(&drawn, last, first, LOUPE_LINK_STRONG, label, 8);
    return first;
}

static void begin(void) {
    drawn_native_init(&drawn);
}

static void end(void) {
    drawn_native_build(&drawn);
    tracer = (struct loupe_tracer){.snapshot = &drawn.snapshot,
                                   .columns = drawn.snapshot.columns,
                                   .policy = loupe_link_policies};
}

/* Two rings of Pairs, of which one is held, and one of Triples. Returns a node of the held one. */
static uint32_t draw_three(void) {
    begin();
    uint32_t pairs = drawn_native_class(&drawn, "Pair", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    uint32_t triples = drawn_native_class(&drawn, "Triple", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    draw_ring(pairs, 2, 32);
    uint32_t held = draw_ring(triples, 3, 1000);
    drawn_native_root(&drawn, held, LOUPE_ROOT_GLOBAL);
    draw_ring(pairs, 2, 48);
    end();
    return held;
}

static void test_alike_ones_are_one_shape(void) {
    struct loupe_knot_shapes shapes;
    uint32_t held = draw_three();
    CHECK_EQ(loupe_knot_shapes_find(&shapes, &tracer, &drawn_chunks, LOUPE_NO_NODE), LOUPE_OK);
    if (CHECK_EQ(shapes.count, 2)) {
        const struct loupe_knot_shape *triple = &shapes.items[0], *pair = &shapes.items[1];
        CHECK_EQ(triple->count, 1);
        CHECK_EQ(triple->objects, 3);
        CHECK_EQ(triple->bytes, 3000);
        CHECK(loupe_knot_shapes_is_alive(&shapes, triple));
        CHECK_EQ(pair->count, 2);
        CHECK_EQ(pair->objects, 4);
        CHECK_EQ(pair->bytes, 160);
        CHECK(!loupe_knot_shapes_is_alive(&shapes, pair));
        CHECK_EQ(loupe_knot_shapes_ring(&shapes, triple->knot), 3);
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t link = loupe_knot_shapes_link(&shapes, 3, i);
            CHECK_EQ(tracer.columns.to[link], shapes.nodes[(i + 1) % 3]);
        }
        CHECK_EQ(loupe_knot_shapes_ring(&shapes, pair->knot), 2); /* the larger of the two */
        CHECK_EQ(loupe_columns_size(&tracer.columns, shapes.nodes[0]), 48);
    }
    loupe_knot_shapes_deinit(&shapes);
    CHECK_EQ(loupe_knot_shapes_find(&shapes, &tracer, &drawn_chunks, held), LOUPE_OK);
    CHECK_EQ(shapes.count, 1);
    CHECK_EQ(shapes.items[0].objects, 3);
    loupe_knot_shapes_deinit(&shapes);
}

static void test_other_fields_are_another_shape(void) {
    struct loupe_knot_shapes shapes;
    begin();
    uint32_t pairs = drawn_native_class(&drawn, "Pair", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    draw_ring(pairs, 2, 32);
    uint32_t one = drawn_native_node(&drawn, pairs, 32),
             other = drawn_native_node(&drawn, pairs, 32);
    drawn_native_link(&drawn, one, other, LOUPE_LINK_STRONG,
                      drawn_native_ivar(&drawn, "_next", NULL), 8);
    drawn_native_link(&drawn, other, one, LOUPE_LINK_STRONG,
                      drawn_native_ivar(&drawn, "_before", NULL), 16);
    end();
    CHECK_EQ(loupe_knot_shapes_find(&shapes, &tracer, &drawn_chunks, LOUPE_NO_NODE), LOUPE_OK);
    CHECK_EQ(shapes.count, 2);
    loupe_knot_shapes_deinit(&shapes);
}

static void test_a_heap_without_knots(void) {
    struct loupe_knot_shapes shapes;
    begin();
    uint32_t pairs = drawn_native_class(&drawn, "Pair", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    drawn_native_node(&drawn, pairs, 32);
    end();
    CHECK_EQ(loupe_knot_shapes_find(&shapes, &tracer, &drawn_chunks, LOUPE_NO_NODE), LOUPE_OK);
    CHECK_EQ(shapes.count, 0);
    loupe_knot_shapes_deinit(&shapes);
}

static void test_memory_that_runs_out(void) {
    bool done = false;
    unsigned failed = 0;
    draw_three();
    for (unsigned fail_at = 1; !done; fail_at++) {
        struct drawn_failing_chunks state = {.fail_at = fail_at};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        struct loupe_knot_shapes shapes;
        enum loupe_status status = loupe_knot_shapes_find(&shapes, &tracer, &chunks, LOUPE_NO_NODE);
        done = status == LOUPE_OK;
        CHECK(done || status == LOUPE_ENOMEM);
        failed += !done;
        loupe_knot_shapes_deinit(&shapes);
        CHECK_EQ(state.outstanding, 0);
    }
    CHECK(failed > 4);
}

int main(void) {
    RUN(test_alike_ones_are_one_shape);
    RUN(test_other_fields_are_another_shape);
    RUN(test_a_heap_without_knots);
    RUN(test_memory_that_runs_out);
    return check_report();
}
