/*
 * Collections of Java by their fields, as JDK 8 to 21, Android 5 to 14 and Kotlin have them. What
 * stands in a dump may be anything: every walk has a budget, and a field that is missing ends it.
 */
#include "base/numbers.h"
#include "snapshot/values/collections.h"
#include "snapshot/values/values.h"

#include <string.h>

enum { MOST_DELEGATES = 8, MOST_DEPTH = 128, NAMES = 4 };

struct walk {
    const struct loupe_snapshot *snapshot;
    const struct loupe_chunk_ops *chunks;
    loupe_item_visit *visit;
    void *ctx;
    uint64_t index, steps; /* steps: what is left of the budget */
    bool keys_only;        /* of a map, for the set that it stands for */
    bool ended;
    enum loupe_status status;
};

struct shape;
typedef void walk_fn(struct walk *walk, uint32_t node, const struct shape *shape);

/* One class, or with `inherits` also what inherits from it. */
struct shape {
    const char *class_name;
    enum loupe_collection_kind kind;
    walk_fn *walk;
    const char *fields[NAMES]; /* what they are called, as the walk wants them */
    const char *count;         /* field with how many there are; NULL: none */
    bool inherits;
};

/* ---- What walks share ---- */

static struct loupe_value object_value(const struct loupe_snapshot *snapshot, uint32_t node) {
    return (struct loupe_value){.type = LOUPE_VALUE_OBJECT,
                                .bits = loupe_snapshot_address(snapshot, node)};
}

static bool go_on(struct walk *walk) {
    if (!walk->steps)
        walk->ended = true;
    else
        walk->steps--;
    return !walk->ended && !walk->status;
}

static void give(struct walk *walk, struct loupe_value key, struct loupe_value value) {
    struct loupe_item item = {.index = walk->index++, .key = key, .value = value};
    if (walk->keys_only) {
        item.value = key;
        item.key = (struct loupe_value){.type = LOUPE_VALUE_NONE};
    }
    if (!walk->visit(walk->ctx, &item))
        walk->ended = true;
}

static void give_one(struct walk *walk, struct loupe_value value) {
    struct loupe_item item = {.index = walk->index++, .value = value};
    if (!walk->visit(walk->ctx, &item))
        walk->ended = true;
}

static bool follow(const struct walk *walk, uint32_t node, const char *name, uint32_t *ret) {
    return name && loupe_snapshot_object_field(walk->snapshot, node, name, ret);
}

/* Of an entry, under the names that there are for it. */
static struct loupe_value field_of(const struct walk *walk, uint32_t node, const char *name,
                                   const char *other) {
    struct loupe_value value = {.type = LOUPE_VALUE_NONE};
    if (!loupe_snapshot_field_value(walk->snapshot, node, name, &value) && other)
        loupe_snapshot_field_value(walk->snapshot, node, other, &value);
    return value;
}

static uint64_t number_of(const struct loupe_snapshot *snapshot, uint32_t node, const char *name,
                          uint64_t otherwise) {
    struct loupe_value value;
    return name && loupe_snapshot_field_value(snapshot, node, name, &value) &&
                   value.type == LOUPE_VALUE_INT && (int64_t)value.bits >= 0
               ? value.bits
               : otherwise;
}

/* ---- Arrays of references: those of their elements that are not null ---- */

struct elements {
    uint32_t *slots; /* by link of the array */
    uint32_t first, count;
};

static bool open_array(struct walk *walk, uint32_t array, struct elements *ret) {
    const struct loupe_columns *columns = &walk->snapshot->columns;
    *ret = (struct elements){.first = columns->first[array],
                             .count = columns->first[array + 1] - columns->first[array]};
    if (walk->snapshot->class_table[walk->snapshot->classes[array]].kind !=
            LOUPE_CLASS_OBJECT_ARRAYS ||
        !walk->snapshot->ops->slots)
        return false;
    ret->slots = loupe_numbers_get(walk->chunks, ret->count);
    if (!ret->slots) {
        walk->status = LOUPE_ENOMEM;
        return false;
    }
    if (walk->snapshot->ops->slots(walk->snapshot->ctx, walk->snapshot, array, 0, ret->count,
                                   ret->slots))
        return true;
    loupe_numbers_put(walk->chunks, &ret->slots, ret->count);
    return false;
}

