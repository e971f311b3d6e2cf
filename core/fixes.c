#include "fixes.h"

#include "dissolve.h"

#include <string.h>

/* ---- What a reference is usually meant to be ---- */

enum rank { RANK_CAPTURE, RANK_NAME, RANK_OTHER };

static char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static bool is_upper(char letter) {
    return letter >= 'A' && letter <= 'Z';
}

/* Whether text begins with the lower-case word, whatever the case of its letters. */
static bool begins_with(const char *text, const char *word) {
    size_t i = 0;
    while (word[i] && lower(text[i]) == word[i])
        i++;
    return !word[i];
}

/* Whether a name is the word, or begins or ends with it: "_delegate", "tableDelegate", "ownerID".
 */
static bool is_named(const char *name, const char *word) {
    while (*name == '_')
        name++;
    size_t length = strlen(name), word_length = strlen(word);
    if (length < word_length)
        return false;
    char behind = name[word_length];
    if (begins_with(name, word) && (!behind || behind == '_' || is_upper(behind)))
        return true;
    const char *tail = name + length - word_length;
    return begins_with(tail, word) && (is_upper(*tail) || (tail > name && tail[-1] == '_'));
}

/* References that point back up, which the other side should own. To add one, add a line. */
static const char *const back_references[] = {"delegate", "datasource", "parent", "owner",
                                              "target"};

/* The last part of a path: a struct's member says more than the struct. */
static const char *last_part(const char *path) {
    const char *last = path;
    for (; *path; path++) {
        if (*path == '.')
            last = path + 1;
    }
    return last;
}

static const char *back_reference_of(const char *name) {
    for (size_t i = 0; i < sizeof(back_references) / sizeof(*back_references); i++) {
        if (is_named(name, back_references[i]))
            return name;
    }
    return NULL;
}

/* Ranks a reference and says why in words. */
static enum rank rank_reference(const struct loupe_ring_finder *finder, uint32_t from,
                                uint32_t edge_id, char *reason) {
    const struct loupe_edge *edge = loupe_graph_edge(finder->graph, edge_id);
    struct loupe_edge_label label;
    finder->describer->label(finder->describer->ctx, finder->graph, from, edge_id, &label);
    bool captures = edge->kind == LOUPE_EDGE_CAPTURE || edge->kind == LOUPE_EDGE_BYREF;
    const char *name = last_part(label.path);
    if (captures && strcmp(name, "self") == 0) {
        loupe_format(reason, LOUPE_MAX_FIX_REASON, "a block captures self");
        return RANK_CAPTURE;
    }
    if (captures && loupe_graph_holds(finder->graph, edge->to, from)) {
        loupe_format(reason, LOUPE_MAX_FIX_REASON, "a block captures its owner");
        return RANK_CAPTURE;
    }
    if (edge->kind == LOUPE_EDGE_TARGET) {
        loupe_format(reason, LOUPE_MAX_FIX_REASON, "a timer or action retains its target");
        return RANK_NAME;
    }
    if (back_reference_of(name)) {
        loupe_format(reason, LOUPE_MAX_FIX_REASON, "%.*s is named like a reference back", 48, name);
        return RANK_NAME;
    }
    loupe_format(reason, LOUPE_MAX_FIX_REASON, "%s",
                 captures ? "a block captures it" : "part of the ring");
    return RANK_OTHER;
}

/* ---- Candidates ---- */

struct candidate {
    struct loupe_fix fix;
    enum rank rank;
};

struct candidates {
    struct candidate *items;
    uint32_t count, capacity;
    uint32_t left_out;
};

static bool is_candidate(const struct loupe_graph *graph, const struct candidates *candidates,
                         uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < candidates->count; i++) {
        const struct loupe_fix *fix = &candidates->items[i].fix;
        if (fix->from == from && loupe_graph_edge(graph, fix->edge)->to == to)
            return true;
    }
    return false;
}

/* Keeps the parallels of least offset, in that order. */
static void add_parallel(const struct loupe_graph *graph, struct loupe_fix *fix, uint32_t edge) {
    uint32_t place = fix->parallel_count++;
    if (place > LOUPE_MAX_FIX_PARALLELS)
        place = LOUPE_MAX_FIX_PARALLELS;
    uint32_t offset = loupe_graph_edge(graph, edge)->offset;
    for (; place && loupe_graph_edge(graph, fix->parallels[place - 1])->offset > offset; place--) {
        if (place < LOUPE_MAX_FIX_PARALLELS)
            fix->parallels[place] = fix->parallels[place - 1];
    }
    if (place < LOUPE_MAX_FIX_PARALLELS)
        fix->parallels[place] = edge;
}

