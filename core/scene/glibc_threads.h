/*
 * glibc_threads.h - where glibc keeps its threads, for readers that cannot ask for the register
 * that leads there.
 *
 * Since 2.34 the lists of all threads stand in _rtld_global, and libc exports how to read them, for
 * libthread_db: symbols like _thread_db_pthread_tid, each the size, the count and the offset of a
 * field (nptl_db/structs.def). Read as anything else of the target, without a lock: a thread that
 * is just made or just gone may be missing.
 */
#ifndef LOUPE_GLIBC_THREADS_H
#define LOUPE_GLIBC_THREADS_H

#include "base/target/target.h"

struct loupe_glibc_thread {
    uint64_t id;
    loupe_addr thread_pointer; /* what the machine's register holds */
};

/* Calls visit() for each thread; none where the target is not such a glibc. */
void loupe_glibc_threads(struct loupe_target *target,
                         void (*visit)(void *visitor, const struct loupe_glibc_thread *thread),
                         void *visitor);

/*
 * Calls visit() for each thread that has ended while its stack is kept, for the next thread or
 * since nobody has joined it yet, with the address of its struct pthread, where the stack ends.
 * That keeps what glibc has allocated for the thread, and its result.
 */
void loupe_glibc_ended_threads(struct loupe_target *target,
                               void (*visit)(void *visitor, loupe_addr pthread), void *visitor);

#endif
