#include "expectation_table.h"

#include "sensor.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256 };

struct watch_table watch_table = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .free_list = WATCH_NONE, .pending.time_of = watch_time_of};

uint32_t watch_time_of(uint32_t number) {
    return watch_at(number)->due +
           (watch_at(number)->state == WATCH_OVERDUE ? WATCH_SECOND_LOOK : 0);
}

bool watch_is_alive(const struct watch_expectation *expectation) {
    return watch_sensor_is_alive(&expectation->sensor, watch_object_of(expectation));
}

bool watch_is_expected(uint32_t number) {
    return watch_at(number)->state != WATCH_WITHDRAWN &&
           watch_at(number)->state != WATCH_USED_AGAIN;
}

/* ---- Room ---- */

uint32_t watch_take_free(void) {
    uint32_t number = watch_table.free_list;
    if (number != WATCH_NONE) {
        watch_table.free_list = watch_at(number)->parent;
        return number;
    }
    if (watch_table.used % WATCH_PER_CHUNK == 0) {
        uint32_t chunk = watch_table.used / WATCH_PER_CHUNK;
        if (chunk == WATCH_MOST_CHUNKS)
            return WATCH_NONE;
        watch_table.chunks[chunk] = calloc(WATCH_PER_CHUNK, sizeof(**watch_table.chunks));
        if (!watch_table.chunks[chunk])
            return WATCH_NONE;
    }
    return watch_table.used++;
}

const char *watch_why_no_room(void) {
    enum { MOST = WATCH_MOST_CHUNKS * WATCH_PER_CHUNK };
    _Static_assert(MOST == 4194304, "as the words say");
    return watch_table.used == MOST
               ? "4,194,304 objects are watched, and no more can be until some of them die"
               : WATCH_OUT_OF_MEMORY;
}

static void put_free(uint32_t number) {
    *watch_at(number) = (struct watch_expectation){.parent = watch_table.free_list};
    watch_table.free_list = number;
}

void watch_give_back(uint32_t number) {
    watch_at(number)->state = WATCH_OVER;
    while (number != WATCH_NONE && watch_at(number)->state == WATCH_OVER &&
           !watch_at(number)->kin) {
        uint32_t parent = watch_at(number)->parent;
        put_free(number);
        if (parent != WATCH_NONE)
            watch_at(parent)->kin--;
        number = parent;
    }
}

/* ---- By address ---- */

static uint32_t slot_of(uintptr_t object) {
    uint64_t hash = (uint64_t)object * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32) & (watch_table.slot_count - 1);
}

uint32_t *watch_find_slot(watch_id object) {
    if (!watch_table.slot_count)
        return NULL;
    uint32_t i = slot_of((uintptr_t)object);
    for (; watch_table.slots[i] != WATCH_NONE; i = (i + 1) & (watch_table.slot_count - 1)) {
        if (watch_object_of(watch_at(watch_table.slots[i])) == object)
            return &watch_table.slots[i];
    }
    return NULL;
}

static void put_slot(uint32_t number) {
    uint32_t i = slot_of((uintptr_t)watch_object_of(watch_at(number)));
    while (watch_table.slots[i] != WATCH_NONE)
        i = (i + 1) & (watch_table.slot_count - 1);
    watch_table.slots[i] = number;
}

bool watch_reserve_slot(void) {
    if ((watch_table.live + 1) * 4 <= watch_table.slot_count * 3)
        return true;
    uint32_t count = watch_table.slot_count ? watch_table.slot_count * 2 : FIRST_SLOTS;
    uint32_t *old = watch_table.slots, old_count = watch_table.slot_count;
    uint32_t *slots = malloc(count * sizeof(*slots));
    if (!slots)
        return false;
    memset(slots, 0xff, count * sizeof(*slots));
    watch_table.slots = slots;
    watch_table.slot_count = count;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i] != WATCH_NONE)
            put_slot(old[i]);
    }
    free(old);
    return true;
}

/* What stood behind it in the same run moves up, so that it is found. */
static void take_slot(uint32_t *slot) {
    uint32_t hole = (uint32_t)(slot - watch_table.slots), mask = watch_table.slot_count - 1;
    for (uint32_t i = (hole + 1) & mask; watch_table.slots[i] != WATCH_NONE; i = (i + 1) & mask) {
        uint32_t home = slot_of((uintptr_t)watch_object_of(watch_at(watch_table.slots[i])));
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            watch_table.slots[hole] = watch_table.slots[i];
            hole = i;
        }
    }
    watch_table.slots[hole] = WATCH_NONE;
    watch_table.live--;
}

/*
 * Most objects that die are not watched, which is to be told without the lock: how many watched
 * ones share a place in a small table of counts.
 */
enum { COUNTS = 1 << 14 };
static _Atomic(uint16_t) counts[COUNTS];

static _Atomic(uint16_t) *count_of(uintptr_t object) {
    return &counts[((uint64_t)object * 0x9e3779b97f4a7c15u) >> 50];
}

void watch_put_by_address(uint32_t number) {
    watch_table.live++;
    put_slot(number);
    ++*count_of(~watch_at(number)->hidden);
}

bool watch_may_be_expected(watch_id object) {
    return *count_of((uintptr_t)object) != 0;
}

void watch_forget_address(uint32_t number) {
    uint32_t *slot = watch_find_slot(watch_object_of(watch_at(number)));
    if (slot && *slot == number) {
        take_slot(slot);
        --*count_of(~watch_at(number)->hidden);
    }
}

/* ---- The dead ---- */

enum { DEATHS_REMEMBERED = 256 };
static uintptr_t deaths[DEATHS_REMEMBERED]; /* hidden addresses, the newest over the oldest */
static uint32_t death_count;

void watch_remember_death(uint32_t number) {
    deaths[death_count++ % DEATHS_REMEMBERED] = watch_at(number)->hidden;
}

bool watch_is_remembered_dead(watch_id object) {
    /* Cap: loupe_expect_dead() says in its header how many. */
    for (uint32_t i = 0; i < DEATHS_REMEMBERED; i++) {
        if (deaths[i] == ~(uintptr_t)object)
            return true;
    }
    return false;
}
