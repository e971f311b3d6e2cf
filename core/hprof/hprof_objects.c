/* The first pass over the heap segments: which objects there are, classes, roots. */
#include "hprof/hprof_heap.h"

/* The smallest record of an object has an id and so many bytes. */
enum { SMALLEST_OBJECT = 10 };

static uint32_t most_nodes(const struct hprof_heap *heap) {
    uint64_t most = heap->heap_bytes / (heap->header.id_size + SMALLEST_OBJECT) + 1;
    uint32_t limit = heap->options.limit;
    if (limit == 0 || limit > LOUPE_MAX_NODES)
        limit = LOUPE_MAX_NODES;
    return most < limit ? (uint32_t)most : limit;
}

static void get_columns(struct hprof_heap *heap) {
    heap->node_room = most_nodes(heap);
    heap->ids = loupe_chunk_get(heap->chunks, (heap->node_room + (size_t)1) * sizeof(*heap->ids));
    heap->node_classes = loupe_numbers_get(heap->chunks, heap->node_room);
    heap->sizes = loupe_numbers_get(heap->chunks, heap->node_room);
    if (!heap->ids || !heap->node_classes || !heap->sizes)
        heap->status = LOUPE_ENOMEM;
}

/* length: elements of an array, bytes of an instance's fields. */
static inline void add_node(struct hprof_heap *heap, uint64_t id, uint32_t class_number,
                            uint32_t length) {
    if (heap->nodes == heap->node_room) {
        hprof_note(heap, LOUPE_NOTE_LIMIT, id);
        return;
    }
    uint32_t node = heap->nodes++;
    heap->ids[node] = id;
    heap->node_classes[node] = class_number;
    heap->sizes[node] = length;
}

/* ---- Roots ---- */

static uint32_t root_kind(uint8_t tag) {
    switch (tag) {
    case HPROF_ROOT_JNI_GLOBAL:
        return LOUPE_ROOT_JNI_GLOBAL;
    case HPROF_ROOT_JNI_LOCAL:
        return LOUPE_ROOT_JNI_LOCAL;
    case HPROF_ROOT_JAVA_FRAME:
        return LOUPE_ROOT_JAVA_FRAME;
    case HPROF_ROOT_NATIVE_STACK:
        return LOUPE_ROOT_NATIVE_STACK;
    case HPROF_ROOT_STICKY_CLASS:
        return LOUPE_ROOT_STICKY_CLASS;
    case HPROF_ROOT_THREAD_BLOCK:
        return LOUPE_ROOT_THREAD_BLOCK;
    case HPROF_ROOT_MONITOR_USED:
        return LOUPE_ROOT_MONITOR;
    case HPROF_ROOT_THREAD_OBJECT:
        return LOUPE_ROOT_THREAD;
    case HPROF_ROOT_INTERNED_STRING:
        return LOUPE_ROOT_INTERNED_STRING;
    case HPROF_ROOT_FINALIZING:
        return LOUPE_ROOT_FINALIZING;
    case HPROF_ROOT_DEBUGGER:
        return LOUPE_ROOT_DEBUGGER;
    case HPROF_ROOT_REFERENCE_CLEANUP:
        return LOUPE_ROOT_REFERENCE_CLEANUP;
    case HPROF_ROOT_VM_INTERNAL:
        return LOUPE_ROOT_VM_INTERNAL;
    case HPROF_ROOT_JNI_MONITOR:
        return LOUPE_ROOT_JNI_MONITOR;
    default:
        return LOUPE_ROOT_UNKNOWN;
    }
}

static bool has_thread(uint32_t kind) {
    return kind == LOUPE_ROOT_JNI_LOCAL || kind == LOUPE_ROOT_JAVA_FRAME ||
           kind == LOUPE_ROOT_NATIVE_STACK || kind == LOUPE_ROOT_THREAD_BLOCK ||
           kind == LOUPE_ROOT_THREAD || kind == LOUPE_ROOT_JNI_MONITOR;
}

static void add_root(struct hprof_heap *heap, const struct hprof_object *record) {
    uint32_t kind = root_kind(record->tag);
    if (kind == LOUPE_ROOT_THREAD) {
        struct hprof_thread *thread = hprof_thread_of(heap, record->count);
        if (!thread)
            return;
        thread->id = record->id;
        thread->trace = record->frame; /* of this record: its stack */
    }
    struct hprof_root *root = hprof_grow(heap, &heap->roots, sizeof(*root));
    if (!root)
        return;
    *root = (struct hprof_root){.id = record->id,
                                .kind = kind,
                                .serial = has_thread(kind) ? record->count : LOUPE_NONE,
                                .frame = LOUPE_NONE};
    if (kind != LOUPE_ROOT_THREAD && has_thread(kind))
        root->frame = record->frame;
}

/* ---- Heaps of Android's runtime ---- */

