/* Elements of the library's collections, by what their storage says of itself: Array, Dictionary
 * and Set as Linux has them, and Darwin too where they are no objects of Objective-C. */
#include "swift/elements.h"

#include <string.h>

/* ---- Slots that were computed ---- */

static const struct loupe_swift_slot *slot_at(const struct loupe_swift_lowering *lowering,
                                              uint64_t offset) {
    for (uint32_t i = 0; i < lowering->slot_count; i++) {
        if (lowering->slots[i].offset == offset)
            return &lowering->slots[i];
    }
    return NULL;
}

/* One in which no reference stands is none, whatever it leads to. */
void loupe_swift_take_slot(const struct loupe_swift_lowering *lowering, uint64_t offset,
                           struct loupe_swift_place *ret) {
    const struct loupe_swift_slot *slot = slot_at(lowering, offset);
    ret->varies = lowering->varies;
    ret->ownership = LOUPE_SWIFT_UNMANAGED;
    if (!slot)
        return;
    ret->ownership = (enum loupe_swift_ownership)slot->ownership;
    ret->is_closure = slot->is_closure;
    ret->is_part = slot->is_part;
    loupe_format(ret->name, sizeof(ret->name), "%s", loupe_swift_path(lowering, slot));
}

enum {
    COUNT = 16,
    ELEMENTS = 32, /* of an array, at least */
    SCALE = 32,    /* of tables: how many buckets there are, as a power of 2 */
    KEYS = 48,
    VALUES = 56, /* of a set: the bits that say which buckets are in use */
    LARGEST_SCALE = 40,
    MOST_TEXT = 48
};

enum storage { STORAGE_NONE, STORAGE_ARRAY, STORAGE_DICTIONARY, STORAGE_SET };

/* What kind of storage objects of a class are. */
static enum storage storage_of(struct loupe_target *target, loupe_addr metadata,
                               loupe_addr *descriptor) {
    char name[LOUPE_MAX_SWIFT_NAME];
    struct loupe_swift_text text = {.bytes = name, .cap = sizeof(name)};
    if (!loupe_swift_read_address(target, metadata + CLASS_DESCRIPTOR, descriptor) ||
        !loupe_swift_put_descriptor(target, *descriptor, &text))
        return STORAGE_NONE;
    if (strcmp(name, "Swift._ContiguousArrayStorage") == 0)
        return STORAGE_ARRAY;
    if (strcmp(name, "Swift._DictionaryStorage") == 0)
        return STORAGE_DICTIONARY;
    return strcmp(name, "Swift._SetStorage") == 0 ? STORAGE_SET : STORAGE_NONE;
}

/* The type of the elements, of keys, of values. */
static bool read_argument(struct loupe_target *target, loupe_addr metadata, loupe_addr descriptor,
                          unsigned number, loupe_addr *ret) {
    uint32_t flags;
    if (!loupe_swift_read_u32(target, descriptor, &flags))
        return false;
    loupe_addr arguments = loupe_swift_class_arguments(target, metadata, descriptor, flags);
    return arguments &&
           loupe_swift_read_address(target, arguments + (loupe_addr)number * SWIFT_WORD, ret);
}

/* ---- Keys ---- */

static bool is_called(struct loupe_target *target, loupe_addr metadata, const char *name) {
    char called[LOUPE_MAX_SWIFT_NAME];
    struct loupe_swift_text text = {.bytes = called, .cap = sizeof(called)};
    loupe_addr descriptor;
    uint64_t kind;
    return loupe_swift_read_word(target, metadata, &kind) &&
           (kind == KIND_STRUCT || kind == KIND_ENUM) &&
           loupe_swift_read_address(target, metadata + VALUE_DESCRIPTOR, &descriptor) &&
           loupe_swift_put_descriptor(target, descriptor, &text) && strcmp(called, name) == 0;
}

