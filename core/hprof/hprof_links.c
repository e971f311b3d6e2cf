/* The second pass over the heap segments: which object holds which. And the same for one object,
 * when somebody asks later how a link is called or what an object contains. */
#include "hprof/hprof_heap.h"

#include "snapshot/values/values.h"

/* ---- The references of one object ---- */

/* A reference: to an id, or where id is 0 to a node. */
struct reference {
    uint64_t id;
    uint32_t node, slot;
    uint8_t kind; /* enum loupe_link_kind */
};

/* Takes a reference; false: enough. Called by what is inlined into each of its callers. */
typedef bool take_reference(void *ctx, const struct reference *reference);

#define INLINED static inline __attribute__((always_inline))

INLINED bool take_id(take_reference *take, void *ctx, uint64_t id, uint32_t slot, uint8_t kind) {
    struct reference reference = {.id = id, .slot = slot, .kind = kind};
    return !id || take(ctx, &reference);
}

INLINED bool take_class_link(const struct hprof_heap *heap, uint32_t class_number,
                             take_reference *take, void *ctx) {
    uint32_t node =
        class_number == LOUPE_NONE ? LOUPE_NO_NODE : hprof_entry_at(heap, class_number)->node;
    struct reference reference = {.node = node, .slot = LOUPE_SLOT_CLASS, .kind = LOUPE_LINK_CLASS};
    return node == LOUPE_NO_NODE || take(ctx, &reference);
}

INLINED bool each_of_instance(const struct hprof_heap *heap, const struct hprof_object *record,
                              const struct hprof_class *class_at, take_reference *take, void *ctx) {
    uint32_t id_size = heap->header.id_size;
    const struct hprof_reference *references =
        (const struct hprof_reference *)heap->references.items + class_at->first_reference;
    for (uint32_t i = 0; i < class_at->reference_count; i++) {
        if ((uint64_t)references[i].offset + id_size > record->body_length)
            break;
        if (!take_id(take, ctx, hprof_id(record->body + references[i].offset, id_size), i,
                     references[i].kind))
            return false;
    }
    return true;
}

INLINED bool each_of_array(const struct hprof_heap *heap, const struct hprof_object *record,
                           take_reference *take, void *ctx) {
    uint32_t id_size = heap->header.id_size;
    for (uint32_t i = 0; i < record->count; i++) {
        if (!take_id(take, ctx, hprof_id(record->body + (size_t)i * id_size, id_size), i,
                     LOUPE_LINK_STRONG))
            return false;
    }
    return true;
}

/* Values that each follow prefix bytes and a type, from their count on. */
static bool each_value(const struct hprof_heap *heap, const uint8_t *at, uint32_t prefix,
                       uint32_t first_slot, take_reference *take, void *ctx) {
    uint32_t id_size = heap->header.id_size, count = hprof_u2(at);
    at += 2;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t type = at[prefix];
        at += prefix + 1;
        if (type == LOUPE_VALUE_OBJECT &&
            !take_id(take, ctx, hprof_id(at, id_size), first_slot + i, LOUPE_LINK_STRONG))
            return false;
        at += hprof_value_size(type, id_size);
    }
    return true;
}

static bool each_of_class(const struct hprof_heap *heap, const struct hprof_object *record,
                          take_reference *take, void *ctx) {
    uint32_t size = heap->header.id_size;
    const uint8_t *ids = record->body + size + 4; /* superclass, loader, signers, domain */
    return take_id(take, ctx, hprof_id(ids, size), LOUPE_SLOT_SUPERCLASS, LOUPE_LINK_SUPERCLASS) &&
           take_id(take, ctx, hprof_id(ids + size, size), LOUPE_SLOT_LOADER, LOUPE_LINK_LOADER) &&
           take_id(take, ctx, hprof_id(ids + 2 * size, size), LOUPE_SLOT_SIGNERS,
                   LOUPE_LINK_DOMAIN) &&
           take_id(take, ctx, hprof_id(ids + 3 * size, size), LOUPE_SLOT_DOMAIN,
                   LOUPE_LINK_DOMAIN) &&
           (heap->options.without_constants ||
            each_value(heap, hprof_class_constants(record->body, size), 2, LOUPE_SLOT_CONSTANT,
                       take, ctx)) &&
           each_value(heap, hprof_class_statics(record->body, size), size, 0, take, ctx);
}

/* All references of an object in a fixed order; its class comes last. */
INLINED void each_reference(const struct hprof_heap *heap, const struct hprof_object *record,
                            uint32_t class_number, take_reference *take, void *ctx) {
    bool more = true;
    if (record->tag == HPROF_INSTANCE)
        more = each_of_instance(heap, record, hprof_class_at(heap, class_number), take, ctx);
    else if (record->tag == HPROF_OBJECT_ARRAY)
        more = each_of_array(heap, record, take, ctx);
    else if (record->tag == HPROF_CLASS)
        more = each_of_class(heap, record, take, ctx);
    bool is_array = record->tag != HPROF_INSTANCE && record->tag != HPROF_CLASS;
    if (more && !(is_array && heap->options.arrays_without_classes))
        take_class_link(heap, class_number, take, ctx);
}

