/* Strong and weak ivar layouts: the words they name, where they start, where they end. */
#include "check.h"
#include "memory/drawn_heap.h"
#include "types/ivar_layout.h"

/* The runs of a walk, "first+count" each, and why it ended. */
static const char *list_runs(struct loupe_ivar_layout_cursor *cursor) {
    static char line[512];
    struct loupe_word_run run;
    size_t used = 0;
    line[0] = '\0';
    while (loupe_ivar_layout_next(cursor, &run))
        used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%u+%u", used ? " " : "",
                                 run.first, run.count);
    if (cursor->status)
        snprintf(line + used, sizeof(line) - used, " then %s", loupe_status_name(cursor->status));
    return line;
}

/* layout is a C string: its NUL ends it. */
static const char *runs(const char *layout) {
    struct loupe_ivar_layout_cursor cursor;
    loupe_ivar_layout_begin(&cursor, loupe_span_of(layout));
    return list_runs(&cursor);
}

static void test_each_byte_skips_then_scans(void) {
    CHECK_STR(runs("\x01"), "0+1");
    CHECK_STR(runs("\x01\x11"), "0+1 2+1");
    CHECK_STR(runs("\x21\x11"), "2+1 4+1");
    CHECK_STR(runs("\x03\x11"), "0+3 4+1");
    CHECK_STR(runs("\x01\x21\x11\x35\x21\x31"), "0+1 3+1 5+1 9+5 16+1 20+1");
    CHECK_STR(runs("\x11\x41\xa2"), "1+1 6+1 17+2");
    CHECK_STR(runs(""), "");
}

/* The words of a layout as offsets from the object's start, for a class that starts at start. */
static const char *offsets(const char *layout, uint32_t start, uint8_t pointer_size) {
    static char line[512];
    struct loupe_ivar_layout_cursor cursor;
    struct loupe_word_run run;
    size_t used = 0;
    uint32_t base = loupe_ivar_layout_base(start, pointer_size);
    loupe_ivar_layout_begin(&cursor, loupe_span_of(layout));
    while (loupe_ivar_layout_next(&cursor, &run)) {
        for (uint32_t i = 0; i < run.count; i++)
            used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%u", used ? " " : "",
                                     base + (run.first + i) * pointer_size);
    }
    return line;
}

/*
 * What clang emits for a class of 208 bytes that starts at 17: id at 24, weak at 32, id at 48, at
 * 64 a struct {id; weak; int; unretained; id}, id[3] at 104, a block at 128, id at 152, weak[2] at
 * 160, NSString at 184.
 */
static void test_words_count_from_the_boundary_behind_the_superclass(void) {
    CHECK_STR(offsets("\x01", 8, 8), "8");
    CHECK_STR(offsets("\x01\x21\x11\x35\x21\x31", 17, 8), "24 48 64 96 104 112 120 128 152 184");
    CHECK_STR(offsets("\x11\x41\xa2", 17, 8), "32 72 160 168");
    CHECK_STR(offsets("\x01\x11", 5, 4), "8 16");
}

static void test_long_runs_and_gaps_take_several_bytes(void) {
    CHECK_STR(runs("\x0f\x05"), "0+20");
    CHECK_STR(runs("\xf0\xf0\xa1"), "40+1");
    CHECK_STR(runs("\x02\xf0\xf0\x1f\x0f\x01\x10\x01"), "0+2 33+31 65+1");
    CHECK_STR(runs("\xf0"), "");
}

static void test_layout_ends_at_its_nul_or_where_the_bytes_end(void) {
    struct loupe_ivar_layout_cursor cursor;
    loupe_ivar_layout_begin(&cursor, (struct loupe_span){.bytes = "\x01\x11\0\x11", .length = 4});
    CHECK_STR(list_runs(&cursor), "0+1 2+1");
    loupe_ivar_layout_begin(&cursor, (struct loupe_span){.bytes = "\x01\x11", .length = 1});
    CHECK_STR(list_runs(&cursor), "0+1");
}

