#include "heaps/opened/unpack.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LOUPE_HAS_ZLIB
#include <zlib.h>
#endif
#ifdef LOUPE_HAS_ZSTD
#include <zstd.h>
#endif

enum { IN_SIZE = 1 << 16, OUT_SIZE = 1 << 20, GZIP_ONLY = 16 };

static const char no_memory[] = "out of memory while unpacking it";

struct packer {
    const char *name;
    uint8_t magic[4], length;
    /* What goes with one stream after the other. NULL, or why there is none. */
    const char *(*open)(void **state_ret);
    /* From what is in the unpacker to `to`; how many bytes. */
    size_t (*unpack)(struct heap_unpacker *unpacker, uint8_t *to, size_t size);
    void (*close)(void *state);
};

struct heap_unpacker {
    const struct packer *packer;
    struct loupe_byte_source packed;
    void *state;
    uint64_t taken; /* of what is packed */
    uint64_t ended; /* where the last stream ended */
    size_t from, to;
    bool is_between; /* streams: behind one that ended */
    bool has_zeros;  /* behind it, and nothing else so far */
    bool is_over;    /* what is packed has no more bytes */
    bool is_damaged, is_whole;
    uint8_t bytes[IN_SIZE];
};

#if defined(LOUPE_HAS_ZLIB) || defined(LOUPE_HAS_ZSTD)
static void end_stream(struct heap_unpacker *unpacker) {
    unpacker->is_between = true;
    unpacker->has_zeros = false;
    unpacker->ended = unpacker->taken;
}

static void take_in(struct heap_unpacker *unpacker, size_t count) {
    unpacker->from += count;
    unpacker->taken += count;
}
#endif

/* ---- gzip ---- */

#ifdef LOUPE_HAS_ZLIB
static const char *open_gzip(void **state_ret) {
    z_stream *stream = calloc(1, sizeof(*stream));
    if (!stream || inflateInit2(stream, MAX_WBITS + GZIP_ONLY) != Z_OK) {
        free(stream);
        return no_memory;
    }
    *state_ret = stream;
    return NULL;
}

static size_t gunzip(struct heap_unpacker *unpacker, uint8_t *to, size_t size) {
    z_stream *stream = unpacker->state;
    size_t given = unpacker->to - unpacker->from;
    stream->next_in = unpacker->bytes + unpacker->from;
    stream->avail_in = (uInt)given;
    stream->next_out = to;
    stream->avail_out = size < OUT_SIZE ? (uInt)size : OUT_SIZE;
    uInt room = stream->avail_out;
    int code = inflate(stream, Z_NO_FLUSH);
    take_in(unpacker, given - stream->avail_in);
    unpacker->is_damaged = code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR;
    if (code == Z_STREAM_END) {
        inflateReset(stream);
        end_stream(unpacker);
    }
    return room - stream->avail_out;
}

static void close_gzip(void *state) {
    inflateEnd(state);
    free(state);
}
#else
static const char *open_gzip(void **state_ret) {
    (void)state_ret;
    return "it is packed by gzip, and this loupe was built without zlib: unpack it with gunzip";
}
#define gunzip     NULL
#define close_gzip NULL
#endif

/* ---- zstd ---- */

#ifdef LOUPE_HAS_ZSTD
static const char *open_zstd(void **state_ret) {
    *state_ret = ZSTD_createDStream();
    return *state_ret ? NULL : no_memory;
}

static size_t unzstd(struct heap_unpacker *unpacker, uint8_t *to, size_t size) {
    ZSTD_inBuffer in = {.src = unpacker->bytes + unpacker->from,
                        .size = unpacker->to - unpacker->from};
    ZSTD_outBuffer out = {.dst = to, .size = size};
    size_t left = ZSTD_decompressStream(unpacker->state, &out, &in);
    take_in(unpacker, in.pos);
    unpacker->is_damaged = ZSTD_isError(left);
    if (!left)
        end_stream(unpacker);
    return out.pos;
}

static void close_zstd(void *state) {
    ZSTD_freeDStream(state);
}
#else
static const char *open_zstd(void **state_ret) {
    (void)state_ret;
    return "it is packed by zstd, and this loupe was built without libzstd: unpack it with zstd -d";
}
#define unzstd     NULL
#define close_zstd NULL
#endif

static const struct packer packers[] = {
    {"gzip", {0x1f, 0x8b}, 2, open_gzip, gunzip, close_gzip},
    {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, open_zstd, unzstd, close_zstd}};
enum { PACKERS = sizeof(packers) / sizeof(packers[0]) };

const char *heap_packed_by(const uint8_t *bytes, uint64_t size) {
    /* Cap: all of a table. */
    for (unsigned i = 0; i < PACKERS; i++) {
        if (size > packers[i].length && !memcmp(bytes, packers[i].magic, packers[i].length))
            return packers[i].name;
    }
    return NULL;
}

