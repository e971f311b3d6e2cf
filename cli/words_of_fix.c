/* What to change, in words a person can act on: what core/answers/advice.h asks of a graph. */
#include "native_words.h"

#include "answers/advice.h"

#include <string.h>

struct fixing {
    const struct loupe_heap_graph *graph;
    const struct loupe_knot_facts *knot;
    bool has_weak_references; /* the runtime */
};

/* The texts of one reference. */
struct texts {
    struct words path, owner, held, holder, block, in_variable, acts_on;
};

static struct words class_of(const struct fixing *f, uint32_t node) {
    return words_of_class(f->graph->snapshot, loupe_heap_graph_node(f->graph, node));
}

static enum loupe_node_kind kind_of(const struct fixing *f, uint32_t node) {
    return loupe_node_kind(loupe_graph_node(&f->graph->graph, node));
}

/* A reference of a node on one of the shown rings, of a kind; LOUPE_NO_EDGE: there is none. */
static uint32_t ring_edge(const struct fixing *f, uint32_t node, enum loupe_edge_kind kind) {
    for (uint32_t i = 0; i < f->knot->rings.count; i++) {
        const struct loupe_ring *ring = &f->knot->rings.items[i];
        for (uint32_t j = 0; j < ring->length; j++) {
            if (loupe_ring_from(&f->graph->graph, ring, j) == node &&
                loupe_graph_edge(&f->graph->graph, ring->edges[j]).kind == kind)
                return ring->edges[j];
        }
    }
    return LOUPE_NO_EDGE;
}

static bool is_manual(const struct fixing *f, uint32_t from, uint32_t edge) {
    uint32_t link = words_link(f->graph, from, edge);
    const struct loupe_label *label =
        link == LOUPE_NO_EDGE ? NULL : loupe_native_label(f->graph->snapshot, link);
    return label && label->flags & LOUPE_LABEL_MANUAL;
}

/* What else is on the rings: the target of a timer that is held, what a __block variable holds. */
static void look_behind(const struct fixing *f, uint32_t to, struct texts *texts,
                        struct loupe_advised *ret) {
    uint32_t acts = ring_edge(f, to, LOUPE_EDGE_TARGET);
    uint32_t inner = ring_edge(f, to, LOUPE_EDGE_BYREF);
    if (acts != LOUPE_NO_EDGE) {
        uint32_t target = loupe_graph_target(&f->graph->graph, acts);
        texts->acts_on = class_of(f, target);
        ret->acts_on = texts->acts_on.text;
        ret->acts_on_block = kind_of(f, target) == LOUPE_NODE_BLOCK;
    }
    if (inner != LOUPE_NO_EDGE) {
        texts->in_variable = words_of_path(f->graph, to, inner);
        ret->in_variable = texts->in_variable.text;
    }
}

static void describe(const struct fixing *f, uint32_t from, uint32_t edge_id, struct texts *texts,
                     struct loupe_advised *ret) {
    const struct loupe_snapshot *snapshot = f->graph->snapshot;
    struct loupe_edge edge = loupe_graph_edge(&f->graph->graph, edge_id);
    uint32_t node = loupe_heap_graph_node(f->graph, from);
    texts->path = words_of_path(f->graph, from, edge_id);
    texts->owner = class_of(f, from);
    texts->held = class_of(f, edge.to);
    texts->holder = words_of_object(snapshot, node);
    texts->block = words_of_block(snapshot, node);
    *ret = (struct loupe_advised){.kind = (enum loupe_edge_kind)edge.kind,
                                  .path = texts->path.text,
                                  .owner = texts->owner.text,
                                  .held = texts->held.text,
                                  .holder = texts->holder.text,
                                  .block = texts->block.text,
                                  .held_is_block = kind_of(f, edge.to) == LOUPE_NODE_BLOCK,
                                  .held_is_byref = kind_of(f, edge.to) == LOUPE_NODE_BYREF,
                                  .is_manual = is_manual(f, from, edge_id),
                                  .no_weak = !f->has_weak_references};
    look_behind(f, edge.to, texts, ret);
}

struct words words_of_fix(const struct loupe_heap_graph *graph, const struct loupe_knot_facts *knot,
                          const struct loupe_fix *fix) {
    struct fixing f = {.graph = graph,
                       .knot = knot,
                       .has_weak_references = loupe_heap_has_weak_references(graph->snapshot)};
    struct texts texts[LOUPE_MAX_FIX_PARALLELS + 1];
    struct loupe_advised references[LOUPE_MAX_FIX_PARALLELS + 1];
    struct loupe_advice advice = {.references = references,
                                  .count = 1,
                                  .doubtful = fix->doubtful,
                                  .only_holder = fix->only_holder,
                                  .frees_at_once = fix->frees_at_once};
    struct words ret;
    describe(&f, fix->from, fix->edge, &texts[0], &references[0]);
    for (uint32_t i = 0; i < fix->parallel_count && i < LOUPE_MAX_FIX_PARALLELS; i++) {
        describe(&f, fix->from, fix->parallels[i], &texts[i + 1], &references[i + 1]);
        advice.count++;
    }
    loupe_word_advice(&advice, ret.text, sizeof(ret.text));
    return ret;
}
