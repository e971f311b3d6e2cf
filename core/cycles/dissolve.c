#include "cycles/dissolve.h"

#include "base/sort.h"

/*
 * Which hops every ring takes, in linear time.
 *
 * Take all hops of one ring R away. If a ring is left, it takes none of R's hops and no hop
 * dissolves the knot. Else what is left has no rings, and every ring of the knot goes along R and
 * sometimes leaves it: from R's node i over others to R's node j. Such a *jump* closes a ring
 * with the rest of R from j on to i, which misses the hops between i and j: they do not dissolve
 * the knot. A ring that takes several jumps misses no hop that none of its jumps misses. So a hop
 * dissolves the knot if and only if no jump passes over it.
 *
 * Of all jumps only the farthest count. Forward jumps (i < j): for each i the greatest j. Jumps
 * over R's end (j < i): they pass over all hops from the least i on and before the greatest j.
 * Greatest and least positions that nodes reach or are reached from follow from one pass each in
 * topological order.
 */

struct hop {
    uint32_t from, to;
    uint32_t position; /* in the ring */
};

/* What is taken away. */
struct cut {
    const struct hop *hops; /* by source; their sources are LOUPE_ON_RING */
    uint32_t count;
    bool has_ivar; /* all edges like this one, too */
    uint32_t ivar_from, ivar_edge;
    const struct loupe_removal *removals; /* several at once, in place of the above */
    uint32_t removal_count;
    const uint32_t *kept; /* members that have one more way in, from outside */
    uint32_t kept_count;
};

static const struct hop *hop_from(const struct cut *cut, uint32_t node) {
    uint32_t low = 0, high = cut->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (cut->hops[middle].from <= node)
            low = middle;
        else
            high = middle;
    }
    return &cut->hops[low];
}

static bool is_on_ring(const struct loupe_search *search, uint32_t node) {
    return *loupe_search_state(search, node) & LOUPE_ON_RING;
}

static uint32_t value_of(const struct loupe_search *search, uint32_t node) {
    return *loupe_search_state(search, node) & LOUPE_STATE_VALUE;
}

static void set_value(const struct loupe_search *search, uint32_t node, uint32_t value) {
    uint32_t *state = loupe_search_state(search, node);
    *state = (*state & ~LOUPE_STATE_VALUE) | value;
}

static bool is_alike(const struct loupe_edge_facts *a, const struct loupe_edge_facts *b) {
    return a->kind == b->kind && a->source == b->source && a->offset == b->offset &&
           a->detail == b->detail;
}

static bool is_member(enum loupe_edge_kind kind) {
    return kind == LOUPE_EDGE_ELEMENT || kind == LOUPE_EDGE_KEY || kind == LOUPE_EDGE_VALUE;
}

static uint32_t tag_of_target(const struct loupe_graph *graph, uint32_t edge) {
    return loupe_graph_tag(graph, loupe_graph_target(graph, edge));
}

bool loupe_go_together(const struct loupe_graph *graph, uint32_t from_a, uint32_t edge_a,
                       uint32_t from_b, uint32_t edge_b) {
    const struct loupe_edge_facts *a = loupe_graph_edge_facts(graph, edge_a),
                                  *b = loupe_graph_edge_facts(graph, edge_b);
    if (is_member((enum loupe_edge_kind)a->kind))
        return from_a == from_b && a->kind == b->kind &&
               tag_of_target(graph, edge_a) == tag_of_target(graph, edge_b);
    return a->kind == LOUPE_EDGE_IVAR && is_alike(a, b) &&
           loupe_graph_tag(graph, from_a) == loupe_graph_tag(graph, from_b);
}

static bool is_removed(const struct loupe_search *search, const struct cut *cut, uint32_t from,
                       uint32_t id) {
    const struct loupe_graph *graph = search->graph;
    if (cut->has_ivar && loupe_go_together(graph, cut->ivar_from, cut->ivar_edge, from, id))
        return true;
    for (uint32_t i = 0; i < cut->removal_count; i++) {
        const struct loupe_removal *removal = &cut->removals[i];
        if ((removal->from == from &&
             loupe_graph_target(graph, removal->edge) == loupe_graph_target(graph, id)) ||
            (removal->everywhere &&
             loupe_go_together(graph, removal->from, removal->edge, from, id)))
            return true;
    }
    return false;
}

/* Other than by the hops: mostly nothing is, and this is asked of each edge. */
static inline bool is_cut_otherwise(const struct loupe_search *search, const struct cut *cut,
                                    uint32_t from, uint32_t id) {
    return (cut->has_ivar || cut->removal_count) && is_removed(search, cut, from, id);
}

