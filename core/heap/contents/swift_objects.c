/* Objects of Swift in blocks, by their metadata, and what counts the weak references to them. */
#include "heap/snapshot_builder.h"

enum { MOST_LEVELS = 64 };

/* The class of objects that begin with a word, by what is known or else a look at it; LOUPE_NONE:
 * of Swift there are none. */
static enum loupe_status class_at(struct loupe_snapshot_builder *builder, uint64_t word,
                                  uint32_t *ret, bool *is_new, loupe_addr *superclass_ret) {
    struct loupe_swift_class cls;
    *is_new = false;
    *ret = LOUPE_NONE;
    if (loupe_map_find(&builder->swift_classes, word, ret) ||
        !loupe_swift_class_at(builder->target, word, &cls))
        return LOUPE_OK;
    *ret = loupe_heap_class_called(&builder->tables, cls.name, is_new);
    if (*ret == LOUPE_NONE)
        return LOUPE_ENOMEM;
    loupe_heap_class_entry(&builder->tables, *ret)->instance_size = cls.instance_size;
    if (cls.kind == LOUPE_SWIFT_CONTEXT)
        builder->context_class = *ret;
    *superclass_ret = cls.superclass;
    return loupe_map_put(&builder->swift_classes, word, *ret);
}

static enum loupe_status class_with_superclasses(struct loupe_snapshot_builder *builder,
                                                 uint64_t word, uint32_t *ret) {
    loupe_addr superclass = 0;
    bool is_new;
    enum loupe_status status = class_at(builder, word, ret, &is_new, &superclass);
    uint32_t below = *ret, above;
    /* Cap: superclasses further up, which no program has. */
    for (unsigned level = 0; !status && is_new && superclass && level < MOST_LEVELS; level++) {
        status = class_at(builder, superclass, &above, &is_new, &superclass);
        if (status || above == LOUPE_NONE || above == below)
            break;
        loupe_heap_class_entry(&builder->tables, below)->superclass = above;
        below = above;
    }
    return status;
}

/* What stands there leads to nothing that it keeps alive. */
static void take_without_links(struct loupe_snapshot_builder *builder, uint32_t block,
                               uint32_t cls) {
    loupe_heap_take_runtimes(builder, block, LOUPE_HEAP_RECORD);
    builder->classes[block] = cls;
}

static enum loupe_status take_object(struct loupe_snapshot_builder *builder, uint32_t block,
                                     uint32_t cls, const struct loupe_swift_counts *counts) {
    if (counts->life == LOUPE_SWIFT_ALIVE)
        loupe_heap_take_runtimes(builder, block, LOUPE_HEAP_COUNTED);
    builder->classes[block] = cls;
    if (counts->life == LOUPE_SWIFT_IMMORTAL)
        builder->retain_counts[block] = LOUPE_RETAINS_IMMORTAL;
    if (counts->life != LOUPE_SWIFT_DEAD)
        return LOUPE_OK;
    enum loupe_status status = loupe_heap_class_like(&builder->tables, cls, " (deinited)", &cls);
    if (!status)
        take_without_links(builder, block, cls);
    return status;
}

/* Frames of async functions, which their task keeps in memory of its own: the first word says so
 * (StackAllocator.h). */
static bool is_frames(struct loupe_snapshot_builder *builder, uint64_t first) {
    static const char symbol[] = "_swift_concurrency_debug_asyncTaskSlabMetadata";
    struct loupe_memory *memory = builder->target->memory;
    loupe_addr place;
    if (!builder->looked_for_slabs) {
        builder->looked_for_slabs = true;
        if (loupe_memory_find_symbol(memory, symbol, &place) ||
            loupe_memory_read_word(memory, place, &builder->slab_metadata))
            builder->slab_metadata = 0;
    }
    return first && first == builder->slab_metadata;
}

static enum loupe_status take_frames(struct loupe_snapshot_builder *builder, uint32_t block) {
    bool ignored;
    builder->classes[block] =
        loupe_heap_class_called(&builder->tables, LOUPE_SWIFT_FRAMES, &ignored);
    return builder->classes[block] == LOUPE_NONE ? LOUPE_ENOMEM : LOUPE_OK;
}

/* The table that counts the weak references to an object, which it begins with the address of. */
static bool is_side_table(const struct loupe_snapshot_builder *builder, uint32_t block,
                          uint64_t first) {
    uint32_t object;
    return loupe_blocks_find(builder->blocks, first, &object) &&
           builder->blocks->starts[object] == first &&
           loupe_swift_counts_at(builder->target, first).side_table ==
               builder->blocks->starts[block];
}

