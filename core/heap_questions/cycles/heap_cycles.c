#include "heap_questions/cycles/heap_cycles.h"

#include "leaks/lost_knots.h"

enum { RINGS_TO_COMPARE = 256, RINGS_LEFT = 5 };

static enum loupe_status make_graph(struct loupe_heap_cycles *found,
                                    const struct loupe_heap_cycles_asked *asked,
                                    const struct loupe_chunk_ops *chunks) {
    const struct loupe_snapshot *snapshot = asked->snapshot;
    struct loupe_heap_knots knots;
    if (asked->object != LOUPE_NO_NODE)
        return loupe_heap_graph_from(snapshot, asked->object, 0, chunks, &found->arena,
                                     &found->graph);
    enum loupe_status status =
        loupe_heap_knots_find(&snapshot->columns, LOUPE_LINKS_OWNED, NULL, chunks, &knots);
    if (status)
        return status;
    status = loupe_heap_graph_of_knots(snapshot, &knots, chunks, &found->arena, &found->graph);
    loupe_heap_knots_deinit(&knots);
    return status;
}

static struct loupe_cycles_options options_of(const struct loupe_heap_cycles_asked *asked) {
    uint32_t rings = asked->rings < UINT32_MAX ? (uint32_t)asked->rings : UINT32_MAX;
    bool is_of_all = asked->object == LOUPE_NO_NODE;
    return (struct loupe_cycles_options){.seed = is_of_all ? LOUPE_NO_NODE : 0,
                                         .max_rings = asked->compares ? RINGS_TO_COMPARE : rings,
                                         .max_rings_left = rings ? 0 : RINGS_LEFT,
                                         .alike_once = is_of_all,
                                         .filters = asked->filters,
                                         .filter_count = asked->filter_count};
}

enum loupe_status loupe_heap_cycles_find(struct loupe_heap_cycles *found,
                                         const struct loupe_heap_cycles_asked *asked,
                                         const struct loupe_chunk_ops *chunks) {
    *found = (struct loupe_heap_cycles){.options = options_of(asked)};
    loupe_arena_init(&found->arena, chunks);
    enum loupe_status status = make_graph(found, asked, chunks);
    found->has_graph = !status;
    if (status)
        return status;
    found->describer = loupe_describe_heap(&found->graph);
    status = loupe_cycles_find(&found->graph.graph, &found->describer, &found->options,
                               &found->arena, &found->cycles);
    return status ? status : loupe_find_lost_knots(&found->graph, chunks, &found->cycles);
}

void loupe_heap_cycles_deinit(struct loupe_heap_cycles *found) {
    if (found->has_graph)
        loupe_heap_graph_deinit(&found->graph);
    loupe_arena_deinit(&found->arena);
}

const struct loupe_knot_facts *loupe_heap_cycles_own(const struct loupe_heap_cycles *found) {
    for (uint32_t i = 0; i < found->cycles.knot_count; i++) {
        if (found->cycles.knots[i].contains_seed)
            return &found->cycles.knots[i];
    }
    return NULL;
}
