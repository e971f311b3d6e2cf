/* Objects of Swift in blocks, by their metadata, and what counts the weak references to them. */
#include "heap/maker.h"
#include "swift/metadata.h"

enum { MOST_LEVELS = 64 };

/* The class of objects that begin with a word, by what is known or else a look at it; LOUPE_NONE:
 * of Swift there are none. */
static enum loupe_status class_at(struct loupe_heap_maker *maker, uint64_t word, uint32_t *ret,
                                  bool *is_new, loupe_addr *superclass_ret) {
    struct loupe_swift_class cls;
    *is_new = false;
    *ret = LOUPE_NONE;
    if (loupe_map_find(&maker->swift_classes, word, ret) ||
        !loupe_swift_class_at(maker->target, word, &cls))
        return LOUPE_OK;
    *ret = loupe_heap_class_called(&maker->tables, cls.name, is_new);
    if (*ret == LOUPE_NONE)
        return LOUPE_ENOMEM;
    loupe_heap_class_entry(&maker->tables, *ret)->instance_size = cls.instance_size;
    *superclass_ret = cls.superclass;
    return loupe_map_put(&maker->swift_classes, word, *ret);
}

static enum loupe_status class_with_superclasses(struct loupe_heap_maker *maker, uint64_t word,
                                                 uint32_t *ret) {
    loupe_addr superclass = 0;
    bool is_new;
    enum loupe_status status = class_at(maker, word, ret, &is_new, &superclass);
    uint32_t below = *ret, above;
    for (unsigned level = 0; !status && is_new && superclass && level < MOST_LEVELS; level++) {
        status = class_at(maker, superclass, &above, &is_new, &superclass);
        if (status || above == LOUPE_NONE || above == below)
            break;
        loupe_heap_class_entry(&maker->tables, below)->superclass = above;
        below = above;
    }
    return status;
}

/* What stands there leads to nothing that it keeps alive. */
static void take_keeping_nothing(struct loupe_heap_maker *maker, uint32_t block, uint32_t cls) {
    loupe_heap_take_runtimes(maker, block, LOUPE_HEAP_RECORD);
    maker->classes[block] = cls;
}

static enum loupe_status take_object(struct loupe_heap_maker *maker, uint32_t block, uint32_t cls,
                                     const struct loupe_swift_counts *counts) {
    if (counts->life != LOUPE_SWIFT_DEAD) {
        maker->classes[block] = cls;
        return LOUPE_OK;
    }
    enum loupe_status status = loupe_heap_class_like(&maker->tables, cls, " (deinited)", &cls);
    if (!status)
        take_keeping_nothing(maker, block, cls);
    return status;
}

/* The table that counts the weak references to an object, which it begins with the address of. */
static bool is_side_table(const struct loupe_heap_maker *maker, uint32_t block, uint64_t first) {
    uint32_t object;
    return loupe_blocks_find(maker->blocks, first, &object) &&
           maker->blocks->starts[object] == first &&
           loupe_swift_counts_at(maker->target, first).side_table == maker->blocks->starts[block];
}

static enum loupe_status take_side_table(struct loupe_heap_maker *maker, uint32_t block) {
    bool ignored;
    uint32_t cls = loupe_heap_class_called(&maker->tables, "(weak reference counts)", &ignored);
    if (cls == LOUPE_NONE)
        return LOUPE_ENOMEM;
    take_keeping_nothing(maker, block, cls);
    return LOUPE_OK;
}

enum loupe_status loupe_heap_take_swift_object(struct loupe_heap_maker *maker, uint32_t block,
                                               uint64_t first, bool *ret) {
    struct loupe_swift_counts counts;
    uint32_t cls;
    *ret = false;
    if (!maker->scene->has_swift || first < LOUPE_PAGE_SIZE)
        return LOUPE_OK;
    if (is_side_table(maker, block, first)) {
        *ret = true;
        return take_side_table(maker, block);
    }
    counts = loupe_swift_counts_at(maker->target, maker->blocks->starts[block]);
    if (counts.life == LOUPE_SWIFT_NO_OBJECT)
        return LOUPE_OK;
    enum loupe_status status = class_with_superclasses(maker, first, &cls);
    if (status || cls == LOUPE_NONE ||
        loupe_heap_class_entry(&maker->tables, cls)->instance_size >
            loupe_blocks_size(maker->blocks, block))
        return status;
    *ret = true;
    return take_object(maker, block, cls, &counts);
}
