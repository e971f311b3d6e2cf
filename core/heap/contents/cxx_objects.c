/* Objects of C++ in blocks, by their vtables. */
#include "cxx/closure.h"
#include "heap/snapshot_builder.h"

enum { MOST_LEVELS = 32, MOST_CLASS_NAME = 2048 };

/* Words that are none come in any number: a place that a vtable may be is in no block. */
static bool may_be_vtable(const struct loupe_snapshot_builder *builder, uint64_t word) {
    uint32_t block;
    loupe_addr address = loupe_memory_strip(builder->target->memory, word);
    return address >= LOUPE_PAGE_SIZE &&
           address % builder->target->memory->machine.pointer_size == 0 &&
           loupe_ranges_hold(&builder->readable, address) &&
           !loupe_blocks_find(builder->blocks, address, &block);
}

bool loupe_heap_may_be_code(const struct loupe_snapshot_builder *builder, uint64_t word) {
    uint32_t block;
    loupe_addr address = loupe_memory_strip(builder->target->memory, word);
    return address >= LOUPE_PAGE_SIZE && loupe_ranges_hold(&builder->readable, address) &&
           !loupe_blocks_find(builder->blocks, address, &block);
}

/* A class has a typeinfo in each image that knows it, and all have its name. */
static enum loupe_status class_of_typeinfo(struct loupe_snapshot_builder *builder,
                                           const struct loupe_typeinfo *typeinfo, uint32_t *ret,
                                           bool *is_new) {
    char name[MOST_CLASS_NAME];
    loupe_cxx_class_name(typeinfo->name, name, sizeof(name));
    *ret = loupe_heap_class_called(&builder->tables, name, is_new);
    return *ret == LOUPE_NONE ? LOUPE_ENOMEM : LOUPE_OK;
}

/* Its bases that come first, one after the other, up to one that is known. */
static enum loupe_status add_bases(struct loupe_snapshot_builder *builder,
                                   struct loupe_typeinfo *typeinfo, uint32_t class_number) {
    /* Cap: bases further up, which no program has. */
    for (unsigned level = 0; level < MOST_LEVELS; level++) {
        uint32_t base;
        bool is_new;
        loupe_addr address = loupe_typeinfo_base(builder->target, typeinfo);
        if (!address ||
            !loupe_typeinfo_at(builder->target, &builder->typeinfo_kinds, address, typeinfo))
            break;
        enum loupe_status status = class_of_typeinfo(builder, typeinfo, &base, &is_new);
        if (status || base == class_number)
            return status;
        loupe_heap_class_entry(&builder->tables, class_number)->superclass = base;
        if (!is_new)
            break;
        class_number = base;
    }
    return LOUPE_OK;
}

/* Objects of the class count what shared_ptrs share, if it is one of those. */
static enum loupe_status add_control(struct loupe_snapshot_builder *builder, uint64_t vtable,
                                     const char *mangled, uint32_t class_number) {
    char managed[MOST_CLASS_NAME];
    struct loupe_control_class control;
    bool ignored;
    if (!loupe_cxx_control_layout(mangled, &control.layout, managed, sizeof(managed)))
        return LOUPE_OK;
    control.managed = loupe_heap_class_called(&builder->tables, managed, &ignored);
    struct loupe_control_class *added =
        control.managed == LOUPE_NONE ? NULL : loupe_vector_add(&builder->controls);
    if (!added)
        return LOUPE_ENOMEM;
    *added = control;
    struct loupe_heap_class *about = loupe_heap_class_at(&builder->tables, class_number);
    about->counts = true;
    if (control.layout.holds_object)
        about->place = loupe_heap_object_in_control(builder, &control.layout);
    return loupe_map_put(&builder->control_vtables, vtable, builder->controls.count - 1);
}

static enum loupe_status look_at_vtable(struct loupe_snapshot_builder *builder, uint64_t word,
                                        uint32_t *ret) {
    struct loupe_typeinfo typeinfo;
    bool is_new;
    *ret = LOUPE_NONE;
    if (!may_be_vtable(builder, word) ||
        !loupe_vtable_at(builder->target, &builder->typeinfo_kinds, word, &typeinfo))
        return LOUPE_OK;
    enum loupe_status status = class_of_typeinfo(builder, &typeinfo, ret, &is_new);
    if (!status)
        status = add_control(builder, word, typeinfo.name, *ret);
    if (!status && is_new)
        status = add_bases(builder, &typeinfo, *ret);
    return status ? status : loupe_map_put(&builder->vtables, word, *ret);
}