static void close_array(const struct walk *walk, struct elements *elements) {
    loupe_numbers_put(walk->chunks, &elements->slots, elements->count);
}

static uint32_t element_at(const struct walk *walk, const struct elements *elements, uint32_t i) {
    return walk->snapshot->columns.to[elements->first + i];
}

/* Elements [from, to) of the array, as a list. */
static void give_elements(struct walk *walk, const struct elements *elements, uint64_t from,
                          uint64_t to) {
    for (uint32_t i = 0; i < elements->count && go_on(walk); i++) {
        if (elements->slots[i] < from || elements->slots[i] >= to ||
            elements->slots[i] >= LOUPE_SLOT_SPECIAL)
            continue;
        walk->index = elements->slots[i];
        give_one(walk, object_value(walk->snapshot, element_at(walk, elements, i)));
    }
}

static void walk_array_itself(struct walk *walk, uint32_t array, uint64_t from, uint64_t to) {
    struct elements elements;
    if (!open_array(walk, array, &elements))
        return;
    give_elements(walk, &elements, from, to);
    close_array(walk, &elements);
}

/* fields: the array. */
static void walk_array(struct walk *walk, uint32_t node, const struct shape *shape) {
    uint32_t array;
    if (!follow(walk, node, shape->fields[0], &array))
        return;
    walk_array_itself(walk, array, 0, number_of(walk->snapshot, node, shape->count, UINT64_MAX));
}

/* fields: the array, the place of the first element; behind the last place comes the first. */
static void walk_ring(struct walk *walk, uint32_t node, const struct shape *shape) {
    uint32_t array;
    struct elements elements;
    uint64_t head = number_of(walk->snapshot, node, shape->fields[1], 0);
    if (!follow(walk, node, shape->fields[0], &array) || !open_array(walk, array, &elements))
        return;
    uint64_t index = 0;
    for (unsigned half = 0; half < 2; half++) {
        for (uint32_t i = 0; i < elements.count && go_on(walk); i++) {
            bool is_first_half = elements.slots[i] >= head;
            if (elements.slots[i] >= LOUPE_SLOT_SPECIAL || is_first_half == (half == 1))
                continue;
            walk->index = index++;
            give_one(walk, object_value(walk->snapshot, element_at(walk, &elements, i)));
        }
    }
    close_array(walk, &elements);
}

/* fields: the array, keys at even places, each followed by its value. */
static void walk_pairs(struct walk *walk, uint32_t node, const struct shape *shape) {
    uint32_t array;
    struct elements elements;
    uint64_t most = number_of(walk->snapshot, node, shape->count, UINT32_MAX);
    if (!follow(walk, node, shape->fields[0], &array) || !open_array(walk, array, &elements))
        return;
    if (!shape->fields[1]) /* the table is not filled from its beginning */
        most = UINT32_MAX;
    for (uint32_t i = 0; i < elements.count && go_on(walk); i++) {
        uint32_t slot = elements.slots[i];
        if (slot % 2 || slot >= LOUPE_SLOT_SPECIAL || slot / 2 >= most)
            continue;
        bool has_value = i + 1 < elements.count && elements.slots[i + 1] == slot + 1;
        struct loupe_value null = {.type = LOUPE_VALUE_OBJECT};
        give(walk, object_value(walk->snapshot, element_at(walk, &elements, i)),
             has_value ? object_value(walk->snapshot, element_at(walk, &elements, i + 1)) : null);
    }
    close_array(walk, &elements);
}

