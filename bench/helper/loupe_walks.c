#include "contestants.h"

#include "runtime/abi.h"
#include "cycles/cycles.h"
#include "edges/details/describe.h"
#include "edges/edges.h"
#include "loupe_helper.h"
#include "memory/pages.h"
#include "self_reader.h"

#include <stdio.h>
#include <stdlib.h>

static void require(enum loupe_status status, const char *what) {
    if (status) {
        fprintf(stderr, "%s: %s\n", what, loupe_status_name(status));
        exit(1);
    }
}

static void run_parts(const void *seed, size_t limit, struct walk_times *ret) {
    struct loupe_self self;
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_object object;
    struct loupe_graph graph;
    struct loupe_walk walk;
    struct loupe_cycles cycles;
    double start = bench_milliseconds();
    require(loupe_self_init(&self, &loupe_pages), "memory map");
    loupe_memory_init(&memory, &loupe_self_ops, &self, loupe_own_machine, &loupe_pages);
    loupe_target_init(&target, &memory, &loupe_pages);
    require(loupe_abi_detect(&target, NULL), "runtime");
    require(loupe_object_at(&target, (uintptr_t)seed, &object, NULL), "seed");
    loupe_graph_init(&graph, &loupe_pages, limit, &target.findings);
    loupe_walk_init(&walk, &target);
    require(loupe_walk_seed(&walk, &graph, &object), "seed");
    double set_up = bench_milliseconds();
    struct loupe_expander expander = loupe_walk_expander(&walk);
    require(loupe_graph_build(&graph, &memory, &expander), "walk");
    double walked = bench_milliseconds();
    struct loupe_describer describer = loupe_describe(&walk);
    struct loupe_cycles_options options = {.filters = loupe_apple_filters.items,
                                           .filter_count = loupe_apple_filters.count};
    require(loupe_cycles_find(&graph, &describer, &options, &target.arena, &cycles), "cycles");
    double found = bench_milliseconds();
    *ret = (struct walk_times){.setup = set_up - start,
                               .walk = walked - set_up,
                               .cycles = found - walked,
                               .objects = loupe_graph_node_count(&graph)};
    loupe_graph_deinit(&graph);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    loupe_self_deinit(&self);
    loupe_pages_reclaim();
}

static double run_whole(const void *seed, size_t limit) {
    double start = bench_milliseconds();
    loupe_ask("retain-cycles", seed, limit, 0, 0, 0);
    return bench_milliseconds() - start;
}

static double run_count(const void *seed) {
    double start = bench_milliseconds();
    loupe_count_cycles(seed);
    return bench_milliseconds() - start;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

struct walk_times loupe_walks(const void *seed, size_t limit) {
    enum { RUNS = 5 };
    struct walk_times best, now;
    run_parts(seed, limit, &best);
    best.whole = run_whole(seed, limit);
    best.count = run_count(seed);
    for (int run = 1; run < RUNS; run++) {
        run_parts(seed, limit, &now);
        best.setup = smaller(best.setup, now.setup);
        best.walk = smaller(best.walk, now.walk);
        best.cycles = smaller(best.cycles, now.cycles);
        best.whole = smaller(best.whole, run_whole(seed, limit));
        best.count = smaller(best.count, run_count(seed));
    }
    return best;
}
