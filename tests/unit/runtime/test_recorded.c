/* What libloupe_record left in a process, read from outside: found, followed, and not believed. */
#include "check.h"
#include "memory/drawn_process.h"
#include "memory/drawn_recorder.h"
#include "recorded/history.h"

#include <stdlib.h>

static struct drawn_heap heap;
static struct loupe_memory memory;
static struct loupe_recorded recorded;
static struct loupe_record_header header;

/* ---- Drawing ---- */

static void draw(void) {
    drawn_heap_init(&heap, 8);
    header = drawn_recorder_add(&heap);
}

static bool has_memory;

static void forget_memory(void) {
    if (has_memory)
        loupe_memory_deinit(&memory);
    has_memory = false;
}

static bool look(void) {
    drawn_recorder_put(&heap, &header);
    forget_memory();
    drawn_memory(&heap, &memory);
    has_memory = true;
    return loupe_recorded_open(&recorded, &memory, &drawn_chunks);
}

static void end(void) {
    loupe_recorded_close(&recorded);
    forget_memory();
    drawn_heap_deinit(&heap);
}

/* ---- Finding it ---- */

static void test_header_is_found_by_the_recorders_symbol(void) {
    draw();
    CHECK(look());
    CHECK_EQ(recorded.state, LOUPE_RECORDED_ON);
    end();
}

static void test_what_is_no_header_is_none(void) {
    draw();
    header.self++;
    CHECK(!look());
    header.self--;
    header.magic[3] ^= 1;
    CHECK(!look());
    header.magic[3] ^= 1;
    header.level = LOUPE_RECORD_FIRST_LEVEL + LOUPE_RECORD_LEVEL_COUNT;
    CHECK(!look());
    header.level = 16;
    header.oldest_level = 17;
    CHECK(!look());
    header.oldest_level = 15;
    CHECK(!look());
    header.oldest_level = 16;
    header.size = 8;
    CHECK(!look());
    header.size = sizeof(header);
    CHECK(look());
    end();
}

static void test_another_version_is_told_and_not_read(void) {
    draw();
    drawn_recorder_block(&heap, 0x20010, 16, 0, 5);
    header.version = LOUPE_RECORD_VERSION + 1;
    CHECK(look());
    CHECK_STR(loupe_recorded_state_name(recorded.state), "other-version");
    CHECK_EQ(loupe_recorded_stack(&recorded, 0x20010), 0);
    end();
}

static void test_recorder_that_is_not_called_says_so(void) {
    draw();
    header.state = LOUPE_RECORD_IS_BYPASSED;
    CHECK(look());
    CHECK_STR(loupe_recorded_state_name(recorded.state), "bypassed");
    end();
}

static enum loupe_status tell_images(void *ctx, loupe_image_visit visit, void *visitor) {
    (void)ctx;
    return visit(visitor, 0, "/opt/lib/libloupe_record.so");
}

static enum loupe_status tell_other_images(void *ctx, loupe_image_visit visit, void *visitor) {
    (void)ctx;
    return visit(visitor, 0, "/opt/lib/libc.so.6");
}

static enum loupe_status tell_regions(void *ctx, loupe_region_visit visit, void *visitor) {
    const struct loupe_process_region regions[] = {
        {.start = 0x999000, .end = 0x99a000, .readable = true, .writable = true},
        {.start = DRAWN_RECORDER_NODES,
         .end = DRAWN_RECORDER_NODES + 0x1000,
         .readable = true,
         .writable = true},
        {.start = DRAWN_RECORDER_HEADER,
         .end = DRAWN_RECORDER_HEADER + 0x1000,
         .readable = true,
         .writable = true}};
    (void)ctx;
    for (unsigned i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
        enum loupe_status status = visit(visitor, &regions[i]);
        if (status)
            return status;
    }
    return LOUPE_OK;
}

static void test_without_symbols_it_is_searched_if_the_library_is_loaded(void) {
    struct loupe_process_ops process = {.images = tell_images, .regions = tell_regions};
    draw();
    heap.symbol_count = 0;
    heap.process = &process;
    drawn_recorder_block(&heap, 0x20010, 16, 0, 5);
    CHECK(look());
    CHECK_EQ(loupe_recorded_stack(&recorded, 0x20010), 5);
    loupe_recorded_close(&recorded);
    forget_memory();
    process.images = tell_other_images;
    CHECK(!look());
    end();
}