/* A text as String has it: in itself, in an object, or in an image. */
static bool read_text(struct loupe_target *target, loupe_addr at, char ret[MOST_TEXT]) {
    enum { OBJECT_HEADER = 32, SMALL_SIZE = 15 };
    uint64_t words[2], length;
    loupe_addr place = at;
    if (!loupe_swift_read_word(target, at, &words[0]) ||
        !loupe_swift_read_word(target, at + SWIFT_WORD, &words[1]))
        return false;
    if (words[1] >> 61 & 1) { /* the last byte has its length, too */
        length = words[1] >> 56 & 0xf;
        if (length > SMALL_SIZE)
            return false;
    } else if (words[1] >> 62 & 1) {
        return false; /* an object of Foundation has it */
    } else {
        length = words[0] & 0xffffffffffff;
        place = (words[1] & UINT64_C(0x0fffffffffffffff)) + OBJECT_HEADER;
    }
    bool is_whole = length < MOST_TEXT;
    size_t size = is_whole ? (size_t)length : MOST_TEXT - 4;
    if (loupe_memory_read(target->memory, place, ret, size))
        return false;
    memcpy(ret + size, is_whole ? "" : "...", is_whole ? 1 : 4);
    for (size_t i = 0; i < size; i++)
        if ((uint8_t)ret[i] < ' ' || ret[i] == 0x7f)
            return false;
    return true;
}

/* "["done"]", "[42]"; "[...]" of a key that does not say what it is. */
static void say_key(struct loupe_target *target, loupe_addr type, loupe_addr at,
                    char ret[LOUPE_MAX_SWIFT_FIELD]) {
    char text[MOST_TEXT], quoted[2 * MOST_TEXT + 3];
    uint64_t number;
    if (is_called(target, type, "Swift.String") && read_text(target, at, text)) {
        loupe_quote(quoted, sizeof(quoted), text);
        loupe_format(ret, LOUPE_MAX_SWIFT_FIELD, "[%s]", quoted);
    } else if (is_called(target, type, "Swift.Int") && loupe_swift_read_word(target, at, &number)) {
        loupe_format(ret, LOUPE_MAX_SWIFT_FIELD, "[%s%llu]", number >> 63 ? "-" : "",
                     (unsigned long long)(number >> 63 ? 0 - number : number));
    } else {
        loupe_format(ret, LOUPE_MAX_SWIFT_FIELD, "[...]");
    }
}

/* ---- Elements ---- */

/* Elements of one type, one behind the other. */
struct run {
    loupe_addr type;
    uint64_t start, count; /* bytes from the start of the object */
    uint64_t stride;
};

static bool lay_run(struct loupe_target *target, uint64_t start, uint64_t count, struct run *ret) {
    struct loupe_swift_witnesses witnesses;
    uint64_t kind;
    if (!loupe_swift_read_word(target, ret->type, &kind))
        return false;
    ret->start = start;
    ret->count = count;
    ret->stride = SWIFT_WORD;
    if (kind == KIND_CLASS)
        return true;
    if (!loupe_swift_witnesses(target, ret->type, &witnesses))
        return false;
    ret->stride = witnesses.stride ? witnesses.stride : 1;
    ret->start = loupe_swift_align(start, witnesses.align);
    return true;
}

static bool is_in(const struct run *run, uint64_t offset) {
    return offset >= run->start && (offset - run->start) / run->stride < run->count;
}

/* What a word of an element is, with the coordinate of the element in front. */
static void place_in_element(struct loupe_swift_lowering *lowering, const struct run *run,
                             const struct loupe_swift_word_place *word, const char *coordinate,
                             struct loupe_swift_place *ret) {
    struct loupe_swift_type type = {.kind = LOUPE_SWIFT_TYPE_METADATA, .place = run->type};
    uint64_t number = (word->offset - run->start) / run->stride,
             at = run->start + number * run->stride;
    struct loupe_swift_layout layout;
    struct loupe_swift_value value = {.type = loupe_swift_add_type(&lowering->types, &type),
                                      .offset = (uint32_t)at,
                                      .address = word->object + at,
                                      .path = ""};
    char name[LOUPE_MAX_SWIFT_FIELD], whole[2 * LOUPE_MAX_SWIFT_FIELD];
    ret->kind = LOUPE_SWIFT_PLACE_ELEMENT;
    ret->number = (uint32_t)number;
    ret->name[0] = '\0';
    if (value.type == LOUPE_NO_SWIFT_TYPE || !loupe_swift_lower(lowering, &value, &layout))
        ret->is_refused = true;
    else
        loupe_swift_take_slot(lowering, word->offset, ret);
    loupe_format(name, sizeof(name), "%s", ret->name);
    ret->is_numbered = !coordinate && !name[0];
    if (ret->is_numbered)
        return;
    char index[32];
    loupe_format(index, sizeof(index), "[%u]", ret->number);
    loupe_format(whole, sizeof(whole), "%s%s%s", coordinate ? coordinate : index,
                 name[0] ? "." : "", name);
    loupe_format(ret->name, sizeof(ret->name), "%s", whole);
}

