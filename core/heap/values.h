/*
 * values.h - what stands in the objects of a native heap, kept in its snapshot: the ivars of each
 * class as fields, the words of each object as a dump of a Java heap has them, and what strings,
 * numbers, dates and the like say.
 */
#ifndef LOUPE_HEAP_VALUES_H
#define LOUPE_HEAP_VALUES_H

#include "heap/snapshot_builder.h"
#include "snapshot/file/loupe_sections.h"

enum {
    LOUPE_MOST_CLASS_VALUES = 512, /* fields of one class that are kept; classes cut are counted */
    LOUPE_MOST_VALUE_TEXT = 1024,  /* bytes kept of what one object says of itself */
    LOUPE_MOST_VALUE_TEXTS = 64 * 1024 * 1024 /* of all of them; the rest is counted */
};

struct loupe_heap_values {
    struct loupe_vector fields; /* of struct loupe_snapshot_field, in the order of their classes */
    struct loupe_vector pointers;    /* of struct loupe_pointer_ivar, the same */
    struct loupe_vector places;      /* of struct value_place, in values.c: the same */
    struct loupe_vector texts;       /* of struct loupe_node_value */
    struct loupe_vector field_texts; /* of struct loupe_field_text, by node */
    uint32_t *lengths;               /* by node, and one more: bytes of its contents */
    uint64_t *starts;                /* of each 64th node, where its contents begin */
    uint8_t *contents;
    uint64_t size;
    uint32_t nodes;
};

static inline size_t loupe_heap_values_starts(const struct loupe_heap_values *values) {
    return ((size_t)values->nodes / LOUPE_CONTENT_STEP + 1) * sizeof(*values->starts);
}

/* Sets the fields of the builder's classes as well. LOUPE_ENOMEM, LOUPE_ETIMEOUT; what was taken is
 * the caller's to take over or to give back. */
enum loupe_status loupe_heap_take_values(struct loupe_snapshot_builder *builder,
                                         struct loupe_heap_values *ret);
void loupe_heap_values_deinit(struct loupe_heap_values *values,
                              const struct loupe_chunk_ops *chunks);

#endif
