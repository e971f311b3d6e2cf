/*
 * The walk itself: what the edge sources found becomes nodes and edges. Everything that is done for
 * each reference stands in this file, because it is done millions of times.
 */
#include "blocks/byref.h"
#include "edges/edges.h"
#include "runtime/freed.h"
#include "edges/plain_pointer.h"

/* ---- Targets of references ---- */

static inline enum loupe_status add_edge(struct loupe_walk *walk, struct loupe_edge *edge,
                                         uint32_t to) {
    edge->to = to;
    enum loupe_status status = loupe_graph_add_edge(walk->graph, edge);
    return status == LOUPE_ELIMIT ? LOUPE_OK : status;
}

/* The slot was not known to be weak, but it holds a weak record. */
static bool is_weak_after_all(struct loupe_walk *walk, const struct loupe_found *found) {
    const struct loupe_abi *abi = walk->target->abi;
    return found->edge.ownership != LOUPE_STRONG && abi->is_weak_record &&
           abi->is_weak_record(walk->target, found->word);
}

void loupe_walk_keep_freed(struct loupe_walk *walk, uint32_t from, uint64_t word,
                           const struct loupe_edge *edge) {
    struct loupe_freed freed;
    if (!loupe_freed_at(walk->target, word, &freed) || !freed.certain)
        return;
    if (walk->freed.count == LOUPE_MAX_FREED_SLOTS) {
        walk->freed.left_out++;
        return;
    }
    walk->freed.items[walk->freed.count++] =
        (struct loupe_nonowning_ref){.target = word, .from = from, .edge = *edge};
}

/*
 * What the word leads to is no object. A failure of ours ends the walk, the rest is counted. A slot
 * that the runtime is working on holds a sentinel, which leads nowhere by design.
 */
static enum loupe_status refuse(struct loupe_walk *walk, const struct loupe_found *found,
                                enum loupe_status status) {
    struct loupe_target *target = walk->target;
    uint64_t word = found->word;
    if (is_weak_after_all(walk, found))
        return LOUPE_OK;
    if (status == LOUPE_ENOTOBJECT ||
        (target->abi->is_in_flux && target->abi->is_in_flux(target, word)))
        loupe_findings_add(&target->findings, LOUPE_FINDING_NOT_AN_OBJECT, found->slot);
    else if (status == LOUPE_EFAULT)
        loupe_findings_add(&target->findings, LOUPE_FINDING_UNREADABLE, word);
    else
        return status;
    if (status == LOUPE_ENOTOBJECT)
        loupe_walk_keep_freed(walk, found->from, found->word, &found->edge);
    return LOUPE_OK;
}

/* The place where an isa is remembered. */
static inline struct loupe_known_isa *place_of_isa(struct loupe_walk *walk, uint64_t isa) {
    return &walk->isas[loupe_hash(isa) % LOUPE_KNOWN_ISAS];
}

/* Those that share a place with others are in the map of all. */
static bool find_isa_of_many(struct loupe_walk *walk, uint64_t isa, uint32_t *ret) {
    if (!isa || !loupe_map_find(&walk->tag_of_isa, isa, ret))
        return false;
    *place_of_isa(walk, isa) = (struct loupe_known_isa){.isa = isa, .tag = *ret};
    return true;
}

/* As many as fit; without memory, too, the rest is looked at each time. */
static void remember_isa(struct loupe_walk *walk, uint64_t isa, uint32_t tag) {
    enum { MOST_ISAS = 1 << 16 };
    *place_of_isa(walk, isa) = (struct loupe_known_isa){.isa = isa, .tag = tag};
    if (isa && walk->tag_of_isa.count < MOST_ISAS)
        loupe_map_put(&walk->tag_of_isa, isa, tag);
}

/* What the node of the object at an address is tagged with; from the isa alone where that was met
 * before, which it mostly was: the class stands far from the object. */
