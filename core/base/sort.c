#include "base/sort.h"

#include <string.h>

struct sorted {
    struct loupe_vector *vector; /* NULL: items is an array */
    char *items;
    uint32_t count;
    size_t size;
    loupe_before_fn *before;
    const void *ctx;
};

static char *at(const struct sorted *sorted, uint32_t index) {
    return sorted->vector ? loupe_vector_at(sorted->vector, index, sorted->size)
                          : sorted->items + index * sorted->size;
}

static bool is_before(const struct sorted *sorted, uint32_t a, uint32_t b) {
    return sorted->before(sorted->ctx, at(sorted, a), at(sorted, b));
}

static void swap(const struct sorted *sorted, uint32_t a, uint32_t b) {
    char *left = at(sorted, a), *right = at(sorted, b), kept[64];
    for (size_t done = 0, part; done < sorted->size; done += part) {
        part = sorted->size - done < sizeof(kept) ? sorted->size - done : sizeof(kept);
        memcpy(kept, left + done, part);
        memcpy(left + done, right + done, part);
        memcpy(right + done, kept, part);
    }
}

static bool is_in_order(const struct sorted *sorted) {
    for (uint32_t i = 1; i < sorted->count; i++) {
        if (is_before(sorted, i, i - 1))
            return false;
    }
    return true;
}

/* Makes a heap, the last element on top, of one where only `root` may come too early. */
static void sift(const struct sorted *sorted, uint32_t root, uint32_t count) {
    for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_before(sorted, child, child + 1))
            child++;
        if (!is_before(sorted, root, child))
            return;
        swap(sorted, root, child);
    }
}

static void heap_sort(const struct sorted *sorted) {
    if (is_in_order(sorted))
        return;
    for (uint32_t root = sorted->count / 2; root-- > 0;)
        sift(sorted, root, sorted->count);
    for (uint32_t last = sorted->count; last-- > 1;) {
        swap(sorted, 0, last);
        sift(sorted, 0, last);
    }
}

void loupe_sort(void *items, uint32_t count, size_t size, loupe_before_fn *before,
                const void *ctx) {
    heap_sort(&(struct sorted){
        .items = items, .count = count, .size = size, .before = before, .ctx = ctx});
}

void loupe_vector_sort(struct loupe_vector *vector, loupe_before_fn *before, const void *ctx) {
    heap_sort(&(struct sorted){.vector = vector,
                               .count = vector->count,
                               .size = vector->element_size,
                               .before = before,
                               .ctx = ctx});
}

void loupe_sort_few(void *items, uint32_t count, size_t size, loupe_before_fn *before,
                    const void *ctx) {
    struct sorted sorted = {
        .items = items, .count = count, .size = size, .before = before, .ctx = ctx};
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t place = i; place && is_before(&sorted, place, place - 1); place--)
            swap(&sorted, place, place - 1);
    }
}
