/*
 * The collections of gnustep-base: GSArray.m, GSDictionary.m, GSSet.m, GSCountedSet.m,
 * GSOrderedSet.m, NSConcreteMapTable.m, NSConcreteHashTable.m, NSPointerArray.m, GSRunLoopCtxt.m,
 * and the structures in them: GSIMap.h, GSIArray.h, NSConcretePointerFunctions.h.
 */
#include "runtime/containers/containers_gnustep.h"

#include <string.h>

/* ---- Arrays ---- */

/* All elements are there, and could be objects. */
static bool add_array(struct loupe_target *target, loupe_addr items, uint64_t count,
                      enum loupe_edge_kind kind, struct loupe_contents *ret) {
    uint64_t word;
    if (count > LOUPE_MAX_ELEMENTS)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (loupe_memory_ends_at(target->memory, i) ||
            !gnustep_read_word(target, items + i * gnustep_word_size(target), &word) || !word)
            return false;
    }
    struct loupe_slot_group *group = gnustep_add_run(ret, items, count, kind);
    group->stride = gnustep_word_size(target);
    group->ordered = true;
    group->ends_memory = true;
    return true;
}

bool gnustep_find_array(struct loupe_target *target, const struct loupe_object *object,
                        const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    loupe_addr items_at, count_at;
    uint64_t items;
    uint32_t count;
    (void)rule;
    return gnustep_find_ivar(target, object, "_contents_array", &items_at) &&
           gnustep_find_ivar(target, object, "_count", &count_at) &&
           gnustep_read_word(target, items_at, &items) &&
           loupe_memory_read_u32(target->memory, count_at, &count) == LOUPE_OK &&
           add_array(target, items, count, LOUPE_EDGE_ELEMENT, ret);
}

/* GSIArray: the address of the items, then their number. */
static bool add_gsi_array(struct loupe_target *target, loupe_addr array, const char *name,
                          struct loupe_contents *ret) {
    uint64_t items;
    uint32_t count;
    if (!gnustep_read_word(target, array, &items) ||
        loupe_memory_read_u32(target->memory, gnustep_word_at(target, array, 1), &count) ||
        !add_array(target, items, count, LOUPE_EDGE_ELEMENT, ret))
        return false;
    ret->groups[ret->group_count - 1].name = name;
    return true;
}

bool gnustep_find_ordered_set(struct loupe_target *target, const struct loupe_object *object,
                              const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    loupe_addr array;
    (void)rule;
    return gnustep_find_ivar(target, object, "array", &array) &&
           add_gsi_array(target, array, NULL, ret);
}

/* What a run loop waits for in one mode. */
bool gnustep_find_run_loop_context(struct loupe_target *target, const struct loupe_object *object,
                                   const struct loupe_container_rule *rule,
                                   struct loupe_contents *ret) {
    static const char *const names[] = {"performers", "timers", "watchers"};
    (void)rule;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        loupe_addr slot;
        uint64_t array;
        if (!gnustep_find_ivar(target, object, names[i], &slot) ||
            !gnustep_read_word(target, slot, &array) ||
            (array && !add_gsi_array(target, array, names[i], ret)))
            return false;
    }
    return true;
}

/* ---- Tables of chains: GSIMap.h ---- */

struct chained_table {
    uint64_t node_count, chain_count, chains;
};

enum { NODE_NEXT, NODE_KEY, NODE_VALUE }; /* words of a node */

static bool add_nodes(struct loupe_target *target, const struct chained_table *table,
                      enum loupe_edge_kind kind, struct loupe_contents *ret) {
    unsigned word = gnustep_word_size(target);
    struct loupe_slot_group *group = gnustep_add_run(ret, table->chains, table->node_count, kind);
    group->chains = (uint32_t)table->chain_count;
    group->slot_in_node = (uint8_t)(word * (kind == LOUPE_EDGE_VALUE ? NODE_VALUE : NODE_KEY));
    group->key_in_node = kind == LOUPE_EDGE_ELEMENT ? 0 : (uint8_t)(word * NODE_KEY);
    return true;
}

