/*
 * Names from debug information: found by place, kept by files of both kinds, refused where bytes
 * are no such tables.
 */
#include "check.h"
#include "memory/drawn_heap.h"
#include "memory/drawn_native.h"
#include "hprof/hprof.h"
#include "hprof/hprof_write.h"
#include "snapshot/file/loupe_file.h"
#include "snapshot/values/native_names.h"
#include "snapshot/file/redact.h"

#include <stdlib.h>
#include <string.h>

enum { FUNCTION = 0x5000, SLOT = 0x7100, SELF = 32, LINE = 42, THREAD = 7 };

static struct drawn_native drawn;

#define TEXT "\0-[Feed load]\0/src/Feed.m\0self\0shared\0static in Feed.m"
enum { LOAD = 1, FILE_NAME = 14, SELF_NAME = 26, SHARED = 31, STATIC = 38 };

static const struct loupe_debug_name sorted[] = {
    {.kind = LOUPE_NAME_BLOCK, .at = FUNCTION, .number = LINE, .name = LOAD, .where = FILE_NAME},
    {.kind = LOUPE_NAME_CAPTURE, .at = FUNCTION, .number = SELF, .name = SELF_NAME},
    {.kind = LOUPE_NAME_CAPTURE, .at = FUNCTION, .number = SELF + 8, .name = SHARED},
    {.kind = LOUPE_NAME_PLACE, .at = SLOT, .name = SHARED, .where = STATIC},
    {.kind = LOUPE_NAME_THREAD, .at = 4711, .number = THREAD},
};
enum { NAMES = sizeof(sorted) / sizeof(sorted[0]) };

static struct loupe_debug_names names_of(const struct loupe_debug_name *entries, uint32_t count) {
    return (struct loupe_debug_names){
        .entries = entries, .count = count, .text = TEXT, .text_size = sizeof(TEXT)};
}

