/* The part of a heap that an answer about holders shows, as a graph. */
#include "leaks/holder_search.h"

#include "base/map.h"

#include <string.h>

/* ---- Nodes of the graph ---- */

/* Of a long path its end is shown, and where it begins. */
struct shown {
    const struct loupe_holder_search *search;
    struct loupe_map places;       /* node -> its number in the graph */
    struct loupe_vector nodes;     /* uint32_t */
    struct loupe_map root_numbers; /* root of the snapshot -> its number among those shown */
    enum loupe_status status;
};

static void show_node(struct shown *shown, uint32_t node) {
    uint32_t ignored;
    if (shown->status || loupe_map_find(&shown->places, node, &ignored))
        return;
    uint32_t *place = loupe_vector_add(&shown->nodes);
    if (!place || loupe_map_put(&shown->places, node, shown->nodes.count - 1)) {
        shown->status = LOUPE_ENOMEM;
        return;
    }
    *place = node;
}

static void show_path(struct shown *shown, const struct loupe_link_found *found) {
    const struct loupe_shortest *shortest = &shown->search->links.shortest;
    uint32_t node = found->from, before;
    show_node(shown, node);
    if (found->rank == LOUPE_NO_PATH)
        return;
    for (uint32_t i = 0; (before = loupe_path_before(shortest, node)) != LOUPE_NO_NODE; i++) {
        node = before;
        if (i < LOUPE_MAX_PATH_SHOWN)
            show_node(shown, node);
    }
    show_node(shown, node);
}

static void show_paths(struct shown *shown, const struct loupe_links_found *links) {
    for (uint32_t i = 0; i < links->count; i++)
        show_path(shown, &links->items[i]);
}

static void show_sources(struct shown *shown, const struct loupe_links_found *links) {
    for (uint32_t i = 0; i < links->count; i++)
        show_node(shown, links->items[i].from);
}

static void show_all(struct shown *shown) {
    const struct loupe_holder_search *search = shown->search;
    show_node(shown, search->links.node);
    show_paths(shown, &search->links.holders);
    show_paths(shown, &search->links.memory);
    show_sources(shown, &search->links.ruled_out);
    show_sources(shown, &search->links.nonowning);
}

static uint32_t place_of(const struct shown *shown, uint32_t node) {
    uint32_t place = LOUPE_NO_NODE;
    loupe_map_find(&shown->places, node, &place);
    return place;
}

static enum loupe_status make_graph(struct shown *shown, struct loupe_holders *ret) {
    const struct loupe_holder_search *search = shown->search;
    uint64_t *hidden = loupe_arena_alloc_array(search->arena, search->known.count, sizeof(*hidden));
    uint32_t count = shown->nodes.count;
    uint32_t *nodes = hidden ? loupe_vector_flatten(&shown->nodes) : NULL;
    if (!nodes)
        return LOUPE_ENOMEM;
    struct loupe_heap_choice choice = {.nodes = nodes, .count = count, .kinds = LOUPE_LINKS_MAYBE};
    enum loupe_status status = loupe_heap_graph_of(search->snapshot, &choice, search->links.chunks,
                                                   search->arena, &ret->heap);
    loupe_chunk_put(search->links.chunks, nodes, loupe_vector_flat_size(sizeof(*nodes), count));
    if (status)
        return status;
    struct loupe_describer describer = loupe_describe_heap(&ret->heap);
    return loupe_filters_apply(&ret->heap.graph, &describer, search->known.items,
                               search->known.count, hidden);
}

/* ---- Roots and paths ---- */

/* The number of a root among those that are shown. */
static uint32_t show_root(struct shown *shown, uint32_t number, struct loupe_holders *ret) {
    const struct loupe_snapshot *snapshot = shown->search->snapshot;
    uint32_t shown_as = LOUPE_NO_ROOT;
    if (shown->status || loupe_map_find(&shown->root_numbers, number, &shown_as))
        return shown_as;
    const struct loupe_root_place *place = &snapshot->native->root_places[number];
    struct loupe_root *root = loupe_vector_add(&ret->roots);
    if (!root || loupe_map_put(&shown->root_numbers, number, ret->roots.count - 1)) {
        shown->status = LOUPE_ENOMEM;
        return LOUPE_NO_ROOT;
    }
    *root = (struct loupe_root){.slot = place->slot,
                                .node = place_of(shown, snapshot->roots[number].node),
                                .number = number,
                                .kind = (enum loupe_root_kind)snapshot->roots[number].kind,
                                .retains = place->retains};
    return ret->roots.count - 1;
}

static uint32_t edge_between(const struct shown *shown, const struct loupe_holders *ret,
                             uint32_t from, uint32_t to) {
    uint32_t link = loupe_path_link(&shown->search->links.columns, LOUPE_LINKS_MAYBE,
                                    1u << LOUPE_LINK_CONSERVATIVE, from, to);
    return loupe_heap_graph_edge(&ret->heap, place_of(shown, from), link);
}

