/*
 * record.h - what a program knows of its own heap: each block that malloc() and its kin gave it and
 * that it has not given back. In memory that is no part of the heap, with addresses in disguise, so
 * that the record keeps nothing alive.
 */
#ifndef LOUPE_TESTS_HEAP_RECORD_H
#define LOUPE_TESTS_HEAP_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_GONE = 1, RECORD_SHIFT = 16, RECORD_TAG = (1 << RECORD_SHIFT) - 1 };

/* Open addressing; 0: never used, RECORD_GONE: used before. */
struct record_place {
    uint64_t disguised;
    uint64_t asked; /* bytes, shifted, so that it does not look like the header of a chunk; a tag */
};

struct record {
    bool lock;
    uint32_t bits; /* 1 << bits places */
    uint32_t live;
    uint32_t full; /* something could not be recorded */
    struct record_place places[];
};

static inline uint32_t record_places(const struct record *record) {
    return UINT32_C(1) << record->bits;
}

static inline size_t record_size(uint32_t bits) {
    return sizeof(struct record) + (sizeof(struct record_place) << bits);
}

static inline bool record_is_live(const struct record_place *place) {
    return place->disguised > RECORD_GONE;
}

static inline uint64_t record_address(const struct record_place *place) {
    return ~place->disguised;
}

static inline uint64_t record_asked(const struct record_place *place) {
    return place->asked >> RECORD_SHIFT;
}

static inline uint32_t record_tag_of(const struct record_place *place) {
    return place->asked & RECORD_TAG;
}

static inline void record_set_tag(struct record_place *place, uint32_t tag) {
    place->asked = (place->asked & ~(uint64_t)RECORD_TAG) | tag;
}

static inline uint32_t record_hash(const struct record *record, uint64_t address) {
    return (uint32_t)(address * 0x9e3779b97f4a7c15u >> (64 - record->bits));
}

/* What is recorded of an address, or NULL. */
static inline struct record_place *record_find(struct record *record, uint64_t address) {
    uint32_t last = record_places(record) - 1, place = record_hash(record, address), left = last;
    while (record->places[place].disguised && record->places[place].disguised != ~address && left--)
        place = (place + 1) & last;
    return record->places[place].disguised == ~address ? &record->places[place] : NULL;
}

/* ---- recording.c ---- */

/* Where blocks are recorded from now on: zeros with bits. NULL: nowhere. */
extern struct record *record_here;
/* What is recorded from now on has this tag, at most RECORD_TAG. */
extern uint32_t record_tag;
/* Whether blocks are zeros when they are given out, to the end of their chunks: words of what was
 * there before lead to what leaks. */
extern bool record_clears;

#endif
