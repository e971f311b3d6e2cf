/* Heap dumps that were packed by gzip: as one stream, or as many small ones behind each other. */
#include "heap_file.h"

#ifdef LOUPE_HAS_ZLIB

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum { OUT_SIZE = 1 << 20, GZIP_ONLY = 16 };

static const char *write_all(int to, const uint8_t *bytes, size_t size) {
    while (size) {
        ssize_t written = write(to, bytes, size);
        if (written <= 0)
            return "there is no room for it unpacked in the temporary folder (TMPDIR)";
        bytes += written;
        size -= (size_t)written;
    }
    return NULL;
}

static bool is_zero(const uint8_t *bytes, uint64_t size) {
    for (uint64_t i = 0; i < size; i++) {
        if (bytes[i])
            return false;
    }
    return true;
}

struct packed {
    z_stream stream;
    const uint8_t *bytes;
    uint64_t size, taken;
    uint8_t *out;
    int to;
    bool is_damaged, is_whole; /* the latter at its end */
};

/* What a part of the input holds. At the end of a member comes the next one, or nothing. */
static const char *unpack_part(struct packed *packed, uInt given) {
    z_stream *stream = &packed->stream;
    const uint8_t *end = packed->bytes + packed->taken + given;
    stream->next_in = (Bytef *)(uintptr_t)(packed->bytes + packed->taken);
    stream->avail_in = given;
    do {
        stream->next_out = packed->out;
        stream->avail_out = OUT_SIZE;
        int code = inflate(stream, Z_NO_FLUSH);
        const char *problem = write_all(packed->to, packed->out, OUT_SIZE - stream->avail_out);
        if (problem)
            return problem;
        packed->taken = (uint64_t)(end - packed->bytes) - stream->avail_in;
        if (code == Z_BUF_ERROR)
            break;
        packed->is_damaged = code != Z_OK && code != Z_STREAM_END;
        if (packed->is_damaged)
            break;
        if (code == Z_STREAM_END) {
            if (is_zero(packed->bytes + packed->taken, packed->size - packed->taken)) {
                packed->taken = packed->size;
                packed->is_whole = true;
                break;
            }
            inflateReset(stream);
        }
    } while (stream->avail_in || stream->avail_out == 0);
    return NULL;
}

static const char *unpack(struct packed *packed,
                          bool (*progress)(void *ctx, uint64_t done, uint64_t of), void *ctx) {
    while (packed->taken < packed->size && !packed->is_damaged) {
        uint64_t left = packed->size - packed->taken, taken = packed->taken;
        const char *problem = unpack_part(packed, left < OUT_SIZE ? (uInt)left : (uInt)OUT_SIZE);
        if (problem)
            return problem;
        if (progress && progress(ctx, packed->taken, packed->size))
            return "unpacking it was stopped";
        packed->is_damaged = packed->is_damaged || packed->taken == taken;
    }
    return NULL;
}

const char *heap_gunzip(const uint8_t *bytes, uint64_t size, int to, uint64_t *damage_ret,
                        bool (*progress)(void *ctx, uint64_t done, uint64_t of), void *ctx) {
    struct packed packed = {.bytes = bytes, .size = size, .to = to, .out = malloc(OUT_SIZE)};
    const char *problem = "no memory to unpack it";
    if (packed.out && inflateInit2(&packed.stream, MAX_WBITS + GZIP_ONLY) == Z_OK) {
        problem = unpack(&packed, progress, ctx);
        inflateEnd(&packed.stream);
    }
    *damage_ret = packed.is_whole ? UINT64_MAX : packed.taken;
    free(packed.out);
    return problem;
}

#else

const char *heap_gunzip(const uint8_t *bytes, uint64_t size, int to, uint64_t *damage_ret,
                        bool (*progress)(void *ctx, uint64_t done, uint64_t of), void *ctx) {
    (void)bytes;
    (void)size;
    (void)to;
    (void)damage_ret;
    (void)progress;
    (void)ctx;
    return "it is packed by gzip, and this loupe was built without zlib: unpack it with gunzip";
}

#endif
