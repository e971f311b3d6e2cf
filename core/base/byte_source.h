/*
 * byte_source.h - where bytes come from, one after the other: a file, a pipe, what is unpacked.
 */
#ifndef LOUPE_BYTE_SOURCE_H
#define LOUPE_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loupe_byte_source {
    /* Up to size bytes; 0: the end. False: it cannot be read on, or was stopped. */
    bool (*read)(void *ctx, uint8_t *to, size_t size, size_t *ret);
    void *ctx;
    uint64_t size; /* of all; 0: not known */
};

#endif
