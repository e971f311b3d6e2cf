/* What the host found where the runtime describes nothing (facts.h). */
#include "edges/kinds/capture_shape.h"
#include "edges/facts.h"

static bool applies(struct loupe_walk *walk, const struct loupe_class *cls) {
    (void)cls;
    return walk->facts->references.count != 0;
}

/* ---- Ownership ---- */

enum reason { KNOWN, WEAKNESS_UNKNOWN, MAYBE_UNRETAINED, MANUAL };

/* False: it is a weak reference. */
static bool judge(struct loupe_walk *walk, const struct loupe_fact *fact, enum reason *ret) {
    const struct loupe_abi *abi = walk->target->abi;
    *ret = fact->ownership == LOUPE_FACT_MANUAL ? MANUAL : KNOWN;
    if (fact->ownership != LOUPE_FACT_MEMBER && fact->ownership != LOUPE_FACT_UNCLEAR)
        return true;
    enum loupe_weakness weakness =
        abi->weakness ? abi->weakness(walk->target, fact->word, fact->slot) : LOUPE_WEAK_UNKNOWN;
    if (weakness == LOUPE_WEAK_UNKNOWN)
        *ret = WEAKNESS_UNKNOWN;
    else if (fact->ownership == LOUPE_FACT_UNCLEAR)
        *ret = MAYBE_UNRETAINED;
    return weakness != LOUPE_WEAK;
}

/* ---- Edges ---- */

/* The shape of the node that is expanded; NULL: it has none. */
static const struct loupe_shape *shape_of(struct loupe_walk *walk, loupe_addr address,
                                          const struct loupe_class *cls) {
    const struct loupe_walk_class *known;
    const struct loupe_shape *shape;
    switch (loupe_node_kind(loupe_walk_node(walk, walk->node))) {
    case LOUPE_NODE_BYREF:
        return loupe_byref_shape(walk, address);
    case LOUPE_NODE_BLOCK:
        return loupe_block_shape(walk, address, &shape) ? NULL : shape;
    default:
        break;
    }
    known = loupe_walk_class(walk, cls);
    return known ? known->shape : NULL;
}

/* The slot of the same word, if the layout calls it strong; else NULL. */
static const struct loupe_edge *strong_slot(const struct loupe_shape *shape,
                                            const struct loupe_fact *fact) {
    for (uint32_t i = 0; shape && fact->has_offset && i < shape->slot_count; i++) {
        const struct loupe_edge *slot = &shape->slots[i];
        if (slot->offset == fact->offset && slot->ownership == LOUPE_STRONG)
            return slot;
    }
    return NULL;
}

/*
 * A word outside of its source that another source led to, too: both own what has the word, not the
 * object.
 */
static enum loupe_status note_slot(struct loupe_walk *walk, const struct loupe_fact *fact,
                                   bool *is_shared_ret) {
    uint32_t ignored;
    *is_shared_ret =
        !fact->has_offset && fact->slot && loupe_map_find(&walk->fact_slots, fact->slot, &ignored);
    if (fact->has_offset || !fact->slot || *is_shared_ret)
        return LOUPE_OK;
    return loupe_map_put(&walk->fact_slots, fact->slot, 0);
}

/* The detail of an edge is the number of the reference, its reason above it. */
enum { REASON_SHIFT = 28 };
_Static_assert(LOUPE_MAX_ARGUMENTS <= 1 << REASON_SHIFT, "numbers leave room for the reason");

static enum loupe_status emit_fact(struct loupe_walk *walk, loupe_addr address,
                                   const struct loupe_shape *shape, uint32_t number) {
    const struct loupe_fact *fact = &loupe_facts_at(walk->facts, number)->fact;
    const struct loupe_edge *slot = strong_slot(shape, fact);
    enum reason reason;
    bool is_shared;
    if (!fact->word || loupe_is_tagged(walk->target, fact->word) ||
        (slot && !loupe_shape_is_superseded(walk, shape, address, slot)) ||
        !judge(walk, fact, &reason))
        return LOUPE_OK;
    if (slot)
        reason = KNOWN;
    enum loupe_status status = note_slot(walk, fact, &is_shared);
    if (status)
        return status;
    struct loupe_reference reference = {.word = fact->word,
                                        .slot = fact->slot ? fact->slot : address,
                                        .offset = fact->offset,
                                        .detail = (uint32_t)reason << REASON_SHIFT | number,
                                        .kind = (enum loupe_edge_kind)fact->kind,
                                        .ownership = reason == KNOWN ? LOUPE_STRONG : LOUPE_ASSUMED,
                                        .shared = is_shared};
    return loupe_walk_add(walk, &reference);
}

static enum loupe_status emit(struct loupe_walk *walk, loupe_addr address,
                              const struct loupe_class *cls) {
    uint32_t first = loupe_facts_first(walk->facts, address);
    const struct loupe_shape *shape = first == LOUPE_NO_FACT ? NULL : shape_of(walk, address, cls);
    enum loupe_status status = LOUPE_OK;
    for (uint32_t number = first; number != LOUPE_NO_FACT && !status;
         number = loupe_facts_at(walk->facts, number)->next)
        status = emit_fact(walk, address, shape, number);
    return status;
}

enum loupe_status loupe_fact_follow(struct loupe_walk *walk, loupe_addr address,
                                    const struct loupe_class *cls, uint32_t number) {
    return emit_fact(walk, address, shape_of(walk, address, cls), number);
}

/* ---- Names ---- */

static const struct loupe_fact *fact_of(struct loupe_walk *walk, const struct loupe_edge *edge) {
    return &loupe_facts_at(walk->facts, edge->detail & ((1u << REASON_SHIFT) - 1))->fact;
}

static void label(struct loupe_walk *walk, loupe_addr from, const struct loupe_class *cls,
                  const struct loupe_edge *edge, struct loupe_edge_label *ret) {
    const struct loupe_fact *fact = fact_of(walk, edge);
    int name_length = 0;
    (void)from;
    (void)cls;
    while (fact->path[name_length] && !memchr(".[-+", fact->path[name_length], 4))
        name_length++;
    loupe_format(ret->path, sizeof(ret->path), "%s", fact->path);
    loupe_format(ret->name, sizeof(ret->name), "%.*s", name_length, fact->path);
    ret->has_offset = fact->has_offset;
    ret->offset = fact->offset;
    ret->slot = fact->slot;
    ret->evidence = fact->evidence;
    ret->manual = edge->detail >> REASON_SHIFT == MANUAL;
}

static const char *assumption(const struct loupe_edge *edge) {
    switch ((enum reason)(edge->detail >> REASON_SHIFT)) {
    case WEAKNESS_UNKNOWN:
        return "a member of a C++ object, and nothing tells whether it is weak";
    case MAYBE_UNRETAINED:
        return "a member of a C++ object, and nothing tells whether it is unretained";
    case MANUAL:
        return "manual retain/release: the C++ member may be owned";
    case KNOWN:
        break;
    }
    return NULL;
}

const struct loupe_edge_source loupe_edges_facts = {
    .applies = applies,
    .kinds = 1 << LOUPE_NODE_OBJECT | 1 << LOUPE_NODE_BLOCK | 1 << LOUPE_NODE_BYREF |
             1 << LOUPE_NODE_CLASS,
    .emit = emit,
    .label = label,
    .assumption = assumption};
