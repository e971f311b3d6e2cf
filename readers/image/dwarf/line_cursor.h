/*
 * line_cursor.h - reading DWARF's bytes one after the other, never behind their end.
 */
#ifndef LOUPE_READERS_LINE_CURSOR_H
#define LOUPE_READERS_LINE_CURSOR_H

#include "image/format.h"

/* broken: something was asked for that is not there; from then on everything is 0. at may be behind
 * the end: a table can say that its program begins before its lists. */
struct loupe_cursor {
    const uint8_t *bytes;
    uint64_t at, end;
    bool broken;
};

static inline bool loupe_cursor_has(struct loupe_cursor *cursor, uint64_t size) {
    if (cursor->broken || cursor->at > cursor->end || size > cursor->end - cursor->at)
        cursor->broken = true;
    return !cursor->broken;
}

/* A number of 1 to 8 bytes. */
static inline uint64_t loupe_cursor_number(struct loupe_cursor *cursor, unsigned size) {
    if (!loupe_cursor_has(cursor, size))
        return 0;
    cursor->at += size;
    return loupe_number_at(cursor->bytes + (cursor->at - size), 0, size);
}

static inline void loupe_cursor_skip(struct loupe_cursor *cursor, uint64_t size) {
    if (loupe_cursor_has(cursor, size))
        cursor->at += size;
}

/* Bits beyond 64 are lost, as the numbers that have them mean nothing here. */
static inline uint64_t loupe_cursor_uleb(struct loupe_cursor *cursor) {
    uint64_t value = 0;
    uint8_t byte = 0x80;
    for (unsigned shift = 0; byte & 0x80; shift += shift < 70 ? 7 : 0) {
        if (!loupe_cursor_has(cursor, 1))
            return 0;
        byte = cursor->bytes[cursor->at++];
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
    }
    return value;
}

static inline int64_t loupe_cursor_sleb(struct loupe_cursor *cursor) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while (byte & 0x80) {
        if (!loupe_cursor_has(cursor, 1))
            return 0;
        byte = cursor->bytes[cursor->at++];
        if (shift < 64) {
            value |= (uint64_t)(byte & 0x7f) << shift;
            shift += 7;
        }
    }
    return (int64_t)(byte & 0x40 && shift < 64 ? value | ~UINT64_C(0) << shift : value);
}

/* A text that ends in a NUL, without that. */
static inline struct loupe_span loupe_cursor_text(struct loupe_cursor *cursor) {
    struct loupe_span text = {.bytes = ""};
    while (loupe_cursor_has(cursor, 1)) {
        if (!text.length)
            text.bytes = (const char *)cursor->bytes + cursor->at;
        if (!cursor->bytes[cursor->at++])
            return text;
        text.length++;
    }
    return (struct loupe_span){.bytes = ""};
}

/* The length that a unit of DWARF begins with; what follows ends there, and the cursor ends with
 * it. *offset_size_ret: bytes of offsets in it. False: it does not fit, or nothing tells its
 * length. */
static inline bool loupe_cursor_enter_unit(struct loupe_cursor *cursor, unsigned *offset_size_ret) {
    enum {
        FIRST_RESERVED = 0xf
    }; /* lengths of 32 bits from here on mean others, or are reserved */
    uint64_t length = loupe_cursor_number(cursor, 4);
    *offset_size_ret = length == 0xffffffff ? 8 : 4;
    if (*offset_size_ret == 8)
        length = loupe_cursor_number(cursor, 8);
    else if (length > 0xffffffff - FIRST_RESERVED)
        return false;
    if (!loupe_cursor_has(cursor, length))
        return false;
    cursor->end = cursor->at + length;
    return true;
}

#endif
