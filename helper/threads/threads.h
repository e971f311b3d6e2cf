/*
 * threads.h - the threads of this process, as far as one of them can know of the others.
 *
 * The kernel of Linux tells where the stack of a thread ends that waits or was stopped; nobody in
 * the process can ask for its other registers. That of Darwin tells all of them. A debugger can
 * everywhere, and says them with its question.
 */
#ifndef LOUPE_HELPER_THREADS_H
#define LOUPE_HELPER_THREADS_H

#include "tables/frame.h"

struct loupe_own_thread {
    struct loupe_process_thread about;
    bool asks;                    /* it is the one that asks: its registers are not told */
    loupe_addr thread_pointer;    /* what the machine's register holds; 0: it is not told */
    struct loupe_frame registers; /* as far as the system tells */
};

typedef enum loupe_status (*loupe_own_thread_visit)(void *visitor,
                                                    const struct loupe_own_thread *thread);

/* All threads, the first one of the process first. LOUPE_EFAULT: there may be more; otherwise what
 * visit() returns. */
enum loupe_status loupe_own_threads_visit(loupe_own_thread_visit visit, void *visitor);

/* A register by LLDB's name. False: it is not known. */
bool loupe_own_thread_register(const struct loupe_own_thread *thread, const char *name,
                               uint64_t *ret);

/*
 * Holds all other threads still until loupe_threads_let_go(), which may be called at any time.
 * False: all of them run on, as on Linux, where no thread can be held for as long as a question
 * takes, and where a thread could not be held.
 */
bool loupe_threads_hold(void);
void loupe_threads_let_go(void);

/* Microseconds for which they are held already; 0: they are not. */
uint64_t loupe_threads_held_for(void);

#endif
