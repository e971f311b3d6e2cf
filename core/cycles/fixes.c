#include "cycles/fixes.h"

#include "base/sort.h"
#include "cycles/dissolve.h"
#include "cycles/system_classes.h"

#include <string.h>

/* ---- What a reference is usually meant to be ---- */

/*
 * RANK_ROLE: and those behind it, one for each row of `roles`. RANK_ITEM: an item that keeps who
 * has the collection it is in, or an observer in such a collection. RANK_STORAGE: the storage of a
 * __block variable, which cannot be weak itself.
 */
enum { ROLES = 5 };
enum rank {
    RANK_OWNER,
    RANK_NAME,
    RANK_ROLE,
    RANK_CAPTURE = RANK_ROLE + ROLES,
    RANK_ITEM,
    RANK_OTHER,
    RANK_STORAGE
};

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
static const char *const back_references[] = {"delegate",  "datasource", "parent",      "owner",
                                              "target",    "superview",  "previous",    "prev",
                                              "container", "enclosing",  "coordinator", "observer",
                                              "listener",  "watcher",    "subscriber"};

/*
 * What points back up only in classes of one part: a controller owns its view, not a view its
 * controller. Of two that face each other on a ring the earlier row is the one to change.
 */
static const struct role {
    const char *class_ends, *names[4];
} roles[ROLES] = {
    {"Proxy", {"target", "object", "real"}},
    {"Cell", {"table", "collection", "controller"}},
    {"View", {"controller", "screen"}},
    {"Router", {"router", "screen", "controller"}},
    {"Presenter", {"view", "output", "screen", "controller"}},
};

/* The last part of a path: a struct's member says more than the struct. */
static const char *last_part(const char *path) {
    const char *last = path;
    for (; *path; path++) {
        if (*path == '.')
            last = path + 1;
    }
    return last;
}

static bool is_back_reference(const char *name) {
    if (is_named(name, "child"))
        return false; /* _childCoordinator */
    for (size_t i = 0; i < sizeof(back_references) / sizeof(*back_references); i++) {
        if (is_named(name, back_references[i]))
            return true;
    }
    return false;
}

static bool ends_with(struct loupe_span text, const char *end) {
    size_t length = strlen(end);
    return text.length >= length && memcmp(text.bytes + text.length - length, end, length) == 0;
}

/* The row of `roles` by which an instance of the class points back up; ROLES if by none. */
static unsigned role_of(struct loupe_span holder, const char *name) {
    for (unsigned row = 0; row < sizeof(roles) / sizeof(*roles); row++) {
        for (unsigned i = 0; i < 4 && roles[row].names[i]; i++) {
            if (ends_with(holder, roles[row].class_ends) && is_named(name, roles[row].names[i]))
                return row;
        }
    }
    return ROLES;
}

/* Whether what a capture leads to holds the block: for a __block variable, a block that has it. */
static bool captures_owner(const struct loupe_graph *graph, uint32_t from,
                           const struct loupe_edge *capture) {
    if (capture->kind == LOUPE_EDGE_CAPTURE)
        return loupe_graph_holds(graph, capture->to, from);
    uint32_t end = loupe_graph_edges_end(graph, capture->to);
    for (uint32_t id = loupe_graph_first_edge(graph, capture->to); id < end; id++) {
        uint32_t held = loupe_graph_target(graph, id);
        if (loupe_node_kind(loupe_graph_node(graph, held)) == LOUPE_NODE_BLOCK &&
            loupe_graph_holds(graph, held, from))
            return true;
    }
    return false;
}

static bool leads_to_block(const struct loupe_graph *graph, const struct loupe_edge *edge) {
    return loupe_node_kind(loupe_graph_node(graph, edge->to)) == LOUPE_NODE_BLOCK;
}

