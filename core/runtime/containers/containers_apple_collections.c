/*
 * What Apple's collections hold.
 *
 * CoreFoundation's private classes: the layouts that LLDB's formatters read (NSArray.cpp,
 * NSDictionary.cpp, NSSet.cpp, CFBasicHash.cpp of LLVM 16 and later), for Foundation 1437 (macOS
 * 10.13, iOS 11) and later. CFArray: CFArray.c of CF-1153. NSMapTable, NSHashTable and
 * NSPointerArray: class dumps of Foundation of iOS 9 to 18, ivars found by name in the target.
 * Constant literals: clang's CGObjCMac.cpp. All are for 64 bits.
 */
#include "runtime/containers/containers_apple.h"

enum { WORD = 8 };

/* ---- Reading ---- */

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
        if (loupe_memory_ends_at(target->memory, i) ||
            !apple_read_word(target, first + i * stride, &word) ||
            (!loupe_is_tagged(target, word) && word % WORD))
            return false;
        used += word != 0;
    }
    *ret = used;
    return true;
}

/* ---- Collections of CoreFoundation's private classes ---- */

static bool read_count(struct loupe_target *target, const struct loupe_object *object,
                       const struct loupe_container_rule *rule, uint64_t *count_ret,
                       uint64_t *capacity_ret) {
    uint64_t word = 0;
    if (loupe_memory_read(target->memory, object->address + rule->count_at, &word,
                          rule->count_size))
        return false;
    *count_ret = rule->count_bits < 64 ? word & (((uint64_t)1 << rule->count_bits) - 1) : word;
    *capacity_ret = *count_ret;
    if (rule->index_shift && !capacity_of(word >> rule->index_shift, capacity_ret))
        return false;
    return *count_ret <= *capacity_ret && *capacity_ret <= LOUPE_MAX_ELEMENTS;
}

static bool find_items(struct loupe_target *target, const struct loupe_object *object,
                       const struct loupe_container_rule *rule, loupe_addr *ret) {
    *ret = object->address + rule->items_at;
    return !rule->items_elsewhere ||
           loupe_memory_read_pointer(target->memory, *ret, ret) == LOUPE_OK;
}

/* Slot i of the array is place (offset + i) of the buffer, wrapped once. */
static bool find_ring_buffer(struct loupe_target *target, const struct loupe_object *object,
                             loupe_addr items, uint64_t count, struct loupe_contents *ret) {
    enum { OFFSET_AT = 24, CAPACITY_AT = 28 };
    uint32_t offset, capacity;
    uint64_t used;
    if (!read_u32(target, object->address + OFFSET_AT, &offset) ||
        !read_u32(target, object->address + CAPACITY_AT, &capacity) || count > capacity ||
        (count && offset >= capacity))
        return false;
    uint64_t before_wrap =
        capacity - (uint64_t)offset < count ? capacity - (uint64_t)offset : count;
    struct loupe_slot_group *group =
        apple_add_run(ret, items + (uint64_t)offset * WORD, before_wrap, LOUPE_EDGE_ELEMENT);
    group->ordered = true;
    group = apple_add_run(ret, items, count - before_wrap, LOUPE_EDGE_ELEMENT);
    group->ordered = true;
    group->start = (uint32_t)before_wrap;
    return count_used(target, ret->groups[0].first, before_wrap, WORD, &used) &&
           used == before_wrap && count_used(target, items, count - before_wrap, WORD, &used) &&
           used == count - before_wrap;
}

/* Slots of keys and of values, so many bytes from one to the next. */
struct table {
    loupe_addr keys, values;
    uint64_t capacity;
    uint32_t stride;
};

static bool find_table(struct loupe_target *target, const struct table *table, uint64_t count,
                       struct loupe_contents *ret) {
    uint64_t key_count, value_count, capacity = table->capacity;
    struct loupe_slot_group *group = apple_add_run(ret, table->keys, capacity, LOUPE_EDGE_KEY);
    group->stride = group->key_stride = table->stride;
    group->keys = table->keys;
    group = apple_add_run(ret, table->values, capacity, LOUPE_EDGE_VALUE);
    group->stride = group->key_stride = table->stride;
    group->keys = table->keys;
    return count_used(target, table->keys, capacity, table->stride, &key_count) &&
           count_used(target, table->values, capacity, table->stride, &value_count) &&
           key_count == count && value_count == count;
}

bool apple_find_collection(struct loupe_target *target, const struct loupe_object *object,
                           const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    uint64_t count, capacity, used;
    loupe_addr items;
    struct loupe_slot_group *group;
    if (!read_count(target, object, rule, &count, &capacity) ||
        !find_items(target, object, rule, &items))
        return false;
    switch ((enum apple_arrangement)rule->arrangement) {
    case RING_BUFFER:
        return find_ring_buffer(target, object, items, count, ret);
    case PAIRS:
        return find_table(target, &(struct table){items, items + WORD, capacity, 2 * WORD}, count,
                          ret);
    case HALVES:
        return find_table(target, &(struct table){items, items + capacity * WORD, capacity, WORD},
                          count, ret);
    case ELEMENTS:
    case HASHED:
    case VALUE_KEY:
        break;
    }
    group = apple_add_run(ret, items, capacity, LOUPE_EDGE_ELEMENT);
    group->ordered = rule->arrangement == ELEMENTS;
    return count_used(target, items, capacity, WORD, &used) && used == count;
}

