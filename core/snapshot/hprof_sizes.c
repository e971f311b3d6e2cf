/*
 * How many bytes objects take in memory (analysis/size_model.h). Dumps of HotSpot know fields, and
 * references of 8 bytes even where the heap has compressed ones of 4. So the size of references is
 * told from arrays of them that stand closer to what follows than the larger ones would allow.
 */
#include "analysis/size_model.h"
#include "snapshot/hprof_heap.h"

/* ---- The model ---- */

/* Whether an array of references of 8 bytes each would reach into the object behind it. */
static bool reaches_into_next(const struct hprof_heap *heap, const struct loupe_size_model *large,
                              uint32_t node, uint32_t next) {
    return hprof_entry_at(heap, heap->node_classes[node])->kind == LOUPE_CLASS_OBJECT_ARRAYS &&
           hprof_id_of(heap, next) - hprof_id_of(heap, node) <
               loupe_size_of_array(large, 0, heap->sizes[node]);
}

static bool has_small_references(struct hprof_heap *heap, const struct loupe_size_model *large) {
    uint32_t *order = loupe_numbers_get(heap->chunks, heap->nodes);
    bool found = false;
    if (!order) {
        heap->status = LOUPE_ENOMEM;
        return false;
    }
    loupe_id_index_list(&heap->index, order);
    for (uint32_t i = 0; i + 1 < heap->nodes && !found; i++)
        found = reaches_into_next(heap, large, order[i], order[i + 1]);
    loupe_numbers_put(heap->chunks, &order, heap->nodes);
    return found;
}

static const struct loupe_size_model *tell_model(struct hprof_heap *heap) {
    bool is_android = heap->bytes[heap->header.name_length - 1] == '3';
    unsigned id_size = heap->header.id_size, reference = id_size;
    /* Ids that are no addresses say nothing. */
    if (!is_android && id_size == 8 && heap->index.shift == 3 &&
        has_small_references(heap, loupe_size_model_of(false, 8, 8)))
        reference = 4;
    heap->snapshot->reference_size = (uint8_t)(is_android ? 4 : reference);
    return heap->options.sizes_of_visualvm
               ? loupe_size_model_of_visualvm(is_android, id_size, reference)
               : loupe_size_model_of(is_android, id_size, reference);
}

/* ---- By class ---- */

static void add_fields(const struct hprof_heap *heap, uint32_t first, uint32_t count,
                       uint64_t *references, uint64_t *other_bytes) {
    const struct loupe_snapshot_field *fields =
        (const struct loupe_snapshot_field *)heap->fields.items + first;
    for (uint32_t i = 0; i < count; i++) {
        if (fields[i].type == LOUPE_VALUE_OBJECT)
            ++*references;
        else
            *other_bytes += hprof_value_size(fields[i].type, 0);
    }
}

static uint32_t clamp(uint64_t size) {
    return size < LOUPE_LARGE_SIZE ? (uint32_t)size : LOUPE_LARGE_SIZE - 1;
}

static void size_class(struct hprof_heap *heap, uint32_t number,
                       const struct loupe_size_model *model) {
    struct loupe_snapshot_class *entry = hprof_entry_at(heap, number);
    const struct hprof_class *class_at = hprof_class_at(heap, number);
    if (entry->kind != LOUPE_CLASS_INSTANCES || !class_at->dump)
        return;
    uint64_t references = class_at->reference_count;
    uint64_t other = class_at->instance_bytes - references * heap->header.id_size;
    entry->instance_size =
        clamp(loupe_size_of_instance(model, references, other, entry->dump_size));
}

static uint64_t class_object_size(const struct hprof_heap *heap, uint32_t number,
                                  const struct loupe_size_model *model) {
    const struct loupe_snapshot_class *entry = hprof_entry_at(heap, number);
    uint64_t references = 0, other = 0;
    add_fields(heap, entry->first_field + entry->instance_fields, entry->static_fields, &references,
               &other);
    return loupe_size_of_class(model, references, other);
}

/* ---- By node ---- */

static uint64_t size_of(const struct hprof_heap *heap, uint32_t node,
                        const struct loupe_size_model *model) {
    uint32_t number = heap->node_classes[node], length = heap->sizes[node];
    const struct loupe_snapshot_class *entry = hprof_entry_at(heap, number);
    if (heap->is_native && entry->kind == LOUPE_CLASS_OBJECT_ARRAYS)
        return (uint64_t)length * heap->header.id_size; /* memory, word by word */
    if (entry->kind == LOUPE_CLASS_INSTANCES && hprof_class_at(heap, number)->size_at != LOUPE_NONE)
        return length; /* what the instance says */
    if (entry->kind == LOUPE_CLASS_OBJECT_ARRAYS)
        return loupe_size_of_array(model, 0, length);
    if (entry->kind == LOUPE_CLASS_PRIMITIVE_ARRAYS)
        return loupe_size_of_array(
            model, hprof_value_size(hprof_class_at(heap, number)->element, 0), length);
    if (entry->instance_size)
        return entry->instance_size;
    return loupe_size_of_instance(model, 0, length, 0); /* of a class that is not described */
}

static void set_size(struct hprof_heap *heap, uint32_t node, uint64_t size) {
    heap->snapshot->bytes += size;
    if (size < LOUPE_LARGE_SIZE) {
        heap->sizes[node] = (uint32_t)size;
        return;
    }
    struct loupe_large_size *large = hprof_grow(heap, &heap->large, sizeof(*large));
    heap->sizes[node] = LOUPE_LARGE_SIZE;
    if (large)
        *large = (struct loupe_large_size){.node = node, .size = size};
}

void hprof_make_sizes(struct hprof_heap *heap) {
    if (heap->status)
        return;
    const struct loupe_size_model *model = tell_model(heap);
    for (uint32_t i = 0; i < heap->classes.count; i++)
        size_class(heap, i, model);
    for (uint32_t i = 0; i < heap->nodes; i++)
        set_size(heap, i, size_of(heap, i, model));
    for (uint32_t i = 0; i < heap->classes.count; i++) {
        uint32_t node = hprof_entry_at(heap, i)->node;
        if (node == LOUPE_NO_NODE)
            continue;
        heap->snapshot->bytes -= heap->sizes[node]; /* as an instance: small */
        set_size(heap, node, class_object_size(heap, i, model));
    }
}
