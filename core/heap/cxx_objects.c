/* Objects of C++ in blocks, by their vtables. */
#include "cxx/closure.h"
#include "heap/maker.h"

enum { MOST_LEVELS = 32, MOST_CLASS_NAME = 2048 };

/* Words that are none come in any number: a place that a vtable may be is in no block. */
static bool may_be_vtable(const struct loupe_heap_maker *maker, uint64_t word) {
    uint32_t block;
    loupe_addr address = loupe_memory_strip(maker->target->memory, word);
    return address >= LOUPE_PAGE_SIZE &&
           address % maker->target->memory->machine.pointer_size == 0 &&
           loupe_ranges_hold(&maker->readable, address) &&
           !loupe_blocks_find(maker->blocks, address, &block);
}

/* In no block, either; functions need not be aligned. */
static bool may_be_code(const struct loupe_heap_maker *maker, uint64_t word) {
    uint32_t block;
    loupe_addr address = loupe_memory_strip(maker->target->memory, word);
    return address >= LOUPE_PAGE_SIZE && loupe_ranges_hold(&maker->readable, address) &&
           !loupe_blocks_find(maker->blocks, address, &block);
}

/* A class has a typeinfo in each image that knows it, and all have its name. */
static enum loupe_status class_of_typeinfo(struct loupe_heap_maker *maker,
                                           const struct loupe_typeinfo *typeinfo, uint32_t *ret,
                                           bool *is_new) {
    char name[MOST_CLASS_NAME];
    loupe_cxx_class_name(typeinfo->name, name, sizeof(name));
    *ret = loupe_heap_class_called(&maker->tables, name, is_new);
    return *ret == LOUPE_NONE ? LOUPE_ENOMEM : LOUPE_OK;
}

/* Its bases that come first, one after the other, up to one that is known. */
static enum loupe_status add_bases(struct loupe_heap_maker *maker, struct loupe_typeinfo *typeinfo,
                                   uint32_t class_number) {
    for (unsigned level = 0; level < MOST_LEVELS; level++) {
        uint32_t base;
        bool is_new;
        loupe_addr address = loupe_typeinfo_base(maker->target, typeinfo);
        if (!address ||
            !loupe_typeinfo_at(maker->target, &maker->typeinfo_kinds, address, typeinfo))
            break;
        enum loupe_status status = class_of_typeinfo(maker, typeinfo, &base, &is_new);
        if (status || base == class_number)
            return status;
        loupe_heap_class_entry(&maker->tables, class_number)->superclass = base;
        if (!is_new)
            break;
        class_number = base;
    }
    return LOUPE_OK;
}

/* Objects of the class count what shared_ptrs share, if it is one of those. */
static enum loupe_status add_control(struct loupe_heap_maker *maker, uint64_t vtable,
                                     const char *mangled, uint32_t class_number) {
    char managed[MOST_CLASS_NAME];
    struct loupe_control_class control;
    bool ignored;
    if (!loupe_cxx_control_layout(mangled, &control.layout, managed, sizeof(managed)))
        return LOUPE_OK;
    control.managed = loupe_heap_class_called(&maker->tables, managed, &ignored);
    struct loupe_control_class *added =
        control.managed == LOUPE_NONE ? NULL : loupe_vector_add(&maker->controls);
    if (!added)
        return LOUPE_ENOMEM;
    *added = control;
    loupe_heap_class_at(&maker->tables, class_number)->counts = true;
    return loupe_map_put(&maker->control_vtables, vtable, maker->controls.count - 1);
}

static enum loupe_status look_at_vtable(struct loupe_heap_maker *maker, uint64_t word,
                                        uint32_t *ret) {
    struct loupe_typeinfo typeinfo;
    bool is_new;
    *ret = LOUPE_NONE;
    if (!may_be_vtable(maker, word) ||
        !loupe_vtable_at(maker->target, &maker->typeinfo_kinds, word, &typeinfo))
        return LOUPE_OK;
    enum loupe_status status = class_of_typeinfo(maker, &typeinfo, ret, &is_new);
    if (!status)
        status = add_control(maker, word, typeinfo.name, *ret);
    if (!status && is_new)
        status = add_bases(maker, &typeinfo, *ret);
    return status ? status : loupe_map_put(&maker->vtables, word, *ret);
}

