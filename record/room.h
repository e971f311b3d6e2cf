/*
 * room.h - the recorder's memory: pages from the kernel, never from malloc, up to a limit. None
 * goes back to the kernel as addresses: a thread may still look at it.
 */
#ifndef LOUPE_RECORD_ROOM_H
#define LOUPE_RECORD_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At most so many bytes from now on. */
void loupe_room_set_limit(uint64_t bytes);
/* Zeroed pages, or NULL: there are none, or the limit is reached. errno stays as it is. */
void *loupe_room_get(size_t size);
/* Pages that nobody else knew of: they are unmapped. */
void loupe_room_put_back(void *pages, size_t size);
/* The pages stay, read as zero and cost nothing until they are written. */
void loupe_room_empty(void *pages, size_t size);
/* As loupe_room_get(), where a page without access stands before and after. */
void *loupe_room_get_fenced(size_t size);
/* What is out now. */
uint64_t loupe_room_bytes(void);

#endif
