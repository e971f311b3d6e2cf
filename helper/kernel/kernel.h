/*
 * kernel.h - what the helper asks of the kernel on every system.
 *
 * By system calls, not by functions of the C library: a program may have put its own in the place
 * of mmap() and the like, which take locks, write logs or ask this library in their turn. They are
 * code of the program, and only a probe runs that.
 */
#ifndef LOUPE_HELPER_KERNEL_H
#define LOUPE_HELPER_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed pages of its own; NULL when there are none. size is any. */
void *loupe_kernel_map(size_t size);
/* The same at an address, where nothing else may be mapped. NULL: it cannot be had. */
void *loupe_kernel_map_at(uintptr_t wanted, size_t size);
void loupe_kernel_unmap(void *pages, size_t size);
/* Takes all access away. False: it cannot be done. */
bool loupe_kernel_protect(void *pages, size_t size);
/* Says that few large pages do better than many small ones. */
void loupe_kernel_prefer_huge(void *pages, size_t size);

/* The number of this process. */
int loupe_kernel_process(void);
/* A clock that never goes back. */
uint64_t loupe_kernel_microseconds(void);
/* Milliseconds since 1970. */
uint64_t loupe_kernel_time(void);

/* A file to write, empty and its owner's alone, in the place of one of that name, or of a link,
 * which is not followed but in /proc; negative: it cannot be had. */
int loupe_kernel_create(const char *path);
/* All of the bytes. False: there is no room, or the like. */
bool loupe_kernel_write(int file, const void *bytes, size_t len);
/* False: not all that was written will be there. */
bool loupe_kernel_close(int file);
/* Of what the system has there, a device or a link to an open file, nothing is removed. */
void loupe_kernel_remove(const char *path);

#endif