/* fields: an array of numbers that are keys, the array of values. */
static void walk_sparse(struct walk *walk, uint32_t node, const struct shape *shape) {
    uint32_t keys, values;
    struct elements elements;
    const uint8_t *bytes;
    uint64_t length, most = number_of(walk->snapshot, node, shape->count, UINT32_MAX);
    if (!follow(walk, node, shape->fields[0], &keys) ||
        !follow(walk, node, shape->fields[1], &values) ||
        !loupe_snapshot_contents(walk->snapshot, keys, &bytes, &length))
        return;
    uint32_t type = loupe_element_type(
        loupe_snapshot_class_name(walk->snapshot, walk->snapshot->classes[keys]));
    uint32_t size = loupe_value_size(type, 0);
    if (!size || !open_array(walk, values, &elements))
        return;
    for (uint32_t i = 0; i < elements.count && go_on(walk); i++) {
        uint64_t slot = elements.slots[i];
        if (slot < most && slot < length / size)
            give(walk, loupe_value_decode(type, 0, bytes + slot * size),
                 object_value(walk->snapshot, element_at(walk, &elements, i)));
    }
    close_array(walk, &elements);
}

/* fields: arrays of keys and values, at the same places. */
static void walk_universe(struct walk *walk, uint32_t node, const struct shape *shape) {
    uint32_t keys, values;
    struct elements of_keys, of_values;
    if (!follow(walk, node, shape->fields[0], &keys) ||
        !follow(walk, node, shape->fields[1], &values) || !open_array(walk, keys, &of_keys))
        return;
    if (open_array(walk, values, &of_values)) {
        uint32_t key = 0;
        for (uint32_t i = 0; i < of_values.count && go_on(walk); i++) {
            while (key < of_keys.count && of_keys.slots[key] != of_values.slots[i])
                key++;
            if (key < of_keys.count && of_keys.slots[key] < LOUPE_SLOT_SPECIAL)
                give(walk, object_value(walk->snapshot, element_at(walk, &of_keys, key)),
                     object_value(walk->snapshot, element_at(walk, &of_values, i)));
        }
        close_array(walk, &of_values);
    }
    close_array(walk, &of_keys);
}

/* ---- Chains and trees of entries ---- */

static void give_entry(struct walk *walk, uint32_t entry) {
    struct loupe_value value = field_of(walk, entry, "value", "val");
    struct loupe_value key = field_of(walk, entry, "key", "referent");
    if (key.type != LOUPE_VALUE_NONE && value.type != LOUPE_VALUE_NONE)
        give(walk, key, value);
}

static void walk_entries(struct walk *walk, uint32_t entry, const char *next) {
    while (go_on(walk)) {
        give_entry(walk, entry);
        if (!follow(walk, entry, next, &entry))
            return;
    }
}

/* fields: an array whose elements begin chains of entries. */
static void walk_buckets(struct walk *walk, uint32_t node, const struct shape *shape) {
    uint32_t array, first;
    struct elements elements;
    if (!follow(walk, node, shape->fields[0], &array) || !open_array(walk, array, &elements))
        return;
    for (uint32_t i = 0; i < elements.count && go_on(walk); i++) {
        if (elements.slots[i] >= LOUPE_SLOT_SPECIAL)
            continue;
        uint32_t entry = element_at(walk, &elements, i);
        if (follow(walk, entry, "first", &first)) /* a bin of ConcurrentHashMap that is a tree */
            entry = first;
        walk_entries(walk, entry, "next");
    }
    close_array(walk, &elements);
}

/* fields: the first entry, the field of an entry that leads to the next. Without it: buckets. */
static void walk_linked_map(struct walk *walk, uint32_t node, const struct shape *shape) {
    uint32_t entry;
    if (follow(walk, node, shape->fields[0], &entry))
        walk_entries(walk, entry, shape->fields[1]);
    else
        walk_buckets(walk, node, &(struct shape){.fields = {"table"}});
}

