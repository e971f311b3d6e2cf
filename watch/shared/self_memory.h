/*
 * self_memory.h - reading memory of this process that may be gone.
 */
#ifndef LOUPE_WATCH_SELF_MEMORY_H
#define LOUPE_WATCH_SELF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* All of it, or false. Never a fault. */
bool watch_read(const void *address, void *dst, size_t size);

#endif
