#include "drawn_collections.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 8, MAX_COUNT = 64, CALLBACK = 0x7700 /* an address of some function */ };

static const unsigned capacities[] = {0, 3, 7, 13, 23, 41, 71, 127};

static unsigned capacity_index(unsigned count) {
    unsigned index = 0;
    while (capacities[index] * 2 < count * 3)
        index++;
    return index;
}

struct drawn_class *drawn_framework_class(struct drawn_world *world, const char *name,
                                          const char *superclass, unsigned size) {
    for (unsigned i = 0; i < world->class_count; i++) {
        if (strcmp(world->classes[i].name, name) == 0)
            return &world->classes[i];
    }
    char ivars[64] = "";
    bool manual = world->manual;
    world->manual = true;
    if (superclass)
        drawn_framework_class(world, superclass, strcmp(superclass, "NSObject") ? "NSObject" : NULL,
                              WORD);
    if (size > WORD)
        snprintf(ivars, sizeof(ivars), "none _private [%uQ]", size / WORD - 1);
    struct drawn_class *cls = drawn_class(world, name, superclass, ivars);
    world->manual = manual;
    return cls;
}

/* An instance with room for more behind it; the retain count is in the isa, or in the object. */
static loupe_addr draw_instance(struct drawn_world *world, const char *name, const char *superclass,
                                unsigned size, unsigned extra) {
    drawn_framework_class(world, name, superclass, size);
    loupe_addr object = drawn_object(world, name);
    if (extra)
        drawn_alloc(world->heap, extra); /* follows at once: both are multiples of 16 */
    return object;
}

static loupe_addr draw_cf(struct drawn_world *world, const char *name, const char *superclass,
                          unsigned size, uint32_t info) {
    loupe_addr object = draw_instance(world, name, superclass, 16, size);
    drawn_make_raw(world, object);
    drawn_put_u32(world->heap, object + 8, info);
    drawn_put_u32(world->heap, object + 12, 1);
    return object;
}

static void put(struct drawn_world *world, loupe_addr base, unsigned word, uint64_t value) {
    drawn_put_word(world->heap, base + word * WORD, value);
}

struct values {
    loupe_addr items[MAX_COUNT];
    unsigned count;
};

static struct values take(unsigned count, va_list list) {
    struct values values = {.count = count};
    for (unsigned i = 0; i < count && i < MAX_COUNT; i++)
        values.items[i] = va_arg(list, loupe_addr);
    return values;
}

#define TAKE(values, count, last)                                                                  \
    struct values values;                                                                          \
    do {                                                                                           \
        va_list list;                                                                              \
        va_start(list, last);                                                                      \
        values = take(count, list);                                                                \
        va_end(list);                                                                              \
    } while (0)

/* ---- Arrays ---- */

loupe_addr drawn_array(struct drawn_world *world, unsigned count, ...) {
    TAKE(values, count, count);
    loupe_addr array = draw_instance(world, "__NSArrayI", "NSArray", 16, count * WORD);
    put(world, array, 1, count);
    for (unsigned i = 0; i < count; i++)
        put(world, array, 2 + i, values.items[i]);
    return array;
}

loupe_addr drawn_single_array(struct drawn_world *world, loupe_addr element) {
    loupe_addr array = draw_instance(world, "__NSSingleObjectArrayI", "NSArray", 16, 0);
    put(world, array, 1, element);
    return array;
}

loupe_addr drawn_transfer_array(struct drawn_world *world, unsigned count, ...) {
    TAKE(values, count, count);
    loupe_addr array = draw_instance(world, "__NSArrayI_Transfer", "NSArray", 24, 0);
    loupe_addr items = drawn_alloc(world->heap, count * WORD);
    put(world, array, 1, count);
    put(world, array, 2, items);
    for (unsigned i = 0; i < count; i++)
        put(world, items, i, values.items[i]);
    return array;
}

