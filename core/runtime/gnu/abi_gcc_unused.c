/*
 * What is left over in memory of GCC's runtime, which it does not clear.
 *
 * Behind texts: gnustep-base adds methods to its classes by dozens, and class_addMethod() makes a
 * list of one method for each (class.c, selector.c), with a copy of its encoding. Of a copy of
 * eight bytes malloc gives three words, of which two have what stood there before.
 *
 * Behind entries of the table of classes (class.c), four words each, for the same reason: malloc
 * gives a piece whole if what would be left of it is too small for another.
 *
 * In tables of methods (sarray.h): a version and a count are smaller than their words. What stood
 * above the count is the upper part of a pointer, which leads near to where that led.
 */
#include "runtime/gnu/abi_gcc.h"

enum { LIST_NEXT, LIST_COUNT, METHOD_SELECTOR, METHOD_TYPES };
enum { CLASS_METHODS = GNU_CLASS_WORD_COUNT, CLASS_TABLE, MAX_LISTS = 1 << 12 };
enum { TABLE_VERSION = 2, TABLE_COUNT = 3 }; /* words of a table */
enum { ENTRY_WORDS = 4 };
enum { LONGEST_TYPES = 256 };

/* The next class, or the metaclass of the last one. False: there is none. */
static bool next_lists(struct loupe_target *target, struct gcc_unused *at) {
    loupe_addr cls;
    if (at->metaclass) {
        cls = at->metaclass;
        at->metaclass = 0;
    } else if (!gcc_next_class(target, &at->classes, &cls)) {
        return false;
    } else {
        at->entry = at->classes.entry;
        if (loupe_memory_read_pointer(target->memory, abi_word(target, cls, GNU_CLASS_ISA),
                                      &at->metaclass))
            at->metaclass = 0;
    }
    at->lists_left = MAX_LISTS;
    if (loupe_memory_read_pointer(target->memory, abi_word(target, cls, CLASS_METHODS), &at->list))
        at->list = 0;
    if (loupe_memory_read_pointer(target->memory, abi_word(target, cls, CLASS_TABLE), &at->table))
        at->table = 0;
    return true;
}

static bool take_table(struct loupe_target *target, struct gcc_unused *at,
                       struct loupe_range *ret) {
    loupe_addr table = at->table;
    at->table = 0;
    *ret = (struct loupe_range){abi_word(target, table, TABLE_VERSION),
                                abi_word(target, table, TABLE_COUNT + 1)};
    return table && table % target->memory->machine.pointer_size == 0;
}

/* The encoding of the next method that is alone in its list; 0: this list has another number. */
static loupe_addr take_list(struct loupe_target *target, struct gcc_unused *at) {
    loupe_addr list = at->list, types;
    uint32_t count;
    if (!at->lists_left-- ||
        loupe_memory_read_pointer(target->memory, abi_word(target, list, LIST_NEXT), &at->list))
        at->list = 0;
    return loupe_memory_read_u32(target->memory, abi_word(target, list, LIST_COUNT), &count) ||
                   count != 1 ||
                   loupe_memory_read_pointer(target->memory, abi_word(target, list, METHOD_TYPES),
                                             &types)
               ? 0
               : types;
}

/* Behind what is used of memory of glibc's malloc, up to the end of what that gave for it: its size
 * stands before it. Elsewhere that word is another, and nothing is known. */
static bool find_rest(struct loupe_target *target, loupe_addr start, uint64_t used,
                      struct loupe_range *ret) {
    enum { CHUNK_FLAGS = 7 };
    uint8_t word = target->memory->machine.pointer_size;
    uint64_t unit = 2u * word, least = 3u * word, chunk;
    if (!start || start % word || loupe_memory_read_word(target->memory, start - word, &chunk))
        return false;
    uint64_t wanted = ((used + word + unit - 1) & ~(unit - 1)) - word;
    uint64_t given = (chunk & ~(uint64_t)CHUNK_FLAGS) - word;
    wanted = wanted < least ? least : wanted;
    if (given != wanted && given != wanted + unit)
        return false;
    *ret =
        (struct loupe_range){start + ((used + word - 1) & ~(uint64_t)(word - 1u)), start + given};
    return ret->start < ret->end;
}

static bool find_rest_of_types(struct loupe_target *target, loupe_addr text,
                               struct loupe_range *ret) {
    char types[LONGEST_TYPES];
    size_t length;
    return text && !loupe_memory_read_string(target->memory, text, types, sizeof(types), &length) &&
           find_rest(target, text, length + 1, ret);
}

static bool find_rest_of_entry(struct loupe_target *target, struct gcc_unused *at,
                               struct loupe_range *ret) {
    loupe_addr entry = at->entry;
    at->entry = 0;
    return find_rest(target, entry, abi_word(target, 0, ENTRY_WORDS), ret);
}

bool gcc_next_unused(struct loupe_target *target, uint64_t *cursor, struct loupe_range *ret) {
    struct gcc_unused *at = &gcc_state_of(target)->unused;
    if (!*cursor)
        *at = (struct gcc_unused){.list = 0};
    for (*cursor = 1;;) {
        if (take_table(target, at, ret) || find_rest_of_entry(target, at, ret))
            return true;
        if (at->list && find_rest_of_types(target, take_list(target, at), ret))
            return true;
        if (!at->list && (loupe_memory_interrupted(target->memory) || !next_lists(target, at)))
            return false;
    }
}
