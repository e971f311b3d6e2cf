#define _DEFAULT_SOURCE /* S_ISREG() */

#include "heaps/opened/byte_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAIT = 200 }; /* milliseconds, after which the time is looked at */

/* ---- What stands in the file ---- */

static bool fail(struct byte_stream *stream, const char *problem) {
    stream->problem = problem;
    return false;
}

const char *byte_stream_wait(int descriptor, loupe_stop stop, uint8_t *to, size_t size,
                             size_t *ret) {
    for (;;) {
        struct pollfd input = {.fd = descriptor, .events = POLLIN};
        if (*stop)
            return "--timeout ended before all of it was there";
        int ready = poll(&input, 1, WAIT);
        if (ready < 0 && errno != EINTR)
            return strerror(errno);
        if (ready <= 0)
            continue;
        ssize_t got = read(descriptor, to, size);
        if (got < 0 && errno != EINTR)
            return strerror(errno);
        if (got < 0)
            continue;
        *ret = (size_t)got;
        return NULL;
    }
}

static bool read_descriptor(struct byte_stream *stream, uint8_t *to, size_t size, size_t *ret) {
    const char *problem = byte_stream_wait(stream->descriptor, stream->stop, to, size, ret);
    return !problem || fail(stream, problem);
}

static bool read_packed(void *ctx, uint8_t *to, size_t size, size_t *ret) {
    struct byte_stream *stream = ctx;
    size_t first = stream->first_to - stream->first_from;
    if (first) {
        *ret = size < first ? size : first;
        memcpy(to, stream->first + stream->first_from, *ret);
        stream->first_from += *ret;
        return true;
    }
    if (stream->descriptor >= 0) {
        if (!read_descriptor(stream, to, size, ret))
            return false;
    } else {
        uint64_t left = stream->size - stream->taken;
        *ret = size < left ? size : (size_t)left;
        memcpy(to, stream->bytes + stream->taken, *ret);
    }
    stream->taken += *ret;
    return true;
}

/* ---- What it holds ---- */

static bool read_unpacked(void *ctx, uint8_t *to, size_t size, size_t *ret) {
    struct byte_stream *stream = ctx;
    if (!heap_unpacker_read(stream->unpacker, to, size, ret))
        return false;
    if (!*ret)
        stream->damaged_at = heap_unpacker_damage(stream->unpacker);
    return true;
}

/* By its first bytes. */
static const char *begin(struct byte_stream *stream) {
    size_t got = 1;
    const char *problem = NULL;
    /* Cap: as many as tell what it is. */
    while (stream->first_to < BYTE_STREAM_FIRST && got) {
        size_t used = stream->first_to;
        stream->first_from = stream->first_to; /* nothing is given back so far */
        if (!read_packed(stream, stream->first + used, BYTE_STREAM_FIRST - used, &got))
            return stream->problem;
        stream->first_to = used + got;
    }
    stream->first_from = 0;
    stream->source = (struct loupe_byte_source){read_packed, stream, stream->size};
    const char *packer = heap_packed_by(stream->first, stream->first_to);
    if (!packer)
        return stream->first_to ? NULL : "is empty";
    stream->unpacker = heap_unpacker_open(packer, &stream->source, &problem);
    stream->source = (struct loupe_byte_source){read_unpacked, stream, 0};
    return problem;
}

static const char *open_path(struct byte_stream *stream, const char *path) {
    struct stat status;
    bool is_input = strcmp(path, "-") == 0;
    if (is_input && isatty(STDIN_FILENO))
        return BYTE_STREAM_NOT_PIPED;
    stream->descriptor = is_input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (stream->descriptor < 0 || fstat(stream->descriptor, &status))
        return strerror(errno);
    if (S_ISDIR(status.st_mode))
        return "is a directory";
    if (S_ISREG(status.st_mode))
        stream->size = (uint64_t)status.st_size;
    return NULL;
}

const char *byte_stream_open(struct byte_stream *stream, const char *path, loupe_stop stop) {
    *stream = (struct byte_stream){.descriptor = -1, .damaged_at = UINT64_MAX, .stop = stop};
    const char *problem = open_path(stream, path);
    if (!problem)
        problem = begin(stream);
    if (problem)
        byte_stream_close(stream);
    return problem;
}

const char *byte_stream_of(struct byte_stream *stream, const uint8_t *bytes, uint64_t size,
                           loupe_stop stop) {
    *stream = (struct byte_stream){
        .descriptor = -1, .damaged_at = UINT64_MAX, .stop = stop, .bytes = bytes, .size = size};
    const char *problem = begin(stream);
    if (problem)
        byte_stream_close(stream);
    return problem;
}

void byte_stream_close(struct byte_stream *stream) {
    heap_unpacker_close(stream->unpacker);
    stream->unpacker = NULL;
    if (stream->descriptor >= 0)
        close(stream->descriptor);
    stream->descriptor = -1;
}
