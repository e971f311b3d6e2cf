#include "cycles/rings/rings.h"

#include <string.h>

static enum loupe_status find_ring(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                   const struct loupe_path_query *query,
                                   enum loupe_path_outcome *outcome_ret, struct loupe_ring *ret) {
    struct loupe_path path;
    enum loupe_status status = loupe_path_find(finder, knot, query, outcome_ret, &path);
    *ret = (struct loupe_ring){.edges = path.edges, .length = path.length};
    return status;
}

/* The fingerprints of a ring's edges, in the arena; NULL without memory. */
static uint64_t *ring_names(const struct loupe_ring_finder *finder, const struct loupe_ring *ring) {
    uint64_t *names = loupe_arena_alloc_array(finder->arena, ring->length, sizeof(*names));
    for (uint32_t i = 0; names && i < ring->length; i++)
        names[i] = loupe_knot_namer_edge(&finder->namer, loupe_ring_from(finder->graph, ring, i),
                                         ring->edges[i]);
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
    struct loupe_path_query query = {
        .start = start, .goal = start, .max_length = candidates->length - full, .visits = visits};
    struct loupe_path path;
    enum loupe_path_outcome outcome = loupe_path_measure(finder, knot, &query, &path);
    *visits_left -= path.visited;
    if (outcome == LOUPE_PATH_CUT)
        candidates->shortest = false;
    if (outcome != LOUPE_PATH_FOUND)
        return;
    if (path.length < candidates->length)
        candidates->count = 0;
    candidates->length = path.length;
    if (candidates->count < candidates->limit)
        candidates->starts[candidates->count++] = start;
}

