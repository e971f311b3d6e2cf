#include "snapshot/file/packing.h"

#include <string.h>

enum { MARKS = 16, BITS = 7, GOES_ON = 1 << BITS };

static uint64_t folded(uint64_t difference) {
    return difference >> 63 ? ~(difference << 1) : difference << 1;
}

static uint64_t unfolded(uint64_t number) {
    return number & 1 ? ~(number >> 1) : number >> 1;
}

/* Modulo the size of an element: from a small number down to one that stands for none is near. */
static uint64_t difference(const struct loupe_packer *packer, uint64_t to, uint64_t from) {
    return packer->element == sizeof(uint64_t) ? to - from
                                               : (uint64_t)(int32_t)(uint32_t)(to - from);
}

/* What the elements of that size hold. */
static uint64_t within(const struct loupe_packer *packer, uint64_t value) {
    return packer->element == sizeof(uint64_t) ? value : value & UINT32_MAX;
}

/* ---- Packing ---- */

static size_t put_number(uint64_t number, uint8_t *dst) {
    size_t used = 0;
    /* Cap: all bits of it. */
    for (; number >= GOES_ON; number >>= BITS)
        dst[used++] = (uint8_t)(number | GOES_ON);
    dst[used++] = (uint8_t)number;
    return used;
}

size_t loupe_pack(struct loupe_packer *packer, uint64_t value, uint8_t *dst) {
    uint64_t place = packer->count++, before = packer->before;
    packer->before = value;
    switch (packer->packing) {
    case LOUPE_PACKED_NUMBERS:
        return put_number(within(packer, value + MARKS), dst);
    case LOUPE_PACKED_STEPS:
        return put_number(folded(difference(packer, value, before)), dst);
    case LOUPE_PACKED_NEAR:
        return put_number(folded(difference(packer, value, place)), dst);
    case LOUPE_PACKED_HALVES:
        *dst = (uint8_t)(packer->half | value << 4);
        packer->half = (uint8_t)value;
        return place % 2;
    case LOUPE_PACKED_NOT:
    case LOUPE_PACKED_GROUPS:
    case LOUPE_PACKING_END:
        break;
    }
    memcpy(dst, &value, packer->element);
    return packer->element;
}

size_t loupe_pack_end(const struct loupe_packer *packer, uint8_t *dst) {
    *dst = packer->half;
    return packer->packing == LOUPE_PACKED_HALVES && packer->count % 2;
}

size_t loupe_pack_group(const uint8_t *bytes, size_t length, uint64_t *before, uint8_t *dst) {
    uint64_t group = 0;
    memcpy(&group, bytes, length);
    uint64_t differs = group ^ *before;
    size_t used = 1;
    *before = group;
    dst[0] = 0;
    /* Cap: all bytes of a group. */
    for (unsigned i = 0; i < LOUPE_GROUP; i++) {
        uint8_t byte = (uint8_t)(differs >> 8 * i);
        if (!byte)
            continue;
        dst[0] |= (uint8_t)(1u << i);
        dst[used++] = byte;
    }
    return used;
}

/* ---- Unpacking ---- */

struct packed {
    const uint8_t *at, *end;
    bool is_cut;
};

static uint64_t long_number(struct packed *packed) {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += BITS) {
        if (packed->at == packed->end)
            break;
        uint8_t byte = *packed->at++;
        number |= (uint64_t)(byte & (GOES_ON - 1)) << shift;
        if (byte < GOES_ON)
            return number;
    }
    packed->is_cut = true;
    return 0;
}

static inline uint64_t next_number(struct packed *packed) {
    if (packed->at < packed->end && *packed->at < GOES_ON)
        return *packed->at++;
    return long_number(packed);
}

static inline uint64_t value_of(uint64_t number, uint64_t before, uint64_t place,
                                enum loupe_packing packing) {
    return packing == LOUPE_PACKED_NUMBERS ? number - MARKS
           : packing == LOUPE_PACKED_STEPS ? before + unfolded(number)
                                           : place + unfolded(number);
}

/* Each caller has a loop of its own for its packing: these are most of a file. */
static inline void unpack_shorts(struct packed *packed, uint64_t count, uint32_t *dst,
                                 enum loupe_packing packing) {
    uint32_t before = 0;
    for (uint64_t i = 0; i < count && !packed->is_cut; i++)
        dst[i] = before = (uint32_t)value_of(next_number(packed), before, i, packing);
}

static inline void unpack_longs(struct packed *packed, uint64_t count, uint64_t *dst,
                                enum loupe_packing packing) {
    uint64_t before = 0;
    for (uint64_t i = 0; i < count && !packed->is_cut; i++)
        dst[i] = before = value_of(next_number(packed), before, i, packing);
}

static void unpack_all_shorts(struct packed *packed, uint64_t count, uint32_t *dst,
                              enum loupe_packing packing) {
    if (packing == LOUPE_PACKED_NUMBERS)
        unpack_shorts(packed, count, dst, LOUPE_PACKED_NUMBERS);
    else if (packing == LOUPE_PACKED_STEPS)
        unpack_shorts(packed, count, dst, LOUPE_PACKED_STEPS);
    else
        unpack_shorts(packed, count, dst, LOUPE_PACKED_NEAR);
}

static bool unpack_halves(const uint8_t *bytes, uint64_t size, uint64_t count, uint8_t *dst) {
    if (size != count / 2 + count % 2)
        return false;
    for (uint64_t i = 0; i < count; i++)
        dst[i] = bytes[i / 2] >> (i % 2 ? 4 : 0) & 0xf;
    return true;
}

bool loupe_unpack(const uint8_t *bytes, uint64_t size, struct loupe_packer packer, uint64_t count,
                  void *dst) {
    struct packed packed = {.at = bytes, .end = bytes + size};
    if (packer.packing == LOUPE_PACKED_HALVES)
        return packer.element == 1 && unpack_halves(bytes, size, count, dst);
    if (packer.element == sizeof(uint32_t))
        unpack_all_shorts(&packed, count, dst, packer.packing);
    else if (packer.element == sizeof(uint64_t))
        unpack_longs(&packed, count, dst, packer.packing);
    else
        return false;
    return !packed.is_cut && packed.at == packed.end;
}

bool loupe_unpack_group(const uint8_t *bytes, uint64_t size, uint64_t *at, uint64_t *before,
                        uint8_t *dst, size_t length) {
    if (*at >= size)
        return false;
    uint8_t which = bytes[(*at)++];
    /* Cap: all bytes of a group. */
    for (unsigned i = 0; i < LOUPE_GROUP; i++) {
        if (!(which >> i & 1))
            continue;
        if (*at == size)
            return false;
        *before ^= (uint64_t)bytes[(*at)++] << 8 * i;
    }
    memcpy(dst, before, length);
    return true;
}
