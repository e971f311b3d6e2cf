/*
 * The methods of GCC's classes (module-abi-8.h, objc-private/objc-list.h, selector.c, sarray.h).
 * Once a module is loaded its selectors have numbers, not names. The runtime's table of names is a
 * variable that no symbol leads to, but it stands near one that has a symbol, and its contents tell
 * that it is the table.
 */
#include "base/fnv.h"
#include "runtime/gnu/abi_gcc.h"

#include <string.h>

enum { CLASS_SIBLING = 10 }; /* word of a class */

static const struct gnu_method_form form = {
    .first_word = 2, .entry_words = 3, .selector_word = 0, .types_word = 1, .code_word = 2};

bool gcc_next_method(struct loupe_target *target, const struct loupe_class *cls,
                     struct loupe_method_cursor *cursor, struct loupe_method *ret) {
    return gnu_next_method(target, cls->address, &form, cursor, ret);
}

unsigned gcc_relatives(struct loupe_target *target, const struct loupe_class *cls,
                       loupe_addr ret[LOUPE_MAX_RELATIVES]) {
    return gnu_relatives(target, cls, CLASS_SIBLING, ret);
}

/* ---- Names of selectors ---- */

/* A sparse array: buckets of 32 elements each; a number is that of a bucket and an element. */
enum { ARRAY_BUCKETS = 0, ARRAY_CAPACITY = 5, BUCKET_SIZE = 32, MAX_SELECTORS = 1 << 24 };

/* The name by the two parts of a number: what its element of the table leads to. */
static bool read_name(struct loupe_target *target, loupe_addr array, uint64_t bucket,
                      uint64_t element, char *dst, size_t cap) {
    uint64_t capacity;
    loupe_addr buckets, elements, name;
    return element < BUCKET_SIZE &&
           !loupe_memory_read_word(target->memory, abi_word(target, array, ARRAY_CAPACITY),
                                   &capacity) &&
           capacity <= MAX_SELECTORS && bucket < capacity / BUCKET_SIZE &&
           !loupe_memory_read_pointer(target->memory, abi_word(target, array, ARRAY_BUCKETS),
                                      &buckets) &&
           !loupe_memory_read_pointer(target->memory, abi_word(target, buckets, (unsigned)bucket),
                                      &elements) &&
           !loupe_memory_read_pointer(target->memory, abi_word(target, elements, (unsigned)element),
                                      &name) &&
           abi_read_selector_name(target, name, dst, cap);
}

/* Numbers begin with 1 and have no gaps. Other arrays of the kind lead to code, or to lists. */
static bool is_table_of_names(struct loupe_target *target, loupe_addr array, uint32_t count) {
    enum { NAMES_ENOUGH = 2 * BUCKET_SIZE };
    char name[LOUPE_MAX_SELECTOR];
    uint32_t tried = count < NAMES_ENOUGH ? count : NAMES_ENOUGH;
    for (uint32_t number = 1; number <= tried; number++) {
        if (!read_name(target, array, number / BUCKET_SIZE, number % BUCKET_SIZE, name,
                       sizeof(name)))
            return false;
    }
    return tried != 0;
}

static loupe_addr find_names(struct loupe_target *target) {
    enum { WORDS_AROUND = 64 };
    loupe_addr count_place, array;
    uint32_t count;
    if (loupe_memory_find_symbol(target->memory, "__objc_selector_max_index", &count_place) ||
        loupe_memory_read_u32(target->memory, count_place, &count))
        return 0;
    loupe_addr first = count_place - count_place % target->memory->machine.pointer_size -
                       (loupe_addr)WORDS_AROUND * target->memory->machine.pointer_size;
    for (unsigned i = 0; i < 2 * WORDS_AROUND; i++) {
        if (!loupe_memory_read_pointer(target->memory, abi_word(target, first, i), &array) &&
            array && is_table_of_names(target, array, count))
            return array;
    }
    return 0;
}

/* The runtime's table; 0: not found. */
static loupe_addr names_of(struct loupe_target *target) {
    struct gcc_state *state = gcc_state_of(target);
    if (!state->looked_for_names)
        state->selector_names = find_names(target);
    state->looked_for_names = true;
    return state->selector_names;
}

bool gcc_selector_name(struct loupe_target *target, loupe_addr selector, char *dst, size_t cap) {
    unsigned half = target->memory->machine.pointer_size * 4u;
    loupe_addr names = names_of(target);
    uint64_t number;
    return names && !loupe_memory_read_word(target->memory, selector, &number) &&
           read_name(target, names, number & (((uint64_t)1 << half) - 1), number >> half, dst, cap);
}

/* ---- All names ---- */

static uint64_t hash_of(const char *name) {
    uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS, loupe_span_of(name));
    return hash ? hash : 1; /* 0 is a place without one */
}