static enum rank rank_capture(const struct loupe_graph *graph, uint32_t from,
                              const struct loupe_edge *edge, const char *name,
                              const char **reason) {
    if (loupe_node_kind(loupe_graph_node(graph, edge->to)) == LOUPE_NODE_BYREF) {
        *reason = "a block keeps its __block variable";
        return RANK_STORAGE;
    }
    if (leads_to_block(graph, edge)) {
        *reason = "a block captures another";
        return RANK_OTHER;
    }
    if (edge->to == from) {
        *reason = "a closure captures its owner";
        return RANK_OWNER;
    }
    bool self = strcmp(name, "self") == 0, owner = captures_owner(graph, from, edge);
    *reason = self    ? "a block captures self"
              : owner ? "a block captures its owner"
                      : "a block captures it";
    return self || owner ? RANK_OWNER : RANK_CAPTURE;
}

/* Ranks an ivar, or what is like one, by its name and by the class that declares it. */
static enum rank rank_name(const char *name, struct loupe_span declarer, char *reason) {
    unsigned role = role_of(declarer, name);
    if (!is_back_reference(name) && role == ROLES) {
        loupe_format(reason, LOUPE_MAX_FIX_REASON, "part of the cycle");
        return RANK_OTHER;
    }
    loupe_format(reason, LOUPE_MAX_FIX_REASON, "%.*s is named like a reference back", 48, name);
    return is_back_reference(name) ? RANK_NAME : (enum rank)(RANK_ROLE + role);
}

/* ---- What a reference is, by those before it on its ring ---- */

/* A step of a ring. */
struct hop {
    const struct loupe_ring *ring;
    uint32_t i;
};

/* So many steps before, from 0 to the ring's length. */
static struct hop hop_before(struct hop hop, uint32_t steps) {
    return (struct hop){hop.ring, (hop.i + hop.ring->length - steps) % hop.ring->length};
}

static uint32_t from_of(const struct loupe_graph *graph, struct hop hop) {
    return loupe_ring_from(graph, hop.ring, hop.i);
}

static struct loupe_edge edge_of(const struct loupe_graph *graph, struct hop hop) {
    return loupe_graph_edge(graph, hop.ring->edges[hop.i]);
}

static void label_of(const struct loupe_ring_finder *finder, struct hop hop,
                     struct loupe_edge_label *ret) {
    finder->describer->label(finder->describer->ctx, finder->graph, from_of(finder->graph, hop),
                             hop.ring->edges[hop.i], ret);
}

static bool is_member(const struct loupe_edge *edge) {
    return edge->kind == LOUPE_EDGE_ELEMENT || edge->kind == LOUPE_EDGE_KEY ||
           edge->kind == LOUPE_EDGE_VALUE;
}

/* Whether an ivar leads back to the object that its holder is associated with. */
static bool is_of_associated(const struct loupe_graph *graph, struct hop hop) {
    return hop.ring->length == 2 &&
           edge_of(graph, hop_before(hop, 1)).kind == LOUPE_EDGE_ASSOCIATION;
}

/* Collections of those who want to be told: they own what has the collection. */
static const char *const audiences[] = {"observers", "listeners", "delegates", "subscribers",
                                        "watchers"};

bool loupe_is_named_like_audience(const char *path) {
    for (size_t i = 0; i < sizeof(audiences) / sizeof(*audiences); i++) {
        if (is_named(last_part(path), audiences[i]))
            return true;
    }
    return false;
}

/* Whether an ivar has such a collection. */
static bool has_audience(const struct loupe_ring_finder *finder, struct hop hop) {
    struct loupe_edge_label label;
    if (edge_of(finder->graph, hop).kind != LOUPE_EDGE_IVAR)
        return false;
    label_of(finder, hop, &label);
    return loupe_is_named_like_audience(label.path);
}

/* Whether an ivar leads down, as far as its name tells. */
static bool leads_down(const struct loupe_ring_finder *finder, struct hop hop) {
    struct loupe_edge_label label;
    if (edge_of(finder->graph, hop).kind != LOUPE_EDGE_IVAR)
        return false;
    label_of(finder, hop, &label);
    return !is_back_reference(last_part(label.path));
}

/* Whether an ivar of an item, or of what the item has, leads back to who has the collection that
 * the item is in. */
