#include "base/vector.h"

#include <string.h>

enum { MIN_SEGMENT_CAPACITY = 64 };

void loupe_vector_init(struct loupe_vector *vector, const struct loupe_chunk_ops *chunks,
                       uint32_t element_size) {
    *vector = (struct loupe_vector){.chunks = chunks, .element_size = element_size};
}

static size_t segment_bytes(const struct loupe_vector *vector) {
    return (size_t)vector->element_size * LOUPE_SEGMENT_SIZE;
}

void loupe_vector_deinit(struct loupe_vector *vector) {
    for (uint32_t i = 0; i < vector->segment_count; i++)
        loupe_chunk_put(vector->chunks, vector->segments[i], segment_bytes(vector));
    loupe_chunk_put(vector->chunks, vector->segments,
                    vector->segment_capacity * sizeof(*vector->segments));
    loupe_vector_init(vector, vector->chunks, vector->element_size);
}

/* Room for one more pointer to a segment: only these pointers are ever copied. */
static bool grow_directory(struct loupe_vector *vector) {
    uint32_t capacity =
        vector->segment_capacity ? vector->segment_capacity * 2 : MIN_SEGMENT_CAPACITY;
    void **larger = loupe_chunk_get(vector->chunks, capacity * sizeof(*larger));
    if (!larger)
        return false;
    if (vector->segment_count)
        memcpy(larger, vector->segments, vector->segment_count * sizeof(*larger));
    loupe_chunk_put(vector->chunks, vector->segments,
                    vector->segment_capacity * sizeof(*vector->segments));
    vector->segments = larger;
    vector->segment_capacity = capacity;
    return true;
}

bool loupe_vector_add_segment(struct loupe_vector *vector) {
    if (vector->segment_count == vector->segment_capacity && !grow_directory(vector))
        return false;
    void *segment = loupe_chunk_get(vector->chunks, segment_bytes(vector));
    if (segment)
        vector->segments[vector->segment_count++] = segment;
    return segment != NULL;
}

void *loupe_vector_flatten(struct loupe_vector *vector) {
    size_t whole = segment_bytes(vector), left = (size_t)vector->count * vector->element_size;
    char *flat = loupe_chunk_get(vector->chunks,
                                 loupe_vector_flat_size(vector->element_size, vector->count));
    if (!flat)
        return NULL;
    for (uint32_t i = 0; i < vector->segment_count; i++) {
        size_t part = left < whole ? left : whole;
        if (part)
            memcpy(flat + i * whole, vector->segments[i], part);
        left -= part;
        loupe_chunk_put(vector->chunks, vector->segments[i], whole);
    }
    vector->segment_count = 0;
    loupe_vector_deinit(vector);
    return flat;
}