/* ---- The pass ---- */

enum { BATCH = 256 };

/*
 * References wait here for their turn, so that the cache lines that finding their nodes needs are
 * fetched for many of them at a time.
 */
struct batch {
    struct hprof_heap *heap;
    uint32_t node;   /* whose references come */
    uint32_t closed; /* nodes before this one have their first link */
    uint32_t count;
    uint64_t ids[BATCH];
    uint32_t nodes[BATCH], targets[BATCH]; /* holder; target, where it has no id */
    uint8_t kinds[BATCH];
};

static void find_targets(struct batch *batch) {
    const struct loupe_id_index *index = &batch->heap->index;
    const struct loupe_id_page *pages[BATCH];
    uint32_t ranks[BATCH];
    for (uint32_t i = 0; i < batch->count; i++) {
        pages[i] = batch->ids[i] ? loupe_id_page_of(index, batch->ids[i]) : NULL;
        if (!pages[i])
            continue;
        uint64_t word = batch->ids[i] >> (index->shift + 6) & (LOUPE_ID_PAGE_WORDS - 1);
        loupe_prefetch(&pages[i]->words[word]);
        loupe_prefetch(&pages[i]->before[word]);
        loupe_prefetch(&pages[i]->first);
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        ranks[i] = pages[i] ? loupe_id_rank(index, pages[i], batch->ids[i]) : UINT32_MAX;
        if (ranks[i] != UINT32_MAX && pages[i]->listed != UINT32_MAX)
            loupe_prefetch(&index->order[pages[i]->listed + ranks[i]]);
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        if (batch->ids[i])
            batch->targets[i] =
                ranks[i] == UINT32_MAX ? LOUPE_NO_NODE : loupe_id_node(index, pages[i], ranks[i]);
    }
}

static void search_targets(struct batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        if (batch->ids[i] &&
            !loupe_id_index_search(&batch->heap->index, batch->ids[i], &batch->targets[i]))
            batch->targets[i] = LOUPE_NO_NODE;
    }
}

/* The links of all nodes up to this one begin where those that are there end. */
static void close_to(struct batch *batch, uint32_t node) {
    while (batch->closed <= node)
        batch->heap->first[batch->closed++] = batch->heap->links;
}

static void flush(struct batch *batch) {
    struct hprof_heap *heap = batch->heap;
    if (heap->index.pages)
        find_targets(batch);
    else
        search_targets(batch);
    for (uint32_t i = 0; i < batch->count; i++) {
        close_to(batch, batch->nodes[i]);
        if (batch->targets[i] == LOUPE_NO_NODE) {
            hprof_note(heap, LOUPE_NOTE_ABSENT_REFERENCE, batch->ids[i]);
            continue;
        }
        if (heap->links == heap->link_room) {
            hprof_note(heap, LOUPE_NOTE_LIMIT, batch->ids[i]);
            continue;
        }
        heap->to[heap->links] = batch->targets[i];
        heap->kinds[heap->links++] = batch->kinds[i];
    }
    batch->count = 0;
}

static bool add_to_batch(void *ctx, const struct reference *reference) {
    struct batch *batch = ctx;
    if (batch->count == BATCH)
        flush(batch);
    uint32_t i = batch->count++;
    batch->ids[i] = reference->id;
    batch->nodes[i] = batch->node;
    batch->targets[i] = reference->node;
    batch->kinds[i] = reference->kind;
    return true;
}

/* ---- Which node a record is ---- */

static bool makes_a_node(const struct hprof_heap *heap, const struct hprof_object *record) {
    uint32_t class_number;
    switch (record->tag) {
    case HPROF_INSTANCE:
    case HPROF_OBJECT_ARRAY:
    case HPROF_PRIMITIVE_ARRAY:
    case HPROF_ARRAY_WITHOUT_DATA:
        return true;
    case HPROF_CLASS: /* only the first record of it */
        return loupe_map_find(&heap->class_by_id, record->id, &class_number) &&
               hprof_class_at(heap, class_number)->dump == (uint64_t)(record->body - heap->bytes);
    default:
        return false;
    }
}

/* Whether the record is that of node `next`, the first that none was seen of yet. */
static bool is_next(const struct hprof_heap *heap, const struct hprof_object *record,
                    uint32_t next) {
    uint32_t node;
    if (next == heap->nodes || !makes_a_node(heap, record))
        return false;
    return !heap->closed_up ||
           (loupe_id_index_find(&heap->index, record->id, &node) && node == next);
}

