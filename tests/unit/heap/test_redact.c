/* Snapshots without text of the program's data, whatever they are written as. */
#include "check.h"
#include "graphs/drawn_graph.h"
#include "memory/drawn_heap.h"
#include "memory/drawn_native.h"
#include "hprof/hprof_write.h"
#include "snapshot/file/loupe_file.h"
#include "snapshot/file/redact.h"

#include <stdlib.h>
#include <string.h>

static struct drawn_native drawn;

static bool has(const struct drawn_text *text, const char *word) {
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= text->length; i++) {
        if (memcmp(text->text + i, word, length) == 0)
            return true;
    }
    return false;
}

static void check_written(const struct loupe_snapshot *snapshot, const char *word, bool want) {
    static const struct loupe_file_results none = {.dominators = NULL};
    struct drawn_text dump = {0}, file = {0};
    CHECK_EQ(loupe_hprof_write(snapshot, &drawn_chunks, drawn_text_sink(&dump)), LOUPE_OK);
    CHECK_EQ(loupe_file_write(snapshot, &none, &drawn_chunks, drawn_text_sink(&file)), LOUPE_OK);
    CHECK_EQ(has(&dump, word), want);
    CHECK_EQ(has(&file, word), want);
    free(dump.text);
    free(file.text);
}

static void test_names_of_threads_go_and_others_stay(void) {
    struct loupe_snapshot redacted;
    uint64_t random = 5;
    drawn_native_random(&drawn, &random, 40);
    drawn_native_thread(&drawn, "for alice@example.org");
    drawn_native_thread(&drawn, "Class3"); /* is called as a class is */
    drawn_native_build(&drawn);
    check_written(&drawn.snapshot, "alice", true);
    CHECK_EQ(loupe_snapshot_redact(&drawn.snapshot, LOUPE_REDACT_TEXTS, &drawn_chunks, &redacted),
             LOUPE_OK);
    check_written(&redacted, "alice", false);
    check_written(&redacted, "Class3", true);
    check_written(&redacted, "_ivar7", true);
    CHECK_EQ(redacted.thread_count, 2);
    CHECK_EQ(redacted.threads[1].name, LOUPE_NONE);
    CHECK_EQ(redacted.threads[1].serial, drawn.snapshot.threads[1].serial);
    for (uint32_t i = 0; i < redacted.class_count; i++) {
        struct loupe_span was = loupe_snapshot_class_name(&drawn.snapshot, i),
                          is = loupe_snapshot_class_name(&redacted, i);
        CHECK(was.length == is.length && memcmp(was.bytes, is.bytes, is.length) == 0);
    }
    loupe_snapshot_deinit(&redacted);
    check_written(&drawn.snapshot, "alice", true);
}

static struct loupe_label by_key(const char *name, const char *path, enum loupe_edge_kind kind) {
    return (struct loupe_label){.name = drawn_native_string(&drawn, name),
                                .path = drawn_native_string(&drawn, path),
                                .declared_by = LOUPE_NONE,
                                .assumption = LOUPE_NONE,
                                .doubt = LOUPE_NONE,
                                .evidence = LOUPE_NONE,
                                .kind = (uint8_t)kind};
}

static bool has_path(const struct loupe_snapshot *snapshot, uint32_t label, const char *path) {
    const struct loupe_label *about = &snapshot->native->label_table[label];
    return loupe_span_equals(loupe_snapshot_string(snapshot, about->path), path);
}

