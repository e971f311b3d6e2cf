#include "runtime/gnu/abi_gnu.h"

#include "runtime/containers/containers.h"

#include <string.h>

/* ---- Classes ---- */

bool gnu_read_class_words(const struct loupe_target *target, loupe_addr address,
                          uint64_t words[GNU_CLASS_WORD_COUNT]) {
    for (unsigned i = 0; i < GNU_CLASS_WORD_COUNT; i++) {
        if (loupe_memory_read_word(target->memory, abi_word(target, address, i), &words[i]))
            return false;
    }
    return true;
}

uint32_t gnu_instance_start(struct loupe_target *target, loupe_addr superclass,
                            uint32_t instance_size) {
    uint64_t words[GNU_CLASS_WORD_COUNT];
    if (!superclass || !gnu_read_class_words(target, superclass, words) ||
        words[GNU_CLASS_INSTANCE_SIZE] > instance_size)
        return 0;
    return (uint32_t)words[GNU_CLASS_INSTANCE_SIZE];
}

/* ---- Counts of gnustep-base ---- */

/* Bits of a window's flags (NSWindow.h, struct GSWindowFlagsType). */
enum { IS_RELEASED_WHEN_CLOSED = 1 << 12, HAS_CLOSED = 1 << 18 };

/* Then it has a retain that nobody else has to have: its own -close gives it back. */
static bool will_release_itself(struct loupe_target *target, const struct loupe_object *object) {
    uint32_t offset;
    uint64_t flags;
    return loupe_container_ivar(target, object->cls, "_f", &offset) &&
           !loupe_memory_read_word(target->memory, object->address + offset, &flags) &&
           (flags & IS_RELEASED_WHEN_CLOSED) && !(flags & HAS_CLOSED);
}

/* While a window has a context (NSWindow.m, -_startBackendWindow). */
static bool given_back_by_window(struct loupe_target *target, const struct loupe_object *object,
                                 uint64_t *ret) {
    uint32_t offset;
    uint64_t context;
    if (will_release_itself(target, object) ||
        !loupe_container_ivar(target, object->cls, "_context", &offset) ||
        loupe_memory_read_word(target->memory, object->address + offset, &context))
        return false;
    *ret = context != 0;
    return true;
}

enum gnu_giving_back gnu_giving_back_of(struct loupe_target *target,
                                        const struct loupe_class *cls) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level;
    while ((level = loupe_class_chain_next(target, &chain))) {
        if (strcmp(level->name, "NSWindow") == 0)
            return GNU_GIVES_BACK_IN_CONTEXT;
        if (strcmp(level->name, "NSTextView") == 0)
            return GNU_GIVES_BACK_UNKNOWN;
    }
    return GNU_GIVES_NOTHING_BACK;
}

bool gnu_retains_given_back(struct loupe_target *target, const struct loupe_object *object,
                            uint64_t *ret) {
    enum gnu_giving_back giving_back = gnu_giving_back_of(target, object->cls);
    *ret = 0;
    return giving_back == GNU_GIVES_BACK_IN_CONTEXT ? given_back_by_window(target, object, ret)
                                                    : giving_back == GNU_GIVES_NOTHING_BACK;
}

enum gnu_counting gnu_counting_of(struct loupe_target *target, const struct loupe_class *cls) {
    /* Static instances, and single ones that -retain and -release leave alone. */
    static const char *const never[] = {
        "NSConstantString",   "NXConstantString",   "NSNull",
        "GSPlaceholderArray", "GSPlaceholderValue", "GSPlaceholderString"};
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level, *root = cls;
    while ((level = loupe_class_chain_next(target, &chain))) {
        for (unsigned i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
            if (strcmp(level->name, never[i]) == 0)
                return GNU_COUNTS_NEVER;
        }
        root = level;
    }
    if (strcmp(root->name, "NSProxy") == 0)
        return GNU_COUNTS_IN_PROXY;
    return strcmp(root->name, "NSObject") == 0 ? GNU_COUNTS_BEFORE : GNU_COUNTS_OTHERWISE;
}