static bool is_of_item(const struct loupe_ring_finder *finder, struct hop hop) {
    enum { DEEPEST = 4 }; /* ivars below the item: further down it is anybody's */
    const uint32_t length = hop.ring->length;
    if (length < 3 || length > 3 + DEEPEST)
        return false;
    struct hop collection = hop_before(hop, length - 1), item = hop_before(hop, length - 2);
    struct loupe_edge member = edge_of(finder->graph, item);
    for (uint32_t steps = 1; steps < length - 2; steps++) {
        if (!leads_down(finder, hop_before(hop, steps)))
            return false;
    }
    return is_member(&member) && edge_of(finder->graph, collection).kind == LOUPE_EDGE_IVAR &&
           !has_audience(finder, collection);
}

/* Ranks an ivar by its name, else by where it is. */
static enum rank rank_ivar(const struct loupe_ring_finder *finder, struct hop hop, const char *name,
                           struct loupe_span declarer, char *reason) {
    enum rank rank = rank_name(name, declarer, reason);
    if (rank != RANK_OTHER)
        return rank;
    if (is_of_associated(finder->graph, hop)) {
        loupe_format(reason, LOUPE_MAX_FIX_REASON,
                     "an associated object keeps what it is associated with");
        return RANK_NAME;
    }
    if (!is_of_item(finder, hop))
        return RANK_OTHER;
    loupe_format(reason, LOUPE_MAX_FIX_REASON, "an item keeps the owner of its collection");
    return RANK_ITEM;
}

static enum rank rank_observer(char *reason) {
    loupe_format(reason, LOUPE_MAX_FIX_REASON, "who observes it is not its own");
    return RANK_ITEM;
}

static enum rank rank_undo_manager(char *reason) {
    loupe_format(reason, LOUPE_MAX_FIX_REASON,
                 "an undo manager retains what its actions are about");
    return RANK_NAME;
}

static struct loupe_span class_name(const struct loupe_ring_finder *finder, uint32_t node) {
    return finder->describer->class_name(finder->describer->ctx, finder->graph, node);
}

/* Whether an ivar has an undo manager of Foundation's: what is to go from there is its actions. */
static bool has_undo_manager(const struct loupe_ring_finder *finder,
                             const struct loupe_edge *edge) {
    return edge->kind == LOUPE_EDGE_IVAR && loupe_is_undo_manager(class_name(finder, edge->to));
}

/* Ranks a reference by what it is called and says why in words. */
static enum rank rank_reference(const struct loupe_ring_finder *finder, struct hop hop,
                                const struct loupe_edge_label *label, struct loupe_span declarer,
                                char *reason) {
    struct loupe_edge edge = edge_of(finder->graph, hop);
    const char *name = last_part(label->path), *text = "a timer or action retains its target";
    enum rank rank = RANK_NAME;
    if (edge.kind == LOUPE_EDGE_SHARED_PTR &&
        loupe_is_class_of_closure(class_name(finder, from_of(finder->graph, hop)))) {
        loupe_format(reason, LOUPE_MAX_FIX_REASON, "a closure captures a shared_ptr");
        return RANK_CAPTURE;
    }
    if (has_undo_manager(finder, &edge))
        return rank_undo_manager(reason);
    if (edge.kind == LOUPE_EDGE_CAPTURE || edge.kind == LOUPE_EDGE_BYREF)
        rank = rank_capture(finder->graph, from_of(finder->graph, hop), &edge, name, &text);
    else if (edge.kind == LOUPE_EDGE_IVAR)
        return rank_ivar(finder, hop, name, declarer, reason);
    else if (is_member(&edge) && has_audience(finder, hop_before(hop, 1)))
        return rank_observer(reason);
    else if (edge.kind != LOUPE_EDGE_TARGET)
        return rank_name(name, declarer, reason);
    loupe_format(reason, LOUPE_MAX_FIX_REASON, "%s", text);
    return rank;
}

/* ---- What else speaks for or against a reference ---- */

/* Whether a shared_ptr stands in memory that is no object: in what a vector has for its elements.
 */
static bool is_in_storage(const struct loupe_ring_finder *finder, uint32_t from,
                          const struct loupe_edge *edge) {
    return edge->kind == LOUPE_EDGE_SHARED_PTR &&
           loupe_is_class_of_memory(class_name(finder, from));
}

