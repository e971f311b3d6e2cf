/* Known mistakes: found in the rings of a heap, wherever they begin, and at the ends of paths. */
#include "check.h"
#include "memory/drawn_heap.h"
#include "memory/drawn_native.h"
#include "mistakes/known_mistakes.h"

#include <string.h>

static const char text[] = "pattern back-reference\n"
                           "name    A part owns its owner\n"
                           "ring    Screen ivar _parts* Part, Part ivar *owner Screen\n"
                           "growth  Cache ivar * Part\n"
                           "\n"
                           "pattern owned-block\n"
                           "name    A block captures who stores it\n"
                           "ring    * ivar * <block>, <block> capture * !<block>\n"
                           "\n"
                           "pattern to-change\n"
                           "name    What the best fix takes away\n"
                           "change  Node ivar _next Node\n";

static struct drawn_native drawn;
static struct loupe_arena arena;
static struct loupe_patterns patterns;

static void begin(void) {
    struct loupe_error err = {0};
    drawn_native_init(&drawn);
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_patterns_read((struct loupe_span){text, strlen(text)}, &arena, &patterns, &err),
             LOUPE_OK);
    CHECK_EQ(patterns.count, 3);
}

static uint32_t add(const char *class_name, enum loupe_class_kind kind) {
    return drawn_native_node(&drawn, drawn_native_class(&drawn, class_name, kind, LOUPE_NONE), 32);
}

static void own(uint32_t from, uint32_t to, const char *ivar) {
    drawn_native_link(&drawn, from, to, LOUPE_LINK_STRONG, drawn_native_ivar(&drawn, ivar, NULL),
                      8);
}

static void capture(uint32_t from, uint32_t to) {
    struct loupe_label label = {.kind = LOUPE_EDGE_CAPTURE,
                                .name = LOUPE_NONE,
                                .path = LOUPE_NONE,
                                .declared_by = LOUPE_NONE,
                                .assumption = LOUPE_NONE,
                                .doubt = LOUPE_NONE,
                                .evidence = LOUPE_NONE};
    drawn_native_link(&drawn, from, to, LOUPE_LINK_STRONG, drawn_native_label(&drawn, label), 32);
}

/* "": nothing. */
static void check_shown(const struct loupe_pattern *found, const char *id) {
    CHECK(loupe_span_equals(found ? found->id : loupe_span_of(""), id));
}

static void check_knot(uint32_t node, const char *id) {
    struct loupe_heap_graph graph;
    struct loupe_cycles cycles;
    struct loupe_cycles_options options = {.seed = LOUPE_NO_NODE};
    drawn_native_build(&drawn);
    CHECK_EQ(loupe_heap_graph_from(&drawn.snapshot, node, 0, &drawn_chunks, &arena, &graph),
             LOUPE_OK);
    struct loupe_describer describer = loupe_describe_heap(&graph);
    CHECK_EQ(loupe_cycles_find(&graph.graph, &describer, &options, &arena, &cycles), LOUPE_OK);
    if (CHECK_EQ(cycles.knot_count, 1)) {
        const struct loupe_pattern *found =
            loupe_known_mistake_of_knot(&patterns, &graph, &cycles.knots[0]);
        check_shown(found, id);
    }
    loupe_heap_graph_deinit(&graph);
    loupe_arena_deinit(&arena);
}

/* ---- Rings ---- */

static void test_a_ring_is_known_wherever_it_begins(void) {
    for (int turned = 0; turned < 2; turned++) {
        begin();
        uint32_t first = add(turned ? "Part" : "Screen", LOUPE_CLASS_INSTANCES);
        uint32_t second = add(turned ? "Screen" : "Part", LOUPE_CLASS_INSTANCES);
        own(first, second, turned ? "_owner" : "_parts");
        own(second, first, turned ? "_parts" : "_owner");
        check_knot(first, "back-reference");
    }
}

static void test_another_class_is_another_ring(void) {
    begin();
    uint32_t screen = add("Screen", LOUPE_CLASS_INSTANCES);
    uint32_t part = add("SmallPart", LOUPE_CLASS_INSTANCES);
    own(screen, part, "_parts");
    own(part, screen, "_owner");
    check_knot(screen, "");
}

static void test_blocks_have_no_class(void) {
    begin();
    uint32_t screen = add("Screen", LOUPE_CLASS_INSTANCES);
    uint32_t block = add("__NSMallocBlock__", LOUPE_CLASS_BLOCKS);
    own(screen, block, "_done");
    capture(block, screen);
    check_knot(screen, "owned-block");
}

/* Whichever of two nodes the fix is about, the ring shows the pattern: both are of one class. */
static void test_what_a_fix_is_about(void) {
    begin();
    uint32_t one = add("Node", LOUPE_CLASS_INSTANCES);
    uint32_t other = drawn_native_node(&drawn, drawn.classes[one], 32);
    own(one, other, "_next");
    own(other, one, "_next");
    check_knot(one, "to-change");
}

/* ---- Paths ---- */

static void check_path(const uint32_t *nodes, uint32_t count, const char *id) {
    struct loupe_trace_step steps[4];
    struct loupe_trace trace = {.steps = steps, .count = count};
    drawn_native_build(&drawn);
    for (uint32_t i = 0; i < count; i++)
        steps[i] = (struct loupe_trace_step){
            .node = nodes[i],
            .link = i + 1 < count ? drawn.snapshot.columns.first[nodes[i]] : LOUPE_NO_EDGE};
    const struct loupe_pattern *found =
        loupe_known_mistake_of_trace(&patterns, &drawn.snapshot, &trace);
    check_shown(found, id);
    loupe_arena_deinit(&arena);
}

static void test_the_end_of_a_path(void) {
    begin();
    uint32_t nodes[] = {add("Screen", LOUPE_CLASS_INSTANCES), add("Cache", LOUPE_CLASS_INSTANCES),
                        add("Part", LOUPE_CLASS_INSTANCES)};
    own(nodes[0], nodes[1], "_cache");
    own(nodes[1], nodes[2], "_items");
    check_path(nodes, 3, "back-reference");
}

/* A path does not close: its last object leads nowhere, and one object alone shows nothing. */
static void test_a_path_is_no_ring(void) {
    begin();
    uint32_t nodes[] = {add("Part", LOUPE_CLASS_INSTANCES), add("Cache", LOUPE_CLASS_INSTANCES)};
    own(nodes[0], nodes[1], "_cache");
    check_path(nodes, 2, "");
    begin();
    uint32_t alone = add("Part", LOUPE_CLASS_INSTANCES);
    check_path(&alone, 1, "");
}

int main(void) {
    RUN(test_a_ring_is_known_wherever_it_begins);
    RUN(test_another_class_is_another_ring);
    RUN(test_blocks_have_no_class);
    RUN(test_what_a_fix_is_about);
    RUN(test_the_end_of_a_path);
    RUN(test_a_path_is_no_ring);
    return check_report();
}
