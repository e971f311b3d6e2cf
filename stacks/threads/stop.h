/*
 * stop.h - one thread of this process held still by another one, for the time of a few microseconds
 * in which its stack is walked.
 *
 * On Linux by a signal to the thread, SIGURG, which programs hardly use, debuggers pass on and
 * which does nothing by itself; on Darwin by thread_suspend(). The thread goes on in every case: by
 * itself after a time limit, should nobody let it go. A system call that the signal broke off is
 * made again (x86-64), where the kernel does not do so: the first time with all of its time limit,
 * after that with what is left of it.
 *
 * While a thread is held nothing may be called that takes a lock or allocates: it may have the
 * lock.
 */
#ifndef LOUPE_STACKS_STOP_H
#define LOUPE_STACKS_STOP_H

#include "tables/frame.h"

enum loupe_stop {
    LOUPE_STOP_HELD,     /* it stands still, and its registers are known */
    LOUPE_STOP_STANDING, /* a debugger holds it: it does not move, its registers are not told */
    LOUPE_STOP_REFUSED,  /* it did not come: it blocks the signal, or the kernel is busy with it */
    LOUPE_STOP_GONE      /* there is no such thread any more */
};

/* Begins a series of stops. False: another thread is in one. */
bool loupe_stops_begin(void);
void loupe_stops_end(void);

/* Stops the thread with the system's id, which is not the one that asks. */
enum loupe_stop loupe_thread_stop(uint64_t id, struct loupe_frame *ret);

/* Lets it go on after LOUPE_STOP_HELD. False: it had gone on before, by its time limit. */
bool loupe_thread_let_go(void);

/*
 * What the system tells of a thread that waits in a system call or stands still, without touching
 * it: only where its stack ends and where its code is. *wait_ret is another number for each time
 * that it waits: as long as it is the same the thread has not moved. False: it runs.
 */
bool loupe_thread_waiting_at(uint64_t id, struct loupe_frame *ret, uint64_t *wait_ret);

#endif
