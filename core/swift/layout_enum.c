/* Values of enums: which case is there, by bits that its payloads do not use, and where the payload
 * has its references. */
#include "swift/lowering.h"

#include <string.h>

enum { RECORD_IS_INDIRECT = 1, MOST_CASES = 1024 };

/* ---- One payload ---- */

static unsigned bytes_for(uint64_t tags) {
    return tags <= 1 ? 0 : tags <= 0x100 ? 1 : tags <= 0x10000 ? 2 : 4;
}

/* How many numbers say which case is there, where the payload's bytes say which of the empty ones.
 */
static uint64_t tags_for(uint64_t payload_size, uint64_t empty, uint64_t payloads) {
    if (!empty)
        return payloads;
    uint64_t of_one = payload_size >= 4 ? UINT64_C(1) << 32 : UINT64_C(1) << payload_size * 8;
    return payloads + (empty + of_one - 1) / of_one;
}

/* The number behind a payload. False: it cannot be read. */
static bool read_tag(const struct loupe_swift_part *part, uint64_t at, unsigned bytes,
                     uint32_t *ret) {
    uint8_t tag[4] = {0};
    if (bytes && loupe_memory_read(part->lowering->target->memory, part->address + at, tag, bytes))
        return false;
    *ret =
        (uint32_t)tag[0] | (uint32_t)tag[1] << 8 | (uint32_t)tag[2] << 16 | (uint32_t)tag[3] << 24;
    return true;
}

static void add_tag(struct loupe_swift_layout *layout, unsigned bytes) {
    struct loupe_swift_layout tag;
    loupe_swift_layout_bytes(&tag, bytes, bytes);
    loupe_swift_row_add(layout, layout->size, &tag);
    loupe_swift_row_end(layout);
}

/* Of what the payload does not use the first say that there is none; else a number behind it. */
bool loupe_swift_lower_payload(const struct loupe_swift_part *part, uint64_t empty,
                               struct loupe_swift_layout *ret) {
    struct loupe_swift_lowering *lowering = part->lowering;
    uint32_t before = lowering->slot_count, tag;
    if (!loupe_swift_lower_part(part, ret))
        return false;
    memset(ret->spare, 0, sizeof(ret->spare));
    if (ret->extra_inhabitants >= empty) {
        ret->extra_inhabitants -= empty;
        return true;
    }
    uint64_t size = ret->size;
    unsigned bytes = bytes_for(tags_for(size, empty - ret->extra_inhabitants, 1));
    ret->extra_inhabitants = 0;
    add_tag(ret, bytes);
    if (part->address && lowering->slot_count > before) {
        lowering->varies = true;
        if (read_tag(part, size, bytes, &tag) && tag)
            lowering->slot_count = before;
    }
    return true;
}

/* ---- Several ---- */

/* Payloads that all cases have the same place for. */
struct payloads {
    struct loupe_swift_layout common; /* as large as the largest */
    uint32_t count;                   /* of those that are not empty */
    bool is_dynamic;                  /* one is known only where the type is used */
};

static bool mentions_parameter(const struct loupe_swift_types *types, uint16_t type,
                               unsigned depth) {
    enum { DEEPEST = 8 };
    const struct loupe_swift_type *at = &types->types[type];
    if (depth == DEEPEST)
        return true;
    if (at->kind == LOUPE_SWIFT_TYPE_PARAMETER)
        return true;
    for (uint16_t i = 0; i < at->count; i++) {
        if (mentions_parameter(types, types->children[at->first + i], depth + 1))
            return true;
    }
    return false;
}

static bool lower_case(const struct loupe_swift_part *part, loupe_addr record, bool *is_dynamic,
                       struct loupe_swift_layout *ret) {
    char path[LOUPE_MAX_SWIFT_FIELD];
    struct loupe_swift_part payload;
    uint32_t flags;
    if (!loupe_swift_read_u32(part->lowering->target, record, &flags))
        return false;
    bool is_known = loupe_swift_part_of(part, record, path, &payload);
    payload.is_part = true;
    if (flags & RECORD_IS_INDIRECT) {
        payload.path = is_known ? path : part->path;
        return loupe_swift_lay_reference(&payload, LOUPE_SWIFT_STRONG, ret);
    }
    if (!is_known)
        return false;
    *is_dynamic |= mentions_parameter(&part->lowering->types, payload.type, 0);
    return loupe_swift_lower_part(&payload, ret);
}

