/*
 * What the classes of gnustep-base hold, on either runtime. Mirrors gnustep-base 1.24 to 1.31
 * (GSArray.m, GSDictionary.m, GSSet.m, GSCountedSet.m, GSOrderedSet.m, NSConcreteMapTable.m,
 * NSConcreteHashTable.m, NSPointerArray.m, NSTimer.m, NSInvocation.m, NSThread.m, GSRunLoopCtxt.m).
 *
 * Every place is taken from the target's own list of ivars, so that an ivar that is gone, or a
 * table whose count is not that of its nodes, shows a version that is not the one described. Inside
 * a structure (GSIMap.h, GSIArray.h, NSConcretePointerFunctions.h) offsets are in words.
 */
#include "runtime/keepers.h"

#include <string.h>

static unsigned word_size(const struct loupe_target *target) {
    return target->memory->machine.pointer_size;
}

static loupe_addr word_at(const struct loupe_target *target, loupe_addr base, unsigned number) {
    return base + (loupe_addr)number * word_size(target);
}

static bool read_word(struct loupe_target *target, loupe_addr address, uint64_t *ret) {
    return loupe_memory_read_word(target->memory, address, ret) == LOUPE_OK;
}

/* Where an object's ivar is. */
static bool find_ivar(struct loupe_target *target, const struct loupe_object *object,
                      const char *name, loupe_addr *ret) {
    uint32_t offset;
    if (!loupe_keeper_ivar(target, object->cls, name, &offset))
        return false;
    *ret = object->address + offset;
    return true;
}

static struct loupe_run *add_run(struct loupe_kept *kept, loupe_addr first, uint64_t count,
                                 enum loupe_edge_kind kind) {
    struct loupe_run *run = &kept->runs[kept->run_count++];
    *run = (struct loupe_run){.first = first, .count = (uint32_t)count, .kind = kind};
    return run;
}

/* ---- Arrays ---- */

/* All elements are there, and could be objects. */
static bool add_array(struct loupe_target *target, loupe_addr items, uint64_t count,
                      enum loupe_edge_kind kind, struct loupe_kept *ret) {
    uint64_t word;
    if (count > LOUPE_MAX_ELEMENTS)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!read_word(target, items + i * word_size(target), &word) || !word)
            return false;
    }
    struct loupe_run *run = add_run(ret, items, count, kind);
    run->stride = word_size(target);
    run->ordered = true;
    return true;
}

static bool find_array(struct loupe_target *target, const struct loupe_object *object,
                       const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    loupe_addr items_at, count_at;
    uint64_t items;
    uint32_t count;
    (void)keeper;
    return find_ivar(target, object, "_contents_array", &items_at) &&
           find_ivar(target, object, "_count", &count_at) && read_word(target, items_at, &items) &&
           loupe_memory_read_u32(target->memory, count_at, &count) == LOUPE_OK &&
           add_array(target, items, count, LOUPE_EDGE_ELEMENT, ret);
}

/* GSIArray: the address of the items, then their number. */
static bool add_gsi_array(struct loupe_target *target, loupe_addr array, const char *name,
                          struct loupe_kept *ret) {
    uint64_t items;
    uint32_t count;
    if (!read_word(target, array, &items) ||
        loupe_memory_read_u32(target->memory, word_at(target, array, 1), &count) ||
        !add_array(target, items, count, LOUPE_EDGE_ELEMENT, ret))
        return false;
    ret->runs[ret->run_count - 1].name = name;
    return true;
}

static bool find_ordered_set(struct loupe_target *target, const struct loupe_object *object,
                             const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    loupe_addr array;
    (void)keeper;
    return find_ivar(target, object, "array", &array) && add_gsi_array(target, array, NULL, ret);
}