/* ---- Blocks ---- */

static void test_block_is_found_in_its_slot_or_behind_it(void) {
    draw();
    drawn_recorder_block(&heap, 0x20010, 16, 0, 5);
    drawn_recorder_slot(&heap, 0x20020, 16, 0,
                        UINT64_C(1) << LOUPE_RECORD_STACK_BITS); /* one that was taken out */
    drawn_recorder_block(&heap, 0x30000, 16, LOUPE_RECORD_GROUP - 1, 3);
    for (uint32_t i = 0; i + 1 < LOUPE_RECORD_GROUP; i++)
        drawn_recorder_slot(&heap, 0x30000, 16, i, UINT64_C(2) << LOUPE_RECORD_STACK_BITS);
    CHECK(look());
    CHECK_EQ(loupe_recorded_stack(&recorded, 0x20010), 5);
    CHECK_EQ(loupe_recorded_stack(&recorded, 0x20018), 0);
    CHECK_EQ(loupe_recorded_stack(&recorded, 0x20020), 0);
    CHECK_EQ(loupe_recorded_stack(&recorded, 0x20011), 0);
    CHECK_EQ(loupe_recorded_stack(&recorded, 0x30000), 3);
    end();
}

static void test_while_a_table_is_moved_both_are_looked_at(void) {
    draw();
    header.level = 17;
    drawn_recorder_block(&heap, 0x20010, 16, 0, 4);
    drawn_recorder_block(&heap, 0x20020, 17, 0, 5);
    CHECK(look());
    CHECK_EQ(loupe_recorded_stack(&recorded, 0x20010), 4);
    CHECK_EQ(loupe_recorded_stack(&recorded, 0x20020), 5);
    loupe_recorded_close(&recorded);
    forget_memory();
    header.oldest_level = 17;
    CHECK(look());
    CHECK_EQ(loupe_recorded_stack(&recorded, 0x20010), 0);
    end();
}

static void test_object_is_found_behind_the_words_of_its_runtime(void) {
    draw();
    drawn_recorder_block(&heap, 0x20010, 16, 0, 5);
    CHECK(look());
    CHECK_EQ(loupe_recorded_stack_of_object(&recorded, 0x20010, 1 << 0), 5);
    CHECK_EQ(loupe_recorded_stack_of_object(&recorded, 0x20018, 1 << 1), 5);
    CHECK_EQ(loupe_recorded_stack_of_object(&recorded, 0x20020, 1 << 2 | 1 << 4), 5);
    CHECK_EQ(loupe_recorded_stack_of_object(&recorded, 0x20018, 1 << 2), 0);
    CHECK_EQ(loupe_recorded_stack_of_object(&recorded, 0x8, 1u << 2 | 1u << 31), 0);
    end();
}

static void test_addresses_differ_by_their_hash(void) {
    uint64_t before = loupe_record_hash(0x7fffffffff00);
    for (loupe_addr address = 0x7fffffffff08; address < 0x800000000f00; address += 8) {
        uint64_t hash = loupe_record_hash(address);
        if (!CHECK(hash != before && hash >> LOUPE_RECORD_KEY_BITS == 0))
            return;
        for (uint32_t level = 16; level < 31; level++) {
            uint64_t slot = loupe_record_slot(hash, 7);
            uint64_t group = loupe_record_group(hash, level);
            if (!CHECK_EQ(loupe_record_slot_hash(slot, group, level), hash) ||
                !CHECK(group < UINT64_C(1) << (level - LOUPE_RECORD_GROUP_SHIFT)))
                return;
        }
        before = hash;
    }
}

/* ---- Stacks ---- */

static void test_stack_is_listed_from_its_innermost_frame(void) {
    loupe_addr frames[8] = {0};
    bool whole = false;
    draw();
    CHECK(look());
    CHECK_EQ(loupe_recorded_frames(&recorded, 5, frames, 8, &whole), 3);
    CHECK(whole);
    CHECK(frames[0] == 0x105 && frames[1] == 0x104 && frames[2] == 0x103);
    CHECK_EQ(loupe_recorded_frames(&recorded, 5, frames, 2, &whole), 2);
    CHECK(!whole);
    end();
}

