#include "expectations.h"

#include "clock.h"
#include "latest.h"
#include "number_heap.h"
#include "sensor.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    PER_CHUNK = 1024,
    MOST_CHUNKS = 4096, /* four million objects; more are refused */
    FIRST_SLOTS = 256,
    SECOND_LOOK = WATCH_TICKS_PER_SECOND / 10,
    WITHOUT_MEMORY =
        WATCH_TICKS_PER_SECOND, /* what could not be told is tried again so much later */
};

static uint32_t time_of(uint32_t number);

/* Of a sensor the address must not change, so expectations stand in chunks that never move. */
static struct {
    pthread_mutex_t lock;
    struct watch_expectation *chunks[MOST_CHUNKS];
    uint32_t used, free_list, live;
    uint32_t *slots; /* numbers by address; WATCH_NONE: empty */
    uint32_t slot_count;
    struct watch_number_heap pending;
    uint32_t *reported, reported_count, reported_capacity;
    bool ends_all; /* at the next tick */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .free_list = WATCH_NONE, .pending.time_of = time_of};

static struct watch_expectation *at(uint32_t number) {
    return &all.chunks[number / PER_CHUNK][number % PER_CHUNK];
}

static uint32_t time_of(uint32_t number) {
    return at(number)->due + (at(number)->state == WATCH_OVERDUE ? SECOND_LOOK : 0);
}

static watch_id object_of(const struct watch_expectation *expectation) {
    return (watch_id)~expectation->hidden;
}

static bool is_alive(const struct watch_expectation *expectation) {
    return watch_sensor_is_alive(&expectation->sensor, object_of(expectation));
}

/* ---- Room ---- */

static uint32_t take_free(void) {
    uint32_t number = all.free_list;
    if (number != WATCH_NONE) {
        all.free_list = at(number)->parent;
        return number;
    }
    if (all.used % PER_CHUNK == 0) {
        uint32_t chunk = all.used / PER_CHUNK;
        if (chunk == MOST_CHUNKS)
            return WATCH_NONE;
        all.chunks[chunk] = calloc(PER_CHUNK, sizeof(**all.chunks));
        if (!all.chunks[chunk])
            return WATCH_NONE;
    }
    return all.used++;
}

static void put_free(uint32_t number) {
    *at(number) = (struct watch_expectation){.parent = all.free_list};
    all.free_list = number;
}

/* And those above it that waited for their last child. */
static void give_back(uint32_t number) {
    at(number)->state = WATCH_OVER;
    while (number != WATCH_NONE && at(number)->state == WATCH_OVER && !at(number)->kin) {
        uint32_t parent = at(number)->parent;
        put_free(number);
        if (parent != WATCH_NONE)
            at(parent)->kin--;
        number = parent;
    }
}

/* ---- By address ---- */

static uint32_t slot_of(uintptr_t object) {
    uint64_t hash = (uint64_t)object * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32) & (all.slot_count - 1);
}

static uint32_t *find_slot(watch_id object) {
    if (!all.slot_count)
        return NULL;
    uint32_t i = slot_of((uintptr_t)object);
    for (; all.slots[i] != WATCH_NONE; i = (i + 1) & (all.slot_count - 1)) {
        if (object_of(at(all.slots[i])) == object)
            return &all.slots[i];
    }
    return NULL;
}

static void put_slot(uint32_t number) {
    uint32_t i = slot_of((uintptr_t)object_of(at(number)));
    while (all.slots[i] != WATCH_NONE)
        i = (i + 1) & (all.slot_count - 1);
    all.slots[i] = number;
}

static bool grow_slots(void) {
    if ((all.live + 1) * 4 <= all.slot_count * 3)
        return true;
    uint32_t count = all.slot_count ? all.slot_count * 2 : FIRST_SLOTS;
    uint32_t *old = all.slots, old_count = all.slot_count;
    uint32_t *slots = malloc(count * sizeof(*slots));
    if (!slots)
        return false;
    memset(slots, 0xff, count * sizeof(*slots));
    all.slots = slots;
    all.slot_count = count;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i] != WATCH_NONE)
            put_slot(old[i]);
    }
    free(old);
    return true;
}

/* What stood behind it in the same run moves up, so that it is found. */
static void take_slot(uint32_t *slot) {
    uint32_t hole = (uint32_t)(slot - all.slots), mask = all.slot_count - 1;
    for (uint32_t i = (hole + 1) & mask; all.slots[i] != WATCH_NONE; i = (i + 1) & mask) {
        uint32_t home = slot_of((uintptr_t)object_of(at(all.slots[i])));
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            all.slots[hole] = all.slots[i];
            hole = i;
        }
    }
    all.slots[hole] = WATCH_NONE;
    all.live--;
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