/* ---- Either, byte after byte ---- */

struct heap_unpacker *heap_unpacker_open(const char *packer, const struct loupe_byte_source *packed,
                                         const char **problem_ret) {
    struct heap_unpacker *unpacker = calloc(1, sizeof(*unpacker));
    const char *problem = unpacker ? "it is packed by something else" : no_memory;
    /* Cap: all of a table. */
    for (unsigned i = 0; unpacker && i < PACKERS; i++) {
        if (strcmp(packers[i].name, packer) != 0)
            continue;
        unpacker->packer = &packers[i];
        problem = packers[i].open(&unpacker->state);
    }
    if (unpacker)
        unpacker->packed = *packed;
    if (!problem)
        return unpacker;
    free(unpacker);
    *problem_ret = problem;
    return NULL;
}

void heap_unpacker_close(struct heap_unpacker *unpacker) {
    if (!unpacker)
        return;
    unpacker->packer->close(unpacker->state);
    free(unpacker);
}

uint64_t heap_unpacker_damage(const struct heap_unpacker *unpacker) {
    return unpacker->is_whole     ? UINT64_MAX
           : unpacker->is_between ? unpacker->ended
                                  : unpacker->taken;
}

/* More of what is packed, where all that was there is used up. False: it cannot be read. */
static bool refill(struct heap_unpacker *unpacker) {
    if (unpacker->from < unpacker->to || unpacker->is_over)
        return true;
    unpacker->from = unpacker->to = 0;
    size_t got = 0;
    if (!unpacker->packed.read(unpacker->packed.ctx, unpacker->bytes, IN_SIZE, &got))
        return false;
    unpacker->to = got;
    unpacker->is_over = !got;
    return true;
}

/* Behind a stream comes the next one, or zeros, or nothing. */
static void pass_between(struct heap_unpacker *unpacker) {
    for (; unpacker->from < unpacker->to && !unpacker->bytes[unpacker->from]; unpacker->from++) {
        unpacker->has_zeros = true;
        unpacker->taken++;
    }
    if (unpacker->from == unpacker->to)
        return;
    unpacker->is_damaged = unpacker->has_zeros;
    unpacker->is_between = unpacker->has_zeros;
}

bool heap_unpacker_read(void *ctx, uint8_t *to, size_t size, size_t *ret) {
    struct heap_unpacker *unpacker = ctx;
    *ret = 0;
    while (!*ret && !unpacker->is_damaged) {
        if (!refill(unpacker))
            return false;
        if (unpacker->is_between)
            pass_between(unpacker);
        unpacker->is_whole = unpacker->is_between && unpacker->is_over;
        if (unpacker->is_whole || unpacker->is_damaged)
            break;
        if (unpacker->is_between)
            continue;
        uint64_t taken = unpacker->taken;
        *ret = unpacker->packer->unpack(unpacker, to, size);
        if (!*ret && unpacker->taken == taken &&
            (unpacker->is_over || unpacker->from < unpacker->to))
            unpacker->is_damaged = true; /* it ends too early, or makes no headway */
    }
    return true;
}

/* ---- Either, into a file ---- */

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

struct mapped {
    const uint8_t *bytes;
    uint64_t size, at;
};

static bool read_mapped(void *ctx, uint8_t *to, size_t size, size_t *ret) {
    struct mapped *mapped = ctx;
    uint64_t left = mapped->size - mapped->at;
    *ret = size < left ? size : (size_t)left;
    memcpy(to, mapped->bytes + mapped->at, *ret);
    mapped->at += *ret;
    return true;
}

static const char *unpack_all(struct heap_unpacker *unpacker, uint64_t size,
                              const struct heap_unpacking *unpacking, uint8_t *out) {
    size_t got;
    do {
        heap_unpacker_read(unpacker, out, OUT_SIZE, &got);
        const char *problem = write_all(unpacking->to, out, got);
        if (problem)
            return problem;
        if (unpacking->progress && unpacking->progress(unpacking->ctx, unpacker->taken, size))
            return "unpacking it was stopped";
    } while (got);
    return NULL;
}

const char *heap_unpack(const uint8_t *bytes, uint64_t size, const struct heap_unpacking *unpacking,
                        uint64_t *damage_ret) {
    struct mapped mapped = {.bytes = bytes, .size = size};
    struct loupe_byte_source packed = {read_mapped, &mapped, size};
    uint8_t *out = malloc(OUT_SIZE);
    const char *problem = no_memory;
    struct heap_unpacker *unpacker =
        out ? heap_unpacker_open(heap_packed_by(bytes, size), &packed, &problem) : NULL;
    if (unpacker) {
        problem = unpack_all(unpacker, size, unpacking, out);
        *damage_ret = heap_unpacker_damage(unpacker);
    }
    heap_unpacker_close(unpacker);
    free(out);
    return problem;
}
