#include "cycles/knots/verdict.h"

#include <string.h>

const char *loupe_verdict_name(enum loupe_verdict_kind kind) {
    static const char *const names[] = {
        [LOUPE_LEAKED] = "leaked", [LOUPE_HELD] = "held", [LOUPE_UNCLEAR] = "unknown"};
    return names[kind];
}

const char *loupe_verdict_reason_text(enum loupe_verdict_reason reason) {
    static const char *const texts[] = {
        [LOUPE_VERDICT_CLEAR] = NULL,
        [LOUPE_VERDICT_IMMORTAL] = "an object in it is never freed",
        [LOUPE_VERDICT_NO_COUNT] = "the retain count of an object in it is unknown",
        [LOUPE_VERDICT_TOO_MANY] = "an object in it has more references than retains",
        [LOUPE_VERDICT_ASSUMED] = "references that may own nothing lead into it",
    };
    return texts[reason];
}

/* ---- References ---- */

static void add_reference(struct loupe_verdict *verdict, uint32_t from, uint32_t id,
                          uint8_t ownership, bool inside) {
    verdict->assumed += ownership != LOUPE_STRONG;
    if (inside) {
        verdict->inside++;
        return;
    }
    verdict->outside++;
    if (verdict->holder_count < LOUPE_MAX_HOLDERS)
        verdict->holders[verdict->holder_count++] = (struct loupe_holder){.from = from, .edge = id};
}

/* What the passes below know of a node: at first the references to it, with ENTERED if one of them
 * comes from outside its knot; in the end whether it is to go or stays. */
#define ENTERED    0x80000000u
#define REFERENCES 0x7fffffffu
enum fate { FATE_REST, FATE_GOAL, FATE_ANCHOR };

/* Counts references by knot, and by target node into found. */
static void count_references(const struct loupe_knots *knots, struct loupe_verdict *verdicts,
                             uint32_t count, uint32_t *found) {
    const struct loupe_graph *graph = knots->graph;
    memset(found, 0, knots->capacity * sizeof(*found));
    for (uint32_t node = 0; node < graph->opened; node++) {
        uint32_t end = loupe_graph_edges_end(graph, node);
        for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++) {
            uint32_t to = loupe_graph_target(graph, id), number = knots->knot_of[to];
            if (number >= count)
                continue;
            const struct loupe_edge_facts *facts = loupe_graph_edge_facts(graph, id);
            if (facts->ownership == LOUPE_DISOWNED)
                continue;
            bool inside = knots->knot_of[node] == number;
            found[to] += !facts->shared && (found[to] & REFERENCES) != REFERENCES;
            found[to] |= inside ? 0 : ENTERED;
            add_reference(&verdicts[number], node, id, facts->ownership, inside);
        }
    }
}

/* ---- Counts ---- */

/* The gravest reason stands; of equal ones the first. */
static void set_reason(struct loupe_verdict *verdict, enum loupe_verdict_reason reason,
                       uint32_t node) {
    if (verdict->reason != LOUPE_VERDICT_CLEAR && verdict->reason <= reason)
        return;
    verdict->reason = reason;
    verdict->example = node;
}

/* Adds what a member counts. Returns whether more than the references found keep it. */
static bool add_member(struct loupe_verdict *verdict, enum loupe_retain_count known,
                       uint64_t retains, uint32_t found, uint32_t node) {
    if (known != LOUPE_COUNT_KNOWN) {
        verdict->not_counted++;
        set_reason(verdict,
                   known == LOUPE_COUNT_IMMORTAL ? LOUPE_VERDICT_IMMORTAL : LOUPE_VERDICT_NO_COUNT,
                   node);
        return known == LOUPE_COUNT_IMMORTAL;
    }
    verdict->retains += retains;
    if (retains >= found) {
        verdict->unexplained += retains - found;
    } else {
        verdict->excess += found - retains;
        set_reason(verdict, LOUPE_VERDICT_TOO_MANY, node);
    }
    return retains > found;
}

enum { EXPECTED_AHEAD = 16 };

/* Prepares for the member, if the node is there and one of those that are counted. */
static void expect_member(const struct loupe_knots *knots, const struct loupe_describer *describer,
                          uint32_t count, uint32_t node) {
    if (describer->expect && node < knots->capacity && knots->knot_of[node] < count)
        describer->expect(describer->ctx, knots->graph, node);
}

