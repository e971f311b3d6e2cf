/*
 * fnv.h - hashes that stay the same from run to run and from host to host: 64-bit FNV-1a
 * (draft-eastlake-fnv). For fingerprints; tables have a hash of their own (map.h).
 */
#ifndef LOUPE_FNV_H
#define LOUPE_FNV_H

#include "base/text.h"

#define LOUPE_FNV_BASIS 0xcbf29ce484222325u
#define LOUPE_FNV_PRIME 0x100000001b3u

static inline uint64_t loupe_fnv_bytes(uint64_t hash, const void *bytes, size_t length) {
    const uint8_t *p = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ p[i]) * LOUPE_FNV_PRIME;
    return hash;
}

/* With a NUL behind it, so that "ab","c" and "a","bc" differ. */
static inline uint64_t loupe_fnv_span(uint64_t hash, struct loupe_span span) {
    return loupe_fnv_bytes(loupe_fnv_bytes(hash, span.bytes, span.length), "", 1);
}

/* Byte by byte from the lowest, so that the result is the same on every host. */
static inline uint64_t loupe_fnv_number(uint64_t hash, uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
        uint8_t byte = (uint8_t)(number >> shift);
        hash = loupe_fnv_bytes(hash, &byte, 1);
    }
    return hash;
}

#endif
