/* What to change, by the kind of the reference and by what it leads to. */
#include "report/advice.h"

#include "cycles/system_classes.h"
#include "report/class_words.h"
#include "swift/metadata.h"

#include <string.h>

static const char *const names[LOUPE_CHANGE_COUNT] = {
    [LOUPE_MAKE_WEAK] = "make-weak",
    [LOUPE_CAPTURE_WEAKLY] = "capture-weakly",
    [LOUPE_SET_TO_NIL] = "set-to-nil",
    [LOUPE_INVALIDATE] = "invalidate",
    [LOUPE_INVALIDATE_BEFORE] = "invalidate-before",
    [LOUPE_CANCEL] = "cancel",
    [LOUPE_FINISH] = "finish",
    [LOUPE_REMOVE_ACTIONS] = "remove-actions",
    [LOUPE_REMOVE_TOKEN] = "remove-token",
    [LOUPE_WEAK_WRAPPER] = "weak-wrapper",
    [LOUPE_WEAK_KEYS] = "weak-keys",
    [LOUPE_TAKE_OUT] = "take-out",
    [LOUPE_REMOVE_OBSERVER] = "remove-observer",
    [LOUPE_WEAK_PTR] = "weak-ptr",
    [LOUPE_CAPTURE_WEAK_PTR] = "capture-weak-ptr",
};

const char *loupe_change_name(enum loupe_change change) {
    return names[change];
}

enum loupe_change loupe_change_named(struct loupe_span name) {
    unsigned i = 0;
    while (i < LOUPE_CHANGE_COUNT && !loupe_span_equals(name, names[i]))
        i++;
    return (enum loupe_change)i;
}

/* ---- What there is ---- */

static struct loupe_span class_of(const struct loupe_adviser *adviser, uint32_t node) {
    return loupe_public_class_name(
        adviser->describer->class_name(adviser->describer->ctx, adviser->graph, node));
}

static enum loupe_node_kind kind_of(const struct loupe_adviser *adviser, uint32_t node) {
    return loupe_node_kind(loupe_graph_node(adviser->graph, node));
}

static bool ends_in(struct loupe_span text, const char *end) {
    size_t length = strlen(end);
    return text.length >= length && memcmp(text.bytes + text.length - length, end, length) == 0;
}

static bool is_on_ring(const struct loupe_knot_facts *knot, uint32_t edge) {
    for (uint32_t i = 0; i < knot->rings.count; i++) {
        const struct loupe_ring *ring = &knot->rings.items[i];
        for (uint32_t j = 0; j < ring->length; j++) {
            if (ring->edges[j] == edge)
                return true;
        }
    }
    return false;
}

/* A reference of a node that is on a ring, of a kind. */
static uint32_t ring_edge(const struct loupe_adviser *adviser, uint32_t node,
                          enum loupe_edge_kind kind) {
    uint32_t end = loupe_graph_edges_end(adviser->graph, node);
    for (uint32_t id = loupe_graph_first_edge(adviser->graph, node); id < end; id++) {
        if (loupe_graph_edge_facts(adviser->graph, id)->kind == kind &&
            is_on_ring(adviser->knot, id))
            return id;
    }
    return LOUPE_NO_EDGE;
}

uint32_t loupe_advice_beyond(const struct loupe_adviser *adviser, uint32_t edge_id) {
    struct loupe_edge edge = loupe_graph_edge(adviser->graph, edge_id);
    enum loupe_node_kind held = kind_of(adviser, edge.to);
    if (edge.kind == LOUPE_EDGE_IVAR && held != LOUPE_NODE_BLOCK)
        return ring_edge(adviser, edge.to, LOUPE_EDGE_TARGET);
    if (edge.kind == LOUPE_EDGE_CAPTURE && held == LOUPE_NODE_BYREF)
        return ring_edge(adviser, edge.to, LOUPE_EDGE_BYREF);
    return LOUPE_NO_EDGE;
}