static inline enum loupe_status tag_of(struct loupe_walk *walk, loupe_addr address, uint32_t *ret) {
    struct loupe_memory *memory = walk->target->memory;
    uint64_t isa;
    if (memory->machine.pointer_size == sizeof(isa) && address % sizeof(isa) == 0 &&
        !loupe_memory_read_word(memory, address, &isa)) {
        const struct loupe_known_isa *known = place_of_isa(walk, isa);
        if (known->isa == isa && isa) {
            *ret = known->tag;
            return LOUPE_OK;
        }
        if (find_isa_of_many(walk, isa, ret))
            return LOUPE_OK;
    }
    struct loupe_object object;
    enum loupe_status status = loupe_object_at(walk->target, address, &object, NULL);
    if (status)
        return status;
    *ret = loupe_node_tag(loupe_object_kind(&object), object.cls->number);
    remember_isa(walk, object.isa, *ret);
    return LOUPE_OK;
}

/* Adds the edge to the object that a word leads to, and that object where it is new. */
static inline enum loupe_status add_object(struct loupe_walk *walk, struct loupe_found *found) {
    if (found->guess != LOUPE_NO_NODE &&
        loupe_graph_address(walk->graph, found->guess) == found->word)
        return add_edge(walk, &found->edge, found->guess);
    uint64_t hash = loupe_hash(found->word);
    uint32_t to, tag;
    if (loupe_graph_find_hashed(walk->graph, found->word, hash, &to))
        return add_edge(walk, &found->edge, to);
    enum loupe_status status = tag_of(walk, found->word, &tag);
    if (status)
        return refuse(walk, found, status);
    status = loupe_graph_add_node_hashed(walk->graph, found->word, hash, tag, &to);
    if (status)
        return status == LOUPE_ELIMIT ? LOUPE_OK : status;
    return add_edge(walk, &found->edge, to);
}

/*
 * A byref is a node where its variable lives now: blocks that share a variable then share the node,
 * also when one of them captured it before it moved to the heap.
 */
static enum loupe_status add_byref(struct loupe_walk *walk, struct loupe_found *found) {
    struct loupe_target *target = walk->target;
    struct loupe_byref byref;
    uint32_t to;
    enum loupe_status status = loupe_byref_read_header(
        target->memory, found->word, target->abi->block_traits(target), &byref, NULL);
    if (status == LOUPE_ENOTOBJECT || status == LOUPE_EFAULT) {
        loupe_findings_add(&target->findings, LOUPE_FINDING_BYREF_LAYOUT, found->word);
        return LOUPE_OK;
    }
    if (status)
        return status;
    uint64_t hash = loupe_hash(byref.address);
    if (!loupe_graph_find_hashed(walk->graph, byref.address, hash, &to)) {
        uint32_t tag = loupe_node_tag(LOUPE_NODE_BYREF, 0);
        status = loupe_graph_add_node_hashed(walk->graph, byref.address, hash, tag, &to);
        if (!status)
            status = loupe_map_put(&walk->holders, to, found->from);
        if (status)
            return status == LOUPE_ELIMIT ? LOUPE_OK : status;
    }
    return add_edge(walk, &found->edge, to);
}

/* ---- References that were found ---- */

/*
 * What a reference leads to is far away in memory, and so is its place in the index of nodes. So
 * references are gathered first, those of several nodes, while both are fetched; then they are
 * looked up one by one, in the order in which they were found.
 */
enum { MAX_FOUND = 256 };

/* So many references ahead, the bucket of the index is there and tells which node to fetch. */
enum { GUESSED_AHEAD = 16 };

static void open_up_to(struct loupe_graph *graph, uint32_t node) {
    while (graph->opened <= node)
        loupe_graph_open_next(graph);
}

static inline void guess(struct loupe_walk *walk, uint32_t i) {
    if (i < walk->found_count)
        walk->found[i].guess = loupe_graph_guess(walk->graph, walk->found[i].word);
}

