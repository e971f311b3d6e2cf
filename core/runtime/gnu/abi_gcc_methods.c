/*
 * The methods of GCC's classes (module-abi-8.h, objc-private/objc-list.h), as far as it takes to
 * see who counts retains in a way of its own. Once a module is loaded its selectors have numbers,
 * not names, so that -release is told by its type: NSObject has one method that is oneway and takes
 * nothing.
 */
#include "runtime/gnu/abi_gcc.h"

enum { CLASS_METHODS = GNU_CLASS_WORD_COUNT };                     /* the word after those */
enum { LIST_NEXT, LIST_COUNT, LIST_FIRST };                        /* words of a list */
enum { METHOD_SELECTOR, METHOD_TYPES, METHOD_CODE, METHOD_WORDS }; /* of an entry */
enum { MAX_LISTS = 1 << 12, MAX_METHODS = 1 << 14, MAX_ROOTS = 16 };

struct methods {
    loupe_addr list, entry;
    uint32_t left, lists;
};

static struct methods methods_of(struct loupe_target *target, loupe_addr cls) {
    struct methods methods = {.left = 0};
    if (loupe_memory_read_pointer(target->memory, abi_word(target, cls, CLASS_METHODS),
                                  &methods.list))
        methods.list = 0;
    return methods;
}

/* The next entry; false behind the last, and where one cannot be read. */
static bool next_method(struct loupe_target *target, struct methods *methods, loupe_addr *ret) {
    while (!methods->left) {
        loupe_addr list = methods->list;
        if (!list || methods->lists++ == MAX_LISTS ||
            loupe_memory_read_u32(target->memory, abi_word(target, list, LIST_COUNT),
                                  &methods->left) ||
            methods->left > MAX_METHODS ||
            loupe_memory_read_pointer(target->memory, abi_word(target, list, LIST_NEXT),
                                      &methods->list))
            return false;
        methods->entry = abi_word(target, list, LIST_FIRST);
    }
    *ret = methods->entry;
    methods->entry = abi_word(target, methods->entry, METHOD_WORDS);
    methods->left--;
    return true;
}

/* The number of an entry's selector; 0: it has none yet. */
static uint64_t selector_of(struct loupe_target *target, loupe_addr entry) {
    loupe_addr selector;
    uint64_t number;
    return loupe_memory_read_pointer(target->memory, abi_word(target, entry, METHOD_SELECTOR),
                                     &selector) ||
                   loupe_memory_read_word(target->memory, selector, &number)
               ? 0
               : number;
}

/* Vv16@0:8 */
static bool is_oneway_without_arguments(struct loupe_target *target, loupe_addr entry) {
    char types[16];
    loupe_addr address;
    const char *at = types + 2;
    if (loupe_memory_read_pointer(target->memory, abi_word(target, entry, METHOD_TYPES),
                                  &address) ||
        loupe_memory_read_string(target->memory, address, types, sizeof(types), NULL) ||
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
    struct methods methods = methods_of(target, root);
    uint64_t found = 0;
    loupe_addr entry;
    while (next_method(target, &methods, &entry)) {
        uint64_t number =
            is_oneway_without_arguments(target, entry) ? selector_of(target, entry) : 0;
        if (number && found && number != found)
            return 0;
        found = number ? number : found;
    }
    return found;
}

static loupe_addr root_of(struct loupe_target *target, loupe_addr cls) {
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
    loupe_addr entry,
        root = state->release || state->roots_looked_at == MAX_ROOTS ? 0 : root_of(target, cls);
    if (root) {
        state->roots_looked_at++;
        state->release = find_release(target, root);
    }
    struct methods methods = methods_of(target, cls);
    while (state->release && next_method(target, &methods, &entry)) {
        if (selector_of(target, entry) == state->release)
            return true;
    }
    return false;
}