static enum loupe_status take_side_table(struct loupe_snapshot_builder *builder, uint32_t block) {
    bool ignored;
    uint32_t cls = loupe_heap_class_called(&builder->tables, "(weak reference counts)", &ignored);
    if (cls == LOUPE_NONE)
        return LOUPE_ENOMEM;
    take_without_links(builder, block, cls);
    return LOUPE_OK;
}

enum loupe_status loupe_heap_take_swift_object(struct loupe_snapshot_builder *builder,
                                               uint32_t block, uint64_t first, bool *ret) {
    struct loupe_swift_counts counts;
    uint32_t cls;
    *ret = false;
    if (!builder->scene->has_swift || first < LOUPE_PAGE_SIZE)
        return LOUPE_OK;
    if (is_side_table(builder, block, first)) {
        *ret = true;
        return take_side_table(builder, block);
    }
    if (is_frames(builder, first)) {
        *ret = true;
        return take_frames(builder, block);
    }
    counts = loupe_swift_counts_at(builder->target, builder->blocks->starts[block]);
    if (counts.life == LOUPE_SWIFT_NO_OBJECT)
        return LOUPE_OK;
    enum loupe_status status = class_with_superclasses(builder, first, &cls);
    if (status || cls == LOUPE_NONE ||
        loupe_heap_class_entry(&builder->tables, cls)->instance_size >
            loupe_blocks_size(builder->blocks, block))
        return status;
    *ret = true;
    return take_object(builder, block, cls, &counts);
}

/* ---- References ---- */

enum { OWNERSHIP_BITS = 2, IS_CERTAIN = 1 << 2, FACT_BITS = 3 };

static bool make_room(struct loupe_snapshot_builder *builder) {
    if (builder->swift_lowering)
        return true;
    builder->swift_lowering = loupe_chunk_get(builder->chunks, sizeof(*builder->swift_lowering));
    if (builder->swift_lowering)
        loupe_swift_lowering_init(builder->swift_lowering, builder->target);
    return builder->swift_lowering;
}

/* Whether an object is what a closure captured, or a box. */
static bool is_context(const struct loupe_snapshot_builder *builder, uint32_t node) {
    uint64_t metadata;
    uint32_t cls;
    return builder->context_class != LOUPE_NONE &&
           !loupe_memory_read_word(builder->target->memory, builder->addresses[node], &metadata) &&
           loupe_map_find(&builder->swift_classes, metadata, &cls) && cls == builder->context_class;
}

/* What a closure captured is called after its function. Any other context is a box: of a variable
 * where a closure captured that, else of a value that did not fit where it belongs. */
static enum loupe_status name_context(struct loupe_snapshot_builder *builder,
                                      const struct loupe_swift_place *place, loupe_addr code,
                                      uint32_t to) {
    uint32_t *cls = &builder->classes[to];
    bool ignored;
    if (*cls != builder->context_class || place->kind == LOUPE_SWIFT_PLACE_UNKNOWN ||
        place->is_refused || place->ownership == LOUPE_SWIFT_UNMANAGED)
        return LOUPE_OK;
    if (place->is_closure)
        *cls = loupe_heap_class_of_closure(&builder->tables, code);
    else if (place->kind == LOUPE_SWIFT_PLACE_CAPTURE && !place->is_part)
        *cls = loupe_heap_class_called(&builder->tables, LOUPE_SWIFT_VARIABLE_BOX, &ignored);
    else
        *cls = loupe_heap_class_called(&builder->tables, LOUPE_SWIFT_VALUE_BOX, &ignored);
    return *cls == LOUPE_NONE ? LOUPE_ENOMEM : LOUPE_OK;
}

/* The code of a closure stands before what it captured. */
static loupe_addr code_before(const struct loupe_snapshot_builder *builder, loupe_addr slot) {
    struct loupe_memory *memory = builder->target->memory;
    uint64_t code;
    return loupe_memory_read_word(memory, slot - memory->machine.pointer_size, &code)
               ? 0
               : loupe_memory_strip(memory, code);
}

static uint32_t label_of(struct loupe_snapshot_builder *builder,
                         const struct loupe_swift_place *place, loupe_addr code, bool to_context) {
    bool takes_place = place->is_closure && !to_context;
    return loupe_heap_swift_label(
        &builder->tables,
        &(struct loupe_heap_swift_label){
            .name = place->name,
            .is_captured = place->kind == LOUPE_SWIFT_PLACE_CAPTURE || takes_place,
            .is_element = place->kind == LOUPE_SWIFT_PLACE_ELEMENT && !takes_place,
            .is_numbered = place->is_numbered,
            .is_part = place->is_part,
            .closure = takes_place ? code : 0});
}

