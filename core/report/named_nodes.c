#include "report/named_nodes.h"

void loupe_named_nodes_init(struct loupe_named_nodes *named, const struct loupe_graph *graph,
                            struct loupe_arena *arena, size_t capacity) {
    *named = (struct loupe_named_nodes){0};
    loupe_map_init(&named->seen, graph->nodes.chunks);
    named->nodes = loupe_arena_alloc_array(arena, capacity, sizeof(*named->nodes));
    if (!named->nodes)
        named->status = LOUPE_ENOMEM;
}

void loupe_name_node(struct loupe_named_nodes *named, uint32_t node) {
    uint32_t ignored;
    if (named->status || loupe_map_find(&named->seen, node, &ignored))
        return;
    named->nodes[named->count++] = node;
    named->status = loupe_map_put(&named->seen, node, 0);
}

enum loupe_status loupe_named_nodes_end(struct loupe_named_nodes *named) {
    loupe_map_deinit(&named->seen);
    return named->status;
}
