/*
 * The classes of a program by libobjc's own table (class.c): gnustep-base as GCC compiles it gives
 * its classes no symbols. The table has none either, but stands behind a variable that has one, and
 * an entry shows that it is one: it has the length of the name that its class has.
 */
#include "runtime/gnu/abi_gcc.h"

enum { NODE_NEXT, NODE_NAME, NODE_LENGTH, NODE_CLASS };
enum { TABLE_SIZE = 1024, WORDS_AROUND = 64, MAX_NODES = 1 << 20 };

static bool is_length_of_name(struct loupe_target *target, loupe_addr node, loupe_addr cls) {
    char text[LOUPE_MAX_CLASS_NAME];
    loupe_addr name;
    uint32_t length;
    size_t found;
    return !loupe_memory_read_u32(target->memory, abi_word(target, node, NODE_LENGTH), &length) &&
           !loupe_memory_read_pointer(target->memory, abi_word(target, cls, GNU_CLASS_NAME),
                                      &name) &&
           !loupe_memory_read_string(target->memory, name, text, sizeof(text), &found) &&
           found == length && found;
}

/* The class of an entry, and the one behind it in its place. 0: it is none. */
static loupe_addr read_node(struct loupe_target *target, struct loupe_class_cursor *cursor) {
    loupe_addr node = cursor->node, cls;
    cursor->node = 0;
    cursor->entry = node;
    if (loupe_memory_read_pointer(target->memory, abi_word(target, node, NODE_CLASS), &cls) ||
        !cls || !is_length_of_name(target, node, cls) ||
        loupe_memory_read_pointer(target->memory, abi_word(target, node, NODE_NEXT), &cursor->node))
        return 0;
    return cls;
}

bool gcc_next_class(struct loupe_target *target, struct loupe_class_cursor *cursor,
                    loupe_addr *ret) {
    enum { PLACES = TABLE_SIZE + WORDS_AROUND };
    if (!cursor->table &&
        loupe_memory_find_symbol(target->memory, "_objc_lookup_class", &cursor->table))
        return false;
    /* Cap: all of a table. */
    while (cursor->node || cursor->place < PLACES) {
        if (cursor->seen == MAX_NODES) {
            loupe_findings_add(&target->findings, LOUPE_FINDING_LIMIT, cursor->table);
            return false;
        }
        if (!cursor->node &&
            loupe_memory_read_pointer(
                target->memory, abi_word(target, cursor->table, cursor->place++), &cursor->node))
            return false;
        cursor->seen++;
        *ret = cursor->node ? read_node(target, cursor) : 0;
        if (*ret)
            return true;
        cursor->node = 0;
    }
    return false;
}