/* Looks up all that was found. After a failure the walk is stuck in the node it happened in. */
static enum loupe_status look_up(struct loupe_walk *walk) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < GUESSED_AHEAD; i++)
        guess(walk, i);
    for (uint32_t i = 0; i < walk->found_count && !status; i++) {
        struct loupe_found *found = &walk->found[i];
        guess(walk, i + GUESSED_AHEAD);
        open_up_to(walk->graph, found->from);
        status =
            found->edge.to == LOUPE_TO_BYREF ? add_byref(walk, found) : add_object(walk, found);
    }
    walk->found_count = 0;
    walk->stuck = status != LOUPE_OK;
    return status;
}

static inline enum loupe_status make_room(struct loupe_walk *walk, uint32_t count) {
    return MAX_FOUND - walk->found_count < count ? look_up(walk) : LOUPE_OK;
}

/* Fetches what the word leads to and its place in the index. */
static inline void fetch(const struct loupe_walk *walk, uint64_t word) {
    const uint8_t *object = loupe_memory_peek(walk->target->memory, word, 8);
    if (object) {
        loupe_prefetch(object);
        loupe_graph_prefetch(walk->graph, word);
    }
}

/* There is room. nil and values are no references. */
static inline void add_found(struct loupe_walk *walk, uint64_t word, loupe_addr slot,
                             const struct loupe_edge *edge) {
    if (!word || loupe_is_tagged(walk->target, word))
        return;
    word = loupe_address_of_word(walk->target, word);
    struct loupe_found *found = &walk->found[walk->found_count++];
    found->word = word;
    found->slot = slot;
    found->from = walk->node;
    found->edge = *edge;
    found->edge.source = walk->source;
    fetch(walk, word);
}

/* nil and values are no references. */
static enum loupe_status hand_over(struct loupe_walk *walk, uint64_t word, loupe_addr slot,
                                   const struct loupe_edge *edge) {
    const struct loupe_reference_taker *taker = walk->taker;
    struct loupe_edge found = *edge;
    found.source = walk->source;
    if (!word)
        return LOUPE_OK;
    if (loupe_is_tagged(walk->target, word))
        return taker->take_value ? taker->take_value(taker->ctx, word, slot, &found) : LOUPE_OK;
    return taker->take(taker->ctx, loupe_address_of_word(walk->target, word), slot, &found);
}

