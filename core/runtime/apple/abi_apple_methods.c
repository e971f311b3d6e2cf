/* The methods of Apple's classes: objc-runtime-new.h of objc4-723 to objc4-951 (method_t). */
#include "runtime/apple/abi_apple.h"

#include <string.h>

enum {
    ENTRY_SIZE_BITS = 0xfffc,
    MAX_METHODS = 1 << 16, /* of one list */
    MAX_LISTS = 1 << 14    /* of one class */
};
/* Of the first number of a list. Selectors in the cache are relative to a place that only the
 * runtime knows. */
static const uint32_t relative_entries = UINT32_C(1) << 31, selectors_in_cache = UINT32_C(1) << 30;

/* The words of an entry: pointers, or 32-bit distances from where they stand. */
enum { METHOD_NAME, METHOD_TYPES, METHOD_CODE, METHOD_WORDS };

/* The form of a cursor's entries. */
enum { ENTRIES_OF_POINTERS, ENTRIES_OF_DISTANCES, ENTRIES_WITHOUT_SELECTORS };

/* ---- One list ---- */

static bool begin_list(struct loupe_target *target, loupe_addr list,
                       struct loupe_method_cursor *cursor) {
    uint32_t header[2];
    if (loupe_memory_read(target->memory, list, header, sizeof(header)))
        return false;
    bool relative = (header[0] & relative_entries) != 0;
    uint32_t least = METHOD_WORDS * (relative ? 4u : target->memory->machine.pointer_size);
    cursor->entry = list + sizeof(header);
    cursor->entry_size = header[0] & ENTRY_SIZE_BITS;
    if (cursor->entry_size < least || header[1] > MAX_METHODS)
        return false;
    cursor->entries_left = header[1];
    cursor->form = !relative                        ? ENTRIES_OF_POINTERS
                   : header[0] & selectors_in_cache ? ENTRIES_WITHOUT_SELECTORS
                                                    : ENTRIES_OF_DISTANCES;
    return true;
}

/* What a word of the entry leads to; 0: unreadable. */
static loupe_addr entry_pointer(struct loupe_target *target,
                                const struct loupe_method_cursor *cursor, unsigned word) {
    loupe_addr place = cursor->entry, found;
    uint32_t distance;
    if (cursor->form == ENTRIES_OF_POINTERS)
        return loupe_memory_read_pointer(target->memory, abi_word(target, place, word), &found)
                   ? 0
                   : found;
    place += word * sizeof(distance);
    if (loupe_memory_read_u32(target->memory, place, &distance))
        return 0;
    return place + (uint64_t)(int64_t)(int32_t)distance;
}

/* Distances lead to the variable that holds the selector. */
static loupe_addr entry_selector(struct loupe_target *target,
                                 const struct loupe_method_cursor *cursor) {
    if (cursor->form == ENTRIES_WITHOUT_SELECTORS)
        return 0;
    loupe_addr name = entry_pointer(target, cursor, METHOD_NAME);
    if (cursor->form == ENTRIES_OF_DISTANCES &&
        (!name || loupe_memory_read_pointer(target->memory, name, &name)))
        return 0;
    return name;
}

/* ---- All lists of a class ---- */

/*
 * What leads to methods: nothing, one list, or by its low bits several. class_ro's word leads to a
 * list of lists in the shared cache, each by its distance; class_rw's and class_rw_ext's to an
 * array of pointers, each of them as class_ro's.
 */
enum { SEVERAL = 1, KIND_BITS = 3 };

/* An entry is the number of an image in 16 bits, and the list's distance from there. */
static bool begin_nested(struct loupe_target *target, loupe_addr lists,
                         struct loupe_method_cursor *cursor) {
    enum { NESTED_ENTRY = 8 };
    uint32_t header[2];
    if (loupe_memory_read(target->memory, lists, header, sizeof(header)) ||
        header[0] != NESTED_ENTRY || header[1] > MAX_LISTS)
        return false;
    cursor->nested = lists + sizeof(header);
    cursor->nested_left = header[1];
    return true;
}

static bool begin_word(struct loupe_target *target, loupe_addr word,
                       struct loupe_method_cursor *cursor) {
    loupe_addr address = word & ~(loupe_addr)KIND_BITS;
    if (!address)
        return true;
    return word & KIND_BITS ? begin_nested(target, address, cursor)
                            : begin_list(target, address, cursor);
}