/* What is left of the knot: edges that a search follows and that are not cut. */
static bool is_left(const struct loupe_search *search, const struct cut *cut, uint32_t from,
                    uint32_t id) {
    return loupe_search_follows(search, id) &&
           !(is_on_ring(search, from) &&
             hop_from(cut, from)->to == loupe_graph_target(search->graph, id)) &&
           !is_cut_otherwise(search, cut, from, id);
}

static void mark_all(struct loupe_search *search, const struct cut *cut) {
    for (uint32_t i = 0; i < search->knot.count; i++)
        *loupe_search_state(search, loupe_knot_member(search->knots, &search->knot, i)) =
            LOUPE_MARKED;
    for (uint32_t i = 0; i < cut->count; i++)
        *loupe_search_state(search, cut->hops[i].from) |= LOUPE_ON_RING;
}

/* One more, or one less, way into each node that the node leads to. Queues what has none left. */
static void count_ways(struct loupe_search *search, const struct cut *cut, uint32_t node,
                       uint32_t by, uint32_t *queued) {
    uint32_t end = loupe_graph_edges_end(search->graph, node);
    for (uint32_t id = loupe_graph_first_edge(search->graph, node); id < end; id++) {
        if (!is_left(search, cut, node, id))
            continue;
        uint32_t to = loupe_graph_target(search->graph, id);
        uint32_t *state = loupe_search_state(search, to);
        *state += by;
        if (queued && !(*state & LOUPE_STATE_VALUE))
            search->queue[(*queued)++] = to;
    }
}

/*
 * Puts the members in topological order into the queue, as far as there are no rings, and returns
 * how many that were. Their states are then LOUPE_MARKED with the value 0. The queue may be the
 * list of members itself: what is written there was read before.
 */
static uint32_t sort_topologically(struct loupe_search *search, const struct cut *cut) {
    const struct loupe_knot *knot = &search->knot;
    mark_all(search, cut);
    for (uint32_t i = 0; i < knot->count; i++)
        count_ways(search, cut, loupe_knot_member(search->knots, knot, i), 1, NULL);
    for (uint32_t i = 0; i < cut->kept_count; i++)
        ++*loupe_search_state(search, cut->kept[i]);
    uint32_t queued = 0;
    for (uint32_t i = 0; i < knot->count; i++) {
        uint32_t node = loupe_knot_member(search->knots, knot, i);
        if (!(*loupe_search_state(search, node) & LOUPE_STATE_VALUE))
            search->queue[queued++] = node;
    }
    for (uint32_t head = 0; head < queued; head++)
        count_ways(search, cut, search->queue[head], (uint32_t)-1, &queued);
    return queued;
}

/* ---- A ring that is easy to see ---- */

/*
 * Most large knots keep rings whatever one reference or one ivar does, and then a way that always
 * takes the last edge soon comes back to where it was. That spares the look at all members. A way
 * that ends, or that meets an older one, tells nothing.
 */
enum { WAYS = 8, STEPS = 4096 };

static bool is_cut_hop(const struct cut *cut, uint32_t from, uint32_t to) {
    const struct hop *hop = cut->count ? hop_from(cut, from) : NULL;
    return hop && hop->from == from && hop->to == to;
}

/* The node that the last edge left out of a member leads to; LOUPE_NO_NODE: there is none. */
static uint32_t last_left(const struct loupe_search *search, const struct cut *cut, uint32_t from) {
    uint32_t first = loupe_graph_first_edge(search->graph, from);
    for (uint32_t id = loupe_graph_edges_end(search->graph, from); id-- > first;) {
        uint32_t to = loupe_graph_target(search->graph, id);
        if (loupe_search_follows(search, id) && !is_cut_hop(cut, from, to) &&
            !is_cut_otherwise(search, cut, from, id))
            return to;
    }
    return LOUPE_NO_NODE;
}

/* Follows one way until it ends, marking its nodes with its number. True: it came back to itself.
 */
static bool way_closes(struct loupe_search *search, const struct cut *cut, uint32_t node,
                       uint32_t way, uint32_t *queued) {
    /* Cap: a shortcut: the members are sorted where it ends. */
    while (node != LOUPE_NO_NODE && *queued < STEPS) {
        uint32_t *state = loupe_search_state(search, node);
        if (*state & LOUPE_MARKED)
            return *state == (LOUPE_MARKED | way);
        *state = LOUPE_MARKED | way;
        search->queue[(*queued)++] = node;
        node = last_left(search, cut, node);
    }
    return false;
}