static void begin_range(struct hprof_heap *heap, uint32_t number) {
    struct hprof_list *ranges = &heap->heap_ranges;
    struct loupe_snapshot_heap_range *last =
        ranges->count ? (struct loupe_snapshot_heap_range *)ranges->items + ranges->count - 1
                      : NULL;
    if (last ? last->heap == number : number == LOUPE_NONE)
        return;
    if (!last || last->first != heap->nodes)
        last = hprof_grow(heap, ranges, sizeof(*last));
    if (last)
        *last = (struct loupe_snapshot_heap_range){.first = heap->nodes, .heap = number};
}

/* The objects that follow are in that heap, up to the next such record or the segment's end. */
static void enter_heap(struct hprof_heap *heap, const struct hprof_object *record) {
    uint32_t number;
    if (!loupe_map_find(&heap->heap_by_number, record->count, &number)) {
        struct loupe_snapshot_heap *entry = hprof_grow(heap, &heap->heap_table, sizeof(*entry));
        if (!entry)
            return;
        number = heap->heap_table.count - 1;
        *entry = (struct loupe_snapshot_heap){.number = record->count,
                                              .name = hprof_intern(heap, record->id)};
        if (loupe_map_put(&heap->heap_by_number, record->count, number))
            heap->status = LOUPE_ENOMEM;
    }
    begin_range(heap, number);
}

/* ---- Records ---- */

static void add_class(struct hprof_heap *heap, const struct hprof_object *record) {
    uint32_t class_number;
    if (hprof_describe_class(heap, record, &class_number)) {
        heap->reference_room += record->body_length / heap->header.id_size;
        add_node(heap, record->id, LOUPE_NONE, 0);
    } else if (!heap->status) {
        hprof_note(heap, LOUPE_NOTE_TWICE, record->id);
    }
}

static void take_small(struct hprof_heap *heap, const struct hprof_object *record) {
    switch (record->tag) {
    case HPROF_CLASS:
        add_class(heap, record);
        break;
    case HPROF_ARRAY_WITHOUT_DATA:
        hprof_note(heap, LOUPE_NOTE_NO_DATA, record->id);
        add_node(heap, record->id, heap->primitive_arrays[record->type], record->count);
        break;
    case HPROF_HEAP_INFO:
        enter_heap(heap, record);
        break;
    case HPROF_UNREACHABLE:
        break;
    default:
        add_root(heap, record);
    }
}

static enum hprof_step take_segment(struct hprof_heap *heap, const uint8_t **at,
                                    const uint8_t *end) {
    uint32_t id_size = heap->header.id_size;
    const uint8_t *told = *at;
    uint64_t records = 0;
    struct hprof_object record;
    enum hprof_step step;
    while ((step = hprof_next_object(at, end, id_size, &record)) == HPROF_STEP_OBJECT) {
        switch (record.tag) {
        case HPROF_INSTANCE:
        case HPROF_OBJECT_ARRAY:
            heap->reference_room += record.body_length / id_size;
            add_node(heap, record.id, hprof_class_of(heap, record.class_id), record.count);
            break;
        case HPROF_PRIMITIVE_ARRAY:
            add_node(heap, record.id, heap->primitive_arrays[record.type], record.count);
            break;
        default:
            take_small(heap, &record);
        }
        hprof_progress_at(heap, records++, &told, *at);
        if (heap->status)
            return HPROF_STEP_END;
    }
    hprof_progress(heap, (uint64_t)(end - told));
    return step;
}

static void read_segment(struct hprof_heap *heap, const struct hprof_segment *segment) {
    const uint8_t *at = heap->bytes + segment->start, *end = heap->bytes + segment->end;
    begin_range(heap, LOUPE_NONE);
    enum hprof_step step = take_segment(heap, &at, end);
    uint64_t place = (uint64_t)(at - heap->bytes);
    if (step == HPROF_STEP_UNKNOWN)
        hprof_note(heap, LOUPE_NOTE_UNKNOWN_OBJECT, place);
    else if (step == HPROF_STEP_CUT && segment->end == heap->size)
        hprof_note(heap, LOUPE_NOTE_CUT_OFF, place);
    else if (step == HPROF_STEP_CUT)
        hprof_note(heap, LOUPE_NOTE_BAD_OBJECT, place);
}

/* ---- Closing up ---- */

/* Ranges of heaps that begin at this node, or at one before it that was taken out. */
static void move_ranges(struct hprof_heap *heap, uint32_t from, uint32_t to) {
    struct loupe_snapshot_heap_range *ranges = heap->heap_ranges.items;
    for (; heap->moved_ranges < heap->heap_ranges.count; heap->moved_ranges++) {
        struct loupe_snapshot_heap_range *range = &ranges[heap->moved_ranges];
        if (range->first > from)
            return;
        if (range->first > to) /* others lie before all that is twice */
            range->first = to;
    }
}

/* An object that is there twice was taken out; those behind it move. */
static void move_node(void *ctx, uint32_t from, uint32_t to) {
    struct hprof_heap *heap = ctx;
    move_ranges(heap, from, to);
    heap->node_classes[to] = heap->node_classes[from];
    heap->sizes[to] = heap->sizes[from];
}

