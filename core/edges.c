#include "edges.h"

const struct loupe_edge_source *const loupe_edge_sources[] = {
    &loupe_edges_ivar, &loupe_edges_keeper, &loupe_edges_block, &loupe_edges_byref,
    &loupe_edges_association};
const unsigned loupe_edge_source_count = sizeof(loupe_edge_sources) / sizeof(loupe_edge_sources[0]);

_Static_assert(sizeof(loupe_edge_sources) / sizeof(loupe_edge_sources[0]) <= 32,
               "the sources of a class are a set of 32 bits");

void loupe_walk_init(struct loupe_walk *walk, struct loupe_target *target) {
    *walk = (struct loupe_walk){.target = target, .shape_words_left = LOUPE_SHAPE_WORDS};
    loupe_vector_init(&walk->classes, &target->lasting, sizeof(struct loupe_walk_class));
    loupe_vector_init(&walk->shapes, &target->lasting, sizeof(struct loupe_shape));
    loupe_map_init(&walk->block_shapes, &target->lasting);
    loupe_map_init(&walk->byref_shapes, &target->lasting);
}

/* ---- Classes ---- */

static uint32_t sources_of(struct loupe_walk *walk, enum loupe_node_kind kind,
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
        *added = (struct loupe_walk_class){.cls = NULL};
    }
    return loupe_vector_at(&walk->classes, cls->number, sizeof(struct loupe_walk_class));
}

const struct loupe_class *loupe_walk_node_class(const struct loupe_walk *walk,
                                                const struct loupe_node *node) {
    return loupe_node_kind(node) == LOUPE_NODE_BYREF
               ? NULL
               : loupe_class_numbered(walk->target, loupe_node_class(node));
}

/* ---- Targets of references ---- */

static enum loupe_status add_node(struct loupe_walk *walk, loupe_addr address,
                                  enum loupe_node_kind kind, const struct loupe_class *cls,
                                  uint32_t *ret) {
    return loupe_graph_add_node(walk->graph, address, loupe_node_tag(kind, cls ? cls->number : 0),
                                ret);
}

static enum loupe_status add_edge(struct loupe_walk *walk, const struct loupe_reference *reference,
                                  uint32_t to) {
    struct loupe_edge edge = {.to = to,
                              .offset = reference->offset,
                              .detail = reference->detail,
                              .kind = (uint8_t)reference->kind,
                              .ownership = (uint8_t)reference->ownership,
                              .source = walk->source};
    enum loupe_status status = loupe_graph_add_edge(walk->graph, &edge);
    return status == LOUPE_ELIMIT ? LOUPE_OK : status;
}

/*
 * What the word leads to is no object. A failure of ours ends the walk, the rest is counted. A slot
 * that the runtime is working on holds a sentinel, which leads nowhere by design.
 */
static enum loupe_status refuse(struct loupe_walk *walk, const struct loupe_reference *reference,
                                enum loupe_status status) {
    struct loupe_target *target = walk->target;
    if (status == LOUPE_ENOTOBJECT ||
        (target->abi->is_in_flux && target->abi->is_in_flux(target, reference->word)))
        loupe_findings_add(&target->findings, LOUPE_FINDING_NOT_AN_OBJECT, reference->slot);
    else if (status == LOUPE_EFAULT)
        loupe_findings_add(&target->findings, LOUPE_FINDING_UNREADABLE, reference->word);
    else
        return status;
    return LOUPE_OK;
}

enum loupe_status loupe_walk_add(struct loupe_walk *walk, const struct loupe_reference *reference) {
    struct loupe_object object;
    uint32_t to;
    if (!reference->word || loupe_is_tagged(walk->target, reference->word))
        return LOUPE_OK;
    if (loupe_graph_find(walk->graph, reference->word, &to))
        return add_edge(walk, reference, to);
    enum loupe_status status = loupe_object_at(walk->target, reference->word, &object, NULL);
    if (status)
        return refuse(walk, reference, status);
    status = add_node(walk, object.address, loupe_object_kind(&object), object.cls, &to);
    if (status)
        return status == LOUPE_ELIMIT ? LOUPE_OK : status;
    return add_edge(walk, reference, to);
}

enum loupe_status loupe_walk_add_byref(struct loupe_walk *walk,
                                       const struct loupe_reference *reference, loupe_addr byref) {
    uint32_t to;
    if (!loupe_graph_find(walk->graph, byref, &to)) {
        enum loupe_status status = add_node(walk, byref, LOUPE_NODE_BYREF, NULL, &to);
        if (status)
            return status == LOUPE_ELIMIT ? LOUPE_OK : status;
    }
    return add_edge(walk, reference, to);
}

