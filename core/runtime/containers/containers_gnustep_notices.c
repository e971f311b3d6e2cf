/*
 * Who is to hear of notifications: NSNotificationCenter.m of gnustep-base 1.24 to 1.31.
 *
 * A center keeps a structure for each observation in blocks of 128, and most of them own nothing.
 * One that was made for a block owns the object around it.
 */
#include "runtime/containers/containers_gnustep.h"

#include <string.h>

enum { PER_BLOCK = 128, MAX_BLOCKS = 1 << 13 };
/* Places in the table of a center. */
enum { BLOCKS_AT = 48, BLOCK_COUNT_AT = 56, USED_OF_LAST_AT = 192, KEPT_OBSERVERS_AT = 200 };

/* One observation. What is in use leads back to the table. */
struct observation {
    uint8_t size, receiver_at, owner_at, link_at; /* 0: it has no such field */
};
static const struct observation before_1_31 = {.size = 40, .link_at = 32};
static const struct observation since_1_31 = {
    .size = 48, .receiver_at = 8, .owner_at = 24, .link_at = 40};

struct table {
    loupe_addr address, blocks;
    uint32_t block_count, slot_count;
};

static bool read_table(struct loupe_target *target, loupe_addr address, struct table *ret) {
    uint16_t used_of_last;
    *ret = (struct table){.address = address};
    if (loupe_memory_read_pointer(target->memory, address + BLOCKS_AT, &ret->blocks) ||
        loupe_memory_read_u32(target->memory, address + BLOCK_COUNT_AT, &ret->block_count) ||
        loupe_memory_read(target->memory, address + USED_OF_LAST_AT, &used_of_last,
                          sizeof(used_of_last)) ||
        ret->block_count > MAX_BLOCKS || used_of_last > PER_BLOCK)
        return false;
    if (!ret->block_count)
        return !ret->blocks && used_of_last == PER_BLOCK;
    ret->slot_count = (ret->block_count - 1) * PER_BLOCK + used_of_last;
    return true;
}

static struct loupe_slot_group group_of(const struct table *table,
                                        const struct observation *layout) {
    return (struct loupe_slot_group){.first = table->blocks,
                                     .count = table->slot_count,
                                     .stride = layout->size,
                                     .per_block = PER_BLOCK,
                                     .owner = table->address,
                                     .kind = LOUPE_EDGE_ELEMENT,
                                     .name = "observers"};
}

/* How many of the first observations are in use, if they stand as the layout says. */
static unsigned count_used(struct loupe_target *target, const struct table *table,
                           const struct observation *layout) {
    enum { LOOKED_AT = PER_BLOCK };
    struct loupe_slot_group group = group_of(table, layout);
    struct loupe_slot_group_cursor cursor = loupe_slot_group_begin(&group);
    struct loupe_group_slot slot;
    unsigned count = 0;
    while (cursor.taken < LOOKED_AT && loupe_slot_group_next(target, &cursor, &slot)) {
        uint64_t link;
        if (!gnustep_read_word(target, slot.address + layout->link_at, &link))
            return 0;
        count += link == table->address;
    }
    return count;
}

static bool is_in_use(struct loupe_target *target, const struct loupe_slot_group *group,
                      loupe_addr slot) {
    uint64_t link;
    uint8_t at = group->stride == since_1_31.size ? since_1_31.link_at : before_1_31.link_at;
    return gnustep_read_word(target, slot + at, &link) && link == group->owner;
}

/* Whether the observation owns its observer: a newer one says it, an older one does if it is for a
 * block. */
static bool is_owner(struct loupe_target *target, const struct loupe_slot_group *group,
                     loupe_addr slot) {
    struct loupe_object object;
    uint64_t observer;
    uint8_t flag = 0;
    if (!is_in_use(target, group, slot))
        return false;
    if (group->stride == since_1_31.size)
        return !loupe_memory_read(target->memory, slot + since_1_31.owner_at, &flag, 1) && flag;
    return gnustep_read_word(target, slot, &observer) && observer &&
           loupe_object_at(target, observer, &object, NULL) == LOUPE_OK &&
           strcmp(object.cls->name, "GSNotificationObserver") == 0;
}

static bool is_no_owner(struct loupe_target *target, const struct loupe_slot_group *group,
                        loupe_addr slot) {
    return is_in_use(target, group, slot) && !is_owner(target, group, slot);
}

static bool is_receiver(struct loupe_target *target, const struct loupe_slot_group *group,
                        loupe_addr slot) {
    return is_in_use(target, group, slot - since_1_31.receiver_at);
}

static void add_observers(struct loupe_target *target, const struct table *table,
                          const struct observation *layout, struct loupe_contents *ret) {
    struct loupe_slot_group group = group_of(table, layout);
    group.counts = is_owner;
    ret->groups[ret->group_count++] = group;
    group.counts = is_no_owner;
    group.nonowning = true;
    ret->groups[ret->group_count++] = group;
    if (!layout->receiver_at)
        return;
    group.nonowning = false;
    group.first_in_block = layout->receiver_at;
    group.counts = is_receiver;
    group.name = "receivers";
    ret->groups[ret->group_count++] = group;
    /* A weak variable of libobjc2 leads to a record, and not to the observer that is owned too. */
    ret->is_partial = target->abi->is_weak_record != NULL;
}

/* Of 1.30: observers that are for blocks, once more. */
static void add_kept_observers(struct loupe_target *target, const struct table *table,
                               struct loupe_contents *ret) {
    struct loupe_object set;
    uint64_t word;
    if (!gnustep_read_word(target, table->address + KEPT_OBSERVERS_AT, &word) ||
        loupe_object_at(target, word, &set, NULL) ||
        strcmp(set.cls->name, "NSConcreteHashTable") != 0)
        return;
    struct loupe_slot_group *group =
        gnustep_add_run(ret, table->address + KEPT_OBSERVERS_AT, 1, LOUPE_EDGE_IVAR);
    group->name = "retainedObjectsTable";
}

bool gnustep_find_center(struct loupe_target *target, const struct loupe_object *object,
                         const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    struct table table;
    loupe_addr slot;
    uint64_t address;
    (void)rule;
    if (!gnustep_find_ivar(target, object, "_table", &slot) ||
        !gnustep_read_word(target, slot, &address))
        return false;
    if (!address)
        return true;
    if (!read_table(target, address, &table))
        return false;
    if (!table.slot_count)
        return true;
    unsigned used_before = count_used(target, &table, &before_1_31);
    bool is_newer = count_used(target, &table, &since_1_31) > used_before;
    add_observers(target, &table, is_newer ? &since_1_31 : &before_1_31, ret);
    if (!is_newer)
        add_kept_observers(target, &table, ret);
    return true;
}
