#include "cycles/rings/paths.h"

/* ---- Levels ---- */

/* What a breadth-first search leaves in the marks and the queue; the value of a state is a level.
 */
struct levels {
    uint32_t length; /* of the shortest path */
    uint32_t queued;
    uint64_t visited; /* edges looked at */
};

static bool is_at_level(const struct loupe_search *search, uint32_t node, uint32_t level) {
    return *loupe_search_state(search, node) == (LOUPE_MARKED | LOUPE_ON_RING | level);
}

/* Looks along the edges of one node. Returns whether the goal was seen; then stops queueing. */
static bool look_from(const struct loupe_search *search, const struct loupe_path_query *query,
                      struct levels *levels, uint32_t node, uint32_t level, bool found) {
    uint32_t end = loupe_graph_edges_end(search->graph, node);
    for (uint32_t id = loupe_graph_first_edge(search->graph, node);
         id < end && levels->visited < query->visits; id++) {
        levels->visited++;
        if (!loupe_search_follows(search, id))
            continue;
        uint32_t to = loupe_graph_target(search->graph, id);
        if (to == query->goal) {
            *loupe_search_state(search, node) |= LOUPE_ON_RING;
            return true;
        }
        uint32_t *state = loupe_search_state(search, to);
        if (!found && !(*state & LOUPE_MARKED)) {
            *state = LOUPE_MARKED | (level + 1);
            search->queue[levels->queued++] = to;
        }
    }
    return found;
}

/*
 * Goes level by level until the goal is seen, and then to the end of that level. The nodes that see
 * the goal are LOUPE_ON_RING.
 */
static enum loupe_path_outcome search_forward(const struct loupe_search *search,
                                              const struct loupe_path_query *query,
                                              struct levels *levels) {
    *levels = (struct levels){.queued = 1};
    search->queue[0] = query->start;
    *loupe_search_state(search, query->start) = LOUPE_MARKED;
    uint32_t level = 0, level_end = 1;
    bool found = false;
    for (uint32_t head = 0; head < levels->queued; head++) {
        if (head == level_end) {
            level++;
            level_end = levels->queued;
            if (found || level >= query->max_length)
                break;
        }
        if (levels->visited >= query->visits)
            break;
        bool before = found;
        found = look_from(search, query, levels, search->queue[head], level, found);
        if (found && !before)
            levels->length = level + 1;
    }
    if (found)
        return LOUPE_PATH_FOUND;
    return levels->visited >= query->visits ? LOUPE_PATH_CUT : LOUPE_PATH_NONE;
}

/* Marks as LOUPE_ON_RING every node of a shortest path, from the far end backwards. */
static void mark_backward(const struct loupe_search *search, const struct levels *levels) {
    for (uint32_t i = levels->queued; i-- > 0;) {
        uint32_t node = search->queue[i];
        uint32_t *state = loupe_search_state(search, node);
        uint32_t level = *state & LOUPE_STATE_VALUE;
        if (level + 1 >= levels->length)
            continue;
        uint32_t end = loupe_graph_edges_end(search->graph, node);
        for (uint32_t id = loupe_graph_first_edge(search->graph, node); id < end; id++) {
            if (loupe_search_follows(search, id) &&
                is_at_level(search, loupe_graph_target(search->graph, id), level + 1)) {
                *state |= LOUPE_ON_RING;
                break;
            }
        }
    }
}

/* ---- Choosing one of the shortest paths ---- */

/*
 * The least path by the fingerprints of its edges. Level by level it keeps all nodes that the least
 * beginning can lead to; the length and the names that are looked at have a limit, behind which the
 * choice is by address alone.
 */
enum {
    MAX_CHOICE_LENGTH = 1024,
    MAX_CHOICE_NAMES = 4096,
    /* A node is kept for a name, or alone on its level. */
    MAX_CHOICE_NODES = MAX_CHOICE_LENGTH + MAX_CHOICE_NAMES + 1
};

struct loupe_path_choice {
    const struct loupe_ring_finder *finder;
    const struct loupe_path_query *query;
    uint32_t length;
    uint32_t names_left;
    uint32_t starts[MAX_CHOICE_LENGTH + 1]; /* of each level in nodes */
    uint64_t least[MAX_CHOICE_LENGTH];      /* fingerprint of the edges out of each level */
    bool named[MAX_CHOICE_LENGTH];          /* false: there was only one edge, least is not set */
    uint32_t nodes[MAX_CHOICE_NODES];
};

/* Whether the edge goes on along a shortest path from a node of the level. */
static bool goes_on(const struct loupe_path_choice *choice, uint32_t edge, uint32_t level) {
    const struct loupe_search *search = &choice->finder->search;
    if (!loupe_search_follows(search, edge))
        return false;
    uint32_t to = loupe_graph_target(search->graph, edge);
    return level + 1 == choice->length ? to == choice->query->goal
                                       : is_at_level(search, to, level + 1);
}

