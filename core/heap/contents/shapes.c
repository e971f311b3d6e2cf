/* What memory of C++'s libraries is by its shape: beside objects of C++ alone, since memory of C
 * may look the same. */
#include "cxx/shapes.h"
#include "heap/snapshot_builder.h"

enum { MOST_CLASS_NAME = 2048 };

static bool read_word(const struct loupe_snapshot_builder *builder, loupe_addr address,
                      uint64_t *ret) {
    return !loupe_memory_read_word(builder->target->memory, address, ret);
}

static bool is_free(const struct loupe_snapshot_builder *builder, uint32_t block) {
    return builder->classes[block] == builder->tables.plain_classes[LOUPE_CLASS_RAW];
}

static bool is_called(const struct loupe_snapshot_builder *builder, uint32_t block,
                      enum loupe_cxx_shape shape) {
    return builder->shapes[shape] && builder->classes[block] == builder->shapes[shape] - 1;
}

static struct loupe_cxx_memory memory_of(const struct loupe_snapshot_builder *builder,
                                         uint32_t block) {
    return (struct loupe_cxx_memory){.start = builder->blocks->starts[block],
                                     .size = loupe_blocks_size(builder->blocks, block)};
}

static enum loupe_status call_it(struct loupe_snapshot_builder *builder, uint32_t block,
                                 enum loupe_cxx_shape shape) {
    uint32_t *number = &builder->shapes[shape];
    bool ignored;
    if (!*number) {
        uint32_t made =
            loupe_heap_class_called(&builder->tables, loupe_cxx_shape_name(shape), &ignored);
        if (made == LOUPE_NONE)
            return LOUPE_ENOMEM;
        loupe_heap_class_at(&builder->tables, made)->is_shape = true;
        *number = made + 1;
    }
    builder->classes[block] = *number - 1;
    return LOUPE_OK;
}

/* The block that begins there, which nothing has named. */
static bool find_free(const struct loupe_snapshot_builder *builder, uint64_t word, uint32_t *ret) {
    loupe_addr address = loupe_memory_strip(builder->target->memory, word);
    return loupe_blocks_find(builder->blocks, address, ret) &&
           builder->blocks->starts[*ret] == address && is_free(builder, *ret);
}

/* ---- What a header has more of ---- */

/* The larger end counts: a copy that a function was left with may be older. */
static enum loupe_status keep_end(struct loupe_snapshot_builder *builder, uint32_t block,
                                  loupe_addr end) {
    uint64_t used = end - builder->blocks->starts[block];
    uint32_t known = 0;
    bool is_known = loupe_map_find(&builder->vector_ends, block, &known);
    if (used > UINT32_MAX || (is_known && known >= used))
        return LOUPE_OK;
    return loupe_map_put(&builder->vector_ends, block, (uint32_t)used);
}

/* As many as the header counts, up to one that leads nowhere. All looks together are bounded: nodes
 * of chains beyond that stay without a name. */
static bool is_chain(struct loupe_snapshot_builder *builder, const struct loupe_cxx_extent *hash) {
    uint64_t node = hash->first, count = 0;
    uint32_t block;
    for (; count < hash->count && find_free(builder, node, &block); count++) {
        if (!builder->shape_steps)
            return false;
        builder->shape_steps--;
        if (!read_word(builder, builder->blocks->starts[block], &node))
            return false;
    }
    return count == hash->count && !node;
}

static enum loupe_status call_nodes(struct loupe_snapshot_builder *builder,
                                    const struct loupe_cxx_extent *hash) {
    uint64_t node = hash->first;
    uint32_t block;
    enum loupe_status status = LOUPE_OK;
    for (uint64_t i = 0; !status && i < hash->count && find_free(builder, node, &block); i++) {
        status = call_it(builder, block, LOUPE_CXX_HASH_NODE);
        if (!read_word(builder, builder->blocks->starts[block], &node))
            break;
    }
    return status;
}

