/*
 * graph - what building a graph and finding its knots, rings and fixes costs, by size and shape of
 * the heap, beside a plain breadth-first pass over the same arrays.
 *
 * usage: graph [LARGEST]        objects of the largest heap, 10000000 by default
 *
 * Heaps grow by ten from 10000 objects. Times are the best of several runs for what is short and of
 * one run for what is long. The bytes are the peak of memory in a step, by node, after 16 an edge
 * are taken off, and what is only there for columns to grow; some 200 KB that do not depend on the
 * size are most of it in small heaps. Rings and fixes are those of all knots, not only of those
 * that a report shows.
 */
#define _POSIX_C_SOURCE 199309L

#include "cycles/cycles.h"
#include "heap_shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of the processor, so that other programs on a busy machine do not count. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void stop(const char *what, enum loupe_status status) {
    fprintf(stderr, "%s: %s\n", what, loupe_status_name(status));
    exit(1);
}

/* ---- Memory that is counted ---- */

struct counted {
    size_t now, most;
};

static void *get_counted(void *ctx, size_t bytes) {
    struct counted *counted = ctx;
    counted->now += bytes;
    if (counted->now > counted->most)
        counted->most = counted->now;
    return malloc(bytes);
}

static void put_counted(void *ctx, void *chunk, size_t bytes) {
    struct counted *counted = ctx;
    counted->now -= bytes;
    free(chunk);
}

static void *resize_counted(void *ctx, void *chunk, size_t bytes, size_t wanted) {
    struct counted *counted = ctx;
    void *resized = realloc(chunk, wanted);
    if (!resized)
        return NULL;
    counted->now += wanted - bytes;
    if (counted->now > counted->most)
        counted->most = counted->now;
    return resized;
}

/* The most that was out since the last call. */
static size_t take_peak(struct counted *counted) {
    size_t most = counted->most;
    counted->most = counted->now;
    return most;
}

/* ---- The floor ---- */

/* Reads every node and edge once and marks what it meets: the least that any analysis does. */
static uint32_t pass_breadth_first(const struct loupe_graph *graph, uint8_t *met, uint32_t *queue) {
    uint32_t nodes = loupe_graph_node_count(graph), queued = 1;
    memset(met, 0, nodes);
    met[0] = 1;
    queue[0] = 0;
    for (uint32_t head = 0; head < queued; head++) {
        uint32_t node = queue[head], end = loupe_graph_edges_end(graph, node);
        for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++) {
            uint32_t to = loupe_graph_target(graph, id);
            if (!met[to]) {
                met[to] = 1;
                queue[queued++] = to;
            }
        }
    }
    return queued;
}

/* ---- One heap ---- */

struct result {
    double build, floor, knots, verdicts, rings, fixes; /* seconds */
    uint32_t nodes, edges, knot_count;
    uint64_t ring_edges, proven;
    uint32_t longest;
    size_t build_peak, knots_peak, counts_peak, rings_peak; /* bytes; of rings and fixes */
    size_t untouched;                                       /* of them: room in columns */
};

enum { BEST_OF = 3 };

static double best(double a, double b) {
    return a < b ? a : b;
}

static void measure_floor(const struct loupe_graph *graph, struct result *result) {
    uint32_t nodes = loupe_graph_node_count(graph);
    uint8_t *met = malloc(nodes);
    uint32_t *queue = malloc(nodes * sizeof(*queue));
    if (!met || !queue)
        stop("floor", LOUPE_ENOMEM);
    result->floor = 1e9;
    for (unsigned i = 0; i < BEST_OF; i++) {
        double start = now();
        if (pass_breadth_first(graph, met, queue) != nodes)
            stop("floor", LOUPE_EINTERNAL);
        result->floor = best(result->floor, now() - start);
    }
    free(met);
    free(queue);
}

static void measure_knots(const struct loupe_graph *graph, const struct loupe_chunk_ops *chunks,
                          struct loupe_knots *knots, struct result *result) {
    result->knots = 1e9;
    for (unsigned i = 0; i < BEST_OF; i++) {
        double start = now();
        enum loupe_status status = loupe_knots_find(graph, chunks, knots);
        if (status)
            stop("knots", status);
        result->knots = best(result->knots, now() - start);
        if (i + 1 < BEST_OF)
            loupe_knots_deinit(knots);
    }
    result->knot_count = knots->count;
}

static void measure_verdicts(struct loupe_knots *knots, const struct loupe_describer *describer,
                             struct result *result) {
    struct loupe_arena arena;
    uint32_t count = knots->count < LOUPE_MAX_SHOWN_KNOTS ? knots->count : LOUPE_MAX_SHOWN_KNOTS;
    struct loupe_verdict *verdicts = malloc((count + 1) * sizeof(*verdicts));
    if (!verdicts)
        stop("verdicts", LOUPE_ENOMEM);
    loupe_arena_init(&arena, knots->chunks);
    double start = now();
    enum loupe_status status = loupe_verdicts_find(knots, describer, 0, &arena, verdicts, count);
    if (status)
        stop("verdicts", status);
    result->verdicts = now() - start;
    loupe_arena_deinit(&arena);
    free(verdicts);
}

