#include "graph/graph.h"

#include "base/map.h"

enum { NODES_BETWEEN_CHECKS = 256 };

const char *loupe_edge_kind_name(enum loupe_edge_kind kind) {
    static const char *const names[LOUPE_EDGE_KIND_COUNT] = {
        [LOUPE_EDGE_IVAR] = "ivar",
        [LOUPE_EDGE_CAPTURE] = "capture",
        [LOUPE_EDGE_BYREF] = "byref",
        [LOUPE_EDGE_ASSOCIATION] = "association",
        [LOUPE_EDGE_ELEMENT] = "element",
        [LOUPE_EDGE_KEY] = "key",
        [LOUPE_EDGE_VALUE] = "value",
        [LOUPE_EDGE_TARGET] = "target",
        [LOUPE_EDGE_USER_INFO] = "user-info",
        [LOUPE_EDGE_WORD] = "word",
        [LOUPE_EDGE_SHARED_PTR] = "shared-ptr",
    };
    return (unsigned)kind < LOUPE_EDGE_KIND_COUNT ? names[kind] : "unknown";
}

const char *loupe_ownership_name(enum loupe_ownership ownership) {
    static const char *const names[] = {
        [LOUPE_STRONG] = "strong",       [LOUPE_ASSUMED] = "assumed",
        [LOUPE_DECLARED] = "assumed",    [LOUPE_DISOWNED] = "unretained",
        [LOUPE_NONOWNING_WEAK] = "weak", [LOUPE_NONOWNING_UNRETAINED] = "unretained"};
    return (unsigned)ownership < sizeof(names) / sizeof(names[0]) ? names[ownership] : "unknown";
}

const char *loupe_node_kind_name(enum loupe_node_kind kind) {
    static const char *const names[] = {
        [LOUPE_NODE_OBJECT] = "object", [LOUPE_NODE_BLOCK] = "block", [LOUPE_NODE_BYREF] = "byref",
        [LOUPE_NODE_CLASS] = "class",   [LOUPE_NODE_RAW] = "raw",     [LOUPE_NODE_ROOT] = "root",
        [LOUPE_NODE_THREAD] = "thread",
    };
    return (unsigned)kind < LOUPE_NODE_KIND_COUNT ? names[kind] : "unknown";
}

/* ---- Life ---- */

void loupe_graph_init(struct loupe_graph *graph, const struct loupe_chunk_ops *chunks,
                      uint64_t limit, struct loupe_findings *findings) {
    bool bounded = limit && limit < LOUPE_MAX_NODES;
    *graph = (struct loupe_graph){.limit = bounded ? (uint32_t)limit : LOUPE_MAX_NODES,
                                  .findings = findings};
    loupe_vector_init(&graph->nodes, chunks, LOUPE_NODE_SIZE);
    loupe_vector_init(&graph->edges, chunks, sizeof(struct loupe_edge_facts));
    loupe_address_index_init(&graph->index, chunks, &graph->nodes);
}

static void drop_column(struct loupe_graph *graph, struct loupe_later_column *column) {
    loupe_numbers_put(graph->nodes.chunks, &column->numbers, column->room);
    column->room = 0;
}

void loupe_graph_deinit(struct loupe_graph *graph) {
    graph->columns = (struct loupe_columns){0};
    drop_column(graph, &graph->first);
    drop_column(graph, &graph->links);
    loupe_vector_deinit(&graph->nodes);
    loupe_vector_deinit(&graph->edges);
    loupe_address_index_deinit(&graph->index);
    graph->opened = 0;
}

/* ---- Building ---- */

/* To eight times as many numbers, since addresses that nothing stands at cost less than numbers
 * that are copied, and from then on to sixteen times; to fewer where so many are not to be had. A
 * small walk would need a second huge page for the addresses alone. */