/* False: there may be one. */
static bool is_ring_left(struct loupe_search *search, const struct loupe_knot *knot,
                         const struct cut *cut) {
    uint32_t queued = 0;
    bool closes = false;
    loupe_search_begin(search, knot, STEPS);
    /* Cap: a shortcut: the members are sorted where it ends. */
    for (uint32_t way = 0; way < WAYS && !closes; way++) {
        uint32_t start = loupe_knot_member(search->knots, knot, knot->count / WAYS * way);
        closes = way_closes(search, cut, start, way, &queued);
    }
    loupe_search_end(search, queued);
    return closes;
}

/* ---- Questions ---- */

static bool is_acyclic(struct loupe_search *search, const struct loupe_knot *knot,
                       const struct cut *cut) {
    if (is_ring_left(search, knot, cut))
        return false;
    loupe_search_begin(search, knot, knot->count);
    uint32_t sorted = sort_topologically(search, cut);
    loupe_search_end(search, LOUPE_ALL_MEMBERS);
    return sorted == knot->count;
}

bool loupe_knot_is_acyclic_without(struct loupe_search *search, const struct loupe_knot *knot,
                                   uint32_t from, uint32_t to) {
    struct hop hop = {.from = from, .to = to};
    struct cut cut = {.hops = &hop, .count = from == LOUPE_NO_NODE ? 0 : 1};
    return is_acyclic(search, knot, &cut);
}

bool loupe_knot_is_acyclic_without_alike(struct loupe_search *search, const struct loupe_knot *knot,
                                         uint32_t from, uint32_t edge) {
    struct cut cut = {.has_ivar = true, .ivar_from = from, .ivar_edge = edge};
    return is_acyclic(search, knot, &cut);
}

bool loupe_knot_is_acyclic_without_all(struct loupe_search *search, const struct loupe_knot *knot,
                                       const struct loupe_removal *removals, uint32_t count) {
    struct cut cut = {.removals = removals, .removal_count = count};
    return is_acyclic(search, knot, &cut);
}

/* ---- What is let go ---- */

static struct cut cut_of(const struct loupe_search *search, const struct loupe_removal *removal,
                         struct hop *hop) {
    *hop =
        (struct hop){.from = removal->from, .to = loupe_graph_target(search->graph, removal->edge)};
    return (struct cut){.hops = hop,
                        .count = 1,
                        .has_ivar = removal->everywhere,
                        .ivar_from = removal->from,
                        .ivar_edge = removal->edge};
}

bool loupe_knot_lets_go(struct loupe_search *search, const struct loupe_knot *knot,
                        const struct loupe_removal *removal, const struct loupe_release *release) {
    struct hop hop;
    struct cut cut = cut_of(search, removal, &hop);
    cut.kept = release->anchors;
    cut.kept_count = release->anchor_count;
    loupe_search_begin(search, knot, knot->count);
    sort_topologically(search, &cut);
    bool gone = false;
    for (uint32_t i = 0; i < release->goal_count; i++)
        gone |= !value_of(search, release->goals[i]);
    loupe_search_end(search, LOUPE_ALL_MEMBERS);
    return gone;
}

/* Marks what a node leads to with the node's own anchor, once, and queues it. */
static void pass_on(struct loupe_search *search, const struct cut *cut, uint32_t node,
                    uint32_t *queued) {
    uint32_t end = loupe_graph_edges_end(search->graph, node);
    for (uint32_t id = loupe_graph_first_edge(search->graph, node); id < end; id++) {
        uint32_t to = loupe_graph_target(search->graph, id);
        if (!is_left(search, cut, node, id) || value_of(search, to))
            continue;
        set_value(search, to, value_of(search, node));
        search->queue[(*queued)++] = to;
    }
}

uint32_t loupe_knot_anchor_left(struct loupe_search *search, const struct loupe_knot *knot,
                                const struct loupe_removal *removal,
                                const struct loupe_release *release) {
    struct hop hop;
    struct cut cut = cut_of(search, removal, &hop);
    uint32_t queued = 0, found = 0;
    if (!release->goal_count)
        return release->anchors[0];
    loupe_search_begin(search, knot, knot->count);
    mark_all(search, &cut);
    for (uint32_t i = 0; i < release->anchor_count; i++) {
        set_value(search, release->anchors[i], release->anchors[i] + 1);
        search->queue[queued++] = release->anchors[i];
    }
    for (uint32_t head = 0; head < queued; head++)
        pass_on(search, &cut, search->queue[head], &queued);
    for (uint32_t i = 0; !found && i < release->goal_count; i++)
        found = value_of(search, release->goals[i]);
    loupe_search_end(search, LOUPE_ALL_MEMBERS);
    return found ? found - 1 : LOUPE_NO_NODE;
}

/* ---- Jumps ---- */

