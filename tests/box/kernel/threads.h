/*
 * threads.h - threads as Darwin's kernel tells of them (xnu-10063, osfmk/kern/thread.c,
 * thread_act.c, task.c): by ports, with counts of suspensions and registers.
 *
 * A thread is stopped by a signal, in whose handler it waits; the registers are those of the
 * signal's frame. thread_suspend() returns when the thread has stopped.
 */
#ifndef LOUPE_BOX_THREADS_H
#define LOUPE_BOX_THREADS_H

#include "ports.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>

#define BOX_STOP_SIGNAL (SIGRTMIN + 5)

void box_threads_begin(void);
/* After fork(): only the calling thread is there. */
void box_threads_begin_child(void);

/* A thread of the program begins and ends. */
void box_thread_enter(void);
void box_thread_leave(void);

/* The number that the system gives a thread; 0: it is none of the program's. */
uint64_t box_thread_id(pthread_t pthread);
/* The port of a thread without a right to it, as pthread_mach_thread_np() gives it. */
box_port box_thread_port(pthread_t pthread);
void box_thread_set_name(const char *name);
void box_thread_get_name(pthread_t pthread, char *name, size_t capacity);

/* Where the kernel says that a pthread_t has its variables: so far behind its beginning. */
enum { BOX_PTHREAD_VARIABLES = 224 };

/* Rights that the program holds beside those of libpthread and of the task's own: for tests. */
unsigned host_box_rights_held(void);

/* While a call of the kernel waits, the thread is where the call was made (libraries/blocking.h).
 */
void host_box_enter_call(const uint64_t *place);
void host_box_leave_call(void);

box_port host_mach_thread_self(void);
int host_task_threads(box_port task, box_port **threads, uint32_t *count);
int host_thread_suspend(box_port thread);
int host_thread_resume(box_port thread);
int host_thread_get_state(box_port thread, int flavor, uint32_t *state, uint32_t *count);
int host_thread_info(box_port thread, uint32_t flavor, int *info, uint32_t *count);

#endif
