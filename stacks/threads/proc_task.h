/*
 * proc_task.h - what Linux tells of one thread of this process in /proc/self/task.
 */
#ifndef LOUPE_STACKS_PROC_TASK_H
#define LOUPE_STACKS_PROC_TASK_H

#include "base/text.h"

enum loupe_task_state {
    LOUPE_TASK_RUNS,
    LOUPE_TASK_WAITS,
    LOUPE_TASK_IN_KERNEL, /* waits, and takes no signal: for a disk, for the child of vfork() */
    LOUPE_TASK_STOPPED,   /* with the whole process, by a signal */
    LOUPE_TASK_TRACED,    /* a debugger holds it */
    LOUPE_TASK_DEAD
};

enum { LOUPE_TASK_NAME_SIZE = 16 };

struct loupe_task {
    enum loupe_task_state state;
    uint64_t blocked;     /* set of 1 << (signal - 1) */
    uint64_t nanoseconds; /* that it has run so far, or waited for a processor */
    uint64_t waits;       /* how often it has begun to wait */
};

/* False: there is no such thread, or the system does not tell. */
bool loupe_task_read(uint64_t id, struct loupe_task *ret);

/* Its name; empty where it has none. */
void loupe_task_name(uint64_t id, char ret[LOUPE_TASK_NAME_SIZE]);

/* Where its stack ends and its code is, while it waits or stands still. False: it runs. */
bool loupe_task_waiting_at(uint64_t id, uint64_t *sp_ret, uint64_t *pc_ret);

#endif
