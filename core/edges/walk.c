/*
 * The walk itself: what the edge sources found becomes nodes and edges. Everything that is done for
 * each reference stands in this file, because it is done millions of times.
 */
#include "blocks/byref.h"
#include "edges/edges.h"

/* ---- Targets of references ---- */

static enum loupe_status add_node(struct loupe_walk *walk, loupe_addr address, uint64_t hash,
                                  enum loupe_node_kind kind, const struct loupe_class *cls,
                                  uint32_t *ret) {
    return loupe_graph_add_node_hashed(walk->graph, address, hash,
                                       loupe_node_tag(kind, cls ? cls->number : 0), ret);
}

static enum loupe_status add_edge(struct loupe_walk *walk, struct loupe_edge *edge, uint32_t to) {
    edge->to = to;
    edge->source = walk->source;
    enum loupe_status status = loupe_graph_add_edge(walk->graph, edge);
    return status == LOUPE_ELIMIT ? LOUPE_OK : status;
}

/*
 * What the word leads to is no object. A failure of ours ends the walk, the rest is counted. A slot
 * that the runtime is working on holds a sentinel, which leads nowhere by design.
 */
static enum loupe_status refuse(struct loupe_walk *walk, uint64_t word, loupe_addr slot,
                                enum loupe_status status) {
    struct loupe_target *target = walk->target;
    if (status == LOUPE_ENOTOBJECT ||
        (target->abi->is_in_flux && target->abi->is_in_flux(target, word)))
        loupe_findings_add(&target->findings, LOUPE_FINDING_NOT_AN_OBJECT, slot);
    else if (status == LOUPE_EFAULT)
        loupe_findings_add(&target->findings, LOUPE_FINDING_UNREADABLE, word);
    else
        return status;
    return LOUPE_OK;
}

/* Adds the edge to the object that a word leads to, and that object where it is new. */
static inline enum loupe_status add_object(struct loupe_walk *walk, uint64_t word, loupe_addr slot,
                                           struct loupe_edge *edge) {
    struct loupe_object object;
    uint32_t to;
    if (!word || loupe_is_tagged(walk->target, word))
        return LOUPE_OK;
    uint64_t hash = loupe_hash(word);
    if (loupe_graph_find_hashed(walk->graph, word, hash, &to))
        return add_edge(walk, edge, to);
    enum loupe_status status = loupe_object_at(walk->target, word, &object, NULL);
    if (status)
        return refuse(walk, word, slot, status);
    status = add_node(walk, word, hash, loupe_object_kind(&object), object.cls, &to);
    if (status)
        return status == LOUPE_ELIMIT ? LOUPE_OK : status;
    return add_edge(walk, edge, to);
}

static struct loupe_edge edge_of(const struct loupe_reference *reference) {
    return (struct loupe_edge){.offset = reference->offset,
                               .detail = reference->detail,
                               .kind = (uint8_t)reference->kind,
                               .ownership = (uint8_t)reference->ownership};
}

enum loupe_status loupe_walk_add(struct loupe_walk *walk, const struct loupe_reference *reference) {
    struct loupe_edge edge = edge_of(reference);
    return add_object(walk, reference->word, reference->slot, &edge);
}

/*
 * A byref is a node where its variable lives now: blocks that share a variable then share the node,
 * also when one of them captured it before it moved to the heap.
 */
static enum loupe_status add_byref(struct loupe_walk *walk, uint64_t word,
                                   struct loupe_edge *edge) {
    struct loupe_target *target = walk->target;
    struct loupe_byref byref;
    uint32_t to;
    enum loupe_status status = loupe_byref_read_header(
        target->memory, word, target->abi->block_traits(target), &byref, NULL);
    if (status == LOUPE_ENOTOBJECT || status == LOUPE_EFAULT) {
        loupe_findings_add(&target->findings, LOUPE_FINDING_BYREF_LAYOUT, word);
        return LOUPE_OK;
    }
    if (status)
        return status;
    uint64_t hash = loupe_hash(byref.address);
    if (!loupe_graph_find_hashed(walk->graph, byref.address, hash, &to)) {
        status = add_node(walk, byref.address, hash, LOUPE_NODE_BYREF, NULL, &to);
        if (status)
            return status == LOUPE_ELIMIT ? LOUPE_OK : status;
    }
    return add_edge(walk, edge, to);
}