/* The chains must have the nodes that the table counts, no more and no fewer. */
static bool is_whole(struct loupe_target *target, const struct chained_table *table) {
    struct loupe_slot_group group = {.first = table->chains,
                                     .count = (uint32_t)table->node_count + 1,
                                     .chains = (uint32_t)table->chain_count};
    struct loupe_slot_group_cursor cursor = loupe_slot_group_begin(&group);
    struct loupe_group_slot slot;
    if (table->node_count >= LOUPE_MAX_ELEMENTS || table->chain_count > LOUPE_MAX_ELEMENTS)
        return false;
    while (loupe_slot_group_next(target, &cursor, &slot))
        continue;
    return cursor.taken == table->node_count;
}

static bool read_three(struct loupe_target *target, loupe_addr first, struct chained_table *ret) {
    return gnustep_read_word(target, first, &ret->node_count) &&
           gnustep_read_word(target, gnustep_word_at(target, first, 1), &ret->chain_count) &&
           gnustep_read_word(target, gnustep_word_at(target, first, 2), &ret->chains) &&
           is_whole(target, ret);
}

/* GSDictionary, GSSet and GSCountedSet embed their table; its first word is a zone. */
bool gnustep_find_map(struct loupe_target *target, const struct loupe_object *object,
                      const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    struct chained_table table;
    loupe_addr map;
    if (!gnustep_find_ivar(target, object, "map", &map) ||
        !read_three(target, gnustep_word_at(target, map, 1), &table))
        return false;
    if (rule->arrangement == LOUPE_EDGE_ELEMENT)
        return add_nodes(target, &table, LOUPE_EDGE_ELEMENT, ret);
    return add_nodes(target, &table, LOUPE_EDGE_KEY, ret) &&
           add_nodes(target, &table, LOUPE_EDGE_VALUE, ret);
}

/* ---- Map tables, hash tables, pointer arrays: who owns is up to their functions ---- */

/* OWNS_NOT: of what may be no object. */
enum { DOES_NOT_TELL, OWNS, OWNS_NOT, KNOWS_OBJECTS };

enum { PF_RELINQUISH = 4, PF_OPTIONS = 6, PF_WORDS = 7 }; /* words of PFInfo */
enum { MEMORY_MASK = 0xff, PERSONALITY_MASK = 0xff00, OBJECT = 0, OBJECT_POINTER = 0x200 };

/* Objects in strong memory, which are released when they are removed. */
static int ownership_of_functions(struct loupe_target *target, loupe_addr info) {
    uint64_t options, relinquish;
    if (!gnustep_read_word(target, gnustep_word_at(target, info, PF_OPTIONS), &options) ||
        !gnustep_read_word(target, gnustep_word_at(target, info, PF_RELINQUISH), &relinquish))
        return DOES_NOT_TELL;
    uint64_t personality = options & PERSONALITY_MASK;
    bool holds_objects = personality == OBJECT || personality == OBJECT_POINTER;
    return holds_objects && (options & MEMORY_MASK) == 0 && relinquish ? OWNS : OWNS_NOT;
}

/* The older callbacks that gnustep-base exports: first those that retain objects, then those for
 * objects and pointers that they leave alone. Programs may have others of their own. */
static const char *const key_callbacks[] = {
    "NSObjectMapKeyCallBacks",          "NSNonRetainedObjectMapKeyCallBacks",
    "NSNonOwnedPointerMapKeyCallBacks", "NSIntMapKeyCallBacks",
    "NSIntegerMapKeyCallBacks",         NULL};
static const char *const value_callbacks[] = {"NSObjectMapValueCallBacks",
                                              "NSNonRetainedObjectMapValueCallBacks",
                                              "NSNonOwnedPointerMapValueCallBacks", NULL};
static const char *const element_callbacks[] = {"NSObjectHashCallBacks",
                                                "NSNonRetainedObjectHashCallBacks",
                                                "NSNonOwnedPointerHashCallBacks", NULL};

