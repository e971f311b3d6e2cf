#include "rings.h"

#include "fingerprint.h"

#include <string.h>

/* ---- Shortest path from a node to a goal, inside a knot ---- */

/* A shortest ring through start when goal is start, else a shortest way from start to goal. */
struct path_query {
    uint32_t start, goal;
    uint32_t max_length; /* edges */
    uint64_t visits;     /* edges to be looked at */
};

enum outcome {
    OUTCOME_FOUND,
    OUTCOME_NONE, /* there is no path of max_length edges or less */
    OUTCOME_CUT   /* nothing found with so many visits */
};

/* What a breadth-first search leaves in the marks and the queue; the value of a state is a level.
 */
struct paths {
    uint32_t length; /* of the shortest path */
    uint32_t queued;
    uint64_t visited; /* edges looked at */
};

static bool is_at_level(const struct loupe_search *search, uint32_t node, uint32_t level) {
    return *loupe_search_state(search, node) == (LOUPE_MARKED | LOUPE_ON_RING | level);
}

/* Looks along the edges of one node. Returns whether the goal was seen; then stops queueing. */
static bool look_from(const struct loupe_search *search, const struct path_query *query,
                      struct paths *paths, uint32_t node, uint32_t level, bool found) {
    uint32_t end = loupe_graph_edges_end(search->graph, node);
    for (uint32_t id = loupe_graph_node(search->graph, node)->first_edge;
         id < end && paths->visited < query->visits; id++) {
        const struct loupe_edge *edge = loupe_graph_edge(search->graph, id);
        paths->visited++;
        if (!loupe_search_follows(search, edge))
            continue;
        if (edge->to == query->goal) {
            *loupe_search_state(search, node) |= LOUPE_ON_RING;
            return true;
        }
        uint32_t *state = loupe_search_state(search, edge->to);
        if (!found && !(*state & LOUPE_MARKED)) {
            *state = LOUPE_MARKED | (level + 1);
            search->queue[paths->queued++] = edge->to;
        }
    }
    return found;
}

/*
 * Goes level by level until the goal is seen, and then to the end of that level. The nodes that see
 * the goal are LOUPE_ON_RING.
 */
static enum outcome search_forward(const struct loupe_search *search,
                                   const struct path_query *query, struct paths *paths) {
    *paths = (struct paths){.queued = 1};
    search->queue[0] = query->start;
    *loupe_search_state(search, query->start) = LOUPE_MARKED;
    uint32_t level = 0, level_end = 1;
    bool found = false;
    for (uint32_t head = 0; head < paths->queued; head++) {
        if (head == level_end) {
            level++;
            level_end = paths->queued;
            if (found || level >= query->max_length)
                break;
        }
        if (paths->visited >= query->visits)
            break;
        bool before = found;
        found = look_from(search, query, paths, search->queue[head], level, found);
        if (found && !before)
            paths->length = level + 1;
    }
    if (found)
        return OUTCOME_FOUND;
    return paths->visited >= query->visits ? OUTCOME_CUT : OUTCOME_NONE;
}

