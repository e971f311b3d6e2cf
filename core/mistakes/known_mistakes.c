/* Known mistakes in the rings and paths of heaps. */
#include "mistakes/known_mistakes.h"

#include "cycles/dissolve.h"
#include "report/class_words.h"
#include "snapshot/values/native_names.h"

enum { NEAREST = 16 }; /* steps of a path that are looked at */

/* ---- Objects and links ---- */

static struct loupe_span class_of(const struct loupe_snapshot *snapshot, uint32_t node) {
    uint32_t is = loupe_snapshot_class_at(snapshot, node);
    if (is == LOUPE_NONE && snapshot->native &&
        loupe_native_node_kind(snapshot, node) == LOUPE_NODE_BLOCK)
        return loupe_span_of("<block>");
    if (is == LOUPE_NONE && snapshot->native &&
        loupe_native_node_kind(snapshot, node) == LOUPE_NODE_BYREF)
        return loupe_span_of("<byref>");
    return loupe_public_class_name(
        loupe_snapshot_class_name(snapshot, is == LOUPE_NONE ? snapshot->classes[node] : is));
}

static const char *kind_of_name(enum loupe_link_name_kind kind) {
    switch (kind) {
    case LOUPE_LINK_NAME_STATIC:
        return "static";
    case LOUPE_LINK_NAME_ELEMENT:
        return "element";
    default:
        return "field";
    }
}

static struct loupe_span kind_of(const struct loupe_snapshot *snapshot, uint32_t node,
                                 uint32_t link) {
    struct loupe_link_name name;
    if (link == LOUPE_NO_EDGE)
        return loupe_span_of("");
    if (snapshot->native) {
        const struct loupe_label *label = loupe_native_label(snapshot, link);
        return loupe_span_of(label ? loupe_edge_kind_name((enum loupe_edge_kind)label->kind)
                                   : "word");
    }
    loupe_snapshot_name_link(snapshot, node, link, &name);
    return loupe_span_of(kind_of_name(name.kind));
}

/* As debug information, or else the program itself, calls it. */
static struct loupe_span path_of(const struct loupe_snapshot *snapshot, uint32_t node,
                                 uint32_t link, char room[LOUPE_MAX_PATH]) {
    struct loupe_link_name name;
    if (link == LOUPE_NO_EDGE)
        return loupe_span_of("");
    if (!snapshot->native) {
        loupe_snapshot_name_link(snapshot, node, link, &name);
        return name.name;
    }
    const char *variable = loupe_native_capture_name(snapshot, node, link);
    if (!variable)
        loupe_native_path(snapshot, link, room);
    return loupe_span_of(variable ? variable : room);
}

/* ---- Rings ---- */

struct rings {
    const struct loupe_heap_graph *graph;
    const struct loupe_knot_facts *knot;
};

static const struct loupe_ring *ring_of(const struct rings *rings, uint32_t ring) {
    return &rings->knot->rings.items[ring];
}

static uint32_t ring_length(const void *ctx, uint32_t ring) {
    return ring_of(ctx, ring)->length;
}

/* The node where a reference of a ring begins, and its link. */
static uint32_t ring_node(const struct rings *rings, uint32_t ring, uint32_t i, uint32_t *link) {
    const struct loupe_graph *graph = &rings->graph->graph;
    uint32_t from = loupe_ring_from(graph, ring_of(rings, ring), i);
    struct loupe_edge edge = loupe_graph_edge(graph, ring_of(rings, ring)->edges[i]);
    *link = loupe_heap_graph_link(rings->graph, from, &edge);
    return loupe_heap_graph_node(rings->graph, from);
}

static void ring_step(const void *ctx, uint32_t ring, uint32_t i, struct loupe_pattern_step *ret) {
    const struct rings *rings = ctx;
    const struct loupe_snapshot *snapshot = rings->graph->snapshot;
    uint32_t link, next, length = ring_length(rings, ring);
    uint32_t node = ring_node(rings, ring, i, &link);
    *ret = (struct loupe_pattern_step){
        .from = class_of(snapshot, node),
        .kind = kind_of(snapshot, node, link),
        .to = class_of(snapshot, ring_node(rings, ring, (i + 1) % length, &next))};
}

static struct loupe_span ring_path(const void *ctx, uint32_t ring, uint32_t i,
                                   char room[LOUPE_PATTERN_LONGEST_PATH]) {
    const struct rings *rings = ctx;
    uint32_t link, node = ring_node(rings, ring, i, &link);
    return path_of(rings->graph->snapshot, node, link, room);
}