/* A block that captures an object, which a static variable holds. */
static void draw(const struct loupe_debug_name *entries) {
    drawn_native_init(&drawn);
    uint32_t feed = drawn_native_class(&drawn, "Feed", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    uint32_t blocks = drawn_native_class(&drawn, "block __f", LOUPE_CLASS_BLOCKS, LOUPE_NONE);
    uint32_t object = drawn_native_node(&drawn, feed, 32),
             block = drawn_native_node(&drawn, blocks, 48);
    uint32_t captured =
        drawn_native_label(&drawn, (struct loupe_label){.kind = LOUPE_EDGE_CAPTURE,
                                                        .name = LOUPE_NONE,
                                                        .path = LOUPE_NONE,
                                                        .declared_by = LOUPE_NONE,
                                                        .assumption = LOUPE_NONE,
                                                        .doubt = LOUPE_NONE,
                                                        .evidence = LOUPE_NONE,
                                                        .flags = LOUPE_LABEL_HAS_OFFSET});
    drawn.class_places[blocks] = FUNCTION;
    drawn_native_link(&drawn, block, object, LOUPE_LINK_STRONG, captured, SELF);
    drawn_native_thread(&drawn, "worker");
    uint32_t root = drawn_native_root(&drawn, block, LOUPE_ROOT_GLOBAL);
    drawn_native_build(&drawn);
    drawn.root_places[root].slot = SLOT;
    drawn.threads[0].serial = 4711;
    drawn.snapshot.names = names_of(entries, NAMES);
}

static void check_says_all(const struct loupe_snapshot *snapshot) {
    struct loupe_written written = {.line = 0};
    const char *name = "", *where = "";
    uint32_t thread = 0, block = 1;
    const char *captured =
        loupe_native_capture_name(snapshot, block, snapshot->columns.first[block]);
    CHECK(captured && strcmp(captured, "self") == 0);
    CHECK(loupe_native_written(snapshot, block, &written));
    CHECK(strcmp(written.file, "/src/Feed.m") == 0);
    CHECK(strcmp(written.function, "-[Feed load]") == 0);
    CHECK_EQ(written.line, LINE);
    CHECK(!loupe_native_written(snapshot, 0, &written));
    CHECK(loupe_native_root_name(snapshot, 0, &name, &where));
    CHECK(strcmp(name, "shared") == 0 && strcmp(where, "static in Feed.m") == 0);
    CHECK(loupe_native_thread_number(snapshot, 0, &thread));
    CHECK_EQ(thread, THREAD);
}

static struct drawn_text file_of(const struct loupe_snapshot *snapshot) {
    static const struct loupe_file_results none = {.dominators = NULL};
    struct drawn_text text = {0};
    CHECK_EQ(loupe_file_write(snapshot, &none, &drawn_chunks, drawn_text_sink(&text)), LOUPE_OK);
    return text;
}

static enum loupe_status open_file(const struct drawn_text *file, struct loupe_snapshot *ret,
                                   struct loupe_error *error) {
    return loupe_file_open((const uint8_t *)file->text, file->length, &drawn_chunks, ret, error);
}

static void test_files_keep_them(void) {
    struct loupe_snapshot read, redacted;
    struct loupe_error error;
    draw(sorted);
    check_says_all(&drawn.snapshot);
    struct drawn_text file = file_of(&drawn.snapshot), dump = {0};
    if (CHECK_EQ(open_file(&file, &read, &error), LOUPE_OK)) {
        check_says_all(&read);
        loupe_snapshot_deinit(&read);
    }
    CHECK_EQ(loupe_hprof_write(&drawn.snapshot, &drawn_chunks, drawn_text_sink(&dump)), LOUPE_OK);
    if (CHECK_EQ(loupe_hprof_open((const uint8_t *)dump.text, dump.length, &drawn_chunks, NULL,
                                  &read, &error),
                 LOUPE_OK)) {
        check_says_all(&read);
        loupe_snapshot_deinit(&read);
    }
    CHECK_EQ(loupe_snapshot_redact(&drawn.snapshot, LOUPE_REDACT_VALUES, &drawn_chunks, &redacted),
             LOUPE_OK);
    check_says_all(&redacted); /* of code, not of its data */
    loupe_snapshot_deinit(&redacted);
    free(file.text);
    free(dump.text);
}

static bool has(const struct drawn_text *text, const char *word) {
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= text->length; i++) {
        if (memcmp(text->text + i, word, length) == 0)
            return true;
    }
    return false;
}

/* What Loupe itself reads of it stands apart; others see names of classes and fields alone. */
static void test_other_readers_of_dumps_see_them(void) {
    struct drawn_text dump = {0};
    draw(sorted);
    CHECK_EQ(loupe_hprof_write(&drawn.snapshot, &drawn_chunks, drawn_text_sink(&dump)), LOUPE_OK);
    CHECK(has(&dump, "block __f (Feed.m:42)"));
    free(dump.text);
}

static void test_they_are_found_by_kind_place_and_offset(void) {
    struct loupe_debug_name shuffled[NAMES];
    for (unsigned i = 0; i < NAMES; i++)
        shuffled[(i * 3 + 1) % NAMES] = sorted[i];
    loupe_debug_names_sort(shuffled, NAMES);
    struct loupe_debug_names names = names_of(shuffled, NAMES);
    CHECK(loupe_debug_names_are_valid(&names));
    CHECK(memcmp(shuffled, sorted, sizeof(sorted)) == 0);
    CHECK(loupe_debug_name(&names, LOUPE_NAME_CAPTURE, FUNCTION, SELF + 8) == &shuffled[2]);
    CHECK(!loupe_debug_name(&names, LOUPE_NAME_CAPTURE, FUNCTION, SELF + 4));
    CHECK(!loupe_debug_name(&names, LOUPE_NAME_CAPTURE, FUNCTION + 1, SELF));
    CHECK(!loupe_debug_name(&names, LOUPE_NAME_PLACE, FUNCTION, 0));
    names.count = 0;
    CHECK(!loupe_debug_name(&names, LOUPE_NAME_BLOCK, FUNCTION, 0));
    CHECK(loupe_debug_names_are_valid(&names));
}