/* ---- Changes by kind ---- */

/* A timer, a display link, a dispatch source: what it acts on lives until it is ended. */
static enum loupe_change change_of_target(const struct loupe_adviser *adviser, uint32_t from,
                                          uint32_t to) {
    struct loupe_span owner = class_of(adviser, from);
    bool calls_block =
        kind_of(adviser, to) == LOUPE_NODE_BLOCK || ends_in(class_of(adviser, to), "BlockTarget");
    if (loupe_span_contains(owner, "dispatch"))
        return LOUPE_CANCEL;
    if (calls_block)
        return LOUPE_INVALIDATE;
    bool has_no_end = ends_in(owner, "Invocation") || ends_in(owner, "Thread") ||
                      ends_in(owner, "ThreadData") || ends_in(owner, "Performer");
    return has_no_end ? LOUPE_FINISH : LOUPE_INVALIDATE_BEFORE;
}

static bool is_manual(const struct loupe_adviser *adviser, uint32_t from, uint32_t edge) {
    struct loupe_edge_label label;
    uint8_t ownership = loupe_graph_edge_facts(adviser->graph, edge)->ownership;
    if (ownership != LOUPE_ASSUMED && ownership != LOUPE_DECLARED)
        return false;
    adviser->describer->label(adviser->describer->ctx, adviser->graph, from, edge, &label);
    return label.manual;
}

/* Of a value of Swift that is no reference as a whole: nothing in it can be weak. */
static bool is_part(const struct loupe_adviser *adviser, uint32_t from, uint32_t edge) {
    struct loupe_edge_label label;
    adviser->describer->label(adviser->describer->ctx, adviser->graph, from, edge, &label);
    struct loupe_span owner = class_of(adviser, from);
    return label.is_part || loupe_span_equals(owner, LOUPE_SWIFT_VALUE_BOX) ||
           loupe_span_equals(owner, LOUPE_SWIFT_ERROR_BOX);
}

/* What -addObserverForName:object:queue:usingBlock: returns, by Apple's name and GNUstep's. */
static bool is_token(struct loupe_span name) {
    return loupe_span_equals(name, "__NSObserver") ||
           loupe_span_equals(name, "GSNotificationObserver");
}

/* What keeps its delegate until it is invalidated. */
static bool is_session(struct loupe_span name) {
    return ends_in(name, "URLSession") || ends_in(name, "URLSessionLocal");
}

/* The same, which Core Animation has; a class of a program that is called so may end otherwise. */
static bool is_display_link(struct loupe_span name) {
    return loupe_is_class_of_system(name) && ends_in(name, "DisplayLink");
}

/* By what a Foundation has on either side of an ivar. LOUPE_CHANGE_COUNT: that decides nothing. */
static enum loupe_change change_by_foundation(struct loupe_span owner, struct loupe_span held) {
    if (is_token(owner) || is_token(held))
        return LOUPE_REMOVE_TOKEN;
    if (is_session(owner) || is_display_link(owner))
        return LOUPE_INVALIDATE_BEFORE;
    if (loupe_is_undo_manager(held))
        return LOUPE_REMOVE_ACTIONS;
    bool is_ended = ends_in(held, "Timer") || is_session(held) || is_display_link(held);
    return is_ended ? LOUPE_INVALIDATE : LOUPE_CHANGE_COUNT;
}

/* As a rule nothing else keeps a block or what a Foundation has, which weak ivars would lose at
 * once. */
