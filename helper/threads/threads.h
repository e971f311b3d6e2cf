/*
 * threads.h - the threads of this process, as far as one of them can know of the others.
 *
 * The kernel tells where the stack of a thread ends that waits or was stopped; nobody in the
 * process can ask for its other registers. A debugger can, and says them with its question.
 */
#ifndef LOUPE_HELPER_THREADS_H
#define LOUPE_HELPER_THREADS_H

#include "base/memory.h"

/* All threads, the first one of the process first, numbered from 0. LOUPE_EFAULT: there may be
 * more; otherwise what visit() returns. */
enum loupe_status loupe_threads_visit(loupe_thread_visit visit, void *visitor);

/*
 * A register of the thread with that id, by LLDB's name. own_stack_pointer is where the stack of
 * the asking thread ended when it asked. False: it is not known.
 */
bool loupe_threads_register(uint64_t id, const char *name, loupe_addr own_stack_pointer,
                            uint64_t *ret);

#endif
