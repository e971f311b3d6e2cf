/*
 * Analyses of a heap that are stopped, at any point where they take memory: they fail with
 * LOUPE_ETIMEOUT and keep nothing.
 */
#include "analysis/dominators/dominators.h"
#include "analysis/heap_rings.h"
#include "analysis/transposed.h"
#include "check.h"
#include "graphs/drawn_columns.h"
#include "graphs/drawn_graph.h"

#include <stdlib.h>

static struct drawn_columns drawn;
static volatile int stopped;

/* Stops when the n-th chunk is taken; 0: is stopped from the beginning. */
struct stopper {
    uint32_t taken, stop_at;
    int64_t held;
};

static void *get(void *ctx, size_t size) {
    struct stopper *stopper = ctx;
    stopped |= ++stopper->taken == stopper->stop_at;
    stopper->held++;
    return malloc(size);
}

static void put(void *ctx, void *chunk, size_t size) {
    struct stopper *stopper = ctx;
    (void)size;
    stopper->held--;
    free(chunk);
}

typedef enum loupe_status analysis(const struct loupe_chunk_ops *chunks);

static enum loupe_status find_shortest(const struct loupe_chunk_ops *chunks) {
    struct loupe_shortest_options options = {.kinds = LOUPE_ALL_LINKS};
    struct loupe_shortest found;
    enum loupe_status status = loupe_shortest_find(&drawn.columns, &options, chunks, &found);
    if (!status)
        loupe_shortest_deinit(&found);
    return status;
}

static enum loupe_status find_dominators(const struct loupe_chunk_ops *chunks,
                                         enum loupe_dominator_method method) {
    struct loupe_dominator_options options = {.kinds = LOUPE_ALL_LINKS, .method = method};
    struct loupe_dominators found;
    enum loupe_status status = loupe_dominators_find(&drawn.columns, &options, chunks, &found);
    if (!status)
        loupe_dominators_deinit(&found);
    return status;
}

static enum loupe_status by_semi_nca(const struct loupe_chunk_ops *chunks) {
    return find_dominators(chunks, LOUPE_SEMI_NCA_GUARDED);
}

static enum loupe_status by_lengauer_tarjan(const struct loupe_chunk_ops *chunks) {
    return find_dominators(chunks, LOUPE_LENGAUER_TARJAN);
}

static enum loupe_status find_dominators_as_visualvm(const struct loupe_chunk_ops *chunks) {
    struct loupe_dominators found;
    enum loupe_status status = loupe_dominators_by_policy(
        &drawn.columns, loupe_link_policy_named("visualvm"), chunks, &found);
    if (!status)
        loupe_dominators_deinit(&found);
    return status;
}

static enum loupe_status find_rings(const struct loupe_chunk_ops *chunks) {
    struct loupe_heap_knots knots;
    struct loupe_heap_rings rings;
    enum loupe_status status =
        loupe_heap_knots_find(&drawn.columns, LOUPE_ALL_LINKS, NULL, chunks, &knots);
    if (status)
        return status;
    status = loupe_heap_rings_find(&drawn.columns, LOUPE_ALL_LINKS, &knots,
                                   (struct loupe_heap_likeness){0}, chunks, &rings);
    if (!status)
        loupe_heap_rings_deinit(&rings);
    loupe_heap_knots_deinit(&knots);
    return status;
}

static enum loupe_status find_root_paths(const struct loupe_chunk_ops *chunks) {
    struct loupe_transposed transposed;
    struct loupe_root_paths paths;
    enum loupe_status status =
        loupe_transposed_make(&drawn.columns, LOUPE_ALL_LINKS, chunks, &transposed);
    if (status)
        return status;
    struct loupe_shortest_options options = {.late = 0};
    status = loupe_root_paths_find(&drawn.columns, &transposed, &options, 0, 3, &paths);
    if (!status)
        loupe_root_paths_deinit(&paths);
    loupe_transposed_deinit(&transposed);
    return status;
}

/* Until it is stopped so late that it does not notice any more. */
static void check_analysis(analysis *find) {
    enum loupe_status status = LOUPE_ETIMEOUT;
    uint32_t stop_at = 0;
    for (; status == LOUPE_ETIMEOUT; stop_at++) {
        struct stopper stopper = {.stop_at = stop_at};
        const struct loupe_chunk_ops chunks = {.get = get, .put = put, .ctx = &stopper};
        stopped = stop_at == 0;
        status = find(&chunks);
        CHECK_EQ(stopper.held, 0);
    }
    CHECK_EQ(status, LOUPE_OK);
    CHECK(stop_at > 2);
    stopped = 0;
}

static void check_all(void) {
    drawn.columns.stop = &stopped;
    check_analysis(find_shortest);
    check_analysis(by_semi_nca);
    check_analysis(by_lengauer_tarjan);
    check_analysis(find_dominators_as_visualvm);
    check_analysis(find_rings);
    check_analysis(find_root_paths);
}

static void test_a_ring_and_what_hangs_on_it(void) {
    drawn_columns_init(&drawn);
    drawn_columns_draw(&drawn, ">A A->B B->C C->A C->D E->C");
    drawn_columns_build(&drawn);
    check_all();
    drawn_columns_deinit(&drawn);
}

static void test_random_heaps(void) {
    uint64_t random = 11;
    drawn_columns_init(&drawn);
    for (unsigned i = 0; i < 200; i++) {
        drawn_columns_random(&drawn, &random, 200);
        drawn_columns_build(&drawn);
        check_all();
    }
    drawn_columns_deinit(&drawn);
}

int main(void) {
    RUN(test_a_ring_and_what_hangs_on_it);
    RUN(test_random_heaps);
    return check_report();
}
