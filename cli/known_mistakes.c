#include "known_mistakes.h"

#include "answers/texts.h"
#include "cycles/dissolve.h"
#include "heap_verb.h"
#include "native_words.h"
#include "report/class_words.h"

enum { NEAREST = 16 }; /* steps of a path that are looked at */

struct patterns known_mistakes(struct loupe_arena *arena) {
    struct patterns ret;
    return patterns_read_shipped(arena, &ret) ? (struct patterns){.items = NULL} : ret;
}

/* ---- A ring or a path as a finding ---- */

/* Things are numbered along the ring, arrow i begins at thing i. */
struct sketch {
    struct loupe_arena arena;
    struct picture picture;
    struct picture_arrow *arrows;
    uint32_t *order;
    uint32_t count;
};

static bool sketch_init(struct sketch *sketch, uint32_t arrows) {
    *sketch = (struct sketch){.count = arrows};
    loupe_arena_init(&sketch->arena, &heap_chunks);
    picture_init(&sketch->picture, &sketch->arena);
    sketch->arrows = loupe_arena_alloc_array(&sketch->arena, arrows, sizeof(*sketch->arrows));
    sketch->order = loupe_arena_alloc_array(&sketch->arena, arrows, sizeof(*sketch->order));
    for (uint32_t i = 0; sketch->order && i < arrows; i++)
        sketch->order[i] = i;
    return sketch->arrows && sketch->order;
}

static struct loupe_span keep(struct sketch *sketch, struct loupe_span text) {
    char *copy = loupe_arena_copy_string(&sketch->arena, text);
    return (struct loupe_span){copy ? copy : "", copy ? text.length : 0};
}

static const char *kind_of_thing(const struct loupe_snapshot *snapshot, uint32_t node) {
    if (loupe_snapshot_class_at(snapshot, node) != LOUPE_NONE)
        return "class";
    if (!snapshot->native)
        return "object";
    switch (loupe_native_node_kind(snapshot, node)) {
    case LOUPE_NODE_BLOCK:
        return "block";
    case LOUPE_NODE_BYREF:
        return "byref";
    default:
        return "object";
    }
}

