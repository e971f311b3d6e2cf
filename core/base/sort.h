/*
 * sort.h - a vector in order.
 */
#ifndef LOUPE_SORT_H
#define LOUPE_SORT_H

#include "base/vector.h"

enum { LOUPE_MAX_SORTED_SIZE = 128 }; /* bytes of an element */

/*
 * Sorts by before(), which says whether one element comes before another one. Equal ones may change
 * places. n log n steps whatever the order was, n where it is right already; no memory. Elements
 * have at most LOUPE_MAX_SORTED_SIZE bytes.
 */
void loupe_vector_sort(struct loupe_vector *vector, bool (*before)(const void *a, const void *b));

#endif
