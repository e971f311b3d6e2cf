#include "runtime/abi_gnu.h"

#include <string.h>

bool gnu_has_symbol(const struct loupe_target *target, const char *name) {
    loupe_addr address;
    return loupe_memory_find_symbol(target->memory, name, &address) == LOUPE_OK;
}

/* ---- Blocks ---- */

void gnu_find_block_classes(struct loupe_target *target, struct gnu_block_classes *ret) {
    static const char *const names[GNU_BLOCK_CLASSES] = {
        "_NSConcreteMallocBlock", "_NSConcreteStackBlock", "_NSConcreteGlobalBlock",
        "_NSConcreteAutoBlock", "_NSConcreteFinalizingBlock"};
    *ret = (struct gnu_block_classes){{0}};
    for (unsigned i = 0; i < GNU_BLOCK_CLASSES; i++)
        loupe_memory_find_symbol(target->memory, names[i], &ret->addresses[i]);
}

bool gnu_is_block_class(const struct gnu_block_classes *classes, loupe_addr address) {
    for (unsigned i = 0; i < GNU_BLOCK_CLASSES; i++) {
        if (classes->addresses[i] && classes->addresses[i] == address)
            return true;
    }
    return false;
}

struct loupe_class gnu_bare_block_class(const struct loupe_target *target, loupe_addr address) {
    return (struct loupe_class){.address = address,
                                .name = "(block)",
                                .instance_size = 4u * target->memory->machine.pointer_size,
                                .kind = LOUPE_INSTANCE_BLOCK};
}

/* ---- Classes ---- */

bool gnu_read_class_words(struct loupe_target *target, loupe_addr address,
                          uint64_t words[GNU_CLASS_WORD_COUNT]) {
    for (unsigned i = 0; i < GNU_CLASS_WORD_COUNT; i++) {
        if (loupe_memory_read_word(target->memory, gnu_word(target, address, i), &words[i]))
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

enum loupe_status gnu_refuse(const char *why, const char **why_ret) {
    *why_ret = why;
    return LOUPE_ENOTOBJECT;
}

/* A name is printable; what is not ASCII passes, as in identifiers of universal characters. */
static bool is_name(const char *name) {
    for (const char *c = name; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return false;
    }
    return name[0] != '\0';
}

enum loupe_status gnu_read_class_name(struct loupe_target *target, loupe_addr name,
                                      const char **ret) {
    enum loupe_status status = loupe_target_string(target, name, LOUPE_MAX_CLASS_NAME, ret);
    if (status == LOUPE_ENOMEM)
        return status;
    return status || !is_name(*ret) ? LOUPE_ENOTOBJECT : LOUPE_OK;
}

enum loupe_status gnu_read_text(struct loupe_target *target, loupe_addr slot, const char **ret) {
    loupe_addr text;
    enum loupe_status status = loupe_memory_read_pointer(target->memory, slot, &text);
    if (status)
        return status;
    *ret = "";
    return text ? loupe_target_string(target, text, GNU_MAX_TYPE, ret) : LOUPE_OK;
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