static void forget_address(uint32_t number) {
    uint32_t *slot = find_slot(object_of(at(number)));
    if (slot && *slot == number) {
        take_slot(slot);
        --*count_of(~at(number)->hidden);
    }
}

/* ---- Expecting ---- */

static bool is_expected(uint32_t number) {
    return at(number)->state != WATCH_WITHDRAWN && at(number)->state != WATCH_USED_AGAIN;
}

/* The one that stands for the object; one whose object died makes room for the new object there. */
static uint32_t standing(watch_id object) {
    uint32_t *slot = find_slot(object), number = slot ? *slot : WATCH_NONE;
    if (number == WATCH_NONE || (is_expected(number) && is_alive(at(number))))
        return number;
    forget_address(number);
    return WATCH_NONE;
}

/* A new expectation, not yet to be found; or the number of the one that there is. */
static struct watch_expectation *begin(watch_id object, uint32_t *ret_number) {
    pthread_mutex_lock(&all.lock);
    struct watch_expectation *made = NULL;
    *ret_number = standing(object);
    if (*ret_number == WATCH_NONE && (*ret_number = take_free()) != WATCH_NONE) {
        made = at(*ret_number);
        *made = (struct watch_expectation){
            .hidden = ~(uintptr_t)object, .parent = WATCH_NONE, .state = WATCH_ARMING};
    }
    pthread_mutex_unlock(&all.lock);
    return made;
}

/* Another thread may have been faster with the same object: the number of the one that counts. */
static uint32_t publish(uint32_t number, watch_time delay, uint32_t parent) {
    struct watch_expectation *expectation = at(number);
    uint32_t other = standing(object_of(expectation));
    if (other != WATCH_NONE || !grow_slots() || !watch_number_heap_reserve(&all.pending))
        return other;
    expectation->armed = watch_clock_now();
    expectation->due = expectation->armed + delay;
    expectation->state = WATCH_PENDING;
    if (parent != WATCH_NONE && at(parent)->state != WATCH_FREE) {
        expectation->parent = parent;
        at(parent)->kin++;
    }
    all.live++;
    put_slot(number);
    ++*count_of(~expectation->hidden);
    watch_number_heap_push(&all.pending, number);
    return number;
}

uint32_t watch_expect(watch_id object, watch_time delay, uint16_t reason, uint32_t parent,
                      bool *ret_is_new, const char **problem) {
    uint32_t number, counts_now = WATCH_NONE;
    *ret_is_new = false;
    *problem = watch_why_immortal(object);
    if (*problem)
        return WATCH_NONE;
    struct watch_expectation *made = begin(object, &number);
    if (!made) {
        *problem = number == WATCH_NONE ? "no memory is left to watch it" : NULL;
        return number;
    }
    made->reason = reason;
    *problem = watch_sensor_arm(&made->sensor, object);
    bool is_armed = !*problem;
    pthread_mutex_lock(&all.lock);
    if (is_armed)
        counts_now = publish(number, delay, parent);
    pthread_mutex_unlock(&all.lock);
    if (counts_now == number) {
        *ret_is_new = true;
        watch_clock_wake();
        return number;
    }
    if (is_armed)
        watch_sensor_disarm(&made->sensor);
    pthread_mutex_lock(&all.lock);
    give_back(number);
    pthread_mutex_unlock(&all.lock);
    if (is_armed && counts_now == WATCH_NONE)
        *problem = "no memory is left to watch it";
    return counts_now;
}

/* For those who ask after the deadline what became of an object. */
enum { DEATHS_REMEMBERED = 256 };
static uintptr_t deaths[DEATHS_REMEMBERED]; /* hidden addresses, the newest over the oldest */
static uint32_t death_count;

static void remember_death(uint32_t number) {
    deaths[death_count++ % DEATHS_REMEMBERED] = at(number)->hidden;
}

static enum watch_fate remembered_fate(uintptr_t hidden) {
    for (uint32_t i = 0; i < DEATHS_REMEMBERED; i++) {
        if (deaths[i] == hidden)
            return WATCH_DIED;
    }
    return WATCH_UNKNOWN;
}

static enum watch_fate fate_of(uint32_t number) {
    switch (at(number)->state) {
    case WATCH_PENDING:
    case WATCH_OVERDUE:
        return is_alive(at(number)) ? WATCH_AWAITED : WATCH_DIED;
    case WATCH_REPORTED:
    case WATCH_SILENT:
    case WATCH_BELOW:
        return at(number)->is_told || at(number)->state == WATCH_BELOW ? WATCH_LIVES
                                                                       : WATCH_AWAITED;
    default:
        return WATCH_UNKNOWN;
    }
}