/* Class objects were numbered before nodes were closed up, and have a class only now. */
static void find_class_nodes(struct hprof_heap *heap) {
    for (uint32_t i = 0; i < heap->classes.count; i++) {
        struct loupe_snapshot_class *entry = hprof_entry_at(heap, i);
        uint32_t node;
        if (!hprof_class_at(heap, i)->dump)
            continue;
        entry->node = LOUPE_NO_NODE;
        if (!loupe_id_index_find(&heap->index, hprof_class_at(heap, i)->id, &node))
            continue;
        if (heap->node_classes[node] == LOUPE_NONE) {
            entry->node = node;
            heap->node_classes[node] = heap->class_of_classes;
        }
    }
}

static void make_index(struct hprof_heap *heap) {
    uint32_t read = heap->nodes;
    heap->status =
        loupe_id_index_init(&heap->index, heap->chunks, heap->ids, heap->nodes, move_node, heap);
    if (heap->status)
        return;
    heap->nodes = heap->index.count;
    heap->closed_up = heap->nodes != read;
    move_ranges(heap, read, heap->nodes); /* what has no object left */
    struct loupe_snapshot_heap_range *ranges = heap->heap_ranges.items;
    while (heap->heap_ranges.count && ranges[heap->heap_ranges.count - 1].first >= heap->nodes)
        heap->heap_ranges.count--;
    if (heap->closed_up)
        hprof_note_many(heap, LOUPE_NOTE_TWICE, read - heap->nodes);
}

static bool ids_are_near(const struct hprof_heap *heap, uint64_t *lowest_ret) {
    if (!heap->nodes || !heap->index.pages)
        return false;
    uint64_t lowest = UINT64_MAX, highest = 0;
    for (uint32_t i = 0; i < heap->nodes; i++) {
        lowest = heap->ids[i] < lowest ? heap->ids[i] : lowest;
        highest = heap->ids[i] > highest ? heap->ids[i] : highest;
    }
    *lowest_ret = lowest;
    return (highest - lowest) >> heap->index.shift <= UINT32_MAX;
}

/* Half the room, where there are no gaps of tens of gigabytes. */
static void shorten_ids(struct hprof_heap *heap) {
    uint64_t lowest;
    if (!ids_are_near(heap, &lowest))
        return;
    heap->near_ids = loupe_numbers_get(heap->chunks, heap->nodes);
    if (!heap->near_ids) {
        heap->status = LOUPE_ENOMEM;
        return;
    }
    for (uint32_t i = 0; i < heap->nodes; i++)
        heap->near_ids[i] = (uint32_t)((heap->ids[i] - lowest) >> heap->index.shift);
    heap->snapshot->address_base = lowest;
    heap->snapshot->address_shift = (uint8_t)heap->index.shift;
    loupe_chunk_put(heap->chunks, heap->ids, (heap->node_room + (size_t)1) * sizeof(*heap->ids));
    heap->ids = NULL;
    heap->index.ids = NULL; /* only looked at where there are no pages */
}

/* Columns of which only the beginning is used give way to such that fit. */
static void fit_columns(struct hprof_heap *heap) {
    const struct loupe_chunk_ops *chunks = heap->chunks;
    struct hprof_heap old = *heap;
    size_t count = heap->nodes + (size_t)1;
    heap->node_room = heap->nodes;
    if (old.ids)
        heap->ids = loupe_chunk_get(chunks, count * sizeof(*heap->ids));
    heap->node_classes = loupe_numbers_get(chunks, heap->nodes);
    heap->sizes = loupe_numbers_get(chunks, heap->nodes);
    heap->first = loupe_numbers_get(chunks, heap->nodes);
    if ((heap->ids || !old.ids) && heap->node_classes && heap->sizes && heap->first) {
        if (old.ids)
            memcpy(heap->ids, old.ids, heap->nodes * sizeof(*heap->ids));
        memcpy(heap->node_classes, old.node_classes, heap->nodes * sizeof(*heap->node_classes));
        memcpy(heap->sizes, old.sizes, heap->nodes * sizeof(*heap->sizes));
    } else {
        heap->status = LOUPE_ENOMEM;
    }
    heap->index.ids = heap->ids;
    loupe_chunk_put(chunks, old.ids, (old.node_room + (size_t)1) * sizeof(*old.ids));
    loupe_numbers_put(chunks, &old.node_classes, old.node_room);
    loupe_numbers_put(chunks, &old.sizes, old.node_room);
}

void hprof_make_nodes(struct hprof_heap *heap) {
    const struct hprof_segment *segments = heap->segments.items;
    if (!heap->status)
        get_columns(heap);
    for (uint32_t i = 0; i < heap->segments.count && !heap->status; i++) {
        if (segments[i].dump == heap->dump)
            read_segment(heap, &segments[i]);
    }
    if (!heap->status)
        hprof_finish_classes(heap);
    if (!heap->status)
        make_index(heap);
    if (!heap->status)
        find_class_nodes(heap);
    if (!heap->status)
        shorten_ids(heap);
    if (!heap->status)
        fit_columns(heap);
}