static uint64_t fingerprint(const struct loupe_path_choice *choice, uint32_t from, uint32_t edge) {
    return loupe_knot_namer_edge(&choice->finder->namer, from, edge);
}

/* How many edges go on from the level; more than one are told apart by name. */
static uint32_t count_onward(const struct loupe_path_choice *choice, uint32_t level) {
    const struct loupe_graph *graph = choice->finder->graph;
    uint32_t count = 0;
    for (uint32_t i = choice->starts[level]; i < choice->starts[level + 1] && count < 2; i++) {
        uint32_t node = choice->nodes[i], end = loupe_graph_edges_end(graph, node);
        for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++)
            count += goes_on(choice, id, level);
    }
    return count;
}

static void add_choice(struct loupe_path_choice *choice, uint32_t level, uint32_t node,
                       uint32_t *end) {
    for (uint32_t i = choice->starts[level + 1]; i < *end; i++) {
        if (choice->nodes[i] == node)
            return;
    }
    choice->nodes[(*end)++] = node;
}

/* Takes one edge of a level into account. False when too many were named. */
static bool consider(struct loupe_path_choice *choice, uint32_t level, uint32_t from, uint32_t edge,
                     uint32_t *end) {
    uint32_t to = loupe_graph_target(choice->finder->graph, edge);
    if (choice->named[level]) {
        if (choice->names_left-- == 0)
            return false;
        uint64_t name = fingerprint(choice, from, edge);
        if (*end > choice->starts[level + 1] && name > choice->least[level])
            return true;
        if (*end == choice->starts[level + 1] || name < choice->least[level])
            *end = choice->starts[level + 1]; /* a new least one: forget the others */
        choice->least[level] = name;
    }
    add_choice(choice, level, to, end);
    return true;
}

static bool choose_forward(struct loupe_path_choice *choice) {
    const struct loupe_graph *graph = choice->finder->graph;
    choice->starts[0] = 0;
    choice->starts[1] = 1;
    choice->nodes[0] = choice->query->start;
    for (uint32_t level = 0; level < choice->length; level++) {
        choice->named[level] = count_onward(choice, level) > 1;
        uint32_t end = choice->starts[level + 1];
        for (uint32_t i = choice->starts[level]; i < choice->starts[level + 1]; i++) {
            uint32_t node = choice->nodes[i], last = loupe_graph_edges_end(graph, node);
            for (uint32_t id = loupe_graph_first_edge(graph, node); id < last; id++) {
                if (goes_on(choice, id, level) && !consider(choice, level, node, id, &end))
                    return false;
            }
        }
        if (level + 1 < choice->length)
            choice->starts[level + 2] = end;
    }
    return true;
}

/* Whether edge a is to be taken rather than b, both between the same two nodes. */
static bool comes_before(const struct loupe_graph *graph, uint32_t a, uint32_t b) {
    uint32_t x = loupe_graph_edge_facts(graph, a)->offset,
             y = loupe_graph_edge_facts(graph, b)->offset;
    return x != y ? x < y : a < b;
}

/* The edge from a node to the next one of the path, of least name where the level has one. */
static uint32_t chosen_edge(const struct loupe_path_choice *choice, uint32_t level, uint32_t from,
                            uint32_t to) {
    const struct loupe_graph *graph = choice->finder->graph;
    uint32_t best = LOUPE_NO_EDGE, end = loupe_graph_edges_end(graph, from);
    for (uint32_t id = loupe_graph_first_edge(graph, from); id < end; id++) {
        if (loupe_graph_target(graph, id) != to ||
            !loupe_search_follows(&choice->finder->search, id))
            continue;
        if (choice->named[level] && fingerprint(choice, from, id) != choice->least[level])
            continue;
        if (best == LOUPE_NO_EDGE || comes_before(graph, id, best))
            best = id;
    }
    return best;
}

/* Of the nodes kept at a level, the one of lowest address that leads to the next of the path. */
static void choose_backward(const struct loupe_path_choice *choice, uint32_t *edges) {
    const struct loupe_graph *graph = choice->finder->graph;
    uint32_t to = choice->query->goal;
    for (uint32_t level = choice->length; level-- > 0;) {
        uint32_t from = LOUPE_NO_NODE;
        loupe_addr lowest = 0;
        for (uint32_t i = choice->starts[level]; i < choice->starts[level + 1]; i++) {
            uint32_t node = choice->nodes[i];
            loupe_addr address = loupe_graph_address(graph, node);
            if (from != LOUPE_NO_NODE && address >= lowest)
                continue;
            uint32_t edge = chosen_edge(choice, level, node, to);
            if (edge == LOUPE_NO_EDGE)
                continue;
            edges[level] = edge;
            from = node;
            lowest = address;
        }
        to = from;
    }
}