/* fields: the head of an index; its node begins a chain, with one that is no entry. */
static void walk_skip_list(struct walk *walk, uint32_t node, const struct shape *shape) {
    uint32_t head, first;
    if (!follow(walk, node, shape->fields[0], &head) || !follow(walk, head, "node", &first))
        return;
    while (go_on(walk) && follow(walk, first, "next", &first)) {
        struct loupe_value value = field_of(walk, first, "val", "value");
        struct loupe_value key = field_of(walk, first, "key", NULL);
        if (key.bits && value.bits && key.type == LOUPE_VALUE_OBJECT)
            give(walk, key, value);
    }
}

/* fields: the first node, what a node holds. What holds nothing is passed over. */
static void walk_chain(struct walk *walk, uint32_t node, const struct shape *shape) {
    uint32_t at, next;
    if (!follow(walk, node, shape->fields[0], &at))
        return;
    while (go_on(walk)) {
        struct loupe_value item = field_of(walk, at, shape->fields[1], NULL);
        if (item.type == LOUPE_VALUE_OBJECT && item.bits)
            give_one(walk, item);
        if (!follow(walk, at, "next", &next) || next == at)
            return;
        at = next;
    }
}

/* fields: the root of a tree, in the order of its keys. */
static void walk_tree(struct walk *walk, uint32_t node, const struct shape *shape) {
    uint32_t above[MOST_DEPTH], depth = 0, at;
    bool there = follow(walk, node, shape->fields[0], &at);
    while ((there || depth) && go_on(walk)) {
        if (there) {
            if (depth == MOST_DEPTH)
                return;
            above[depth++] = at;
            there = follow(walk, at, "left", &at);
            continue;
        }
        at = above[--depth];
        give_entry(walk, at);
        there = follow(walk, at, "right", &at);
    }
}

/* ---- Small ones, and those that stand for others ---- */

/* fields: each an element, where it is there. */
static void walk_fields(struct walk *walk, uint32_t node, const struct shape *shape) {
    /* Cap: all of a table. */
    for (unsigned i = 0; i < NAMES && shape->fields[i] && go_on(walk); i++) {
        uint32_t object;
        /* JDK 17 marks an absent second element by an object of its own. */
        if (!follow(walk, node, shape->fields[i], &object) ||
            loupe_span_equals(
                loupe_snapshot_class_name(walk->snapshot, walk->snapshot->classes[object]),
                "java.lang.Object"))
            continue;
        give_one(walk, object_value(walk->snapshot, object));
    }
}

/* fields: key, value. */
static void walk_pair(struct walk *walk, uint32_t node, const struct shape *shape) {
    give(walk, field_of(walk, node, shape->fields[0], NULL),
         field_of(walk, node, shape->fields[1], NULL));
}

/* fields: the array of constants, a long whose bits say which. */
static void walk_bits(struct walk *walk, uint32_t node, const struct shape *shape) {
    uint32_t array;
    struct elements elements;
    struct loupe_value bits = field_of(walk, node, shape->fields[1], NULL);
    if (bits.type != LOUPE_VALUE_LONG || !follow(walk, node, shape->fields[0], &array) ||
        !open_array(walk, array, &elements))
        return;
    for (uint32_t i = 0; i < elements.count && go_on(walk); i++) {
        if (elements.slots[i] < 64 && bits.bits >> elements.slots[i] & 1)
            give_one(walk, object_value(walk->snapshot, element_at(walk, &elements, i)));
    }
    close_array(walk, &elements);
}

/* fields: the collection that it stands for, under one of several names. walk_delegate and
 * walk_keys only mark such classes: loupe_java_collection_each() goes on with the other. */
static void walk_delegate(struct walk *walk, uint32_t node, const struct shape *shape) {
    (void)walk, (void)node, (void)shape;
}

