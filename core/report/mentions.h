/*
 * mentions.h - the nodes that an answer names, each once, in the order of their first mention.
 */
#ifndef LOUPE_MENTIONS_H
#define LOUPE_MENTIONS_H

#include "base/map.h"
#include "graph/graph.h"

struct loupe_mentions {
    struct loupe_map seen;
    uint32_t *nodes; /* in the arena */
    uint32_t count;
    enum loupe_status status; /* the first failure */
};

/* Room for `capacity` mentions. */
void loupe_mentions_init(struct loupe_mentions *mentions, const struct loupe_graph *graph,
                         struct loupe_arena *arena, size_t capacity);
void loupe_mention(struct loupe_mentions *mentions, uint32_t node);
/* Gives back all but the nodes. Returns the status. */
enum loupe_status loupe_mentions_end(struct loupe_mentions *mentions);

#endif