static enum loupe_change change_of_ivar(const struct loupe_adviser *adviser, uint32_t from,
                                        uint32_t edge) {
    uint32_t to = loupe_graph_target(adviser->graph, edge);
    struct loupe_span held =
        adviser->describer->class_name(adviser->describer->ctx, adviser->graph, to);
    enum loupe_change by_foundation =
        change_by_foundation(class_of(adviser, from), loupe_public_class_name(held));
    if (by_foundation != LOUPE_CHANGE_COUNT)
        return by_foundation;
    if (kind_of(adviser, to) == LOUPE_NODE_BLOCK || is_part(adviser, from, edge))
        return LOUPE_SET_TO_NIL;
    if (loupe_is_class_of_foundation(held))
        return LOUPE_SET_TO_NIL;
    bool can_be_weak = !adviser->without_weak_references || is_manual(adviser, from, edge);
    return can_be_weak ? LOUPE_MAKE_WEAK : LOUPE_SET_TO_NIL;
}

static bool is_task(struct loupe_span name) {
    return loupe_span_equals(name, LOUPE_SWIFT_TASK_CLASS) ||
           loupe_span_equals(name, LOUPE_SWIFT_FRAMES);
}

static enum loupe_change change_of(const struct loupe_adviser *adviser, uint32_t from,
                                   uint32_t edge_id) {
    struct loupe_edge edge = loupe_graph_edge(adviser->graph, edge_id);
    if (is_task(class_of(adviser, from)) || is_task(class_of(adviser, edge.to)))
        return LOUPE_CANCEL;
    switch (edge.kind) {
    case LOUPE_EDGE_IVAR:
        return change_of_ivar(adviser, from, edge_id);
    case LOUPE_EDGE_CAPTURE:
        return kind_of(adviser, edge.to) == LOUPE_NODE_BYREF ||
                       loupe_span_equals(class_of(adviser, edge.to), LOUPE_SWIFT_VARIABLE_BOX)
                   ? LOUPE_SET_TO_NIL
                   : LOUPE_CAPTURE_WEAKLY;
    case LOUPE_EDGE_TARGET:
        return change_of_target(adviser, from, edge.to);
    case LOUPE_EDGE_ASSOCIATION:
    case LOUPE_EDGE_USER_INFO:
        return LOUPE_WEAK_WRAPPER;
    case LOUPE_EDGE_ELEMENT:
    case LOUPE_EDGE_VALUE:
        return LOUPE_TAKE_OUT;
    case LOUPE_EDGE_KEY:
        return LOUPE_WEAK_KEYS;
    case LOUPE_EDGE_SHARED_PTR:
        return loupe_is_class_of_closure(
                   adviser->describer->class_name(adviser->describer->ctx, adviser->graph, from))
                   ? LOUPE_CAPTURE_WEAK_PTR
                   : LOUPE_WEAK_PTR;
    default:
        return LOUPE_MAKE_WEAK;
    }
}

/* Finds the ivar on a ring that has a collection, unless its name is private to a system. */
static void find_collection(const struct loupe_adviser *adviser, uint32_t collection,
                            struct loupe_subject *ret) {
    const struct loupe_graph *graph = adviser->graph;
    for (uint32_t i = 0; i < adviser->knot->rings.count; i++) {
        const struct loupe_ring *ring = &adviser->knot->rings.items[i];
        for (uint32_t j = 0; j < ring->length; j++) {
            uint32_t edge = ring->edges[j];
            if (loupe_graph_target(graph, edge) != collection ||
                loupe_graph_edge_facts(graph, edge)->kind != LOUPE_EDGE_IVAR ||
                loupe_is_class_of_system(class_of(adviser, loupe_ring_from(graph, ring, j))))
                continue;
            ret->in_from = loupe_ring_from(graph, ring, j);
            ret->in_edge = edge;
            return;
        }
    }
}

/* Finds the member on a ring that has memory with a shared_ptr in it: perhaps over other memory. */
static void find_container(const struct loupe_adviser *adviser, const struct loupe_ring *ring,
                           uint32_t hop, struct loupe_subject *ret) {
    const struct loupe_graph *graph = adviser->graph;
    for (uint32_t i = 0; i < ring->length; i++) {
        hop = (hop ? hop : ring->length) - 1;
        uint32_t from = loupe_ring_from(graph, ring, hop);
        if (loupe_is_class_of_memory(class_of(adviser, from)))
            continue;
        ret->in_from = from;
        ret->in_edge = ring->edges[hop];
        return;
    }
}