/* ---- The expander ---- */

enum loupe_status loupe_walk_seed(struct loupe_walk *walk, struct loupe_graph *graph,
                                  const struct loupe_object *object) {
    uint32_t seed;
    walk->graph = graph;
    return add_node(walk, object->address, loupe_object_kind(object), object->cls, &seed);
}

static enum loupe_status sources_of_node(struct loupe_walk *walk, enum loupe_node_kind kind,
                                         const struct loupe_class *cls, uint32_t *ret) {
    if (!cls) {
        *ret = sources_of(walk, kind, NULL);
        return LOUPE_OK;
    }
    struct loupe_walk_class *known = loupe_walk_class(walk, cls);
    if (!known)
        return LOUPE_ENOMEM;
    if (!known->cls) {
        known->cls = cls;
        known->sources = sources_of(walk, kind, cls);
    }
    *ret = known->sources;
    return LOUPE_OK;
}

/* ---- Looking ahead ---- */

/*
 * A walk over a large heap waits for memory: for objects, for the index of nodes, for the nodes.
 * Which nodes come next is known, so what they will need is fetched before their turn, in the order
 * in which one thing leads to the other.
 */
enum { BYTES_AHEAD = 12, TARGETS_AHEAD = 6, NODES_AHEAD = 2, MAX_SLOTS = 8 };

typedef void touch_fn(const struct loupe_walk *walk, loupe_addr address);

static void touch_bytes(const struct loupe_walk *walk, loupe_addr address) {
    const uint8_t *bytes = loupe_memory_peek(walk->target->memory, address, sizeof(uint32_t));
    if (bytes)
        loupe_prefetch(bytes);
}

static void touch_target(const struct loupe_walk *walk, loupe_addr address) {
    touch_bytes(walk, address); /* its class, if it is new */
    loupe_graph_prefetch(walk->graph, address);
}

static void touch_node(const struct loupe_walk *walk, loupe_addr address) {
    loupe_graph_prefetch_node(walk->graph, address);
}

/* What an object of a class that was met before refers to, as far as its bytes are at hand. */
static inline void touch_references(const struct loupe_walk *walk, uint32_t node_id,
                                    touch_fn *touch) {
    if (node_id >= loupe_graph_node_count(walk->graph))
        return;
    const struct loupe_node *node = loupe_graph_node(walk->graph, node_id);
    uint32_t number = loupe_node_class(node);
    if (loupe_node_kind(node) != LOUPE_NODE_OBJECT || number >= walk->classes.count)
        return;
    const struct loupe_walk_class *known =
        loupe_vector_at(&walk->classes, number, sizeof(struct loupe_walk_class));
    const struct loupe_memory *memory = walk->target->memory;
    const struct loupe_shape *shape = known->shape;
    const uint8_t *bytes = shape ? loupe_memory_peek(memory, node->address, shape->extent) : NULL;
    for (uint32_t i = 0; bytes && i < shape->slot_count && i < MAX_SLOTS; i++) {
        uint64_t word =
            loupe_load_word(memory->machine.pointer_size, bytes + shape->slots[i].offset);
        if (word)
            touch(walk, word);
    }
}

static void look_ahead(const struct loupe_walk *walk, uint32_t node) {
    uint32_t far = node + BYTES_AHEAD;
    if (far < loupe_graph_node_count(walk->graph))
        touch_bytes(walk, loupe_graph_node(walk->graph, far)->address);
    touch_references(walk, node + TARGETS_AHEAD, touch_target);
    touch_references(walk, node + NODES_AHEAD, touch_node);
}

static enum loupe_status expand(void *ctx, struct loupe_graph *graph, uint32_t node_id) {
    struct loupe_walk *walk = ctx;
    const struct loupe_node *node = loupe_graph_node(graph, node_id);
    const struct loupe_class *cls = loupe_walk_node_class(walk, node);
    uint32_t sources;
    walk->graph = graph;
    look_ahead(walk, node_id);
    enum loupe_status status = sources_of_node(walk, loupe_node_kind(node), cls, &sources);
    for (uint8_t i = 0; sources && !status; i++, sources >>= 1) {
        walk->source = i;
        if (sources & 1)
            status = loupe_edge_sources[i]->emit(walk, node->address, cls);
    }
    return status;
}

struct loupe_expander loupe_walk_expander(struct loupe_walk *walk) {
    return (struct loupe_expander){.ctx = walk, .expand = expand};
}
