#include "hprof/hprof.h"

#include "hprof/hprof_heap.h"
#include "hprof/hprof_own.h"
#include "snapshot/file/loupe_file.h"

/* ---- What the steps share ---- */

static bool double_room(struct hprof_heap *heap, struct hprof_list *list, size_t item_size) {
    uint32_t larger = list->capacity ? 2 * list->capacity : 16;
    void *items = larger > list->capacity && larger <= SIZE_MAX / 2 / item_size
                      ? loupe_chunk_get(heap->chunks, larger * item_size)
                      : NULL;
    if (!items)
        return false;
    if (list->count)
        memcpy(items, list->items, list->count * item_size);
    loupe_chunk_put(heap->chunks, list->items, list->capacity * item_size);
    list->items = items;
    list->capacity = larger;
    list->item_size = item_size;
    return true;
}

void *hprof_grow(struct hprof_heap *heap, struct hprof_list *list, size_t item_size) {
    if (heap->status || (list->count == list->capacity && !double_room(heap, list, item_size))) {
        heap->status = heap->status ? heap->status : LOUPE_ENOMEM;
        return NULL;
    }
    char *item = (char *)list->items + list->count++ * item_size;
    memset(item, 0, item_size);
    return item;
}

static void put_list(struct hprof_heap *heap, struct hprof_list *list) {
    loupe_chunk_put(heap->chunks, list->items, list->capacity * list->item_size);
    *list = (struct hprof_list){0};
}

void hprof_note(struct hprof_heap *heap, enum loupe_snapshot_note note, uint64_t example) {
    struct loupe_snapshot_noted *noted = &heap->snapshot->notes[note];
    if (!noted->count++)
        noted->example = example;
}

void hprof_note_many(struct hprof_heap *heap, enum loupe_snapshot_note note, uint64_t count) {
    heap->snapshot->notes[note].count += count;
}

/* Asked before there is room for links. */
static bool fits(const struct hprof_heap *heap) {
    struct loupe_hprof_extent extent = {.objects = heap->nodes,
                                        .references = heap->reference_room + heap->nodes,
                                        .done = heap->heap_done,
                                        .of = heap->heap_bytes};
    return !heap->options.fits || heap->to || heap->options.fits(heap->options.fits_ctx, &extent);
}

void hprof_progress(struct hprof_heap *heap, uint64_t done) {
    heap->heap_done += done;
    if (!heap->status && !fits(heap))
        heap->status = LOUPE_ELIMIT;
    if (heap->options.progress &&
        heap->options.progress(heap->options.progress_ctx, heap->heap_done, 2 * heap->heap_bytes) &&
        !heap->status)
        heap->status = LOUPE_ETIMEOUT;
}

/* ---- Which dump ---- */

static void choose_dump(struct hprof_heap *heap) {
    const struct hprof_segment *segments = heap->segments.items;
    heap->dump = heap->options.dump ? heap->options.dump : heap->dumps;
    for (uint32_t i = 0; i < heap->segments.count; i++) {
        if (segments[i].dump == heap->dump)
            heap->heap_bytes += segments[i].end - segments[i].start;
        else if (!i || segments[i].dump != segments[i - 1].dump)
            hprof_note(heap, LOUPE_NOTE_OTHER_DUMP, segments[i].start);
    }
}

/* ---- The value ---- */

/* What names refer to in the file, and roots by their ids. */
static void forget_reading(struct hprof_heap *heap) {
    struct hprof_list *lists[] = {&heap->strings, &heap->frames, &heap->traces, &heap->roots,
                                  &heap->threads};
    struct loupe_map *maps[] = {&heap->string_by_id,     &heap->class_by_serial,
                                &heap->frame_by_id,      &heap->trace_by_serial,
                                &heap->thread_by_serial, &heap->heap_by_number,
                                &heap->thread_by_object};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        put_list(heap, lists[i]);
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
        loupe_map_deinit(maps[i]);
}

static void put_lists(struct hprof_heap *heap) {
    struct hprof_list *lists[] = {&heap->segments,     &heap->classes,     &heap->class_table,
                                  &heap->fields,       &heap->references,  &heap->large,
                                  &heap->text_strings, &heap->found_roots, &heap->stacks,
                                  &heap->stack_frames, &heap->heap_table,  &heap->heap_ranges};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        put_list(heap, lists[i]);
    loupe_map_deinit(&heap->class_by_id);
    loupe_chunk_put(heap->chunks, heap->text, heap->text_room);
}

