/*
 * repeated.h - which objects that should have died need not be looked at: many of their class,
 * given the same reason, were one and the same mistake.
 *
 * To look at an object takes a copy of the process and a walk. The first of a class and a reason
 * are looked at, each of them; then, as long as all were one mistake, the one that makes their
 * number a power of two, so that another mistake behind the same class and reason shows sooner or
 * later. Only the clock's thread uses this.
 */
#ifndef LOUPE_WATCH_REPEATED_H
#define LOUPE_WATCH_REPEATED_H

#include "words.h"

#include <stdint.h>

enum { WATCH_ALWAYS_LOOKED_AT = 32, WATCH_REPEATED_NAME = 200 };

struct watch_repeated {
    uintptr_t cls; /* as in an expectation */
    uint16_t reason;
    bool differs; /* they were more than one mistake, or what one was is not known */
    uint64_t reported;
    char fingerprint[WATCH_FINGERPRINT_SIZE];
    char class_name[WATCH_REPEATED_NAME];
};

/* The entry of a class and a reason, until the next call; NULL: no memory is left, or too many
 * classes: all of it is looked at. */
struct watch_repeated *watch_repeated_find(uintptr_t cls, uint16_t reason);

/* Whether the next one need not be looked at. */
bool watch_repeated_is_enough(const struct watch_repeated *entry);

/* One more is told that was looked at, with its fingerprint (empty: not known). */
void watch_repeated_add(struct watch_repeated *entry, const char *fingerprint,
                        const char *class_name);

#endif
