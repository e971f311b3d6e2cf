/*
 * clock.h - the library's own thread and its time.
 *
 * Time in which the process stood still, in a debugger or in the background, does not count:
 * between two looks at most one second passes, whatever other clocks say.
 */
#ifndef LOUPE_WATCH_CLOCK_H
#define LOUPE_WATCH_CLOCK_H

#include "expectations.h"

watch_time watch_clock_now(void);

/* Starts the thread if there is none; it looks at the expectations soon. */
void watch_clock_wake(void);

/* Of the one who reports: what is due, on the clock's thread. For watch_take_due(). */
void watch_report_due(const struct watch_due *due, void *unused);

/* Once a second from now on, on the clock's thread. */
void watch_clock_call_each_second(void (*call)(void));

/* Whether this is the clock's thread: its own messages are no events. */
bool watch_clock_is_this_thread(void);

/*
 * Overwrites the clock's stack from some place up, in a copy of the process that never returns
 * there: what the callers know of an object is no reference of the program's.
 */
void watch_clock_wipe_stack(void *from);

#endif
