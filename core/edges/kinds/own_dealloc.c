#include "edges/kinds/own_dealloc.h"

#include "code/reading.h"
#include "runtime/methods.h"

#include <string.h>

/* ---- Names ---- */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_capital(char c) {
    return c >= 'A' && c <= 'Z';
}

/* Without regard to case. */
static bool begins_with(const char *text, const char *word) {
    while (*word && lower(*text) == *word) {
        text++;
        word++;
    }
    return !*word;
}

/* delegate, _parentView, windowController: the word at the name's begin or its end. */
static bool is_name_of_one_not_owned(const char *name) {
    static const char *const words[] = {"delegate",   "owner",   "parent",
                                        "controller", "manager", "target"};
    size_t length;
    while (*name == '_')
        name++;
    length = strlen(name);
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t of_word = strlen(words[i]);
        if (length < of_word)
            continue;
        const char *end = name + length - of_word;
        if ((begins_with(name, words[i]) && (end == name || is_capital(name[of_word]))) ||
            (begins_with(end, words[i]) && is_capital(*end)))
            return true;
    }
    return false;
}

/* ---- Messages ---- */

/* They set an ivar by a name that the code alone does not tell. */
static bool sets_by_key(const char *selector) {
    return strncmp(selector, "setValue", 8) == 0 || strncmp(selector, "takeValue", 9) == 0 ||
           strncmp(selector, "takeStoredValue", 15) == 0;
}

/* A place is a selector, or leads to one: a variable of the module, a slot of the linker. */
static bool name_selector(struct loupe_target *target, loupe_addr place, char *dst, size_t cap) {
    loupe_addr found;
    if (target->abi->selector_name(target, place, dst, cap))
        return true;
    for (unsigned steps = 0; steps < 2; steps++) {
        if (loupe_memory_read_pointer(target->memory, place, &found) || !found)
            return false;
        if (target->abi->selector_name(target, found, dst, cap))
            return true;
        place = found;
    }
    return false;
}

static void follow_message(struct loupe_code_reading *reading, struct loupe_target *target,
                           const struct loupe_class *cls, loupe_addr place) {
    char selector[LOUPE_MAX_SELECTOR];
    if (!name_selector(target, place, selector, sizeof(selector)))
        return;
    reading->is_uncertain |= sets_by_key(selector);
    loupe_addr code = loupe_method_code(target, cls, selector);
    if (code)
        loupe_code_reading_follow(reading, code);
}

/* The list of references grows while what it names is read. */
static void follow_messages(struct loupe_code_reading *reading, struct loupe_target *target,
                            const struct loupe_class *cls) {
    for (uint32_t i = 0;
         i < reading->references.count && !reading->is_uncertain && !reading->status; i++) {
        follow_message(
            reading, target, cls,
            *(const loupe_addr *)loupe_vector_at(&reading->references, i, sizeof(loupe_addr)));
    }
}

/* ---- Ivars ---- */

static bool refers_to(const struct loupe_code_reading *reading, loupe_addr variable) {
    for (uint32_t i = 0; variable && i < reading->references.count; i++) {
        loupe_addr place =
                       *(const loupe_addr *)loupe_vector_at(&reading->references, i, sizeof(place)),
                   behind;
        if (place == variable ||
            (!loupe_memory_read_pointer(reading->memory, place, &behind) && behind == variable))
            return true;
    }
    return false;
}

static enum loupe_dealloc_says says_of(const struct loupe_code_reading *reading,
                                       const struct loupe_ivar *ivar) {
    if (loupe_code_reading_may_touch(reading, ivar->offset, ivar->size, ivar->variable != 0) ||
        refers_to(reading, ivar->variable))
        return LOUPE_DEALLOC_SAYS_NOTHING;
    return is_name_of_one_not_owned(ivar->name) ? LOUPE_DEALLOC_AND_NAME_SPEAK
                                                : LOUPE_DEALLOC_NEVER_TOUCHES;
}

static uint64_t key_of(const struct loupe_class *cls, uint32_t offset) {
    return (uint64_t)cls->number << 32 | offset;
}

/* All ivars of the class, and its end, which tells that it was read. */
static enum loupe_status read_dealloc(struct loupe_walk *walk, const struct loupe_class *cls,
                                      const struct loupe_class_layout *layout) {
    struct loupe_target *target = walk->target;
    struct loupe_code_reading reading;
    loupe_addr dealloc = loupe_method_code(target, cls, "dealloc");
    enum loupe_status status = loupe_map_put(&walk->dealloc_says, key_of(cls, UINT32_MAX), 0);
    if (!dealloc || status)
        return status;
    loupe_code_reading_init(&reading, target->memory, target->chunks);
    loupe_code_reading_follow(&reading, dealloc);
    follow_messages(&reading, target, cls);
    status = reading.status;
    for (uint32_t i = 0; i < layout->ivar_count && !status; i++)
        status = loupe_map_put(&walk->dealloc_says, key_of(cls, layout->ivars[i].offset),
                               says_of(&reading, &layout->ivars[i]));
    loupe_code_reading_deinit(&reading);
    return status;
}

static const struct loupe_ivar *ivar_at(const struct loupe_class_layout *layout, uint32_t offset) {
    for (uint32_t i = 0; i < layout->ivar_count; i++) {
        if (layout->ivars[i].offset == offset && layout->ivars[i].type[0] == '@')
            return &layout->ivars[i];
    }
    return NULL;
}

/* The class that declares the ivar, and its layout. */
static const struct loupe_class *declaring(struct loupe_walk *walk, const struct loupe_class *cls,
                                           uint32_t offset,
                                           const struct loupe_class_layout **layout_ret) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level;
    while ((level = loupe_class_chain_next(walk->target, &chain))) {
        if (loupe_class_layout(walk->target, level, layout_ret))
            return NULL;
        if (ivar_at(*layout_ret, offset))
            return level;
    }
    return NULL;
}

enum loupe_dealloc_says loupe_own_dealloc_says(struct loupe_walk *walk,
                                               const struct loupe_class *cls, uint32_t offset) {
    const struct loupe_class_layout *layout;
    const struct loupe_class *level = declaring(walk, cls, offset, &layout);
    uint32_t says;
    if (!level)
        return LOUPE_DEALLOC_SAYS_NOTHING;
    if (!loupe_map_find(&walk->dealloc_says, key_of(level, UINT32_MAX), &says) &&
        read_dealloc(walk, level, layout))
        return LOUPE_DEALLOC_SAYS_NOTHING;
    return loupe_map_find(&walk->dealloc_says, key_of(level, offset), &says)
               ? (enum loupe_dealloc_says)says
               : LOUPE_DEALLOC_SAYS_NOTHING;
}
