#include "edges/edges.h"

const struct loupe_edge_source *const loupe_edge_sources[] = {
    [LOUPE_IVAR_SOURCE] = &loupe_edges_ivar,
    &loupe_edges_container,
    &loupe_edges_block,
    &loupe_edges_byref,
    [LOUPE_ASSOCIATION_SOURCE] = &loupe_edges_association,
    [LOUPE_FACT_SOURCE] = &loupe_edges_facts};
const unsigned loupe_edge_source_count = sizeof(loupe_edge_sources) / sizeof(loupe_edge_sources[0]);

_Static_assert(sizeof(loupe_edge_sources) / sizeof(loupe_edge_sources[0]) <= 32,
               "the sources of a class are a set of 32 bits");

void loupe_walk_init(struct loupe_walk *walk, struct loupe_target *target) {
    *walk = (struct loupe_walk){.target = target,
                                .facts = &loupe_no_facts,
                                .shape_words_left = LOUPE_SHAPE_WORDS,
                                .pointed_words_left = LOUPE_POINTED_WORDS};
    loupe_vector_init(&walk->classes, &target->arena_chunks, sizeof(struct loupe_walk_class));
    loupe_vector_init(&walk->shapes, &target->arena_chunks, sizeof(struct loupe_shape));
    loupe_map_init(&walk->fact_slots, &target->arena_chunks);
    loupe_unread_init(&walk->unread, walk->facts, &target->arena_chunks);
    loupe_vector_init(&walk->nonowning.items, &target->arena_chunks,
                      sizeof(struct loupe_nonowning_ref));
    loupe_map_init(&walk->tag_of_isa, &target->arena_chunks);
    loupe_map_init(&walk->dealloc_says, &target->arena_chunks);
    loupe_map_init(&walk->block_shapes, &target->arena_chunks);
    loupe_map_init(&walk->byref_shapes, &target->arena_chunks);
    loupe_map_init(&walk->holders, &target->arena_chunks);
    loupe_map_init(&walk->freed.left_out_edges, &target->arena_chunks);
}

void loupe_walk_believe(struct loupe_walk *walk, const struct loupe_facts *facts) {
    walk->facts = facts;
    walk->unread.facts = facts;
}

/* ---- Classes ---- */

uint32_t loupe_walk_sources(struct loupe_walk *walk, enum loupe_node_kind kind,
                            const struct loupe_class *cls) {
    uint32_t set = 0;
    for (unsigned i = 0; i < loupe_edge_source_count; i++) {
        const struct loupe_edge_source *source = loupe_edge_sources[i];
        if ((source->kinds & 1u << kind) &&
            (!cls || !source->applies || source->applies(walk, cls)))
            set |= 1u << i;
    }
    return set;
}

struct loupe_walk_class *loupe_walk_class(struct loupe_walk *walk, const struct loupe_class *cls) {
    while (walk->classes.count <= cls->number) {
        struct loupe_walk_class *added = loupe_vector_add(&walk->classes);
        if (!added)
            return NULL;
        *added = (struct loupe_walk_class){.unread = LOUPE_NO_UNREAD};
    }
    return loupe_vector_at(&walk->classes, cls->number, sizeof(struct loupe_walk_class));
}

uint32_t loupe_walk_holder(const struct loupe_walk *walk, uint32_t byref) {
    uint32_t holder = LOUPE_NO_NODE;
    loupe_map_find(&walk->holders, byref, &holder);
    return holder;
}

struct loupe_node loupe_walk_node(const struct loupe_walk *walk, uint32_t number) {
    return walk->taker ? walk->taker->node(walk->taker->ctx, number)
                       : loupe_graph_node(walk->graph, number);
}

const struct loupe_class *loupe_walk_node_class(const struct loupe_walk *walk,
                                                struct loupe_node node) {
    return loupe_node_kind(node) == LOUPE_NODE_BYREF
               ? NULL
               : loupe_class_numbered(walk->target, loupe_node_class(node));
}