static bool retains_like(struct loupe_target *target, uint64_t retain, const char *exported,
                         unsigned retain_word, bool *ret) {
    uint64_t theirs;
    loupe_addr callbacks;
    if (loupe_memory_find_symbol(target->memory, exported, &callbacks) ||
        !gnustep_read_word(target, gnustep_word_at(target, callbacks, retain_word), &theirs))
        return false;
    *ret = retain == theirs;
    return true;
}

static int ownership_of_callbacks(struct loupe_target *target, loupe_addr retain_at,
                                  const char *const *exported, unsigned retain_word) {
    uint64_t retain;
    bool is_like = false;
    if (!gnustep_read_word(target, retain_at, &retain) ||
        !retains_like(target, retain, exported[0], retain_word, &is_like))
        return DOES_NOT_TELL;
    if (is_like)
        return OWNS;
    for (unsigned i = 1; exported[i] && !is_like; i++)
        retains_like(target, retain, exported[i], retain_word, &is_like);
    return is_like ? KNOWS_OBJECTS : OWNS_NOT;
}

struct concrete_table {
    struct chained_table nodes;
    loupe_addr callbacks;
    bool legacy;
};

static bool read_concrete_table(struct loupe_target *target, const struct loupe_object *object,
                                struct concrete_table *ret) {
    loupe_addr node_count, chain_count, chains, legacy;
    uint8_t flag;
    if (!gnustep_find_ivar(target, object, "nodeCount", &node_count) ||
        !gnustep_find_ivar(target, object, "bucketCount", &chain_count) ||
        !gnustep_find_ivar(target, object, "buckets", &chains) ||
        !gnustep_find_ivar(target, object, "legacy", &legacy) ||
        !gnustep_find_ivar(target, object, "cb", &ret->callbacks) ||
        !gnustep_read_word(target, node_count, &ret->nodes.node_count) ||
        !gnustep_read_word(target, chain_count, &ret->nodes.chain_count) ||
        !gnustep_read_word(target, chains, &ret->nodes.chains) ||
        loupe_memory_read(target->memory, legacy, &flag, 1) || !is_whole(target, &ret->nodes))
        return false;
    ret->legacy = flag != 0;
    return true;
}

/* Words of the older callbacks that retain: NSMapTable.h, NSHashTable.h. */
enum { KEY_RETAIN = 2, KEY_CALLBACK_WORDS = 6, VALUE_RETAIN = 0, ELEMENT_RETAIN = 2 };

static void add_nodes_that(int ownership, struct loupe_target *target,
                           const struct chained_table *table, enum loupe_edge_kind kind,
                           struct loupe_contents *ret) {
    if (ownership != OWNS && ownership != KNOWS_OBJECTS)
        return;
    add_nodes(target, table, kind, ret);
    ret->groups[ret->group_count - 1].nonowning = ownership == KNOWS_OBJECTS;
}

bool gnustep_find_map_table(struct loupe_target *target, const struct loupe_object *object,
                            const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    struct concrete_table table;
    (void)rule;
    if (!read_concrete_table(target, object, &table))
        return false;
    int keys =
        table.legacy
            ? ownership_of_callbacks(target, gnustep_word_at(target, table.callbacks, KEY_RETAIN),
                                     key_callbacks, KEY_RETAIN)
            : ownership_of_functions(target, table.callbacks);
    int values =
        table.legacy
            ? ownership_of_callbacks(target,
                                     gnustep_word_at(target, table.callbacks, KEY_CALLBACK_WORDS),
                                     value_callbacks, VALUE_RETAIN)
            : ownership_of_functions(target, gnustep_word_at(target, table.callbacks, PF_WORDS));
    add_nodes_that(keys, target, &table.nodes, LOUPE_EDGE_KEY, ret);
    add_nodes_that(values, target, &table.nodes, LOUPE_EDGE_VALUE, ret);
    return keys != DOES_NOT_TELL && values != DOES_NOT_TELL;
}

