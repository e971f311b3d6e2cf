/*
 * Native heaps written as heap dumps of Java and read back by Loupe: bit for bit the snapshot that
 * was written, so the same knots, rings, verdicts, fingerprints, leaks and dominators.
 */
#include "check.h"
#include "graphs/drawn_graph.h"
#include "memory/drawn_heap.h"
#include "memory/drawn_native.h"
#include "leaks/leaks.h"
#include "hprof/hprof.h"
#include "hprof/hprof_own.h"
#include "hprof/hprof_write.h"
#include "snapshot/file/loupe_file.h"

#include <stdlib.h>
#include <string.h>

static struct drawn_native drawn;

static struct drawn_text written_of(const struct loupe_snapshot *snapshot) {
    struct drawn_text text = {0};
    CHECK_EQ(loupe_hprof_write(snapshot, &drawn_chunks, drawn_text_sink(&text)), LOUPE_OK);
    return text;
}

static struct drawn_text file_of(const struct loupe_snapshot *snapshot) {
    static const struct loupe_file_results none = {.dominators = NULL};
    struct drawn_text text = {0};
    uint64_t size;
    CHECK_EQ(loupe_file_write(snapshot, &none, &drawn_chunks, drawn_text_sink(&text)), LOUPE_OK);
    CHECK_EQ(loupe_file_measure(snapshot, &none, &drawn_chunks, &size), LOUPE_OK);
    CHECK_EQ(size, text.length);
    return text;
}

static enum loupe_status read_dump(const struct drawn_text *dump, struct loupe_snapshot *ret) {
    struct loupe_error error;
    return loupe_hprof_open((const uint8_t *)dump->text, dump->length, &drawn_chunks, NULL, ret,
                            &error);
}

static void draw_random(uint64_t *random, uint32_t most_nodes) {
    drawn_native_random(&drawn, random, most_nodes);
    drawn_native_thread(&drawn, "main");
    drawn_native_build(&drawn);
}

/* ---- The same answers ---- */

struct found {
    struct loupe_arena arena;
    struct loupe_leaks leaks;
    struct loupe_dominators dominators;
};

static void find(const struct loupe_snapshot *snapshot, struct found *ret) {
    static const struct loupe_leaks_options options = {.filters = NULL};
    loupe_arena_init(&ret->arena, &drawn_chunks);
    CHECK_EQ(loupe_leaks_find(snapshot, &options, &drawn_chunks, &ret->arena, &ret->leaks),
             LOUPE_OK);
    CHECK_EQ(loupe_dominators_by_policy(&snapshot->columns, loupe_link_policies, &drawn_chunks,
                                        &ret->dominators),
             LOUPE_OK);
}

static void forget(struct found *found) {
    loupe_dominators_deinit(&found->dominators);
    loupe_leaks_deinit(&found->leaks);
    loupe_arena_deinit(&found->arena);
}

static void compare_knots(const struct loupe_cycles *before, const struct loupe_cycles *after) {
    CHECK_EQ(after->knots_found, before->knots_found);
    if (!CHECK_EQ(after->knot_count, before->knot_count))
        return;
    for (uint32_t i = 0; i < before->knot_count; i++) {
        const struct loupe_knot_facts *a = &before->knots[i], *b = &after->knots[i];
        CHECK_EQ(b->fingerprint, a->fingerprint);
        CHECK_EQ(b->objects, a->objects);
        CHECK_EQ(b->edges, a->edges);
        CHECK_EQ(b->certain, a->certain);
        CHECK_EQ(b->verdict.kind, a->verdict.kind);
        CHECK_EQ(b->fixes.count, a->fixes.count);
        if (!CHECK_EQ(b->rings.count, a->rings.count))
            continue;
        for (uint32_t k = 0; k < a->rings.count; k++)
            CHECK_EQ(b->rings.items[k].fingerprint, a->rings.items[k].fingerprint);
    }
}

static void compare_leaks(const struct loupe_leaks *before, const struct loupe_leaks *after) {
    if (!CHECK_EQ(after->count, before->count))
        return;
    for (uint32_t i = 0; i < before->count; i++) {
        const struct loupe_leak *a = &before->items[i], *b = &after->items[i];
        CHECK_EQ(b->fingerprint, a->fingerprint);
        CHECK_EQ(b->degree, a->degree);
        CHECK_EQ(b->node, a->node);
        CHECK_EQ(b->kept.objects, a->kept.objects);
        CHECK_EQ(b->kept.bytes, a->kept.bytes);
    }
}