static void take_payload(struct payloads *payloads, const struct loupe_swift_layout *layout) {
    struct loupe_swift_layout *common = &payloads->common;
    payloads->count += layout->size > 0 || payloads->is_dynamic;
    common->size = layout->size > common->size ? layout->size : common->size;
    common->align = layout->align > common->align ? layout->align : common->align;
    common->is_opaque |= layout->is_opaque;
    for (uint64_t at = 0; layout->size && at < LOUPE_SWIFT_SPARE_WORDS * SWIFT_WORD; at++) {
        uint64_t shift = at % SWIFT_WORD * 8,
                 mask = at < layout->size ? layout->spare[at / SWIFT_WORD] >> shift & 0xff : 0xff;
        common->spare[at / SWIFT_WORD] &= ~(UINT64_C(0xff) << shift) | mask << shift;
    }
}

/* The highest so many of the bits that nobody uses, in the order of their worth. */
static unsigned highest_spare(const struct loupe_swift_layout *layout, unsigned wanted,
                              uint64_t ret[LOUPE_SWIFT_SPARE_WORDS]) {
    unsigned found = 0;
    memset(ret, 0, LOUPE_SWIFT_SPARE_WORDS * sizeof(*ret));
    for (unsigned i = LOUPE_SWIFT_SPARE_WORDS; i > 0 && found < wanted; i--) {
        for (unsigned bit = 64; bit > 0 && found < wanted; bit--) {
            if (layout->spare[i - 1] >> (bit - 1) & 1) {
                ret[i - 1] |= UINT64_C(1) << (bit - 1);
                found++;
            }
        }
    }
    return found;
}

/* Those bits of a value as one number. */
static bool read_spare(const struct loupe_swift_part *part,
                       const uint64_t mask[LOUPE_SWIFT_SPARE_WORDS], uint32_t *ret) {
    *ret = 0;
    for (unsigned i = LOUPE_SWIFT_SPARE_WORDS; i > 0; i--) {
        uint64_t word = 0;
        if (mask[i - 1] && !loupe_swift_read_word(part->lowering->target,
                                                  part->address + (i - 1) * SWIFT_WORD, &word))
            return false;
        for (unsigned bit = 64; bit > 0; bit--) {
            if (mask[i - 1] >> (bit - 1) & 1)
                *ret = *ret << 1 | (uint32_t)(word >> (bit - 1) & 1);
        }
    }
    return true;
}

static unsigned bits_for(uint64_t tags) {
    unsigned bits = 0;
    while (bits < 32 && UINT64_C(1) << bits < tags)
        bits++;
    return bits;
}

/* How the cases are told apart. */
struct tags {
    uint64_t mask[LOUPE_SWIFT_SPARE_WORDS];
    uint64_t payload_size;
    unsigned bits, bytes; /* among the payload's, behind them */
};

static void lay_tags(const struct payloads *payloads, uint64_t empty, struct tags *tags,
                     struct loupe_swift_layout *ret) {
    bool has_spare = !payloads->is_dynamic && !payloads->common.is_opaque;
    uint64_t inhabitants, count = tags_for(payloads->common.size, empty, payloads->count);
    unsigned wanted, free_bits;
    uint64_t all[LOUPE_SWIFT_SPARE_WORDS];
    *ret = payloads->common;
    loupe_swift_row_end(ret);
    free_bits = has_spare ? highest_spare(ret, 31, all) : 0;
    if (free_bits && empty) /* bits that are not the tag's tell the empty ones apart */
        count = payloads->count + 1;
    wanted = bits_for(count);
    tags->payload_size = ret->size;
    tags->bits = has_spare ? highest_spare(ret, wanted, tags->mask) : 0;
    tags->bytes = tags->bits >= wanted ? 0 : bytes_for(UINT64_C(1) << (wanted - tags->bits));
    if (!tags->bits)
        tags->bytes = bytes_for(count);
    inhabitants =
        UINT64_C(1) << (free_bits + tags->bytes * 8 < 31 ? free_bits + tags->bytes * 8 : 31);
    for (unsigned i = 0; i < LOUPE_SWIFT_SPARE_WORDS; i++)
        ret->spare[i] = has_spare ? ret->spare[i] & ~tags->mask[i] : 0;
    if (tags->bytes)
        add_tag(ret, tags->bytes);
    ret->extra_inhabitants = inhabitants > count ? inhabitants - count : 0;
}