/*
 * The passes below give each node a number: the greatest of what its neighbours have and, for those
 * on the ring, what weigh() makes of their position. 0 is nothing.
 */
typedef uint32_t weigh_position(uint32_t position, uint32_t length);

static uint32_t weigh_late(uint32_t position, uint32_t length) {
    (void)length;
    return position + 1;
}

static uint32_t weigh_early(uint32_t position, uint32_t length) {
    return length - position;
}

static uint32_t weight(const struct loupe_search *search, const struct cut *cut, uint32_t node,
                       weigh_position *weigh) {
    uint32_t value = value_of(search, node);
    if (is_on_ring(search, node)) {
        uint32_t own = weigh(hop_from(cut, node)->position, cut->count);
        if (own > value)
            value = own;
    }
    return value;
}

/* Values from what each node reaches: backwards through the topological order. */
static void weigh_reached(struct loupe_search *search, const struct cut *cut,
                          weigh_position *weigh) {
    for (uint32_t i = search->knot.count; i-- > 0;) {
        uint32_t node = search->queue[i], best = 0;
        uint32_t end = loupe_graph_edges_end(search->graph, node);
        for (uint32_t id = loupe_graph_first_edge(search->graph, node); id < end; id++) {
            if (!is_left(search, cut, node, id))
                continue;
            uint32_t value = weight(search, cut, loupe_graph_target(search->graph, id), weigh);
            if (value > best)
                best = value;
        }
        set_value(search, node, best);
    }
}

/* Values from what reaches each node: forwards. */
static void weigh_reaching(struct loupe_search *search, const struct cut *cut,
                           weigh_position *weigh) {
    for (uint32_t i = 0; i < search->knot.count; i++)
        set_value(search, search->queue[i], 0);
    for (uint32_t i = 0; i < search->knot.count; i++) {
        uint32_t node = search->queue[i], value = weight(search, cut, node, weigh);
        uint32_t end = loupe_graph_edges_end(search->graph, node);
        for (uint32_t id = loupe_graph_first_edge(search->graph, node); id < end; id++) {
            uint32_t to = loupe_graph_target(search->graph, id);
            if (is_left(search, cut, node, id) && value > value_of(search, to))
                set_value(search, to, value);
        }
    }
}

/* passes[i] counts the forward jumps that begin at hop i, less those that end before it. */
static void find_jumps(struct loupe_search *search, const struct cut *cut, int32_t *passes,
                       bool *dissolves) {
    uint32_t length = cut->count, first_over_end = length, last_over_end = 0;
    weigh_reached(search, cut, weigh_late);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t position = cut->hops[i].position, late = value_of(search, cut->hops[i].from);
        if (late > position + 1) {
            passes[position]++;
            passes[late - 1]--;
        }
    }
    weigh_reached(search, cut, weigh_early);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t position = cut->hops[i].position, early = value_of(search, cut->hops[i].from);
        if (early > length - position && position < first_over_end)
            first_over_end = position;
    }
    weigh_reaching(search, cut, weigh_late);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t position = cut->hops[i].position, late = value_of(search, cut->hops[i].from);
        if (late > position + 1 && position > last_over_end)
            last_over_end = position;
    }
    int32_t over = 0;
    for (uint32_t i = 0; i < length; i++) {
        over += passes[i];
        dissolves[i] = over == 0 && i < first_over_end && i >= last_over_end;
    }
}

/* ---- Hops of a ring ---- */

static bool starts_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return ((const struct hop *)a)->from < ((const struct hop *)b)->from;
}

enum loupe_status loupe_knot_dissolving_hops(struct loupe_search *search,
                                             const struct loupe_knot *knot,
                                             const struct loupe_ring *ring,
                                             struct loupe_arena *arena, bool *dissolves) {
    struct hop *hops = loupe_arena_alloc_array(arena, ring->length, sizeof(*hops));
    int32_t *passes = loupe_arena_alloc_array(arena, ring->length, sizeof(*passes));
    if (!hops || !passes)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < ring->length; i++) {
        hops[i] = (struct hop){.from = loupe_ring_from(search->graph, ring, i),
                               .to = loupe_graph_target(search->graph, ring->edges[i]),
                               .position = i};
        dissolves[i] = false;
    }
    loupe_sort(hops, ring->length, sizeof(*hops), starts_before, NULL);
    struct cut cut = {.hops = hops, .count = ring->length};
    if (is_ring_left(search, knot, &cut))
        return LOUPE_OK;
    loupe_search_begin(search, knot, knot->count);
    if (sort_topologically(search, &cut) == knot->count)
        find_jumps(search, &cut, passes, dissolves);
    loupe_search_end(search, LOUPE_ALL_MEMBERS);
    return LOUPE_OK;
}
