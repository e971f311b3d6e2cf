/*
 * What an autorelease pool will release: NSAutoreleasePool.m of gnustep-base 1.24 to 1.31, where
 * the runtime has no pools of its own.
 */
#include "runtime/containers/containers_gnustep.h"

enum { CAPACITY_WORD = 1, FIRST_ENTRY_WORD = 2 }; /* of a stretch of entries; first the next one */
enum { MAX_STRETCHES = LOUPE_MAX_SLOT_GROUPS - 1 }; /* each is twice as long as the one before */

struct stretch {
    uint64_t next;
    uint32_t capacity, count;
};

static bool read_stretch(struct loupe_target *target, loupe_addr address, struct stretch *ret) {
    loupe_addr counts = gnustep_word_at(target, address, CAPACITY_WORD);
    return gnustep_read_word(target, address, &ret->next) &&
           loupe_memory_read_u32(target->memory, counts, &ret->capacity) == LOUPE_OK &&
           loupe_memory_read_u32(target->memory, counts + 4, &ret->count) == LOUPE_OK &&
           ret->count <= ret->capacity && ret->capacity <= LOUPE_MAX_ELEMENTS;
}

/* All stretches; they must have the entries that the pool counts. */
static bool add_entries(struct loupe_target *target, uint64_t address, uint32_t counted,
                        struct loupe_contents *ret) {
    uint32_t total = 0;
    /* Cap: an object that holds more. */
    for (unsigned i = 0; address && i < MAX_STRETCHES; i++) {
        struct stretch stretch;
        if (!read_stretch(target, address, &stretch))
            return false;
        struct loupe_slot_group *group =
            gnustep_add_run(ret, gnustep_word_at(target, address, FIRST_ENTRY_WORD), stretch.count,
                            LOUPE_EDGE_ELEMENT);
        group->stride = gnustep_word_size(target);
        group->start = total;
        group->ordered = true;
        group->ends_memory = true;
        total += stretch.count;
        address = stretch.next;
    }
    ret->is_partial = address != 0;
    return total == counted || address;
}

bool gnustep_find_pool(struct loupe_target *target, const struct loupe_object *object,
                       const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    enum { IS_CACHED = UINT32_MAX }; /* the count of a pool that was drained */
    loupe_addr head_at, last_at, count_at, parent_at;
    uint64_t head, last;
    uint32_t count;
    (void)rule;
    if (!gnustep_find_ivar(target, object, "_released_head", &head_at) ||
        !gnustep_find_ivar(target, object, "_released", &last_at) ||
        !gnustep_find_ivar(target, object, "_released_count", &count_at) ||
        !gnustep_find_ivar(target, object, "_parent", &parent_at) ||
        !gnustep_read_word(target, head_at, &head) || !gnustep_read_word(target, last_at, &last) ||
        loupe_memory_read_u32(target->memory, count_at, &count))
        return false;
    if (count == IS_CACHED)
        return true;
    gnustep_add_run(ret, parent_at, 1, LOUPE_EDGE_IVAR)->name = "_parent";
    ret->is_partial = !head && last; /* the runtime's own pools have them */
    return ret->is_partial || add_entries(target, head, count, ret);
}