static void walk_keys(struct walk *walk, uint32_t node, const struct shape *shape) {
    (void)walk, (void)node, (void)shape;
}

/* ---- All ---- */

static const struct shape shapes[] = {
    {"java.util.ArrayList", LOUPE_LIST, walk_array, {"elementData"}, "size", true},
    {"java.util.Vector", LOUPE_LIST, walk_array, {"elementData"}, "elementCount", true},
    {"java.util.concurrent.CopyOnWriteArrayList", LOUPE_LIST, walk_array, {"array"}, NULL, false},
    {"java.util.Arrays$ArrayList", LOUPE_LIST, walk_array, {"a"}, NULL, false},
    {"java.util.ImmutableCollections$ListN", LOUPE_LIST, walk_array, {"elements"}, NULL, false},
    {"java.util.ImmutableCollections$List12", LOUPE_LIST, walk_fields, {"e0", "e1"}, NULL, false},
    {"java.util.ImmutableCollections$SetN", LOUPE_SET, walk_array, {"elements"}, NULL, false},
    {"java.util.ImmutableCollections$Set12", LOUPE_SET, walk_fields, {"e0", "e1"}, NULL, false},
    {"java.util.ImmutableCollections$MapN", LOUPE_MAP, walk_pairs, {"table"}, "size", false},
    {"java.util.ImmutableCollections$Map1", LOUPE_MAP, walk_pair, {"k0", "v0"}, NULL, false},
    {"java.util.Collections$SingletonList", LOUPE_LIST, walk_fields, {"element"}, NULL, false},
    {"java.util.Collections$SingletonSet", LOUPE_SET, walk_fields, {"element"}, NULL, false},
    {"java.util.Collections$SingletonMap", LOUPE_MAP, walk_pair, {"k", "v"}, NULL, false},
    {"java.util.ArrayDeque", LOUPE_LIST, walk_ring, {"elements", "head"}, NULL, true},
    {"kotlin.collections.ArrayDeque",
     LOUPE_LIST,
     walk_ring,
     {"elementData", "head"},
     "size",
     false},
    {"java.util.PriorityQueue", LOUPE_LIST, walk_array, {"queue"}, "size", true},
    {"java.util.concurrent.PriorityBlockingQueue", LOUPE_LIST, walk_array, {"queue"}, "size", true},
    {"java.util.concurrent.ArrayBlockingQueue",
     LOUPE_LIST,
     walk_ring,
     {"items", "takeIndex"},
     "count",
     true},
    {"java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue",
     LOUPE_LIST,
     walk_array,
     {"queue"},
     "size",
     false},
    {"java.util.LinkedList", LOUPE_LIST, walk_chain, {"first", "item"}, "size", true},
    {"java.util.concurrent.LinkedBlockingQueue",
     LOUPE_LIST,
     walk_chain,
     {"head", "item"},
     NULL,
     true},
    {"java.util.concurrent.LinkedBlockingDeque",
     LOUPE_LIST,
     walk_chain,
     {"first", "item"},
     "count",
     true},
    {"java.util.concurrent.ConcurrentLinkedQueue",
     LOUPE_LIST,
     walk_chain,
     {"head", "item"},
     NULL,
     true},
    {"java.util.concurrent.ConcurrentLinkedDeque",
     LOUPE_LIST,
     walk_chain,
     {"head", "item"},
     NULL,
     true},
    {"java.util.LinkedHashMap", LOUPE_MAP, walk_linked_map, {"head", "after"}, "size", true},
    {"java.util.HashMap", LOUPE_MAP, walk_buckets, {"table"}, "size", true},
    {"java.util.Hashtable", LOUPE_MAP, walk_buckets, {"table"}, "count", true},
    {"java.util.WeakHashMap", LOUPE_MAP, walk_buckets, {"table"}, "size", true},
    {"java.util.concurrent.ConcurrentHashMap", LOUPE_MAP, walk_buckets, {"table"}, NULL, true},
    {"java.util.IdentityHashMap", LOUPE_MAP, walk_pairs, {"table"}, "size", true},
    {"java.util.TreeMap", LOUPE_MAP, walk_tree, {"root"}, "size", true},
    {"java.util.concurrent.ConcurrentSkipListMap", LOUPE_MAP, walk_skip_list, {"head"}, NULL, true},
    {"java.util.EnumMap", LOUPE_MAP, walk_universe, {"keyUniverse", "vals"}, "size", true},
    {"java.util.RegularEnumSet", LOUPE_SET, walk_bits, {"universe", "elements"}, NULL, false},
    {"java.lang.ThreadLocal$ThreadLocalMap", LOUPE_MAP, walk_buckets, {"table"}, "size", false},
    {"java.util.HashSet", LOUPE_SET, walk_keys, {"map", "backingMap"}, NULL, true},
    {"java.util.TreeSet", LOUPE_SET, walk_keys, {"m", "backingMap"}, NULL, true},
    {"java.util.concurrent.ConcurrentSkipListSet", LOUPE_SET, walk_keys, {"m"}, NULL, true},
    {"java.util.concurrent.ConcurrentHashMap$KeySetView",
     LOUPE_SET,
     walk_keys,
     {"map"},
     NULL,
     false},
    {"java.util.Collections$SetFromMap", LOUPE_SET, walk_keys, {"m"}, NULL, false},
    {"java.util.concurrent.CopyOnWriteArraySet", LOUPE_SET, walk_delegate, {"al"}, NULL, false},
    {"java.util.Collections$UnmodifiableMap", LOUPE_MAP, walk_delegate, {"m"}, NULL, true},
    {"java.util.Collections$SynchronizedMap", LOUPE_MAP, walk_delegate, {"m"}, NULL, true},
    {"java.util.Collections$UnmodifiableSet", LOUPE_SET, walk_delegate, {"c"}, NULL, true},
    {"java.util.Collections$SynchronizedSet", LOUPE_SET, walk_delegate, {"c"}, NULL, true},
    {"java.util.Collections$UnmodifiableCollection", LOUPE_LIST, walk_delegate, {"c"}, NULL, true},
    {"java.util.Collections$SynchronizedCollection", LOUPE_LIST, walk_delegate, {"c"}, NULL, true},
    {"java.util.Properties", LOUPE_MAP, walk_delegate, {"map"}, NULL, true},
    {"android.util.ArrayMap", LOUPE_MAP, walk_pairs, {"mArray", "dense"}, "mSize", true},
    {"androidx.collection.SimpleArrayMap", LOUPE_MAP, walk_pairs, {"array", "dense"}, "size", true},
    {"android.util.ArraySet", LOUPE_SET, walk_array, {"mArray"}, "mSize", true},
    {"android.util.SparseArray", LOUPE_MAP, walk_sparse, {"mKeys", "mValues"}, "mSize", true},
    {"android.util.LongSparseArray", LOUPE_MAP, walk_sparse, {"mKeys", "mValues"}, "mSize", true},
    {"androidx.collection.SparseArrayCompat",
     LOUPE_MAP,
     walk_sparse,
     {"keys", "values"},
     "size",
     true},
    {"android.util.LruCache", LOUPE_MAP, walk_delegate, {"map"}, NULL, true},
    {"androidx.collection.LruCache", LOUPE_MAP, walk_delegate, {"map"}, NULL, true},
};