bool gnustep_find_hash_table(struct loupe_target *target, const struct loupe_object *object,
                             const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    struct concrete_table table;
    (void)rule;
    if (!read_concrete_table(target, object, &table))
        return false;
    int elements = table.legacy
                       ? ownership_of_callbacks(
                             target, gnustep_word_at(target, table.callbacks, ELEMENT_RETAIN),
                             element_callbacks, ELEMENT_RETAIN)
                       : ownership_of_functions(target, table.callbacks);
    add_nodes_that(elements, target, &table.nodes, LOUPE_EDGE_ELEMENT, ret);
    return elements != DOES_NOT_TELL;
}

/* ---- The table of zombies: NSObject.m ---- */

static bool find_value(struct loupe_target *target, loupe_addr table_at, uint64_t key,
                       uint64_t *ret) {
    struct concrete_table table;
    struct loupe_object object;
    struct loupe_contents nodes = {.group_count = 0};
    struct loupe_group_slot slot;
    uint64_t found = 0;
    if (loupe_object_at(target, table_at, &object, NULL) ||
        strcmp(object.cls->name, "NSConcreteMapTable") != 0 ||
        !read_concrete_table(target, &object, &table))
        return false;
    add_nodes(target, &table.nodes, LOUPE_EDGE_VALUE, &nodes);
    struct loupe_slot_group_cursor cursor = loupe_slot_group_begin(&nodes.groups[0]);
    while (loupe_slot_group_next(target, &cursor, &slot)) {
        if (gnustep_read_word(target, slot.key, &found) && found == key)
            return gnustep_read_word(target, slot.address, ret);
    }
    return false;
}

/*
 * The variable that leads to the table is a local one, without a symbol in a stripped library; it
 * stands not far from the switch for zombies, which has one. What it is shows by what is in it.
 */
static bool find_class_in_table(struct loupe_target *target, loupe_addr zombie, uint64_t *ret) {
    enum { NEARBY = 4096 };
    loupe_addr near, table;
    if (loupe_memory_find_symbol(target->memory, "NSZombieEnabled", &near))
        return false;
    near -= near % gnustep_word_size(target);
    for (loupe_addr at = near - NEARBY; at < near + NEARBY; at += gnustep_word_size(target)) {
        if (gnustep_read_word(target, at, &table) && table &&
            find_value(target, table, zombie, ret)) {
            target->zombie_classes = table;
            return true;
        }
    }
    return false;
}

const char *gnustep_class_of_zombie(struct loupe_target *target, loupe_addr zombie) {
    const struct loupe_class *cls;
    uint64_t address = 0;
    bool found = target->looked_for_zombie_classes
                     ? find_value(target, target->zombie_classes, zombie, &address)
                     : find_class_in_table(target, zombie, &address);
    target->looked_for_zombie_classes = true;
    return found && !loupe_class_at(target, address, &cls, NULL) ? cls->name : NULL;
}

/* ---- Pointer arrays ---- */

/* It may hold nil. */
bool gnustep_find_pointer_array(struct loupe_target *target, const struct loupe_object *object,
                                const struct loupe_container_rule *rule,
                                struct loupe_contents *ret) {
    loupe_addr functions, count_at, items_at;
    uint64_t count, items;
    (void)rule;
    if (!gnustep_find_ivar(target, object, "_pf", &functions) ||
        !gnustep_find_ivar(target, object, "_count", &count_at) ||
        !gnustep_find_ivar(target, object, "_contents", &items_at) ||
        !gnustep_read_word(target, count_at, &count) ||
        !gnustep_read_word(target, items_at, &items) || count > LOUPE_MAX_ELEMENTS)
        return false;
    int elements = ownership_of_functions(target, functions);
    if (elements == OWNS) {
        struct loupe_slot_group *group = gnustep_add_run(ret, items, count, LOUPE_EDGE_ELEMENT);
        group->stride = gnustep_word_size(target);
        group->ordered = true;
        group->ends_memory = true;
    }
    return elements != DOES_NOT_TELL;
}
