/*
 * What Apple's Foundation classes hold.
 *
 * Collections: the layouts that LLDB's formatters read (NSArray.cpp, NSDictionary.cpp, NSSet.cpp,
 * CFBasicHash.cpp of LLVM 16 and later), for Foundation 1437 (macOS 10.13, iOS 11) and later.
 * CFArray, CFRunLoopTimer: CFArray.c and CFRunLoop.c of CF-1153. The info of a target timer's
 * context: as FBRetainCycleDetector found it. NSMapTable and NSHashTable: the ivars that class
 * dumps of Foundation show. Dispatch sources: libdispatch-1542. All are for 64 bits.
 */
#include "runtime/keepers.h"

enum arrangement {
    ELEMENTS,    /* count objects, all there */
    HASHED,      /* as many places as the capacity, with holes */
    PAIRS,       /* the same, key and value by turns */
    HALVES,      /* the same, all keys, then all values */
    RING_BUFFER, /* capacity and offset stand before the count */
    VALUE_KEY    /* one value, then its key */
};

enum { WORD = 8 };

/* ---- Reading ---- */

static bool read_word(struct loupe_target *target, loupe_addr address, uint64_t *ret) {
    return loupe_memory_read_word(target->memory, address, ret) == LOUPE_OK;
}

static bool read_u32(struct loupe_target *target, loupe_addr address, uint32_t *ret) {
    return loupe_memory_read_u32(target->memory, address, ret) == LOUPE_OK;
}

/* CFBasicHash.c, __CFBasicHashTableSizes: prime capacities, by index. */
static bool capacity_of(uint64_t index, uint64_t *ret) {
    static const uint32_t capacities[] = {
        0,       3,       7,       13,      23,       41,       71,       127,     191,
        251,     383,     631,     1087,    1723,     2803,     4523,     7351,    11959,
        19447,   31231,   50683,   81919,   132607,   214519,   346607,   561109,  907759,
        1468927, 2376191, 3845119, 6221311, 10066421, 16287743, 26354171, 42641881};
    if (index >= sizeof(capacities) / sizeof(capacities[0]))
        return false;
    *ret = capacities[index];
    return true;
}

/* The number of slots in use; all of them must be readable and hold what could be an object. */
static bool count_used(struct loupe_target *target, loupe_addr first, uint64_t count,
                       uint64_t stride, uint64_t *ret) {
    uint64_t word, used = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!read_word(target, first + i * stride, &word) ||
            (!loupe_is_tagged(target, word) && word % WORD))
            return false;
        used += word != 0;
    }
    *ret = used;
    return true;
}

static struct loupe_run *add_run(struct loupe_kept *kept, loupe_addr first, uint64_t count,
                                 enum loupe_edge_kind kind) {
    struct loupe_run *run = &kept->runs[kept->run_count++];
    *run =
        (struct loupe_run){.first = first, .count = (uint32_t)count, .stride = WORD, .kind = kind};
    return run;
}

/* One slot with a name. */
static void add_named(struct loupe_kept *kept, loupe_addr slot, enum loupe_edge_kind kind,
                      const char *name) {
    add_run(kept, slot, 1, kind)->name = name;
}

/* ---- Collections of CoreFoundation's private classes ---- */

static bool read_count(struct loupe_target *target, const struct loupe_object *object,
                       const struct loupe_keeper *keeper, uint64_t *count_ret,
                       uint64_t *capacity_ret) {
    uint64_t word = 0;
    if (loupe_memory_read(target->memory, object->address + keeper->count_at, &word,
                          keeper->count_size))
        return false;
    *count_ret = keeper->count_bits < 64 ? word & (((uint64_t)1 << keeper->count_bits) - 1) : word;
    *capacity_ret = *count_ret;
    if (keeper->index_shift && !capacity_of(word >> keeper->index_shift, capacity_ret))
        return false;
    return *count_ret <= *capacity_ret && *capacity_ret <= LOUPE_MAX_ELEMENTS;
}

static bool find_items(struct loupe_target *target, const struct loupe_object *object,
                       const struct loupe_keeper *keeper, loupe_addr *ret) {
    *ret = object->address + keeper->items_at;
    return !keeper->items_elsewhere ||
           loupe_memory_read_pointer(target->memory, *ret, ret) == LOUPE_OK;
}