static loupe_addr draw_ring_buffer(struct drawn_world *world, const struct values *values,
                                   unsigned offset, unsigned capacity) {
    loupe_addr array = draw_instance(world, "__NSArrayM", "NSMutableArray", 40, 0);
    loupe_addr items = drawn_alloc(world->heap, (capacity + 1) * WORD);
    put(world, array, 2, items);
    drawn_put_u32(world->heap, array + 24, offset);
    drawn_put_u32(world->heap, array + 28, capacity);
    drawn_put_u32(world->heap, array + 32, 7); /* mutations */
    drawn_put_u32(world->heap, array + 36, values->count);
    for (unsigned i = 0; i < values->count; i++)
        put(world, items, (offset + i) % capacity, values->items[i]);
    return array;
}

loupe_addr drawn_mutable_array(struct drawn_world *world, unsigned count, ...) {
    TAKE(values, count, count);
    drawn_framework_class(world, "NSMutableArray", "NSArray", WORD);
    return draw_ring_buffer(world, &values, 0, count + 2);
}

loupe_addr drawn_wrapped_array(struct drawn_world *world, unsigned count, ...) {
    TAKE(values, count, count);
    drawn_framework_class(world, "NSMutableArray", "NSArray", WORD);
    return draw_ring_buffer(world, &values, count, count + 2);
}

/* ---- Hashed collections of the private classes: the places are those of the arguments ---- */

/* Every other place is a hole as long as there are places to spare. */
static unsigned place_of(unsigned i, unsigned count, unsigned capacity) {
    return count * 2 <= capacity ? i * 2 : i;
}

loupe_addr drawn_set_of(struct drawn_world *world, unsigned count, ...) {
    TAKE(values, count, count);
    unsigned index = capacity_index(count), capacity = capacities[index];
    loupe_addr set = draw_instance(world, "__NSSetI", "NSSet", 16, capacity * WORD);
    put(world, set, 1, count | (uint64_t)index << 58);
    for (unsigned i = 0; i < count; i++)
        put(world, set, 2 + place_of(i, count, capacity), values.items[i]);
    return set;
}

loupe_addr drawn_mutable_set(struct drawn_world *world, unsigned count, ...) {
    TAKE(values, count, count);
    unsigned index = capacity_index(count), capacity = capacities[index];
    loupe_addr set = draw_instance(world, "__NSSetM", "NSSet", 32, 0);
    loupe_addr items = drawn_alloc(world->heap, (capacity + 1) * WORD);
    put(world, set, 2, items);
    drawn_put_u32(world->heap, set + 28, count | index << 26);
    for (unsigned i = 0; i < count; i++)
        put(world, items, place_of(i, count, capacity), values.items[i]);
    return set;
}

loupe_addr drawn_dictionary(struct drawn_world *world, unsigned pairs, ...) {
    TAKE(values, 2 * pairs, pairs);
    unsigned index = capacity_index(pairs), capacity = capacities[index];
    loupe_addr dictionary =
        draw_instance(world, "__NSDictionaryI", "NSDictionary", 16, 2 * capacity * WORD);
    put(world, dictionary, 1, pairs | (uint64_t)index << 58);
    for (unsigned i = 0; i < pairs; i++) {
        unsigned place = 2 + 2 * place_of(i, pairs, capacity);
        put(world, dictionary, place, values.items[2 * i]);
        put(world, dictionary, place + 1, values.items[2 * i + 1]);
    }
    return dictionary;
}

loupe_addr drawn_mutable_dictionary(struct drawn_world *world, unsigned pairs, ...) {
    TAKE(values, 2 * pairs, pairs);
    unsigned index = capacity_index(pairs), capacity = capacities[index];
    loupe_addr dictionary = draw_instance(world, "__NSDictionaryM", "NSDictionary", 24, 0);
    loupe_addr buffer = drawn_alloc(world->heap, (2 * capacity + 1) * WORD);
    put(world, dictionary, 1, buffer);
    drawn_put_u32(world->heap, dictionary + 20, pairs | index << 26);
    for (unsigned i = 0; i < pairs; i++) {
        unsigned place = place_of(i, pairs, capacity);
        put(world, buffer, place, values.items[2 * i]);
        put(world, buffer, capacity + place, values.items[2 * i + 1]);
    }
    return dictionary;
}

