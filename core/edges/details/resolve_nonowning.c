#include "edges/details/resolve_nonowning.h"

static struct loupe_nonowning_ref *at(const struct loupe_walk *walk, uint32_t index) {
    return loupe_vector_at(&walk->nonowning.items, index, sizeof(struct loupe_nonowning_ref));
}

static enum loupe_status map_nodes(const struct loupe_walk *walk, const struct loupe_graph *graph,
                                   struct loupe_map *nodes) {
    uint32_t ignored;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < walk->nonowning.items.count; i++)
        status = loupe_map_put(nodes, at(walk, i)->target, LOUPE_NO_NODE);
    for (uint32_t id = 0; !status && id < loupe_graph_node_count(graph); id++) {
        loupe_addr address = loupe_graph_address(graph, id);
        if (loupe_map_find(nodes, address, &ignored))
            status = loupe_map_put(nodes, address, id);
    }
    return status;
}

enum loupe_status loupe_nonowning_resolve(struct loupe_walk *walk,
                                          const struct loupe_graph *graph) {
    struct loupe_map nodes;
    loupe_map_init(&nodes, walk->target->chunks);
    enum loupe_status status = map_nodes(walk, graph, &nodes);
    for (uint32_t i = 0; !status && i < walk->nonowning.items.count; i++)
        loupe_map_find(&nodes, at(walk, i)->target, &at(walk, i)->edge.to);
    loupe_map_deinit(&nodes);
    return status;
}

enum loupe_status loupe_nonowning_add_targets(struct loupe_walk *walk, struct loupe_graph *graph) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < walk->nonowning.items.count; i++) {
        struct loupe_object object;
        loupe_addr target = at(walk, i)->target;
        uint32_t known;
        if (loupe_graph_find(graph, target, &known))
            continue;
        status = loupe_object_at(walk->target, target, &object, NULL);
        if (!status)
            status = loupe_walk_seed(walk, graph, &object);
        if (status != LOUPE_ENOMEM)
            status = LOUPE_OK;
    }
    return status;
}
