#include "base/sort.h"

#include <string.h>

struct heap {
    struct loupe_vector *vector;
    bool (*before)(const void *a, const void *b);
};

static void *at(const struct heap *heap, uint32_t index) {
    return loupe_vector_at(heap->vector, index, heap->vector->element_size);
}

static bool is_before(const struct heap *heap, uint32_t a, uint32_t b) {
    return heap->before(at(heap, a), at(heap, b));
}

static void swap(const struct heap *heap, uint32_t a, uint32_t b) {
    char kept[LOUPE_MAX_SORTED_SIZE];
    size_t size = heap->vector->element_size;
    memcpy(kept, at(heap, a), size);
    memcpy(at(heap, a), at(heap, b), size);
    memcpy(at(heap, b), kept, size);
}

/* Makes a heap, the last element on top, of one where only `root` may come too early. */
static void sift(const struct heap *heap, uint32_t root, uint32_t count) {
    for (uint32_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && is_before(heap, child, child + 1))
            child++;
        if (!is_before(heap, root, child))
            return;
        swap(heap, root, child);
        root = child;
    }
}

static bool is_sorted(const struct heap *heap) {
    for (uint32_t i = 1; i < heap->vector->count; i++)
        if (is_before(heap, i, i - 1))
            return false;
    return true;
}

void loupe_vector_sort(struct loupe_vector *vector, bool (*before)(const void *a, const void *b)) {
    struct heap heap = {.vector = vector, .before = before};
    if (is_sorted(&heap))
        return;
    for (uint32_t root = vector->count / 2; root-- > 0;)
        sift(&heap, root, vector->count);
    for (uint32_t last = vector->count; last-- > 1;) {
        swap(&heap, 0, last);
        sift(&heap, 0, last);
    }
}
