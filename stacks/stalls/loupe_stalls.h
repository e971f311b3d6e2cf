/*
 * loupe_stalls.h - tells when the main thread does not come back to its run loop, and where it is.
 *
 * Link the library into a debug build, or preload it with LOUPE_STALLS=SECONDS in the environment;
 * then stalls are written to stderr. See docs/stacks.md.
 *
 * A thread of its own looks at the main thread's turns: those of a CFRunLoop, of GNUstep's
 * NSRunLoop, or those that the program tells by loupe_stall_beat(). While a turn takes longer than
 * it should, the stack is taken several times, and what stayed is told once.
 */
#ifndef LOUPE_STALLS_H
#define LOUPE_STALLS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LOUPE_STALLS_API __attribute__((visibility("default")))

struct loupe_stall {
    double
        seconds; /* that it lasted so far, or in all; stops by a debugger and sleep do not count */
    bool is_over;
    double busy; /* part of the time from the first stack on in which the thread computed or waited
                    for a processor, 0 to 1 */
    unsigned samples; /* stacks that were taken */
    /* The part of the stack that stayed, and whether that is more than the run loop itself; as text
     * in the form of crash reports. NULL in the second call for the same stall. */
    const char *stack;
};

/* Called on the watching thread. What stall points to is gone when it returns. */
typedef void (*loupe_stall_callback)(const struct loupe_stall *stall, void *context);

/*
 * Begins to watch the main thread, for turns of more than so many seconds (0.02 at least). A stall
 * is told once while it lasts, and once more without a stack, with its length, when it is over; or
 * only once if it is over soon. Without a callback it is written to stderr. Again: with other
 * values from then on. False: there can be no such thread.
 */
LOUPE_STALLS_API bool loupe_stall_watch(double seconds, loupe_stall_callback callback,
                                        void *context);
/* Ends it, and waits until no callback runs any more, unless a callback calls it. */
LOUPE_STALLS_API void loupe_stall_unwatch(void);

/*
 * For main loops of other kinds, on their thread: a turn begins; the loop waits for something to
 * do, however long. A few nanoseconds each.
 */
LOUPE_STALLS_API void loupe_stall_beat(void);
LOUPE_STALLS_API void loupe_stall_rest(void);

#ifdef __cplusplus
}
#endif

#endif
