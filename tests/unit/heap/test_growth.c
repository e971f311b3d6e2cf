/* Which mistake lets a class grow: two heaps, the path to the newest, collections that have more.
 */
#include "check.h"
#include "memory/drawn_heap.h"
#include "memory/drawn_native.h"
#include "mistakes/growth.h"

#include <string.h>

static const char text[] = "pattern cache\n"
                           "name    A cache without a limit\n"
                           "growth  Cache ivar _items *\n"
                           "needs   collection\n";

static struct drawn_native older, newer;
static struct loupe_arena arena;
static struct loupe_patterns patterns;
static const struct loupe_rules no_rules;
static struct loupe_ruled_classes ruled;

/* A root holds a Cache, that its items, these so many Images. */
static void draw(struct drawn_native *drawn, uint32_t images) {
    drawn_native_init(drawn);
    uint32_t cache = drawn_native_node(
        drawn, drawn_native_class(drawn, "Cache", LOUPE_CLASS_INSTANCES, LOUPE_NONE), 16);
    uint32_t items = drawn_native_node(
        drawn, drawn_native_class(drawn, "Items", LOUPE_CLASS_INSTANCES, LOUPE_NONE), 16);
    uint32_t image = drawn_native_class(drawn, "Image", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    struct loupe_label element = {.kind = LOUPE_EDGE_ELEMENT,
                                  .name = LOUPE_NONE,
                                  .path = LOUPE_NONE,
                                  .declared_by = LOUPE_NONE,
                                  .assumption = LOUPE_NONE,
                                  .doubt = LOUPE_NONE,
                                  .evidence = LOUPE_NONE};
    uint32_t label = drawn_native_label(drawn, element);
    drawn_native_root(drawn, cache, LOUPE_ROOT_GLOBAL);
    drawn_native_link(drawn, cache, items, LOUPE_LINK_STRONG,
                      drawn_native_ivar(drawn, "_items", NULL), 8);
    for (uint32_t i = 0; i < images; i++)
        drawn_native_link(drawn, items, drawn_native_node(drawn, image, 64), LOUPE_LINK_STRONG,
                          label, 8 * i);
    drawn_native_build(drawn);
}

static void begin(uint32_t before, uint32_t after) {
    struct loupe_error err = {0};
    draw(&older, before);
    draw(&newer, after);
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_patterns_read((struct loupe_span){text, strlen(text)}, &arena, &patterns, &err),
             LOUPE_OK);
    CHECK_EQ(loupe_ruled_classes_find(&newer.snapshot, &no_rules, &arena, &ruled), LOUPE_OK);
}

/* In memory of its own for paths. */
static enum loupe_status find(struct loupe_arena *paths, const char *class_name,
                              const struct loupe_pattern **ret) {
    struct loupe_tracer tracer = {.snapshot = &newer.snapshot,
                                  .columns = newer.snapshot.columns,
                                  .policy = loupe_link_policies,
                                  .ruled = &ruled,
                                  .arena = paths};
    struct loupe_shortest shortest;
    struct loupe_shortest_options options = {.kinds = loupe_link_policies->paths,
                                             .late = loupe_link_policies->late};
    CHECK_EQ(loupe_shortest_find(&tracer.columns, &options, &drawn_chunks, &shortest), LOUPE_OK);
    struct loupe_growth growth = {&tracer, &shortest, &older.snapshot, &patterns, false};
    enum loupe_status status = loupe_growth_pattern(&growth, loupe_span_of(class_name), ret);
    loupe_shortest_deinit(&shortest);
    return status;
}

static void check_growth(uint32_t before, uint32_t after, const char *class_name, bool is_known) {
    const struct loupe_pattern *found;
    begin(before, after);
    CHECK_EQ(find(&arena, class_name, &found), LOUPE_OK);
    CHECK(is_known == (found == patterns.items));
    CHECK(is_known || !found);
    loupe_arena_deinit(&arena);
}

static void test_a_collection_that_has_more_in_it(void) {
    check_growth(2, 5, "Image", true);
}

static void test_one_that_has_not(void) {
    check_growth(5, 5, "Image", false);
    check_growth(5, 3, "Image", false);
}

static void test_another_class(void) {
    check_growth(2, 5, "Sound", false);
    check_growth(2, 5, "Cache", false);
}

static void test_memory_that_runs_out(void) {
    const struct loupe_pattern *found = NULL;
    bool done = false;
    unsigned failed = 0;
    begin(2, 5);
    for (unsigned fail_at = 1; !done; fail_at++) {
        struct drawn_failing_chunks state = {.fail_at = fail_at};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        struct loupe_arena paths;
        loupe_arena_init(&paths, &chunks);
        enum loupe_status status = find(&paths, "Image", &found);
        done = status == LOUPE_OK;
        CHECK(done || (status == LOUPE_ENOMEM && !found));
        failed += !done;
        loupe_arena_deinit(&paths);
        CHECK_EQ(state.outstanding, 0);
    }
    CHECK(failed > 0);
    CHECK(found == patterns.items);
    loupe_arena_deinit(&arena);
}

int main(void) {
    RUN(test_a_collection_that_has_more_in_it);
    RUN(test_one_that_has_not);
    RUN(test_another_class);
    RUN(test_memory_that_runs_out);
    return check_report();
}