loupe_addr drawn_single_dictionary(struct drawn_world *world, loupe_addr key, loupe_addr value) {
    loupe_addr dictionary =
        draw_instance(world, "__NSSingleEntryDictionaryI", "NSDictionary", 24, 0);
    put(world, dictionary, 1, value);
    put(world, dictionary, 2, key);
    return dictionary;
}

/* ---- Literals ---- */

loupe_addr drawn_constant_array(struct drawn_world *world, unsigned count, ...) {
    TAKE(values, count, count);
    loupe_addr array = draw_instance(world, "NSConstantArray", "NSArray", 24, 0);
    loupe_addr items = drawn_alloc(world->heap, (count + 1) * WORD);
    put(world, array, 1, count);
    put(world, array, 2, items);
    for (unsigned i = 0; i < count; i++)
        put(world, items, i, values.items[i]);
    return array;
}

loupe_addr drawn_constant_dictionary(struct drawn_world *world, unsigned pairs, ...) {
    TAKE(values, 2 * pairs, pairs);
    loupe_addr dictionary = draw_instance(world, "NSConstantDictionary", "NSDictionary", 40, 0);
    loupe_addr keys = drawn_alloc(world->heap, (pairs + 1) * WORD);
    loupe_addr items = drawn_alloc(world->heap, (pairs + 1) * WORD);
    put(world, dictionary, 1, 1); /* options: sorted by its keys */
    put(world, dictionary, 2, pairs);
    put(world, dictionary, 3, keys);
    put(world, dictionary, 4, items);
    for (unsigned i = 0; i < pairs; i++) {
        put(world, keys, i, values.items[2 * i]);
        put(world, items, i, values.items[2 * i + 1]);
    }
    return dictionary;
}

/* ---- CoreFoundation's own ---- */

loupe_addr drawn_cf_array(struct drawn_world *world, bool deque, unsigned callbacks, unsigned count,
                          ...) {
    TAKE(values, count, count);
    unsigned header = callbacks == 3 ? 88 : 48;
    loupe_addr array = draw_cf(world, "__NSCFArray", "NSArray", header + count * WORD,
                               (deque ? 2u : 0u) | callbacks << 2);
    loupe_addr items = array + header;
    if (callbacks == 3)
        put(world, array, 7, CALLBACK); /* retain, behind the version */
    if (deque) {
        loupe_addr store = drawn_alloc(world->heap, (count + 4) * WORD);
        put(world, store, 0, 1); /* the first place in use */
        put(world, store, 1, count + 2);
        put(world, array, 5, store);
        items = store + 3 * WORD;
    }
    put(world, array, 2, count);
    for (unsigned i = 0; i < count; i++)
        put(world, items, i, values.items[i]);
    return array;
}

static loupe_addr draw_hash(struct drawn_world *world, const char *name, const char *superclass,
                            unsigned key_retain, unsigned value_retain, bool has_keys,
                            unsigned count) {
    unsigned index = capacity_index(count);
    loupe_addr hash = draw_cf(world, name, superclass, 64, 0);
    drawn_put_u32(world->heap, hash + 16, has_keys ? 1u << 18 : 0);
    drawn_put_u32(world->heap, hash + 20, count);
    put(world, hash, 3,
        (uint64_t)index << 16 | (uint64_t)key_retain << 24 | (uint64_t)value_retain << 34);
    put(world, hash, 5, drawn_alloc(world->heap, (capacities[index] + 1) * WORD));
    if (has_keys)
        put(world, hash, 6, drawn_alloc(world->heap, (capacities[index] + 1) * WORD));
    return hash;
}

static loupe_addr hash_pointer(struct drawn_world *world, loupe_addr hash, unsigned number) {
    loupe_addr pointer = 0;
    drawn_get(world->heap, hash + 40 + number * WORD, &pointer, WORD);
    return pointer;
}

