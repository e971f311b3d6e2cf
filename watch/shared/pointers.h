/*
 * pointers.h - a few pointers, in the order in which they were added.
 */
#ifndef LOUPE_WATCH_POINTERS_H
#define LOUPE_WATCH_POINTERS_H

#include <stdbool.h>
#include <stdint.h>

struct watch_pointers {
    const void **items;
    uint32_t count, capacity;
};

/* False: no memory is left. */
bool watch_pointers_add(struct watch_pointers *pointers, const void *pointer);
bool watch_pointers_have(const struct watch_pointers *pointers, const void *pointer);
void watch_pointers_end(struct watch_pointers *pointers);

#endif
