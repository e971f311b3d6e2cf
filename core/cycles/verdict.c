#include "cycles/verdict.h"

#include <string.h>

const char *loupe_verdict_name(enum loupe_verdict_kind kind) {
    static const char *const names[] = {
        [LOUPE_LEAKED] = "leaked", [LOUPE_HELD] = "held", [LOUPE_UNCLEAR] = "unknown"};
    return names[kind];
}

const char *loupe_verdict_reason_text(enum loupe_verdict_reason reason) {
    static const char *const texts[] = {
        [LOUPE_VERDICT_CLEAR] = NULL,
        [LOUPE_VERDICT_IMMORTAL] = "an object in the knot is never freed",
        [LOUPE_VERDICT_NO_COUNT] = "the retain count of an object in the knot is unknown",
        [LOUPE_VERDICT_TOO_MANY] = "more references were found than an object in the knot counts",
        [LOUPE_VERDICT_ASSUMED] = "references of unknown ownership lead into the knot",
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
            found[to] += !facts->shared;
            add_reference(&verdicts[number], node, id, facts->ownership,
                          knots->knot_of[node] == number);
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

static void add_member(struct loupe_verdict *verdict, enum loupe_retain_count known,
                       uint64_t retains, uint32_t found, uint32_t node) {
    if (known != LOUPE_COUNT_KNOWN) {
        verdict->not_counted++;
        set_reason(verdict,
                   known == LOUPE_COUNT_IMMORTAL ? LOUPE_VERDICT_IMMORTAL : LOUPE_VERDICT_NO_COUNT,
                   node);
        return;
    }
    verdict->retains += retains;
    if (retains >= found) {
        verdict->unexplained += retains - found;
    } else {
        verdict->excess += found - retains;
        set_reason(verdict, LOUPE_VERDICT_TOO_MANY, node);
    }
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

enum loupe_status loupe_verdicts_find(struct loupe_knots *knots,
                                      const struct loupe_describer *describer,
                                      struct loupe_verdict *verdicts, uint32_t count) {
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
    for (uint32_t node = 0; node < knots->capacity; node++) {
        expect_member(knots, describer, count, node + EXPECTED_AHEAD);
        uint32_t number = knots->knot_of[node];
        if (number >= count)
            continue;
        uint64_t retains = 0;
        enum loupe_retain_count known =
            describer->retain_count(describer->ctx, knots->graph, node, &retains);
        add_member(&verdicts[number], known, retains, found[node], node);
    }
    for (uint32_t i = 0; i < count; i++)
        conclude(&verdicts[i]);
    loupe_chunk_put(knots->chunks, found, size);
    return loupe_knots_list_members(knots);
}