static bool grow_column(const struct loupe_chunk_ops *chunks, struct loupe_later_column *column) {
    bool grown = false;
    uint32_t most = column->room > LOUPE_SEGMENT_SIZE ? 16 : 8;
    for (uint32_t times = most; !grown && times > 1; times /= 2) {
        uint64_t wanted = column->room ? (uint64_t)column->room * times : LOUPE_SEGMENT_SIZE;
        uint32_t room = wanted < LOUPE_MAX_EDGES ? (uint32_t)wanted : LOUPE_MAX_EDGES;
        grown = loupe_numbers_grow(chunks, &column->numbers, column->room, room);
        if (grown)
            column->room = room;
    }
    return grown;
}

/* For the elements of the segment that one begins, and in their column. */
static bool make_room(struct loupe_vector *vector, struct loupe_later_column *column,
                      uint32_t index) {
    return (index >> LOUPE_SEGMENT_SHIFT < vector->segment_count ||
            loupe_vector_add_segment(vector)) &&
           (index < column->room || grow_column(vector->chunks, column));
}

static bool begins_segment(uint32_t index) {
    return !(index & (LOUPE_SEGMENT_SIZE - 1));
}

bool loupe_graph_is_full(const struct loupe_graph *graph) {
    return graph->nodes.count >= graph->limit;
}

enum loupe_status loupe_graph_add_node_hashed(struct loupe_graph *graph, loupe_addr address,
                                              uint64_t hash, uint32_t tag, uint32_t *ret) {
    if (loupe_graph_is_full(graph)) {
        loupe_findings_add(graph->findings, LOUPE_FINDING_LIMIT, address);
        return LOUPE_ELIMIT;
    }
    uint32_t id = graph->nodes.count;
    if (begins_segment(id) && !make_room(&graph->nodes, &graph->first, id))
        return LOUPE_ENOMEM;
    graph->nodes.count++;
    *loupe_graph_address_place(graph, id) = address;
    *loupe_graph_tag_place(graph, id) = tag;
    enum loupe_status status = loupe_address_index_add_hashed(&graph->index, hash);
    if (status) {
        graph->nodes.count--;
        return status;
    }
    *ret = id;
    return LOUPE_OK;
}

enum loupe_status loupe_graph_add_node(struct loupe_graph *graph, loupe_addr address, uint32_t tag,
                                       uint32_t *ret) {
    return loupe_graph_add_node_hashed(graph, address, loupe_hash(address), tag, ret);
}

enum loupe_status loupe_graph_add_segment_of_edges(struct loupe_graph *graph,
                                                   const struct loupe_edge *edge) {
    uint32_t id = graph->edges.count;
    if (id == LOUPE_MAX_EDGES) {
        loupe_findings_add(graph->findings, LOUPE_FINDING_LIMIT,
                           loupe_graph_address(graph, edge->to));
        return LOUPE_ELIMIT;
    }
    if (!make_room(&graph->edges, &graph->links, id))
        return LOUPE_ENOMEM;
    graph->next_link = &graph->links.numbers[id];
    graph->next_facts = loupe_graph_edge_facts(graph, id);
    return LOUPE_OK;
}

enum loupe_status loupe_graph_freeze(struct loupe_graph *graph) {
    loupe_address_index_deinit(&graph->index);
    const struct loupe_chunk_ops *chunks = graph->nodes.chunks;
    if ((!graph->first.room && !grow_column(chunks, &graph->first)) ||
        (!graph->links.room && !grow_column(chunks, &graph->links)))
        return LOUPE_ENOMEM;
    for (uint32_t id = graph->opened; id <= graph->nodes.count; id++)
        graph->first.numbers[id] = graph->edges.count;
    graph->columns = (struct loupe_columns){
        .first = graph->first.numbers, .to = graph->links.numbers, .nodes = graph->nodes.count};
    return LOUPE_OK;
}

enum loupe_status loupe_graph_go_on(struct loupe_graph *graph) {
    enum loupe_status status = LOUPE_OK;
    graph->columns = (struct loupe_columns){0};
    graph->edges.count = 0;
    for (uint32_t id = graph->index.used; !status && id < graph->nodes.count; id++)
        status = loupe_address_index_add_hashed(&graph->index,
                                                loupe_hash(loupe_graph_address(graph, id)));
    return status;
}

/*
 * What cannot be left out after a walk takes about so many microseconds: knots, what holds them and
 * a ring, in some ten passes over all nodes and edges.
 */
