/*
 * How many bytes objects take in memory. Dumps of HotSpot do not say that: they know fields, and
 * references of 8 bytes even where the heap has compressed ones of 4. So headers and references are
 * told from objects that stand closer together than the larger ones would allow. Android's dumps
 * say the size of instances with their header.
 */
#include "snapshot/hprof_heap.h"

struct size_model {
    uint32_t header, array_header, reference;
    bool says_sizes; /* of instances, in the dump */
};

static uint64_t align8(uint64_t size) {
    return (size + 7) & ~(uint64_t)7;
}

static uint32_t element_size(const struct hprof_heap *heap, uint32_t node, uint32_t reference) {
    uint32_t class_number = heap->node_classes[node];
    if (hprof_entry_at(heap, class_number)->kind == LOUPE_CLASS_OBJECT_ARRAYS)
        return reference;
    return hprof_value_size(hprof_class_at(heap, class_number)->element, reference);
}

/* Whether an array with a header and references of so many bytes would reach into the next one. */
static bool some_array_is_smaller(const struct hprof_heap *heap, uint32_t kind,
                                  const struct size_model *model) {
    const uint32_t *order = heap->index.order;
    for (uint32_t i = 0; i + 1 < heap->nodes; i++) {
        uint32_t class_number = heap->node_classes[order[i]];
        if (hprof_entry_at(heap, class_number)->kind != kind)
            continue;
        uint64_t bytes =
            (uint64_t)heap->sizes[order[i]] * element_size(heap, order[i], model->reference);
        if (heap->ids[order[i + 1]] - heap->ids[order[i]] < align8(model->array_header + bytes))
            return true;
    }
    return false;
}

static struct size_model tell_model(const struct hprof_heap *heap) {
    struct size_model small = {.header = 8, .array_header = 12, .reference = 4};
    struct size_model large = {.header = 16, .array_header = 24, .reference = 8};
    bool is_android = heap->bytes[heap->header.name_length - 1] == '3';
    if (is_android || heap->header.id_size == 4) {
        small.says_sizes = is_android;
        return small;
    }
    if (heap->index.shift < 3) /* ids that are no addresses say nothing */
        return large;
    if (some_array_is_smaller(heap, LOUPE_CLASS_PRIMITIVE_ARRAYS, &large)) {
        large.header = 12;
        large.array_header = 16;
    }
    if (some_array_is_smaller(heap, LOUPE_CLASS_OBJECT_ARRAYS, &large)) {
        large.header = 12;
        large.array_header = 16;
        large.reference = 4;
    }
    return large;
}

/* ---- By class ---- */

static uint64_t fields_size(const struct hprof_heap *heap, uint32_t first, uint32_t count,
                            uint32_t reference) {
    const struct loupe_snapshot_field *fields =
        (const struct loupe_snapshot_field *)heap->fields.items + first;
    uint64_t size = 0;
    for (uint32_t i = 0; i < count; i++)
        size += hprof_value_size(fields[i].type, reference);
    return size;
}

static uint32_t clamp(uint64_t size) {
    return size < LOUPE_LARGE_SIZE ? (uint32_t)size : LOUPE_LARGE_SIZE - 1;
}

static void size_class(struct hprof_heap *heap, uint32_t number, const struct size_model *model) {
    struct loupe_snapshot_class *entry = hprof_entry_at(heap, number);
    uint64_t size = model->header;
    uint32_t ancestor = number;
    if (entry->kind != LOUPE_CLASS_INSTANCES || !hprof_class_at(heap, number)->dump)
        return;
    for (uint32_t steps = 0; ancestor != LOUPE_NONE && steps < LOUPE_MOST_SUPERCLASSES; steps++) {
        const struct loupe_snapshot_class *above = hprof_entry_at(heap, ancestor);
        heap->field_visits += above->instance_fields;
        if (heap->field_visits > 2 * (uint64_t)HPROF_MOST_FIELD_VISITS)
            break; /* noted when references were listed */
        size += fields_size(heap, above->first_field, above->instance_fields, model->reference);
        ancestor = above->superclass;
    }
    if (model->says_sizes && entry->dump_size)
        size = entry->dump_size;
    entry->instance_size = clamp(align8(size));
}

/* ---- By node ---- */

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

/* The object that a class is: an instance of the class of classes, with the static fields. */
static void size_class_objects(struct hprof_heap *heap, const struct size_model *model) {
    uint64_t own = hprof_entry_at(heap, heap->class_of_classes)->instance_size;
    for (uint32_t i = 0; i < heap->classes.count; i++) {
        const struct loupe_snapshot_class *entry = hprof_entry_at(heap, i);
        if (entry->node == LOUPE_NO_NODE)
            continue;
        uint64_t statics = fields_size(heap, entry->first_field + entry->instance_fields,
                                       entry->static_fields, model->reference);
        heap->snapshot->bytes -= heap->sizes[entry->node];
        set_size(heap, entry->node, align8(own + statics));
    }
}

void hprof_make_sizes(struct hprof_heap *heap) {
    if (heap->status)
        return;
    struct size_model model = tell_model(heap);
    heap->snapshot->reference_size = (uint8_t)model.reference;
    heap->snapshot->header_size = (uint8_t)model.header;
    heap->snapshot->array_header_size = (uint8_t)model.array_header;
    for (uint32_t i = 0; i < heap->classes.count; i++)
        size_class(heap, i, &model);
    for (uint32_t i = 0; i < heap->nodes; i++) {
        uint32_t class_number = heap->node_classes[i], length = heap->sizes[i];
        const struct loupe_snapshot_class *entry = hprof_entry_at(heap, class_number);
        if (entry->kind != LOUPE_CLASS_INSTANCES)
            set_size(heap, i,
                     align8(model.array_header +
                            (uint64_t)length * element_size(heap, i, model.reference)));
        else if (entry->instance_size)
            set_size(heap, i, entry->instance_size);
        else
            set_size(heap, i, align8(model.header + (uint64_t)length));
    }
    size_class_objects(heap, &model);
}