/* Slot i of the array is place (offset + i) of the buffer, wrapped once. */
static bool find_ring_buffer(struct loupe_target *target, const struct loupe_object *object,
                             loupe_addr items, uint64_t count, struct loupe_kept *ret) {
    enum { OFFSET_AT = 24, CAPACITY_AT = 28 };
    uint32_t offset, capacity;
    uint64_t used;
    if (!read_u32(target, object->address + OFFSET_AT, &offset) ||
        !read_u32(target, object->address + CAPACITY_AT, &capacity) || count > capacity ||
        (count && offset >= capacity))
        return false;
    uint64_t before_wrap =
        capacity - (uint64_t)offset < count ? capacity - (uint64_t)offset : count;
    struct loupe_run *run =
        add_run(ret, items + (uint64_t)offset * WORD, before_wrap, LOUPE_EDGE_ELEMENT);
    run->ordered = true;
    run = add_run(ret, items, count - before_wrap, LOUPE_EDGE_ELEMENT);
    run->ordered = true;
    run->start = (uint32_t)before_wrap;
    return count_used(target, ret->runs[0].first, before_wrap, WORD, &used) &&
           used == before_wrap && count_used(target, items, count - before_wrap, WORD, &used) &&
           used == count - before_wrap;
}

static bool find_table(struct loupe_target *target, loupe_addr keys, loupe_addr values,
                       uint64_t capacity, uint32_t stride, uint64_t count, struct loupe_kept *ret) {
    uint64_t key_count, value_count;
    struct loupe_run *run = add_run(ret, keys, capacity, LOUPE_EDGE_KEY);
    run->stride = run->key_stride = stride;
    run->keys = keys;
    run = add_run(ret, values, capacity, LOUPE_EDGE_VALUE);
    run->stride = run->key_stride = stride;
    run->keys = keys;
    return count_used(target, keys, capacity, stride, &key_count) &&
           count_used(target, values, capacity, stride, &value_count) && key_count == count &&
           value_count == count;
}

static bool find_collection(struct loupe_target *target, const struct loupe_object *object,
                            const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    uint64_t count, capacity, used;
    loupe_addr items;
    struct loupe_run *run;
    if (!read_count(target, object, keeper, &count, &capacity) ||
        !find_items(target, object, keeper, &items))
        return false;
    switch ((enum arrangement)keeper->arrangement) {
    case RING_BUFFER:
        return find_ring_buffer(target, object, items, count, ret);
    case PAIRS:
        return find_table(target, items, items + WORD, capacity, 2 * WORD, count, ret);
    case HALVES:
        return find_table(target, items, items + capacity * WORD, capacity, WORD, count, ret);
    case ELEMENTS:
    case HASHED:
    case VALUE_KEY:
        break;
    }
    run = add_run(ret, items, capacity, LOUPE_EDGE_ELEMENT);
    run->ordered = keeper->arrangement == ELEMENTS;
    return count_used(target, items, capacity, WORD, &used) && used == count;
}

/* __NSSingleObjectArrayI, __NSSingleEntryDictionaryI */
static bool find_single(struct loupe_target *target, const struct loupe_object *object,
                        const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    uint64_t used, count = keeper->arrangement == VALUE_KEY ? 2 : 1;
    loupe_addr first = object->address + keeper->items_at;
    if (!count_used(target, first, count, WORD, &used) || used != count)
        return false;
    if (count == 1) {
        add_run(ret, first, 1, LOUPE_EDGE_ELEMENT)->ordered = true;
        return true;
    }
    add_run(ret, first + WORD, 1, LOUPE_EDGE_KEY)->keys = first + WORD;
    add_run(ret, first, 1, LOUPE_EDGE_VALUE)->keys = first + WORD;
    return true;
}

/* ---- Toll-free bridged collections: who owns the elements is up to their callbacks ---- */

enum { CF_INFO_AT = 8 };

