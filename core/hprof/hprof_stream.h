/*
 * hprof_stream.h - bytes that come one after the other, through a window that is as long as the
 * longest record that has to be seen at once; and bytes that are kept of them.
 */
#ifndef LOUPE_HPROF_STREAM_H
#define LOUPE_HPROF_STREAM_H

#include "base/arena.h"
#include "base/byte_source.h"
#include "base/status.h"

struct hprof_stream {
    const struct loupe_byte_source *source;
    const struct loupe_chunk_ops *chunks;
    uint8_t *window;
    size_t room, from, to;
    uint64_t position; /* of window[from] in all */
    bool is_over;      /* nothing comes behind what is in the window */
    enum loupe_status status;
};

/* Bytes that grow up to a limit. */
struct hprof_kept {
    uint8_t *bytes;
    size_t used, room, most;
    bool is_full; /* something was left out */
};

enum loupe_status hprof_stream_init(struct hprof_stream *stream,
                                    const struct loupe_byte_source *source,
                                    const struct loupe_chunk_ops *chunks);
void hprof_stream_deinit(struct hprof_stream *stream);

/* How many bytes are in the window: as many as are wanted, unless all ends before. */
size_t hprof_stream_fill(struct hprof_stream *stream, size_t wanted);

static inline const uint8_t *hprof_stream_at(const struct hprof_stream *stream) {
    return stream->window + stream->from;
}

/* How many were passed over: fewer only where all ends. */
uint64_t hprof_stream_skip(struct hprof_stream *stream, uint64_t count);

/* Keeps so many bytes that are in the window or anywhere. False: that is beyond the limit, which is
 * noted, or there is no memory (*status). */
bool hprof_keep(struct hprof_stream *stream, struct hprof_kept *kept, const uint8_t *bytes,
                size_t count);
/* Passes over bytes and keeps them. False: they were not kept whole, and nothing of them is. */
bool hprof_stream_keep(struct hprof_stream *stream, struct hprof_kept *kept, uint64_t count);

#endif
