/*
 * proc_kernel.h - words that the kernel of Linux keeps for a process, as its files of /proc tell.
 */
#ifndef LOUPE_READERS_PROC_KERNEL_H
#define LOUPE_READERS_PROC_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/* What a word is kept for: a file that an epoll watches, by its number; a timer, by its own. */
struct loupe_proc_word {
    uint64_t number, word;
};

/* Each takes lines at *cursor until one has a word. False at the end of the text. */

/* /proc/PID/fdinfo/N of an epoll. */
bool loupe_proc_epoll_next(const char **cursor, struct loupe_proc_word *ret);
/* /proc/PID/timers. */
bool loupe_proc_timers_next(const char **cursor, struct loupe_proc_word *ret);

#endif
