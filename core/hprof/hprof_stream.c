#include "hprof/hprof_stream.h"

#include <string.h>

enum { WINDOW = 1 << 18 };

enum loupe_status hprof_stream_init(struct hprof_stream *stream,
                                    const struct loupe_byte_source *source,
                                    const struct loupe_chunk_ops *chunks) {
    *stream = (struct hprof_stream){.source = source, .chunks = chunks, .room = WINDOW};
    stream->window = loupe_chunk_get(chunks, stream->room);
    return stream->window ? LOUPE_OK : LOUPE_ENOMEM;
}

void hprof_stream_deinit(struct hprof_stream *stream) {
    loupe_chunk_put(stream->chunks, stream->window, stream->room);
    stream->window = NULL;
}

/* ---- Reading ---- */

static bool make_room(struct hprof_stream *stream, size_t wanted) {
    size_t room = stream->room;
    while (room < wanted)
        room *= 2;
    if (room > stream->room) {
        uint8_t *grown = loupe_chunk_grow(stream->chunks, stream->window, stream->room, room);
        if (!grown) {
            stream->status = LOUPE_ENOMEM;
            return false;
        }
        stream->window = grown;
        stream->room = room;
    }
    memmove(stream->window, stream->window + stream->from, stream->to - stream->from);
    stream->to -= stream->from;
    stream->from = 0;
    return true;
}

static void read_more(struct hprof_stream *stream) {
    size_t got = 0;
    if (!stream->source->read(stream->source->ctx, stream->window + stream->to,
                              stream->room - stream->to, &got))
        stream->status = LOUPE_EFAULT;
    stream->is_over = !got || stream->status;
    stream->to += got;
}

size_t hprof_stream_fill(struct hprof_stream *stream, size_t wanted) {
    if (stream->to - stream->from < wanted && !stream->is_over &&
        (stream->room - stream->from >= wanted || make_room(stream, wanted))) {
        while (stream->to - stream->from < wanted && !stream->is_over)
            read_more(stream);
    }
    return stream->to - stream->from;
}

static size_t take(struct hprof_stream *stream, uint64_t most) {
    if (stream->from == stream->to) {
        stream->from = stream->to = 0;
        hprof_stream_fill(stream, 1);
    }
    size_t there = stream->to - stream->from;
    return most < there ? (size_t)most : there;
}

static void move_on(struct hprof_stream *stream, size_t count) {
    stream->from += count;
    stream->position += count;
}

uint64_t hprof_stream_skip(struct hprof_stream *stream, uint64_t count) {
    uint64_t left = count;
    while (left) {
        size_t part = take(stream, left);
        if (!part)
            break;
        move_on(stream, part);
        left -= part;
    }
    return count - left;
}

/* ---- Keeping ---- */

bool hprof_keep(struct hprof_stream *stream, struct hprof_kept *kept, const uint8_t *bytes,
                size_t count) {
    if (count > kept->most - kept->used) {
        kept->is_full = true;
        return false;
    }
    size_t room = kept->room ? kept->room : 1 << 16;
    while (room - kept->used < count)
        room *= 2;
    if (room > kept->room) {
        uint8_t *grown = loupe_chunk_grow(stream->chunks, kept->bytes, kept->room, room);
        if (!grown) {
            stream->status = LOUPE_ENOMEM;
            return false;
        }
        kept->bytes = grown;
        kept->room = room;
    }
    memcpy(kept->bytes + kept->used, bytes, count);
    kept->used += count;
    return true;
}

bool hprof_stream_keep(struct hprof_stream *stream, struct hprof_kept *kept, uint64_t count) {
    size_t before = kept->used;
    uint64_t left = count;
    bool is_whole = count <= kept->most - kept->used;
    kept->is_full |= !is_whole;
    while (left && is_whole) {
        size_t part = take(stream, left);
        is_whole = part && hprof_keep(stream, kept, hprof_stream_at(stream), part);
        move_on(stream, part);
        left -= part;
    }
    if (!is_whole) {
        kept->used = before;
        hprof_stream_skip(stream, left);
    }
    return is_whole;
}