static void test_ended_walk_stays_ended(void) {
    struct loupe_ivar_layout_cursor cursor;
    struct loupe_word_run run;
    loupe_ivar_layout_begin(&cursor, loupe_span_of("\x01"));
    CHECK(loupe_ivar_layout_next(&cursor, &run));
    CHECK(!loupe_ivar_layout_next(&cursor, &run));
    CHECK(!loupe_ivar_layout_next(&cursor, &run));
}

static void test_word_0_is_the_first_boundary_at_or_after_the_start(void) {
    CHECK_EQ(loupe_ivar_layout_base(8, 8), 8);
    CHECK_EQ(loupe_ivar_layout_base(17, 8), 24);
    CHECK_EQ(loupe_ivar_layout_base(24, 8), 24);
    CHECK_EQ(loupe_ivar_layout_base(17, 4), 20);
    CHECK_EQ(loupe_ivar_layout_base(0, 8), 0);
    CHECK_EQ(loupe_ivar_layout_base(UINT32_MAX, 8), UINT32_MAX - 7); /* no boundary: garbage */
}

static void test_layout_is_read_from_the_target(void) {
    struct drawn_heap heap;
    struct loupe_memory memory;
    struct loupe_ivar_layout_cursor cursor;
    drawn_heap_init(&heap, 8);
    drawn_memory(&heap, &memory);
    loupe_addr layout = drawn_string(&heap, "\x01\x21\x11\x35\x21\x31");
    loupe_ivar_layout_begin_at(&cursor, &memory, layout);
    CHECK_STR(list_runs(&cursor), "0+1 3+1 5+1 9+5 16+1 20+1");
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
}

static void test_layout_that_runs_into_unreadable_memory_keeps_what_it_had(void) {
    struct drawn_heap heap;
    struct loupe_memory memory;
    struct loupe_ivar_layout_cursor cursor;
    drawn_heap_init(&heap, 8);
    drawn_memory(&heap, &memory);
    heap.bad_page = 0x11000;
    drawn_put(&heap, 0x11000 - 2, "\x01\x21", 2);
    loupe_ivar_layout_begin_at(&cursor, &memory, 0x11000 - 2);
    CHECK_STR(list_runs(&cursor), "0+1 3+1 then unreadable");
    loupe_ivar_layout_begin_at(&cursor, &memory, UINT64_MAX);
    CHECK_STR(list_runs(&cursor), " then unreadable");
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
}

static void test_layout_without_an_end_is_cut(void) {
    static char endless[LOUPE_IVAR_LAYOUT_MAX_BYTES + 1];
    struct loupe_ivar_layout_cursor cursor;
    memset(endless, 0x0f, sizeof(endless));
    loupe_ivar_layout_begin(&cursor,
                            (struct loupe_span){.bytes = endless, .length = sizeof(endless)});
    char want[64];
    snprintf(want, sizeof(want), "0+%d then limit", LOUPE_IVAR_LAYOUT_MAX_BYTES * 15);
    CHECK_STR(list_runs(&cursor), want);
    loupe_ivar_layout_begin(&cursor,
                            (struct loupe_span){.bytes = endless, .length = sizeof(endless) - 1});
    snprintf(want, sizeof(want), "0+%d", LOUPE_IVAR_LAYOUT_MAX_BYTES * 15);
    CHECK_STR(list_runs(&cursor), want);
}

int main(void) {
    RUN(test_each_byte_skips_then_scans);
    RUN(test_words_count_from_the_boundary_behind_the_superclass);
    RUN(test_long_runs_and_gaps_take_several_bytes);
    RUN(test_layout_ends_at_its_nul_or_where_the_bytes_end);
    RUN(test_ended_walk_stays_ended);
    RUN(test_word_0_is_the_first_boundary_at_or_after_the_start);
    RUN(test_layout_is_read_from_the_target);
    RUN(test_layout_that_runs_into_unreadable_memory_keeps_what_it_had);
    RUN(test_layout_without_an_end_is_cut);
    return check_report();
}
