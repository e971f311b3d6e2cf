/*
 * record.h - what a program knows of its own heap: each block that malloc() and its kin gave it and
 * that it has not given back. In memory that the test shares with it, so that the record is no part
 * of the heap.
 */
#ifndef LOUPE_TESTS_HEAP_RECORD_H
#define LOUPE_TESTS_HEAP_RECORD_H

#include <stdatomic.h>
#include <stdint.h>

enum { RECORD_PLACES = 1 << 17, RECORD_GONE = 1, RECORD_SHIFT = 16 };

/* Open addressing; address 0: never used, RECORD_GONE: used before. */
struct record_place {
    uint64_t address;
    uint64_t asked; /* bytes, shifted, so that it does not look like the header of a chunk */
};

struct record {
    atomic_flag lock;
    uint32_t live;
    uint32_t full; /* something could not be recorded */
    struct record_place places[RECORD_PLACES];
};

static inline uint32_t record_hash(uint64_t address) {
    return (uint32_t)(address * 0x9e3779b97f4a7c15u >> 40) & (RECORD_PLACES - 1);
}

#endif
