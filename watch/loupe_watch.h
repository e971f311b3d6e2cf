/*
 * loupe_watch.h - objects that should have died: the library watches them and says why they live.
 *
 * Link libloupe_watch into a debug build, or start the program with it and rules about its screens:
 *
 *     LD_PRELOAD=libloupe_watch.so LOUPE_WATCH=gnustep ./App        on Linux
 *     DYLD_INSERT_LIBRARIES=libloupe_watch.dylib LOUPE_WATCH=uikit  on Apple's systems
 *
 * An object that is alive when its time is over is reported once, with the ring that keeps it alive
 * and the change to make; children that were to die with it are counted below it. If it dies later
 * the report is taken back. Nothing is retained and nothing outlives the object. Reports are
 * written to standard error unless something else is wanted. docs/watch.md tells the rest.
 *
 * Every function may be called on any thread of the program, except from a signal handler; not
 * while other threads are suspended. Time in which the whole process stood still does not count.
 */
#ifndef LOUPE_WATCH_H
#define LOUPE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LOUPE_WATCH_API __attribute__((visibility("default")))

/* Grows when a function is added. */
#define LOUPE_WATCH_VERSION 2
LOUPE_WATCH_API uint32_t loupe_watch_version(void);

enum loupe_watch_result {
    LOUPE_WATCH_OK = 0,
    LOUPE_WATCH_REFUSED, /* loupe_watch_problem() says why */
};

/*
 * The object, which is alive at the call, should be dead so many seconds from now. Watched already,
 * it keeps the deadline that it has.
 */
LOUPE_WATCH_API enum loupe_watch_result loupe_watch(const void *object, double seconds);

/* The object may live on after all; nothing if it is not watched. */
LOUPE_WATCH_API void loupe_watch_forget(const void *object);

/*
 * Follows the rules of a file (docs/rules.md), or of the shipped ones named "uikit", "appkit" or
 * "gnustep", until loupe_watch_stop(). Several are separated by colons.
 */
LOUPE_WATCH_API enum loupe_watch_result loupe_watch_rules(const char *files);

/* Takes all interceptions off again and forgets all objects and rules. */
LOUPE_WATCH_API void loupe_watch_stop(void);

/* Why the last call of this thread was refused; never NULL. */
LOUPE_WATCH_API const char *loupe_watch_problem(void);

enum loupe_watch_event {
    LOUPE_WATCH_LEAK,  /* alive when it should be dead */
    LOUPE_WATCH_LATE,  /* reported before, and dead now */
    LOUPE_WATCH_AGAIN, /* reported before, and in use again */
};

struct loupe_watch_report {
    enum loupe_watch_event event;
    const void *object;      /* its address; of LATE, where it was */
    const char *class_name;  /* of the object when the watch began */
    const char *reason;      /* why it should be dead */
    double seconds;          /* since its deadline */
    uint32_t children;       /* objects that were to die with it and live too */
    const char *fingerprint; /* the same for the same mistake, from run to run; NULL: not known */
    const char *text;        /* what a person reads, several lines */
    const char *json;        /* one line (docs/protocol.md) */
};

/*
 * Calls back for every report, on a thread of the library's own; NULL ends that. The report and its
 * texts are gone when the callback returns. Instead of standard error, unless that was asked for.
 */
LOUPE_WATCH_API void loupe_watch_on_leak(void (*callback)(const struct loupe_watch_report *report,
                                                          void *context),
                                         void *context);

/*
 * Where reports go: "stderr", "syslog", "none", or a file, to which a line of JSON is added for
 * each. Several are separated by commas. LOUPE_WATCH_REPORT in the environment says the same.
 */
LOUPE_WATCH_API enum loupe_watch_result loupe_watch_report_to(const char *where);

/*
 * What is known stays silent: FILE has a fingerprint on each line, with anything behind it.
 * LOUPE_WATCH_BASELINE in the environment says the same.
 */
LOUPE_WATCH_API enum loupe_watch_result loupe_watch_baseline(const char *file);

/*
 * What only references of FILE keep alive stays silent, too; its lines are those of the commands
 * (CLASS.ivar -> CLASS  # reason). LOUPE_WATCH_FILTERS in the environment says the same.
 */
LOUPE_WATCH_API enum loupe_watch_result loupe_watch_filters(const char *file);

/*
 * For unit tests: whether the object dies in time. Runs the run loop of this thread while it waits.
 * An object that loupe_watch() was called for may be dead already (of the dead, the last 256 are
 * known), and has the time that it was given; any other has to be alive and gets two seconds. If it
 * lives the report is written and the result is false. What an autorelease pool of the caller holds
 * lives: call it behind the pool. An address at which a watched object died stands for that one: of
 * a new object there, which malloc may make at once, this answers only after loupe_watch().
 */
LOUPE_WATCH_API bool loupe_expect_dead(const void *object);

/*
 * All watched objects as one line of JSON (docs/protocol.md), readable until the next call. "null"
 * if another thread holds the library just now.
 */
LOUPE_WATCH_API const char *loupe_watch_list(void);

/* Does nothing: debuggers stop here when an object is reported. */
LOUPE_WATCH_API void loupe_watch_reported(const void *object);

#ifdef __cplusplus
}
#endif

#endif
