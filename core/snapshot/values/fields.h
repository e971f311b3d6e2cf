/*
 * fields.h - the fields of an object and what stands in them, one by one: those that its class
 * declares first, then those of the superclass and so on. Of a class object its static fields.
 */
#ifndef LOUPE_FIELDS_H
#define LOUPE_FIELDS_H

#include "snapshot/snapshot.h"

struct loupe_field {
    struct loupe_span name;
    uint32_t declared_by; /* class */
    uint32_t type;        /* enum loupe_value_type */
    uint32_t number;      /* in the snapshot's table of fields */
    bool is_static;
    bool is_known; /* else the snapshot does not have the value */
    struct loupe_value value;
};

struct loupe_field_cursor {
    const struct loupe_snapshot *snapshot;
    uint32_t class_number; /* whose fields come next, or LOUPE_NONE */
    uint32_t index, steps;
    bool is_static, has_bytes;
    const uint8_t *bytes;
    uint64_t length, offset;
};

struct loupe_field_cursor loupe_fields_begin(const struct loupe_snapshot *snapshot, uint32_t node);
/* False after the last one. */
bool loupe_fields_next(struct loupe_field_cursor *cursor, struct loupe_field *ret);

/* The reference that a field of an object of a native heap is; LOUPE_NO_EDGE: it is none. */
uint32_t loupe_field_link(const struct loupe_snapshot *snapshot, uint32_t node,
                          const struct loupe_field *field);

/* What the text says that a field of a node of a native heap leads to: a string of C, a selector.
 * Empty: it leads to none. */
struct loupe_span loupe_field_text(const struct loupe_snapshot *snapshot, uint32_t node,
                                   const struct loupe_field *field);

/* Whether a link of a node is no field of it and none of its items: of native heaps what is
 * captured, associated, or a word that nothing describes. */
bool loupe_is_other_link(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t link);

#endif
