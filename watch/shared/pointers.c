#include "pointers.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 16 };

bool watch_pointers_add(struct watch_pointers *pointers, const void *pointer) {
    if (pointers->count == pointers->capacity) {
        uint32_t capacity = pointers->capacity ? pointers->capacity * 2 : FIRST_CAPACITY;
        const void **items = realloc(pointers->items, capacity * sizeof(*items));
        if (!items)
            return false;
        pointers->items = items;
        pointers->capacity = capacity;
    }
    pointers->items[pointers->count++] = pointer;
    return true;
}

bool watch_pointers_have(const struct watch_pointers *pointers, const void *pointer) {
    uint32_t i = 0;
    while (i < pointers->count && pointers->items[i] != pointer)
        i++;
    return i < pointers->count;
}

void watch_pointers_end(struct watch_pointers *pointers) {
    free(pointers->items);
    *pointers = (struct watch_pointers){0};
}