static uint64_t time_to_search(const struct loupe_graph *graph) {
    enum { NODES_PER_MICROSECOND = 4, EDGES_PER_MICROSECOND = 10 };
    return graph->nodes.count / NODES_PER_MICROSECOND + graph->edges.count / EDGES_PER_MICROSECOND;
}

/* Expands nodes in the order of their ids until none is left; *next is the first not done. */
static enum loupe_status walk(struct loupe_graph *graph, struct loupe_memory *memory,
                              const struct loupe_expander *expander, uint32_t *next) {
    uint32_t next_check = 0;
    while ((*next = graph->opened) < graph->nodes.count) {
        if (*next >= next_check) {
            memory->reserved = time_to_search(graph);
            if (loupe_memory_interrupted(memory))
                return LOUPE_ETIMEOUT;
            next_check = *next + NODES_BETWEEN_CHECKS;
        }
        enum loupe_status status = expander->expand(expander->ctx, graph);
        if (status) {
            *next = graph->opened ? graph->opened - 1 : 0;
            return status;
        }
    }
    return LOUPE_OK;
}

enum loupe_status loupe_graph_build(struct loupe_graph *graph, struct loupe_memory *memory,
                                    const struct loupe_expander *expander) {
    uint32_t next;
    enum loupe_status status = walk(graph, memory, expander, &next);
    if (status == LOUPE_ELIMIT || status == LOUPE_ETIMEOUT) {
        enum loupe_finding reason =
            status == LOUPE_ELIMIT ? LOUPE_FINDING_LIMIT : LOUPE_FINDING_INTERRUPTED;
        for (; next < graph->nodes.count; next++)
            loupe_findings_add(graph->findings, reason, loupe_graph_address(graph, next));
        status = LOUPE_OK;
    }
    enum loupe_status frozen = loupe_graph_freeze(graph);
    loupe_memory_begin_phase(memory, LOUPE_PHASE_SEARCH);
    return status ? status : frozen;
}

/* ---- Looking ---- */

uint32_t loupe_graph_source(const struct loupe_graph *graph, uint32_t edge) {
    uint32_t low = 0, high = graph->opened - 1;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (loupe_graph_first_edge(graph, middle) <= edge)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

bool loupe_graph_holds(const struct loupe_graph *graph, uint32_t from, uint32_t to) {
    uint32_t end = loupe_graph_edges_end(graph, from);
    for (uint32_t id = loupe_graph_first_edge(graph, from); id < end; id++) {
        if (loupe_graph_leads(graph, id, to))
            return true;
    }
    return false;
}

static bool addresses_are_unique(const struct loupe_graph *graph) {
    struct loupe_map seen;
    loupe_map_init(&seen, graph->nodes.chunks);
    bool unique = true;
    for (uint32_t id = 0; unique && id < graph->nodes.count; id++) {
        loupe_addr address = loupe_graph_address(graph, id);
        uint32_t other;
        unique = !loupe_map_find(&seen, address, &other) && !loupe_map_put(&seen, address, id);
    }
    loupe_map_deinit(&seen);
    return unique;
}

static bool edges_are_valid(const struct loupe_graph *graph) {
    uint32_t previous = 0;
    for (uint32_t id = 0; id < graph->nodes.count; id++) {
        uint32_t first = loupe_graph_first_edge(graph, id);
        if (first < previous || (id == 0 && first != 0))
            return false;
        previous = first;
    }
    for (uint32_t id = 0; id < graph->edges.count; id++) {
        if (loupe_graph_target(graph, id) >= graph->nodes.count ||
            loupe_graph_edge_facts(graph, id)->kind >= LOUPE_EDGE_KIND_COUNT)
            return false;
    }
    return previous <= graph->edges.count &&
           loupe_graph_first_edge(graph, graph->nodes.count) == graph->edges.count;
}

bool loupe_graph_is_valid(const struct loupe_graph *graph) {
    if (graph->opened > graph->nodes.count || (graph->edges.count && !graph->opened))
        return false;
    if (graph->columns.to && !edges_are_valid(graph))
        return false;
    return addresses_are_unique(graph);
}
