/* Objects of Swift by their metadata: drawn as swift/ABI/Metadata.h and RefCount.h lay them out on
 * Linux. */
#include "check.h"
#include "memory/drawn_heap.h"
#include "swift/metadata.h"

#include <string.h>

static struct drawn_heap heap;
static struct loupe_swift_class found;

static void put_u32(loupe_addr place, uint32_t value) {
    drawn_put_u32(&heap, place, value);
}

/* A distance from its own place. */
static void put_relative(loupe_addr place, loupe_addr to) {
    put_u32(place, (uint32_t)(to - place));
}

enum { MODULE = 0, ANONYMOUS = 2, CLASS = 16, STRUCT = 17, GENERIC = 0x80, RESILIENT = 0x20000000 };

static loupe_addr put_context(uint32_t flags, loupe_addr parent, const char *name) {
    loupe_addr context = drawn_alloc(&heap, 80);
    put_u32(context, flags);
    if (parent)
        put_relative(context + 4, parent);
    if (name)
        put_relative(context + 8, drawn_string(&heap, name));
    return context;
}

static loupe_addr put_class(loupe_addr descriptor, loupe_addr superclass, uint32_t size) {
    loupe_addr metadata = drawn_alloc(&heap, 160) + 24;
    drawn_put_word(&heap, metadata + 8, superclass);
    put_u32(metadata + 24, size);
    put_u32(metadata + 28, 7);
    put_u32(metadata + 32, 24 + 56 + 16);
    put_u32(metadata + 36, 24);
    drawn_put_word(&heap, metadata + 40, descriptor);
    return metadata;
}

static loupe_addr put_struct(loupe_addr descriptor) {
    loupe_addr metadata = drawn_alloc(&heap, 32);
    drawn_put_word(&heap, metadata, 0x200);
    drawn_put_word(&heap, metadata + 8, descriptor);
    return metadata;
}

static bool look(uint64_t word) {
    struct loupe_memory memory;
    struct loupe_target target;
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    bool is_one = loupe_swift_class_at(&target, word, &found);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return is_one;
}

static struct loupe_swift_counts counts_of(loupe_addr object) {
    struct loupe_memory memory;
    struct loupe_target target;
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    struct loupe_swift_counts counts = loupe_swift_counts_at(&target, object);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return counts;
}

static void test_classes_have_names_with_their_modules(void) {
    drawn_heap_init(&heap, 8);
    loupe_addr module = put_context(MODULE, 0, "feed");
    loupe_addr outer = put_context(CLASS, module, "Screen");
    loupe_addr base = put_class(outer, 0, 40);
    loupe_addr hidden = put_context(ANONYMOUS, outer, NULL);
    CHECK(look(base));
    CHECK_STR(found.name, "feed.Screen");
    CHECK_EQ(found.instance_size, 40);
    CHECK_EQ(found.kind, LOUPE_SWIFT_CLASS);
    CHECK(look(put_class(put_context(CLASS, hidden, "Row"), base, 24)));
    CHECK_STR(found.name, "feed.Screen.Row");
    CHECK_EQ(found.superclass, base);
    drawn_heap_deinit(&heap);
}

/* A parent in another image is led to by a word that the loader bound. */
static void test_parents_of_other_images(void) {
    drawn_heap_init(&heap, 8);
    loupe_addr word = drawn_alloc(&heap, 8), cls = put_context(CLASS, 0, "Screen");
    drawn_put_word(&heap, word, put_context(MODULE, 0, "feed"));
    put_u32(cls + 4, (uint32_t)(word - (cls + 4)) | 1);
    CHECK(look(put_class(cls, 0, 16)));
    CHECK_STR(found.name, "feed.Screen");
    drawn_heap_deinit(&heap);
}

/* The header behind the descriptor: how many parameters, then a byte for each. */
static void put_generics(loupe_addr end, unsigned count, uint8_t parameter) {
    put_u32(end + 8, count);
    for (unsigned i = 0; i < count; i++)
        drawn_put(&heap, end + 16 + i, &parameter, 1);
}

static void test_generic_arguments(void) {
    drawn_heap_init(&heap, 8);
    loupe_addr swift = put_context(MODULE, 0, "Swift"), feed = put_context(MODULE, 0, "feed");
    loupe_addr integer = put_struct(put_context(STRUCT, swift, "Int"));
    loupe_addr cache = put_context(CLASS | GENERIC, feed, "Cache");
    put_u32(cache + 28, 9); /* words in all */
    put_u32(cache + 32, 2); /* of them its own */
    put_generics(cache + 44, 2, 0x80);
    loupe_addr metadata = put_class(cache, 0, 24);
    drawn_put_word(&heap, metadata + 56, integer);
    drawn_put_word(&heap, metadata + 64, put_class(put_context(CLASS, feed, "Screen"), 0, 16));
    CHECK(look(metadata));
    CHECK_STR(found.name, "feed.Cache<Swift.Int, feed.Screen>");
    drawn_put_word(&heap, metadata + 64, 0x4242);
    CHECK(look(metadata));
    CHECK_STR(found.name, "feed.Cache");
    put_u32(cache, CLASS | GENERIC | RESILIENT);
    CHECK(look(metadata));
    CHECK_STR(found.name, "feed.Cache");
    drawn_heap_deinit(&heap);
}