static bool is_tool(const struct loupe_ring_finder *finder, uint32_t node) {
    return loupe_node_kind(loupe_graph_node(finder->graph, node)) == LOUPE_NODE_BLOCK ||
           loupe_is_class_of_foundation(class_name(finder, node));
}

/* Whether an ivar keeps a block, a collection, a timer: as a rule nothing else keeps it, so that
 * the advice is to set the ivar to nil in time, not to make it weak. */
static bool keeps_tool(const struct loupe_ring_finder *finder, const struct loupe_edge *edge) {
    return edge->kind == LOUPE_EDGE_IVAR && is_tool(finder, edge->to);
}

/* Whether a reference is of what an undo manager consists of, which nobody else changes. */
static bool is_in_undo_manager(const struct loupe_ring_finder *finder, struct hop hop) {
    for (uint32_t steps = 0; steps < hop.ring->length; steps++) {
        struct loupe_span name = class_name(finder, from_of(finder->graph, hop_before(hop, steps)));
        if (loupe_is_undo_manager(name))
            return true;
        if (!loupe_is_part_of_undo_manager(name))
            return false;
    }
    return false;
}

/* Whether who writes the program can change it. */
static bool is_practicable(const struct loupe_ring_finder *finder, struct hop hop,
                           struct loupe_span declarer) {
    struct loupe_edge edge = edge_of(finder->graph, hop);
    if (is_in_undo_manager(finder, hop))
        return false;
    return edge.kind != LOUPE_EDGE_IVAR || has_undo_manager(finder, &edge) ||
           !loupe_is_class_of_system(declarer);
}

static bool has_target(const struct loupe_graph *graph, uint32_t node) {
    uint32_t end = loupe_graph_edges_end(graph, node);
    for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++) {
        if (loupe_graph_edge_facts(graph, id)->kind == LOUPE_EDGE_TARGET)
            return true;
    }
    return false;
}

/*
 * Whether an ivar or an association alone keeps its object. Not the seed: that it should go is why
 * somebody asks. Nor what acts on a target: the advice is to end that, not to make it weak.
 */
static bool is_only_holder(const struct loupe_ring_finder *finder, const struct loupe_edge *edge,
                           const struct loupe_fix *fix) {
    uint64_t retains;
    return (edge->kind == LOUPE_EDGE_IVAR || edge->kind == LOUPE_EDGE_ASSOCIATION) &&
           edge->to != finder->seed && !keeps_tool(finder, edge) &&
           !has_target(finder->graph, edge->to) &&
           finder->describer->retain_count(finder->describer->ctx, finder->graph, edge->to,
                                           &retains) == LOUPE_COUNT_KNOWN &&
           retains <= 1 + (uint64_t)fix->parallel_count;
}

/* ---- Candidates ---- */

struct candidate {
    struct loupe_fix fix;
    enum rank rank;
    bool tool, member; /* keeps_tool(); of a collection */
    bool observes;     /* a member of those who want to be told */
};

/* What retain counts and verdicts say of the knot. */
struct circumstances {
    bool counts_contradict; /* more references were found than they allow */
    bool in_use;            /* something outside keeps members */
};

/* An item's way back is a mistake by where it is alone: not if its owner would be lost by it. */
static bool is_mistake(const struct candidate *candidate) {
    const struct loupe_fix *fix = &candidate->fix;
    return fix->practicable && !fix->doubtful && !candidate->tool &&
           (candidate->rank <= RANK_CAPTURE ||
            (candidate->rank == RANK_ITEM && !fix->frees_at_once));
}

