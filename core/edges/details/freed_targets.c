#include "edges/details/freed_targets.h"

#include "runtime/freed.h"

/* Several rings may have an edge, and the walk may have met it. */
static bool is_kept(const struct loupe_freed_slots *slots, uint32_t from,
                    const struct loupe_edge *edge) {
    for (uint32_t i = 0; i < slots->count; i++) {
        const struct loupe_nonowning_ref *kept = &slots->items[i];
        if (kept->from == from && kept->edge.offset == edge->offset &&
            kept->edge.kind == edge->kind && kept->edge.source == edge->source)
            return true;
    }
    return false;
}

/* Counts the edge, once. Without memory to remember it, as often as it is met. */
static void leave_out(struct loupe_freed_slots *slots, uint32_t edge) {
    uint32_t ignored;
    if (loupe_map_find(&slots->left_out_edges, edge, &ignored))
        return;
    loupe_map_put(&slots->left_out_edges, edge, 0);
    slots->left_out++;
}

void loupe_freed_target_keep(struct loupe_walk *walk, const struct loupe_graph *graph,
                             uint32_t from, uint32_t edge_id) {
    struct loupe_freed_slots *slots = &walk->freed;
    struct loupe_edge edge = loupe_graph_edge(graph, edge_id);
    loupe_addr target = loupe_graph_address(graph, edge.to);
    struct loupe_freed freed;
    bool may_be_freed = loupe_node_kind(loupe_graph_node(graph, edge.to)) != LOUPE_NODE_BYREF;
    if (!may_be_freed || !loupe_freed_at(walk->target, target, &freed) || !freed.certain ||
        is_kept(slots, from, &edge))
        return;
    if (slots->count == LOUPE_MAX_FREED_SLOTS) {
        leave_out(slots, edge_id);
        return;
    }
    slots->items[slots->count++] =
        (struct loupe_nonowning_ref){.target = target, .from = from, .edge = edge};
}

void loupe_freed_targets_keep(struct loupe_walk *walk, const struct loupe_graph *graph,
                              uint32_t node) {
    uint32_t end = loupe_graph_edges_end(graph, node);
    for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++)
        loupe_freed_target_keep(walk, graph, node, id);
}