enum loupe_status loupe_walk_add(struct loupe_walk *walk, const struct loupe_reference *reference) {
    struct loupe_edge edge = {.to = LOUPE_TO_OBJECT,
                              .offset = reference->offset,
                              .detail = reference->detail,
                              .kind = (uint8_t)reference->kind,
                              .ownership = (uint8_t)reference->ownership,
                              .shared = reference->shared};
    if (walk->taker)
        return hand_over(walk, reference->word, reference->slot, &edge);
    enum loupe_status status = make_room(walk, 1);
    if (!status)
        add_found(walk, reference->word, reference->slot, &edge);
    return status;
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

/* Of the byref that is expanded: the block that led to it. */
static loupe_addr holder_of_byref(const struct loupe_walk *walk) {
    uint32_t holder = loupe_walk_holder(walk, walk->node);
    return holder == LOUPE_NO_NODE ? 0 : loupe_walk_node(walk, holder).address;
}

static enum loupe_status meet_members(struct loupe_walk *walk, const struct loupe_shape *shape,
                                      loupe_addr address) {
    enum loupe_status status = LOUPE_OK;
    loupe_addr holder = holder_of_byref(walk);
    bool ignored;
    for (uint32_t i = shape->first_member; i < shape->first_member + shape->member_count && !status;
         i++) {
        const struct loupe_unread_member *member = loupe_unread_member(&walk->unread, i);
        if (member->is_pointer && walk->taker)
            continue; /* who has all nodes sees what it leads to */
        if (!member->is_pointer || loupe_pointer_hides(walk, member, address))
            status = loupe_unread_note(&walk->unread, i, address, holder, &walk->target->findings,
                                       &ignored);
    }
    return status;
}

bool loupe_shape_is_superseded(const struct loupe_walk *walk, const struct loupe_shape *shape,
                               loupe_addr address, const struct loupe_edge *slot) {
    bool may_err = slot->ownership == LOUPE_ASSUMED || slot->kind == LOUPE_EDGE_BYREF ||
                   slot->kind == LOUPE_EDGE_CAPTURE;
    return shape->member_count && may_err &&
           loupe_unread_was_read(&walk->unread, shape->first_member, shape->member_count, address,
                                 slot->offset);
}

/* For objects that are long, cannot be had in one piece or have members that the host knows. */
static enum loupe_status follow_one_by_one(struct loupe_walk *walk, const struct loupe_shape *shape,
                                           loupe_addr address) {
    for (uint32_t i = 0; i < shape->slot_count; i++) {
        uint64_t word;
        loupe_addr place = address + shape->slots[i].offset;
        if (loupe_shape_is_superseded(walk, shape, address, &shape->slots[i]))
            continue;
        enum loupe_status status = loupe_memory_read_word(walk->target->memory, place, &word);
        if (status == LOUPE_EFAULT) {
            loupe_findings_add(&walk->target->findings, LOUPE_FINDING_UNREADABLE, place);
            continue;
        }
        if (!status && !walk->taker)
            status = make_room(walk, 1);
        if (!status && walk->taker)
            status = hand_over(walk, word, place, &shape->slots[i]);
        else if (!status)
            add_found(walk, word, place, &shape->slots[i]);
        if (status)
            return status;
    }
    return LOUPE_OK;
}

/* ---- References that own nothing ---- */

enum loupe_status loupe_walk_add_nonowning(struct loupe_walk *walk, uint64_t word, loupe_addr place,
                                           const struct loupe_edge *slot) {
    if (walk->taker)
        return hand_over(walk, word, place, slot);
    if (!word || loupe_is_tagged(walk->target, word))
        return LOUPE_OK;
    if (walk->nonowning.items.count == LOUPE_MAX_NONOWNING) {
        walk->nonowning.left_out++;
        return LOUPE_OK;
    }
    struct loupe_nonowning_ref *nonowning = loupe_vector_add(&walk->nonowning.items);
    if (!nonowning)
        return LOUPE_ENOMEM;
    *nonowning = (struct loupe_nonowning_ref){
        .target = loupe_address_of_word(walk->target, word), .from = walk->node, .edge = *slot};
    nonowning->edge.to = LOUPE_NO_NODE;
    nonowning->edge.source = walk->source;
    return LOUPE_OK;
}

/* What cannot be read is counted with the slots that own something. */
static enum loupe_status keep_nonowning(struct loupe_walk *walk, const struct loupe_shape *shape,
                                        loupe_addr address) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < shape->nonowning_count; i++) {
        loupe_addr place = address + shape->nonowning[i].offset;
        uint64_t word;
        status = loupe_memory_read_word(walk->target->memory, place, &word);
        if (status == LOUPE_EFAULT)
            status = LOUPE_OK;
        else if (!status)
            status = loupe_walk_add_nonowning(walk, word, place, &shape->nonowning[i]);
    }
    return status;
}

/* ---- An object by its shape ---- */

/* There is room for all slots. */
static inline void follow_in_place(struct loupe_walk *walk, const struct loupe_shape *shape,
                                   loupe_addr address, const uint8_t *bytes) {
    uint8_t pointer_size = walk->target->memory->machine.pointer_size;
    for (uint32_t i = 0; i < shape->slot_count; i++) {
        const struct loupe_edge *slot = &shape->slots[i];
        uint64_t word = loupe_load_word(pointer_size, bytes + slot->offset);
        add_found(walk, word, address + slot->offset, slot);
    }
}

enum loupe_status loupe_shape_follow(struct loupe_walk *walk, const struct loupe_shape *shape,
                                     loupe_addr address) {
    uint8_t bounce[INLINE_EXTENT];
    struct loupe_memory *memory = walk->target->memory;
    enum loupe_status status = LOUPE_OK;
    if (shape->findings)
        count_findings(walk, shape, address);
    if (shape->member_count)
        status = meet_members(walk, shape, address);
    if (!status && shape->nonowning_count)
        status = keep_nonowning(walk, shape, address);
    if (status || shape->slot_count == 0)
        return status;
    if (shape->extent > INLINE_EXTENT || shape->slot_count > INLINE_SLOTS ||
        (shape->member_count && walk->facts->read.count) || walk->taker)
        return follow_one_by_one(walk, shape, address);
    status = make_room(walk, shape->slot_count);
    if (status)
        return status;
    const uint8_t *bytes = loupe_memory_view(memory, address, shape->extent, bounce);
    if (!bytes)
        return follow_one_by_one(walk, shape, address);
    follow_in_place(walk, shape, address, bytes);
    return LOUPE_OK;
}

