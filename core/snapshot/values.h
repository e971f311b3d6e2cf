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

#endif