static uint64_t *place_of(const struct gcc_state *state, uint64_t hash) {
    uint32_t place = (uint32_t)hash & (state->name_places - 1);
    while (state->name_hashes[place] && state->name_hashes[place] != hash)
        place = (place + 1) & (state->name_places - 1);
    return &state->name_hashes[place];
}

static void hash_names(struct loupe_target *target, loupe_addr names) {
    enum { MOST_NAMES = 1 << 18 };
    struct gcc_state *state = gcc_state_of(target);
    char name[LOUPE_MAX_SELECTOR];
    loupe_addr count_place;
    uint32_t count = 0;
    if (loupe_memory_find_symbol(target->memory, "__objc_selector_max_index", &count_place) ||
        loupe_memory_read_u32(target->memory, count_place, &count) || count > MOST_NAMES)
        return;
    for (state->name_places = 2; state->name_places <= 2 * count;)
        state->name_places *= 2;
    state->name_hashes =
        loupe_arena_alloc_array(&target->arena, state->name_places, sizeof(*state->name_hashes));
    if (!state->name_hashes)
        return;
    memset(state->name_hashes, 0, state->name_places * sizeof(*state->name_hashes));
    for (uint32_t number = 1; number <= count && !loupe_memory_interrupted(target->memory);
         number++) {
        if (read_name(target, names, number / BUCKET_SIZE, number % BUCKET_SIZE, name,
                      sizeof(name)))
            *place_of(state, hash_of(name)) = hash_of(name);
    }
}

bool gcc_has_selector(struct loupe_target *target, const char *name) {
    struct gcc_state *state = gcc_state_of(target);
    loupe_addr names = names_of(target);
    if (names && !state->looked_at_all_names)
        hash_names(target, names);
    state->looked_at_all_names = true;
    return state->name_hashes && *place_of(state, hash_of(name)) == hash_of(name);
}

/*
 * ---- Who counts retains in a way of its own: NSObject has one method that is oneway and takes
 * nothing, -release. By its type, so that it does not take names. ----
 */

enum { MAX_ROOTS = 16 };

/* The number of a method's selector; 0: it has none yet. */
static uint64_t selector_of(struct loupe_target *target, const struct loupe_method *method) {
    uint64_t number;
    return loupe_memory_read_word(target->memory, method->selector, &number) ? 0 : number;
}

/* Vv16@0:8 */
static bool is_oneway_without_arguments(struct loupe_target *target,
                                        const struct loupe_method *method) {
    char types[16];
    const char *at = types + 2;
    if (loupe_memory_read_string(target->memory, method->types, types, sizeof(types), NULL) ||
        types[0] != 'V' || types[1] != 'v')
        return false;
    while (*at >= '0' && *at <= '9')
        at++;
    if (at[0] != '@' || at[1] != '0' || at[2] != ':')
        return false;
    at += 3;
    while (*at >= '0' && *at <= '9')
        at++;
    return !*at;
}

/* Of a class without a superclass. 0: it has no such method, or several. */
static uint64_t find_release(struct loupe_target *target, loupe_addr root) {
    struct loupe_method_cursor cursor = {.begun = false};
    struct loupe_method method;
    uint64_t found = 0;
    while (gnu_next_method(target, root, &form, &cursor, &method)) {
        uint64_t number =
            is_oneway_without_arguments(target, &method) ? selector_of(target, &method) : 0;
        if (number && found && number != found)
            return 0;
        found = number ? number : found;
    }
    return found;
}

static loupe_addr root_of(struct loupe_target *target, loupe_addr cls) {
    /* Cap: counts are believed. */
    for (unsigned depth = 0; depth < LOUPE_MAX_CLASS_DEPTH; depth++) {
        uint64_t words[GNU_CLASS_WORD_COUNT];
        if (!gnu_read_class_words(target, cls, words))
            return 0;
        if (!words[GNU_CLASS_SUPERCLASS])
            return cls;
        cls = words[GNU_CLASS_SUPERCLASS];
    }
    return 0;
}

bool gcc_has_own_release(struct loupe_target *target, loupe_addr cls) {
    struct gcc_state *state = gcc_state_of(target);
    struct loupe_method_cursor cursor = {.begun = false};
    struct loupe_method method;
    loupe_addr root =
        state->release || state->roots_looked_at == MAX_ROOTS ? 0 : root_of(target, cls);
    if (root) {
        state->roots_looked_at++;
        state->release = find_release(target, root);
    }
    while (state->release && gnu_next_method(target, cls, &form, &cursor, &method)) {
        if (selector_of(target, &method) == state->release)
            return !gnu_is_recorded_release(target, &state->recorder, method.code);
    }
    return false;
}
