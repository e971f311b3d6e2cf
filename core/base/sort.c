#include "base/sort.h"

#include <string.h>

enum { FEW = 16 };

/* A part of an array or vector. */
struct sorted {
    struct loupe_vector *vector; /* NULL: items is an array */
    char *items;
    uint32_t first, count;
    size_t size;
    loupe_before_fn *before;
    const void *ctx;
};

static char *at(const struct sorted *sorted, uint32_t index) {
    index += sorted->first;
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

static void make_heap(const struct sorted *sorted) {
    for (uint32_t root = sorted->count / 2; root-- > 0;)
        sift(sorted, root, sorted->count);
}

static void heap_sort(const struct sorted *sorted) {
    make_heap(sorted);
    for (uint32_t last = sorted->count; last-- > 1;) {
        swap(sorted, 0, last);
        sift(sorted, 0, last);
    }
}

static void insertion_sort(const struct sorted *sorted) {
    for (uint32_t i = 1; i < sorted->count; i++) {
        for (uint32_t place = i; place && is_before(sorted, place, place - 1); place--)
            swap(sorted, place, place - 1);
    }
}

/* The middle one of three to the beginning. */
static void choose_pivot(const struct sorted *sorted) {
    uint32_t low = 1, middle = sorted->count / 2, high = sorted->count - 1;
    if (is_before(sorted, middle, low))
        swap(sorted, middle, low);
    if (is_before(sorted, high, middle))
        swap(sorted, high, middle);
    if (is_before(sorted, middle, low))
        swap(sorted, middle, low);
    swap(sorted, 0, middle);
}

/* Where the pivot, the first one, has its place; none before it comes after it. The last of
 * choose_pivot() ends the way up, the pivot the way down; bounds hold whatever before() says. */
static uint32_t divide(const struct sorted *sorted) {
    uint32_t up = 0, down = sorted->count, last = down - 1;
    for (;;) {
        while (++up < last && is_before(sorted, up, 0))
            ;
        while (--down > 0 && is_before(sorted, 0, down))
            ;
        if (up >= down)
            break;
        swap(sorted, up, down);
    }
    swap(sorted, 0, down);
    return down;
}

/* depth: how often a part may still be divided in two: some orders make them too unequal. The
 * smaller one is sorted within, so that there are few calls in each other. */
static void quick_sort(struct sorted sorted, unsigned depth) {
    /* Cap: the heap sort does the rest. */
    while (sorted.count > FEW && depth--) {
        choose_pivot(&sorted);
        uint32_t place = divide(&sorted);
        struct sorted before = sorted, behind = sorted;
        before.count = place;
        behind.first += place + 1;
        behind.count -= place + 1;
        bool is_first_smaller = before.count < behind.count;
        quick_sort(is_first_smaller ? before : behind, depth);
        sorted = is_first_smaller ? behind : before;
    }
    if (sorted.count > FEW)
        heap_sort(&sorted);
    else
        insertion_sort(&sorted);
}

static void sort(const struct sorted *sorted) {
    unsigned depth = 0;
    if (is_in_order(sorted))
        return;
    for (uint32_t count = sorted->count; count; count /= 2)
        depth += 2;
    quick_sort(*sorted, depth);
}

void loupe_sort(void *items, uint32_t count, size_t size, loupe_before_fn *before,
                const void *ctx) {
    sort(&(struct sorted){
        .items = items, .count = count, .size = size, .before = before, .ctx = ctx});
}

/* The beginning has the first ones so far, and the last of these on top. */
void loupe_sort_top(void *items, uint32_t count, uint32_t top, size_t size, loupe_before_fn *before,
                    const void *ctx) {
    struct sorted sorted = {.items = items,
                            .count = top < count ? top : count,
                            .size = size,
                            .before = before,
                            .ctx = ctx};
    if (sorted.count && sorted.count < count)
        make_heap(&sorted);
    for (uint32_t i = sorted.count; sorted.count && i < count; i++) {
        if (!is_before(&sorted, i, 0))
            continue;
        swap(&sorted, i, 0);
        sift(&sorted, 0, sorted.count);
    }
    sort(&sorted);
}

void loupe_vector_sort(struct loupe_vector *vector, loupe_before_fn *before, const void *ctx) {
    sort(&(struct sorted){.vector = vector,
                          .count = vector->count,
                          .size = vector->element_size,
                          .before = before,
                          .ctx = ctx});
}

void loupe_sort_few(void *items, uint32_t count, size_t size, loupe_before_fn *before,
                    const void *ctx) {
    struct sorted sorted = {
        .items = items, .count = count, .size = size, .before = before, .ctx = ctx};
    insertion_sort(&sorted);
}