static bool any_edge_to_itself(const struct loupe_search *search, const struct loupe_knot *knot) {
    for (uint32_t i = 0; i < knot->count; i++) {
        uint32_t node = loupe_knot_member(search->knots, knot, i);
        uint32_t end = loupe_graph_edges_end(search->graph, node);
        for (uint32_t id = loupe_graph_first_edge(search->graph, node); id < end; id++) {
            if (loupe_graph_leads(search->graph, id, node) &&
                (!search->strong_only || loupe_graph_is_strong(search->graph, id)))
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
    return loupe_graph_address(finder->graph, loupe_ring_from(finder->graph, ring, 0));
}

/* Of the rings from all candidates the one that reads least, at last by its start's address. */
static enum loupe_status choose_candidate(struct loupe_ring_finder *finder,
                                          const struct loupe_knot *knot,
                                          const struct candidates *candidates,
                                          struct loupe_ring *ret) {
    const uint64_t *best_names = NULL;
    for (uint32_t i = 0; i < candidates->count; i++) {
        struct loupe_path_query query = {.start = candidates->starts[i],
                                         .goal = candidates->starts[i],
                                         .max_length = candidates->length,
                                         .visits = LOUPE_RING_VISITS};
        struct loupe_ring ring;
        enum loupe_path_outcome outcome;
        enum loupe_status status = find_ring(finder, knot, &query, &outcome, &ring);
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
                                           enum loupe_path_outcome *outcome_ret,
                                           struct loupe_ring *ret) {
    struct candidates candidates;
    find_candidates(finder, knot, edges, &candidates);
    if (candidates.count) {
        *outcome_ret = LOUPE_PATH_FOUND;
        return choose_candidate(finder, knot, &candidates, ret);
    }
    uint32_t start = loupe_knot_member(finder->search.knots, knot, 0);
    struct loupe_path_query query = {
        .start = start, .goal = start, .max_length = UINT32_MAX, .visits = UINT64_MAX};
    return find_ring(finder, knot, &query, outcome_ret, ret);
}

static enum loupe_status find_through_seed(struct loupe_ring_finder *finder,
                                           const struct loupe_knot *knot,
                                           enum loupe_path_outcome *outcome_ret,
                                           struct loupe_ring *ret) {
    struct loupe_path_query query = {.start = finder->seed,
                                     .goal = finder->seed,
                                     .max_length = UINT32_MAX,
                                     .visits = UINT64_MAX};
    enum loupe_status status = find_ring(finder, knot, &query, outcome_ret, ret);
    ret->shortest = true;
    return status;
}

static enum loupe_status find_first(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                    uint64_t edges, bool strong_only,
                                    enum loupe_path_outcome *outcome_ret, struct loupe_ring *ret) {
    finder->search.strong_only = strong_only;
    enum loupe_status status = loupe_knot_has(finder->search.knots, knot, finder->seed)
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
    loupe_addr lowest = loupe_graph_address(graph, loupe_ring_from(graph, ring, start));
    for (uint32_t turned = period; turned < ring->length; turned += period) {
        uint32_t place = (uint32_t)(((uint64_t)start + turned) % ring->length);
        loupe_addr address = loupe_graph_address(graph, loupe_ring_from(graph, ring, place));
        if (address < lowest) {
            lowest = address;
            best = place;
        }
    }
    return best;
}

/* The place of a node in a ring, or its length. */
static uint32_t place_of(const struct loupe_graph *graph, const struct loupe_ring *ring,
                         uint32_t node) {
    uint32_t place = 0;
    while (place < ring->length && loupe_ring_from(graph, ring, place) != node)
        place++;
    return place;
}

static enum loupe_status name_ring(struct loupe_ring_finder *finder, struct loupe_ring *ring,
                                   const uint64_t *names) {
    struct loupe_block_functions functions;
    enum loupe_status status = LOUPE_OK;
    ring->older_fingerprint = loupe_fingerprint_ring(names, ring->length);
    loupe_block_functions_init(&functions, finder->graph, finder->describer,
                               finder->search.knots->chunks);
    for (uint32_t i = 0; !status && i < ring->length; i++)
        status = loupe_block_functions_add(&functions, loupe_ring_from(finder->graph, ring, i));
    ring->fingerprint = loupe_block_functions_hash(&functions, ring->older_fingerprint);
    loupe_block_functions_deinit(&functions);
    return status;
}

enum loupe_status loupe_ring_complete(struct loupe_ring_finder *finder, struct loupe_ring *ring) {
    uint64_t *names = ring_names(finder, ring);
    uint32_t *turned = loupe_arena_alloc_array(finder->arena, ring->length, sizeof(*turned));
    if (!names || !turned)
        return LOUPE_ENOMEM;
    enum loupe_status status = name_ring(finder, ring, names);
    ring->certain = true;
    for (uint32_t i = 0; i < ring->length; i++)
        ring->certain &= loupe_graph_is_strong(finder->graph, ring->edges[i]);
    uint32_t start = place_of(finder->graph, ring, finder->seed);
    if (start == ring->length)
        start = loupe_ring_start(finder->graph, ring, names);
    for (uint32_t i = 0; i < ring->length; i++)
        turned[i] = ring->edges[((uint64_t)start + i) % ring->length];
    ring->edges = turned;
    return status;
}

enum loupe_status loupe_rings_first(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                    struct loupe_ring *ret) {
    struct loupe_knot_edges edges = loupe_ring_finder_edges(finder, knot);
    struct loupe_ring ring = {0};
    enum loupe_path_outcome outcome = LOUPE_PATH_NONE;
    enum loupe_status status =
        find_first(finder, knot, edges.inside, edges.assumed != 0, &outcome, &ring);
    if (!status && edges.assumed && outcome != LOUPE_PATH_FOUND)
        status = find_first(finder, knot, edges.inside, false, &outcome, &ring);
    if (!status)
        status = loupe_ring_complete(finder, &ring);
    if (!status)
        *ret = ring;
    return status;
}

enum loupe_status loupe_ring_through(struct loupe_ring_finder *finder,
                                     const struct loupe_knot *knot, uint32_t from, uint32_t edge,
                                     uint64_t *visits_left, struct loupe_ring *ret) {
    uint32_t to = loupe_graph_target(finder->graph, edge);
    struct loupe_path way = {0};
    *ret = (struct loupe_ring){.length = 0};
    if (from != to) {
        uint64_t visits = *visits_left < LOUPE_RING_VISITS ? *visits_left : LOUPE_RING_VISITS;
        struct loupe_path_query query = {
            .start = to, .goal = from, .max_length = UINT32_MAX, .visits = visits};
        enum loupe_path_outcome outcome;
        enum loupe_status status = loupe_path_find(finder, knot, &query, &outcome, &way);
        *visits_left -= way.visited;
        if (status || outcome != LOUPE_PATH_FOUND)
            return status;
    }
    uint32_t *edges =
        loupe_arena_alloc_array(finder->arena, (size_t)way.length + 1, sizeof(*edges));
    if (!edges)
        return LOUPE_ENOMEM;
    edges[0] = edge;
    if (way.length)
        memcpy(edges + 1, way.edges, way.length * sizeof(*edges));
    *ret = (struct loupe_ring){.edges = edges, .length = way.length + 1, .shortest = true};
    return loupe_ring_complete(finder, ret);
}
