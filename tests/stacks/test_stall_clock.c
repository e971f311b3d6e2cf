/* When a turn counts as a stall, with drawn times: sleep, stops and rest are none. */
#include "check.h"
#include "stalls/stall_clock.h"

enum { MS = 1000, LIMIT = 400 * MS };

static struct loupe_stall_clock stall;
static uint64_t now, length;
static struct loupe_stall_signs signs;

static void begin(void) {
    now = 5000 * MS;
    signs = (struct loupe_stall_signs){.turn = 1, .is_known = true};
    loupe_stall_clock_init(&stall, LIMIT, now);
    loupe_stall_clock_tick(&stall, now, &signs, &length);
}

static enum loupe_stall_event tick_after(uint64_t microseconds) {
    now += microseconds;
    return loupe_stall_clock_tick(&stall, now, &signs, &length);
}

/* The events of so many usual ticks: how many of each. */
static void tick_often(unsigned times, unsigned counts[5]) {
    for (unsigned i = 0; i < times; i++)
        counts[tick_after(stall.tick)]++;
}

static void test_stall_is_told_once_and_its_end_once(void) {
    unsigned counts[5] = {0};
    begin();
    tick_often(40, counts);
    CHECK_EQ(counts[LOUPE_STALL_SAMPLE], LOUPE_STALL_SAMPLES - 1);
    CHECK_EQ(counts[LOUPE_STALL_TELL], 1);
    CHECK_EQ(counts[LOUPE_STALL_OVER], 0);
    signs.turn++;
    CHECK_EQ(tick_after(stall.tick), LOUPE_STALL_OVER);
    CHECK_EQ(length, 41 * stall.tick);
    CHECK_EQ(tick_after(stall.tick), LOUPE_STALL_NOTHING);
}

static void test_brief_stall_is_told_at_its_end(void) {
    begin();
    while (tick_after(stall.tick) != LOUPE_STALL_SAMPLE)
        CHECK(now < 60000 * MS);
    signs.turn++;
    CHECK_EQ(tick_after(stall.tick), LOUPE_STALL_BRIEF);
    CHECK_EQ(tick_after(stall.tick), LOUPE_STALL_NOTHING);
}

static void test_turns_that_come_back_are_none(void) {
    unsigned counts[5] = {0};
    begin();
    for (unsigned i = 0; i < 50; i++) {
        tick_often(7, counts); /* less than the limit */
        signs.turn++;
    }
    CHECK_EQ(counts[LOUPE_STALL_NOTHING], 350);
}

static void test_loop_that_rests_is_none(void) {
    unsigned counts[5] = {0};
    begin();
    signs.rests = true;
    tick_often(100, counts);
    CHECK_EQ(counts[LOUPE_STALL_NOTHING], 100);
}

static void test_loop_that_never_was_is_none(void) {
    unsigned counts[5] = {0};
    begin();
    signs.is_known = false;
    tick_often(100, counts);
    CHECK_EQ(counts[LOUPE_STALL_NOTHING], 100);
}

static void test_sleep_of_the_machine_is_none(void) {
    unsigned counts[5] = {0};
    begin();
    tick_often(3, counts);
    CHECK_EQ(tick_after(UINT64_C(3600) * 1000 * MS), LOUPE_STALL_NOTHING);
    CHECK_EQ(length, 3 * stall.tick);
    tick_often(4, counts);
    CHECK_EQ(counts[LOUPE_STALL_NOTHING], 7);
}

static void test_thread_that_a_debugger_holds_is_none(void) {
    unsigned counts[5] = {0};
    begin();
    signs.is_standing = true;
    tick_often(100, counts);
    CHECK_EQ(counts[LOUPE_STALL_NOTHING], 100);
    signs.is_standing = false;
    tick_often(7, counts);
    CHECK_EQ(counts[LOUPE_STALL_NOTHING], 107);
}

int main(void) {
    RUN(test_stall_is_told_once_and_its_end_once);
    RUN(test_brief_stall_is_told_at_its_end);
    RUN(test_turns_that_come_back_are_none);
    RUN(test_loop_that_rests_is_none);
    RUN(test_loop_that_never_was_is_none);
    RUN(test_sleep_of_the_machine_is_none);
    RUN(test_thread_that_a_debugger_holds_is_none);
    return check_report();
}
