/*
 * hprof_output.h - the bytes of a heap dump on their way out: big-endian numbers, records, and the
 * segments that objects are in.
 *
 * A segment is at most 1 MiB, or one object that is larger by itself; so its length is known, or
 * can be put in, before it leaves the buffer, and the sink never has to go back.
 */
#ifndef LOUPE_HPROF_OUTPUT_H
#define LOUPE_HPROF_OUTPUT_H

#include "base/arena.h"
#include "base/json.h"
#include "hprof/hprof_records.h"

enum { HPROF_MOST_SEGMENT = 1 << 20, HPROF_OUTPUT_SIZE = HPROF_MOST_SEGMENT + 4096 };

struct hprof_output {
    struct loupe_sink sink;
    enum loupe_status status; /* the first failure; what is put later goes nowhere */
    uint64_t written;         /* bytes, those in the buffer too */
    size_t used, segment;     /* of the buffer; where the open segment's body begins */
    bool in_segment, is_large;
    uint8_t buffer[HPROF_OUTPUT_SIZE];
};

/* Hands what is in the buffer to the sink. */
void hprof_flush(struct hprof_output *output);

/* ---- Numbers ---- */

static inline uint8_t *hprof_room(struct hprof_output *output, size_t size) {
    if (size > HPROF_OUTPUT_SIZE - output->used)
        hprof_flush(output);
    uint8_t *at = output->buffer + output->used;
    output->used += size;
    output->written += size;
    return at;
}

static inline void hprof_put_u1(struct hprof_output *output, uint8_t value) {
    *hprof_room(output, 1) = value;
}

static inline void hprof_store_u4(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

static inline void hprof_store_u8(uint8_t *at, uint64_t value) {
    hprof_store_u4(at, (uint32_t)(value >> 32));
    hprof_store_u4(at + 4, (uint32_t)value);
}

static inline void hprof_put_u2(struct hprof_output *output, uint16_t value) {
    uint8_t *at = hprof_room(output, 2);
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void hprof_put_u4(struct hprof_output *output, uint32_t value) {
    hprof_store_u4(hprof_room(output, 4), value);
}

static inline void hprof_put_u8(struct hprof_output *output, uint64_t value) {
    hprof_store_u8(hprof_room(output, 8), value);
}

void hprof_put_u8s(struct hprof_output *output, const uint64_t *values, uint32_t count);
void hprof_put_bytes(struct hprof_output *output, const void *bytes, size_t size);
void hprof_put_zeros(struct hprof_output *output, uint64_t size);

/* ---- Records ---- */

/* A record outside of segments whose body has so many bytes; ends a segment that is open. */
void hprof_put_record(struct hprof_output *output, enum hprof_tag tag, uint32_t length);

/*
 * A record of so many bytes in a segment, its tag among them, all of which have to follow. Opens a
 * segment where none is or the open one has no room.
 */
void hprof_put_object(struct hprof_output *output, enum hprof_heap_tag tag, uint64_t size);

/* Ends the dump. */
void hprof_put_end(struct hprof_output *output);

/*
 * A string and its id. What Java calls UTF-8: NUL in two bytes, characters beyond 16 bits as two
 * halves; bytes that are no UTF-8 become question marks.
 */
void hprof_put_string(struct hprof_output *output, uint64_t id, struct loupe_span text);

#endif
