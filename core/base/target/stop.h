/*
 * stop.h - a flag that ends long work, as when its time is up.
 *
 * The host owns it and sets it once, from a signal handler perhaps; it stays set. Work that is
 * handed one looks at it now and then, and ends with LOUPE_ETIMEOUT soon after.
 */
#ifndef LOUPE_STOP_H
#define LOUPE_STOP_H

#include <stdbool.h>

typedef const volatile int *loupe_stop; /* as sig_atomic_t is wherever we build; NULL: nobody */

static inline bool loupe_is_stopped(loupe_stop stop) {
    return stop && *stop;
}

#endif