static bool find_cf_array(struct loupe_target *target, const struct loupe_object *object,
                          const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    enum { COUNT_AT = 16, STORE_AT = 40, HEADER = 48, CALLBACKS = 5 * WORD, RETAIN_AT = 56 };
    enum { IMMUTABLE = 0, DEQUE = 2, NULL_CALLBACKS = 0, CUSTOM_CALLBACKS = 3 };
    uint64_t count, store, retain = 1, used;
    uint32_t info;
    (void)keeper;
    if (!read_u32(target, object->address + CF_INFO_AT, &info) ||
        !read_word(target, object->address + COUNT_AT, &count) || count > LOUPE_MAX_ELEMENTS)
        return false;
    unsigned type = info & 3, callbacks = info >> 2 & 3;
    if (callbacks == CUSTOM_CALLBACKS && !read_word(target, object->address + RETAIN_AT, &retain))
        return false;
    if (callbacks == NULL_CALLBACKS || !retain || !count)
        return type == IMMUTABLE || type == DEQUE;
    loupe_addr items = object->address + HEADER + (callbacks == CUSTOM_CALLBACKS ? CALLBACKS : 0);
    if (type == DEQUE) {
        uint64_t left;
        if (!read_word(target, object->address + STORE_AT, &store) ||
            !read_word(target, store, &left) || left > LOUPE_MAX_ELEMENTS)
            return false;
        items = store + (2 + left) * WORD;
    } else if (type != IMMUTABLE) {
        return false;
    }
    add_run(ret, items, count, LOUPE_EDGE_ELEMENT)->ordered = true;
    return count_used(target, items, count, WORD, &used) && used == count;
}

/* Words that could not be objects, odd markers of the table apart, mean another layout. */
static bool count_hash(struct loupe_target *target, loupe_addr first, uint64_t count,
                       uint64_t *ret) {
    uint64_t word, used = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!read_word(target, first + i * WORD, &word))
            return false;
        if (!word || word % 2)
            continue; /* free, deleted, or tagged */
        if (!loupe_is_tagged(target, word) && word % WORD)
            return false;
        used++;
    }
    *ret = used;
    return true;
}

static bool find_cf_hash(struct loupe_target *target, const struct loupe_object *object,
                         const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    enum { BITS_AT = 16, USED_AT = 20, SIZES_AT = 24, POINTERS_AT = 40 };
    uint32_t bits, used;
    uint64_t sizes, capacity, values, keys, counted;
    (void)keeper;
    if (!read_u32(target, object->address + BITS_AT, &bits) ||
        !read_u32(target, object->address + USED_AT, &used) ||
        !read_word(target, object->address + SIZES_AT, &sizes) ||
        !capacity_of(sizes >> 16 & 0xff, &capacity) || used > capacity)
        return false;
    bool has_keys = bits >> 18 & 1;
    bool owns_keys = (sizes >> 24 & 0x3ff) != 0, owns_values = (sizes >> 34 & 0x3ff) != 0;
    if (!used || (!owns_keys && !owns_values))
        return true;
    if (!read_word(target, object->address + POINTERS_AT, &values) ||
        !read_word(target, object->address + POINTERS_AT + WORD, &keys))
        return false;
    if (has_keys && owns_keys) {
        struct loupe_run *run = add_run(ret, keys, capacity, LOUPE_EDGE_KEY);
        run->keys = keys;
        run->has_markers = true;
        if (!count_hash(target, keys, capacity, &counted))
            return false;
    }
    if (owns_values) {
        struct loupe_run *run =
            add_run(ret, values, capacity, has_keys ? LOUPE_EDGE_VALUE : LOUPE_EDGE_ELEMENT);
        run->keys = has_keys ? keys : 0;
        run->has_markers = true;
        return count_hash(target, values, capacity, &counted) && counted <= used;
    }
    return true;
}

/* ---- Map tables and hash tables ---- */

/* Items, then words of which this one is set in a slice that owns its items. */
enum { SLICE_ACQUIRE_AT = 48 };

static bool find_slice(struct loupe_target *target, const struct loupe_object *object,
                       const char *ivar, uint64_t capacity, enum loupe_edge_kind kind,
                       struct loupe_kept *ret) {
    uint32_t offset;
    uint64_t items, acquire, used;
    if (!loupe_keeper_ivar(target, object->cls, ivar, &offset) ||
        !read_word(target, object->address + offset, &items) ||
        !read_word(target, object->address + offset + SLICE_ACQUIRE_AT, &acquire))
        return false;
    if (!acquire || !capacity)
        return true;
    add_run(ret, items, capacity, kind);
    return count_used(target, items, capacity, WORD, &used);
}