/* The first that speaks for the class; a subclass has lines before what it inherits from. */
static const struct shape *shape_of(const struct loupe_snapshot *snapshot, uint32_t class_number) {
    uint32_t at = class_number;
    /* Cap: a class that inherits from itself is no collection. */
    for (unsigned level = 0; at != LOUPE_NONE && level < LOUPE_MOST_SUPERCLASSES; level++) {
        struct loupe_span name = loupe_snapshot_class_name(snapshot, at);
        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
            if (loupe_span_equals(name, shapes[i].class_name) && (!level || shapes[i].inherits))
                return &shapes[i];
        }
        at = snapshot->class_table[at].superclass;
    }
    return NULL;
}

static bool has_delegate(const struct loupe_snapshot *snapshot, uint32_t node,
                         const struct shape *shape, uint32_t *ret) {
    if (shape->walk != walk_delegate && shape->walk != walk_keys)
        return false;
    /* Cap: all of a table. */
    for (unsigned i = 0; i < NAMES && shape->fields[i]; i++) {
        if (loupe_snapshot_object_field(snapshot, node, shape->fields[i], ret))
            return true;
    }
    return false;
}

static uint64_t capacity_of(const struct loupe_snapshot *snapshot, uint32_t node,
                            const struct shape *shape) {
    uint32_t array;
    const char *field = shape->walk == walk_linked_map ? "table" : shape->fields[0];
    bool is_table = shape->walk == walk_array || shape->walk == walk_ring ||
                    shape->walk == walk_buckets || shape->walk == walk_linked_map ||
                    shape->walk == walk_pairs;
    if (!is_table || !loupe_snapshot_object_field(snapshot, node, field, &array) ||
        snapshot->class_table[snapshot->classes[array]].kind != LOUPE_CLASS_OBJECT_ARRAYS)
        return 0;
    uint64_t bytes = loupe_columns_size(&snapshot->columns, array), header = 16;
    return bytes > header && snapshot->reference_size ? (bytes - header) / snapshot->reference_size
                                                      : 0;
}

