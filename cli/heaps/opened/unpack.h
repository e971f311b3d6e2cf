/*
 * unpack.h - heaps that were packed by gzip or zstd, as one stream or as many small ones behind
 * each other: unpacked byte after byte, or into a file.
 */
#ifndef LOUPE_CLI_UNPACK_H
#define LOUPE_CLI_UNPACK_H

#include "base/byte_source.h"

/* "gzip", "zstd" by the first bytes; NULL: it is not packed, or by something else. */
const char *heap_packed_by(const uint8_t *bytes, uint64_t size);

struct heap_unpacker;

/*
 * What a source gives when it is unpacked: streams of one packer that follow each other, up to
 * where they are damaged, end too early, or something else follows. Zeros behind them are nothing.
 * packer is what heap_packed_by() returned. NULL, and *problem_ret says why.
 */
struct heap_unpacker *heap_unpacker_open(const char *packer, const struct loupe_byte_source *packed,
                                         const char **problem_ret);
/* As read() of a struct loupe_byte_source. */
bool heap_unpacker_read(void *unpacker, uint8_t *to, size_t size, size_t *ret);
/* Once nothing more came: the place in what is packed up to which it could be unpacked, or
 * UINT64_MAX where all is well. */
uint64_t heap_unpacker_damage(const struct heap_unpacker *unpacker);
void heap_unpacker_close(struct heap_unpacker *unpacker);

struct heap_unpacking {
    int to;                                                  /* an open file */
    bool (*progress)(void *ctx, uint64_t done, uint64_t of); /* true: stop; may be NULL */
    void *ctx;
};

/* All of it into a file. NULL, or why it was not unpacked. */
const char *heap_unpack(const uint8_t *bytes, uint64_t size, const struct heap_unpacking *unpacking,
                        uint64_t *damage_ret);

#endif