static void judge(const struct loupe_ring_finder *finder, const struct circumstances *of_knot,
                  struct hop hop, struct candidate *candidate) {
    struct loupe_fix *fix = &candidate->fix;
    struct loupe_edge edge = edge_of(finder->graph, hop);
    struct loupe_edge_label label;
    label_of(finder, hop, &label);
    struct loupe_span declarer =
        label.declared_by ? loupe_span_of(label.declared_by) : class_name(finder, fix->from);
    candidate->rank = rank_reference(finder, hop, &label, declarer, fix->reason);
    candidate->tool = (keeps_tool(finder, &edge) && !has_undo_manager(finder, &edge)) ||
                      edge.kind == LOUPE_EDGE_WORD;
    if (edge.kind == LOUPE_EDGE_TARGET && is_tool(finder, edge.to))
        candidate->rank = RANK_OTHER; /* what calls a block: that may be the one to change */
    candidate->member = is_member(&edge) || is_in_storage(finder, fix->from, &edge);
    candidate->observes = is_member(&edge) && has_audience(finder, hop_before(hop, 1));
    fix->practicable = is_practicable(finder, hop, declarer);
    fix->doubtful = of_knot->counts_contradict && edge.kind == LOUPE_EDGE_IVAR &&
                    edge.ownership == LOUPE_ASSUMED && candidate->rank >= RANK_NAME &&
                    candidate->rank < RANK_CAPTURE;
    fix->only_holder = is_only_holder(finder, &edge, fix);
    fix->frees_at_once = fix->only_holder && of_knot->in_use;
    fix->mistake = is_mistake(candidate);
}

struct candidates {
    struct candidate *items;
    uint32_t count, capacity;
    uint32_t left_out;
    struct circumstances of_knot;
};

static bool is_candidate(const struct loupe_graph *graph, const struct candidates *candidates,
                         uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < candidates->count; i++) {
        const struct loupe_fix *fix = &candidates->items[i].fix;
        if (fix->from == from && loupe_graph_target(graph, fix->edge) == to)
            return true;
    }
    return false;
}

/* Keeps the parallels of least offset, in that order. */
static void add_parallel(const struct loupe_graph *graph, struct loupe_fix *fix, uint32_t edge) {
    uint32_t place = fix->parallel_count++;
    if (place > LOUPE_MAX_FIX_PARALLELS)
        place = LOUPE_MAX_FIX_PARALLELS;
    uint32_t offset = loupe_graph_edge_facts(graph, edge)->offset;
    for (; place && loupe_graph_edge_facts(graph, fix->parallels[place - 1])->offset > offset;
         place--) {
        if (place < LOUPE_MAX_FIX_PARALLELS)
            fix->parallels[place] = fix->parallels[place - 1];
    }
    if (place < LOUPE_MAX_FIX_PARALLELS)
        fix->parallels[place] = edge;
}

static void add_parallels(const struct loupe_graph *graph, struct loupe_fix *fix) {
    uint32_t to = loupe_graph_target(graph, fix->edge);
    uint32_t end = loupe_graph_edges_end(graph, fix->from);
    for (uint32_t id = loupe_graph_first_edge(graph, fix->from); id < end; id++) {
        if (id != fix->edge && loupe_graph_leads(graph, id, to))
            add_parallel(graph, fix, id);
    }
}

/* Nobody writes a word of memory: where there are shared_ptrs, those are what changes. */
static bool has_shared_ptr(const struct loupe_graph *graph, const struct loupe_ring *ring) {
    uint32_t i = 0;
    while (i < ring->length &&
           loupe_graph_edge_facts(graph, ring->edges[i])->kind != LOUPE_EDGE_SHARED_PTR)
        i++;
    return i < ring->length;
}

static void add_ring(const struct loupe_ring_finder *finder, const struct loupe_ring *ring,
                     const bool *dissolves, struct candidates *candidates) {
    enum { HOPS_BETWEEN_CHECKS = 4096 };
    bool has_pointers = has_shared_ptr(finder->graph, ring);
    for (uint32_t i = 0; i < ring->length; i++) {
        uint32_t from = loupe_ring_from(finder->graph, ring, i), edge = ring->edges[i];
        if (i % HOPS_BETWEEN_CHECKS == HOPS_BETWEEN_CHECKS - 1 &&
            loupe_search_is_late(&finder->search)) {
            candidates->left_out += ring->length - i;
            return;
        }
        if ((has_pointers &&
             loupe_graph_edge_facts(finder->graph, edge)->kind == LOUPE_EDGE_WORD) ||
            is_candidate(finder->graph, candidates, from, loupe_graph_target(finder->graph, edge)))
            continue;
        if (candidates->count == candidates->capacity) {
            candidates->left_out++;
            continue;
        }
        struct candidate *candidate = &candidates->items[candidates->count++];
        candidate->fix = (struct loupe_fix){.from = from,
                                            .edge = edge,
                                            .breaks_knot = dissolves && dissolves[i],
                                            .kept_by = LOUPE_NO_NODE};
        add_parallels(finder->graph, &candidate->fix);
        judge(finder, &candidates->of_knot, (struct hop){ring, i}, candidate);
    }
}

