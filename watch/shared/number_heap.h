/*
 * number_heap.h - numbers by time, the earliest first. Four bytes each; not thread safe.
 */
#ifndef LOUPE_WATCH_NUMBER_HEAP_H
#define LOUPE_WATCH_NUMBER_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct watch_number_heap {
    uint32_t (*time_of)(uint32_t number); /* does not change while the number is in the heap */
    uint32_t *numbers;
    uint32_t count, capacity;
};

/* Makes room for one more; false without memory. */
bool watch_number_heap_reserve(struct watch_number_heap *heap);
/* There is room. */
void watch_number_heap_push(struct watch_number_heap *heap, uint32_t number);
/* Takes the earliest if its time is not later than now. */
bool watch_number_heap_pop(struct watch_number_heap *heap, uint32_t now, uint32_t *ret);

#endif