enum watch_fate watch_fate_of(const void *object) {
    pthread_mutex_lock(&all.lock);
    uint32_t *slot = find_slot((watch_id)(uintptr_t)object);
    enum watch_fate fate = slot ? fate_of(*slot) : remembered_fate(~(uintptr_t)object);
    pthread_mutex_unlock(&all.lock);
    return fate;
}

static void withdraw(uint32_t number) {
    uint8_t *state = &at(number)->state;
    if (*state >= WATCH_PENDING && *state <= WATCH_SILENT)
        *state = *state == WATCH_REPORTED ? WATCH_USED_AGAIN : WATCH_WITHDRAWN;
}

static bool is_below(uint32_t number, uint32_t parent) {
    while (number != WATCH_NONE && number != parent)
        number = at(number)->parent;
    return number == parent;
}

/* With all that was to die with it. */
void watch_withdraw(watch_id object) {
    if (!*count_of((uintptr_t)object))
        return;
    pthread_mutex_lock(&all.lock);
    uint32_t found = standing(object);
    for (uint32_t number = 0; found != WATCH_NONE && number < all.used; number++) {
        if (at(number)->state != WATCH_FREE && is_below(number, found))
            withdraw(number);
    }
    pthread_mutex_unlock(&all.lock);
}

void watch_note_death(watch_id object) {
    if (!*count_of((uintptr_t)object))
        return;
    pthread_mutex_lock(&all.lock);
    uint32_t *slot = find_slot(object);
    if (slot)
        watch_sensor_note_death(&at(*slot)->sensor);
    pthread_mutex_unlock(&all.lock);
}

/* ---- When time has come ---- */

/* What is told, and what is disarmed and given back, without the lock. */
struct batch {
    struct watch_due *due;
    uint32_t *over;
    uint32_t due_count, due_capacity, over_count, over_capacity;
};

static bool grow(void **items, uint32_t count, uint32_t *capacity, size_t size) {
    if (count < *capacity)
        return true;
    uint32_t larger = *capacity ? *capacity * 2 : 16;
    void *grown = realloc(*items, larger * size);
    if (!grown)
        return false;
    *items = grown;
    *capacity = larger;
    return true;
}

static bool add_due(struct batch *batch, uint32_t number, enum watch_due_kind kind) {
    void *items = batch->due;
    if (!grow(&items, batch->due_count, &batch->due_capacity, sizeof(*batch->due)))
        return false;
    batch->due = items;
    const struct watch_expectation *expectation = at(number);
    batch->due[batch->due_count++] = (struct watch_due){.number = number,
                                                        .hidden = expectation->hidden,
                                                        .reason = expectation->reason,
                                                        .due = expectation->due,
                                                        .kind = kind};
    return true;
}

static bool add_over(struct batch *batch, uint32_t number) {
    void *items = batch->over;
    if (!grow(&items, batch->over_count, &batch->over_capacity, sizeof(*batch->over)))
        return false;
    batch->over = items;
    forget_address(number);
    at(number)->state = WATCH_ENDING;
    batch->over[batch->over_count++] = number;
    return true;
}

static bool add_reported(uint32_t number) {
    void *items = all.reported;
    if (!grow(&items, all.reported_count, &all.reported_capacity, sizeof(*all.reported)))
        return false;
    all.reported = items;
    all.reported[all.reported_count++] = number;
    return true;
}

static bool is_told(uint32_t number) {
    return at(number)->state == WATCH_REPORTED || at(number)->state == WATCH_SILENT;
}

/* The topmost one above it that was reported, or WATCH_NONE. */
static uint32_t reported_above(uint32_t number) {
    uint32_t found = WATCH_NONE;
    for (uint32_t up = at(number)->parent; up != WATCH_NONE; up = at(up)->parent)
        found = is_told(up) ? up : found;
    return found;
}

static void look_again(uint32_t number, watch_time due) {
    at(number)->due = due;
    at(number)->state = WATCH_PENDING;
    watch_number_heap_push(&all.pending, number);
}

/* It, or what it is part of, may live until another object takes its place. */
static bool is_deferred(uint32_t number) {
    while (number != WATCH_NONE && !watch_is_latest(at(number)->hidden))
        number = at(number)->parent;
    return number != WATCH_NONE;
}

static void examine(struct batch *batch, uint32_t number, watch_time now) {
    struct watch_expectation *expectation = at(number);
    if (all.ends_all)
        expectation->state = WATCH_WITHDRAWN;
    if (expectation->state == WATCH_WITHDRAWN || !is_alive(expectation)) {
        if (expectation->state != WATCH_WITHDRAWN)
            remember_death(number);
        if (!add_over(batch, number))
            look_again(number, now + WITHOUT_MEMORY);
        return;
    }
    if (is_deferred(number)) {
        look_again(number, now + WATCH_TICKS_PER_SECOND / 4);
        return;
    }
    if (expectation->state == WATCH_PENDING) {
        expectation->state = WATCH_OVERDUE;
        watch_number_heap_push(&all.pending, number);
        return;
    }
    if (!add_reported(number)) {
        look_again(number, now + WITHOUT_MEMORY);
        return;
    }
    expectation->state = WATCH_REPORTED;
}

