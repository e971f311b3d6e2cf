/*
 * The methods of libobjc2's classes (method.h, selector.h, selector_table.cc). A selector that was
 * registered holds its number in the table of selectors, each of which is a list of texts: its
 * name, then types.
 */
#include "runtime/gnu/abi_gnustep2.h"

enum { CLASS_SIBLING = 12 }; /* word of a class */

static const struct gnu_method_form form = {.size_word = 2,
                                            .first_word = 3,
                                            .entry_words = 3,
                                            .code_word = 0,
                                            .selector_word = 1,
                                            .types_word = 2};

bool gnustep2_next_method(struct loupe_target *target, const struct loupe_class *cls,
                          struct loupe_method_cursor *cursor, struct loupe_method *ret) {
    return gnu_next_method(target, cls->address, &form, cursor, ret);
}

unsigned gnustep2_relatives(struct loupe_target *target, const struct loupe_class *cls,
                            loupe_addr ret[LOUPE_MAX_RELATIVES]) {
    return gnu_relatives(target, cls, CLASS_SIBLING, ret);
}

/* ---- Names of selectors ---- */

static void find_table(struct loupe_target *target, struct gnustep2_state *state) {
    static const char *const names[] = {"_ZN12_GLOBAL__N_113selector_listE", "_ZL13selector_list",
                                        "selector_list"};
    state->looked_for_selectors = true;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]) && !state->selectors; i++)
        loupe_memory_find_symbol(target->memory, names[i], &state->selectors);
}

/* A std::vector of std::forward_list: the first node of a list leads to the next one, and its text.
 */
static bool name_numbered(struct loupe_target *target, uint64_t number, loupe_addr *ret) {
    enum { VECTOR_BEGIN, VECTOR_END, NODE_TEXT = 1 };
    struct loupe_memory *memory = target->memory;
    loupe_addr table, begin, end, node;
    return !loupe_memory_read_pointer(memory, gnustep2_state_of(target)->selectors, &table) &&
           !loupe_memory_read_pointer(memory, abi_word(target, table, VECTOR_BEGIN), &begin) &&
           !loupe_memory_read_pointer(memory, abi_word(target, table, VECTOR_END), &end) &&
           begin <= end && number < (end - begin) / memory->machine.pointer_size &&
           !loupe_memory_read_pointer(memory, abi_word(target, begin, (unsigned)number), &node) &&
           !loupe_memory_read_pointer(memory, abi_word(target, node, NODE_TEXT), ret);
}

bool gnustep2_selector_name(struct loupe_target *target, loupe_addr selector, char *dst,
                            size_t cap) {
    struct gnustep2_state *state = gnustep2_state_of(target);
    uint64_t number;
    loupe_addr name;
    if (!state->looked_for_selectors)
        find_table(target, state);
    return state->selectors && !loupe_memory_read_word(target->memory, selector, &number) &&
           name_numbered(target, number, &name) && abi_read_selector_name(target, name, dst, cap);
}
