#include "number_heap.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

bool watch_number_heap_reserve(struct watch_number_heap *heap) {
    if (heap->count < heap->capacity)
        return true;
    uint32_t capacity = heap->capacity ? heap->capacity * 2 : FIRST_CAPACITY;
    uint32_t *numbers = realloc(heap->numbers, capacity * sizeof(*numbers));
    if (!numbers)
        return false;
    heap->numbers = numbers;
    heap->capacity = capacity;
    return true;
}

static bool is_earlier(const struct watch_number_heap *heap, uint32_t a, uint32_t b) {
    return heap->time_of(heap->numbers[a]) < heap->time_of(heap->numbers[b]);
}

static void swap(struct watch_number_heap *heap, uint32_t a, uint32_t b) {
    uint32_t kept = heap->numbers[a];
    heap->numbers[a] = heap->numbers[b];
    heap->numbers[b] = kept;
}

void watch_number_heap_push(struct watch_number_heap *heap, uint32_t number) {
    uint32_t place = heap->count++;
    heap->numbers[place] = number;
    while (place && is_earlier(heap, place, (place - 1) / 2)) {
        swap(heap, place, (place - 1) / 2);
        place = (place - 1) / 2;
    }
}

static void sink(struct watch_number_heap *heap) {
    uint32_t place = 0;
    for (;;) {
        uint32_t earliest = place;
        for (uint32_t below = 2 * place + 1; below <= 2 * place + 2; below++) {
            if (below < heap->count && is_earlier(heap, below, earliest))
                earliest = below;
        }
        if (earliest == place)
            return;
        swap(heap, place, earliest);
        place = earliest;
    }
}

bool watch_number_heap_pop(struct watch_number_heap *heap, uint32_t now, uint32_t *ret) {
    if (!heap->count || heap->time_of(heap->numbers[0]) > now)
        return false;
    *ret = heap->numbers[0];
    heap->numbers[0] = heap->numbers[--heap->count];
    sink(heap);
    return true;
}