/* The choice by address alone: at each step to the lowest node that goes on. */
static void choose_by_address(const struct loupe_path_choice *choice, uint32_t *edges) {
    const struct loupe_graph *graph = choice->finder->graph;
    uint32_t node = choice->query->start;
    for (uint32_t level = 0; level < choice->length; level++) {
        uint32_t best = LOUPE_NO_EDGE, end = loupe_graph_edges_end(graph, node);
        loupe_addr lowest = 0;
        for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++) {
            if (!goes_on(choice, id, level))
                continue;
            loupe_addr address = loupe_graph_address(graph, loupe_graph_target(graph, id));
            if (best == LOUPE_NO_EDGE || address < lowest ||
                (address == lowest && comes_before(graph, id, best))) {
                best = id;
                lowest = address;
            }
        }
        edges[level] = best;
        node = loupe_graph_target(graph, best);
    }
}

/* Writes the chosen path of the search that just ended. edges has room for its length. */
static void choose_path(struct loupe_path_choice *choice, const struct loupe_path_query *query,
                        uint32_t length, uint32_t *edges) {
    choice->query = query;
    choice->length = length;
    choice->names_left = MAX_CHOICE_NAMES;
    if (length <= MAX_CHOICE_LENGTH && choose_forward(choice))
        choose_backward(choice, edges);
    else
        choose_by_address(choice, edges);
}

/* ---- Searching ---- */

static void begin(struct loupe_search *search, const struct loupe_knot *knot,
                  const struct loupe_path_query *query) {
    bool few = query->visits < knot->count;
    loupe_search_begin(search, knot, few ? (uint32_t)query->visits + 1 : knot->count);
}

enum loupe_path_outcome loupe_path_measure(struct loupe_ring_finder *finder,
                                           const struct loupe_knot *knot,
                                           const struct loupe_path_query *query,
                                           struct loupe_path *ret) {
    struct levels levels;
    begin(&finder->search, knot, query);
    enum loupe_path_outcome outcome = search_forward(&finder->search, query, &levels);
    loupe_search_end(&finder->search, levels.queued);
    *ret = (struct loupe_path){.length = levels.length, .visited = levels.visited};
    return outcome;
}

enum loupe_status loupe_path_find(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                  const struct loupe_path_query *query,
                                  enum loupe_path_outcome *outcome_ret, struct loupe_path *ret) {
    struct levels levels;
    begin(&finder->search, knot, query);
    *outcome_ret = search_forward(&finder->search, query, &levels);
    uint32_t *edges = NULL;
    if (*outcome_ret == LOUPE_PATH_FOUND) {
        mark_backward(&finder->search, &levels);
        edges = loupe_arena_alloc_array(finder->arena, levels.length, sizeof(*edges));
        if (edges)
            choose_path(finder->choice, query, levels.length, edges);
    }
    loupe_search_end(&finder->search, levels.queued);
    *ret = (struct loupe_path){.edges = edges, .length = levels.length, .visited = levels.visited};
    return *outcome_ret == LOUPE_PATH_FOUND && !edges ? LOUPE_ENOMEM : LOUPE_OK;
}

/* ---- Life ---- */

enum loupe_status loupe_ring_finder_init(struct loupe_ring_finder *finder,
                                         struct loupe_knots *knots,
                                         const struct loupe_describer *describer,
                                         struct loupe_arena *arena) {
    *finder = (struct loupe_ring_finder){.graph = knots->graph,
                                         .describer = describer,
                                         .arena = arena,
                                         .counted = LOUPE_NO_KNOT,
                                         .enumeration_left = LOUPE_ENUMERATION_VISITS};
    finder->choice = loupe_arena_alloc(arena, sizeof(*finder->choice));
    if (!finder->choice)
        return LOUPE_ENOMEM;
    finder->choice->finder = finder;
    loupe_knot_namer_init(&finder->namer, knots, describer);
    return loupe_search_init(&finder->search, knots);
}

void loupe_ring_finder_deinit(struct loupe_ring_finder *finder) {
    loupe_knot_namer_deinit(&finder->namer);
    loupe_search_deinit(&finder->search);
}

struct loupe_knot_edges loupe_ring_finder_edges(struct loupe_ring_finder *finder,
                                                const struct loupe_knot *knot) {
    if (finder->counted != knot->number) {
        finder->counted = knot->number;
        finder->edges = loupe_knot_count_edges(finder->search.knots, knot);
    }
    return finder->edges;
}