/* The same in all objects of a class, where nothing in them decides it. A closure that captured one
 * object and nothing else has that in place of a context. */
static enum loupe_status look_at_place(struct loupe_snapshot_builder *builder,
                                       const struct loupe_swift_word_place *word, uint32_t to,
                                       struct loupe_swift_reference *ret) {
    struct loupe_swift_place place;
    bool to_context = is_context(builder, to);
    uint64_t key = loupe_hash(word->metadata) ^ loupe_hash(~(word->offset << 1 | to_context));
    uint32_t known;
    if (loupe_map_find(&builder->swift_fields, key, &known)) {
        ret->label = known >> FACT_BITS;
        ret->ownership = (enum loupe_swift_ownership)(known & ((1u << OWNERSHIP_BITS) - 1));
        ret->is_certain = known & IS_CERTAIN;
        return LOUPE_OK;
    }
    if (!make_room(builder))
        return LOUPE_ENOMEM;
    loupe_swift_place_at(builder->swift_lowering, word, &place);
    loupe_addr code = place.is_closure ? code_before(builder, word->object + word->offset) : 0;
    builder->counts.swift_refused += place.is_refused;
    ret->label = label_of(builder, &place, code, to_context);
    ret->ownership = place.ownership;
    ret->is_certain = place.kind != LOUPE_SWIFT_PLACE_UNKNOWN && !place.is_refused &&
                      place.ownership == LOUPE_SWIFT_STRONG;
    ret->number = place.is_numbered ? place.number : LOUPE_NONE;
    enum loupe_status status = to_context ? name_context(builder, &place, code, to) : LOUPE_OK;
    if (status || ret->label == LOUPE_NONE || place.varies || place.is_closure ||
        place.kind == LOUPE_SWIFT_PLACE_ELEMENT || to_context)
        return ret->label == LOUPE_NONE ? LOUPE_ENOMEM : status;
    return loupe_map_put(&builder->swift_fields, key,
                         ret->label << FACT_BITS | (ret->is_certain ? IS_CERTAIN : 0) |
                             (uint32_t)ret->ownership);
}

enum loupe_status loupe_heap_swift_reference(struct loupe_snapshot_builder *builder, uint32_t from,
                                             uint64_t slot, uint32_t to,
                                             struct loupe_swift_reference *ret) {
    struct loupe_swift_word_place word = {.object = builder->addresses[from], .offset = slot};
    *ret = (struct loupe_swift_reference){.ownership = LOUPE_SWIFT_STRONG, .number = LOUPE_NONE};
    if (loupe_heap_form(builder, from) == LOUPE_HEAP_COUNTED &&
        !loupe_memory_read_word(builder->target->memory, word.object, &word.metadata)) {
        word.size = loupe_blocks_size(builder->blocks, from);
        return look_at_place(builder, &word, to, ret);
    }
    ret->label = loupe_heap_swift_label(&builder->tables, &(struct loupe_heap_swift_label){0});
    return ret->label == LOUPE_NONE ? LOUPE_ENOMEM : LOUPE_OK;
}

/* ---- Boxes ---- */

static bool is_box(const struct loupe_snapshot_builder *builder, uint32_t node) {
    struct loupe_span name = loupe_heap_class_name(&builder->tables, builder->classes[node]);
    return loupe_span_equals(name, LOUPE_SWIFT_VARIABLE_BOX) ||
           loupe_span_equals(name, LOUPE_SWIFT_VALUE_BOX);
}

/* What a box has was not captured; whether something is one only those tell that lead to it. */
enum loupe_status loupe_heap_label_boxes(struct loupe_snapshot_builder *builder) {
    for (uint32_t i = 0; builder->context_class != LOUPE_NONE && i < builder->counted_words.count;
         i++) {
        struct loupe_counted_word *word =
            loupe_vector_at(&builder->counted_words, i, sizeof(*word));
        if (!is_context(builder, word->from) || !is_box(builder, word->from))
            continue;
        word->label = loupe_heap_ivar_label(&builder->tables, word->label);
        if (word->label == LOUPE_NONE)
            return LOUPE_ENOMEM;
    }
    return LOUPE_OK;
}