static bool add_thing(struct sketch *sketch, const struct loupe_snapshot *snapshot, uint32_t node) {
    struct picture_thing *thing = picture_add_thing(&sketch->picture);
    uint32_t is = loupe_snapshot_class_at(snapshot, node);
    if (!thing)
        return false;
    thing->kind = loupe_span_of(kind_of_thing(snapshot, node));
    thing->class_name = loupe_public_class_name(
        loupe_snapshot_class_name(snapshot, is == LOUPE_NONE ? snapshot->classes[node] : is));
    return true;
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

static void name_arrow(struct sketch *sketch, const struct loupe_snapshot *snapshot, uint32_t from,
                       uint32_t link, struct picture_arrow *arrow) {
    if (link == LOUPE_NO_EDGE)
        return;
    if (!snapshot->native) {
        struct loupe_link_name name;
        loupe_snapshot_name_link(snapshot, from, link, &name);
        arrow->path = name.name;
        arrow->kind = loupe_span_of(kind_of_name(name.kind));
        return;
    }
    const struct loupe_label *label = loupe_native_label(snapshot, link);
    struct words path = words_of_link(snapshot, from, link);
    arrow->path = keep(sketch, loupe_span_of(path.text));
    arrow->kind =
        loupe_span_of(label ? loupe_edge_kind_name((enum loupe_edge_kind)label->kind) : "word");
}

/* change: what the best fix is about; NULL: there is none. */
static const struct pattern *pattern_of(struct sketch *sketch, const struct patterns *patterns,
                                        enum picture_finding_kind kind,
                                        struct picture_change *change) {
    struct picture_ring ring = {.arrows = {sketch->order, sketch->count}, .length = sketch->count};
    struct picture_finding finding = {.kind = kind,
                                      .arrows = sketch->arrows,
                                      .arrow_count = sketch->count,
                                      .rings = &ring,
                                      .ring_count = 1,
                                      .changes = change,
                                      .change_count = change ? 1 : 0};
    return pattern_of_finding(patterns, &sketch->picture, &finding);
}

/* ---- The two shapes ---- */

/* Whether the fix is about this reference of a ring; an ivar is in all objects of its class. */
static bool is_about(const struct loupe_heap_graph *graph, const struct loupe_fix *fix,
                     uint32_t from, uint32_t edge) {
    return (fix->from == from && loupe_graph_target(&graph->graph, fix->edge) ==
                                     loupe_graph_target(&graph->graph, edge)) ||
           (fix->tried_everywhere &&
            loupe_is_same_ivar(&graph->graph, fix->from, fix->edge, from, edge));
}

static const struct pattern *pattern_of_ring(const struct patterns *patterns,
                                             const struct loupe_heap_graph *graph,
                                             const struct loupe_ring *ring,
                                             const struct loupe_fix *best) {
    struct sketch sketch;
    struct picture_change change = {.kept_by = PICTURE_NONE};
    const struct pattern *found = NULL;
    uint32_t changed;
    bool has_room = sketch_init(&sketch, ring->length);
    change.cut.items = &changed;
    for (uint32_t i = 0; has_room && i < ring->length; i++) {
        uint32_t from = loupe_ring_from(&graph->graph, ring, i);
        uint32_t node = loupe_heap_graph_node(graph, from);
        sketch.arrows[i] = (struct picture_arrow){.from = i, .to = (i + 1) % ring->length};
        has_room = add_thing(&sketch, graph->snapshot, node);
        name_arrow(&sketch, graph->snapshot, node, words_link(graph, from, ring->edges[i]),
                   &sketch.arrows[i]);
        if (best && is_about(graph, best, from, ring->edges[i])) {
            changed = i;
            change.cut.count = 1;
        }
    }
    if (has_room)
        found = pattern_of(&sketch, patterns, PICTURE_KNOT, best ? &change : NULL);
    loupe_arena_deinit(&sketch.arena);
    return found;
}

const struct pattern *known_mistake_of_knot(const struct patterns *patterns,
                                            const struct loupe_heap_graph *graph,
                                            const struct loupe_knot_facts *knot) {
    const struct pattern *found = NULL;
    const struct loupe_fix *best = knot->fixes.count ? knot->fixes.items : NULL;
    for (uint32_t i = 0; i < knot->rings.count && !found; i++)
        found = pattern_of_ring(patterns, graph, &knot->rings.items[i], best);
    return found;
}

const struct pattern *known_mistake_of_trace(const struct patterns *patterns,
                                             const struct loupe_tracer *tracer,
                                             const struct loupe_trace *trace) {
    struct sketch sketch;
    const struct pattern *found = NULL;
    uint32_t count = trace->count - 1 < NEAREST ? trace->count - 1 : NEAREST;
    bool has_room = sketch_init(&sketch, count);
    for (uint32_t i = 0; has_room && i <= count; i++) {
        const struct loupe_trace_step *step = &trace->steps[trace->count - 1 - count + i];
        has_room = add_thing(&sketch, tracer->snapshot, step->node);
        if (i == count)
            break;
        sketch.arrows[i] = (struct picture_arrow){.from = i, .to = i + 1};
        name_arrow(&sketch, tracer->snapshot, step->node, step->link, &sketch.arrows[i]);
    }
    if (has_room)
        found = pattern_of(&sketch, patterns, PICTURE_PATH, NULL);
    loupe_arena_deinit(&sketch.arena);
    return found;
}

void show_known_mistake(const struct pattern *pattern) {
    if (pattern)
        printf("  " ANSWER_KNOWN_MISTAKE "%s\n", cli_printable(pattern->name));
}