static bool place_in_array(struct loupe_swift_lowering *lowering,
                           const struct loupe_swift_word_place *word, struct run *run,
                           struct loupe_swift_place *ret) {
    uint64_t count;
    if (!loupe_swift_read_word(lowering->target, word->object + COUNT, &count) ||
        count > word->size || !lay_run(lowering->target, ELEMENTS, count, run) ||
        !is_in(run, word->offset))
        return false;
    place_in_element(lowering, run, word, NULL, ret);
    return true;
}

/* Where a table of the storage begins, which is behind its header. */
static bool read_table(struct loupe_target *target, const struct loupe_swift_word_place *word,
                       uint64_t field, uint64_t *ret) {
    loupe_addr table;
    if (!loupe_swift_read_address(target, word->object + field, &table) || table <= word->object ||
        table - word->object >= word->size)
        return false;
    *ret = table - word->object;
    return true;
}

static bool read_buckets(struct loupe_target *target, const struct loupe_swift_word_place *word,
                         uint64_t *ret) {
    uint8_t scale;
    if (loupe_memory_read(target->memory, word->object + SCALE, &scale, 1) || scale > LARGEST_SCALE)
        return false;
    *ret = UINT64_C(1) << scale;
    return true;
}

static bool place_in_set(struct loupe_swift_lowering *lowering,
                         const struct loupe_swift_word_place *word, struct run *run,
                         struct loupe_swift_place *ret) {
    uint64_t buckets, start;
    if (!read_buckets(lowering->target, word, &buckets) ||
        !read_table(lowering->target, word, KEYS, &start) ||
        !lay_run(lowering->target, start, buckets, run) || !is_in(run, word->offset))
        return false;
    place_in_element(lowering, run, word, "[...]", ret);
    return true;
}

static bool place_in_dictionary(struct loupe_swift_lowering *lowering,
                                const struct loupe_swift_word_place *word, struct run *keys,
                                struct loupe_swift_place *ret) {
    struct loupe_target *target = lowering->target;
    struct run values = {.count = 0};
    char key[LOUPE_MAX_SWIFT_FIELD];
    uint64_t buckets, start_of_keys, start_of_values;
    loupe_addr descriptor, metadata = loupe_memory_strip(target->memory, word->metadata);
    if (!read_buckets(target, word, &buckets) || !read_table(target, word, KEYS, &start_of_keys) ||
        !read_table(target, word, VALUES, &start_of_values) ||
        !loupe_swift_read_address(target, metadata + CLASS_DESCRIPTOR, &descriptor) ||
        !read_argument(target, metadata, descriptor, 1, &values.type) ||
        !lay_run(target, start_of_keys, buckets, keys) ||
        !lay_run(target, start_of_values, buckets, &values))
        return false;
    if (is_in(keys, word->offset)) {
        place_in_element(lowering, keys, word, "[...] (key)", ret);
        return true;
    }
    if (!is_in(&values, word->offset))
        return false;
    uint64_t bucket = (word->offset - values.start) / values.stride;
    say_key(target, keys->type, word->object + keys->start + bucket * keys->stride, key);
    place_in_element(lowering, &values, word, key, ret);
    return true;
}

bool loupe_swift_place_in_storage(struct loupe_swift_lowering *lowering,
                                  const struct loupe_swift_word_place *word,
                                  struct loupe_swift_place *ret) {
    loupe_addr descriptor, metadata = loupe_memory_strip(lowering->target->memory, word->metadata);
    enum storage storage = storage_of(lowering->target, metadata, &descriptor);
    struct run run = {.count = 0};
    if (storage == STORAGE_NONE ||
        !read_argument(lowering->target, metadata, descriptor, 0, &run.type))
        return false;
    switch (storage) {
    case STORAGE_ARRAY:
        return place_in_array(lowering, word, &run, ret);
    case STORAGE_SET:
        return place_in_set(lowering, word, &run, ret);
    default:
        return place_in_dictionary(lowering, word, &run, ret);
    }
}