static void deinit(void *ctx) {
    struct hprof_heap *heap = ctx;
    const struct loupe_chunk_ops *chunks = heap->chunks;
    loupe_id_index_deinit(&heap->index);
    loupe_chunk_put(chunks, heap->positions, hprof_positions_size(heap));
    loupe_chunk_put(chunks, heap->kinds, heap->link_room + (size_t)1);
    if (heap->to)
        loupe_numbers_put(chunks, &heap->to, heap->link_room);
    uint32_t **columns[] = {&heap->node_classes, &heap->sizes, &heap->first, &heap->near_ids};
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        if (*columns[i])
            loupe_numbers_put(chunks, columns[i], heap->node_room);
    }
    loupe_chunk_put(chunks, heap->ids, (heap->node_room + (size_t)1) * sizeof(*heap->ids));
    if (heap->root_nodes)
        loupe_numbers_put(chunks, &heap->root_nodes, heap->found_roots.count);
    if (heap->class_order)
        loupe_numbers_put(chunks, &heap->class_order, heap->class_table.count);
    forget_reading(heap);
    put_lists(heap);
    loupe_chunk_put(chunks, heap, sizeof(*heap));
}

static bool find_node(void *ctx, loupe_addr address, uint32_t *ret) {
    const struct hprof_heap *heap = ctx;
    return loupe_id_index_find(&heap->index, address, ret);
}

static void sort_nodes(void *ctx, uint32_t *nodes) {
    const struct hprof_heap *heap = ctx;
    loupe_id_index_list(&heap->index, nodes);
}

static const struct loupe_snapshot_ops ops = {.slots = hprof_slots,
                                              .contents = hprof_contents,
                                              .static_value = hprof_static_value,
                                              .find = find_node,
                                              .sort = sort_nodes,
                                              .deinit = deinit};

static struct hprof_heap *make_heap(const uint8_t *bytes, uint64_t size,
                                    const struct loupe_chunk_ops *chunks,
                                    struct loupe_snapshot *snapshot) {
    struct hprof_heap *heap = loupe_chunk_get(chunks, sizeof(*heap));
    if (!heap)
        return NULL;
    *heap =
        (struct hprof_heap){.bytes = bytes, .size = size, .chunks = chunks, .snapshot = snapshot};
    heap->last_class = LOUPE_NONE;
    heap->index.chunks = chunks;
    struct loupe_map *maps[] = {&heap->string_by_id,    &heap->class_by_id,
                                &heap->class_by_serial, &heap->frame_by_id,
                                &heap->trace_by_serial, &heap->thread_by_serial,
                                &heap->heap_by_number,  &heap->thread_by_object};
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
        loupe_map_init(maps[i], chunks);
    *snapshot = (struct loupe_snapshot){.ops = &ops, .ctx = heap};
    return heap;
}

/* Where nodes and classes can be asked about: names of threads are found that way. */
static void show_nodes(const struct hprof_heap *heap) {
    struct loupe_snapshot *snapshot = heap->snapshot;
    snapshot->columns.nodes = heap->nodes;
    snapshot->columns.first = heap->first;
    snapshot->columns.to = heap->to;
    snapshot->columns.kinds = heap->kinds;
    snapshot->columns.sizes = heap->sizes;
    snapshot->columns.large = heap->large.items;
    snapshot->columns.large_count = heap->large.count;
    snapshot->addresses = heap->ids;
    snapshot->near_addresses = heap->near_ids;
    snapshot->classes = heap->node_classes;
    snapshot->class_table = heap->class_table.items;
    snapshot->class_count = heap->class_table.count;
    snapshot->fields = heap->fields.items;
    snapshot->field_count = heap->fields.count;
    snapshot->heaps = heap->heap_table.items;
    snapshot->heap_count = heap->heap_table.count;
    snapshot->heap_ranges = heap->heap_ranges.items;
    snapshot->heap_range_count = heap->heap_ranges.count;
    snapshot->address_size = (uint8_t)heap->header.id_size;
    snapshot->time = heap->header.time;
}

static void order_classes(struct hprof_heap *heap) {
    heap->class_order = loupe_numbers_get(heap->chunks, heap->class_table.count);
    if (!heap->class_order ||
        loupe_snapshot_order_classes(heap->snapshot, heap->chunks, heap->class_order))
        heap->status = LOUPE_ENOMEM;
    heap->snapshot->class_order = heap->class_order;
}