static void compare_dominators(const struct loupe_dominators *before,
                               const struct loupe_dominators *after) {
    if (!CHECK_EQ(after->nodes, before->nodes))
        return;
    for (uint32_t node = 0; node < before->nodes; node++) {
        CHECK_EQ(after->immediate[node], before->immediate[node]);
        CHECK_EQ(after->retained[node], before->retained[node]);
    }
}

static void test_400_random_heaps(void) {
    uint64_t random = 19;
    uint32_t knots = 0, leaks = 0;
    for (unsigned round = 0; round < 400; round++) {
        struct loupe_snapshot read;
        struct found before, after;
        draw_random(&random, 60);
        struct drawn_text dump = written_of(&drawn.snapshot);
        if (!CHECK_EQ(read_dump(&dump, &read), LOUPE_OK))
            abort();
        CHECK(!loupe_snapshot_is_incomplete(&read));
        find(&drawn.snapshot, &before);
        find(&read, &after);
        compare_knots(&before.leaks.cycles, &after.leaks.cycles);
        compare_leaks(&before.leaks, &after.leaks);
        compare_dominators(&before.dominators, &after.dominators);
        knots += before.leaks.cycles.knot_count;
        leaks += before.leaks.count;
        forget(&before);
        forget(&after);
        loupe_snapshot_deinit(&read);
        free(dump.text);
    }
    CHECK(knots > 400 && leaks > 400); /* or there was nothing to compare */
}

static void test_what_is_read_is_what_was_written(void) {
    uint64_t random = 20;
    for (unsigned round = 0; round < 40; round++) {
        struct loupe_snapshot read;
        draw_random(&random, 300);
        struct drawn_text dump = written_of(&drawn.snapshot), want = file_of(&drawn.snapshot);
        if (!CHECK_EQ(read_dump(&dump, &read), LOUPE_OK))
            abort();
        struct drawn_text got = file_of(&read), again = written_of(&read);
        CHECK(got.length == want.length && memcmp(got.text, want.text, got.length) == 0);
        CHECK(again.length == dump.length && memcmp(again.text, dump.text, dump.length) == 0);
        loupe_snapshot_deinit(&read);
        free(dump.text);
        free(want.text);
        free(got.text);
        free(again.text);
    }
}

/* ---- Where it is not as it was written ---- */

enum { OWN_PART = 64, MAGIC = 8 };

static void check_read_as_java(const struct drawn_text *dump, enum loupe_snapshot_note note) {
    struct loupe_snapshot read;
    if (!CHECK_EQ(read_dump(dump, &read), LOUPE_OK))
        return;
    CHECK(!read.native);
    CHECK(loupe_snapshot_is_incomplete(&read));
    CHECK_EQ(read.notes[note].count, 1);
    loupe_snapshot_deinit(&read);
}

static void test_a_damaged_own_part_leaves_the_java_heap(void) {
    uint64_t random = 21;
    draw_random(&random, 60);
    struct drawn_text dump = written_of(&drawn.snapshot);
    dump.text[OWN_PART] ^= 1; /* of the magic: settings and no more */
    check_read_as_java(&dump, LOUPE_NOTE_NO_OWN_PART);
    dump.text[OWN_PART] ^= 1;
    dump.text[OWN_PART + MAGIC] = 77; /* of a version to come */
    check_read_as_java(&dump, LOUPE_NOTE_NO_OWN_PART);
    free(dump.text);
}

static void test_a_dump_that_is_cut_off(void) {
    uint64_t random = 22;
    struct loupe_snapshot read;
    uint64_t start, length;
    bool is_whole;
    draw_random(&random, 60);
    struct drawn_text dump = written_of(&drawn.snapshot);
    CHECK(hprof_find_own_part((const uint8_t *)dump.text, dump.length, &start, &length, &is_whole));
    CHECK_EQ(start, OWN_PART);
    CHECK(is_whole);
    dump.length = start + length; /* all that we need is still there */
    if (CHECK_EQ(read_dump(&dump, &read), LOUPE_OK)) {
        CHECK(read.native && !loupe_snapshot_is_incomplete(&read));
        loupe_snapshot_deinit(&read);
    }
    dump.length--;
    check_read_as_java(&dump, LOUPE_NOTE_CUT_OFF);
    for (dump.length = 0; dump.length < start + 64; dump.length++) {
        if (!read_dump(&dump, &read))
            loupe_snapshot_deinit(&read);
    }
    free(dump.text);
}

