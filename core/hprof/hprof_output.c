#include "hprof/hprof_output.h"

void hprof_flush(struct hprof_output *output) {
    if (output->used && !output->status)
        output->status =
            output->sink.write(output->sink.ctx, (const char *)output->buffer, output->used);
    output->used = 0;
}

void hprof_put_u8s(struct hprof_output *output, const uint64_t *values, uint32_t count) {
    enum { AT_ONCE = HPROF_OUTPUT_SIZE / 8 };
    while (count) {
        uint32_t part = count < AT_ONCE ? count : AT_ONCE;
        uint8_t *at = hprof_room(output, part * sizeof(*values));
        for (uint32_t i = 0; i < part; i++)
            hprof_store_u8(at + i * sizeof(*values), values[i]);
        values += part;
        count -= part;
    }
}

void hprof_put_bytes(struct hprof_output *output, const void *bytes, size_t size) {
    const uint8_t *from = bytes;
    while (size) {
        size_t part = size < HPROF_OUTPUT_SIZE ? size : HPROF_OUTPUT_SIZE;
        memcpy(hprof_room(output, part), from, part);
        from += part;
        size -= part;
    }
}

void hprof_put_zeros(struct hprof_output *output, uint64_t size) {
    while (size) {
        size_t part = size < HPROF_OUTPUT_SIZE ? (size_t)size : HPROF_OUTPUT_SIZE;
        memset(hprof_room(output, part), 0, part);
        size -= part;
    }
}

/* ---- Records ---- */

/* A large segment's length was known from the beginning, and may have left the buffer. */
static void end_segment(struct hprof_output *output) {
    if (output->in_segment && !output->is_large)
        hprof_store_u4(output->buffer + output->segment - 4,
                       (uint32_t)(output->used - output->segment));
    output->in_segment = false;
    hprof_flush(output);
}

static void put_header(struct hprof_output *output, enum hprof_tag tag, uint32_t length) {
    hprof_put_u1(output, (uint8_t)tag);
    hprof_put_u4(output, 0);
    hprof_put_u4(output, length);
}

void hprof_put_record(struct hprof_output *output, enum hprof_tag tag, uint32_t length) {
    if (output->in_segment)
        end_segment(output);
    put_header(output, tag, length);
}

void hprof_put_object(struct hprof_output *output, enum hprof_heap_tag tag, uint64_t size) {
    bool has_room = output->in_segment && !output->is_large &&
                    output->used - output->segment + size <= HPROF_MOST_SEGMENT;
    if (!has_room) {
        end_segment(output);
        output->is_large = size > HPROF_MOST_SEGMENT;
        put_header(output, HPROF_HEAP_SEGMENT, output->is_large ? (uint32_t)size : 0);
        output->segment = output->used;
        output->in_segment = true;
    }
    hprof_put_u1(output, (uint8_t)tag);
}

void hprof_put_end(struct hprof_output *output) {
    hprof_put_record(output, HPROF_HEAP_END, 0);
    hprof_flush(output);
}

/* ---- Strings ---- */

/* The character at the beginning, and its bytes in *length_ret: '?' and 1 where there is none. */
static uint32_t next_character(const uint8_t *bytes, size_t left, unsigned *length_ret) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned length = bytes[0] < 0x80   ? 1
                      : bytes[0] < 0xc0 ? 0
                      : bytes[0] < 0xe0 ? 2
                      : bytes[0] < 0xf0 ? 3
                      : bytes[0] < 0xf8 ? 4
                                        : 0;
    uint32_t character = length < 2 ? bytes[0] : bytes[0] & (0x7fu >> length);
    bool is_sound = length && length <= left;
    for (unsigned i = 1; is_sound && i < length; i++) {
        is_sound = (bytes[i] & 0xc0) == 0x80;
        character = character << 6 | (bytes[i] & 0x3f);
    }
    is_sound = is_sound && character >= least[length] && character <= 0x10ffff &&
               (character < 0xd800 || character > 0xdfff);
    *length_ret = is_sound ? length : 1;
    return is_sound ? character : '?';
}

static unsigned put_three(uint8_t *at, uint32_t character) {
    at[0] = (uint8_t)(0xe0 | character >> 12);
    at[1] = (uint8_t)(0x80 | (character >> 6 & 0x3f));
    at[2] = (uint8_t)(0x80 | (character & 0x3f));
    return 3;
}

/* At most 6 bytes. */
static unsigned encode(uint32_t character, uint8_t *at) {
    if (character && character < 0x80) {
        at[0] = (uint8_t)character;
        return 1;
    }
    if (character < 0x800) {
        at[0] = (uint8_t)(0xc0 | character >> 6);
        at[1] = (uint8_t)(0x80 | (character & 0x3f));
        return 2;
    }
    if (character < 0x10000)
        return put_three(at, character);
    character -= 0x10000;
    return put_three(at, 0xd800 | character >> 10) +
           put_three(at + 3, 0xdc00 | (character & 0x3ff));
}

void hprof_put_string(struct hprof_output *output, uint64_t id, struct loupe_span text) {
    enum { ID_SIZE = 8, LONGEST = 1 << 16 };
    const uint8_t *bytes = (const uint8_t *)text.bytes;
    size_t end = text.length < LONGEST ? text.length : LONGEST;
    uint32_t length = 0;
    uint8_t encoded[6];
    unsigned step;
    for (size_t at = 0; at < end; at += step)
        length += encode(next_character(bytes + at, end - at, &step), encoded);
    hprof_put_record(output, HPROF_STRING, ID_SIZE + length);
    hprof_put_u8(output, id);
    for (size_t at = 0; at < end; at += step) {
        uint32_t character = next_character(bytes + at, end - at, &step);
        hprof_put_bytes(output, encoded, encode(character, encoded));
    }
}
