/*
 * named_nodes.h - the nodes that an answer names, each once, in the order of their first mention.
 */
#ifndef LOUPE_NAMED_NODES_H
#define LOUPE_NAMED_NODES_H

#include "base/map.h"
#include "graph/graph.h"

struct loupe_named_nodes {
    struct loupe_map seen;
    uint32_t *nodes; /* in the arena */
    uint32_t count;
    enum loupe_status status; /* the first failure */
};

/* Room for `capacity` mentions. */
void loupe_named_nodes_init(struct loupe_named_nodes *named, const struct loupe_graph *graph,
                            struct loupe_arena *arena, size_t capacity);
void loupe_name_node(struct loupe_named_nodes *named, uint32_t node);
/* Gives back all but the nodes. Returns the status. */
enum loupe_status loupe_named_nodes_end(struct loupe_named_nodes *named);

#endif