/* __NSSingleObjectArrayI, __NSSingleEntryDictionaryI */
bool apple_find_single(struct loupe_target *target, const struct loupe_object *object,
                       const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    uint64_t used, count = rule->arrangement == VALUE_KEY ? 2 : 1;
    loupe_addr first = object->address + rule->items_at;
    if (!count_used(target, first, count, WORD, &used) || used != count)
        return false;
    if (count == 1) {
        apple_add_run(ret, first, 1, LOUPE_EDGE_ELEMENT)->ordered = true;
        return true;
    }
    apple_add_run(ret, first + WORD, 1, LOUPE_EDGE_KEY)->keys = first + WORD;
    apple_add_run(ret, first, 1, LOUPE_EDGE_VALUE)->keys = first + WORD;
    return true;
}

/* A literal of constants: count, address of the keys, address of the values. */
bool apple_find_constant_dictionary(struct loupe_target *target, const struct loupe_object *object,
                                    const struct loupe_container_rule *rule,
                                    struct loupe_contents *ret) {
    enum { COUNT_AT = 16, KEYS_AT = 24, VALUES_AT = 32 };
    uint64_t count, keys, values;
    (void)rule;
    return apple_read_word(target, object->address + COUNT_AT, &count) &&
           count <= LOUPE_MAX_ELEMENTS &&
           apple_read_word(target, object->address + KEYS_AT, &keys) &&
           apple_read_word(target, object->address + VALUES_AT, &values) &&
           find_table(target, &(struct table){keys, values, count, WORD}, count, ret);
}

/* ---- Toll-free bridged collections: who owns the elements is up to their callbacks ---- */

enum { CF_INFO_AT = 8 };

bool apple_find_cf_array(struct loupe_target *target, const struct loupe_object *object,
                         const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    enum { COUNT_AT = 16, STORE_AT = 40, HEADER = 48, CALLBACKS = 5 * WORD, RETAIN_AT = 56 };
    enum { IMMUTABLE = 0, DEQUE = 2, NULL_CALLBACKS = 0, CUSTOM_CALLBACKS = 3 };
    uint64_t count, store, retain = 1, used;
    uint32_t info;
    (void)rule;
    if (!read_u32(target, object->address + CF_INFO_AT, &info) ||
        !apple_read_word(target, object->address + COUNT_AT, &count) || count > LOUPE_MAX_ELEMENTS)
        return false;
    unsigned type = info & 3, callbacks = info >> 2 & 3;
    if (callbacks == CUSTOM_CALLBACKS &&
        !apple_read_word(target, object->address + RETAIN_AT, &retain))
        return false;
    if (callbacks == NULL_CALLBACKS || !retain || !count)
        return type == IMMUTABLE || type == DEQUE;
    loupe_addr items = object->address + HEADER + (callbacks == CUSTOM_CALLBACKS ? CALLBACKS : 0);
    if (type == DEQUE) {
        uint64_t left;
        if (!apple_read_word(target, object->address + STORE_AT, &store) ||
            !apple_read_word(target, store, &left) || left > LOUPE_MAX_ELEMENTS)
            return false;
        items = store + (2 + left) * WORD;
    } else if (type != IMMUTABLE) {
        return false;
    }
    apple_add_run(ret, items, count, LOUPE_EDGE_ELEMENT)->ordered = true;
    return count_used(target, items, count, WORD, &used) && used == count;
}