/* Of a holder and, up to where it is known or no more shown, what its path goes through. */
static void keep_path(struct shown *shown, const struct loupe_link_found *found,
                      struct loupe_holders *ret) {
    const struct loupe_shortest *shortest = &shown->search->links.shortest;
    uint32_t node = found->from;
    if (found->rank == LOUPE_NO_PATH)
        return;
    uint32_t root = show_root(shown, loupe_path_root(shortest, node), ret);
    uint32_t length = loupe_path_length(shortest, node);
    /* Cap: the field way_length. */
    for (uint32_t i = 0; i <= LOUPE_MAX_PATH_SHOWN; i++) {
        struct loupe_root_path *path = &ret->paths.to[place_of(shown, node)];
        uint32_t before = loupe_path_before(shortest, node);
        if (path->root != LOUPE_NO_ROOT && i == LOUPE_MAX_PATH_SHOWN)
            break; /* another holder's path goes on from here */
        *path = (struct loupe_root_path){.root = root, .length = length--};
        if (before == LOUPE_NO_NODE || i == LOUPE_MAX_PATH_SHOWN)
            break;
        path->from = place_of(shown, before);
        path->edge = edge_between(shown, ret, before, node);
        node = before;
    }
}

static enum loupe_status keep_paths(struct shown *shown, struct loupe_holders *ret) {
    const struct loupe_holder_search *search = shown->search;
    uint32_t count = loupe_graph_node_count(&ret->heap.graph);
    if (loupe_paths_from_roots_init(&ret->paths, count, search->links.chunks))
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < search->links.holders.count; i++)
        keep_path(shown, &search->links.holders.items[i], ret);
    for (uint32_t i = 0; i < search->links.memory.count; i++)
        keep_path(shown, &search->links.memory.items[i], ret);
    return shown->status;
}

/* Those that lead to the node itself. A word of memory that is nobody's is told with other words.
 */
static void keep_roots(struct shown *shown, struct loupe_holders *ret) {
    const struct loupe_holder_search *search = shown->search;
    struct loupe_incoming *incoming = &ret->incoming;
    for (uint32_t i = 0; i < search->links.columns.root_count; i++) {
        if (search->links.columns.roots[i] == search->links.node &&
            search->snapshot->roots[i].kind != LOUPE_ROOT_OTHER_MEMORY &&
            incoming->root_count < LOUPE_MAX_INCOMING)
            incoming->roots[incoming->root_count++] = show_root(shown, i, ret);
    }
}

/* ---- References to the node ---- */

static struct loupe_incoming_edge incoming_edge(const struct shown *shown,
                                                const struct loupe_holders *ret,
                                                const struct loupe_link_found *found) {
    uint32_t from = place_of(shown, found->from);
    bool has_path = found->rank != LOUPE_NO_PATH;
    return (struct loupe_incoming_edge){
        .from = from,
        .edge = loupe_heap_graph_edge(&ret->heap, from, found->link),
        .path = has_path ? ret->paths.to[from] : (struct loupe_root_path){.root = LOUPE_NO_ROOT},
        .owns_nothing_since = found->owns_nothing_since,
        .is_lost = !loupe_is_marked(&shown->search->alive, found->from),
        .is_reached_without_stacks =
            has_path &&
            loupe_path_level(&shown->search->links.shortest, found->from) == LOUPE_LEVEL_NORMAL};
}

static uint32_t keep_edges(const struct shown *shown, const struct loupe_holders *holders,
                           const struct loupe_links_found *links, struct loupe_incoming_edge *ret) {
    for (uint32_t i = 0; i < links->count; i++)
        ret[i] = incoming_edge(shown, holders, &links->items[i]);
    return links->count;
}

static enum loupe_status keep_nonowning(const struct shown *shown, struct loupe_holders *ret) {
    const struct loupe_links_found *links = &shown->search->links.nonowning;
    const struct loupe_snapshot *snapshot = shown->search->snapshot;
    for (uint32_t i = 0; i < links->count; i++) {
        struct loupe_nonowning_ref *added = loupe_vector_add(&ret->nonowning.items);
        if (!added)
            return LOUPE_ENOMEM;
        *added = (struct loupe_nonowning_ref){
            .target = loupe_snapshot_address(snapshot, shown->search->links.node),
            .from = place_of(shown, links->items[i].from),
            .edge = loupe_native_edge(snapshot, links->items[i].link, ret->seed)};
    }
    ret->nonowning.left_out = links->found - links->count;
    return LOUPE_OK;
}

/* ---- All of it ---- */

static enum loupe_status show(struct shown *shown, struct loupe_holders *ret) {
    const struct loupe_holder_search *search = shown->search;
    struct loupe_incoming *incoming = &ret->incoming;
    show_all(shown);
    enum loupe_status status = shown->status ? shown->status : make_graph(shown, ret);
    if (!status)
        status = keep_paths(shown, ret);
    if (status)
        return status;
    ret->seed = place_of(shown, search->links.node);
    keep_roots(shown, ret);
    incoming->edge_count = keep_edges(shown, ret, &search->links.holders, incoming->edges);
    incoming->memory_count = keep_edges(shown, ret, &search->links.memory, incoming->memory);
    incoming->ruled_out_count =
        keep_edges(shown, ret, &search->links.ruled_out, incoming->ruled_out);
    return shown->status ? shown->status : keep_nonowning(shown, ret);
}

enum loupe_status loupe_holders_show(const struct loupe_holder_search *search,
                                     struct loupe_holders *ret) {
    struct shown shown = {.search = search};
    loupe_map_init(&shown.places, search->links.chunks);
    loupe_map_init(&shown.root_numbers, search->links.chunks);
    loupe_vector_init(&shown.nodes, search->links.chunks, sizeof(uint32_t));
    enum loupe_status status = show(&shown, ret);
    loupe_map_deinit(&shown.places);
    loupe_map_deinit(&shown.root_numbers);
    loupe_vector_deinit(&shown.nodes);
    return status;
}