bool loupe_java_collection_of(const struct loupe_snapshot *snapshot, uint32_t node,
                              struct loupe_collection *ret) {
    const struct shape *shape = shape_of(snapshot, snapshot->classes[node]);
    *ret = (struct loupe_collection){.kind = LOUPE_NO_COLLECTION};
    if (!shape)
        return false;
    *ret = (struct loupe_collection){.kind = shape->kind,
                                     .capacity = capacity_of(snapshot, node, shape)};
    const struct shape *inner = shape;
    /* Cap: a collection that stands for itself has no items. */
    for (unsigned i = 0; i < MOST_DELEGATES && has_delegate(snapshot, node, inner, &node); i++) {
        inner = shape_of(snapshot, snapshot->classes[node]);
        if (!inner)
            return true;
        ret->capacity = capacity_of(snapshot, node, inner);
    }
    ret->count = number_of(snapshot, node, inner->count, UINT64_MAX);
    ret->has_count = ret->count != UINT64_MAX;
    if (!ret->has_count)
        ret->count = 0;
    return true;
}

enum loupe_status loupe_java_collection_each(const struct loupe_snapshot *snapshot,
                                             const struct loupe_chunk_ops *chunks, uint32_t node,
                                             loupe_item_visit *visit, void *ctx) {
    const struct shape *shape = shape_of(snapshot, snapshot->classes[node]);
    struct walk walk = {.snapshot = snapshot,
                        .chunks = chunks,
                        .visit = visit,
                        .ctx = ctx,
                        .steps = (uint64_t)snapshot->columns.nodes + 1};
    if (snapshot->class_table[snapshot->classes[node]].kind == LOUPE_CLASS_OBJECT_ARRAYS)
        walk_array_itself(&walk, node, 0, UINT64_MAX);
    /* Cap: a collection that stands for itself has no items. */
    for (unsigned i = 0; shape && i < MOST_DELEGATES && has_delegate(snapshot, node, shape, &node);
         i++) {
        walk.keys_only = walk.keys_only || shape->walk == walk_keys;
        shape = shape_of(snapshot, snapshot->classes[node]);
    }
    if (shape)
        shape->walk(&walk, node, shape);
    return walk.status;
}
