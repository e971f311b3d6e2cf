/*
 * Native heaps written as heap dumps of Java, as other tools see them: the same objects, classes,
 * references, roots and dominators, and what the format's readers rely on.
 */
#include "analysis/dominators/dominators.h"
#include "check.h"
#include "graphs/drawn_graph.h"
#include "memory/drawn_native.h"
#include "hprof/hprof.h"
#include "hprof/hprof_output.h"
#include "hprof/hprof_write.h"

#include <stdlib.h>
#include <string.h>

static struct drawn_native drawn;

/* ---- Writing and reading back ---- */

static uint8_t *bytes;
static size_t used, room;

static enum loupe_status keep(void *ctx, const char *part, size_t size) {
    (void)ctx;
    if (size > room - used) {
        room = 2 * (used + size);
        bytes = realloc(bytes, room);
        if (!bytes)
            abort();
    }
    memcpy(bytes + used, part, size);
    used += size;
    return LOUPE_OK;
}

static void write_dump(void) {
    used = 0;
    drawn_native_build(&drawn);
    CHECK_EQ(loupe_hprof_write(&drawn.snapshot, &drawn_chunks, (struct loupe_sink){.write = keep}),
             LOUPE_OK);
}

static void write_and_read(struct loupe_snapshot *ret) {
    static const struct loupe_hprof_options options = {.as_java = true};
    struct loupe_error error;
    write_dump();
    if (!CHECK_EQ(loupe_hprof_open(bytes, used, &drawn_chunks, &options, ret, &error), LOUPE_OK))
        abort();
    CHECK(!loupe_snapshot_is_incomplete(ret));
}

static uint32_t node_of(const struct loupe_snapshot *read, uint32_t node) {
    uint32_t found = LOUPE_NO_NODE;
    CHECK(loupe_snapshot_find(read, loupe_snapshot_address(&drawn.snapshot, node), &found));
    return found;
}

/* The reference of a node called so, or LOUPE_NO_NODE. */
static uint32_t target_named(const struct loupe_snapshot *read, uint32_t node, const char *name) {
    const struct loupe_columns *columns = &read->columns;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        struct loupe_link_name named;
        loupe_snapshot_name_link(read, node, link, &named);
        if (named.kind == LOUPE_LINK_NAME_FIELD && loupe_span_equals(named.name, name))
            return columns->to[link];
    }
    return LOUPE_NO_NODE;
}

static void check_class(const struct loupe_snapshot *read, uint32_t node, const char *want) {
    struct loupe_span name = loupe_snapshot_class_name(read, read->classes[node]);
    char text[200];
    snprintf(text, sizeof(text), "%.*s", (int)name.length, name.bytes);
    CHECK_STR(text, want);
}

/* ---- What becomes of what ---- */