/* ---- The slots of a shape ---- */

/* Larger objects are read word by word: bytes, and references. */
enum { INLINE_EXTENT = 2048, INLINE_SLOTS = 64 };

static void count_findings(struct loupe_walk *walk, const struct loupe_shape *shape,
                           loupe_addr address) {
    for (unsigned i = 0; i < LOUPE_FINDING_COUNT; i++) {
        if (shape->findings & 1u << i)
            loupe_findings_add(&walk->target->findings, (enum loupe_finding)i, address);
    }
}

static inline enum loupe_status follow(struct loupe_walk *walk, loupe_addr address,
                                       const struct loupe_slot *slot, uint64_t word) {
    struct loupe_edge edge = {.offset = slot->offset,
                              .detail = slot->detail,
                              .kind = slot->kind,
                              .ownership = slot->ownership};
    return slot->is_byref ? add_byref(walk, word, &edge)
                          : add_object(walk, word, address + slot->offset, &edge);
}

/* For objects that are long or cannot be had in one piece. */
static enum loupe_status follow_one_by_one(struct loupe_walk *walk, const struct loupe_shape *shape,
                                           loupe_addr address) {
    for (uint32_t i = 0; i < shape->slot_count; i++) {
        uint64_t word;
        loupe_addr place = address + shape->slots[i].offset;
        enum loupe_status status = loupe_memory_read_word(walk->target->memory, place, &word);
        if (status == LOUPE_EFAULT) {
            loupe_findings_add(&walk->target->findings, LOUPE_FINDING_UNREADABLE, place);
            continue;
        }
        if (!status && word)
            status = follow(walk, address, &shape->slots[i], word);
        if (status)
            return status;
    }
    return LOUPE_OK;
}

/* Reads all slots before one is followed: following moves the view. */
static inline bool load_slots(struct loupe_walk *walk, const struct loupe_shape *shape,
                              loupe_addr address, uint64_t *words) {
    uint8_t bounce[INLINE_EXTENT];
    struct loupe_memory *memory = walk->target->memory;
    const uint8_t *bytes = loupe_memory_peek(memory, address, shape->extent);
    if (!bytes)
        bytes = loupe_memory_view(memory, address, shape->extent, bounce);
    for (uint32_t i = 0; bytes && i < shape->slot_count; i++)
        words[i] = loupe_load_word(memory->machine.pointer_size, bytes + shape->slots[i].offset);
    return bytes != NULL;
}

enum loupe_status loupe_shape_follow(struct loupe_walk *walk, const struct loupe_shape *shape,
                                     loupe_addr address) {
    uint64_t words[INLINE_SLOTS];
    enum loupe_status status = LOUPE_OK;
    if (shape->findings)
        count_findings(walk, shape, address);
    if (shape->slot_count == 0)
        return LOUPE_OK;
    if (shape->extent > INLINE_EXTENT || shape->slot_count > INLINE_SLOTS ||
        !load_slots(walk, shape, address, words))
        return follow_one_by_one(walk, shape, address);
    for (uint32_t i = 0; i < shape->slot_count && !status; i++)
        if (words[i])
            status = follow(walk, address, &shape->slots[i], words[i]);
    return status;
}

/* ---- The expander ---- */

enum loupe_status loupe_walk_seed(struct loupe_walk *walk, struct loupe_graph *graph,
                                  const struct loupe_object *object) {
    uint32_t seed;
    walk->graph = graph;
    return add_node(walk, object->address, loupe_hash(object->address), loupe_object_kind(object),
                    object->cls, &seed);
}

/* What is known of the class of a node that is expanded. */
static struct loupe_walk_class *class_of(struct loupe_walk *walk, const struct loupe_node *node,
                                         const struct loupe_class *cls) {
    struct loupe_walk_class *known = loupe_walk_class(walk, cls);
    if (known && !known->cls) {
        known->cls = cls;
        known->sources = loupe_walk_sources(walk, loupe_node_kind(node), cls);
    }
    return known;
}