/* ---- Ranking ---- */

/* What there is against a candidate, gravest first, in the order of fixes.h. 0 is nothing. */
struct objections {
    unsigned items[12];
};

static bool breaks_all(const struct loupe_fix *fix) {
    return fix->breaks_knot || fix->breaks_everywhere;
}

/* Without anchors nothing has to be tried: what breaks the knot lets everything go. */
static unsigned kept_after(const struct loupe_fix *fix, bool anchored) {
    if (fix->kept_by != LOUPE_NO_NODE)
        return 2;
    return anchored && fix->frees != LOUPE_FREES;
}

static struct objections objections_to(const struct candidate *candidate, bool anchored) {
    const struct loupe_fix *fix = &candidate->fix;
    return (struct objections){{!fix->practicable, !fix->mistake, kept_after(fix, anchored),
                                candidate->tool, fix->frees_at_once, !breaks_all(fix),
                                fix->only_holder, candidate->member, fix->doubtful,
                                !fix->breaks_knot, fix->parallel_count > 0, candidate->rank}};
}

static bool is_better(const void *ctx, const void *a, const void *b) {
    const bool *anchored = ctx;
    struct objections to_a = objections_to(a, *anchored), to_b = objections_to(b, *anchored);
    for (size_t i = 0; i < sizeof(to_a.items) / sizeof(*to_a.items); i++) {
        if (to_a.items[i] != to_b.items[i])
            return to_a.items[i] < to_b.items[i];
    }
    return false;
}

static void sort_candidates(struct candidates *candidates, bool anchored) {
    loupe_sort_few(candidates->items, candidates->count, sizeof(*candidates->items), is_better,
                   &anchored);
}

/* ---- Fixes ---- */

/*
 * Edges looked at while checking the fixes of one knot, besides once for the first of each kind. As
 * many for ivars everywhere as for single references; fewer for what stays because of anchors.
 */
enum { CHECK_VISITS = 1 << 25, RELEASE_VISITS = 1 << 20 };

/* A candidate before the i-th that the same change takes away and was tried. */
static const struct loupe_fix *tried_before(const struct loupe_graph *graph,
                                            const struct candidates *candidates, uint32_t i) {
    const struct loupe_fix *fix = &candidates->items[i].fix;
    for (uint32_t j = 0; j < i; j++) {
        const struct loupe_fix *other = &candidates->items[j].fix;
        if (other->tried_everywhere &&
            loupe_go_together(graph, other->from, other->edge, fix->from, fix->edge))
            return other;
    }
    return NULL;
}

/* Whether who changes one changes all that go together with it: an ivar is in all instances, and
 * all observers of a class take themselves out. */
static bool is_everywhere(const struct loupe_graph *graph, const struct candidate *candidate) {
    return candidate->observes ||
           loupe_graph_edge_facts(graph, candidate->fix.edge)->kind == LOUPE_EDGE_IVAR;
}

/* What breaks the knot alone does so everywhere; the others are taken away from all instances. */
static void try_everywhere(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                           uint64_t edges, struct candidates *candidates) {
    uint64_t visits_left = CHECK_VISITS + edges;
    uint32_t ivars = 0;
    for (uint32_t i = 0; i < candidates->count; i++) {
        struct loupe_fix *fix = &candidates->items[i].fix;
        const struct loupe_fix *before = tried_before(finder->graph, candidates, i);
        if (!is_everywhere(finder->graph, &candidates->items[i]))
            continue;
        fix->tried_everywhere = true;
        if (fix->breaks_knot && !fix->parallel_count) {
            fix->breaks_everywhere = true;
        } else if (before) {
            fix->breaks_everywhere = before->breaks_everywhere;
        } else if (ivars < LOUPE_MAX_FIX_IVARS && visits_left >= edges &&
                   !loupe_search_is_late(&finder->search)) {
            ivars++;
            visits_left -= edges;
            fix->breaks_everywhere =
                loupe_knot_is_acyclic_without_alike(&finder->search, knot, fix->from, fix->edge);
        } else {
            fix->tried_everywhere = false;
        }
    }
}

