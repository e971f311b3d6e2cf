/*
 * expectations.h - all objects that should die, each with its sensor, deadline, reason and parent.
 *
 * 48 bytes for an object, about 68 with its places in the two tables. Pending ones are looked at
 * when their time comes, reported ones at each tick of the clock (clock.h), which owns all calls
 * below that say so. One lock; no message is sent and no sensor armed under it.
 */
#ifndef LOUPE_WATCH_EXPECTATIONS_H
#define LOUPE_WATCH_EXPECTATIONS_H

#include "objc.h"

#include <stddef.h>

/* Hundredths of a second of the clock's own time. */
typedef uint32_t watch_time;

enum { WATCH_TICKS_PER_SECOND = 100 };

enum watch_state {
    WATCH_FREE,
    WATCH_ARMING,
    WATCH_PENDING,
    WATCH_OVERDUE, /* alive at its deadline; looked at once more */
    WATCH_REPORTED,
    WATCH_BELOW,      /* lives with a parent that was reported */
    WATCH_SILENT,     /* reported, but known: nothing is said when it dies, either */
    WATCH_WITHDRAWN,  /* no longer expected; waits for its deadline to be forgotten */
    WATCH_USED_AGAIN, /* the same, of one that had been reported */
    WATCH_ENDING,     /* dead; about to be given back */
    WATCH_OVER,       /* dead; stays while others name it as their parent */
};

struct watch_expectation {
    void *sensor;
    uintptr_t
        hidden;    /* the address, turned over so that no search of memory takes it for a holder */
    uintptr_t cls; /* that it had when it was armed, turned over, too; only to be compared */
    watch_time armed, due;
    uint32_t parent; /* its number, or WATCH_NONE */
    uint32_t kin;    /* how many name it as their parent */
    union {
        uint32_t children; /* of a reported one: alive with it then */
        watch_time died;   /* of one that waits: when its sensor was told; 0: alive, or not known */
    };
    uint16_t reason; /* reasons.h */
    uint8_t state;
    bool is_reported;
};

#define WATCH_NONE UINT32_MAX

/*
 * Expects the death of an object that is alive, so many ticks from now. Its number, by which
 * children name their parent; WATCH_NONE with *problem set if it cannot be watched. One that is
 * watched already is not new and keeps its deadline.
 */
uint32_t watch_expect(watch_id object, watch_time delay, uint16_t reason, uint32_t parent,
                      bool *ret_is_new, const char **problem);

/* The object may live on with all below it; if it was reported, that is taken back at the next
 * tick. */
void watch_withdraw(watch_id object);

/* The object dies now: for runtimes whose sensors have to be told. Fast if it is not watched. */
void watch_note_death(watch_id object);

enum watch_fate {
    WATCH_UNKNOWN, /* not watched, nor one of the last 256 that died while they were */
    WATCH_AWAITED,
    WATCH_LIVES, /* it should be dead, and what is to be said of that was said */
    WATCH_DIED,
};
enum watch_fate watch_fate_of(const void *object);

/* ---- For the clock ---- */

enum watch_due_kind {
    WATCH_DUE_REPORT,
    WATCH_DUE_LATE,
    WATCH_DUE_AGAIN, /* reported, and withdrawn */
};

struct watch_due {
    uint32_t number;
    uintptr_t hidden; /* as in an expectation */
    uintptr_t cls;    /* as there */
    uint16_t reason;
    watch_time due, delay; /* the time that it was given */
    uint32_t children;
    enum watch_due_kind kind;
};

/*
 * What is to be said at a time: objects to report, parents before their children, and reported ones
 * that have died. Calls visit without the lock. Returns when it is to be called again, at the
 * latest; 0: not before something new is expected.
 */
watch_time watch_take_due(watch_time now, void (*visit)(const struct watch_due *due, void *context),
                          void *context);

/* What is to be said of a reported one was said. */
void watch_mark_reported(uint32_t number);
/* What was to be reported is none of it: dead in spite of its sensor, */
void watch_bury(uint32_t number);
/* or known. */
void watch_silence(uint32_t number);

/* Calls visit for each, under the lock; false if another thread has it. */
bool watch_visit_all(void (*visit)(const struct watch_expectation *expectation, uintptr_t object,
                                   bool is_alive, void *context),
                     void *context);

/* In a copy of the process that is asked for holders: ours are none. Takes no lock. */
void watch_hide_sensors(void);

/* Forgets everything, at the next tick. */
void watch_forget_all(void);

#endif