/* Since Java 9 the class that knows how strings keep UTF-16 says where the high byte stands. */
static void find_byte_order(struct hprof_heap *heap) {
    struct loupe_snapshot *snapshot = heap->snapshot;
    struct loupe_value shift;
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        const struct loupe_snapshot_class *entry = &snapshot->class_table[i];
        if (!entry->static_fields ||
            !loupe_span_equals(loupe_snapshot_class_name(snapshot, i), "java.lang.StringUTF16"))
            continue;
        const struct loupe_snapshot_field *statics =
            &snapshot->fields[entry->first_field + entry->instance_fields];
        for (uint32_t k = 0; k < entry->static_fields; k++) {
            if (loupe_span_equals(loupe_snapshot_string(snapshot, statics[k].name),
                                  "HI_BYTE_SHIFT") &&
                hprof_static_value(heap, snapshot, i, k, &shift))
                snapshot->is_big_endian = shift.bits != 0;
        }
        return;
    }
}

static void show_roots(const struct hprof_heap *heap) {
    struct loupe_snapshot *snapshot = heap->snapshot;
    snapshot->columns.roots = heap->root_nodes;
    snapshot->columns.root_count = heap->found_roots.count;
    snapshot->roots = heap->found_roots.items;
    snapshot->threads = heap->stacks.items;
    snapshot->thread_count = heap->stacks.count;
    snapshot->frames = heap->stack_frames.items;
    snapshot->frame_count = heap->stack_frames.count;
}

static void read_heap(struct hprof_heap *heap) {
    hprof_read_outside(heap);
    if (!heap->status)
        hprof_find_primitive_arrays(heap);
    if (!heap->status)
        choose_dump(heap);
    hprof_make_nodes(heap);
    hprof_make_links(heap); /* while heap->sizes still has lengths */
    hprof_make_sizes(heap);
    if (heap->status)
        return;
    if (heap->is_native && !heap->options.as_java)
        hprof_note(heap, LOUPE_NOTE_NO_OWN_PART, heap->header.length);
    heap->snapshot->format =
        hprof_add_text(heap, (const char *)heap->bytes, heap->header.name_length);
    show_nodes(heap);
    order_classes(heap);
    if (!heap->status)
        hprof_make_roots(heap);
    show_roots(heap);
    hprof_show_strings(heap);
    find_byte_order(heap);
    forget_reading(heap);
}

bool loupe_hprof_is(const uint8_t *bytes, uint64_t size) {
    struct hprof_header header;
    return hprof_read_header(bytes, size, &header);
}

static enum loupe_status refuse(const struct hprof_heap *heap, struct loupe_error *err) {
    switch (heap->status) {
    case LOUPE_ETIMEOUT:
        return hprof_fail_stopped(err);
    case LOUPE_EUSAGE:
        return hprof_fail_number(err, heap->dumps, heap->options.dump);
    case LOUPE_ELIMIT:
        return loupe_fail(err, heap->status, 0, "the heap dump does not fit");
    default:
        return loupe_fail(err, heap->status, 0, "out of memory: the heap dump does not fit");
    }
}

/* The snapshot that a dump of ours was written of. */
static bool open_own_part(const uint8_t *bytes, uint64_t size, const struct loupe_chunk_ops *chunks,
                          const struct loupe_hprof_options *options, struct loupe_snapshot *ret) {
    struct loupe_error error;
    uint64_t start, length;
    bool is_whole;
    if (options && (options->as_java || options->sizes_of_visualvm || options->dump > 1))
        return false;
    return hprof_find_own_part(bytes, size, &start, &length, &is_whole) && is_whole &&
           !loupe_file_open(bytes + start, length, chunks, ret, &error);
}

enum loupe_status loupe_hprof_open(const uint8_t *bytes, uint64_t size,
                                   const struct loupe_chunk_ops *chunks,
                                   const struct loupe_hprof_options *options,
                                   struct loupe_snapshot *ret, struct loupe_error *err) {
    struct hprof_header header;
    if (!hprof_read_header(bytes, size, &header))
        return hprof_fail_header(err);
    struct loupe_snapshot snapshot;
    if (open_own_part(bytes, size, chunks, options, ret))
        return LOUPE_OK;
    struct hprof_heap *heap = make_heap(bytes, size, chunks, &snapshot);
    if (!heap)
        return loupe_fail(err, LOUPE_ENOMEM, 0, "out of memory: the heap dump does not fit");
    heap->header = header;
    if (options)
        heap->options = *options;
    read_heap(heap);
    if (!heap->status && heap->options.dump > heap->dumps)
        heap->status = LOUPE_EUSAGE;
    if (heap->status) {
        enum loupe_status status = refuse(heap, err);
        deinit(heap);
        return status;
    }
    heap->snapshot = NULL; /* it moves to the caller */
    *ret = snapshot;
    return LOUPE_OK;
}