/* Marks as LOUPE_ON_RING every node of a shortest path, from the far end backwards. */
static void mark_backward(const struct loupe_search *search, const struct paths *paths) {
    for (uint32_t i = paths->queued; i-- > 0;) {
        uint32_t node = search->queue[i];
        uint32_t *state = loupe_search_state(search, node);
        uint32_t level = *state & LOUPE_STATE_VALUE;
        if (level + 1 >= paths->length)
            continue;
        uint32_t end = loupe_graph_edges_end(search->graph, node);
        for (uint32_t id = loupe_graph_node(search->graph, node)->first_edge; id < end; id++) {
            const struct loupe_edge *edge = loupe_graph_edge(search->graph, id);
            if (loupe_search_follows(search, edge) && is_at_level(search, edge->to, level + 1)) {
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

struct loupe_ring_choice {
    const struct loupe_ring_finder *finder;
    const struct path_query *query;
    uint32_t length;
    uint32_t names_left;
    uint32_t starts[MAX_CHOICE_LENGTH + 1]; /* of each level in nodes */
    uint64_t least[MAX_CHOICE_LENGTH];      /* fingerprint of the edges out of each level */
    bool named[MAX_CHOICE_LENGTH];          /* false: there was only one edge, least is not set */
    uint32_t nodes[MAX_CHOICE_NODES];
};

/* Whether the edge goes on along a shortest path from a node of the level. */
static bool goes_on(const struct loupe_ring_choice *choice, const struct loupe_edge *edge,
                    uint32_t level) {
    const struct loupe_search *search = &choice->finder->search;
    if (!loupe_search_follows(search, edge))
        return false;
    return level + 1 == choice->length ? edge->to == choice->query->goal
                                       : is_at_level(search, edge->to, level + 1);
}

static uint64_t fingerprint(const struct loupe_ring_choice *choice, uint32_t from, uint32_t edge) {
    return loupe_fingerprint_edge(choice->finder->graph, choice->finder->describer, from, edge);
}

/* How many edges go on from the level; more than one are told apart by name. */
static uint32_t count_onward(const struct loupe_ring_choice *choice, uint32_t level) {
    const struct loupe_graph *graph = choice->finder->graph;
    uint32_t count = 0;
    for (uint32_t i = choice->starts[level]; i < choice->starts[level + 1] && count < 2; i++) {
        uint32_t node = choice->nodes[i], end = loupe_graph_edges_end(graph, node);
        for (uint32_t id = loupe_graph_node(graph, node)->first_edge; id < end; id++)
            count += goes_on(choice, loupe_graph_edge(graph, id), level);
    }
    return count;
}

static void add_choice(struct loupe_ring_choice *choice, uint32_t level, uint32_t node,
                       uint32_t *end) {
    for (uint32_t i = choice->starts[level + 1]; i < *end; i++) {
        if (choice->nodes[i] == node)
            return;
    }
    choice->nodes[(*end)++] = node;
}

/* Takes one edge of a level into account. False when too many were named. */
static bool consider(struct loupe_ring_choice *choice, uint32_t level, uint32_t from, uint32_t edge,
                     uint32_t *end) {
    uint32_t to = loupe_graph_edge(choice->finder->graph, edge)->to;
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

static bool choose_forward(struct loupe_ring_choice *choice) {
    const struct loupe_graph *graph = choice->finder->graph;
    choice->starts[0] = 0;
    choice->starts[1] = 1;
    choice->nodes[0] = choice->query->start;
    for (uint32_t level = 0; level < choice->length; level++) {
        choice->named[level] = count_onward(choice, level) > 1;
        uint32_t end = choice->starts[level + 1];
        for (uint32_t i = choice->starts[level]; i < choice->starts[level + 1]; i++) {
            uint32_t node = choice->nodes[i], last = loupe_graph_edges_end(graph, node);
            for (uint32_t id = loupe_graph_node(graph, node)->first_edge; id < last; id++) {
                if (goes_on(choice, loupe_graph_edge(graph, id), level) &&
                    !consider(choice, level, node, id, &end))
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
    uint32_t x = loupe_graph_edge(graph, a)->offset, y = loupe_graph_edge(graph, b)->offset;
    return x != y ? x < y : a < b;
}

/* The edge from a node to the next one of the path, of least name where the level has one. */
static uint32_t chosen_edge(const struct loupe_ring_choice *choice, uint32_t level, uint32_t from,
                            uint32_t to) {
    const struct loupe_graph *graph = choice->finder->graph;
    uint32_t best = LOUPE_NO_EDGE, end = loupe_graph_edges_end(graph, from);
    for (uint32_t id = loupe_graph_node(graph, from)->first_edge; id < end; id++) {
        const struct loupe_edge *edge = loupe_graph_edge(graph, id);
        if (edge->to != to || !loupe_search_follows(&choice->finder->search, edge))
            continue;
        if (choice->named[level] && fingerprint(choice, from, id) != choice->least[level])
            continue;
        if (best == LOUPE_NO_EDGE || comes_before(graph, id, best))
            best = id;
    }
    return best;
}

/* Of the nodes kept at a level, the one of lowest address that leads to the next of the path. */
static void choose_backward(const struct loupe_ring_choice *choice, uint32_t *edges) {
    const struct loupe_graph *graph = choice->finder->graph;
    uint32_t to = choice->query->goal;
    for (uint32_t level = choice->length; level-- > 0;) {
        uint32_t from = LOUPE_NO_NODE;
        loupe_addr lowest = 0;
        for (uint32_t i = choice->starts[level]; i < choice->starts[level + 1]; i++) {
            uint32_t node = choice->nodes[i];
            loupe_addr address = loupe_graph_node(graph, node)->address;
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
static void choose_by_address(const struct loupe_ring_choice *choice, uint32_t *edges) {
    const struct loupe_graph *graph = choice->finder->graph;
    uint32_t node = choice->query->start;
    for (uint32_t level = 0; level < choice->length; level++) {
        uint32_t best = LOUPE_NO_EDGE, end = loupe_graph_edges_end(graph, node);
        loupe_addr lowest = 0;
        for (uint32_t id = loupe_graph_node(graph, node)->first_edge; id < end; id++) {
            const struct loupe_edge *edge = loupe_graph_edge(graph, id);
            if (!goes_on(choice, edge, level))
                continue;
            loupe_addr address = loupe_graph_node(graph, edge->to)->address;
            if (best == LOUPE_NO_EDGE || address < lowest ||
                (address == lowest && comes_before(graph, id, best))) {
                best = id;
                lowest = address;
            }
        }
        edges[level] = best;
        node = loupe_graph_edge(graph, best)->to;
    }
}

/* Writes the chosen path of the search that just ended. edges has room for its length. */
static void choose_path(struct loupe_ring_choice *choice, const struct path_query *query,
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
                  const struct path_query *query) {
    bool few = query->visits < knot->count;
    loupe_search_begin(search, knot, few ? (uint32_t)query->visits + 1 : knot->count);
}

/* How long the shortest path is, and nothing else. */
static enum outcome measure_path(struct loupe_search *search, const struct loupe_knot *knot,
                                 const struct path_query *query, struct paths *ret) {
    begin(search, knot, query);
    enum outcome outcome = search_forward(search, query, ret);
    loupe_search_end(search, ret->queued);
    return outcome;
}

/* A shortest path, with its edges in the arena. LOUPE_ENOMEM, else *outcome_ret is set. */
static enum loupe_status find_path(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                   const struct path_query *query, enum outcome *outcome_ret,
                                   struct loupe_ring *ret) {
    struct loupe_search *search = &finder->search;
    struct paths paths;
    begin(search, knot, query);
    *outcome_ret = search_forward(search, query, &paths);
    uint32_t *edges = NULL;
    if (*outcome_ret == OUTCOME_FOUND) {
        mark_backward(search, &paths);
        edges = loupe_arena_alloc_array(finder->arena, paths.length, sizeof(*edges));
        if (edges)
            choose_path(finder->choice, query, paths.length, edges);
        *ret = (struct loupe_ring){.edges = edges, .length = paths.length};
    }
    loupe_search_end(search, paths.queued);
    return *outcome_ret == OUTCOME_FOUND && !edges ? LOUPE_ENOMEM : LOUPE_OK;
}

/* The fingerprints of a ring's edges, in the arena; NULL without memory. */
static uint64_t *ring_names(const struct loupe_ring_finder *finder, const struct loupe_ring *ring) {
    uint64_t *names = loupe_arena_alloc_array(finder->arena, ring->length, sizeof(*names));
    for (uint32_t i = 0; names && i < ring->length; i++)
        names[i] = loupe_fingerprint_edge(finder->graph, finder->describer,
                                          loupe_ring_from(finder->graph, ring, i), ring->edges[i]);
    return names;
}

/* ---- The shortest ring of a knot without the seed ---- */

/*
 * So many rings are compared at most; in a knot with many edges fewer, because choosing a ring
 * looks at all edges of the objects on it.
 */
enum { MAX_CANDIDATES = 64, CANDIDATE_EDGES = 1 << 22 };

/* Members from which a ring of the least length known so far can be found. */
struct candidates {
    uint32_t starts[MAX_CANDIDATES];
    uint32_t count, limit;
    uint32_t length; /* UINT32_MAX: none found yet */
    bool shortest;   /* no search was cut where it could have found a shorter one */
};

static void measure_from(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                         uint32_t start, uint64_t *visits_left, struct candidates *candidates) {
    bool full = candidates->count == candidates->limit;
    uint64_t visits = *visits_left < LOUPE_RING_VISITS ? *visits_left : LOUPE_RING_VISITS;
    struct path_query query = {
        .start = start, .goal = start, .max_length = candidates->length - full, .visits = visits};
    struct paths paths;
    enum outcome outcome = measure_path(&finder->search, knot, &query, &paths);
    *visits_left -= paths.visited;
    if (outcome == OUTCOME_CUT)
        candidates->shortest = false;
    if (outcome != OUTCOME_FOUND)
        return;
    if (paths.length < candidates->length)
        candidates->count = 0;
    candidates->length = paths.length;
    if (candidates->count < candidates->limit)
        candidates->starts[candidates->count++] = start;
}

static bool any_edge_to_itself(const struct loupe_search *search, const struct loupe_knot *knot) {
    for (uint32_t i = 0; i < knot->count; i++) {
        uint32_t node = loupe_knot_member(search->knots, knot, i);
        uint32_t end = loupe_graph_edges_end(search->graph, node);
        for (uint32_t id = loupe_graph_node(search->graph, node)->first_edge; id < end; id++) {
            const struct loupe_edge *edge = loupe_graph_edge(search->graph, id);
            if (edge->to == node && !edge->hidden &&
                !(search->strong_only && edge->ownership != LOUPE_STRONG))
                return true;
        }
    }
    return false;
}

/* Tries the members in turn until nothing shorter can come or the visits are used up. */
static void try_members(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                        uint32_t least, uint64_t *visits_left, struct candidates *candidates) {
    candidates->count = 0;
    candidates->shortest = true;
    for (uint32_t i = 0; i < knot->count; i++) {
        if (candidates->length == least && candidates->count == candidates->limit)
            return;
        if (!*visits_left) {
            candidates->shortest = false;
            return;
        }
        measure_from(finder, knot, loupe_knot_member(finder->search.knots, knot, i), visits_left,
                     candidates);
    }
}

/*
 * Once a length is known, searches that were cut before can end at that depth instead: so another
 * round is worth it as long as rounds find something shorter.
 */
static void find_candidates(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                            uint64_t edges, struct candidates *ret) {
    uint32_t least = any_edge_to_itself(&finder->search, knot) ? 1 : 2;
    uint64_t visits_left = LOUPE_KNOT_VISITS + edges, limit = 1 + CANDIDATE_EDGES / edges;
    struct candidates best = {.limit = limit < MAX_CANDIDATES ? (uint32_t)limit : MAX_CANDIDATES,
                              .length = UINT32_MAX};
    struct candidates round = best;
    do {
        try_members(finder, knot, least, &visits_left, &round);
        if (!round.count || round.length == best.length)
            break;
        best = round;
    } while (!best.shortest && visits_left);
    if (round.count)
        best = round;
    best.shortest |= best.length == least;
    *ret = best;
}

/* Whether ring a, read from its start, comes before ring b. */
static bool reads_before(const uint64_t *a, const uint64_t *b, uint32_t length) {
    for (uint32_t i = 0; i < length; i++) {
        if (a[i] != b[i])
            return a[i] < b[i];
    }
    return false;
}

static loupe_addr start_address(const struct loupe_ring_finder *finder,
                                const struct loupe_ring *ring) {
    return loupe_graph_node(finder->graph, loupe_ring_from(finder->graph, ring, 0))->address;
}

/* Of the rings from all candidates the one that reads least, at last by its start's address. */
static enum loupe_status choose_candidate(struct loupe_ring_finder *finder,
                                          const struct loupe_knot *knot,
                                          const struct candidates *candidates,
                                          struct loupe_ring *ret) {
    const uint64_t *best_names = NULL;
    for (uint32_t i = 0; i < candidates->count; i++) {
        struct path_query query = {.start = candidates->starts[i],
                                   .goal = candidates->starts[i],
                                   .max_length = candidates->length,
                                   .visits = LOUPE_RING_VISITS};
        struct loupe_ring ring;
        enum outcome outcome;
        enum loupe_status status = find_path(finder, knot, &query, &outcome, &ring);
        const uint64_t *names = status ? NULL : ring_names(finder, &ring);
        if (!names)
            return LOUPE_ENOMEM;
        if (!best_names || reads_before(names, best_names, ring.length) ||
            (!reads_before(best_names, names, ring.length) &&
             start_address(finder, &ring) < start_address(finder, ret))) {
            best_names = names;
            *ret = ring;
        }
    }
    ret->shortest = candidates->shortest;
    return LOUPE_OK;
}

/* ---- The first ring ---- */

/* Of all members' rings, or of the first member's where no start found one with few visits. */
static enum loupe_status find_without_seed(struct loupe_ring_finder *finder,
                                           const struct loupe_knot *knot, uint64_t edges,
                                           enum outcome *outcome_ret, struct loupe_ring *ret) {
    struct candidates candidates;
    find_candidates(finder, knot, edges, &candidates);
    if (candidates.count) {
        *outcome_ret = OUTCOME_FOUND;
        return choose_candidate(finder, knot, &candidates, ret);
    }
    uint32_t start = loupe_knot_member(finder->search.knots, knot, 0);
    struct path_query query = {
        .start = start, .goal = start, .max_length = UINT32_MAX, .visits = UINT64_MAX};
    return find_path(finder, knot, &query, outcome_ret, ret);
}

static enum loupe_status find_through_seed(struct loupe_ring_finder *finder,
                                           const struct loupe_knot *knot, enum outcome *outcome_ret,
                                           struct loupe_ring *ret) {
    struct path_query query = {.max_length = UINT32_MAX, .visits = UINT64_MAX};
    enum loupe_status status = find_path(finder, knot, &query, outcome_ret, ret);
    ret->shortest = true;
    return status;
}

static enum loupe_status find_first(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                    uint64_t edges, bool strong_only, enum outcome *outcome_ret,
                                    struct loupe_ring *ret) {
    finder->search.strong_only = strong_only;
    enum loupe_status status = loupe_knot_member(finder->search.knots, knot, 0) == 0
                                   ? find_through_seed(finder, knot, outcome_ret, ret)
                                   : find_without_seed(finder, knot, edges, outcome_ret, ret);
    finder->search.strong_only = false;
    return status;
}

/* The least number of steps by which the names can be turned without a change. */
static uint32_t period_of(const uint64_t *names, uint32_t count) {
    for (uint32_t period = 1; period <= count / 2; period++) {
        uint32_t same = count % period ? 0 : period;
        while (same && same < count && names[same] == names[same - period])
            same++;
        if (same == count)
            return period;
    }
    return count;
}

uint32_t loupe_ring_start(const struct loupe_graph *graph, const struct loupe_ring *ring,
                          const uint64_t *names) {
    uint32_t start = loupe_least_rotation(names, ring->length);
    uint32_t period = period_of(names, ring->length), best = start;
    loupe_addr lowest = loupe_graph_node(graph, loupe_ring_from(graph, ring, start))->address;
    for (uint32_t turned = period; turned < ring->length; turned += period) {
        uint32_t place = (uint32_t)(((uint64_t)start + turned) % ring->length);
        loupe_addr address = loupe_graph_node(graph, loupe_ring_from(graph, ring, place))->address;
        if (address < lowest) {
            lowest = address;
            best = place;
        }
    }
    return best;
}

/* The place of the seed in a ring, or its length. */
static uint32_t place_of_seed(const struct loupe_graph *graph, const struct loupe_ring *ring) {
    uint32_t place = 0;
    while (place < ring->length && loupe_ring_from(graph, ring, place) != 0)
        place++;
    return place;
}

enum loupe_status loupe_ring_complete(struct loupe_ring_finder *finder, struct loupe_ring *ring) {
    uint64_t *names = ring_names(finder, ring);
    uint32_t *turned = loupe_arena_alloc_array(finder->arena, ring->length, sizeof(*turned));
    if (!names || !turned)
        return LOUPE_ENOMEM;
    ring->fingerprint = loupe_fingerprint_ring(names, ring->length);
    ring->certain = true;
    for (uint32_t i = 0; i < ring->length; i++)
        ring->certain &= loupe_graph_edge(finder->graph, ring->edges[i])->ownership == LOUPE_STRONG;
    uint32_t start = place_of_seed(finder->graph, ring);
    if (start == ring->length)
        start = loupe_ring_start(finder->graph, ring, names);
    for (uint32_t i = 0; i < ring->length; i++)
        turned[i] = ring->edges[((uint64_t)start + i) % ring->length];
    ring->edges = turned;
    return LOUPE_OK;
}

enum loupe_status loupe_rings_first(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                    struct loupe_ring *ret) {
    struct loupe_knot_edges edges = loupe_knot_count_edges(finder->search.knots, knot);
    struct loupe_ring ring = {0};
    enum outcome outcome = OUTCOME_NONE;
    enum loupe_status status =
        find_first(finder, knot, edges.inside, edges.assumed != 0, &outcome, &ring);
    if (!status && edges.assumed && outcome != OUTCOME_FOUND)
        status = find_first(finder, knot, edges.inside, false, &outcome, &ring);
    if (!status)
        status = loupe_ring_complete(finder, &ring);
    if (!status)
        *ret = ring;
    return status;
}

enum loupe_status loupe_ring_through(struct loupe_ring_finder *finder,
                                     const struct loupe_knot *knot, uint32_t from, uint32_t edge,
                                     uint64_t *visits_left, bool *found_ret,
                                     struct loupe_ring *ret) {
    uint32_t to = loupe_graph_edge(finder->graph, edge)->to;
    struct loupe_ring way = {0};
    struct loupe_arena *arena = finder->arena;
    *found_ret = from == to;
    if (from != to) {
        uint64_t visits = *visits_left < LOUPE_RING_VISITS ? *visits_left : LOUPE_RING_VISITS;
        struct path_query query = {
            .start = to, .goal = from, .max_length = UINT32_MAX, .visits = visits};
        enum outcome outcome;
        enum loupe_status status = find_path(finder, knot, &query, &outcome, &way);
        *visits_left -= visits;
        *found_ret = outcome == OUTCOME_FOUND;
        if (status || !*found_ret)
            return status;
    }
    uint32_t *edges = loupe_arena_alloc_array(arena, (size_t)way.length + 1, sizeof(*edges));
    if (!edges)
        return LOUPE_ENOMEM;
    edges[0] = edge;
    if (way.length)
        memcpy(edges + 1, way.edges, way.length * sizeof(*edges));
    *ret = (struct loupe_ring){.edges = edges, .length = way.length + 1};
    return loupe_ring_complete(finder, ret);
}

enum loupe_status loupe_ring_finder_init(struct loupe_ring_finder *finder,
                                         struct loupe_knots *knots,
                                         const struct loupe_describer *describer,
                                         struct loupe_arena *arena) {
    *finder = (struct loupe_ring_finder){.graph = knots->graph,
                                         .describer = describer,
                                         .arena = arena,
                                         .enumeration_left = LOUPE_ENUMERATION_VISITS};
    finder->choice = loupe_arena_alloc(arena, sizeof(*finder->choice));
    if (!finder->choice)
        return LOUPE_ENOMEM;
    finder->choice->finder = finder;
    return loupe_search_init(&finder->search, knots);
}

void loupe_ring_finder_deinit(struct loupe_ring_finder *finder) {
    loupe_search_deinit(&finder->search);
}
