/*
 * Classes of gnustep-base that keep their objects in memory of their own, behind an ivar of type
 * void *: NSException.m, NSURLConnection.m, NSCachedURLResponse.m and the rest of URL loading. Some
 * of these structures begin with words that are the same in all versions, and are read; of the
 * others only that there is one is told.
 */
#include "runtime/containers/containers_gnustep.h"

/* nil or an object, as it has to be where the layout is the one described. */
static bool could_be_reference(struct loupe_target *target, loupe_addr slot) {
    struct loupe_object object;
    uint64_t word;
    return gnustep_read_word(target, slot, &word) &&
           (!word || loupe_is_tagged(target, word) ||
            !loupe_object_at(target, word, &object, NULL));
}

bool gnustep_find_private(struct loupe_target *target, const struct loupe_object *object,
                          const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    const char *const *name = rule->private_words;
    loupe_addr slot, memory;
    if (!loupe_container_find_ivars(target, object, rule, ret) ||
        !gnustep_find_ivar(target, object, rule->private_ivar, &slot) ||
        loupe_memory_read_pointer(target->memory, slot, &memory))
        return false;
    ret->is_partial = memory && !name;
    for (unsigned i = 0; memory && name && name[i]; i++) {
        loupe_addr word = gnustep_word_at(target, memory, i);
        if (!could_be_reference(target, word))
            return false;
        gnustep_add_run(ret, word, 1, LOUPE_EDGE_IVAR)->name = name[i];
    }
    return true;
}