static void test_stack_without_its_outer_frames_is_not_whole(void) {
    loupe_addr frames[8];
    bool whole = true;
    draw();
    drawn_recorder_node(&heap, 3, 0x103, LOUPE_RECORD_CUT);
    CHECK(look());
    CHECK_EQ(loupe_recorded_frames(&recorded, 5, frames, 8, &whole), 3);
    CHECK(!whole);
    end();
}

static void test_damaged_stack_ends(void) {
    loupe_addr frames[LOUPE_RECORD_MOST_FRAMES];
    bool whole = true;
    draw();
    drawn_recorder_node(&heap, 3, 0x103, 5);
    CHECK(look());
    CHECK_EQ(loupe_recorded_frames(&recorded, 5, frames, LOUPE_RECORD_MOST_FRAMES, &whole), 3);
    CHECK(!whole);
    CHECK_EQ(loupe_recorded_frames(&recorded, 6, frames, LOUPE_RECORD_MOST_FRAMES, &whole), 0);
    CHECK_EQ(loupe_recorded_frames(&recorded, 0, frames, LOUPE_RECORD_MOST_FRAMES, &whole), 0);
    end();
}

static void test_every_read_may_fail(void) {
    for (uint64_t fail_at = 1; fail_at < 16; fail_at++) {
        loupe_addr frames[8];
        bool whole;
        draw();
        drawn_recorder_block(&heap, 0x20010, 16, 0, 5);
        heap.fail_at = fail_at;
        if (look()) {
            uint32_t stack = loupe_recorded_stack(&recorded, 0x20010);
            CHECK(stack == 0 || stack == 5);
            CHECK(loupe_recorded_frames(&recorded, stack, frames, 8, &whole) <= 3);
        }
        end();
    }
}

/* ---- Events ---- */

enum { EVENTS = 0x5000000, FIRST_SEGMENT = 0x6000000, SECOND_SEGMENT = 0x7000000 };

static void draw_event(uint64_t number, loupe_addr object, uint32_t kind) {
    const struct loupe_record_event event = {.object = ~object, .stack = 5, .kind = kind};
    loupe_addr segment = number < LOUPE_RECORD_EVENT_SEGMENT ? FIRST_SEGMENT : SECOND_SEGMENT;
    drawn_put(&heap, segment + number % LOUPE_RECORD_EVENT_SEGMENT * sizeof(event), &event,
              sizeof(event));
}

static void draw_events(void) {
    const size_t size = LOUPE_RECORD_EVENT_SEGMENT * sizeof(struct loupe_record_event);
    draw();
    drawn_region_add(&heap, EVENTS, LOUPE_RECORD_EVENT_SEGMENT_COUNT * sizeof(uint64_t));
    drawn_region_add(&heap, FIRST_SEGMENT, size);
    drawn_region_add(&heap, SECOND_SEGMENT, size);
    drawn_put_word(&heap, EVENTS, FIRST_SEGMENT);
    drawn_put_word(&heap, EVENTS + sizeof(uint64_t), SECOND_SEGMENT);
    header.event_segments = EVENTS;
    header.event_count = 2 * LOUPE_RECORD_EVENT_SEGMENT;
}

/* "RL": the kinds of the object's events by their first letters, small. */
static const char *history_of(loupe_addr object, struct loupe_history *ret) {
    static char kinds[64];
    uint32_t count = 0;
    CHECK_EQ(loupe_recorded_history(&recorded, object, &drawn_chunks, ret), LOUPE_OK);
    for (; count < ret->events.count && count < sizeof(kinds) - 1; count++) {
        const struct loupe_record_event *event =
            loupe_vector_at(&ret->events, count, sizeof(*event));
        kinds[count] = loupe_record_event_name((enum loupe_record_event_kind)event->kind)[2];
    }
    kinds[count] = '\0'; /* retain t, release l, autorelease t, dealloc a */
    return kinds;
}

static void check_history(loupe_addr object, const char *kinds, bool is_over) {
    struct loupe_history history;
    CHECK_STR(history_of(object, &history), kinds);
    CHECK_EQ(history.is_over, is_over);
    CHECK_EQ(history.more, 0);
    loupe_vector_deinit(&history.events);
}