/*
 * A walk over a large heap waits for memory: for objects, for what they refer to, for the index of
 * nodes and the nodes that it names. The nodes that are expanded next are known, so what they will
 * need is fetched ahead, in three steps, each of which needs what the one before has fetched.
 */
enum { BYTES_AHEAD = 16, TARGETS_AHEAD = 9, NODES_AHEAD = 4, SLOTS_AHEAD = 8 };

/* Nodes of a graph that the processor's caches hold. */
enum { SMALL_GRAPH = 1 << 14, MIDDLING_GRAPH = 1 << 18 };

static void prefetch_bytes(const struct loupe_walk *walk, const struct loupe_node *node) {
    const uint8_t *bytes = loupe_memory_peek(walk->target->memory, node->address, 8);
    if (bytes)
        loupe_prefetch(bytes);
}

/* The slots of a node that is expanded soon; NULL when they are not simply known. */
static const uint8_t *slots_ahead(const struct loupe_walk *walk, const struct loupe_node *node,
                                  const struct loupe_shape **shape_ret) {
    if (loupe_node_kind(node) != LOUPE_NODE_OBJECT || loupe_node_class(node) >= walk->classes.count)
        return NULL;
    const struct loupe_walk_class *known =
        loupe_vector_at(&walk->classes, loupe_node_class(node), sizeof(struct loupe_walk_class));
    *shape_ret = known->shape;
    return known->shape
               ? loupe_memory_peek(walk->target->memory, node->address, known->shape->extent)
               : NULL;
}

static void prefetch_targets(const struct loupe_walk *walk, const struct loupe_graph *graph,
                             const struct loupe_node *node) {
    const struct loupe_memory *memory = walk->target->memory;
    const struct loupe_shape *shape;
    const uint8_t *bytes = slots_ahead(walk, node, &shape);
    for (uint32_t i = 0; bytes && i < shape->slot_count && i < SLOTS_AHEAD; i++) {
        uint64_t word =
            loupe_load_word(memory->machine.pointer_size, bytes + shape->slots[i].offset);
        const uint8_t *object = word ? loupe_memory_peek(memory, word, 8) : NULL;
        if (object) {
            loupe_prefetch(object);
            loupe_graph_prefetch(graph, word);
        }
    }
}

static void prefetch_nodes(const struct loupe_walk *walk, const struct loupe_graph *graph,
                           const struct loupe_node *node) {
    const struct loupe_shape *shape;
    const uint8_t *bytes = slots_ahead(walk, node, &shape);
    for (uint32_t i = 0; bytes && i < shape->slot_count && i < SLOTS_AHEAD; i++) {
        uint64_t word = loupe_load_word(walk->target->memory->machine.pointer_size,
                                        bytes + shape->slots[i].offset);
        if (word)
            loupe_graph_prefetch_node(graph, word);
    }
}

static void look_ahead(const struct loupe_walk *walk, const struct loupe_graph *graph,
                       uint32_t node) {
    uint32_t count = loupe_graph_node_count(graph), left = count - node;
    if (count < SMALL_GRAPH)
        return;
    if (left > BYTES_AHEAD)
        prefetch_bytes(walk, loupe_graph_node(graph, node + BYTES_AHEAD));
    if (left > TARGETS_AHEAD)
        prefetch_targets(walk, graph, loupe_graph_node(graph, node + TARGETS_AHEAD));
    if (left > NODES_AHEAD && count > MIDDLING_GRAPH)
        prefetch_nodes(walk, graph, loupe_graph_node(graph, node + NODES_AHEAD));
}

static enum loupe_status expand(void *ctx, struct loupe_graph *graph, uint32_t node_id) {
    struct loupe_walk *walk = ctx;
    const struct loupe_node *node = loupe_graph_node(graph, node_id);
    const struct loupe_class *cls = loupe_walk_node_class(walk, node);
    const struct loupe_walk_class *known = cls ? class_of(walk, node, cls) : NULL;
    if (cls && !known)
        return LOUPE_ENOMEM;
    walk->graph = graph;
    look_ahead(walk, graph, node_id);
    uint32_t sources = cls ? known->sources : loupe_walk_sources(walk, LOUPE_NODE_BYREF, NULL);
    enum loupe_status status = LOUPE_OK;
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
