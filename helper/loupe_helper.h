/*
 * loupe_helper.h - Loupe inside the process it looks at.
 *
 * Load the library with a debugger (`process load`), with LD_PRELOAD or DYLD_INSERT_LIBRARIES, or
 * link it into a debug build. Every question is answered with one line of JSON (docs/protocol.md),
 * NUL-ended, readable until the next call of any of these functions.
 *
 * Safe at any stop: no call takes a lock, uses malloc or stdio, or sends an Objective-C message, so
 * it may run on one thread while all others are stopped, wherever they are. Only
 * loupe_dispose_probe() runs code of the program: what destroys the captures of a block or the
 * ivars of an object, on a copy made for it. Any address may be given: one that leads to no object
 * gets an error answer. A program that asks about itself keeps its other threads from changing or
 * unmapping what is walked.
 *
 * One question at a time: a call made while another one runs, on this thread or a second one, is
 * refused with an error answer of its own and disturbs nothing.
 */
#ifndef LOUPE_HELPER_H
#define LOUPE_HELPER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LOUPE_HELPER_API __attribute__((visibility("default")))

/* Grows when a function is added. The JSON has a version of its own. */
#define LOUPE_HELPER_VERSION 3

LOUPE_HELPER_API uint32_t loupe_helper_version(void);

LOUPE_HELPER_API const char *loupe_block_layout(const void *block);
LOUPE_HELPER_API const char *loupe_ivar_layout(const void *object_or_class);
LOUPE_HELPER_API const char *loupe_dispose_probe(const void *block_or_object);
LOUPE_HELPER_API const char *loupe_strong_refs(const void *object);
LOUPE_HELPER_API const char *loupe_retain_cycles(const void *object);

/*
 * The number of retain cycles reachable from object, for unit tests: assert that it is 0. Objects
 * that keep each other alive count once, however many rings there are among them; only references
 * that are known to be owned count. UINT32_MAX when it cannot be told (nil, no object, a limit
 * reached before one was found): loupe_retain_cycles() then says why.
 */
LOUPE_HELPER_API unsigned loupe_count_cycles(const void *object);

enum {
    /*
     * A call that never returned (a debugger cut its expression off) leaves the helper busy. With
     * this flag the question is answered all the same, and the memory of the lost call given back.
     * For debuggers, which know that no call is running.
     */
    LOUPE_ASK_TAKE_OVER = 1,
    /*
     * No other thread runs until the answer is there: the caller has seen to that. Without it the
     * answer to "snapshot" says that there are some, and is incomplete for it.
     */
    LOUPE_ASK_OTHERS_WAIT = 2
};

/*
 * Any question, with options. query is "block-layout", "ivar-layout", "dispose-probe",
 * "strong-refs", "retain-cycles", "incoming-refs", "snapshot", "leaks" or "backtraces". limit
 * bounds the objects walked, max_rings the rings shown per knot, milliseconds the time; 0 is the
 * usual value (for time: no bound). flags is a set of LOUPE_ASK_. "incoming-refs" looks for roots
 * in all of the process; other threads are to wait meanwhile, since the stack of one that runs is
 * not known. On Darwin the helper holds them for "incoming-refs", "snapshot" and "leaks", unless
 * whoever asks does (LOUPE_ASK_OTHERS_WAIT), until the answer is there, which says for how long
 * (paused_ms): milliseconds bounds that too.
 */
LOUPE_HELPER_API const char *loupe_ask(const char *query, const void *address, uint64_t limit,
                                       uint32_t max_rings, uint32_t milliseconds, uint32_t flags);

/*
 * The same with more to say: filters of references, roots for "incoming-refs" (docs/protocol.md,
 * "Arguments"). The text is not kept; NULL is none.
 */
LOUPE_HELPER_API const char *loupe_ask_with(const char *query, const void *address, uint64_t limit,
                                            uint32_t max_rings, uint32_t milliseconds,
                                            uint32_t flags, const char *arguments);

/*
 * Where threads are, as text in the form of crash reports: every frame with its file, address,
 * function and offset, and the files with their build ids. Each thread is stopped for the time
 * of some microseconds in which its stack is walked; on Linux by SIGURG, whose action is
 * restored. Also as JSON: loupe_ask("backtraces", ...) (docs/stacks.md).
 */
LOUPE_HELPER_API const char *loupe_backtraces(void);
/* Of the thread that the process began with. */
LOUPE_HELPER_API const char *loupe_backtrace_main(void);
/* Of one thread: by its pthread_t, by the system's number, by its name (of several, all). */
LOUPE_HELPER_API const char *loupe_backtrace_of_pthread(const void *pthread);
LOUPE_HELPER_API const char *loupe_backtrace_of_id(uint64_t id);
LOUPE_HELPER_API const char *loupe_backtrace_of_name(const char *name);

/*
 * The whole heap of this process, written to a file (docs/snapshot.md), which all verbs of `loupe`
 * open; the answer says how much there is. The file is written as it is made, without another copy
 * in memory; where something fails it is removed. No file (NULL): only the answer. The rest as
 * loupe_ask_with(), which "snapshot" can be asked of, too.
 */
LOUPE_HELPER_API const char *loupe_snapshot(const char *file);
LOUPE_HELPER_API const char *loupe_snapshot_with(const char *file, uint32_t milliseconds,
                                                 uint32_t flags, const char *arguments);

/*
 * What nothing in the heap of this process keeps alive (docs/protocol.md, "leaks"). Other threads
 * are to wait meanwhile; the answer says that they ran, unless whoever asks knows better
 * (LOUPE_ASK_OTHERS_WAIT). To be told when a program ends, preload libloupe_leaks
 * (docs/leaks_at_exit.md).
 */
LOUPE_HELPER_API const char *loupe_leaks(void);

#ifdef __cplusplus
}
#endif

#endif