static void test_ivars_are_fields_of_the_class_that_declares_them(void) {
    struct loupe_snapshot read;
    struct loupe_value value;
    drawn_native_init(&drawn);
    uint32_t base = drawn_native_class(&drawn, "Base", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    uint32_t derived = drawn_native_class(&drawn, "Derived", LOUPE_CLASS_INSTANCES, base);
    uint32_t other = drawn_native_ivar(&drawn, "_other", "Base");
    uint32_t handler = drawn_native_ivar(&drawn, "_handler", "Derived");
    uint32_t delegate = drawn_native_ivar(&drawn, "_delegate", "Derived");
    uint32_t a = drawn_native_node(&drawn, derived, 48), b = drawn_native_node(&drawn, base, 24);
    drawn_native_link(&drawn, a, b, LOUPE_LINK_STRONG, other, 8);
    drawn_native_link(&drawn, a, a, LOUPE_LINK_ASSUMED, handler, 16);
    drawn_native_link(&drawn, a, b, LOUPE_LINK_WEAK, delegate, 24);
    drawn_native_link(&drawn, a, b, LOUPE_LINK_CONSERVATIVE, LOUPE_NONE, 40);
    drawn_native_link(&drawn, b, a, LOUPE_LINK_UNOWNED, other, 8);
    drawn_native_root(&drawn, a, LOUPE_ROOT_GLOBAL);
    drawn.retain_counts[a] = 7;
    write_and_read(&read);
    a = node_of(&read, a);
    b = node_of(&read, b);
    check_class(&read, a, "Derived");
    CHECK_EQ(target_named(&read, a, "_other"), b);
    CHECK_EQ(target_named(&read, a, "_handler"), a);
    CHECK_EQ(target_named(&read, a, "+40"), b);
    CHECK_EQ(target_named(&read, a, "_delegate"), LOUPE_NO_NODE);
    CHECK(loupe_snapshot_field_value(&read, a, "_delegate", &value));
    CHECK_EQ(value.bits, loupe_snapshot_address(&read, b));
    CHECK_EQ(value.type, LOUPE_VALUE_LONG);
    CHECK(loupe_snapshot_field_value(&read, a, "(retain count)", &value));
    CHECK_EQ(value.bits, 7);
    CHECK_EQ(loupe_columns_size(&read.columns, a), 48);
    CHECK_EQ(loupe_columns_size(&read.columns, b), 24);
    loupe_snapshot_deinit(&read);
}

static void test_elements_are_an_array_behind_a_field(void) {
    struct loupe_snapshot read;
    drawn_native_init(&drawn);
    uint32_t array = drawn_native_class(&drawn, "NSArray", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    uint32_t element =
        drawn_native_label(&drawn, (struct loupe_label){.path = LOUPE_NONE,
                                                        .declared_by = LOUPE_NONE,
                                                        .kind = LOUPE_EDGE_ELEMENT,
                                                        .flags = LOUPE_LABEL_INDEXED});
    uint32_t a = drawn_native_node(&drawn, array, 16), b = drawn_native_node(&drawn, array, 16);
    for (uint32_t i = 0; i < 3; i++)
        drawn_native_link(&drawn, a, i ? b : a, LOUPE_LINK_STRONG, element, i);
    drawn_native_root(&drawn, a, LOUPE_ROOT_STACK);
    write_and_read(&read);
    a = node_of(&read, a);
    b = node_of(&read, b);
    uint32_t behind = target_named(&read, a, "(elements)");
    if (CHECK(behind != LOUPE_NO_NODE)) {
        const uint32_t *to = read.columns.to + read.columns.first[behind];
        CHECK_EQ(to[0], a);
        CHECK_EQ(to[1], b);
        CHECK_EQ(to[2], b);
    }
    CHECK_EQ(target_named(&read, b, "(elements)"), LOUPE_NO_NODE);
    loupe_snapshot_deinit(&read);
}

static void test_memory_is_an_array_of_its_words(void) {
    struct loupe_snapshot read;
    drawn_native_init(&drawn);
    uint32_t raw = drawn_native_class(&drawn, "raw memory", LOUPE_CLASS_RAW, LOUPE_NONE);
    uint32_t a = drawn_native_node(&drawn, raw, 64), b = drawn_native_node(&drawn, raw, 1 << 22);
    drawn_native_link(&drawn, a, b, LOUPE_LINK_CONSERVATIVE, LOUPE_NONE, 24);
    drawn_native_link(&drawn, a, a, LOUPE_LINK_CONSERVATIVE, LOUPE_NONE, 8);
    drawn_native_link(&drawn, a, b, LOUPE_LINK_CONSERVATIVE, LOUPE_NONE, 640);
    drawn_native_root(&drawn, a, LOUPE_ROOT_OTHER_MEMORY);
    write_and_read(&read);
    a = node_of(&read, a);
    b = node_of(&read, b);
    check_class(&read, a, "raw memory[]");
    CHECK_EQ(loupe_columns_size(&read.columns, b), 1 << 22);
    struct loupe_link_name name;
    loupe_snapshot_name_link(&read, a, read.columns.first[a], &name);
    CHECK_EQ(name.index, 3);
    CHECK_EQ(read.columns.to[read.columns.first[a]], b);
    CHECK_EQ(read.columns.to[read.columns.first[a] + 1], a); /* out of order: behind the words */
    CHECK_EQ(read.columns.to[read.columns.first[a] + 2], b);
    loupe_snapshot_deinit(&read);
}

static void test_roots_keep_their_kinds_and_threads(void) {
    static const struct {
        enum loupe_root_kind written, read;
    } kinds[] = {
        {LOUPE_ROOT_GLOBAL, LOUPE_ROOT_JNI_GLOBAL},
        {LOUPE_ROOT_STACK, LOUPE_ROOT_JAVA_FRAME},
        {LOUPE_ROOT_REGISTER, LOUPE_ROOT_JAVA_FRAME},
        {LOUPE_ROOT_POOL, LOUPE_ROOT_JNI_LOCAL},
        {LOUPE_ROOT_THREAD_LOCAL, LOUPE_ROOT_JNI_LOCAL},
        {LOUPE_ROOT_OTHER_MEMORY, LOUPE_ROOT_UNKNOWN},
    };
    enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
    struct loupe_snapshot read;
    drawn_native_init(&drawn);
    uint32_t class_number = drawn_native_class(&drawn, "Thing", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    drawn_native_thread(&drawn, "main");
    uint32_t worker = drawn_native_thread(&drawn, "worker");
    for (unsigned i = 0; i < KINDS; i++) {
        uint32_t node = drawn_native_node(&drawn, class_number, 16);
        drawn.roots[drawn_native_root(&drawn, node, kinds[i].written)].thread = worker;
    }
    write_and_read(&read);
    unsigned found = 0;
    for (uint32_t i = 0; i < read.columns.root_count; i++) {
        for (unsigned j = 0; j < KINDS; j++) {
            if (read.roots[i].node != node_of(&read, j))
                continue;
            found++;
            CHECK_EQ(read.roots[i].kind, kinds[j].read);
            if (kinds[j].read == LOUPE_ROOT_JAVA_FRAME) {
                struct loupe_span name =
                    loupe_snapshot_string(&read, read.threads[read.roots[i].thread].name);
                CHECK(loupe_span_equals(name, "worker"));
            }
        }
    }
    CHECK_EQ(found, KINDS);
    loupe_snapshot_deinit(&read);
}

static void test_a_class_object_is_a_class(void) {
    struct loupe_snapshot read;
    drawn_native_init(&drawn);
    uint32_t runtime = drawn_native_class(&drawn, "class", LOUPE_CLASS_RUNTIME, LOUPE_NONE);
    uint32_t thing = drawn_native_class(&drawn, "Thing", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    uint32_t object = drawn_native_node(&drawn, runtime, 40),
             held = drawn_native_node(&drawn, thing, 16);
    drawn.class_table[thing].node = object;
    drawn_native_link(&drawn, object, held, LOUPE_LINK_STRONG, LOUPE_NONE, 0);
    drawn_native_root(&drawn, object, LOUPE_ROOT_GLOBAL);
    write_and_read(&read);
    uint32_t number = loupe_snapshot_class_at(&read, node_of(&read, object));
    if (CHECK(number != LOUPE_NONE))
        CHECK(loupe_span_equals(loupe_snapshot_class_name(&read, number), "Thing"));
    CHECK_EQ(read.classes[node_of(&read, held)], number);
    loupe_snapshot_deinit(&read);
}

/* ---- Random heaps ---- */

static const struct loupe_link_policy *policy(void) {
    return loupe_link_policies;
}

/* What alone keeps a node, among the objects that the program has. */
static loupe_addr owner(const struct loupe_snapshot *snapshot,
                        const struct loupe_dominators *dominators, uint32_t node) {
    uint32_t at = dominators->immediate[node];
    while (at < snapshot->columns.nodes && loupe_snapshot_address(snapshot, at) % 2)
        at = dominators->immediate[at];
    return at < snapshot->columns.nodes ? loupe_snapshot_address(snapshot, at)
           : at == LOUPE_NO_NODE        ? 1
                                        : 0;
}

static void test_dominators_stay_the_same(void) {
    uint64_t random = 7;
    for (unsigned round = 0; round < 400; round++) {
        struct loupe_snapshot read;
        struct loupe_dominators before, after;
        drawn_native_random(&drawn, &random, 60);
        write_and_read(&read);
        CHECK_EQ(
            loupe_dominators_by_policy(&drawn.snapshot.columns, policy(), &drawn_chunks, &before),
            LOUPE_OK);
        CHECK_EQ(loupe_dominators_by_policy(&read.columns, policy(), &drawn_chunks, &after),
                 LOUPE_OK);
        for (uint32_t node = 0; node < drawn.snapshot.columns.nodes; node++) {
            uint32_t other = node_of(&read, node);
            CHECK_EQ(owner(&read, &after, other), owner(&drawn.snapshot, &before, node));
            CHECK_EQ(loupe_columns_size(&read.columns, other),
                     loupe_columns_size(&drawn.snapshot.columns, node));
        }
        loupe_dominators_deinit(&before);
        loupe_dominators_deinit(&after);
        loupe_snapshot_deinit(&read);
    }
}

/* ---- What readers of the format rely on ---- */

/* Roots, classes and instances in their order; every segment at most 1 MiB, or one object; odd ids
 * for what the program does not have, and only for that. */
static void test_order_ids_and_segments(void) {
    uint64_t random = 11, at;
    struct hprof_header header;
    struct hprof_record record;
    unsigned segments = 0;
    bool saw_root = false, saw_object = false, ended = false;
    drawn_native_random(&drawn, &random, 3000);
    drawn_native_thread(&drawn, "main");
    drawn_native_node(&drawn, 3, 3 << 20);
    write_dump();
    CHECK(hprof_read_header(bytes, used, &header));
    at = header.length;
    while (hprof_next_record(bytes, used, &at, &record)) {
        CHECK(!record.cut_off && !ended);
        ended = record.tag == HPROF_HEAP_END;
        if (record.tag != HPROF_HEAP_SEGMENT)
            continue;
        const uint8_t *next = bytes + record.start, *end = next + record.length;
        struct hprof_object object;
        unsigned objects = 0;
        while (hprof_next_object(&next, end, header.id_size, &object) == HPROF_STEP_OBJECT) {
            uint32_t node;
            bool is_root = object.tag == HPROF_ROOT_JNI_GLOBAL ||
                           object.tag == HPROF_ROOT_THREAD_OBJECT ||
                           object.tag == HPROF_ROOT_STICKY_CLASS;
            bool is_object = object.tag == HPROF_INSTANCE || object.tag == HPROF_OBJECT_ARRAY ||
                             object.tag == HPROF_PRIMITIVE_ARRAY;
            CHECK(!is_root || !saw_object);
            CHECK(object.tag != HPROF_CLASS || (!saw_root && !saw_object));
            saw_root |= is_root;
            saw_object |= is_object;
            CHECK_EQ(object.id % 2, !loupe_snapshot_find(&drawn.snapshot, object.id, &node));
            objects++;
        }
        CHECK(next == end);
        CHECK(record.length <= HPROF_MOST_SEGMENT || objects == 1);
        segments++;
    }
    CHECK(ended && saw_root && saw_object);
    CHECK(segments >= 2);
}

/* ---- Text ---- */

static void check_text(const char *text, const char *want) {
    static struct hprof_output output;
    size_t length = strlen(want);
    used = 0;
    output = (struct hprof_output){.sink = {.write = keep}};
    hprof_put_string(&output, 5, loupe_span_of(text));
    hprof_flush(&output);
    if (CHECK_EQ(used, 9 + 8 + length))
        CHECK(memcmp(bytes + 17, want, length) == 0);
}

static void test_strings_are_as_java_writes_them(void) {
    check_text("plain", "plain");
    check_text("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
    check_text("\xf0\x9f\x98\x80", "\xed\xa0\xbd\xed\xb8\x80");
    check_text("a\xff\xc3", "a??");
    check_text("\xc0\xaf\xed\xa0\x80", "?????");
}

int main(void) {
    RUN(test_ivars_are_fields_of_the_class_that_declares_them);
    RUN(test_elements_are_an_array_behind_a_field);
    RUN(test_memory_is_an_array_of_its_words);
    RUN(test_roots_keep_their_kinds_and_threads);
    RUN(test_a_class_object_is_a_class);
    RUN(test_dominators_stay_the_same);
    RUN(test_order_ids_and_segments);
    RUN(test_strings_are_as_java_writes_them);
    free(bytes);
    return check_report();
}
