/*
 * sort.h - arrays and vectors in order. No memory is needed.
 *
 * before() says whether one element comes before another one; ctx is handed through to it.
 */
#ifndef LOUPE_SORT_H
#define LOUPE_SORT_H

#include "base/vector.h"

typedef bool loupe_before_fn(const void *ctx, const void *a, const void *b);

/* n log n steps whatever the order was, n where it is right already. Equal ones may change places.
 */
void loupe_sort(void *items, uint32_t count, size_t size, loupe_before_fn *before, const void *ctx);
void loupe_vector_sort(struct loupe_vector *vector, loupe_before_fn *before, const void *ctx);

/* Only the first `top` come to the beginning, in their order, and what follows has none:
 * n log top steps. top may be more than there are. */
void loupe_sort_top(void *items, uint32_t count, uint32_t top, size_t size, loupe_before_fn *before,
                    const void *ctx);

/* For some dozens of elements: n * n steps, and equal ones keep their order. */
void loupe_sort_few(void *items, uint32_t count, size_t size, loupe_before_fn *before,
                    const void *ctx);

#endif
