/*
 * emulated.h - what an emulator of single programs (qemu-user) plays otherwise than a kernel. It is
 * asked each time, never told by a name: on a kernel all of it holds, and where it does not, a test
 * says so and passes over what it cannot see.
 */
#ifndef LOUPE_TESTS_EMULATED_H
#define LOUPE_TESTS_EMULATED_H

#include <stdbool.h>
#include <stddef.h>

/* The kernel itself cannot read there: nothing is mapped, or it is protected, or a guard page.
 * qemu 7.2 takes madvise(MADV_GUARD_INSTALL) for advice, which it drops and calls done. */
bool kernel_refuses(const void *place);

/* mincore() of a page that may not be read. qemu 7.2 says that nothing is mapped there. */
bool kernel_tells_of_protected_pages(void);

/* Threads, and where they stand. In qemu's place /proc tells of its own threads and of registers of
 * the machine that it runs on. */
bool kernel_tells_of_threads(void);

/* Filters of calls (seccomp), which qemu refuses. */
bool kernel_has_filters(void);

/* How much the program has mapped, in bytes, by /proc/self/maps: in statm an emulator counts what
 * is its own. */
size_t bytes_mapped(void);

#endif
