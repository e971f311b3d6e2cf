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

enum { OWNERSHIP_BITS = 2 };

/* The field of a word; both as one number. A closure that captured one object and nothing else has
 * that in place of a context. */
static enum loupe_status look_at_field(struct loupe_snapshot_builder *builder, uint64_t metadata,
                                       uint64_t slot, bool to_context, uint32_t *ret) {
    struct loupe_swift_field field;
    uint64_t key = loupe_hash(metadata) ^ loupe_hash(~(slot << 1 | to_context));
    if (loupe_map_find(&builder->swift_fields, key, ret))
        return LOUPE_OK;
    bool is_known = loupe_swift_field_at(builder->target, metadata, slot, &field);
    uint32_t label = loupe_heap_swift_label(&builder->tables, is_known ? field.name : NULL,
                                            is_known && field.is_closure && !to_context);
    if (label == LOUPE_NONE)
        return LOUPE_ENOMEM;
    *ret = label << OWNERSHIP_BITS | (is_known ? field.ownership : LOUPE_SWIFT_STRONG);
    return loupe_map_put(&builder->swift_fields, key, *ret);
}

enum loupe_status loupe_heap_swift_reference(struct loupe_snapshot_builder *builder, uint32_t from,
                                             uint64_t slot, uint32_t to,
                                             struct loupe_swift_reference *ret) {
    uint64_t metadata = 0;
    uint32_t field = 0;
    bool is_object = loupe_heap_form(builder, from) == LOUPE_HEAP_COUNTED;
    bool is_context = is_object && builder->classes[from] == builder->context_class;
    *ret = (struct loupe_swift_reference){.ownership = LOUPE_SWIFT_STRONG};
    if (is_object && !is_context &&
        !loupe_memory_read_word(builder->target->memory, builder->addresses[from], &metadata)) {
        enum loupe_status status = look_at_field(
            builder, metadata, slot, builder->classes[to] == builder->context_class, &field);
        ret->label = field >> OWNERSHIP_BITS;
        ret->ownership = (enum loupe_swift_ownership)(field & ((1u << OWNERSHIP_BITS) - 1));
        return status;
    }
    ret->label = loupe_heap_swift_label(&builder->tables, NULL, is_context);
    return ret->label == LOUPE_NONE ? LOUPE_ENOMEM : LOUPE_OK;
}