/* Whether the best fix is about this reference; an ivar is in all objects of its class. */
static bool is_to_change(const void *ctx, uint32_t ring, uint32_t i) {
    const struct rings *rings = ctx;
    const struct loupe_graph *graph = &rings->graph->graph;
    const struct loupe_fix *fix = rings->knot->fixes.items;
    uint32_t from = loupe_ring_from(graph, ring_of(rings, ring), i);
    uint32_t edge = ring_of(rings, ring)->edges[i];
    return (fix->from == from &&
            loupe_graph_target(graph, fix->edge) == loupe_graph_target(graph, edge)) ||
           (fix->tried_everywhere && loupe_go_together(graph, fix->from, fix->edge, from, edge));
}

const struct loupe_pattern *loupe_known_mistake_of_knot(const struct loupe_patterns *patterns,
                                                        const struct loupe_heap_graph *graph,
                                                        const struct loupe_knot_facts *knot) {
    struct rings rings = {graph, knot};
    struct loupe_pattern_subject subject = {.ctx = &rings,
                                            .rings = knot->rings.count,
                                            .length = ring_length,
                                            .step = ring_step,
                                            .path = ring_path,
                                            .is_to_change =
                                                knot->fixes.count ? is_to_change : NULL};
    return loupe_pattern_of(patterns, &subject);
}

struct loupe_span loupe_name_mistake_of_knot(const void *ctx, const struct loupe_knot_facts *knot) {
    const struct loupe_mistakes_of_knots *mistakes = ctx;
    const struct loupe_pattern *pattern =
        loupe_known_mistake_of_knot(mistakes->patterns, mistakes->graph, knot);
    return pattern ? pattern->name : (struct loupe_span){"", 0};
}

/* ---- The end of a path ---- */

struct end_of_path {
    const struct loupe_snapshot *snapshot;
    const struct loupe_trace_step *steps; /* one more than there are references */
    uint32_t count;
    const char
        *variable; /* that the path begins with, which is a reference before these; or NULL */
};

static uint32_t end_length(const void *ctx, uint32_t ring) {
    const struct end_of_path *end = ctx;
    (void)ring;
    return end->count + (end->variable != NULL);
}

/* Of a native program, as a static field is of Java's. */
static const char *variable_of(const struct loupe_snapshot *snapshot,
                               const struct loupe_trace *trace) {
    const char *name = NULL, *where;
    if (!snapshot->native || snapshot->roots[trace->root].kind != LOUPE_ROOT_GLOBAL ||
        !loupe_native_root_name(snapshot, trace->root, &name, &where) || !name || !*name)
        return NULL;
    return name;
}

static void end_step(const void *ctx, uint32_t ring, uint32_t i, struct loupe_pattern_step *ret) {
    const struct end_of_path *end = ctx;
    const struct loupe_trace_step *step = &end->steps[end->variable && i ? i - 1 : i];
    (void)ring;
    if (end->variable && !i) {
        *ret = (struct loupe_pattern_step){.from = loupe_span_of(""),
                                           .kind = loupe_span_of("static"),
                                           .to = class_of(end->snapshot, step->node)};
        return;
    }
    *ret = (struct loupe_pattern_step){.from = class_of(end->snapshot, step->node),
                                       .kind = kind_of(end->snapshot, step->node, step->link),
                                       .to = class_of(end->snapshot, step[1].node)};
}

static struct loupe_span end_path(const void *ctx, uint32_t ring, uint32_t i,
                                  char room[LOUPE_PATTERN_LONGEST_PATH]) {
    const struct end_of_path *end = ctx;
    const struct loupe_trace_step *step = &end->steps[end->variable && i ? i - 1 : i];
    (void)ring;
    if (end->variable && !i)
        return loupe_span_of(end->variable);
    return path_of(end->snapshot, step->node, step->link, room);
}

static const struct loupe_pattern *pattern_of_end(const struct loupe_patterns *patterns,
                                                  const struct loupe_snapshot *snapshot,
                                                  const struct loupe_trace *trace,
                                                  const char *variable) {
    uint32_t count = trace->count - 1 < NEAREST ? trace->count - 1 : NEAREST;
    struct end_of_path end = {snapshot, &trace->steps[trace->count - 1 - count], count,
                              count < NEAREST ? variable : NULL};
    struct loupe_pattern_subject subject = {.ctx = &end,
                                            .rings = 1,
                                            .is_path = true,
                                            .length = end_length,
                                            .step = end_step,
                                            .path = end_path};
    return loupe_pattern_of(patterns, &subject);
}

const struct loupe_pattern *loupe_known_mistake_of_trace(const struct loupe_patterns *patterns,
                                                         const struct loupe_snapshot *snapshot,
                                                         const struct loupe_trace *trace) {
    return pattern_of_end(patterns, snapshot, trace, NULL);
}

const struct loupe_pattern *loupe_known_mistake_of_growth(const struct loupe_patterns *patterns,
                                                          const struct loupe_snapshot *snapshot,
                                                          const struct loupe_trace *trace) {
    return pattern_of_end(patterns, snapshot, trace, variable_of(snapshot, trace));
}