loupe_addr drawn_cf_dictionary(struct drawn_world *world, unsigned key_retain,
                               unsigned value_retain, unsigned pairs, ...) {
    TAKE(values, 2 * pairs, pairs);
    loupe_addr hash =
        draw_hash(world, "__NSCFDictionary", "NSDictionary", key_retain, value_retain, true, pairs);
    for (unsigned i = 0; i < pairs; i++) {
        put(world, hash_pointer(world, hash, 1), i, values.items[2 * i]);
        put(world, hash_pointer(world, hash, 0), i, values.items[2 * i + 1]);
    }
    return hash;
}

loupe_addr drawn_cf_set(struct drawn_world *world, unsigned retain, unsigned count, ...) {
    TAKE(values, count, count);
    loupe_addr hash = draw_hash(world, "__NSCFSet", "NSSet", retain, retain, false, count);
    put(world, hash_pointer(world, hash, 0), count, UINT64_MAX); /* a member that was removed */
    for (unsigned i = 0; i < count; i++)
        put(world, hash_pointer(world, hash, 0), i, values.items[i]);
    return hash;
}

loupe_addr drawn_text(struct drawn_world *world, const char *text) {
    loupe_addr string = draw_cf(world, "__NSCFConstantString", "NSString", 16, 0x7c8);
    drawn_put_u32(world->heap, string + 12, 0); /* for ever */
    put(world, string, 2, drawn_string(world->heap, text));
    put(world, string, 3, strlen(text));
    return string;
}

/* ---- Map tables and hash tables ---- */

enum { SLICE_FORMS = 3, SHARED_WORDS = 4, MAX_SLICE_TYPE = 512 };

#define SLICE_FUNCTIONS                                                                            \
    "\"sizeFunction\"^?\"hashFunction\"^?\"isEqualFunction\"^?\"describeFunction\"^?"              \
    "\"acquireFunction\"^?\"relinquishFunction\"^?\"allocateFunction\"^?\"freeFunction\"^?"        \
    "\"readAt\"^?\"clearAt\"^?\"storeAt\"^?}"

static const struct {
    const char *type;
    unsigned acquire; /* word of the slice, or of the properties that word 1 points to */
} slice_forms[SLICE_FORMS] = {
    [DRAWN_SLICE_BITS] = {"{NSSlice=\"items\"^^v\"wantsStrong\"b1\"wantsWeak\"b1\"wantsARC\"b1"
                          "\"usesStrong\"b1\"usesWeak\"b1" SLICE_FUNCTIONS,
                          6},
    [DRAWN_SLICE_BOOLS] = {"{NSSlice=\"items\"^^v\"wantsStrong\"B\"wantsWeak\"B\"wantsARC\"B"
                           "\"shouldCopyIn\"B\"usesStrong\"B\"usesWeak\"B\"usesARC\"B"
                           "\"usesSentinel\"B\"pointerPersonality\"B\"integerPersonality\"B"
                           "\"simpleReadClear\"B\"callback\"@\"NSWeakCallback\"" SLICE_FUNCTIONS,
                           8},
    [DRAWN_SLICE_SHARED] = {"{NSSlice=\"items\"^^v"
                            "\"acquisitionProps\"^{NSSliceExternalAcquisitionProperties}"
                            "\"personalityProps\"^{NSSliceExternalPersonalityProperties}"
                            "\"internalProps\"^{NSSliceInternalProperties}}",
                            1}};

enum { DESCRIBE_BEFORE_ACQUIRE = 1 }; /* every slice of objects can describe them */

static loupe_addr draw_slice(struct drawn_world *world, loupe_addr place, bool strong,
                             unsigned capacity) {
    loupe_addr items = drawn_alloc(world->heap, capacity * WORD), functions = place;
    unsigned acquire = slice_forms[world->slice].acquire;
    put(world, place, 0, items);
    if (world->slice == DRAWN_SLICE_SHARED) {
        functions = drawn_alloc(world->heap, SHARED_WORDS * WORD);
        put(world, place, 1, functions);
    } else {
        put(world, place, acquire - DESCRIBE_BEFORE_ACQUIRE, CALLBACK);
    }
    put(world, functions, acquire, strong ? CALLBACK : 0);
    return items;
}