static enum loupe_status call_blocks(struct loupe_snapshot_builder *builder,
                                     const struct loupe_cxx_extent *deque) {
    unsigned word = builder->target->memory->machine.pointer_size;
    enum loupe_status status = LOUPE_OK;
    uint64_t there;
    uint32_t block;
    for (loupe_addr at = deque->first; !status && at < deque->end; at += word) {
        if (read_word(builder, at, &there) && find_free(builder, there, &block))
            status = call_it(builder, block, LOUPE_CXX_DEQUE_BLOCK);
    }
    return status;
}

/* libc++'s list has nothing but blocks in it, of one size. */
static bool are_blocks(const struct loupe_snapshot_builder *builder,
                       const struct loupe_cxx_extent *deque) {
    unsigned word = builder->target->memory->machine.pointer_size;
    uint64_t there;
    uint32_t block;
    for (loupe_addr at = deque->first; at < deque->end; at += word) {
        if (!read_word(builder, at, &there) ||
            !(find_free(builder, there, &block) ||
              (loupe_blocks_find(builder->blocks, there, &block) &&
               builder->blocks->starts[block] == there &&
               is_called(builder, block, LOUPE_CXX_DEQUE_BLOCK))))
            return false;
    }
    return true;
}

static enum loupe_status take_extent(struct loupe_snapshot_builder *builder, uint32_t block,
                                     enum loupe_cxx_shape shape,
                                     const struct loupe_cxx_extent *extent) {
    enum loupe_status status = LOUPE_OK;
    switch (shape) {
    case LOUPE_CXX_VECTOR:
        status = call_it(builder, block, shape);
        return status ? status : keep_end(builder, block, extent->end);
    case LOUPE_CXX_BUCKETS:
    case LOUPE_CXX_HASH_NODE:
        if (!is_chain(builder, extent))
            return LOUPE_OK;
        if (shape == LOUPE_CXX_BUCKETS)
            status = call_it(builder, block, shape);
        return status ? status : call_nodes(builder, extent);
    case LOUPE_CXX_DEQUE_MAP:
        if (!are_blocks(builder, extent))
            return LOUPE_OK;
        status = call_it(builder, block, shape);
        return status ? status : call_blocks(builder, extent);
    default:
        return call_it(builder, block, shape);
    }
}

/* ---- By words that lead there ---- */

enum loupe_status loupe_heap_name_pointee(struct loupe_snapshot_builder *builder,
                                          const struct loupe_waiting_word *waiting,
                                          uint32_t block) {
    struct loupe_cxx_extent extent;
    if (!builder->vtables.count || waiting->word != builder->blocks->starts[block])
        return LOUPE_OK;
    bool is_vector = is_called(builder, block, LOUPE_CXX_VECTOR);
    if (!is_vector && !is_free(builder, block))
        return LOUPE_OK;
    enum loupe_status status =
        is_vector ? LOUPE_OK : loupe_heap_name_closure(builder, waiting, block);
    if (status || !(is_vector || is_free(builder, block)))
        return status;
    enum loupe_cxx_shape shape =
        loupe_cxx_shape_at(builder->target, waiting->place, memory_of(builder, block), &extent);
    if (shape == LOUPE_CXX_NO_SHAPE || (is_vector && shape != LOUPE_CXX_VECTOR))
        return LOUPE_OK;
    return take_extent(builder, block, shape, &extent);
}

/* ---- By what stands in it ---- */

static enum loupe_status take_exception(struct loupe_snapshot_builder *builder, uint32_t block,
                                        bool *ret) {
    struct loupe_typeinfo typeinfo;
    uint32_t offset, class_number;
    *ret = loupe_cxx_exception_at(builder->target, &builder->typeinfo_kinds,
                                  memory_of(builder, block), &typeinfo, &offset);
    if (!*ret)
        return LOUPE_OK;
    char name[MOST_CLASS_NAME];
    bool ignored;
    loupe_cxx_class_name(typeinfo.name, name, sizeof(name));
    enum loupe_status status = LOUPE_ENOMEM;
    uint32_t own = loupe_heap_class_called(&builder->tables, name, &ignored);
    if (own != LOUPE_NONE)
        status = loupe_heap_class_like(&builder->tables, own, " (exception)", &class_number);
    if (status)
        return status;
    loupe_heap_class_at(&builder->tables, class_number)->place = offset;
    builder->classes[block] = class_number;
    return LOUPE_OK;
}

