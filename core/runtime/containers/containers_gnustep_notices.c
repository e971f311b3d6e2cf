/*
 * Who is to hear of notifications: NSNotificationCenter.m of gnustep-base 1.24 to 1.31.
 *
 * A center keeps a structure for each observation in blocks of 128, and most of them own nothing.
 * One that was made for a block owns the object around it. Where its table says what blocks there
 * are depends on the version and on the size of a lock, which is told by what is there.
 */
#include "runtime/containers/containers_gnustep.h"

#include <string.h>

enum { PER_BLOCK = 128, MAX_BLOCKS = 1 << 13 };

/* Places in the table of a center, the same in all versions. */
enum { WILDCARD_AT = 0, NAMELESS_AT = 8, NAMED_AT = 16, LOCKS_AT = 32 };
/* Behind the address of the blocks; before it are the locks and up to two words. */
enum { BLOCK_COUNT_BEHIND = 8, USED_OF_LAST_BEHIND = 144, KEPT_OBSERVERS_BEHIND = 152 };

/* One object as lock, or 34 in the table itself: one for each of 32 parts of the names, two more.
 * pthread_mutex_t is 40 bytes on Linux, 48 there on arm64, 64 on Darwin, 8 on FreeBSD. */
enum { LOCKS_IN_TABLE = 34, WORDS_BEHIND_LOCKS = 2, WORD = 8 };
#define BLOCKS_BEHIND(lock_size)                                                                   \
    (LOCKS_AT + LOCKS_IN_TABLE * (lock_size) + WORDS_BEHIND_LOCKS * WORD)
static const uint16_t blocks_places[] = {LOCKS_AT + 2 * WORD, BLOCKS_BEHIND(40), BLOCKS_BEHIND(48),
                                         BLOCKS_BEHIND(64), BLOCKS_BEHIND(8)};

/* One observation. What is in use leads back to the table, what is not to another such. */
struct observation {
    uint8_t size, receiver_at, owner_at, link_at; /* 0: it has no such field */
};
static const struct observation before_1_31 = {.size = 40, .link_at = 32};
static const struct observation since_1_31 = {
    .size = 48, .receiver_at = 8, .owner_at = 24, .link_at = 40};

struct table {
    loupe_addr address, blocks_at, blocks;
    uint32_t block_count, slot_count;
    const struct observation *layout;
};

static bool read_table(struct loupe_target *target, loupe_addr address, unsigned blocks_at,
                       struct table *ret) {
    uint16_t used_of_last;
    *ret = (struct table){.address = address, .blocks_at = address + blocks_at};
    if (loupe_memory_read_pointer(target->memory, ret->blocks_at, &ret->blocks) ||
        loupe_memory_read_u32(target->memory, ret->blocks_at + BLOCK_COUNT_BEHIND,
                              &ret->block_count) ||
        loupe_memory_read(target->memory, ret->blocks_at + USED_OF_LAST_BEHIND, &used_of_last,
                          sizeof(used_of_last)) ||
        ret->block_count > MAX_BLOCKS || used_of_last > PER_BLOCK || !ret->block_count)
        return false;
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
                                     .through_records = true,
                                     .name = "observers"};
}

/* How many observations of the first block lead to where they should, if they stand as the layout
 * says. */
static unsigned count_fitting(struct loupe_target *target, const struct table *table,
                              const struct observation *layout) {
    unsigned count = 0, slots = table->slot_count < PER_BLOCK ? table->slot_count : PER_BLOCK;
    uint64_t block, link;
    if (!gnustep_read_word(target, table->blocks, &block))
        return 0;
    for (unsigned i = 0; i < slots; i++) {
        loupe_addr slot = block + (loupe_addr)i * layout->size;
        if (!gnustep_read_word(target, slot + layout->link_at, &link))
            return 0;
        count += link == table->address || (link >= block && link - block < slots * layout->size &&
                                            (link - block) % layout->size == 0);
    }
    return count;
}

/* The table as the version has it whose observations fit best. False: none do. */
static bool find_table(struct loupe_target *target, loupe_addr address, struct table *ret) {
    static const struct observation *const layouts[] = {&before_1_31, &since_1_31};
    unsigned most = 0;
    for (unsigned i = 0; i < sizeof(blocks_places) / sizeof(blocks_places[0]); i++) {
        struct table table;
        if (!read_table(target, address, blocks_places[i], &table))
            continue;
        for (unsigned k = 0; k < sizeof(layouts) / sizeof(layouts[0]); k++) {
            unsigned count = count_fitting(target, &table, layouts[k]);
            if (count <= most)
                continue;
            most = count;
            *ret = table;
            ret->layout = layouts[k];
        }
    }
    return most > 0;
}

static bool has_nodes(struct loupe_target *target, loupe_addr map_at) {
    uint64_t map, count;
    return !gnustep_read_word(target, map_at, &map) ||
           !gnustep_read_word(target, gnustep_word_at(target, map, 1), &count) || count;
}

/* Nobody observes anything: no list and no map has an observation. */
static bool is_empty(struct loupe_target *target, loupe_addr table) {
    uint64_t wildcard;
    return gnustep_read_word(target, table + WILDCARD_AT, &wildcard) && wildcard == UINT64_MAX &&
           !has_nodes(target, table + NAMELESS_AT) && !has_nodes(target, table + NAMED_AT);
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

static void add_observers(const struct table *table, struct loupe_contents *ret) {
    struct loupe_slot_group group = group_of(table, table->layout);
    group.counts = is_owner;
    ret->groups[ret->group_count++] = group;
    group.counts = is_no_owner;
    group.nonowning = true;
    ret->groups[ret->group_count++] = group;
    if (!table->layout->receiver_at)
        return;
    group.nonowning = group.through_records = false;
    group.first_in_block = table->layout->receiver_at;
    group.counts = is_receiver;
    group.name = "receivers";
    ret->groups[ret->group_count++] = group;
}

/* Of 1.30: observers that are for blocks, once more. */
static void add_kept_observers(struct loupe_target *target, const struct table *table,
                               struct loupe_contents *ret) {
    loupe_addr place = table->blocks_at + KEPT_OBSERVERS_BEHIND;
    struct loupe_object set;
    uint64_t word;
    if (!gnustep_read_word(target, place, &word) || loupe_object_at(target, word, &set, NULL) ||
        strcmp(set.cls->name, "NSConcreteHashTable") != 0)
        return;
    gnustep_add_run(ret, place, 1, LOUPE_EDGE_IVAR)->name = "retainedObjectsTable";
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
    if (!find_table(target, address, &table))
        return is_empty(target, address);
    add_observers(&table, ret);
    if (table.layout == &before_1_31)
        add_kept_observers(target, &table, ret);
    return true;
}
