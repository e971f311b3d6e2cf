/*
 * packing.h - the numbers of a snapshot's file in few bytes: most are small, near the one before,
 * or near their own place.
 *
 * A number is written with seven bits a byte, the low ones first; the high bit says that more
 * follow. Differences are doubled, those below zero are made odd (-1 is 1, 1 is 2).
 */
#ifndef LOUPE_PACKING_H
#define LOUPE_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum loupe_packing {
    LOUPE_PACKED_NOT,     /* elements as they stand in memory */
    LOUPE_PACKED_NUMBERS, /* u32, u64: plus 16, so that the last ones, which are marks, are small */
    LOUPE_PACKED_STEPS,  /* the same: differences, modulo the size, to the one before; first to 0 */
    LOUPE_PACKED_NEAR,   /* the same: differences to their places, counted from 0 */
    LOUPE_PACKED_HALVES, /* u8 below 16: two a byte, the first in the low bits */
    LOUPE_PACKED_GROUPS, /* u8: loupe_pack_group() */
    LOUPE_PACKING_END
};

enum { LOUPE_PACKED_MOST = 10 /* bytes of a number, of 64 bits */, LOUPE_GROUP = 8 };

/* ---- Packing ---- */

struct loupe_packer {
    enum loupe_packing packing;
    unsigned element; /* bytes of an element in memory: 1, 4, 8 */
    uint64_t before, count;
    uint8_t half;
};

/* The bytes of the next element; how many. dst has room for LOUPE_PACKED_MOST. */
size_t loupe_pack(struct loupe_packer *packer, uint64_t value, uint8_t *dst);
/* Those that are left at the end. */
size_t loupe_pack_end(const struct loupe_packer *packer, uint8_t *dst);

/*
 * Bytes of an object, up to eight: a byte with a bit for each that is not the same as in the group
 * before, the first in the lowest bit, and of those in turn what both differ in (by exclusive or).
 * What is missing of eight counts as zeroes. *before is 0 where a block of objects begins. How many
 * bytes; dst has room for one more than a group.
 */
size_t loupe_pack_group(const uint8_t *bytes, size_t length, uint64_t *before, uint8_t *dst);

/* ---- Unpacking: of any bytes ---- */

/* All elements, to an array of them. False: there are more or fewer of them, or others. */
bool loupe_unpack(const uint8_t *bytes, uint64_t size, struct loupe_packer packer, uint64_t count,
                  void *dst);
/* The next group, *at bytes behind the beginning. False: it is cut off. */
bool loupe_unpack_group(const uint8_t *bytes, uint64_t size, uint64_t *at, uint64_t *before,
                        uint8_t *dst, size_t length);

#endif
