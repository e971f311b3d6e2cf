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

static const char *unpack(z_stream *stream, const uint8_t *bytes, uint64_t size, int to,
                          uint8_t *out, bool (*progress)(void *ctx, uint64_t done, uint64_t of),
                          void *ctx) {
    uint64_t taken = 0;
    while (taken < size) {
        uInt given = size - taken < OUT_SIZE ? (uInt)(size - taken) : OUT_SIZE;
        stream->next_in = (Bytef *)(uintptr_t)(bytes + taken);
        stream->avail_in = given;
        do {
            stream->next_out = out;
            stream->avail_out = OUT_SIZE;
            int code = inflate(stream, Z_NO_FLUSH);
            if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
                return "its gzip data are damaged";
            const char *problem = write_all(to, out, OUT_SIZE - stream->avail_out);
            if (problem)
                return problem;
            if (code == Z_STREAM_END) {
                if (stream->avail_in == 0 && taken + given == size)
                    return NULL;
                inflateReset(stream); /* the next member */
            } else if (code == Z_BUF_ERROR) {
                break;
            }
        } while (stream->avail_in || stream->avail_out == 0);
        taken += given - stream->avail_in;
        if (given == stream->avail_in)
            return "its gzip data are damaged";
        if (progress && progress(ctx, taken, size))
            return "unpacking it was stopped";
    }
    return "its gzip data end too early";
}

const char *heap_gunzip(const uint8_t *bytes, uint64_t size, int to,
                        bool (*progress)(void *ctx, uint64_t done, uint64_t of), void *ctx) {
    z_stream stream = {0};
    uint8_t *out = malloc(OUT_SIZE);
    const char *problem = "no memory to unpack it";
    if (out && inflateInit2(&stream, MAX_WBITS + GZIP_ONLY) == Z_OK) {
        problem = unpack(&stream, bytes, size, to, out, progress, ctx);
        inflateEnd(&stream);
    }
    free(out);
    return problem;
}

#else

const char *heap_gunzip(const uint8_t *bytes, uint64_t size, int to,
                        bool (*progress)(void *ctx, uint64_t done, uint64_t of), void *ctx) {
    (void)bytes;
    (void)size;
    (void)to;
    (void)progress;
    (void)ctx;
    return "it is packed by gzip, and this loupe was built without zlib: unpack it with gunzip";
}

#endif
