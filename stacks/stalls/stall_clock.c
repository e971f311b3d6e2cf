#include "stalls/stall_clock.h"

enum {
    TICKS_A_LIMIT = 8,
    LONGEST_TICK = 100000,
    SHORTEST_TICK = 2500,
    TICKS_LATE = 3, /* more than so many: the process did not run */
    SLACK = 20000   /* what a busy machine is late by */
};

void loupe_stall_clock_init(struct loupe_stall_clock *clock, uint64_t limit, uint64_t now) {
    uint64_t tick = limit / TICKS_A_LIMIT;
    tick = tick > LONGEST_TICK ? LONGEST_TICK : tick < SHORTEST_TICK ? SHORTEST_TICK : tick;
    *clock = (struct loupe_stall_clock){.limit = limit, .tick = tick, .last_tick = now};
}

static enum loupe_stall_event come_back(struct loupe_stall_clock *clock, uint64_t turn) {
    enum loupe_stall_event event = clock->was_told  ? LOUPE_STALL_OVER
                                   : clock->samples ? LOUPE_STALL_BRIEF
                                                    : LOUPE_STALL_NOTHING;
    clock->turn = turn;
    clock->quiet = 0;
    clock->samples = 0;
    clock->was_told = false;
    return event;
}

enum loupe_stall_event loupe_stall_clock_tick(struct loupe_stall_clock *clock, uint64_t now,
                                              const struct loupe_stall_signs *signs,
                                              uint64_t *length_ret) {
    uint64_t gap = now - clock->last_tick;
    bool ran = gap <= TICKS_LATE * clock->tick + SLACK && !signs->is_standing;
    clock->last_tick = now;
    clock->quiet += ran ? gap : 0;
    *length_ret = clock->quiet;
    if (!signs->is_known || signs->rests || signs->turn != clock->turn)
        return come_back(clock, signs->turn);
    if (!ran || clock->quiet < clock->limit || clock->was_told)
        return LOUPE_STALL_NOTHING;
    if (++clock->samples < LOUPE_STALL_SAMPLES)
        return LOUPE_STALL_SAMPLE;
    clock->was_told = true;
    return LOUPE_STALL_TELL;
}
