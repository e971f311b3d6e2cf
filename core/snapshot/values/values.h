/*
 * values.h - the values that heap dumps hold, big-endian: their sizes and how they are read.
 */
#ifndef LOUPE_VALUES_H
#define LOUPE_VALUES_H

#include "snapshot/snapshot.h"

/* Bytes of a value in a dump whose ids have address_size bytes; 0 for a type that there is not. */
uint32_t loupe_value_size(uint32_t type, uint32_t address_size);

/* bytes has loupe_value_size() of them. */
struct loupe_value loupe_value_decode(uint32_t type, uint32_t address_size, const uint8_t *bytes);

/* The reverse, of a value with so many bytes. */
void loupe_value_encode(struct loupe_value value, uint32_t size, uint8_t *bytes);

/* The node's own contents: struct loupe_snapshot_ops. */
bool loupe_snapshot_contents(const struct loupe_snapshot *snapshot, uint32_t node,
                             const uint8_t **ret, uint64_t *len_ret);

/* The object that an instance's field refers to. */
bool loupe_snapshot_object_field(const struct loupe_snapshot *snapshot, uint32_t node,
                                 const char *name, uint32_t *ret);

bool loupe_snapshot_static_value(const struct loupe_snapshot *snapshot, uint32_t class_number,
                                 uint32_t field, struct loupe_value *ret);

/* The type of the elements of an array of primitives by the name of its class, or
 * LOUPE_VALUE_NONE. */
uint32_t loupe_element_type(struct loupe_span name);

#endif
