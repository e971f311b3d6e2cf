#include "leaks/lost_knots.h"

static bool is_in_doubt(const struct loupe_verdict *verdict) {
    return verdict->kind == LOUPE_UNCLEAR && verdict->reason != LOUPE_VERDICT_IMMORTAL;
}

void loupe_judge_lost_knots(const struct loupe_heap_graph *graph, const struct loupe_marks *alive,
                            struct loupe_cycles *cycles) {
    for (uint32_t i = 0; i < cycles->knot_count; i++) {
        struct loupe_verdict *verdict = &cycles->knots[i].verdict;
        uint32_t node = loupe_heap_graph_node(graph, cycles->knots[i].lowest);
        if (is_in_doubt(verdict) && !loupe_is_marked(alive, node))
            loupe_verdict_set_leaked(verdict);
    }
}

enum loupe_status loupe_find_lost_knots(const struct loupe_heap_graph *graph,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_cycles *cycles) {
    struct loupe_marks alive;
    struct loupe_amount amount;
    uint32_t i = 0;
    while (i < cycles->knot_count && !is_in_doubt(&cycles->knots[i].verdict))
        i++;
    if (i == cycles->knot_count)
        return LOUPE_OK;
    enum loupe_status status = loupe_marks_init(&alive, chunks, graph->snapshot->columns.nodes);
    if (status)
        return status;
    status = loupe_reach(&graph->snapshot->columns, loupe_link_policies[0].alive, &alive, &amount);
    if (!status)
        loupe_judge_lost_knots(graph, &alive, cycles);
    loupe_marks_deinit(&alive);
    return status;
}
