#include "runtime/abi_gnu.h"

#include <string.h>

/* ---- Classes ---- */

bool gnu_read_class_words(struct loupe_target *target, loupe_addr address,
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

bool gnu_gives_back_retains(struct loupe_target *target, const struct loupe_class *cls) {
    /* They release themselves once for their contexts and text containers (gnustep-gui). */
    static const char *const names[] = {"NSWindow", "NSTextView"};
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level;
    while ((level = loupe_class_chain_next(target, &chain))) {
        for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            if (strcmp(level->name, names[i]) == 0)
                return true;
        }
    }
    return false;
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
    if (gnu_gives_back_retains(target, cls))
        return GNU_COUNTS_OTHERWISE;
    if (strcmp(root->name, "NSProxy") == 0)
        return GNU_COUNTS_IN_PROXY;
    return strcmp(root->name, "NSObject") == 0 ? GNU_COUNTS_BEFORE : GNU_COUNTS_OTHERWISE;
}