/* Whether a goal goes, for the best candidates that there is time for. It is not asked of a knot
 * without the seed that something outside keeps. */
static void try_release(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                        uint64_t edges, const struct loupe_release *release,
                        struct candidates *candidates) {
    uint64_t visits_left = RELEASE_VISITS + 2 * edges;
    if (release->anchor_count && !loupe_knot_has(finder->search.knots, knot, finder->seed))
        return;
    for (uint32_t i = 0; i < candidates->count; i++) {
        struct loupe_fix *fix = &candidates->items[i].fix;
        struct loupe_removal removal = {fix->from, fix->edge, fix->tried_everywhere};
        if (!release->anchor_count) {
            fix->frees = breaks_all(fix) ? LOUPE_FREES : LOUPE_FREES_UNKNOWN;
        } else if (visits_left >= 2 * edges && !loupe_search_is_late(&finder->search)) {
            visits_left -= 2 * edges;
            bool gone = loupe_knot_lets_go(&finder->search, knot, &removal, release);
            fix->frees = gone ? LOUPE_FREES : LOUPE_FREES_NOT;
            if (!gone)
                fix->kept_by = loupe_knot_anchor_left(&finder->search, knot, &removal, release);
        }
    }
}

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
            if (visits_left < edges || loupe_search_is_late(&finder->search))
                continue;
            visits_left -= edges;
            fix.breaks_knot = loupe_knot_is_acyclic_without(
                &finder->search, knot, fix.from, loupe_graph_target(finder->graph, fix.edge));
        }
        ret->items[ret->count++] = fix;
        ret->left_out--;
    }
    return LOUPE_OK;
}

/* Of what nobody uses, that what a mistake keeps would go is what is wanted. */
static void forgive_last_holders(struct loupe_fixes *fixes) {
    for (uint32_t i = 0; i < fixes->count; i++) {
        struct loupe_fix *fix = &fixes->items[i];
        if ((i == 0 || fix->together) && fix->mistake && !fix->frees_at_once)
            fix->only_holder = false;
    }
}

static bool takes_from(const struct loupe_graph *graph, const struct loupe_fix *fix,
                       const struct loupe_ring *ring) {
    uint32_t to = loupe_graph_target(graph, fix->edge);
    for (uint32_t i = 0; i < ring->length; i++) {
        uint32_t from = loupe_ring_from(graph, ring, i), edge = ring->edges[i];
        if ((from == fix->from && loupe_graph_target(graph, edge) == to) ||
            (fix->tried_everywhere && loupe_go_together(graph, fix->from, fix->edge, from, edge)))
            return true;
    }
    return false;
}

/* The best fix for a ring, unless one that is taken is one; NULL: nothing has to be taken. */
static struct loupe_fix *wanted_for(const struct loupe_graph *graph, const struct loupe_ring *ring,
                                    const struct loupe_fixes *fixes) {
    struct loupe_fix *best = NULL;
    for (uint32_t i = 0; i < fixes->count; i++) {
        struct loupe_fix *fix = &fixes->items[i];
        if ((best && !fix->together) || !takes_from(graph, fix, ring))
            continue;
        if (fix->together)
            return NULL;
        best = fix;
    }
    return best;
}

static void choose_together(struct loupe_ring_finder *finder, const struct loupe_ring *rings,
                            uint32_t ring_count, struct loupe_fixes *fixes) {
    if (!fixes->count || breaks_all(fixes->items))
        return;
    for (uint32_t i = 0; i < ring_count && !loupe_search_is_late(&finder->search); i++) {
        struct loupe_fix *wanted = wanted_for(finder->graph, &rings[i], fixes);
        if (wanted)
            wanted->together = true;
    }
}