static bool read_capacity(struct loupe_target *target, const struct loupe_object *object,
                          uint64_t *ret) {
    uint32_t offset;
    return loupe_keeper_ivar(target, object->cls, "capacity", &offset) &&
           read_word(target, object->address + offset, ret) && *ret <= LOUPE_MAX_ELEMENTS;
}

static bool find_map_table(struct loupe_target *target, const struct loupe_object *object,
                           const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    uint64_t capacity;
    (void)keeper;
    return read_capacity(target, object, &capacity) &&
           find_slice(target, object, "keys", capacity, LOUPE_EDGE_KEY, ret) &&
           find_slice(target, object, "values", capacity, LOUPE_EDGE_VALUE, ret);
}

static bool find_hash_table(struct loupe_target *target, const struct loupe_object *object,
                            const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    uint64_t capacity;
    (void)keeper;
    return read_capacity(target, object, &capacity) &&
           find_slice(target, object, "slice", capacity, LOUPE_EDGE_ELEMENT, ret);
}

/* ---- Timers ---- */

static bool is_block(struct loupe_target *target, loupe_addr address) {
    struct loupe_object object;
    return loupe_object_at(target, address, &object, NULL) == LOUPE_OK &&
           object.cls->kind == LOUPE_INSTANCE_BLOCK;
}

/* The context's info is a block, or Foundation's {1, target, selector, user info}. */
static bool find_timer(struct loupe_target *target, const struct loupe_object *object,
                       const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    enum { INFO_AT = 160, RETAIN_AT = 168, TARGET_AT = WORD, USER_INFO_AT = 3 * WORD };
    uint64_t info, retain, first;
    (void)keeper;
    if (!read_word(target, object->address + INFO_AT, &info) ||
        !read_word(target, object->address + RETAIN_AT, &retain))
        return false;
    if (!info || !retain)
        return true; /* invalid by now, or a timer that owns nothing */
    if (is_block(target, info)) {
        add_named(ret, object->address + INFO_AT, LOUPE_EDGE_TARGET, "block");
        return true;
    }
    if (!read_word(target, info, &first) || first != 1)
        return false;
    add_named(ret, info + TARGET_AT, LOUPE_EDGE_TARGET, "target");
    add_named(ret, info + USER_INFO_AT, LOUPE_EDGE_USER_INFO, "userInfo");
    return true;
}

/* ---- Dispatch sources ---- */

/* The references of a source point back to it, complemented: that tells the layout. */
static bool find_dispatch_source(struct loupe_target *target, const struct loupe_object *object,
                                 const struct loupe_keeper *keeper, struct loupe_kept *ret) {
    enum { REFS_AT = 88, OWNER_AT = 8, HANDLERS_AT = 40, CONTEXT_AT = 40 };
    static const char *const names[] = {"event_handler", "cancel_handler", "registration_handler"};
    uint64_t refs, owner, continuation, context;
    (void)keeper;
    if (!read_word(target, object->address + REFS_AT, &refs) ||
        !read_word(target, refs + OWNER_AT, &owner) || owner != ~object->address)
        return false;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!read_word(target, refs + HANDLERS_AT + i * WORD, &continuation))
            return false;
        if (continuation && read_word(target, continuation + CONTEXT_AT, &context) &&
            context % WORD == 0 && is_block(target, context))
            add_named(ret, continuation + CONTEXT_AT, LOUPE_EDGE_TARGET, names[i]);
    }
    return true;
}

/* ---- The table ---- */

#define COLLECTION .find = find_collection, .finding = LOUPE_FINDING_COLLECTION_LAYOUT
#define SINGLE     .find = find_single, .finding = LOUPE_FINDING_COLLECTION_LAYOUT
#define UNKNOWN    .hides = true, .finding = LOUPE_FINDING_COLLECTION_LAYOUT
#define OPAQUE     .hides = true, .finding = LOUPE_FINDING_OPAQUE_HOLDER

