#include "report/mentions.h"

void loupe_mentions_init(struct loupe_mentions *mentions, const struct loupe_graph *graph,
                         struct loupe_arena *arena, size_t capacity) {
    *mentions = (struct loupe_mentions){0};
    loupe_map_init(&mentions->seen, graph->nodes.chunks);
    mentions->nodes = loupe_arena_alloc_array(arena, capacity, sizeof(*mentions->nodes));
    if (!mentions->nodes)
        mentions->status = LOUPE_ENOMEM;
}

void loupe_mention(struct loupe_mentions *mentions, uint32_t node) {
    uint32_t ignored;
    if (mentions->status || loupe_map_find(&mentions->seen, node, &ignored))
        return;
    mentions->nodes[mentions->count++] = node;
    mentions->status = loupe_map_put(&mentions->seen, node, 0);
}

enum loupe_status loupe_mentions_end(struct loupe_mentions *mentions) {
    loupe_map_deinit(&mentions->seen);
    return mentions->status;
}