/* Children may have come before their parents: who is topmost shows when all are there. */
static void tell_topmost(struct batch *batch, uint32_t first) {
    for (uint32_t i = first; i < all.reported_count; i++) {
        uint32_t number = all.reported[i], above = reported_above(number);
        if (above != WATCH_NONE) {
            at(number)->state = WATCH_BELOW;
            at(above)->children++;
        } else if (!add_due(batch, number, WATCH_DUE_REPORT)) {
            at(number)->state = WATCH_SILENT;
        }
    }
}

static void examine_reported(struct batch *batch) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all.reported_count; i++) {
        uint32_t number = all.reported[i];
        if (all.ends_all)
            at(number)->state = WATCH_WITHDRAWN;
        bool is_over = !is_expected(number) || !is_alive(at(number));
        if (is_over && at(number)->state == WATCH_REPORTED)
            is_over = add_due(batch, number, WATCH_DUE_LATE);
        else if (at(number)->state == WATCH_USED_AGAIN)
            is_over = add_due(batch, number, WATCH_DUE_AGAIN);
        if (!is_over || !add_over(batch, number))
            all.reported[kept++] = number;
    }
    all.reported_count = kept;
}

/* When to look next, not later than a second from now; 0: there is nothing. */
static watch_time next_look(watch_time now) {
    if (all.reported_count)
        return now + SECOND_LOOK;
    return all.pending.count ? time_of(all.pending.numbers[0]) : 0;
}

watch_time watch_take_due(watch_time now, void (*visit)(const struct watch_due *due, void *context),
                          void *context) {
    struct batch batch = {0};
    uint32_t number;
    pthread_mutex_lock(&all.lock);
    examine_reported(&batch);
    uint32_t first_new = all.reported_count;
    while (watch_number_heap_pop(&all.pending, all.ends_all ? UINT32_MAX : now, &number))
        examine(&batch, number, now);
    all.ends_all = false;
    tell_topmost(&batch, first_new);
    for (uint32_t i = 0; i < batch.due_count; i++)
        batch.due[i].children = at(batch.due[i].number)->children;
    watch_time next = next_look(now);
    pthread_mutex_unlock(&all.lock);

    for (uint32_t i = 0; i < batch.over_count; i++)
        watch_sensor_disarm(&at(batch.over[i])->sensor);
    for (uint32_t i = 0; i < batch.due_count; i++)
        visit(&batch.due[i], context);
    pthread_mutex_lock(&all.lock);
    for (uint32_t i = 0; i < batch.over_count; i++)
        give_back(batch.over[i]);
    pthread_mutex_unlock(&all.lock);
    free(batch.due);
    free(batch.over);
    return next;
}

static void end_report(uint32_t number, enum watch_state state) {
    pthread_mutex_lock(&all.lock);
    if (at(number)->state == WATCH_REPORTED)
        at(number)->state = (uint8_t)state;
    pthread_mutex_unlock(&all.lock);
}

void watch_mark_told(uint32_t number) {
    pthread_mutex_lock(&all.lock);
    at(number)->is_told = true;
    pthread_mutex_unlock(&all.lock);
}

void watch_bury(uint32_t number) {
    end_report(number, WATCH_WITHDRAWN);
}

void watch_silence(uint32_t number) {
    end_report(number, WATCH_SILENT);
}

/* ---- All of them ---- */

void watch_hide_sensors(void) {
    for (uint32_t number = 0; number < all.used; number++)
        at(number)->sensor = NULL;
    watch_latest_hide();
}

bool watch_visit_all(void (*visit)(const struct watch_expectation *expectation, uintptr_t object,
                                   void *context),
                     void *context) {
    if (pthread_mutex_trylock(&all.lock))
        return false;
    for (uint32_t number = 0; number < all.used && !all.ends_all; number++) {
        const struct watch_expectation *expectation = at(number);
        if (expectation->state >= WATCH_PENDING && expectation->state <= WATCH_SILENT)
            visit(expectation, ~expectation->hidden, context);
    }
    pthread_mutex_unlock(&all.lock);
    return true;
}

void watch_forget_all(void) {
    pthread_mutex_lock(&all.lock);
    all.ends_all = true;
    pthread_mutex_unlock(&all.lock);
    watch_clock_wake();
}