/* What a run loop waits for in one mode. */
static bool find_run_loop_context(struct loupe_target *target, const struct loupe_object *object,
                                  const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    static const char *const names[] = {"performers", "timers", "watchers"};
    (void)keeper;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        loupe_addr slot;
        uint64_t array;
        if (!find_ivar(target, object, names[i], &slot) || !read_word(target, slot, &array) ||
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
                      enum loupe_edge_kind kind, struct loupe_kept *ret) {
    unsigned word = word_size(target);
    struct loupe_run *run = add_run(ret, table->chains, table->node_count, kind);
    run->chains = (uint32_t)table->chain_count;
    run->slot_in_node = (uint8_t)(word * (kind == LOUPE_EDGE_VALUE ? NODE_VALUE : NODE_KEY));
    run->key_in_node = kind == LOUPE_EDGE_ELEMENT ? 0 : (uint8_t)(word * NODE_KEY);
    return true;
}

/* The chains must have the nodes that the table counts, no more and no fewer. */
static bool is_whole(struct loupe_target *target, const struct chained_table *table) {
    struct loupe_run run = {.first = table->chains,
                            .count = (uint32_t)table->node_count + 1,
                            .chains = (uint32_t)table->chain_count};
    struct loupe_run_cursor cursor = loupe_run_begin(&run);
    struct loupe_run_slot slot;
    if (table->node_count >= LOUPE_MAX_ELEMENTS || table->chain_count > LOUPE_MAX_ELEMENTS)
        return false;
    while (loupe_run_next(target, &cursor, &slot))
        continue;
    return cursor.given == table->node_count;
}

static bool read_three(struct loupe_target *target, loupe_addr first, struct chained_table *ret) {
    return read_word(target, first, &ret->node_count) &&
           read_word(target, word_at(target, first, 1), &ret->chain_count) &&
           read_word(target, word_at(target, first, 2), &ret->chains) && is_whole(target, ret);
}

/* GSDictionary, GSSet and GSCountedSet embed their table; its first word is a zone. */
static bool find_map(struct loupe_target *target, const struct loupe_object *object,
                     const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    struct chained_table table;
    loupe_addr map;
    if (!find_ivar(target, object, "map", &map) ||
        !read_three(target, word_at(target, map, 1), &table))
        return false;
    if (keeper->arrangement == LOUPE_EDGE_ELEMENT)
        return add_nodes(target, &table, LOUPE_EDGE_ELEMENT, ret);
    return add_nodes(target, &table, LOUPE_EDGE_KEY, ret) &&
           add_nodes(target, &table, LOUPE_EDGE_VALUE, ret);
}

/* ---- Map tables, hash tables, pointer arrays: who owns is up to their functions ---- */

enum { DOES_NOT_TELL, OWNS, OWNS_NOT };

enum { PF_RELINQUISH = 4, PF_OPTIONS = 6, PF_WORDS = 7 }; /* words of PFInfo */
enum { MEMORY_MASK = 0xff, PERSONALITY_MASK = 0xff00, OBJECT = 0, OBJECT_POINTER = 0x200 };

/* Objects in strong memory, which are released when they are removed. */
static int ownership_of_functions(struct loupe_target *target, loupe_addr info) {
    uint64_t options, relinquish;
    if (!read_word(target, word_at(target, info, PF_OPTIONS), &options) ||
        !read_word(target, word_at(target, info, PF_RELINQUISH), &relinquish))
        return DOES_NOT_TELL;
    uint64_t personality = options & PERSONALITY_MASK;
    bool holds_objects = personality == OBJECT || personality == OBJECT_POINTER;
    return holds_objects && (options & MEMORY_MASK) == 0 && relinquish ? OWNS : OWNS_NOT;
}

/* The older callbacks: those that retain are the ones that gnustep-base exports for objects. */
static int ownership_of_callbacks(struct loupe_target *target, loupe_addr retain_at,
                                  const char *exported, unsigned retain_word) {
    uint64_t retain, of_objects;
    loupe_addr callbacks;
    if (loupe_memory_find_symbol(target->memory, exported, &callbacks) ||
        !read_word(target, word_at(target, callbacks, retain_word), &of_objects) ||
        !read_word(target, retain_at, &retain))
        return DOES_NOT_TELL;
    return retain == of_objects ? OWNS : OWNS_NOT;
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
    if (!find_ivar(target, object, "nodeCount", &node_count) ||
        !find_ivar(target, object, "bucketCount", &chain_count) ||
        !find_ivar(target, object, "buckets", &chains) ||
        !find_ivar(target, object, "legacy", &legacy) ||
        !find_ivar(target, object, "cb", &ret->callbacks) ||
        !read_word(target, node_count, &ret->nodes.node_count) ||
        !read_word(target, chain_count, &ret->nodes.chain_count) ||
        !read_word(target, chains, &ret->nodes.chains) ||
        loupe_memory_read(target->memory, legacy, &flag, 1) || !is_whole(target, &ret->nodes))
        return false;
    ret->legacy = flag != 0;
    return true;
}

/* Words of the older callbacks that retain: NSMapTable.h, NSHashTable.h. */
enum { KEY_RETAIN = 2, KEY_CALLBACK_WORDS = 6, VALUE_RETAIN = 0, ELEMENT_RETAIN = 2 };

static bool find_map_table(struct loupe_target *target, const struct loupe_object *object,
                           const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    struct concrete_table table;
    (void)keeper;
    if (!read_concrete_table(target, object, &table))
        return false;
    int keys = table.legacy
                   ? ownership_of_callbacks(target, word_at(target, table.callbacks, KEY_RETAIN),
                                            "NSObjectMapKeyCallBacks", KEY_RETAIN)
                   : ownership_of_functions(target, table.callbacks);
    int values =
        table.legacy
            ? ownership_of_callbacks(target, word_at(target, table.callbacks, KEY_CALLBACK_WORDS),
                                     "NSObjectMapValueCallBacks", VALUE_RETAIN)
            : ownership_of_functions(target, word_at(target, table.callbacks, PF_WORDS));
    if (keys == OWNS)
        add_nodes(target, &table.nodes, LOUPE_EDGE_KEY, ret);
    if (values == OWNS)
        add_nodes(target, &table.nodes, LOUPE_EDGE_VALUE, ret);
    return keys != DOES_NOT_TELL && values != DOES_NOT_TELL;
}

static bool find_hash_table(struct loupe_target *target, const struct loupe_object *object,
                            const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    struct concrete_table table;
    (void)keeper;
    if (!read_concrete_table(target, object, &table))
        return false;
    int elements =
        table.legacy
            ? ownership_of_callbacks(target, word_at(target, table.callbacks, ELEMENT_RETAIN),
                                     "NSObjectHashCallBacks", ELEMENT_RETAIN)
            : ownership_of_functions(target, table.callbacks);
    if (elements == OWNS)
        add_nodes(target, &table.nodes, LOUPE_EDGE_ELEMENT, ret);
    return elements != DOES_NOT_TELL;
}

/* It may hold nil. */
static bool find_pointer_array(struct loupe_target *target, const struct loupe_object *object,
                               const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    loupe_addr functions, count_at, items_at;
    uint64_t count, items;
    (void)keeper;
    if (!find_ivar(target, object, "_pf", &functions) ||
        !find_ivar(target, object, "_count", &count_at) ||
        !find_ivar(target, object, "_contents", &items_at) ||
        !read_word(target, count_at, &count) || !read_word(target, items_at, &items) ||
        count > LOUPE_MAX_ELEMENTS)
        return false;
    int elements = ownership_of_functions(target, functions);
    if (elements == OWNS) {
        struct loupe_run *run = add_run(ret, items, count, LOUPE_EDGE_ELEMENT);
        run->stride = word_size(target);
        run->ordered = true;
    }
    return elements != DOES_NOT_TELL;
}

/* ---- Classes that own some of their ivars ---- */

/* Where the arguments are only the calling convention tells. */
static bool find_invocation(struct loupe_target *target, const struct loupe_object *object,
                            const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    loupe_addr flag_at;
    uint8_t retained;
    if (!loupe_keeper_find_ivars(target, object, keeper, ret) ||
        !find_ivar(target, object, "_argsRetained", &flag_at) ||
        loupe_memory_read(target->memory, flag_at, &retained, 1))
        return false;
    ret->hides_more = retained != 0;
    return true;
}

/* Holds nothing that could lead back: a cache of its own, or objects of which it is no owner. */
static bool find_nothing(struct loupe_target *target, const struct loupe_object *object,
                         const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    (void)target;
    (void)object;
    (void)keeper;
    (void)ret;
    return true;
}

static const struct loupe_kept_ivar of_timer[] = {{"_date", LOUPE_EDGE_IVAR, NULL},
                                                  {"_target", LOUPE_EDGE_TARGET, NULL},
                                                  {"_info", LOUPE_EDGE_USER_INFO, NULL},
                                                  {"_block", LOUPE_EDGE_IVAR, NULL},
                                                  {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_kept_ivar of_thread[] = {
    {"_target", LOUPE_EDGE_TARGET, NULL}, {"_arg", LOUPE_EDGE_IVAR, NULL},
    {"_name", LOUPE_EDGE_IVAR, NULL},     {"_thread_dictionary", LOUPE_EDGE_IVAR, NULL},
    {"_gcontext", LOUPE_EDGE_IVAR, NULL}, {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_kept_ivar of_invocation[] = {
    {"_sig", LOUPE_EDGE_IVAR, NULL},
    {"_target", LOUPE_EDGE_TARGET, "_targetRetained"},
    {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_kept_ivar of_performer[] = {{"target", LOUPE_EDGE_TARGET, NULL},
                                                      {"argument", LOUPE_EDGE_IVAR, NULL},
                                                      {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_kept_ivar of_timed_performer[] = {{"target", LOUPE_EDGE_TARGET, NULL},
                                                            {"argument", LOUPE_EDGE_IVAR, NULL},
                                                            {"timer", LOUPE_EDGE_IVAR, NULL},
                                                            {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_kept_ivar of_observer[] = {{"_queue", LOUPE_EDGE_IVAR, NULL},
                                                     {"_block", LOUPE_EDGE_IVAR, NULL},
                                                     {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_kept_ivar of_notification[] = {{"_name", LOUPE_EDGE_IVAR, NULL},
                                                         {"_object", LOUPE_EDGE_IVAR, NULL},
                                                         {"_info", LOUPE_EDGE_USER_INFO, NULL},
                                                         {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_kept_ivar of_operation[] = {{"dependencies", LOUPE_EDGE_IVAR, NULL},
                                                      {"completionBlock", LOUPE_EDGE_IVAR, NULL},
                                                      {"lock", LOUPE_EDGE_IVAR, NULL},
                                                      {"cond", LOUPE_EDGE_IVAR, NULL},
                                                      {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_kept_ivar of_cache[] = {{"_name", LOUPE_EDGE_IVAR, NULL},
                                                  {"_objects", LOUPE_EDGE_IVAR, NULL},
                                                  {"_accesses", LOUPE_EDGE_IVAR, NULL},
                                                  {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_kept_ivar of_kvo_info[] = {{"iLock", LOUPE_EDGE_IVAR, NULL},
                                                     {"paths", LOUPE_EDGE_IVAR, NULL},
                                                     {NULL, LOUPE_EDGE_IVAR, NULL}};
static const struct loupe_kept_ivar of_map_enumerator[] = {{"dictionary", LOUPE_EDGE_IVAR, NULL},
                                                           {NULL, LOUPE_EDGE_IVAR, NULL}};

/* ---- The table ---- */

#define COLLECTION(function) .find = function, .finding = LOUPE_FINDING_COLLECTION_LAYOUT
#define IVARS(list)                                                                                \
    .find = loupe_keeper_find_ivars, .finding = LOUPE_FINDING_OPAQUE_HOLDER, .ivars = list
#define UNKNOWN .hides = true, .finding = LOUPE_FINDING_COLLECTION_LAYOUT
#define LEAF    .find = find_nothing, .finding = LOUPE_FINDING_OPAQUE_HOLDER

const struct loupe_keeper loupe_keepers_gnustep[] = {
    {"GSArray", COLLECTION(find_array)}, /* and GSInlineArray */
    {"GSMutableArray", COLLECTION(find_array)},
    {"GSDictionary", COLLECTION(find_map), .arrangement = LOUPE_EDGE_VALUE},
    {"GSMutableDictionary", COLLECTION(find_map), .arrangement = LOUPE_EDGE_VALUE},
    {"GSSet", COLLECTION(find_map), .arrangement = LOUPE_EDGE_ELEMENT},
    {"GSMutableSet", COLLECTION(find_map), .arrangement = LOUPE_EDGE_ELEMENT},
    {"GSCountedSet", COLLECTION(find_map), .arrangement = LOUPE_EDGE_ELEMENT},
    {"GSOrderedSet", COLLECTION(find_ordered_set)},
    {"GSMutableOrderedSet", COLLECTION(find_ordered_set)},
    {"NSConcreteMapTable", COLLECTION(find_map_table)},
    {"NSConcreteHashTable", COLLECTION(find_hash_table)},
    {"NSConcretePointerArray", COLLECTION(find_pointer_array)},
    {"GSRunLoopCtxt", .find = find_run_loop_context, .finding = LOUPE_FINDING_OPAQUE_HOLDER},
    {"NSInvocation", .find = find_invocation, .finding = LOUPE_FINDING_OPAQUE_HOLDER,
     .ivars = of_invocation},
    {"NSTimer", IVARS(of_timer)},
    {"NSThread", IVARS(of_thread)},
    {"GSRunLoopPerformer", IVARS(of_performer)},
    {"GSTimedPerformer", IVARS(of_timed_performer)},
    {"GSNotificationObserver", IVARS(of_observer)},
    {"GSNotification", IVARS(of_notification)},
    {"NSOperationInternal", IVARS(of_operation)},
    {"NSCache", IVARS(of_cache)},
    {"GSKVOInfo", IVARS(of_kvo_info)},
    {"GSDictionaryKeyEnumerator", IVARS(of_map_enumerator)},
    {"GSNonretainedObjectValue", LEAF},
    {"NSAutoreleasePool", LEAF},
    {"NSNotificationCenter", LEAF}, /* of observers it is no owner */
    {"NSUserDefaults", LEAF},
    {"NSBundle", LEAF},
    {"NSTimeZone", LEAF},
    {"NSLocale", LEAF},
    {"NSCharacterSet", LEAF},
    {"NSString", LEAF},
    /* What the rest inherits from: subclasses that are not above. */
    {"GSPlaceholderArray", LEAF},
    {"NSArray", UNKNOWN},
    {"NSDictionary", UNKNOWN},
    {"NSSet", UNKNOWN},
    {"NSOrderedSet", UNKNOWN},
    {"NSMapTable", UNKNOWN},
    {"NSHashTable", UNKNOWN},
    {"NSPointerArray", UNKNOWN},
};
const unsigned loupe_keeper_count_gnustep =
    sizeof(loupe_keepers_gnustep) / sizeof(loupe_keepers_gnustep[0]);