static enum loupe_status look_at_resume(struct loupe_snapshot_builder *builder, loupe_addr resume,
                                        uint32_t *ret) {
    static const char before[] = "coroutine frame of ";
    char name[MOST_CLASS_NAME];
    bool ignored;
    *ret = LOUPE_NONE;
    size_t start = loupe_format(name, sizeof(name), "%s", before);
    if (loupe_cxx_coroutine_of(builder->target, resume, name + start, sizeof(name) - start)) {
        *ret = loupe_heap_class_called(&builder->tables, name, &ignored);
        if (*ret == LOUPE_NONE)
            return LOUPE_ENOMEM;
    }
    return loupe_map_put(&builder->closures, resume, *ret);
}

static enum loupe_status take_coroutine(struct loupe_snapshot_builder *builder, uint32_t block) {
    unsigned word = builder->target->memory->machine.pointer_size;
    loupe_addr start = builder->blocks->starts[block];
    uint64_t resume, destroy;
    uint32_t class_number;
    if (loupe_blocks_size(builder->blocks, block) < (uint64_t)2 * word ||
        !read_word(builder, start, &resume) || !read_word(builder, start + word, &destroy) ||
        !loupe_heap_may_be_code(builder, resume) || !loupe_heap_may_be_code(builder, destroy))
        return LOUPE_OK;
    resume = loupe_memory_strip(builder->target->memory, resume);
    enum loupe_status status = loupe_map_find(&builder->closures, resume, &class_number)
                                   ? LOUPE_OK
                                   : look_at_resume(builder, resume, &class_number);
    if (!status && class_number != LOUPE_NONE)
        builder->classes[block] = class_number;
    return status;
}

enum loupe_status loupe_heap_name_by_itself(struct loupe_snapshot_builder *builder,
                                            uint32_t block) {
    bool done;
    if (!builder->vtables.count || !is_free(builder, block))
        return LOUPE_OK;
    enum loupe_status status = take_exception(builder, block, &done);
    if (status || done)
        return status;
    enum loupe_cxx_shape shape = loupe_cxx_shape_in(builder->target, memory_of(builder, block));
    return shape == LOUPE_CXX_NO_SHAPE ? take_coroutine(builder, block)
                                       : call_it(builder, block, shape);
}

/* ---- Behind the ends of vectors ---- */

static bool is_behind_end(const struct loupe_snapshot_builder *builder,
                          const struct loupe_counted_word *word) {
    uint32_t used;
    return loupe_map_find(&builder->vector_ends, word->from, &used) &&
           *(const uint32_t *)loupe_vector_at(&builder->words.slots, word->word,
                                              sizeof(uint32_t)) >= used;
}

void loupe_heap_forget_behind_ends(struct loupe_snapshot_builder *builder) {
    struct loupe_vector *words = &builder->counted_words;
    uint32_t kept = 0;
    for (uint32_t i = 0; builder->vector_ends.count && i < words->count; i++) {
        struct loupe_counted_word *word = loupe_vector_at(words, i, sizeof(*word));
        struct loupe_counted *counted = loupe_heap_counted(
            builder,
            *(const uint32_t *)loupe_vector_at(&builder->words.to, word->word, sizeof(uint32_t)));
        if (counted && !counted->is_swifts && counted->found && is_behind_end(builder, word))
            counted->found--;
        else
            *(struct loupe_counted_word *)loupe_vector_at(words, kept++, sizeof(*word)) = *word;
    }
    words->count = builder->vector_ends.count ? kept : words->count;
}