static void find_container_of(const struct loupe_adviser *adviser, struct loupe_subject *ret) {
    for (uint32_t i = 0; i < adviser->knot->rings.count; i++) {
        const struct loupe_ring *ring = &adviser->knot->rings.items[i];
        for (uint32_t hop = 0; hop < ring->length; hop++) {
            if (ring->edges[hop] != ret->edge)
                continue;
            find_container(adviser, ring, hop, ret);
            return;
        }
    }
}

/* Not of blocks: those are called, and do not end by themselves. */
static bool is_audience(const struct loupe_adviser *adviser, const struct loupe_subject *subject) {
    struct loupe_edge_label label;
    if (subject->in_edge == LOUPE_NO_EDGE ||
        kind_of(adviser, loupe_graph_target(adviser->graph, subject->edge)) == LOUPE_NODE_BLOCK)
        return false;
    adviser->describer->label(adviser->describer->ctx, adviser->graph, subject->in_from,
                              subject->in_edge, &label);
    return loupe_is_named_like_audience(label.path);
}

static struct loupe_subject subject_of(const struct loupe_adviser *adviser, uint32_t from,
                                       uint32_t edge) {
    uint32_t beyond = loupe_advice_beyond(adviser, edge);
    if (beyond != LOUPE_NO_EDGE) {
        from = loupe_graph_target(adviser->graph, edge);
        edge = beyond;
    }
    struct loupe_subject subject = {.change = change_of(adviser, from, edge),
                                    .from = from,
                                    .edge = edge,
                                    .in_edge = LOUPE_NO_EDGE};
    if (subject.change == LOUPE_TAKE_OUT || subject.change == LOUPE_WEAK_KEYS)
        find_collection(adviser, from, &subject);
    if (subject.change == LOUPE_WEAK_PTR && loupe_is_class_of_memory(class_of(adviser, from)))
        find_container_of(adviser, &subject);
    if (subject.change == LOUPE_TAKE_OUT && is_audience(adviser, &subject))
        subject.change = LOUPE_REMOVE_OBSERVER;
    return subject;
}

/* ---- The whole ---- */

static enum loupe_reach reach_of(const struct loupe_fix *fix) {
    if (fix->breaks_knot)
        return LOUPE_REACHES_KNOT;
    return fix->tried_everywhere && fix->breaks_everywhere ? LOUPE_REACHES_EVERYWHERE
                                                           : LOUPE_REACHES_RING;
}

/* What is ended needs nobody who keeps it afterwards. */
static bool ends_it(enum loupe_change change) {
    return change == LOUPE_INVALIDATE || change == LOUPE_INVALIDATE_BEFORE ||
           change == LOUPE_CANCEL;
}

void loupe_advise(const struct loupe_adviser *adviser, const struct loupe_fix *fix,
                  struct loupe_advice *ret) {
    struct loupe_subject first = subject_of(adviser, fix->from, fix->edge);
    bool stays = !ends_it(first.change) &&
                 !(first.change == LOUPE_SET_TO_NIL && is_part(adviser, first.from, first.edge));
    *ret = (struct loupe_advice){.subjects = {first},
                                 .count = 1,
                                 .reach = reach_of(fix),
                                 .unowned_name = fix->doubtful,
                                 .only_holder = stays && fix->only_holder,
                                 .frees_at_once = stays && fix->frees_at_once};
    /* Cap: the field parallel has the count. */
    for (uint32_t i = 0; i < fix->parallel_count && i < LOUPE_MAX_FIX_PARALLELS; i++)
        ret->subjects[ret->count++] = subject_of(adviser, fix->from, fix->parallels[i]);
}