static void note_instance(struct hprof_heap *heap, const struct hprof_object *record,
                          uint32_t class_number) {
    const struct hprof_class *class_at = hprof_class_at(heap, class_number);
    if (!class_at->dump && record->body_length)
        hprof_note(heap, LOUPE_NOTE_NO_CLASS, record->id);
    else if (record->body_length < class_at->instance_bytes)
        hprof_note(heap, LOUPE_NOTE_SHORT_INSTANCE, record->id);
}

/* The size that an instance says, in place of the length of its record. */
static void take_said_size(struct hprof_heap *heap, const struct hprof_object *record,
                           uint32_t node, uint32_t class_number) {
    uint32_t at = hprof_class_at(heap, class_number)->size_at;
    if (at == LOUPE_NONE || (uint64_t)at + 8 > record->body_length)
        return;
    uint64_t size = hprof_u8(record->body + at);
    heap->sizes[node] = size < LOUPE_LARGE_SIZE ? (uint32_t)size : LOUPE_LARGE_SIZE - 1;
}

/* What a thread owns on its stack stands behind the references of its object. */
static void add_locals(struct batch *batch, uint64_t id) {
    const struct hprof_heap *heap = batch->heap;
    const struct hprof_root *roots = heap->roots.items;
    uint32_t number;
    if (!loupe_map_find(&heap->thread_by_object, id, &number))
        return;
    const struct hprof_thread *thread = (const struct hprof_thread *)heap->threads.items + number;
    for (uint32_t i = thread->first_local; i != LOUPE_NONE; i = roots[i].next_local) {
        if (roots[i].id)
            add_to_batch(batch, &(struct reference){.id = roots[i].id, .slot = LOUPE_SLOT_LOCAL});
    }
}

static void link_segment(struct batch *batch, const struct hprof_segment *segment) {
    struct hprof_heap *heap = batch->heap;
    const uint8_t *at = heap->bytes + segment->start, *end = heap->bytes + segment->end;
    const uint8_t *start = at, *told = at;
    uint64_t records = 0;
    struct hprof_object record;
    while (!heap->status &&
           hprof_next_object(&at, end, heap->header.id_size, &record) == HPROF_STEP_OBJECT) {
        uint32_t node = batch->node + 1; /* wraps for the first */
        if (is_next(heap, &record, node)) {
            uint32_t class_number = heap->node_classes[node];
            batch->node = node;
            if (!(node & ((1u << HPROF_STEP_SHIFT) - 1)))
                heap->positions[node >> HPROF_STEP_SHIFT] = (uint64_t)(start - heap->bytes);
            if (record.tag == HPROF_INSTANCE) {
                note_instance(heap, &record, class_number);
                take_said_size(heap, &record, node, class_number);
            }
            each_reference(heap, &record, class_number, add_to_batch, batch);
            if (heap->options.roots_of_mat)
                add_locals(batch, record.id);
        }
        start = at;
        hprof_progress_at(heap, records++, &told, at);
    }
    hprof_progress(heap, (uint64_t)(end - told));
}

/* ---- Room for links ---- */

static void get_links(struct hprof_heap *heap) {
    uint64_t most = heap->reference_room + heap->nodes; /* each leads to its class */
    size_t positions = hprof_positions_size(heap);
    heap->link_room = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX - 1;
    heap->to = loupe_numbers_get(heap->chunks, heap->link_room);
    heap->kinds = loupe_chunk_get(heap->chunks, heap->link_room + (size_t)1);
    heap->positions = loupe_chunk_get(heap->chunks, positions);
    if (!heap->to || !heap->kinds || !heap->positions)
        heap->status = LOUPE_ENOMEM;
    else
        memset(heap->positions, 0, positions);
}

/* As fit_columns() in hprof_objects.c. */
static void fit_links(struct hprof_heap *heap) {
    uint32_t room = heap->link_room, *to = loupe_numbers_get(heap->chunks, heap->links);
    uint8_t *kinds = loupe_chunk_get(heap->chunks, heap->links + (size_t)1);
    if (!to || !kinds) {
        heap->status = LOUPE_ENOMEM;
        loupe_chunk_put(heap->chunks, kinds, heap->links + (size_t)1);
        if (to)
            loupe_numbers_put(heap->chunks, &to, heap->links);
        return;
    }
    memcpy(to, heap->to, heap->links * sizeof(*to));
    memcpy(kinds, heap->kinds, heap->links);
    loupe_numbers_put(heap->chunks, &heap->to, room);
    loupe_chunk_put(heap->chunks, heap->kinds, room + (size_t)1);
    heap->to = to;
    heap->kinds = kinds;
    heap->link_room = heap->links;
}