/* LOUPE_NONE: objects that begin with the word are of no class of C++. */
static enum loupe_status class_of_vtable(struct loupe_heap_maker *maker, uint64_t word,
                                         uint32_t *ret) {
    struct loupe_known_word *known = &maker->recent_vtables[loupe_hash(word) % LOUPE_KNOWN_WORDS];
    enum loupe_status status = LOUPE_OK;
    *ret = LOUPE_NONE;
    if (word < LOUPE_PAGE_SIZE)
        return LOUPE_OK;
    if (known->word != word) {
        if (!loupe_map_find(&maker->vtables, word, &known->class_number))
            status = look_at_vtable(maker, word, &known->class_number);
        known->word = status ? 0 : word;
    }
    *ret = status ? LOUPE_NONE : known->class_number;
    return status;
}

/* ---- Arrays: new T[n] keeps n before the elements, where those have to be destroyed ---- */

/* Whether the second element begins as the first one does, where an array of so many fills the
 * block; what an allocator gave beyond what was asked for is no larger than an element of its own.
 */
static bool is_array(const struct loupe_heap_maker *maker, uint32_t block, uint64_t count,
                     uint64_t vtable) {
    enum { MOST_SLACK = 24 };
    unsigned word = maker->target->memory->machine.pointer_size;
    loupe_addr first = maker->blocks->starts[block] + word;
    uint64_t room = loupe_blocks_size(maker->blocks, block) - word, second;
    for (uint64_t stride = room / count / word * word;
         stride >= word && stride * count + MOST_SLACK >= room; stride -= word) {
        if (!loupe_memory_read_word(maker->target->memory, first + stride, &second) &&
            second == vtable)
            return true;
    }
    return false;
}

static enum loupe_status take_array(struct loupe_heap_maker *maker, uint32_t block,
                                    uint64_t count) {
    unsigned word = maker->target->memory->machine.pointer_size;
    uint64_t size = loupe_blocks_size(maker->blocks, block), vtable;
    uint32_t element, class_number;
    if (count < 2 || count > size / word - 1 ||
        loupe_memory_read_word(maker->target->memory, maker->blocks->starts[block] + word, &vtable))
        return LOUPE_OK;
    enum loupe_status status = class_of_vtable(maker, vtable, &element);
    if (status || element == LOUPE_NONE || !is_array(maker, block, count, vtable))
        return status;
    status = loupe_heap_class_like(&maker->tables, element, "[]", &class_number);
    if (!status)
        maker->classes[block] = class_number;
    return status;
}

/* ---- One block ---- */

enum loupe_status loupe_heap_take_cxx_object(struct loupe_heap_maker *maker, uint32_t block,
                                             uint64_t first) {
    uint32_t class_number;
    enum loupe_status status = class_of_vtable(maker, first, &class_number);
    if (status)
        return status;
    if (class_number == LOUPE_NONE)
        return take_array(maker, block, first);
    maker->classes[block] = class_number;
    if (loupe_heap_class_at(&maker->tables, class_number)->counts)
        maker->marks[block] |= LOUPE_HEAP_CONTROL << LOUPE_HEAP_FORM_SHIFT;
    return LOUPE_OK;
}

/* ---- Closures: a std::function is {what it keeps, another word, its manager, its invoker} ---- */

static enum loupe_status look_at_manager(struct loupe_heap_maker *maker, loupe_addr manager,
                                         uint32_t *ret) {
    struct loupe_typeinfo typeinfo;
    uint32_t closure;
    bool ignored;
    *ret = LOUPE_NONE;
    enum loupe_status status = LOUPE_OK;
    if (loupe_cxx_closure_managed_by(maker->target, &maker->typeinfo_kinds, manager, &typeinfo)) {
        status = class_of_typeinfo(maker, &typeinfo, &closure, &ignored);
        if (!status)
            status = loupe_heap_class_like(&maker->tables, closure, " (std::function)", ret);
    }
    return status ? status : loupe_map_put(&maker->closures, manager, *ret);
}

enum loupe_status loupe_heap_name_closure(struct loupe_heap_maker *maker,
                                          const struct loupe_waiting_word *waiting,
                                          uint32_t block) {
    unsigned word = maker->target->memory->machine.pointer_size;
    uint32_t class_number;
    uint64_t manager, invoker;
    if (!maker->vtables.count || waiting->word != maker->blocks->starts[block] ||
        maker->classes[block] != loupe_heap_plain_class(&maker->tables, LOUPE_CLASS_RAW) ||
        loupe_memory_read_word(maker->target->memory, waiting->place + 2 * word, &manager) ||
        loupe_memory_read_word(maker->target->memory, waiting->place + 3 * word, &invoker) ||
        !may_be_code(maker, manager) || !may_be_code(maker, invoker))
        return LOUPE_OK;
    enum loupe_status status = loupe_map_find(&maker->closures, manager, &class_number)
                                   ? LOUPE_OK
                                   : look_at_manager(maker, manager, &class_number);
    if (!status && class_number != LOUPE_NONE)
        maker->classes[block] = class_number;
    return status;
}
