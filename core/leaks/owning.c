/* Which references own nothing, although nothing in the heap says so. */
#include "leaks/leaks.h"

#include <string.h>

/* Edges of a node have the order of its links; not all links are edges. */
static void disown_links_of(const struct loupe_leaks *leaks, uint32_t from) {
    const struct loupe_heap_graph *heap = &leaks->graph;
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    uint32_t node = loupe_heap_graph_node(heap, from), link = snapshot->columns.first[node];
    uint32_t end = snapshot->columns.first[node + 1];
    uint32_t edge_end = loupe_graph_edges_end(&heap->graph, from);
    for (uint32_t id = loupe_graph_first_edge(&heap->graph, from); id < edge_end; id++) {
        struct loupe_edge edge = loupe_graph_edge(&heap->graph, id);
        uint32_t to = loupe_heap_graph_node(heap, edge.to);
        if (edge.ownership != LOUPE_DISOWNED)
            continue;
        while (link < end &&
               (snapshot->columns.to[link] != to || snapshot->native->slots[link] != edge.offset ||
                snapshot->native->labels[link] != edge.detail))
            link++;
        if (link < end)
            leaks->kinds[link] = LOUPE_LINK_UNOWNED;
    }
}

static enum loupe_class_kind kind_of(const struct loupe_snapshot *snapshot, uint32_t node) {
    return (enum loupe_class_kind)snapshot->class_table[snapshot->classes[node]].kind;
}

/* Storage is its collection's: a word of lost memory that leads there was left from what stood
 * there before. */
static void disown_words_to_storage(const struct loupe_leaks *leaks) {
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    const struct loupe_columns *columns = &snapshot->columns;
    for (uint32_t node = 0; node < columns->nodes; node++) {
        if (loupe_is_marked(&leaks->alive, node) || kind_of(snapshot, node) != LOUPE_CLASS_RAW)
            continue;
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
            if (kind_of(snapshot, columns->to[link]) == LOUPE_CLASS_STORAGE)
                leaks->kinds[link] = LOUPE_LINK_UNOWNED;
        }
    }
}

static size_t kinds_bytes(const struct loupe_snapshot *snapshot) {
    return (size_t)snapshot->columns.first[snapshot->columns.nodes] + 1;
}

enum loupe_status loupe_leaks_disown(struct loupe_leaks *leaks) {
    const struct loupe_columns *columns = &leaks->snapshot->columns;
    size_t bytes = kinds_bytes(leaks->snapshot);
    leaks->kinds = loupe_chunk_get(leaks->chunks, bytes);
    if (!leaks->kinds)
        return LOUPE_ENOMEM;
    if (columns->kinds)
        memcpy(leaks->kinds, columns->kinds, bytes - 1);
    else
        memset(leaks->kinds, LOUPE_LINK_STRONG, bytes - 1);
    leaks->columns = *columns;
    leaks->columns.kinds = leaks->kinds;
    for (uint32_t i = 0; i < leaks->graph.graph.opened; i++)
        disown_links_of(leaks, i);
    disown_words_to_storage(leaks);
    return LOUPE_OK;
}

void loupe_leaks_put_kinds(struct loupe_leaks *leaks) {
    if (leaks->kinds)
        loupe_chunk_put(leaks->chunks, leaks->kinds, kinds_bytes(leaks->snapshot));
    leaks->kinds = NULL;
}