/* ---- The expander ---- */

enum loupe_status loupe_walk_seed(struct loupe_walk *walk, struct loupe_graph *graph,
                                  const struct loupe_object *object) {
    uint32_t seed;
    walk->graph = graph;
    if (!walk->found)
        walk->found =
            loupe_arena_alloc_array(&walk->target->arena, MAX_FOUND, sizeof(*walk->found));
    if (!walk->found)
        return LOUPE_ENOMEM;
    uint32_t tag = loupe_node_tag(loupe_object_kind(object), object->cls->number);
    return loupe_graph_add_node(graph, object->address, tag, &seed);
}

static bool is_new_class(const struct loupe_walk *walk, const struct loupe_class *cls) {
    return cls->number >= walk->classes.count ||
           !((const struct loupe_walk_class *)loupe_vector_at(&walk->classes, cls->number,
                                                              sizeof(struct loupe_walk_class)))
                ->cls;
}

/* What is known of the class of a node that is expanded. */
static struct loupe_walk_class *class_of(struct loupe_walk *walk, struct loupe_node node,
                                         const struct loupe_class *cls) {
    struct loupe_walk_class *known = loupe_walk_class(walk, cls);
    if (known && !known->cls) {
        known->cls = cls;
        known->sources = loupe_walk_sources(walk, loupe_node_kind(node), cls);
        known->is_plain =
            (known->sources & ~(1u << LOUPE_ASSOCIATION_SOURCE)) == 1u << LOUPE_IVAR_SOURCE;
    }
    return known;
}

static enum loupe_status gather_from_sources(struct loupe_walk *walk, struct loupe_node node) {
    const struct loupe_class *cls = loupe_walk_node_class(walk, node);
    /* What it takes to know a class has no bound that a count of objects would tell. */
    if (cls && is_new_class(walk, cls) && loupe_memory_interrupted(walk->target->memory))
        return LOUPE_ETIMEOUT;
    const struct loupe_walk_class *known = cls ? class_of(walk, node, cls) : NULL;
    if (cls && !known)
        return LOUPE_ENOMEM;
    uint32_t sources = cls ? known->sources : loupe_walk_sources(walk, LOUPE_NODE_BYREF, NULL);
    enum loupe_status status = LOUPE_OK;
    for (uint8_t i = 0; sources && !status; i++, sources >>= 1) {
        walk->source = i;
        if (sources & 1)
            status = loupe_edge_sources[i]->emit(walk, node.address, cls);
    }
    return status;
}

/* Of a class that is plain. */
static inline bool may_have_associations(const struct loupe_walk *walk,
                                         struct loupe_walk_class *known, loupe_addr address) {
    const struct loupe_memory *memory = walk->target->memory;
    uint8_t pointer_size = memory->machine.pointer_size;
    if (known->sources == 1u << LOUPE_IVAR_SOURCE)
        return false;
    const uint8_t *bytes = loupe_memory_peek(memory, address, pointer_size);
    return !bytes || !loupe_walk_is_bare(walk, known, loupe_load_word(pointer_size, bytes));
}