/* LOUPE_NONE: objects that begin with the word are of no class of C++. */
static enum loupe_status class_of_vtable(struct loupe_snapshot_builder *builder, uint64_t word,
                                         uint32_t *ret) {
    struct loupe_known_word *known = &builder->recent_vtables[loupe_hash(word) % LOUPE_KNOWN_WORDS];
    enum loupe_status status = LOUPE_OK;
    *ret = LOUPE_NONE;
    if (word < LOUPE_PAGE_SIZE)
        return LOUPE_OK;
    if (known->word != word) {
        if (!loupe_map_find(&builder->vtables, word, &known->class_number))
            status = look_at_vtable(builder, word, &known->class_number);
        known->word = status ? 0 : word;
    }
    *ret = status ? LOUPE_NONE : known->class_number;
    return status;
}

/* ---- Arrays: new T[n] keeps n before the elements, where those have to be destroyed ---- */

/* Whether the second element begins as the first one does, where an array of so many fills the
 * block; what an allocator gave beyond what was asked for is no larger than an element of its own.
 */
static bool is_array(const struct loupe_snapshot_builder *builder, uint32_t block, uint64_t count,
                     uint64_t vtable) {
    enum { MOST_SLACK = 24 };
    unsigned word = builder->target->memory->machine.pointer_size;
    loupe_addr first = builder->blocks->starts[block] + word;
    uint64_t room = loupe_blocks_size(builder->blocks, block) - word, second;
    for (uint64_t stride = room / count / word * word;
         stride >= word && stride * count + MOST_SLACK >= room; stride -= word) {
        if (!loupe_memory_read_word(builder->target->memory, first + stride, &second) &&
            second == vtable)
            return true;
    }
    return false;
}

static enum loupe_status take_array(struct loupe_snapshot_builder *builder, uint32_t block,
                                    uint64_t count) {
    unsigned word = builder->target->memory->machine.pointer_size;
    uint64_t size = loupe_blocks_size(builder->blocks, block), vtable;
    uint32_t element, class_number;
    if (count < 2 || count > size / word - 1 ||
        loupe_memory_read_word(builder->target->memory, builder->blocks->starts[block] + word,
                               &vtable))
        return LOUPE_OK;
    enum loupe_status status = class_of_vtable(builder, vtable, &element);
    if (status || element == LOUPE_NONE || !is_array(builder, block, count, vtable))
        return status;
    status = loupe_heap_class_like(&builder->tables, element, "[]", &class_number);
    if (!status)
        builder->classes[block] = class_number;
    return status;
}

/* ---- One block ---- */

enum loupe_status loupe_heap_take_cxx_object(struct loupe_snapshot_builder *builder, uint32_t block,
                                             uint64_t first) {
    uint32_t class_number;
    enum loupe_status status = class_of_vtable(builder, first, &class_number);
    if (status)
        return status;
    if (class_number == LOUPE_NONE)
        return take_array(builder, block, first);
    builder->classes[block] = class_number;
    if (loupe_heap_class_at(&builder->tables, class_number)->counts)
        builder->marks[block] |= LOUPE_HEAP_CONTROL << LOUPE_HEAP_FORM_SHIFT;
    return LOUPE_OK;
}

/* ---- Closures: a std::function is {what it keeps, another word, its manager, its invoker} ---- */

static enum loupe_status look_at_manager(struct loupe_snapshot_builder *builder, loupe_addr manager,
                                         uint32_t *ret) {
    struct loupe_typeinfo typeinfo;
    uint32_t closure;
    bool ignored;
    *ret = LOUPE_NONE;
    enum loupe_status status = LOUPE_OK;
    if (loupe_cxx_closure_managed_by(builder->target, &builder->typeinfo_kinds, manager,
                                     &typeinfo)) {
        status = class_of_typeinfo(builder, &typeinfo, &closure, &ignored);
        if (!status)
            status = loupe_heap_class_like(&builder->tables, closure, " (std::function)", ret);
    }
    return status ? status : loupe_map_put(&builder->closures, manager, *ret);
}

enum loupe_status loupe_heap_name_closure(struct loupe_snapshot_builder *builder,
                                          const struct loupe_waiting_word *waiting,
                                          uint32_t block) {
    unsigned word = builder->target->memory->machine.pointer_size;
    uint32_t class_number;
    uint64_t manager, invoker;
    if (loupe_memory_read_word(builder->target->memory, waiting->place + 2 * word, &manager) ||
        loupe_memory_read_word(builder->target->memory, waiting->place + 3 * word, &invoker) ||
        !loupe_heap_may_be_code(builder, manager) || !loupe_heap_may_be_code(builder, invoker))
        return LOUPE_OK;
    enum loupe_status status = loupe_map_find(&builder->closures, manager, &class_number)
                                   ? LOUPE_OK
                                   : look_at_manager(builder, manager, &class_number);
    if (!status && class_number != LOUPE_NONE)
        builder->classes[block] = class_number;
    return status;
}
