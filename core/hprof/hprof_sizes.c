/*
 * How many bytes objects take in memory (analysis/size_model.h). Dumps of HotSpot know fields, and
 * references of 8 bytes even where the heap has compressed ones of 4; neither headers nor room
 * between fields. So the model is told from the places of objects: none reaches into the next one,
 * and where nothing lies between them it ends there.
 */
#include "hprof/hprof_heap.h"

/* ---- What one object takes by a model ---- */

static uint64_t size_of_class(const struct hprof_heap *heap, uint32_t number,
                              const struct loupe_size_model *model) {
    const struct hprof_class *class_at = hprof_class_at(heap, number);
    uint64_t references = class_at->reference_count;
    uint64_t other = class_at->instance_bytes - references * heap->header.id_size;
    if (model->pads_levels)
        other += class_at->padding[model->reference == 8];
    return loupe_size_of_instance(model, references, other,
                                  hprof_entry_at(heap, number)->dump_size);
}

/* 0: of what is no array, and no instance of a class that is described. */
static uint64_t size_by_fields(const struct hprof_heap *heap, uint32_t node,
                               const struct loupe_size_model *model) {
    uint32_t number = heap->node_classes[node];
    const struct hprof_class *class_at = hprof_class_at(heap, number);
    switch (hprof_entry_at(heap, number)->kind) {
    case LOUPE_CLASS_OBJECT_ARRAYS:
        return loupe_size_of_array(model, 0, heap->sizes[node]);
    case LOUPE_CLASS_PRIMITIVE_ARRAYS:
        return loupe_size_of_array(model, hprof_value_size(class_at->element, 0),
                                   heap->sizes[node]);
    default:
        return class_at->dump && number != heap->class_of_classes
                   ? size_of_class(heap, number, model)
                   : 0;
    }
}

/* ---- Which model it is: told from how far objects are apart ---- */

enum {
    MOST_PAIRS = 1 << 20,      /* of neighbours that are looked at */
    LEAST_FOR_ALIGNMENT = 512, /* fewer objects may stand at round places by chance */
    MOST_ALIGNMENT = 256       /* that HotSpot allows */
};

/* Of objects and those behind them: how many would reach into these, how many end there. */
struct evidence {
    uint64_t against, for_it;
};

static void weigh(const struct hprof_heap *heap, const struct loupe_size_model *model,
                  const uint32_t *order, struct evidence *ret) {
    uint32_t step = heap->nodes / MOST_PAIRS, random = 1;
    *ret = (struct evidence){0};
    /* Not each so-and-so-manieth: objects that alternate would all be of one class. */
    for (uint32_t i = 0; i + 1 < heap->nodes; i += 1 + (random >> 16) % (2 * step + 1)) {
        random = random * 1103515245 + 12345;
        uint64_t gap = hprof_id_of(heap, order[i + 1]) - hprof_id_of(heap, order[i]);
        uint64_t size = size_by_fields(heap, order[i], model);
        ret->against += size > gap;
        ret->for_it += size == gap;
    }
}

static bool is_better(const struct evidence *a, const struct evidence *b) {
    return a->against != b->against ? a->against < b->against : a->for_it > b->for_it;
}

/* Objects stand at multiples of it, and so do all sizes. */
static uint16_t alignment_of(const struct hprof_heap *heap) {
    uint64_t all = MOST_ALIGNMENT;
    for (uint32_t i = 0; i < heap->nodes; i++)
        all |= hprof_id_of(heap, i);
    uint64_t lowest = all & -all;
    return (uint16_t)(lowest > 8 && heap->nodes >= LEAST_FOR_ALIGNMENT ? lowest : 8);
}

static void tell_hotspot(struct hprof_heap *heap) {
    uint32_t *order = loupe_numbers_get(heap->chunks, heap->nodes);
    struct evidence best = {.against = UINT64_MAX};
    if (!order) {
        heap->status = LOUPE_ENOMEM;
        return;
    }
    uint16_t alignment = alignment_of(heap);
    loupe_id_index_list(&heap->index, order);
    for (const struct loupe_size_model *at = loupe_size_models_of_hotspot; at->name; at++) {
        struct loupe_size_model model = *at;
        struct evidence found;
        model.alignment = alignment;
        weigh(heap, &model, order, &found);
        if (!is_better(&found, &best))
            continue;
        best = found;
        heap->size_model = model;
    }
    loupe_numbers_put(heap->chunks, &order, heap->nodes);
}

static void tell_model(struct hprof_heap *heap) {
    bool is_android = heap->bytes[heap->header.name_length - 1] == '3';
    unsigned id_size = heap->header.id_size;
    heap->size_model = *loupe_size_model_of(is_android, id_size, id_size);
    /* Ids that are no addresses say nothing. */
    if (!is_android && !heap->is_native && id_size == 8 && heap->index.shift >= 3)
        tell_hotspot(heap);
    unsigned reference = heap->size_model.reference;
    heap->snapshot->reference_size = (uint8_t)reference;
    if (heap->options.sizes_of_visualvm)
        heap->size_model = *loupe_size_model_of_visualvm(is_android, id_size, reference);
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
    entry->instance_size = clamp(size_of_class(heap, number, model));
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
    if (entry->kind != LOUPE_CLASS_INSTANCES)
        return size_by_fields(heap, node, model);
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
    tell_model(heap);
    const struct loupe_size_model *model = &heap->size_model;
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