static bool begin_next_nested(struct loupe_target *target, struct loupe_method_cursor *cursor) {
    enum { IMAGE_BITS = 16 };
    uint64_t entry;
    loupe_addr place = cursor->nested;
    cursor->nested_left--;
    cursor->nested += sizeof(entry);
    if (loupe_memory_read_u64(target->memory, place, &entry))
        return false;
    uint64_t distance = entry >> IMAGE_BITS;
    if (entry >> 63)
        distance |= ~(UINT64_MAX >> IMAGE_BITS);
    return begin_list(target, place + distance, cursor);
}

static bool begin_next_of_array(struct loupe_target *target, struct loupe_method_cursor *cursor) {
    loupe_addr place = cursor->lists, word;
    cursor->lists_left--;
    cursor->lists = abi_word(target, place, 1);
    return loupe_memory_read_pointer(target->memory, place, &word) == LOUPE_OK &&
           begin_word(target, word, cursor);
}

static bool begin_array(struct loupe_target *target, loupe_addr array,
                        struct loupe_method_cursor *cursor) {
    struct loupe_method_cursor first = {.lists = abi_word(target, array, 1), .lists_left = 1};
    uint32_t count;
    if (loupe_memory_read_u32(target->memory, array, &count) || !count || count > MAX_LISTS ||
        !begin_next_of_array(target, &first))
        return false;
    cursor->lists = abi_word(target, array, 1);
    cursor->lists_left = count;
    return true;
}

/* Where the class was changed at run time, the word that leads to all its lists; else 0. */
static loupe_addr changed_lists(struct loupe_target *target, const struct loupe_class *cls) {
    enum { EXT_METHODS = 1, OLD_RW_METHODS = 1 };
    struct apple_rw rw;
    loupe_addr word = 0, place;
    if (!apple_find_rw(target, cls->address, &rw))
        return 0;
    if (rw.ext)
        place = abi_word(target, rw.ext, EXT_METHODS);
    else if (!apple_state_of(target)->has_rw_ext)
        place = abi_word(target, rw.address + 8, OLD_RW_METHODS);
    else
        return 0;
    return loupe_memory_read_pointer(target->memory, place, &word) ? 0 : word;
}

static bool begin_class(struct loupe_target *target, const struct loupe_class *cls,
                        struct loupe_method_cursor *cursor) {
    loupe_addr word = changed_lists(target, cls);
    cursor->begun = true;
    if ((word & SEVERAL) && begin_array(target, word & ~(loupe_addr)KIND_BITS, cursor))
        return true;
    cursor->damaged = (word & SEVERAL) != 0;
    if ((!word || cursor->damaged) &&
        loupe_memory_read_pointer(target->memory,
                                  apple_ro_word(target, cls->data, APPLE_RO_METHODS), &word))
        return false;
    return begin_word(target, word, cursor);
}

/* What is not to be believed is passed over, with what comes behind it in the same table. */
static bool begin_next_list(struct loupe_target *target, const struct loupe_class *cls,
                            struct loupe_method_cursor *cursor) {
    if (!cursor->begun)
        cursor->damaged |= !begin_class(target, cls, cursor);
    else if (cursor->nested_left)
        cursor->damaged |= !begin_next_nested(target, cursor);
    else if (cursor->lists_left)
        cursor->damaged |= !begin_next_of_array(target, cursor);
    else
        return false;
    return true;
}

bool apple_next_method(struct loupe_target *target, const struct loupe_class *cls,
                       struct loupe_method_cursor *cursor, struct loupe_method *ret) {
    while (!cursor->entries_left) {
        if (!begin_next_list(target, cls, cursor))
            return false;
    }
    *ret = (struct loupe_method){.code = entry_pointer(target, cursor, METHOD_CODE),
                                 .selector = entry_selector(target, cursor)};
    cursor->entry += cursor->entry_size;
    cursor->entries_left--;
    return true;
}

/* A selector is its name. */
bool apple_selector_name(struct loupe_target *target, loupe_addr selector, char *dst, size_t cap) {
    return abi_read_selector_name(target, selector, dst, cap);
}

/* ---- .cxx_destruct ---- */

loupe_addr apple_ivar_destructor(struct loupe_target *target, const struct loupe_class *cls) {
    static const char wanted[] = ".cxx_destruct";
    struct loupe_method_cursor cursor = {.begun = false};
    struct loupe_method method;
    while (apple_next_method(target, cls, &cursor, &method)) {
        char name[sizeof(wanted)];
        if (method.selector &&
            !loupe_memory_read(target->memory, method.selector, name, sizeof(name)) &&
            memcmp(name, wanted, sizeof(wanted)) == 0)
            return method.code;
    }
    return 0;
}
