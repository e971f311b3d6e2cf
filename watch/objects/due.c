/*
 * What is to be said and forgotten when its time has come: the part of expectations.h for the
 * clock.
 */
#include "clock.h"
#include "expectation_table.h"
#include "latest.h"
#include "sensor.h"

#include <stdlib.h>

/* What could not be told is tried again so much later. */
enum { WITHOUT_MEMORY = WATCH_TICKS_PER_SECOND };

/* Those that were alive at their deadline. Under the lock of the table. */
static struct { uint32_t *items, count, capacity; } reported;

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
    const struct watch_expectation *expectation = watch_at(number);
    batch->due[batch->due_count++] =
        (struct watch_due){.number = number,
                           .hidden = expectation->hidden,
                           .cls = expectation->cls,
                           .reason = expectation->reason,
                           .due = expectation->due,
                           .delay = expectation->due - expectation->armed,
                           .kind = kind};
    return true;
}

static bool add_over(struct batch *batch, uint32_t number) {
    void *items = batch->over;
    if (!grow(&items, batch->over_count, &batch->over_capacity, sizeof(*batch->over)))
        return false;
    batch->over = items;
    watch_forget_address(number);
    watch_at(number)->state = WATCH_ENDING;
    batch->over[batch->over_count++] = number;
    return true;
}

static bool add_reported(uint32_t number) {
    void *items = reported.items;
    if (!grow(&items, reported.count, &reported.capacity, sizeof(*reported.items)))
        return false;
    reported.items = items;
    reported.items[reported.count++] = number;
    return true;
}

static bool is_reported(uint32_t number) {
    return watch_at(number)->state == WATCH_REPORTED || watch_at(number)->state == WATCH_SILENT;
}

/* The topmost one above it that was reported, or WATCH_NONE. */
static uint32_t reported_above(uint32_t number) {
    uint32_t found = WATCH_NONE;
    for (uint32_t up = watch_at(number)->parent; up != WATCH_NONE; up = watch_at(up)->parent)
        found = is_reported(up) ? up : found;
    return found;
}

static void look_again(uint32_t number, watch_time due) {
    watch_at(number)->due = due;
    watch_at(number)->state = WATCH_PENDING;
    watch_number_heap_push(&watch_table.pending, number);
}

/* It, or what it is part of, may live until another object takes its place. */
static bool is_deferred(uint32_t number) {
    while (number != WATCH_NONE && !watch_is_latest(watch_at(number)->hidden))
        number = watch_at(number)->parent;
    return number != WATCH_NONE;
}

static void examine(struct batch *batch, uint32_t number, watch_time now) {
    struct watch_expectation *expectation = watch_at(number);
    if (watch_table.ends_all)
        expectation->state = WATCH_WITHDRAWN;
    if (expectation->state == WATCH_WITHDRAWN || !watch_is_alive(expectation)) {
        if (expectation->state != WATCH_WITHDRAWN)
            watch_remember_death(number);
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
        watch_number_heap_push(&watch_table.pending, number);
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
    for (uint32_t i = first; i < reported.count; i++) {
        uint32_t number = reported.items[i], above = reported_above(number);
        if (above != WATCH_NONE) {
            watch_at(number)->state = WATCH_BELOW;
            watch_at(above)->children++;
        } else if (!add_due(batch, number, WATCH_DUE_REPORT)) {
            watch_at(number)->state = WATCH_SILENT;
        }
    }
}

static void examine_reported(struct batch *batch) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < reported.count; i++) {
        uint32_t number = reported.items[i];
        if (watch_table.ends_all)
            watch_at(number)->state = WATCH_WITHDRAWN;
        bool is_over = !watch_is_expected(number) || !watch_is_alive(watch_at(number));
        if (is_over && watch_at(number)->state == WATCH_REPORTED)
            is_over = add_due(batch, number, WATCH_DUE_LATE);
        else if (watch_at(number)->state == WATCH_USED_AGAIN)
            is_over = add_due(batch, number, WATCH_DUE_AGAIN);
        if (!is_over || !add_over(batch, number))
            reported.items[kept++] = number;
    }
    reported.count = kept;
}

/* When to look next, not later than a second from now; 0: there is nothing. */
static watch_time next_look(watch_time now) {
    if (reported.count)
        return now + WATCH_SECOND_LOOK;
    return watch_table.pending.count ? watch_time_of(watch_table.pending.numbers[0]) : 0;
}

watch_time watch_take_due(watch_time now, void (*visit)(const struct watch_due *due, void *context),
                          void *context) {
    struct batch batch = {0};
    uint32_t number;
    pthread_mutex_lock(&watch_table.lock);
    examine_reported(&batch);
    uint32_t first_new = reported.count;
    while (watch_number_heap_pop(&watch_table.pending, watch_table.ends_all ? UINT32_MAX : now,
                                 &number))
        examine(&batch, number, now);
    watch_table.ends_all = false;
    tell_topmost(&batch, first_new);
    for (uint32_t i = 0; i < batch.due_count; i++)
        batch.due[i].children = watch_at(batch.due[i].number)->children;
    watch_time next = next_look(now);
    pthread_mutex_unlock(&watch_table.lock);

    for (uint32_t i = 0; i < batch.over_count; i++)
        watch_sensor_disarm(&watch_at(batch.over[i])->sensor);
    for (uint32_t i = 0; i < batch.due_count; i++)
        visit(&batch.due[i], context);
    pthread_mutex_lock(&watch_table.lock);
    for (uint32_t i = 0; i < batch.over_count; i++)
        watch_give_back(batch.over[i]);
    pthread_mutex_unlock(&watch_table.lock);
    free(batch.due);
    free(batch.over);
    return next;
}

static void end_report(uint32_t number, enum watch_state state) {
    pthread_mutex_lock(&watch_table.lock);
    if (watch_at(number)->state == WATCH_REPORTED)
        watch_at(number)->state = (uint8_t)state;
    pthread_mutex_unlock(&watch_table.lock);
}

void watch_mark_reported(uint32_t number) {
    pthread_mutex_lock(&watch_table.lock);
    watch_at(number)->is_reported = true;
    pthread_mutex_unlock(&watch_table.lock);
}

void watch_bury(uint32_t number) {
    end_report(number, WATCH_WITHDRAWN);
}

void watch_silence(uint32_t number) {
    end_report(number, WATCH_SILENT);
}

void watch_forget_all(void) {
    pthread_mutex_lock(&watch_table.lock);
    watch_table.ends_all = true;
    pthread_mutex_unlock(&watch_table.lock);
    watch_clock_wake();
}
