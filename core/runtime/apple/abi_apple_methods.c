/* The methods of Apple's classes: objc-runtime-new.h of objc4-750 to objc4-951 (method_t). */
#include "runtime/apple/abi_apple.h"

#include <string.h>

enum {
    IS_LIST_OF_LISTS = 1, /* of the word: in the shared cache */
    ENTRY_SIZE_BITS = 0xfffc,
    MAX_METHODS = 1 << 16
};
/* Of the first number of a list. Selectors in the cache are relative to a place that only the
 * runtime knows. */
static const uint32_t relative_entries = UINT32_C(1) << 31, selectors_in_cache = UINT32_C(1) << 30;

/* The words of an entry: pointers, or 32-bit distances from where they stand. */
enum { METHOD_NAME, METHOD_TYPES, METHOD_CODE, METHOD_WORDS };

struct method_list {
    loupe_addr first;
    uint32_t entry_size, count;
    bool relative;
};

static bool read_list(struct loupe_target *target, const struct loupe_class *cls,
                      struct method_list *ret) {
    struct loupe_memory *memory = target->memory;
    uint8_t pointer_size = memory->machine.pointer_size;
    loupe_addr list;
    uint32_t header[2];
    if (loupe_memory_read_pointer(memory, apple_ro_word(target, cls->data, APPLE_RO_METHODS),
                                  &list) ||
        !list || (list & IS_LIST_OF_LISTS) ||
        loupe_memory_read(memory, list, header, sizeof(header)))
        return false;
    bool relative = (header[0] & relative_entries) != 0;
    uint32_t least = METHOD_WORDS * (relative ? 4u : pointer_size);
    *ret = (struct method_list){.first = list + sizeof(header),
                                .entry_size = header[0] & ENTRY_SIZE_BITS,
                                .count = header[1],
                                .relative = relative};
    return !(relative && (header[0] & selectors_in_cache)) && ret->entry_size >= least &&
           ret->count <= MAX_METHODS;
}

/* What a word of an entry leads to; 0: unreadable. */
static loupe_addr entry_pointer(struct loupe_target *target, const struct method_list *list,
                                uint32_t index, unsigned word) {
    loupe_addr entry = list->first + (loupe_addr)index * list->entry_size, found;
    uint32_t distance;
    if (!list->relative)
        return loupe_memory_read_pointer(target->memory, abi_word(target, entry, word), &found)
                   ? 0
                   : found;
    entry += word * sizeof(distance);
    if (loupe_memory_read_u32(target->memory, entry, &distance))
        return 0;
    return entry + (uint64_t)(int64_t)(int32_t)distance;
}

/* Relative entries lead to the variable that holds the selector. */
static loupe_addr selector_of(struct loupe_target *target, const struct method_list *list,
                              uint32_t index) {
    loupe_addr name = entry_pointer(target, list, index, METHOD_NAME);
    if (list->relative && (!name || loupe_memory_read_pointer(target->memory, name, &name)))
        return 0;
    return name;
}

loupe_addr apple_ivar_destructor(struct loupe_target *target, const struct loupe_class *cls) {
    static const char wanted[] = ".cxx_destruct";
    struct method_list list;
    if (!read_list(target, cls, &list))
        return 0;
    for (uint32_t i = 0; i < list.count; i++) {
        char name[sizeof(wanted)];
        loupe_addr selector = selector_of(target, &list, i);
        if (selector && !loupe_memory_read(target->memory, selector, name, sizeof(name)) &&
            memcmp(name, wanted, sizeof(wanted)) == 0)
            return entry_pointer(target, &list, i, METHOD_CODE);
    }
    return 0;
}