static loupe_addr draw_table(struct drawn_world *world, const char *name, const char *slices) {
    bool known = false;
    for (unsigned i = 0; i < world->class_count; i++)
        known |= strcmp(world->classes[i].name, name) == 0;
    if (!known) {
        bool manual = world->manual;
        world->manual = true;
        drawn_class(world, name, "NSObject", slices);
        world->manual = manual;
    }
    return drawn_object(world, name);
}

loupe_addr drawn_map_table(struct drawn_world *world, bool strong_keys, bool strong_values,
                           unsigned pairs, ...) {
    TAKE(values, 2 * pairs, pairs);
    char ivars[2 * MAX_SLICE_TYPE];
    const char *type = slice_forms[world->slice].type;
    snprintf(ivars, sizeof(ivars), "none keys %s; none values %s; none count Q; none capacity Q",
             type, type);
    loupe_addr table = draw_table(world, "NSConcreteMapTable", ivars);
    unsigned capacity = 2 * pairs;
    loupe_addr keys = draw_slice(world, drawn_slot(world, table, "keys"), strong_keys, capacity);
    loupe_addr items =
        draw_slice(world, drawn_slot(world, table, "values"), strong_values, capacity);
    drawn_set(world, table, "count", pairs);
    drawn_set(world, table, "capacity", capacity);
    for (unsigned i = 0; i < pairs; i++) {
        put(world, keys, 2 * i, values.items[2 * i]);
        put(world, items, 2 * i, values.items[2 * i + 1]);
    }
    return table;
}

/* An instance of a class of one slice; the address of its items. */
static loupe_addr draw_one_slice(struct drawn_world *world, const char *class_name, bool strong,
                                 unsigned count, unsigned capacity, loupe_addr *items_ret) {
    char ivars[2 * MAX_SLICE_TYPE];
    snprintf(ivars, sizeof(ivars), "none slice %s; none count Q; none capacity Q",
             slice_forms[world->slice].type);
    loupe_addr object = draw_table(world, class_name, ivars);
    *items_ret = draw_slice(world, drawn_slot(world, object, "slice"), strong, capacity);
    drawn_set(world, object, "count", count);
    drawn_set(world, object, "capacity", capacity);
    return object;
}

loupe_addr drawn_hash_table(struct drawn_world *world, bool strong, unsigned count, ...) {
    TAKE(values, count, count);
    loupe_addr items,
        table = draw_one_slice(world, "NSConcreteHashTable", strong, count, 2 * count, &items);
    for (unsigned i = 0; i < count; i++)
        put(world, items, 2 * i + 1, values.items[i]);
    return table;
}

loupe_addr drawn_pointer_array(struct drawn_world *world, bool strong, unsigned count, ...) {
    TAKE(values, count, count);
    loupe_addr items,
        array = draw_one_slice(world, "NSConcretePointerArray", strong, count, count + 4, &items);
    for (unsigned i = 0; i < count; i++)
        put(world, items, i, values.items[i]);
    return array;
}

/* ---- Timers ---- */

enum { TIMER_SIZE = 192, CALLOUT = 18, INFO = 20, RETAIN = 21 };

static loupe_addr draw_timer(struct drawn_world *world, loupe_addr info) {
    loupe_addr timer = draw_cf(world, "__NSCFTimer", "NSTimer", TIMER_SIZE, 8);
    put(world, timer, CALLOUT, CALLBACK);
    put(world, timer, INFO, info);
    put(world, timer, RETAIN, CALLBACK);
    return timer;
}

loupe_addr drawn_target_timer(struct drawn_world *world, loupe_addr target, loupe_addr user_info) {
    loupe_addr info = drawn_alloc(world->heap, 4 * WORD);
    put(world, info, 0, 1);
    put(world, info, 1, target);
    put(world, info, 2, 0x6600); /* a selector */
    put(world, info, 3, user_info);
    return draw_timer(world, info);
}

loupe_addr drawn_block_timer(struct drawn_world *world, loupe_addr block) {
    return draw_timer(world, block);
}