static void test_other_kinds(void) {
    static const struct {
        uint64_t kind;
        const char *name;
    } kinds[] = {{0x400, "closure context"},
                 {0x500, "closure context"},
                 {0x501, "error box"},
                 {0x502, "Swift.Task"}};
    drawn_heap_init(&heap, 8);
    loupe_addr metadata = drawn_alloc(&heap, 16);
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        drawn_put_word(&heap, metadata, kinds[i].kind);
        CHECK(look(metadata));
        CHECK_STR(found.name, kinds[i].name);
    }
    drawn_put_word(&heap, metadata, 0x200);
    CHECK(!look(metadata));
    drawn_heap_deinit(&heap);
}

static void test_hostile_metadata(void) {
    drawn_heap_init(&heap, 8);
    loupe_addr module = put_context(MODULE, 0, "feed"), cls = put_context(CLASS, module, "Screen");
    loupe_addr metadata = put_class(cls, 0, 24);
    CHECK(look(metadata));
    CHECK(!look(metadata + 4));
    CHECK(!look(metadata + 8));
    CHECK(!look(UINT64_C(0x7fff00000000)));
    put_relative(cls + 4, cls); /* its own scope */
    CHECK(!look(metadata));
    put_relative(cls + 4, module);
    put_relative(cls + 8, drawn_string(&heap, "a\x1b[31m"));
    CHECK(!look(metadata));
    char endless[400];
    memset(endless, 'a', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    put_relative(cls + 8, drawn_string(&heap, endless));
    CHECK(!look(metadata));
    put_relative(cls + 8, drawn_string(&heap, "Screen"));
    put_u32(metadata + 24, 8); /* less than a header */
    CHECK(!look(metadata));
    drawn_heap_deinit(&heap);
}

/* ---- Fields ---- */

struct drawn_field {
    const char *name, *type;
    uint64_t offset;
};

enum { FIELD_VECTOR = 10, FIELD_HEADER = 1 | 12 << 16 };

/* Descriptors and vector of a class, as Records.h and Metadata.h have them; the field descriptor.
 */
static loupe_addr put_fields(loupe_addr metadata, loupe_addr descriptor,
                             const struct drawn_field *fields, uint32_t count) {
    loupe_addr records = drawn_alloc(&heap, 16 + 12 * count);
    put_u32(descriptor + 36, count);
    put_u32(descriptor + 40, FIELD_VECTOR);
    put_relative(descriptor + 16, records);
    put_u32(records + 8, FIELD_HEADER);
    put_u32(records + 12, count);
    for (uint32_t i = 0; i < count; i++) {
        loupe_addr record = records + 16 + 12 * (loupe_addr)i;
        put_relative(record + 4, drawn_string(&heap, fields[i].type));
        put_relative(record + 8, drawn_string(&heap, fields[i].name));
        drawn_put_word(&heap, metadata + 8 * (FIELD_VECTOR + (loupe_addr)i), fields[i].offset);
    }
    return records;
}

static struct loupe_swift_field field;

static bool look_at_field(uint64_t word, uint64_t offset) {
    struct loupe_memory memory;
    struct loupe_target target;
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    bool is_one = loupe_swift_field_at(&target, word, offset, &field);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return is_one;
}

#define CHECK_FIELD(word, offset, named, owns)                                                     \
    do {                                                                                           \
        CHECK(look_at_field(word, offset));                                                        \
        CHECK_STR(field.name, named);                                                              \
        CHECK_EQ(field.ownership, owns);                                                           \
    } while (0)

/* A type that is told by a reference has four bytes of any value behind \1: a letter is none. */
static const struct drawn_field of_screen[] = {
    {"onDone", "yycSg", 16},   {"parent", "\1abXwSgXw", 32}, {"owner", "\1abcdXo", 40},
    {"raw", "\1abcdSgXu", 48}, {"nothing", "yt", 56},        {"cell", "\1abXo", 56}};

static void test_fields_by_their_offsets(void) {
    drawn_heap_init(&heap, 8);
    loupe_addr module = put_context(MODULE, 0, "feed"), cls = put_context(CLASS, module, "Screen");
    loupe_addr metadata = put_class(cls, 0, 64);
    put_fields(metadata, cls, of_screen, 6);
    CHECK(!look_at_field(metadata, 8)); /* of the header */
    CHECK_FIELD(metadata, 16, "onDone", LOUPE_SWIFT_STRONG);
    CHECK(field.is_closure);
    CHECK_FIELD(metadata, 24, "onDone", LOUPE_SWIFT_STRONG); /* its second word */
    CHECK_FIELD(metadata, 32, "parent", LOUPE_SWIFT_WEAK);
    CHECK(!field.is_closure);
    CHECK_FIELD(metadata, 40, "owner", LOUPE_SWIFT_UNOWNED);
    CHECK_FIELD(metadata, 48, "raw", LOUPE_SWIFT_UNMANAGED);
    CHECK_FIELD(metadata, 56, "cell", LOUPE_SWIFT_STRONG); /* Xo is of the reference */
    CHECK(!look_at_field(metadata, 64));                   /* behind the object */
    loupe_addr detail = put_class(put_context(CLASS, module, "Detail"), metadata, 80);
    CHECK_FIELD(detail, 32, "parent", LOUPE_SWIFT_WEAK);
    CHECK(!look_at_field(detail, 72)); /* its own, of which nothing is known */
    drawn_heap_deinit(&heap);
}

static void test_hostile_fields(void) {
    static const struct drawn_field one[] = {{"me", "\1abcd", 16}};
    drawn_heap_init(&heap, 8);
    loupe_addr module = put_context(MODULE, 0, "feed"), cls = put_context(CLASS, module, "Screen");
    loupe_addr metadata = put_class(cls, 0, 24), records = put_fields(metadata, cls, one, 1);
    CHECK_FIELD(metadata, 16, "me", LOUPE_SWIFT_STRONG);
    put_u32(records + 12, 2); /* not as many as the class has */
    CHECK(!look_at_field(metadata, 16));
    put_u32(records + 12, 1);
    put_u32(records + 8, FIELD_HEADER + 4); /* of another kind of type */
    CHECK(!look_at_field(metadata, 16));
    put_u32(records + 8, FIELD_HEADER);
    put_u32(cls + 40, UINT32_MAX);
    CHECK(!look_at_field(metadata, 16));
    put_u32(cls + 40, FIELD_VECTOR);
    put_u32(cls + 36, UINT32_MAX);
    put_u32(records + 12, UINT32_MAX);
    CHECK(!look_at_field(metadata, 16));
    drawn_put_word(&heap, metadata + 8, metadata); /* its own superclass */
    CHECK(!look_at_field(metadata, 16));
    CHECK(!look_at_field(UINT64_C(0x7fff00000000), 16));
    drawn_heap_deinit(&heap);
}

static loupe_addr put_object(uint64_t counts) {
    loupe_addr object = drawn_alloc(&heap, 32);
    drawn_put_word(&heap, object + 8, counts);
    return object;
}

static void test_counts_in_the_object(void) {
    drawn_heap_init(&heap, 8);
    struct loupe_swift_counts counts = counts_of(put_object(3));
    CHECK_EQ(counts.life, LOUPE_SWIFT_ALIVE);
    CHECK_EQ(counts.strong, 1);
    CHECK_EQ(counts.unowned, 0);
    CHECK_EQ(counts_of(put_object(7)).unowned, 2);
    CHECK_EQ(counts_of(put_object(3 + (UINT64_C(4) << 33))).strong, 5);
    CHECK_EQ(counts_of(put_object(UINT64_C(0x100000005))).life, LOUPE_SWIFT_DEAD);
    CHECK_EQ(counts_of(put_object(UINT64_C(0x80000004ffffffff))).life, LOUPE_SWIFT_IMMORTAL);
    CHECK_EQ(counts_of(put_object(0)).life, LOUPE_SWIFT_NO_OBJECT);
    CHECK_EQ(counts_of(put_object(1)).life, LOUPE_SWIFT_NO_OBJECT);
    drawn_heap_deinit(&heap);
}

static void test_counts_in_a_side_table(void) {
    drawn_heap_init(&heap, 8);
    loupe_addr table = drawn_alloc(&heap, 32);
    loupe_addr object = put_object(UINT64_C(3) << 62 | table >> 3);
    drawn_put_word(&heap, table, object);
    drawn_put_word(&heap, table + 16, 3 + (UINT64_C(1) << 33));
    struct loupe_swift_counts counts = counts_of(object);
    CHECK_EQ(counts.life, LOUPE_SWIFT_ALIVE);
    CHECK_EQ(counts.strong, 2);
    CHECK_EQ(counts.side_table, table);
    drawn_put_word(&heap, table + 16, UINT64_C(0x100000003));
    CHECK_EQ(counts_of(object).life, LOUPE_SWIFT_DEAD);
    drawn_put_word(&heap, table, object + 16);
    CHECK_EQ(counts_of(object).life, LOUPE_SWIFT_NO_OBJECT);
    drawn_heap_deinit(&heap);
}

int main(void) {
    RUN(test_classes_have_names_with_their_modules);
    RUN(test_parents_of_other_images);
    RUN(test_generic_arguments);
    RUN(test_other_kinds);
    RUN(test_hostile_metadata);
    RUN(test_fields_by_their_offsets);
    RUN(test_hostile_fields);
    RUN(test_counts_in_the_object);
    RUN(test_counts_in_a_side_table);
    return check_report();
}