static void conclude(struct loupe_verdict *verdict) {
    if (verdict->assumed && verdict->reason == LOUPE_VERDICT_CLEAR)
        verdict->reason = LOUPE_VERDICT_ASSUMED;
    if (verdict->reason != LOUPE_VERDICT_CLEAR)
        verdict->kind = LOUPE_UNCLEAR;
    else
        verdict->kind = verdict->outside || verdict->unexplained ? LOUPE_HELD : LOUPE_LEAKED;
}

/* ---- What a fix is for ---- */

static enum fate fate_of(const struct loupe_knots *knots, uint32_t seed, uint32_t node,
                         bool entered, bool kept) {
    bool with_seed = seed < knots->capacity && knots->knot_of[node] == knots->knot_of[seed];
    if (node == seed)
        return FATE_GOAL;
    return kept ? FATE_ANCHOR : entered && !with_seed ? FATE_GOAL : FATE_REST;
}

static void count_fate(struct loupe_release *release, enum fate fate) {
    release->goal_count += fate == FATE_GOAL;
    release->anchor_count += fate == FATE_ANCHOR;
    release->rest_count += fate == FATE_REST;
}

/* Makes room for goals and anchors, of which there are none yet. */
static enum loupe_status make_room(struct loupe_verdict *verdicts, uint32_t count,
                                   struct loupe_arena *arena) {
    for (uint32_t i = 0; i < count; i++) {
        struct loupe_release *release = &verdicts[i].release;
        if (!release->goal_count) {
            release->goal_count = release->rest_count;
            release->rest_count = 0;
        }
        release->goals =
            loupe_arena_alloc_array(arena, release->goal_count, sizeof(*release->goals));
        release->anchors =
            loupe_arena_alloc_array(arena, release->anchor_count, sizeof(*release->anchors));
        if (!release->goals || !release->anchors)
            return LOUPE_ENOMEM;
        release->goal_count = release->anchor_count = 0;
    }
    return LOUPE_OK;
}

static enum loupe_status list_fates(const struct loupe_knots *knots, const uint32_t *fates,
                                    struct loupe_verdict *verdicts, uint32_t count,
                                    struct loupe_arena *arena) {
    if (make_room(verdicts, count, arena))
        return LOUPE_ENOMEM;
    for (uint32_t node = 0; node < knots->capacity; node++) {
        if (knots->knot_of[node] >= count)
            continue;
        struct loupe_release *release = &verdicts[knots->knot_of[node]].release;
        if (fates[node] == FATE_ANCHOR)
            release->anchors[release->anchor_count++] = node;
        else if (fates[node] == FATE_GOAL || !release->rest_count)
            release->goals[release->goal_count++] = node;
    }
    return LOUPE_OK;
}

/* ---- All of it ---- */

static void add_members(const struct loupe_knots *knots, const struct loupe_describer *describer,
                        uint32_t seed, struct loupe_verdict *verdicts, uint32_t count,
                        uint32_t *found) {
    for (uint32_t node = 0; node < knots->capacity; node++) {
        expect_member(knots, describer, count, node + EXPECTED_AHEAD);
        uint32_t number = knots->knot_of[node];
        if (number >= count)
            continue;
        uint64_t retains = 0;
        enum loupe_retain_count known =
            describer->retain_count(describer->ctx, knots->graph, node, &retains);
        bool kept = add_member(&verdicts[number], known, retains, found[node] & REFERENCES, node);
        verdicts[number].keeps_seed |= kept && node == seed;
        found[node] = fate_of(knots, seed, node, found[node] & ENTERED, kept);
        count_fate(&verdicts[number].release, found[node]);
    }
}

enum loupe_status loupe_verdicts_find(struct loupe_knots *knots,
                                      const struct loupe_describer *describer, uint32_t seed,
                                      struct loupe_arena *arena, struct loupe_verdict *verdicts,
                                      uint32_t count) {
    if (!count)
        return LOUPE_OK;
    for (uint32_t i = 0; i < count; i++)
        verdicts[i] = (struct loupe_verdict){.example = LOUPE_NO_NODE};
    loupe_knots_drop_members(knots);
    size_t size = knots->capacity * sizeof(uint32_t);
    uint32_t *found = loupe_chunk_get(knots->chunks, size);
    if (!found)
        return LOUPE_ENOMEM;
    count_references(knots, verdicts, count, found);
    add_members(knots, describer, seed, verdicts, count, found);
    enum loupe_status status = list_fates(knots, found, verdicts, count, arena);
    for (uint32_t i = 0; i < count; i++)
        conclude(&verdicts[i]);
    loupe_chunk_put(knots->chunks, found, size);
    enum loupe_status listed = loupe_knots_list_members(knots);
    return status ? status : listed;
}
