/*
 * kernel.h - the double of Darwin's kernel: what the system's libraries call, as functions of C.
 *
 * A thread inside of the kernel is never stopped there; a request to stop waits until it leaves.
 * So each call blocks the signal that stops threads, and nothing that a stopped thread may hold is
 * taken, the C library's malloc() least of all.
 */
#ifndef LOUPE_BOX_KERNEL_H
#define LOUPE_BOX_KERNEL_H

#include <signal.h>
#include <stdint.h>

enum {
    BOX_KERN_SUCCESS = 0,
    BOX_KERN_INVALID_ADDRESS = 1,
    BOX_KERN_PROTECTION_FAILURE = 2,
    BOX_KERN_NO_SPACE = 3,
    BOX_KERN_INVALID_ARGUMENT = 4,
    BOX_KERN_FAILURE = 5,
    BOX_KERN_MEMORY_ERROR = 10,
    BOX_KERN_INVALID_NAME = 15,
    BOX_KERN_INVALID_RIGHT = 17,
    BOX_KERN_TERMINATED = 37
};

struct box_kernel_entry {
    sigset_t before;
};

/* Into the kernel and out of it, under its one lock. */
struct box_kernel_entry box_kernel_enter(void);
void box_kernel_leave(struct box_kernel_entry entry);
/* The same without the lock. */
struct box_kernel_entry box_kernel_enter_unlocked(void);
void box_kernel_leave_unlocked(struct box_kernel_entry entry);

/* The main thread and the task's own port. */
void box_kernel_begin(void);

/*
 * Which of the next calls fails, for programs that test what then happens: the one of that name
 * that comes after so many others of it. NULL: none.
 */
void host_box_let_fail(const char *call, unsigned after);
/* All of that name from now on, until the next of these. */
void host_box_let_always_fail(const char *call);
/* Whether it came to that call. */
int host_box_has_failed(void);
/* For the calls themselves: whether this one is to fail. */
int box_kernel_is_to_fail(const char *call);

/* Pages for doubles, that the program can see. They end the box when there are none. */
void *box_kernel_pages(uint64_t size, uint32_t tag);

#endif