static void test_settings_of_others_are_passed_over(void) {
    uint64_t random = 23;
    uint64_t start, length;
    bool is_whole;
    draw_random(&random, 20);
    struct drawn_text dump = written_of(&drawn.snapshot);
    memmove(dump.text + OWN_PART, dump.text + OWN_PART + 1, MAGIC);
    CHECK(
        !hprof_find_own_part((const uint8_t *)dump.text, dump.length, &start, &length, &is_whole));
    free(dump.text);
}

static void test_memory_that_runs_out(void) {
    uint64_t random = 24;
    bool done = false;
    draw_random(&random, 30);
    for (unsigned fail_at = 1; !done; fail_at++) {
        struct drawn_failing_chunks state = {.fail_at = fail_at};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        struct drawn_text text = {0};
        enum loupe_status status =
            loupe_hprof_write(&drawn.snapshot, &chunks, drawn_text_sink(&text));
        done = status == LOUPE_OK;
        CHECK(done || status == LOUPE_ENOMEM);
        CHECK_EQ(state.outstanding, 0);
        free(text.text);
    }
}

/* ---- Time ---- */

enum { ARRAYS = 100000, ARRAY_RECORD = 18, DUMP_HEADER = 31, RECORD_HEADER = 9 };

/* One segment with empty arrays of bytes, as HPROF has them (id, stack, count, type). */
static uint8_t *draw_long_segment(size_t *size_ret) {
    static const uint8_t header[] = "JAVA PROFILE 1.0.2\0\0\0\0\10\0\0\0\0\0\0\0";
    uint32_t length = ARRAYS * ARRAY_RECORD;
    uint8_t *bytes = calloc(1, DUMP_HEADER + RECORD_HEADER + (size_t)length);
    uint8_t *at = bytes + DUMP_HEADER;
    memcpy(bytes, header, DUMP_HEADER);
    at[0] = 0x0c;
    for (unsigned i = 0; i < 4; i++)
        at[5 + i] = (uint8_t)(length >> (24 - 8 * i));
    at += RECORD_HEADER;
    for (uint32_t i = 0; i < ARRAYS; i++, at += ARRAY_RECORD) {
        at[0] = 0x23;
        for (unsigned byte = 0; byte < 4; byte++)
            at[5 + byte] = (uint8_t)((0x1000 + 16 * i) >> (24 - 8 * byte));
        at[17] = 8;
    }
    *size_ret = (size_t)(at - bytes);
    return bytes;
}

/* Nothing is read twice before all was read once. */
static bool ends_in_first_half(void *ctx, uint64_t done, uint64_t of) {
    ++*(unsigned *)ctx;
    return done < of / 2;
}

static void test_time_is_over_inside_a_long_segment(void) {
    unsigned asked = 0;
    size_t size;
    struct loupe_snapshot snapshot;
    struct loupe_error error;
    struct loupe_hprof_options options = {.progress_ctx = &asked};
    uint8_t *bytes = draw_long_segment(&size);
    CHECK_EQ(loupe_hprof_open(bytes, size, &drawn_chunks, &options, &snapshot, &error), LOUPE_OK);
    CHECK_EQ(snapshot.columns.nodes, ARRAYS);
    loupe_snapshot_deinit(&snapshot);
    options.progress = ends_in_first_half;
    CHECK_EQ(loupe_hprof_open(bytes, size, &drawn_chunks, &options, &snapshot, &error),
             LOUPE_ETIMEOUT);
    CHECK_EQ(asked, 1);
    free(bytes);
}

int main(void) {
    RUN(test_time_is_over_inside_a_long_segment);
    RUN(test_400_random_heaps);
    RUN(test_what_is_read_is_what_was_written);
    RUN(test_a_damaged_own_part_leaves_the_java_heap);
    RUN(test_a_dump_that_is_cut_off);
    RUN(test_settings_of_others_are_passed_over);
    RUN(test_memory_that_runs_out);
    return check_report();
}