/* Which case a value has; false: one that cannot be, or it cannot be read. */
static bool read_case(const struct loupe_swift_part *part, const struct tags *tags, uint32_t *ret) {
    uint32_t low, high;
    if (!read_spare(part, tags->mask, &low) ||
        !read_tag(part, tags->payload_size, tags->bytes, &high))
        return false;
    *ret = tags->bits < 32 ? high << tags->bits | low : low;
    return true;
}

/* Of the slots of all cases, those of one. ends: by case, behind its slots. */
static void keep_case(struct loupe_swift_lowering *lowering, uint32_t before, const uint16_t *ends,
                      uint32_t number, uint32_t count) {
    uint32_t start = number ? ends[number - 1] : before;
    uint32_t kept = number < count ? ends[number] - start : 0;
    memmove(&lowering->slots[before], &lowering->slots[number < count ? start : before],
            kept * sizeof(lowering->slots[0]));
    lowering->slot_count = before + kept;
}

static bool lower_several(const struct loupe_swift_part *part,
                          const struct loupe_swift_cases *cases, struct loupe_swift_layout *ret) {
    enum { MOST_PAYLOADS = 64 };
    struct loupe_swift_lowering *lowering = part->lowering;
    struct payloads payloads = {.count = 0};
    struct tags tags = {.bits = 0};
    uint16_t ends[MOST_PAYLOADS];
    uint32_t before = lowering->slot_count, with_size = 0, number;
    struct loupe_swift_layout layout;
    loupe_swift_row_begin(&payloads.common);
    for (uint32_t i = 0; i < cases->payloads; i++) {
        if (with_size == MOST_PAYLOADS ||
            !lower_case(part, cases->records + (loupe_addr)i * RECORD_SIZE, &payloads.is_dynamic,
                        &layout))
            return false;
        take_payload(&payloads, &layout);
        if (with_size < payloads.count)
            ends[with_size++] = (uint16_t)lowering->slot_count;
    }
    uint64_t empty = (uint64_t)cases->empty + (cases->payloads - payloads.count);
    if (payloads.common.size > LOUPE_SWIFT_SPARE_WORDS * SWIFT_WORD && !payloads.is_dynamic &&
        !payloads.common.is_opaque)
        return false; /* whose spare bits are not all known */
    lay_tags(&payloads, empty, &tags, ret);
    if (!part->address || lowering->slot_count == before)
        return true;
    lowering->varies = true;
    if (read_case(part, &tags, &number))
        keep_case(lowering, before, ends, number, with_size);
    return true;
}

/* ---- All ---- */

bool loupe_swift_lower_enum(const struct loupe_swift_part *part,
                            const struct loupe_swift_cases *cases, struct loupe_swift_layout *ret) {
    char path[LOUPE_MAX_SWIFT_FIELD];
    struct loupe_swift_part payload;
    uint32_t flags;
    if (cases->payloads > MOST_CASES || cases->empty > 1 << 16)
        return false;
    if (cases->payloads > 1)
        return lower_several(part, cases, ret);
    if (!cases->payloads) {
        unsigned bytes = cases->empty == 1 ? 0 : cases->empty <= 0xff ? 1 : 2;
        loupe_swift_layout_bytes(ret, bytes, bytes);
        ret->extra_inhabitants = bytes ? (UINT64_C(1) << bytes * 8) - cases->empty : 0;
        ret->spare[0] = bytes ? ~((UINT64_C(1) << bits_for(cases->empty)) - 1) : 0;
        loupe_swift_row_end(ret);
        return true;
    }
    if (!loupe_swift_read_u32(part->lowering->target, cases->records, &flags))
        return false;
    bool is_known = loupe_swift_part_of(part, cases->records, path, &payload);
    payload.is_part = payload.is_part || !part->is_in_library || flags & RECORD_IS_INDIRECT;
    if (flags & RECORD_IS_INDIRECT) {
        payload.path = is_known ? path : part->path;
        if (!loupe_swift_lay_reference(&payload, LOUPE_SWIFT_STRONG, ret))
            return false;
        ret->extra_inhabitants -= cases->empty < ret->extra_inhabitants ? cases->empty : 0;
        return true;
    }
    return is_known && loupe_swift_lower_payload(&payload, cases->empty, ret);
}
