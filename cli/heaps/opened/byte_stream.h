/*
 * byte_stream.h - a file, standard input or what is mapped, from its beginning to its end, unpacked
 * on the way: nothing of it is kept, and no other file is made.
 */
#ifndef LOUPE_CLI_BYTE_STREAM_H
#define LOUPE_CLI_BYTE_STREAM_H

#include "base/target/stop.h"
#include "heaps/opened/unpack.h"

enum { BYTE_STREAM_FIRST = 16 };

struct byte_stream {
    struct loupe_byte_source source; /* what stands in it */
    uint64_t damaged_at;             /* once it was read; UINT64_MAX: nowhere */
    uint64_t taken, size;            /* bytes of the file; size 0: not known */
    const char *problem;             /* why source could not be read on */
    int descriptor;                  /* -1: it is mapped */
    const uint8_t *bytes;
    loupe_stop stop;
    uint8_t first[BYTE_STREAM_FIRST]; /* what was looked at before */
    size_t first_from, first_to;
    struct heap_unpacker *unpacker;
};

/* "-" is standard input. stop ends what is read. NULL, or why it cannot be opened: then there is
 * nothing to close. */
const char *byte_stream_open(struct byte_stream *stream, const char *path, loupe_stop stop);
const char *byte_stream_of(struct byte_stream *stream, const uint8_t *bytes, uint64_t size,
                           loupe_stop stop);
void byte_stream_close(struct byte_stream *stream);

/* Waits for the next bytes of a file, which may be a pipe, and no longer than stop allows; 0 at its
 * end. NULL, or why there are none. */
const char *byte_stream_wait(int descriptor, loupe_stop stop, uint8_t *to, size_t size,
                             size_t *ret);

/* Why standard input cannot be read. */
#define BYTE_STREAM_NOT_PIPED "nothing is piped into it"

#endif