const struct loupe_keeper loupe_keepers_apple[] = {
    {"__NSArray0", .find = NULL},
    {"__NSDictionary0", .find = NULL},
    {"__NSPlaceholderArray", .find = NULL},
    {"__NSPlaceholderDictionary", .find = NULL},
    {"__NSPlaceholderSet", .find = NULL},
    {"_NSCallStackArray", .find = NULL}, /* return addresses */
    {"__NSSingleObjectArrayI", SINGLE, .items_at = 8, .arrangement = ELEMENTS},
    {"__NSArrayI", COLLECTION, .count_at = 8, .count_size = 8, .count_bits = 64, .items_at = 16,
     .arrangement = ELEMENTS},
    {"__NSArrayI_Transfer", COLLECTION, .count_at = 8, .count_size = 8, .count_bits = 64,
     .items_at = 16, .items_elsewhere = true, .arrangement = ELEMENTS},
    {"__NSArrayM", COLLECTION, .count_at = 36, .count_size = 4, .count_bits = 32, .items_at = 16,
     .items_elsewhere = true, .arrangement = RING_BUFFER},
    {"__NSFrozenArrayM", COLLECTION, .count_at = 36, .count_size = 4, .count_bits = 32,
     .items_at = 16, .items_elsewhere = true, .arrangement = RING_BUFFER},
    {"__NSDictionaryI", COLLECTION, .count_at = 8, .count_size = 8, .count_bits = 58,
     .index_shift = 58, .items_at = 16, .arrangement = PAIRS},
    {"__NSDictionaryM", COLLECTION, .count_at = 20, .count_size = 4, .count_bits = 25,
     .index_shift = 26, .items_at = 8, .items_elsewhere = true, .arrangement = HALVES},
    {"__NSSingleEntryDictionaryI", SINGLE, .items_at = 8, .arrangement = VALUE_KEY},
    {"__NSSetI", COLLECTION, .count_at = 8, .count_size = 8, .count_bits = 58, .index_shift = 58,
     .items_at = 16, .arrangement = HASHED},
    {"__NSOrderedSetI", COLLECTION, .count_at = 8, .count_size = 8, .count_bits = 58,
     .index_shift = 58, .items_at = 16, .arrangement = HASHED},
    {"__NSSetM", COLLECTION, .count_at = 28, .count_size = 4, .count_bits = 26, .index_shift = 26,
     .items_at = 16, .items_elsewhere = true, .arrangement = HASHED},
    {"__NSCFArray", .find = find_cf_array, .finding = LOUPE_FINDING_COLLECTION_LAYOUT},
    {"__NSCFDictionary", .find = find_cf_hash, .finding = LOUPE_FINDING_COLLECTION_LAYOUT},
    {"__NSCFSet", .find = find_cf_hash, .finding = LOUPE_FINDING_COLLECTION_LAYOUT},
    {"NSConcreteMapTable", .find = find_map_table, .finding = LOUPE_FINDING_COLLECTION_LAYOUT},
    {"NSConcreteHashTable", .find = find_hash_table, .finding = LOUPE_FINDING_COLLECTION_LAYOUT},
    {"__NSCFTimer", .find = find_timer, .finding = LOUPE_FINDING_OPAQUE_HOLDER},
    {"OS_dispatch_source", .find = find_dispatch_source, .finding = LOUPE_FINDING_OPAQUE_HOLDER},
    /* What the rest inherits from: subclasses that are not above. */
    {"NSArray", UNKNOWN},
    {"NSDictionary", UNKNOWN},
    {"NSSet", UNKNOWN},
    {"NSOrderedSet", UNKNOWN},
    {"NSMapTable", UNKNOWN},
    {"NSHashTable", UNKNOWN},
    {"NSPointerArray", UNKNOWN},
    {"CADisplayLink", OPAQUE},
    {"NSURLSession", OPAQUE},
    {"NSXPCConnection", OPAQUE},
    {"NSThread", OPAQUE},
    {"NSTimer", OPAQUE},
};
const unsigned loupe_keeper_count_apple =
    sizeof(loupe_keepers_apple) / sizeof(loupe_keepers_apple[0]);
