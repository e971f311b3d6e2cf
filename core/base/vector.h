/*
 * vector.h - an array that grows without moving: segments of LOUPE_SEGMENT_SIZE elements, each a
 * chunk of its own.
 *
 * An element may be kept in columns: then all first parts of a segment's elements stand together,
 * followed by all second parts, so that loops which need one part read no other.
 *
 * Growing copies no element and needs no second copy of the array, so the peak of memory is what
 * the array holds, and pointers to elements stay valid until loupe_vector_deinit().
 */
#ifndef LOUPE_VECTOR_H
#define LOUPE_VECTOR_H

#include "base/arena.h"
#include "base/status.h"

enum { LOUPE_SEGMENT_SHIFT = 12, LOUPE_SEGMENT_SIZE = 1 << LOUPE_SEGMENT_SHIFT };

struct loupe_vector {
    const struct loupe_chunk_ops *chunks;
    void **segments;
    uint32_t segment_count, segment_capacity;
    uint32_t element_size; /* bytes */
    uint32_t count;        /* elements */
};

void loupe_vector_init(struct loupe_vector *vector, const struct loupe_chunk_ops *chunks,
                       uint32_t element_size);
void loupe_vector_deinit(struct loupe_vector *vector);

/*
 * All elements side by side in one chunk with room for one more, which is the caller's: of
 * loupe_vector_flat_size() bytes. Not for elements in columns. The vector is empty then; its
 * segments go back one by one as they are copied. NULL, and the vector as it was: no memory.
 */
void *loupe_vector_flatten(struct loupe_vector *vector);
static inline size_t loupe_vector_flat_size(uint32_t element_size, uint32_t count) {
    return ((size_t)count + 1) * element_size;
}

/* Only for loupe_vector_add(): one more segment; false when there is no memory. */
bool loupe_vector_add_segment(struct loupe_vector *vector);

static inline void *loupe_vector_at(const struct loupe_vector *vector, uint32_t index,
                                    size_t element_size) {
    char *segment = vector->segments[index >> LOUPE_SEGMENT_SHIFT];
    return segment + (index & (LOUPE_SEGMENT_SIZE - 1)) * element_size;
}

/* One part of an element, of part_size bytes; the parts before it have part_offset bytes. */
static inline void *loupe_vector_part(const struct loupe_vector *vector, uint32_t index,
                                      size_t part_offset, size_t part_size) {
    char *segment = vector->segments[index >> LOUPE_SEGMENT_SHIFT];
    return segment + part_offset * LOUPE_SEGMENT_SIZE +
           (index & (LOUPE_SEGMENT_SIZE - 1)) * part_size;
}

/*
 * Room for one more element, whose index is the old count; false when there is no memory. The
 * caller keeps the count below UINT32_MAX.
 */
static inline bool loupe_vector_extend(struct loupe_vector *vector) {
    if (vector->count >> LOUPE_SEGMENT_SHIFT == vector->segment_count &&
        !loupe_vector_add_segment(vector))
        return false;
    vector->count++;
    return true;
}

/* Room for one more element, not zeroed, as loupe_vector_extend(). NULL when there is no memory. */
static inline void *loupe_vector_add(struct loupe_vector *vector) {
    return loupe_vector_extend(vector)
               ? loupe_vector_at(vector, vector->count - 1, vector->element_size)
               : NULL;
}

#endif