/* Words that could not be objects, odd markers of the table apart, mean another layout. */
static bool count_hash(struct loupe_target *target, loupe_addr first, uint64_t count,
                       uint64_t *ret) {
    uint64_t word, used = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (loupe_memory_ends_at(target->memory, i) ||
            !apple_read_word(target, first + i * WORD, &word))
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

bool apple_find_cf_hash(struct loupe_target *target, const struct loupe_object *object,
                        const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    enum { BITS_AT = 16, USED_AT = 20, SIZES_AT = 24, POINTERS_AT = 40 };
    uint32_t bits, used;
    uint64_t sizes, capacity, values, keys, counted;
    (void)rule;
    if (!read_u32(target, object->address + BITS_AT, &bits) ||
        !read_u32(target, object->address + USED_AT, &used) ||
        !apple_read_word(target, object->address + SIZES_AT, &sizes) ||
        !capacity_of(sizes >> 16 & 0xff, &capacity) || used > capacity)
        return false;
    bool has_keys = bits >> 18 & 1;
    bool owns_keys = (sizes >> 24 & 0x3ff) != 0, owns_values = (sizes >> 34 & 0x3ff) != 0;
    if (!used || (!owns_keys && !owns_values))
        return true;
    if (!apple_read_word(target, object->address + POINTERS_AT, &values) ||
        !apple_read_word(target, object->address + POINTERS_AT + WORD, &keys))
        return false;
    if (has_keys && owns_keys) {
        struct loupe_slot_group *group = apple_add_run(ret, keys, capacity, LOUPE_EDGE_KEY);
        group->keys = keys;
        group->has_markers = true;
        if (!count_hash(target, keys, capacity, &counted))
            return false;
    }
    if (owns_values) {
        struct loupe_slot_group *group =
            apple_add_run(ret, values, capacity, has_keys ? LOUPE_EDGE_VALUE : LOUPE_EDGE_ELEMENT);
        group->keys = has_keys ? keys : 0;
        group->has_markers = true;
        return count_hash(target, values, capacity, &counted) && counted <= used;
    }
    return true;
}

/* ---- Map tables, hash tables, pointer arrays ---- */

/* A slice, by what its places are called. */
struct slice {
    const char *items, *acquire, *properties;
};
#define SLICE(name)                                                                                \
    { name ".items", name ".acquireFunction", name ".acquisitionProps" }
static const struct slice keys_slice = SLICE("keys"), values_slice = SLICE("values"),
                          only_slice = SLICE("slice");

/*
 * A slice holds its items strongly if it has a function to acquire them: one of its members, or
 * since iOS 13 a member of the properties that slices of one kind share.
 */
static bool owns_items(struct loupe_target *target, const struct loupe_object *object,
                       const struct slice *slice, bool *ret) {
    enum { SHARED_ACQUIRE_AT = 8 };
    uint32_t offset;
    uint64_t properties, acquire;
    if (loupe_container_ivar(target, object->cls, slice->acquire, &offset)) {
        if (!apple_read_word(target, object->address + offset, &acquire))
            return false;
    } else if (!loupe_container_ivar(target, object->cls, slice->properties, &offset) ||
               !apple_read_word(target, object->address + offset, &properties) ||
               !apple_read_word(target, properties + SHARED_ACQUIRE_AT, &acquire)) {
        return false;
    }
    *ret = acquire != 0;
    return true;
}

static bool find_slice(struct loupe_target *target, const struct loupe_object *object,
                       const struct slice *slice, uint64_t count, enum loupe_edge_kind kind,
                       struct loupe_contents *ret) {
    uint32_t offset;
    uint64_t items, used;
    bool owns;
    if (!loupe_container_ivar(target, object->cls, slice->items, &offset) ||
        !apple_read_word(target, object->address + offset, &items) ||
        !owns_items(target, object, slice, &owns))
        return false;
    if (!count)
        return true;
    struct loupe_slot_group *group = apple_add_run(ret, items, count, kind);
    group->nonowning = !owns;
    return !owns || count_used(target, items, count, WORD, &used);
}

static bool read_ivar(struct loupe_target *target, const struct loupe_object *object,
                      const char *name, uint64_t *ret) {
    uint32_t offset;
    return loupe_container_ivar(target, object->cls, name, &offset) &&
           apple_read_word(target, object->address + offset, ret) && *ret <= LOUPE_MAX_ELEMENTS;
}

bool apple_find_map_table(struct loupe_target *target, const struct loupe_object *object,
                          const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    uint64_t capacity;
    (void)rule;
    if (!read_ivar(target, object, "capacity", &capacity) ||
        !find_slice(target, object, &keys_slice, capacity, LOUPE_EDGE_KEY, ret) ||
        !find_slice(target, object, &values_slice, capacity, LOUPE_EDGE_VALUE, ret))
        return false;
    for (uint32_t i = 0; i < ret->group_count; i++) {
        ret->groups[i].keys = ret->groups[0].first;
        ret->groups[i].key_stride = WORD;
    }
    return true;
}

bool apple_find_hash_table(struct loupe_target *target, const struct loupe_object *object,
                           const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    uint64_t capacity;
    (void)rule;
    return read_ivar(target, object, "capacity", &capacity) &&
           find_slice(target, object, &only_slice, capacity, LOUPE_EDGE_ELEMENT, ret);
}

/* It may hold nil between its objects. */
bool apple_find_pointer_array(struct loupe_target *target, const struct loupe_object *object,
                              const struct loupe_container_rule *rule, struct loupe_contents *ret) {
    uint64_t count, capacity;
    (void)rule;
    if (!read_ivar(target, object, "count", &count) ||
        !read_ivar(target, object, "capacity", &capacity) || count > capacity ||
        !find_slice(target, object, &only_slice, count, LOUPE_EDGE_ELEMENT, ret))
        return false;
    if (ret->group_count)
        ret->groups[0].ordered = true;
    return true;
}
