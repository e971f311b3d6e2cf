/*
 * The methods of libobjc2's classes (method.h, selector.h, selector_table.cc). A selector that was
 * registered holds its number in the table of selectors, each of which is a list of texts: its
 * name, then types.
 */
#include "runtime/gnu/abi_gnustep2.h"

#include "code/reading.h"

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

static bool has_recorded_release(struct loupe_target *target, const struct loupe_class *cls) {
    struct loupe_method_cursor cursor = {.begun = false};
    struct loupe_method method;
    while (gnustep2_next_method(target, cls, &cursor, &method)) {
        if (gnu_is_recorded_release(target, &gnustep2_state_of(target)->recorder, method.code))
            return true;
    }
    return false;
}

const struct loupe_class *gnustep2_counted_as(struct loupe_target *target,
                                              const struct loupe_class *cls) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level;
    while ((level = loupe_class_chain_next(target, &chain))) {
        if (has_recorded_release(target, level)) {
            level = loupe_class_chain_next(target, &chain);
            return level ? level : cls;
        }
    }
    return cls;
}

unsigned gnustep2_relatives(struct loupe_target *target, const struct loupe_class *cls,
                            loupe_addr ret[LOUPE_MAX_RELATIVES]) {
    return gnu_relatives(target, cls, CLASS_SIBLING, ret);
}

/* ---- Names of selectors ---- */

/* Where a std::vector has its elements. */
struct elements {
    loupe_addr begin, end;
};

static bool read_elements(struct loupe_target *target, loupe_addr variable, struct elements *ret) {
    loupe_addr vector;
    return !loupe_memory_read_pointer(target->memory, variable, &vector) &&
           !loupe_memory_read_pointer(target->memory, vector, &ret->begin) &&
           !loupe_memory_read_pointer(target->memory, abi_word(target, vector, 1), &ret->end) &&
           ret->begin && ret->begin <= ret->end;
}

/* Of std::forward_list: the first node of a list leads to the next one, and its text. */
static bool name_numbered(struct loupe_target *target, const struct elements *elements,
                          uint64_t number, char *dst, size_t cap) {
    enum { NODE_TEXT = 1 };
    struct loupe_memory *memory = target->memory;
    loupe_addr node, name;
    return number < (elements->end - elements->begin) / memory->machine.pointer_size &&
           !loupe_memory_read_pointer(memory, abi_word(target, elements->begin, (unsigned)number),
                                      &node) &&
           !loupe_memory_read_pointer(memory, abi_word(target, node, NODE_TEXT), &name) &&
           abi_read_selector_name(target, name, dst, cap);
}

/* The first ones are empty, 65,536 of them: numbers begin behind them. */
static bool is_table(struct loupe_target *target, loupe_addr variable) {
    enum { NAMES_ENOUGH = 16 };
    struct elements elements;
    char name[LOUPE_MAX_SELECTOR];
    if (!read_elements(target, variable, &elements))
        return false;
    uint64_t count = (elements.end - elements.begin) / target->memory->machine.pointer_size;
    /* Cap: enough to believe it; without, there are no names. */
    for (unsigned last = 1; last <= NAMES_ENOUGH; last++) {
        if (last > count || !name_numbered(target, &elements, count - last, name, sizeof(name)))
            return false;
    }
    return true;
}

/* Of a library that was stripped: a variable that the function which names selectors refers to. */
static loupe_addr find_table_by_code(struct loupe_target *target) {
    struct loupe_code_reading reading;
    loupe_addr code, found = 0;
    if (loupe_memory_find_symbol(target->memory, "sel_getName", &code))
        return 0;
    loupe_code_reading_init(&reading, target->memory, target->chunks);
    loupe_code_reading_follow(&reading, code);
    for (uint32_t i = 0; i < reading.references.count && !found; i++) {
        loupe_addr variable =
            *(const loupe_addr *)loupe_vector_at(&reading.references, i, sizeof(variable));
        found = is_table(target, variable) ? variable : 0;
    }
    loupe_code_reading_deinit(&reading);
    return found;
}

static loupe_addr find_table(struct loupe_target *target) {
    static const char *const names[] = {"_ZN12_GLOBAL__N_113selector_listE", "_ZL13selector_list",
                                        "selector_list"};
    loupe_addr found;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!loupe_memory_find_symbol(target->memory, names[i], &found))
            return found;
    }
    return find_table_by_code(target);
}

bool gnustep2_selector_name(struct loupe_target *target, loupe_addr selector, char *dst,
                            size_t cap) {
    struct gnustep2_state *state = gnustep2_state_of(target);
    struct elements elements;
    uint64_t number;
    if (!state->looked_for_selectors) {
        state->looked_for_selectors = true;
        state->selectors = find_table(target);
    }
    return state->selectors && !loupe_memory_read_word(target->memory, selector, &number) &&
           read_elements(target, state->selectors, &elements) &&
           name_numbered(target, &elements, number, dst, cap);
}