/* Whether those that are needed together leave no ring at all. */
static bool are_enough(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                       const struct loupe_fixes *fixes) {
    struct loupe_removal removals[LOUPE_MAX_FIXES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < fixes->count; i++) {
        const struct loupe_fix *fix = &fixes->items[i];
        if (fix->together)
            removals[count++] = (struct loupe_removal){fix->from, fix->edge, fix->tried_everywhere};
    }
    return count && !loupe_search_is_late(&finder->search) &&
           loupe_knot_is_acyclic_without_all(&finder->search, knot, removals, count);
}

static bool is_broken_by(const struct loupe_graph *graph, const struct loupe_ring *ring,
                         const struct loupe_fixes *fixes, const bool *is_taken) {
    for (uint32_t i = 0; i < fixes->count; i++) {
        if (is_taken[i] && takes_from(graph, &fixes->items[i], ring))
            return true;
    }
    return false;
}

void loupe_fixes_keep_rings(const struct loupe_graph *graph, const struct loupe_fixes *fixes,
                            uint32_t most, struct loupe_rings *rings) {
    bool is_taken[LOUPE_MAX_FIXES] = {false};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < rings->count && kept < most; i++) {
        if (i && is_broken_by(graph, &rings->items[i], fixes, is_taken))
            continue;
        for (uint32_t j = 0; j < fixes->count; j++)
            is_taken[j] |=
                fixes->items[j].together && takes_from(graph, &fixes->items[j], &rings->items[i]);
        rings->items[kept++] = rings->items[i];
    }
    rings->all = rings->all && kept == rings->count;
    rings->count = kept;
}

static uint32_t count_hops(const struct loupe_ring *rings, uint32_t ring_count) {
    uint64_t hops = 0;
    for (uint32_t i = 0; i < ring_count; i++)
        hops += rings[i].length;
    return hops < LOUPE_MAX_FIX_CANDIDATES ? (uint32_t)hops : LOUPE_MAX_FIX_CANDIDATES;
}

enum loupe_status loupe_fixes_find(struct loupe_ring_finder *finder, const struct loupe_knot *knot,
                                   const struct loupe_verdict *verdict,
                                   const struct loupe_ring *rings, uint32_t ring_count,
                                   struct loupe_fixes *ret) {
    const struct loupe_release *release = &verdict->release;
    bool *dissolves = loupe_arena_alloc_array(finder->arena, rings->length, sizeof(*dissolves));
    struct candidates candidates = {
        .capacity = count_hops(rings, ring_count),
        .of_knot = {.counts_contradict = verdict->excess > 0,
                    .in_use = verdict->outside || verdict->unexplained}};
    candidates.items =
        loupe_arena_alloc_array(finder->arena, candidates.capacity, sizeof(*candidates.items));
    if (!dissolves || !candidates.items)
        return LOUPE_ENOMEM;
    if (loupe_search_is_late(&finder->search)) {
        *ret = (struct loupe_fixes){.left_out = candidates.capacity};
        return LOUPE_OK;
    }
    enum loupe_status status =
        loupe_knot_dissolving_hops(&finder->search, knot, rings, finder->arena, dissolves);
    if (status)
        return status;
    for (uint32_t i = 0; i < ring_count; i++)
        add_ring(finder, &rings[i], i ? NULL : dissolves, &candidates);
    uint64_t edges = loupe_ring_finder_edges(finder, knot).inside;
    try_everywhere(finder, knot, edges, &candidates);
    bool anchored =
        release->anchor_count && loupe_knot_has(finder->search.knots, knot, finder->seed);
    sort_candidates(&candidates, anchored);
    try_release(finder, knot, edges, release, &candidates);
    sort_candidates(&candidates, anchored);
    status = take_best(finder, knot, edges, &candidates, ret);
    if (!status && ring_count > 1)
        choose_together(finder, rings, ring_count, ret);
    forgive_last_holders(ret);
    ret->together_are_enough = !status && are_enough(finder, knot, ret);
    return status;
}