/* What an element of a dictionary is called by is text of the program's data. */
static void test_keys_of_elements_go(void) {
    struct loupe_snapshot redacted;
    drawn_native_init(&drawn);
    uint32_t map = drawn_native_class(&drawn, "NSDictionary", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    uint32_t value = drawn_native_label(
        &drawn, by_key("\"alice@example.org\"", "[\"alice@example.org\"]", LOUPE_EDGE_ELEMENT));
    uint32_t key = drawn_native_label(
        &drawn, by_key("\"alice@example.org\"", "key \"alice@example.org\"", LOUPE_EDGE_KEY));
    uint32_t ivar = drawn_native_ivar(&drawn, "_friend", "Person");
    uint32_t from = drawn_native_node(&drawn, map, 32), to = drawn_native_node(&drawn, map, 32);
    drawn_native_link(&drawn, from, to, LOUPE_LINK_STRONG, value, 8);
    drawn_native_link(&drawn, from, to, LOUPE_LINK_STRONG, key, 16);
    drawn_native_link(&drawn, from, to, LOUPE_LINK_STRONG, ivar, 24);
    drawn_native_root(&drawn, from, LOUPE_ROOT_GLOBAL);
    drawn_native_build(&drawn);
    check_written(&drawn.snapshot, "alice", true);
    CHECK_EQ(loupe_snapshot_redact(&drawn.snapshot, LOUPE_REDACT_TEXTS, &drawn_chunks, &redacted),
             LOUPE_OK);
    check_written(&redacted, "alice", false);
    CHECK(has_path(&redacted, value, "[*]"));
    CHECK(has_path(&redacted, key, "key"));
    CHECK_EQ(redacted.native->label_table[value].name, LOUPE_NONE);
    CHECK_EQ(redacted.native->label_table[ivar].name,
             drawn.snapshot.native->label_table[ivar].name);
    loupe_snapshot_deinit(&redacted);
}

/* ---- Contents, as a Java heap has them ---- */

static bool contents(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                     const uint8_t **ret, uint64_t *len_ret) {
    (void)ctx;
    (void)snapshot;
    *ret = (const uint8_t *)(node ? "password" : "\0\0\0\0\0\0\0\x7");
    *len_ret = 8;
    return true;
}

static void test_elements_of_arrays_go_and_fields_stay(void) {
    static const struct loupe_snapshot_ops ops = {.contents = contents};
    struct loupe_snapshot redacted;
    const uint8_t *bytes;
    uint64_t length;
    drawn_native_init(&drawn);
    uint32_t screen = drawn_native_class(&drawn, "Screen", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    uint32_t array = drawn_native_class(&drawn, "byte[]", LOUPE_CLASS_PRIMITIVE_ARRAYS, LOUPE_NONE);
    drawn_native_node(&drawn, screen, 16);
    drawn_native_node(&drawn, array, 16);
    drawn_native_build(&drawn);
    drawn.snapshot.ops = &ops;
    CHECK_EQ(loupe_snapshot_redact(&drawn.snapshot, LOUPE_REDACT_TEXTS, &drawn_chunks, &redacted),
             LOUPE_OK);
    CHECK(!redacted.ops->contents(redacted.ctx, &redacted, 0, &bytes, &length));
    loupe_snapshot_deinit(&redacted); /* a word of a native heap may be a short string */
    drawn.snapshot.native = NULL;
    CHECK_EQ(loupe_snapshot_redact(&drawn.snapshot, LOUPE_REDACT_TEXTS, &drawn_chunks, &redacted),
             LOUPE_OK);
    CHECK(redacted.ops->contents(redacted.ctx, &redacted, 0, &bytes, &length));
    CHECK(!redacted.ops->contents(redacted.ctx, &redacted, 1, &bytes, &length));
    loupe_snapshot_deinit(&redacted);
    CHECK_EQ(loupe_snapshot_redact(&drawn.snapshot, LOUPE_REDACT_VALUES, &drawn_chunks, &redacted),
             LOUPE_OK);
    CHECK(!redacted.ops->contents(redacted.ctx, &redacted, 0, &bytes, &length));
    loupe_snapshot_deinit(&redacted);
}

/* ---- Damage ---- */

/* A file may say of a million strings that each is the whole text. */
static void test_strings_that_overlap(void) {
    struct loupe_snapshot redacted;
    drawn_native_init(&drawn);
    drawn_native_thread(&drawn, "a secret");
    drawn_native_class(&drawn, "abcdef", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    uint32_t inner = drawn_native_class(&drawn, "x", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    drawn_native_build(&drawn);
    struct loupe_snapshot_string *string = &drawn.strings[drawn.class_table[inner].name];
    *string =
        (struct loupe_snapshot_string){drawn.strings[drawn.class_table[0].name].offset + 2, 6};
    CHECK_EQ(loupe_snapshot_redact(&drawn.snapshot, LOUPE_REDACT_TEXTS, &drawn_chunks, &redacted),
             LOUPE_OK);
    struct loupe_span name = loupe_snapshot_class_name(&redacted, inner);
    CHECK_EQ(name.length, 6);
    CHECK(memcmp(name.bytes, "cdef", 4) == 0);
    check_written(&redacted, "secret", false);
    loupe_snapshot_deinit(&redacted);
}

static void test_memory_that_runs_out(void) {
    bool done = false;
    drawn_native_init(&drawn);
    drawn_native_thread(&drawn, "main");
    drawn_native_build(&drawn);
    for (unsigned fail_at = 1; !done; fail_at++) {
        struct drawn_failing_chunks state = {.fail_at = fail_at};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        struct loupe_snapshot redacted;
        done = loupe_snapshot_redact(&drawn.snapshot, LOUPE_REDACT_TEXTS, &chunks, &redacted) ==
               LOUPE_OK;
        if (done)
            loupe_snapshot_deinit(&redacted);
        CHECK_EQ(state.outstanding, 0);
    }
}

int main(void) {
    RUN(test_names_of_threads_go_and_others_stay);
    RUN(test_keys_of_elements_go);
    RUN(test_elements_of_arrays_go_and_fields_stay);
    RUN(test_strings_that_overlap);
    RUN(test_memory_that_runs_out);
    return check_report();
}
