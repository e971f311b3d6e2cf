/* Heaps that were packed by gzip or zstd: as one stream, or as many small ones behind each other.
 */
#include "heaps/opened/heap_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LOUPE_HAS_ZLIB
#include <zlib.h>
#endif
#ifdef LOUPE_HAS_ZSTD
#include <zstd.h>
#endif

enum { OUT_SIZE = 1 << 20, GZIP_ONLY = 16 };

static const char no_memory[] = "out of memory while unpacking it";

struct packed {
    const uint8_t *bytes;
    uint64_t size, taken;
    uint8_t *out;
    int to;
    bool is_damaged, is_whole; /* the latter at its end */
};

#if defined(LOUPE_HAS_ZLIB) || defined(LOUPE_HAS_ZSTD)
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

/* At the end of a stream comes the next one, or zeros, or nothing. */
static bool ends_here(struct packed *packed) {
    packed->is_whole = is_zero(packed->bytes + packed->taken, packed->size - packed->taken);
    if (packed->is_whole)
        packed->taken = packed->size;
    return packed->is_whole;
}
#endif

/* ---- gzip ---- */

#ifdef LOUPE_HAS_ZLIB
/* What a part of the input holds. */
static const char *inflate_part(struct packed *packed, void *state, size_t given) {
    z_stream *stream = state;
    const uint8_t *end = packed->bytes + packed->taken + given;
    stream->next_in = (Bytef *)(uintptr_t)(packed->bytes + packed->taken);
    stream->avail_in = (uInt)given;
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
        if (packed->is_damaged || (code == Z_STREAM_END && ends_here(packed)))
            break;
        if (code == Z_STREAM_END)
            inflateReset(stream);
    } while (stream->avail_in || stream->avail_out == 0);
    return NULL;
}
#endif

/* ---- zstd ---- */

#ifdef LOUPE_HAS_ZSTD
static const char *decompress_part(struct packed *packed, void *state, size_t given) {
    ZSTD_inBuffer in = {.src = packed->bytes + packed->taken, .size = given};
    ZSTD_outBuffer out = {.dst = packed->out, .size = OUT_SIZE};
    do {
        out.pos = 0;
        size_t before = in.pos, left = ZSTD_decompressStream(state, &out, &in);
        const char *problem = write_all(packed->to, packed->out, out.pos);
        if (problem)
            return problem;
        packed->taken += in.pos - before;
        packed->is_damaged = ZSTD_isError(left);
        if (packed->is_damaged || (left == 0 && ends_here(packed)))
            break;
    } while (in.pos < in.size || out.pos == OUT_SIZE);
    return NULL;
}
#endif

/* ---- Either ---- */

#if defined(LOUPE_HAS_ZLIB) || defined(LOUPE_HAS_ZSTD)
static const char *unpack(struct packed *packed,
                          const char *(*unpack_part)(struct packed *packed, void *state,
                                                     size_t given),
                          void *state, const struct heap_unpacking *unpacking) {
    while (packed->taken < packed->size && !packed->is_damaged) {
        uint64_t left = packed->size - packed->taken, taken = packed->taken;
        const char *problem = unpack_part(packed, state, left < OUT_SIZE ? (size_t)left : OUT_SIZE);
        if (problem)
            return problem;
        if (unpacking->progress && unpacking->progress(unpacking->ctx, packed->taken, packed->size))
            return "unpacking it was stopped";
        packed->is_damaged = packed->is_damaged || packed->taken == taken;
    }
    return NULL;
}
#endif

static const char *gunzip(struct packed *packed, const struct heap_unpacking *unpacking) {
#ifdef LOUPE_HAS_ZLIB
    z_stream stream = {.next_in = NULL};
    if (inflateInit2(&stream, MAX_WBITS + GZIP_ONLY) != Z_OK)
        return no_memory;
    const char *problem = unpack(packed, inflate_part, &stream, unpacking);
    inflateEnd(&stream);
    return problem;
#else
    (void)packed;
    (void)unpacking;
    return "it is packed by gzip, and this loupe was built without zlib: unpack it with gunzip";
#endif
}

static const char *unzstd(struct packed *packed, const struct heap_unpacking *unpacking) {
#ifdef LOUPE_HAS_ZSTD
    ZSTD_DStream *stream = ZSTD_createDStream();
    const char *problem = stream ? unpack(packed, decompress_part, stream, unpacking) : no_memory;
    ZSTD_freeDStream(stream);
    return problem;
#else
    (void)packed;
    (void)unpacking;
    return "it is packed by zstd, and this loupe was built without libzstd: unpack it with zstd -d";
#endif
}

static const struct packer {
    const char *name;
    uint8_t magic[4], length;
    const char *(*unpack)(struct packed *packed, const struct heap_unpacking *unpacking);
} packers[] = {{"gzip", {0x1f, 0x8b}, 2, gunzip}, {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, unzstd}};

static const struct packer *packer_of(const uint8_t *bytes, uint64_t size) {
    for (unsigned i = 0; i < sizeof(packers) / sizeof(packers[0]); i++) {
        if (size > packers[i].length && !memcmp(bytes, packers[i].magic, packers[i].length))
            return &packers[i];
    }
    return NULL;
}

const char *heap_packed_by(const uint8_t *bytes, uint64_t size) {
    const struct packer *packer = packer_of(bytes, size);
    return packer ? packer->name : NULL;
}

const char *heap_unpack(const uint8_t *bytes, uint64_t size, const struct heap_unpacking *unpacking,
                        uint64_t *damage_ret) {
    struct packed packed = {
        .bytes = bytes, .size = size, .to = unpacking->to, .out = malloc(OUT_SIZE)};
    const char *problem =
        packed.out ? packer_of(bytes, size)->unpack(&packed, unpacking) : no_memory;
    *damage_ret = packed.is_whole ? UINT64_MAX : packed.taken;
    free(packed.out);
    return problem;
}
