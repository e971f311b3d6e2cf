/*
 * expectation_table.h - where expectations stand: by number, and by the address of their object.
 *
 * All of it is read and changed under watch_table.lock, except where it says otherwise. Of a sensor
 * the address must not change, so expectations stand in chunks that never move.
 */
#ifndef LOUPE_WATCH_EXPECTATION_TABLE_H
#define LOUPE_WATCH_EXPECTATION_TABLE_H

#include "expectations.h"
#include "shared/number_heap.h"

#include <pthread.h>

enum {
    WATCH_PER_CHUNK = 1024,
    WATCH_MOST_CHUNKS = 4096, /* four million objects; more are refused */
    WATCH_SECOND_LOOK = WATCH_TICKS_PER_SECOND / 10,
};

extern struct watch_table {
    pthread_mutex_t lock;
    struct watch_expectation *chunks[WATCH_MOST_CHUNKS];
    uint32_t used, free_list, live;
    uint32_t *slots; /* numbers by address; WATCH_NONE: empty */
    uint32_t slot_count;
    struct watch_number_heap pending;
    bool ends_all; /* at the next tick */
} watch_table;

static inline struct watch_expectation *watch_at(uint32_t number) {
    return &watch_table.chunks[number / WATCH_PER_CHUNK][number % WATCH_PER_CHUNK];
}

static inline watch_id watch_object_of(const struct watch_expectation *expectation) {
    return (watch_id)~expectation->hidden;
}

/* When a pending one is to be looked at. */
uint32_t watch_time_of(uint32_t number);

/* Whether the object lives, as its sensor says. */
bool watch_is_alive(const struct watch_expectation *expectation);

/* Not withdrawn. */
bool watch_is_expected(uint32_t number);

/* ---- Room ---- */

/* WATCH_NONE: there is none left. */
uint32_t watch_take_free(void);
/* Why, in words. */
const char *watch_why_no_room(void);

/* And those above it that waited for their last child. */
void watch_give_back(uint32_t number);

/* ---- By address ---- */

/* NULL: no expectation has that object. */
uint32_t *watch_find_slot(watch_id object);

/* False: no memory is left for one more. */
bool watch_reserve_slot(void);
/* After a reservation: from now on it is found by its object. */
void watch_put_by_address(uint32_t number);
void watch_forget_address(uint32_t number);

/* Whether any expectation may have that object. Takes no lock; false is certain. */
bool watch_may_be_expected(watch_id object);

/* ---- The dead ---- */

/* For those who ask after the deadline what became of an object: the last 256. */
void watch_remember_death(uint32_t number);
bool watch_is_remembered_dead(watch_id object);

/* Why an object is not watched. */
#define WATCH_OUT_OF_MEMORY "out of memory while starting to watch it"

#endif