void hprof_make_links(struct hprof_heap *heap) {
    const struct hprof_segment *segments = heap->segments.items;
    struct batch batch = {.heap = heap, .node = UINT32_MAX};
    if (!heap->status && heap->options.roots_of_mat && !hprof_chain_locals(heap))
        heap->status = LOUPE_ENOMEM;
    if (!heap->status)
        get_links(heap);
    for (uint32_t i = 0; i < heap->segments.count && !heap->status; i++) {
        if (segments[i].dump == heap->dump)
            link_segment(&batch, &segments[i]);
    }
    if (heap->status)
        return;
    flush(&batch);
    close_to(&batch, heap->nodes);
    fit_links(heap);
}

/* ---- One object again ---- */

/*
 * The record of a node: from the last one before it whose position was kept, or from where the last
 * search ended, so that asking for one node after the other is one pass.
 */
static bool find_record(struct hprof_heap *heap, uint32_t node, struct hprof_object *ret) {
    const struct hprof_segment *segments = heap->segments.items;
    uint64_t position = heap->positions[node >> HPROF_STEP_SHIFT];
    uint32_t next = node & ~((1u << HPROF_STEP_SHIFT) - 1), low = 0, high = heap->segments.count;
    if (heap->last_position && heap->last_found >= next && heap->last_found <= node) {
        next = heap->last_found;
        position = heap->last_position;
    }
    while (low + 1 < high) { /* the last segment that begins at or before it */
        uint32_t middle = low + (high - low) / 2;
        if (segments[middle].start <= position)
            low = middle;
        else
            high = middle;
    }
    for (const uint8_t *at = heap->bytes + position; low < heap->segments.count; low++) {
        if (segments[low].dump != heap->dump)
            continue;
        if (at < heap->bytes + segments[low].start)
            at = heap->bytes + segments[low].start;
        const uint8_t *end = heap->bytes + segments[low].end, *start = at;
        for (; hprof_next_object(&at, end, heap->header.id_size, ret) == HPROF_STEP_OBJECT;
             start = at) {
            if (!is_next(heap, ret, next))
                continue;
            if (next == node) {
                heap->last_found = node;
                heap->last_position = (uint64_t)(start - heap->bytes);
                return true;
            }
            next++;
        }
    }
    return false;
}

struct slots {
    const struct hprof_heap *heap;
    uint32_t skip, left;
    uint32_t *next;
};

static bool add_slot(void *ctx, const struct reference *reference) {
    struct slots *slots = ctx;
    uint32_t node;
    if (reference->id && !loupe_id_index_find(&slots->heap->index, reference->id, &node))
        return true;
    if (slots->skip) {
        slots->skip--;
        return true;
    }
    *slots->next++ = reference->slot;
    return --slots->left > 0;
}

bool hprof_slots(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node, uint32_t first,
                 uint32_t count, uint32_t *ret) {
    struct hprof_heap *heap = ctx;
    struct hprof_object record;
    struct slots slots = {.heap = heap, .skip = first, .left = count, .next = ret};
    if (!count)
        return true;
    if (!find_record(heap, node, &record))
        return false;
    each_reference(heap, &record, snapshot->classes[node], add_slot, &slots);
    for (; heap->options.roots_of_mat && slots.left; slots.left--)
        *slots.next++ = LOUPE_SLOT_LOCAL;
    return slots.left == 0;
}

bool hprof_contents(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                    const uint8_t **ret, uint64_t *len_ret) {
    struct hprof_heap *heap = ctx;
    struct hprof_object record;
    (void)snapshot;
    if (!find_record(heap, node, &record) || record.tag == HPROF_CLASS ||
        record.tag == HPROF_ARRAY_WITHOUT_DATA)
        return false;
    *ret = record.body;
    *len_ret = record.body_length;
    return true;
}

bool hprof_static_value(void *ctx, const struct loupe_snapshot *snapshot, uint32_t class_number,
                        uint32_t field, struct loupe_value *ret) {
    struct hprof_heap *heap = ctx;
    uint32_t id_size = heap->header.id_size, at_field = 0;
    if (class_number >= snapshot->class_count || !hprof_class_at(heap, class_number)->dump ||
        field >= snapshot->class_table[class_number].static_fields)
        return false;
    const uint8_t *record = heap->bytes + hprof_class_at(heap, class_number)->dump;
    const uint8_t *at = hprof_class_statics(record, id_size) + 2;
    if (heap->last_static.at && heap->last_static.class_number == class_number &&
        heap->last_static.field <= field) {
        at = heap->last_static.at;
        at_field = heap->last_static.field;
    }
    for (; at_field < field; at_field++)
        at += id_size + 1 + hprof_value_size(at[id_size], id_size);
    heap->last_static.at = at;
    heap->last_static.class_number = class_number;
    heap->last_static.field = field;
    *ret = loupe_value_decode(at[id_size], id_size, at + id_size + 1);
    return true;
}