static void test_events_of_an_object_are_told_in_their_order(void) {
    draw_events();
    draw_event(0, 0x20010, LOUPE_RECORD_RETAINED);
    draw_event(1, 0x20020, LOUPE_RECORD_RELEASED);
    draw_event(700, 0x20010, LOUPE_RECORD_RELEASED);
    draw_event(LOUPE_RECORD_EVENT_SEGMENT + 1, 0x20010, LOUPE_RECORD_RETAINED);
    CHECK(look());
    check_history(0x20010, "tlt", false);
    check_history(0x20020, "l", false);
    check_history(0x20030, "", false);
    end();
}

static void test_history_is_of_the_object_that_came_last(void) {
    draw_events();
    draw_event(0, 0x20010, LOUPE_RECORD_RETAINED);
    draw_event(1, 0x20010, LOUPE_RECORD_DEALLOCATED);
    CHECK(look());
    check_history(0x20010, "ta", true);
    draw_event(2, 0x20010, LOUPE_RECORD_RELEASED);
    CHECK(look());
    check_history(0x20010, "l", false);
    end();
}

static void test_damaged_events_are_passed_over(void) {
    draw_events();
    draw_event(0, 0x20010, LOUPE_RECORD_EVENT_KIND_COUNT);
    draw_event(1, 0x20010, LOUPE_RECORD_RELEASED);
    header.event_count = UINT64_MAX;
    drawn_put_word(&heap, EVENTS + sizeof(uint64_t), UINT64_MAX - 8);
    CHECK(look());
    check_history(0x20010, "l", false);
    struct loupe_history history;
    history_of(0x20010, &history);
    CHECK_EQ(history.unread, LOUPE_RECORD_MOST_EVENTS - LOUPE_RECORD_EVENT_SEGMENT);
    loupe_vector_deinit(&history.events);
    header.event_segments = UINT64_MAX - 64;
    CHECK(look());
    check_history(0x20010, "", false);
    end();
}

static void test_what_is_beyond_the_most_is_counted(void) {
    struct loupe_history history;
    draw_events();
    for (uint64_t i = 0; i < LOUPE_MOST_HISTORY + 3; i++)
        draw_event(i, 0x20010, LOUPE_RECORD_RETAINED);
    CHECK(look());
    history_of(0x20010, &history);
    CHECK_EQ(history.events.count, LOUPE_MOST_HISTORY);
    CHECK_EQ(history.more, 3);
    loupe_vector_deinit(&history.events);
    end();
}

/* ---- For answers ---- */

static void test_stacks_that_were_shown_are_listed_once_and_in_order(void) {
    const uint32_t shown[] = {5, 3, 5, 4, 3, 3};
    draw();
    CHECK(look());
    for (unsigned i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
        CHECK(loupe_recorded_show(&recorded, shown[i]));
    loupe_recorded_sort_shown(&recorded);
    CHECK_EQ(recorded.shown.count, 3);
    for (uint32_t i = 0; i < recorded.shown.count; i++)
        CHECK_EQ(*(uint32_t *)loupe_vector_at(&recorded.shown, i, sizeof(uint32_t)), 3 + i);
    end();
}

int main(void) {
    RUN(test_header_is_found_by_the_recorders_symbol);
    RUN(test_what_is_no_header_is_none);
    RUN(test_another_version_is_told_and_not_read);
    RUN(test_recorder_that_is_not_called_says_so);
    RUN(test_without_symbols_it_is_searched_if_the_library_is_loaded);
    RUN(test_block_is_found_in_its_slot_or_behind_it);
    RUN(test_while_a_table_is_moved_both_are_looked_at);
    RUN(test_object_is_found_behind_the_words_of_its_runtime);
    RUN(test_addresses_differ_by_their_hash);
    RUN(test_stack_is_listed_from_its_innermost_frame);
    RUN(test_stack_without_its_outer_frames_is_not_whole);
    RUN(test_damaged_stack_ends);
    RUN(test_every_read_may_fail);
    RUN(test_stacks_that_were_shown_are_listed_once_and_in_order);
    RUN(test_events_of_an_object_are_told_in_their_order);
    RUN(test_history_is_of_the_object_that_came_last);
    RUN(test_damaged_events_are_passed_over);
    RUN(test_what_is_beyond_the_most_is_counted);
    return check_report();
}