/* Most objects have nothing but ivars, of a class that was met before. False: it is not so. */
static inline bool gather_plain(struct loupe_walk *walk, struct loupe_node node) {
    uint32_t number = loupe_node_class(node);
    if (loupe_node_kind(node) != LOUPE_NODE_OBJECT || number >= walk->classes.count)
        return false;
    struct loupe_walk_class *known =
        loupe_vector_at(&walk->classes, number, sizeof(struct loupe_walk_class));
    const struct loupe_shape *shape = known->shape;
    if (!known->is_plain || !shape || shape->findings || shape->member_count ||
        shape->nonowning_count || shape->slot_count > MAX_FOUND - walk->found_count ||
        may_have_associations(walk, known, node.address))
        return false;
    const uint8_t *bytes = loupe_memory_peek(walk->target->memory, node.address, shape->extent);
    if (!bytes)
        return false;
    walk->source = LOUPE_IVAR_SOURCE;
    follow_in_place(walk, shape, node.address, bytes);
    return true;
}

/* Finds the references of one node. */
static enum loupe_status gather(struct loupe_walk *walk, uint32_t node_id) {
    struct loupe_node node = loupe_graph_node(walk->graph, node_id);
    walk->node = node_id;
    return gather_plain(walk, node) ? LOUPE_OK : gather_from_sources(walk, node);
}

/* Nodes that are expanded together. Those that come next are known, so their bytes are fetched. */
enum { NODES_AT_ONCE = 32 };

static void prefetch_objects(const struct loupe_walk *walk, uint32_t first) {
    uint32_t count = loupe_graph_node_count(walk->graph);
    for (uint32_t i = first; i < count && i < first + NODES_AT_ONCE; i++) {
        loupe_addr address = loupe_graph_address(walk->graph, i);
        const uint8_t *bytes = loupe_memory_peek(walk->target->memory, address, 8);
        if (bytes) {
            loupe_prefetch(bytes);
            loupe_prefetch(bytes + 40);
        }
    }
}

static enum loupe_status expand(void *ctx, struct loupe_graph *graph) {
    struct loupe_walk *walk = ctx;
    uint32_t node = graph->opened, end = loupe_graph_node_count(graph);
    if (end - node > NODES_AT_ONCE)
        end = node + NODES_AT_ONCE;
    walk->graph = graph;
    prefetch_objects(walk, end);
    enum loupe_status status = gather(walk, node);
    while (!status && ++node < end)
        status = gather(walk, node);
    if (walk->stuck)
        return status;
    enum loupe_status looked_up = look_up(walk);
    if (looked_up)
        return looked_up;
    open_up_to(graph, status ? node : end - 1);
    return status;
}

struct loupe_expander loupe_walk_expander(struct loupe_walk *walk) {
    return (struct loupe_expander){.ctx = walk, .expand = expand};
}

/* ---- Without a graph ---- */

enum loupe_status loupe_walk_hand_over(struct loupe_walk *walk, uint32_t number) {
    walk->graph = NULL;
    walk->node = number;
    return gather_from_sources(walk, loupe_walk_node(walk, number));
}

/* ---- Going on ---- */

/* Classes that were met before there was a fact: asked once, they have no references of this kind.
 */
static void expect_facts(struct loupe_walk *walk) {
    for (uint32_t i = 0; i < walk->classes.count; i++) {
        struct loupe_walk_class *known =
            loupe_vector_at(&walk->classes, i, sizeof(struct loupe_walk_class));
        known->is_plain = false;
        if (known->cls)
            known->sources |= 1u << LOUPE_FACT_SOURCE;
    }
}

enum loupe_status loupe_walk_follow_facts(struct loupe_walk *walk, struct loupe_graph *graph,
                                          uint32_t first) {
    enum loupe_status status = LOUPE_OK;
    walk->graph = graph;
    walk->stuck = false;
    walk->source = LOUPE_FACT_SOURCE;
    if (!first)
        expect_facts(walk);
    for (uint32_t i = first; !status && i < walk->facts->references.count; i++) {
        loupe_addr address = loupe_facts_at(walk->facts, i)->fact.source;
        if (!loupe_graph_find(graph, address, &walk->node) || walk->node >= graph->opened)
            continue;
        const struct loupe_class *cls =
            loupe_walk_node_class(walk, loupe_graph_node(graph, walk->node));
        status = loupe_fact_follow(walk, address, cls, i);
    }
    return status ? status : look_up(walk);
}