/* Ring and fixes of each knot in turn, in an arena that is emptied between knots. */
static void measure_rings_and_fixes(struct loupe_knots *knots,
                                    const struct loupe_describer *describer,
                                    struct result *result) {
    struct loupe_arena lasting, scratch;
    struct loupe_ring_finder finder;
    struct loupe_knot knot = {0};
    loupe_arena_init(&lasting, knots->chunks);
    enum loupe_status status = loupe_ring_finder_init(&finder, knots, describer, &lasting);
    if (status)
        stop("rings", status);
    finder.arena = &scratch;
    while (loupe_knots_next(knots, &knot)) {
        struct loupe_ring ring;
        struct loupe_fixes fixes;
        struct loupe_verdict nothing_kept = {.kind = LOUPE_LEAKED};
        loupe_arena_init(&scratch, knots->chunks);
        double start = now();
        status = loupe_rings_first(&finder, &knot, &ring);
        double middle = now();
        if (!status)
            status = loupe_fixes_find(&finder, &knot, &nothing_kept, &ring, 1, &fixes);
        if (status)
            stop("rings and fixes", status);
        result->rings += middle - start;
        result->fixes += now() - middle;
        result->ring_edges += ring.length;
        result->proven += ring.shortest;
        if (ring.length > result->longest)
            result->longest = ring.length;
        loupe_arena_deinit(&scratch);
    }
    loupe_ring_finder_deinit(&finder);
    loupe_arena_deinit(&lasting);
}

static enum loupe_status read_nothing(void *ctx, loupe_addr addr, void *dst, size_t len) {
    (void)ctx, (void)addr, (void)dst, (void)len;
    return LOUPE_EFAULT;
}

static void measure(struct heap *heap, struct result *result) {
    static const struct loupe_reader_ops ops = {.read = read_nothing};
    struct loupe_machine machine = {.pointer_size = 8};
    struct counted counted = {0};
    struct loupe_chunk_ops chunks = {
        .get = get_counted, .put = put_counted, .resize = resize_counted, .ctx = &counted};
    struct loupe_memory memory;
    struct loupe_findings findings = {0};
    struct loupe_graph graph;
    struct loupe_knots knots;
    struct loupe_expander expander = heap_expander(heap);
    struct loupe_describer describer = heap_describer(heap);
    uint32_t seed;
    *result = (struct result){0};
    loupe_memory_init(&memory, &ops, NULL, machine, &chunks);
    double start = now();
    loupe_graph_init(&graph, &chunks, 0, &findings);
    enum loupe_status status =
        loupe_graph_add_node(&graph, heap_address(heap, 0), heap_tag(0), &seed);
    if (!status)
        status = loupe_graph_build(&graph, &memory, &expander);
    if (status)
        stop("build", status);
    result->build = now() - start;
    result->nodes = loupe_graph_node_count(&graph);
    result->edges = loupe_graph_edge_count(&graph);
    result->build_peak = take_peak(&counted);
    result->untouched =
        ((size_t)graph.first.room - result->nodes + graph.links.room - result->edges) *
        sizeof(uint32_t);
    measure_floor(&graph, result);
    measure_knots(&graph, &chunks, &knots, result);
    result->knots_peak = take_peak(&counted);
    measure_verdicts(&knots, &describer, result);
    result->counts_peak = take_peak(&counted);
    measure_rings_and_fixes(&knots, &describer, result);
    result->rings_peak = take_peak(&counted);
    loupe_knots_deinit(&knots);
    loupe_graph_deinit(&graph);
    loupe_memory_deinit(&memory);
}

/* ---- The table ---- */

static double nanoseconds(double seconds, uint32_t nodes) {
    return seconds * 1e9 / nodes;
}

static double bytes_a_node(size_t bytes, const struct result *r) {
    return ((double)(bytes - r->untouched) - 16.0 * r->edges) / r->nodes;
}

static double whole(const struct result *r) {
    return r->build + r->knots + r->verdicts + r->rings + r->fixes;
}

static void print_header(enum heap_shape shape) {
    printf("\n%s heap\n", heap_shape_name(shape));
    printf("%9s %9s |%47s ns/object | %6s |%20s B/node | %8s %6s %7s %7s\n", "objects", "edges", "",
           "knots/", "", "knots", "ring", "longest", "proven");
    printf("%9s %9s | %7s %7s %7s %7s %7s %7s %8s | %6s | %6s %6s %6s %6s | %8s %6s %7s %7s\n", "",
           "", "build", "pass", "knots", "counts", "rings", "fixes", "whole", "pass", "build",
           "knots", "counts", "rings", "", "edges", "ring", "");
}

static void print_result(const struct result *r) {
    uint32_t knots = r->knot_count ? r->knot_count : 1;
    printf("%9u %9u | %7.1f %7.1f %7.1f %7.1f %7.1f %7.1f %8.1f | %6.2f | %6.2f %6.2f %6.2f %6.2f "
           "| %8u %6.2f %7u %6.1f%%\n",
           r->nodes, r->edges, nanoseconds(r->build, r->nodes), nanoseconds(r->floor, r->nodes),
           nanoseconds(r->knots, r->nodes), nanoseconds(r->verdicts, r->nodes),
           nanoseconds(r->rings, r->nodes), nanoseconds(r->fixes, r->nodes),
           nanoseconds(whole(r), r->nodes), r->knots / r->floor, bytes_a_node(r->build_peak, r),
           bytes_a_node(r->knots_peak, r), bytes_a_node(r->counts_peak, r),
           bytes_a_node(r->rings_peak, r), r->knot_count, (double)r->ring_edges / knots, r->longest,
           100.0 * (double)r->proven / knots);
    fflush(stdout);
}

int main(int argc, char **argv) {
    long largest = argc > 1 ? strtol(argv[1], NULL, 10) : 10000000;
    for (unsigned shape = 0; shape < HEAP_SHAPE_COUNT; shape++) {
        print_header((enum heap_shape)shape);
        for (uint32_t objects = 10000; objects <= largest && objects <= 100000000; objects *= 10) {
            struct heap heap;
            struct result result;
            heap_make(&heap, (enum heap_shape)shape, objects);
            measure(&heap, &result);
            heap_free(&heap);
            print_result(&result);
        }
    }
    return 0;
}