/* Keys are hashes: what stands at one may be of another ivar. */
static void test_ivars_are_found_by_class_and_name(void) {
    static const char names_text[] = "\0Feed.items\0/src/Feed.m";
    struct loupe_span feed = loupe_span_of("Feed"), items = loupe_span_of("items");
    struct loupe_debug_name entries[] = {{.kind = LOUPE_NAME_IVAR,
                                          .at = loupe_debug_ivar_key(feed, items),
                                          .number = 57,
                                          .name = 1,
                                          .where = 12}};
    struct loupe_debug_names names = {
        .entries = entries, .count = 1, .text = names_text, .text_size = sizeof(names_text)};
    CHECK(loupe_debug_names_are_valid(&names));
    CHECK(loupe_debug_ivar(&names, feed, items) == entries);
    CHECK(!loupe_debug_ivar(&names, feed, loupe_span_of("item")));
    CHECK(!loupe_debug_ivar(&names, items, feed));
    entries[0].name = 2; /* "eed.items" */
    CHECK(!loupe_debug_ivar(&names, feed, items));
    names.count = 0;
    CHECK(!loupe_debug_ivar(&names, feed, items));
}

static void check_is_refused(const struct loupe_debug_name *entries) {
    struct loupe_snapshot read;
    struct loupe_error error;
    draw(entries);
    struct drawn_text file = file_of(&drawn.snapshot);
    CHECK_EQ(open_file(&file, &read, &error), LOUPE_EUSAGE);
    CHECK(strstr(error.message, "its names lead outside, or are not sorted"));
    free(file.text);
}

static void test_bytes_that_are_no_names_are_refused(void) {
    struct loupe_debug_name bad[NAMES];
    memcpy(bad, sorted, sizeof(bad));
    bad[3].where = sizeof(TEXT);
    check_is_refused(bad);
    memcpy(bad, sorted, sizeof(bad));
    bad[1].name = UINT32_MAX;
    check_is_refused(bad);
    memcpy(bad, sorted, sizeof(bad));
    bad[1].number = SELF + 9;
    check_is_refused(bad);
    struct loupe_debug_names open_end = names_of(sorted, NAMES);
    open_end.text_size = SELF_NAME + 2;
    CHECK(!loupe_debug_names_are_valid(&open_end));
    open_end.text_size = 0;
    CHECK(!loupe_debug_names_are_valid(&open_end));
}

/* Of a kind that a later Loupe has. */
static void test_kinds_to_come_are_passed_over(void) {
    struct loupe_debug_name later[NAMES];
    struct loupe_snapshot read;
    struct loupe_error error;
    memcpy(later, sorted, sizeof(later));
    later[NAMES - 1] = (struct loupe_debug_name){.kind = 99, .at = 1, .name = SHARED};
    draw(later);
    struct drawn_text file = file_of(&drawn.snapshot);
    if (CHECK_EQ(open_file(&file, &read, &error), LOUPE_OK)) {
        uint32_t thread;
        CHECK(!loupe_native_thread_number(&read, 0, &thread));
        CHECK(loupe_debug_name(&read.names, LOUPE_NAME_PLACE, SLOT, 0));
        loupe_snapshot_deinit(&read);
    }
    free(file.text);
}

int main(void) {
    RUN(test_files_keep_them);
    RUN(test_other_readers_of_dumps_see_them);
    RUN(test_they_are_found_by_kind_place_and_offset);
    RUN(test_ivars_are_found_by_class_and_name);
    RUN(test_bytes_that_are_no_names_are_refused);
    RUN(test_kinds_to_come_are_passed_over);
    return check_report();
}