static void add_parallels(const struct loupe_graph *graph, struct loupe_fix *fix) {
    uint32_t to = loupe_graph_edge(graph, fix->edge)->to;
    uint32_t end = loupe_graph_edges_end(graph, fix->from);
    for (uint32_t id = loupe_graph_node(graph, fix->from)->first_edge; id < end; id++) {
        const struct loupe_edge *edge = loupe_graph_edge(graph, id);
        if (id != fix->edge && edge->to == to && !edge->hidden)
            add_parallel(graph, fix, id);
    }
}

static void add_ring(const struct loupe_ring_finder *finder, const struct loupe_ring *ring,
                     const bool *dissolves, struct candidates *candidates) {
    for (uint32_t i = 0; i < ring->length; i++) {
        uint32_t from = loupe_ring_from(finder->graph, ring, i), edge = ring->edges[i];
        if (is_candidate(finder->graph, candidates, from,
                         loupe_graph_edge(finder->graph, edge)->to))
            continue;
        if (candidates->count == candidates->capacity) {
            candidates->left_out++;
            continue;
        }
        struct candidate *candidate = &candidates->items[candidates->count++];
        candidate->fix = (struct loupe_fix){
            .from = from, .edge = edge, .breaks_knot = dissolves && dissolves[i]};
        add_parallels(finder->graph, &candidate->fix);
        candidate->rank = rank_reference(finder, from, edge, candidate->fix.reason);
    }
}

static bool is_better(const struct candidate *a, const struct candidate *b) {
    if (a->fix.breaks_knot != b->fix.breaks_knot)
        return a->fix.breaks_knot;
    if (!a->fix.parallel_count != !b->fix.parallel_count)
        return !a->fix.parallel_count;
    return a->rank < b->rank;
}

/* Insertion sort, which keeps the order of equals. */
static void sort_candidates(struct candidates *candidates) {
    for (uint32_t i = 1; i < candidates->count; i++) {
        struct candidate candidate = candidates->items[i];
        uint32_t place = i;
        for (; place && is_better(&candidate, &candidates->items[place - 1]); place--)
            candidates->items[place] = candidates->items[place - 1];
        candidates->items[place] = candidate;
    }
}

/* ---- Fixes ---- */

/* Edges looked at while checking the fixes of one knot, besides once for the first of them. */
enum { CHECK_VISITS = 1 << 25 };

/*
 * Takes the best candidates that hold what they promise. A promise that cannot be checked with the
 * visits that are left is not made.
 */
static enum loupe_status take_best(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                   uint64_t edges, const struct candidates *candidates,
                                   struct loupe_fixes *ret) {
    uint32_t room = candidates->count < LOUPE_MAX_FIXES ? candidates->count : LOUPE_MAX_FIXES;
    uint64_t visits_left = CHECK_VISITS + edges;
    *ret = (struct loupe_fixes){
        .items = loupe_arena_alloc_array(finder->arena, room, sizeof(*ret->items)),
        .left_out = candidates->left_out + candidates->count};
    if (!ret->items)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < candidates->count && ret->count < room; i++) {
        struct loupe_fix fix = candidates->items[i].fix;
        if (fix.breaks_knot) {
            if (visits_left < edges)
                continue;
            visits_left -= edges;
            fix.breaks_knot = loupe_knot_is_loose_without(
                &finder->search, knot, fix.from, loupe_graph_edge(finder->graph, fix.edge)->to);
        }
        ret->items[ret->count++] = fix;
        ret->left_out--;
    }
    return LOUPE_OK;
}

static uint32_t count_hops(const struct loupe_ring *rings, uint32_t ring_count) {
    uint64_t hops = 0;
    for (uint32_t i = 0; i < ring_count; i++)
        hops += rings[i].length;
    return hops < LOUPE_MAX_FIX_CANDIDATES ? (uint32_t)hops : LOUPE_MAX_FIX_CANDIDATES;
}

enum loupe_status loupe_fixes_find(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                   const struct loupe_ring *rings, uint32_t ring_count,
                                   struct loupe_fixes *ret) {
    bool *dissolves = loupe_arena_alloc_array(finder->arena, rings->length, sizeof(*dissolves));
    struct candidates candidates = {.capacity = count_hops(rings, ring_count)};
    candidates.items =
        loupe_arena_alloc_array(finder->arena, candidates.capacity, sizeof(*candidates.items));
    if (!dissolves || !candidates.items)
        return LOUPE_ENOMEM;
    enum loupe_status status =
        loupe_knot_dissolving_hops(&finder->search, knot, rings, finder->arena, dissolves);
    if (status)
        return status;
    for (uint32_t i = 0; i < ring_count; i++)
        add_ring(finder, &rings[i], i ? NULL : dissolves, &candidates);
    sort_candidates(&candidates);
    uint64_t edges = loupe_knot_count_edges(finder->search.knots, knot).inside;
    return take_best(finder, knot, edges, &candidates, ret);
}
