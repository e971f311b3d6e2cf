/* Lines of source, from the file of an image or the one with its debug information. */
#include "image/format.h"
#include "target/parts.h"

#include <string.h>

#ifdef LOUPE_HAS_ZLIB
#include <zlib.h>
#endif
#ifdef LOUPE_HAS_ZSTD
#include <zstd.h>
#endif

enum {
    PACKED_BY_ZLIB = 1,
    PACKED_BY_ZSTD = 2,
    HEADER_64 = 24, /* of a packed section: which way, and how large it is unpacked */
    HEADER_32 = 12,
    OLD_HEADER = 12, /* "ZLIB" and the size, the highest byte first */
    /* Nothing is made smaller than that: by zlib, and by zstd, which writes 128 kB of one byte
       as 4. */
    MOST_GAIN_OF_ZLIB = 1100,
    MOST_GAIN_OF_ZSTD = 32768
};

/* What of a section has to be unpacked, and how large it gets. */
struct packed {
    struct loupe_span bytes;
    uint64_t size;
    bool by_zstd;
};

static bool read_packed(const struct loupe_reader_file *file, const struct loupe_image_part *part,
                        unsigned pointer_size, struct packed *ret) {
    const uint8_t *header = file->bytes + part->offset;
    unsigned header_size = part->packed_zlib   ? OLD_HEADER
                           : pointer_size == 8 ? HEADER_64
                                               : HEADER_32;
    if (part->size < header_size)
        return false;
    *ret = (struct packed){.bytes = {.bytes = (const char *)header + header_size,
                                     .length = (size_t)(part->size - header_size)}};
    if (part->packed_zlib) {
        /* Cap: all bytes of a number. */
        for (unsigned i = 4; i < OLD_HEADER; i++)
            ret->size = ret->size << 8 | header[i];
        return memcmp(header, "ZLIB", 4) == 0;
    }
    ret->size = pointer_size == 8 ? loupe_number_at(header, 8, 8) : loupe_number_at(header, 4, 4);
    uint64_t packer = loupe_number_at(header, 0, 4);
    ret->by_zstd = packer == PACKED_BY_ZSTD;
    return packer == PACKED_BY_ZLIB || packer == PACKED_BY_ZSTD;
}

#ifdef LOUPE_HAS_ZLIB
static bool inflate_all(const struct packed *packed, uint8_t *dst) {
    z_stream stream = {.next_in = (uint8_t *)(uintptr_t)packed->bytes.bytes};
    uint64_t in_left = packed->bytes.length, out_left = packed->size;
    int status = inflateInit(&stream);
    if (status != Z_OK)
        return false;
    stream.next_out = dst;
    do { /* zlib counts in 32 bits */
        uInt in = in_left < UINT32_MAX ? (uInt)in_left : UINT32_MAX;
        uInt out = out_left < UINT32_MAX ? (uInt)out_left : UINT32_MAX;
        stream.avail_in = in;
        stream.avail_out = out;
        status = inflate(&stream, Z_NO_FLUSH);
        in_left -= in - stream.avail_in;
        out_left -= out - stream.avail_out;
    } while (status == Z_OK);
    inflateEnd(&stream);
    return status == Z_STREAM_END && !out_left;
}
#else
static bool inflate_all(const struct packed *packed, uint8_t *dst) {
    (void)packed;
    (void)dst;
    return false;
}
#endif

#ifdef LOUPE_HAS_ZSTD
static bool decompress_all(const struct packed *packed, uint8_t *dst) {
    return ZSTD_decompress(dst, packed->size, packed->bytes.bytes, packed->bytes.length) ==
           packed->size;
}
#else
static bool decompress_all(const struct packed *packed, uint8_t *dst) {
    (void)packed;
    (void)dst;
    return false;
}
#endif

/* Unpacked into the reader's arena: they last as long as it. */
static bool unpack(struct loupe_reader *reader, const struct packed *packed,
                   struct loupe_span *ret) {
    uint64_t most_gain = packed->by_zstd ? MOST_GAIN_OF_ZSTD : MOST_GAIN_OF_ZLIB;
    if (!packed->size || packed->size / most_gain > packed->bytes.length)
        return false;
    uint8_t *bytes = loupe_arena_alloc(&reader->arena, (size_t)packed->size);
    if (!bytes || !(packed->by_zstd ? decompress_all : inflate_all)(packed, bytes))
        return false;
    *ret = (struct loupe_span){.bytes = (const char *)bytes, .length = (size_t)packed->size};
    return true;
}

struct loupe_span loupe_reader_section(struct loupe_reader *reader, struct loupe_reader_file *file,
                                       const char *name) {
    struct loupe_span found = {.bytes = ""};
    struct loupe_image_part part;
    struct packed packed;
    if (!loupe_image_find_part(&file->memory, name, &part) ||
        !loupe_range_holds(0, file->size, part.offset, part.size))
        return found;
    if (!part.packed && !part.packed_zlib)
        return (struct loupe_span){.bytes = (const char *)file->bytes + part.offset,
                                   .length = (size_t)part.size};
    if (!read_packed(file, &part, reader->machine.pointer_size, &packed) ||
        !unpack(reader, &packed, &found))
        reader->missing.packed_lines++;
    return found;
}

/* The first of the two files that has lines. */
static void find_lines(struct loupe_reader *reader, struct loupe_reader_image *loaded) {
    struct loupe_reader_file *files[] = {loaded->file, loaded->debug_file};
    struct loupe_line_sections sections = {.lines = {.bytes = ""}};
    for (unsigned i = 0; i < 2 && !sections.lines.length; i++) {
        if (!files[i])
            continue;
        sections.lines = loupe_reader_section(reader, files[i], "debug_line");
        if (sections.lines.length) {
            sections.line_strings = loupe_reader_section(reader, files[i], "debug_line_str");
            sections.strings = loupe_reader_section(reader, files[i], "debug_str");
        }
    }
    loupe_lines_init(&loaded->lines, &sections, reader->options.chunks);
}

bool loupe_reader_line(struct loupe_reader *reader, loupe_addr addr, char *path, size_t cap,
                       uint32_t *line_ret) {
    struct loupe_reader_image *loaded = loupe_reader_image(reader, addr);
    if (!loaded)
        return false;
    loupe_reader_find_symbols(reader, loaded);
    if (!loaded->has_lines)
        find_lines(reader, loaded);
    loaded->has_lines = true;
    return loupe_lines_find(&loaded->lines, addr - loaded->image.bias, path, cap, line_ret);
}
