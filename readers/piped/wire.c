/* wire.c - messages, byte by byte. */
#include "piped/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Bodies ---- */

const uint8_t *loupe_wire_take_bytes(struct loupe_wire_body *body, size_t count) {
    if (body->is_bad || (size_t)(body->end - body->at) < count) {
        body->is_bad = true;
        return NULL;
    }
    body->at += count;
    return body->at - count;
}

static uint64_t number_at(const uint8_t *bytes, unsigned count) {
    uint64_t value = 0;
    for (unsigned i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

uint64_t loupe_wire_take(struct loupe_wire_body *body, unsigned bytes) {
    const uint8_t *taken = loupe_wire_take_bytes(body, bytes);
    return taken ? number_at(taken, bytes) : 0;
}

struct loupe_span loupe_wire_take_text(struct loupe_wire_body *body) {
    size_t length = (size_t)loupe_wire_take(body, 4);
    const uint8_t *bytes = loupe_wire_take_bytes(body, length);
    return bytes ? (struct loupe_span){(const char *)bytes, length} : (struct loupe_span){"", 0};
}

/* ---- Messages that are put together ---- */

void loupe_wire_init(struct loupe_wire *wire, int from, int to) {
    *wire = (struct loupe_wire){.from = from, .to = to};
}

void loupe_wire_deinit(struct loupe_wire *wire) {
    loupe_wire_forget_stop(wire);
    free(wire->out);
    free(wire->in);
    wire->out = wire->in = NULL;
}

static bool make_room(uint8_t **bytes, size_t *capacity, size_t size) {
    enum { LEAST = 4096 };
    if (size <= *capacity)
        return true;
    size_t room = size < LEAST ? LEAST : size + size / 2;
    uint8_t *grown = realloc(*bytes, room);
    if (!grown)
        return false;
    *bytes = grown;
    *capacity = room;
    return true;
}

void loupe_wire_put_bytes(struct loupe_wire *wire, const void *bytes, size_t count) {
    bool fits = count <= LOUPE_WIRE_HEADER + LOUPE_WIRE_LONGEST - wire->out_size;
    if (!fits || !make_room(&wire->out, &wire->out_capacity, wire->out_size + count)) {
        wire->is_over = true;
        return;
    }
    if (count)
        memcpy(wire->out + wire->out_size, bytes, count);
    wire->out_size += count;
}

void loupe_wire_put(struct loupe_wire *wire, uint64_t value, unsigned bytes) {
    uint8_t number[sizeof(value)];
    for (unsigned i = 0; i < bytes; i++, value >>= 8)
        number[i] = (uint8_t)value;
    loupe_wire_put_bytes(wire, number, bytes);
}

void loupe_wire_put_text(struct loupe_wire *wire, struct loupe_span text) {
    loupe_wire_put(wire, text.length, 4);
    loupe_wire_put_bytes(wire, text.bytes, text.length);
}

void loupe_wire_begin(struct loupe_wire *wire) {
    wire->out_size = 0;
    loupe_wire_put(wire, 0, LOUPE_WIRE_HEADER);
}

static bool write_all(int to, const uint8_t *bytes, size_t size) {
    while (size) {
        ssize_t written = write(to, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

void loupe_wire_send(struct loupe_wire *wire, enum loupe_wire_kind kind) {
    if (wire->is_over)
        return;
    size_t size = wire->out_size;
    wire->out_size = 0;
    loupe_wire_put(wire, size - LOUPE_WIRE_HEADER, 4);
    loupe_wire_put(wire, kind, 4);
    wire->is_over = !write_all(wire->to, wire->out, size);
}

/* ---- Messages that come ---- */

static bool read_all(int from, uint8_t *bytes, size_t size) {
    while (size) {
        ssize_t got = read(from, bytes, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        size -= (size_t)got;
    }
    return true;
}

static bool receive_any(struct loupe_wire *wire, enum loupe_wire_kind *kind,
                        struct loupe_wire_body *body) {
    uint8_t header[LOUPE_WIRE_HEADER];
    if (wire->is_over || !read_all(wire->from, header, sizeof(header))) {
        wire->is_over = true;
        return false;
    }
    size_t size = (size_t)number_at(header, 4);
    *kind = (enum loupe_wire_kind)number_at(header + 4, 2);
    wire->is_over = number_at(header + 6, 2) != 0 || size > LOUPE_WIRE_LONGEST ||
                    !make_room(&wire->in, &wire->in_capacity, size + 1) ||
                    !read_all(wire->from, wire->in, size);
    if (!wire->is_over)
        *body = (struct loupe_wire_body){.at = wire->in, .end = wire->in + size};
    return !wire->is_over;
}

bool loupe_wire_receive(struct loupe_wire *wire, enum loupe_wire_kind *kind,
                        struct loupe_wire_body *body) {
    while (receive_any(wire, kind, body)) {
        if (*kind != LOUPE_WIRE_INTERRUPT)
            return true;
        wire->is_interrupted = true;
    }
    return false;
}

/* ---- What is known before it is asked for ---- */

void loupe_wire_forget(struct loupe_wire *wire) {
    free(wire->known_bytes);
    wire->known_bytes = NULL;
    wire->known_count = 0;
}

void loupe_wire_forget_stop(struct loupe_wire *wire) {
    loupe_wire_forget(wire);
    loupe_wire_facts_forget(&wire->facts);
}

/* Memory and registers may be written to between two questions. */
static bool stays_true(enum loupe_wire_kind kind) {
    switch (kind) {
    case LOUPE_WIRE_REGION:
    case LOUPE_WIRE_FILE_PARTS:
    case LOUPE_WIRE_SYMBOL:
    case LOUPE_WIRE_NAME:
    case LOUPE_WIRE_LINE:
    case LOUPE_WIRE_REGIONS:
    case LOUPE_WIRE_IMAGES:
    case LOUPE_WIRE_SECTIONS:
    case LOUPE_WIRE_THREADS:
        return true;
    default:
        return false;
    }
}

static void keep_fact(struct loupe_wire *wire, const struct loupe_wire_known *known) {
    if (stays_true(known->kind))
        loupe_wire_facts_keep(&wire->facts, known->kind, known->request, known->reply);
}

/* The body stays where it is, and the next message gets other room. */
void loupe_wire_learn(struct loupe_wire *wire, struct loupe_wire_body body) {
    loupe_wire_forget(wire);
    wire->known_bytes = wire->in;
    wire->in = NULL;
    wire->in_capacity = 0;
    /* Cap: a longer message is refused. */
    while (loupe_wire_has_more(&body) && wire->known_count < LOUPE_WIRE_MOST_KNOWN) {
        struct loupe_wire_known *known = &wire->known[wire->known_count++];
        known->kind = (enum loupe_wire_kind)loupe_wire_take(&body, 2);
        known->request = loupe_wire_take_text(&body);
        known->reply = loupe_wire_take_text(&body);
        known->is_used = false;
        if (!body.is_bad)
            keep_fact(wire, known);
    }
    loupe_wire_is_understood(wire, &body);
}

void loupe_wire_tell_used(struct loupe_wire *wire) {
    loupe_wire_begin(wire);
    for (uint32_t i = 0; i < wire->known_count; i++)
        if (wire->known[i].is_used)
            loupe_wire_put(wire, i, 2);
    if (wire->out_size > LOUPE_WIRE_HEADER)
        loupe_wire_send(wire, LOUPE_WIRE_USED);
}

static struct loupe_wire_body body_of(struct loupe_span reply) {
    const uint8_t *at = (const uint8_t *)reply.bytes;
    return (struct loupe_wire_body){.at = at, .end = at + reply.length};
}

static bool is_told(struct loupe_wire *wire, enum loupe_wire_kind kind, struct loupe_span request,
                    struct loupe_span *reply_ret) {
    for (uint32_t i = 0; i < wire->known_count; i++) {
        struct loupe_wire_known *known = &wire->known[i];
        if (known->kind != kind || known->request.length != request.length ||
            (request.length && memcmp(known->request.bytes, request.bytes, request.length) != 0))
            continue;
        known->is_used = true;
        *reply_ret = known->reply;
        return true;
    }
    return loupe_wire_facts_find(&wire->facts, kind, request, reply_ret);
}

/* The request lies where the next message will be put together. */
static bool ask(struct loupe_wire *wire, enum loupe_wire_kind kind, struct loupe_span request,
                struct loupe_wire_body *body) {
    enum loupe_wire_kind got;
    loupe_wire_send(wire, kind);
    if (!loupe_wire_receive(wire, &got, body))
        return false;
    wire->is_over = got != LOUPE_WIRE_REPLY;
    struct loupe_span reply = {(const char *)body->at, (size_t)(body->end - body->at)};
    if (!wire->is_over)
        keep_fact(wire, &(struct loupe_wire_known){kind, request, reply, false});
    return !wire->is_over;
}

bool loupe_wire_request(struct loupe_wire *wire, enum loupe_wire_kind kind,
                        struct loupe_wire_body *body) {
    struct loupe_span reply, request = {"", 0};
    if (wire->is_over)
        return false;
    request.bytes = (const char *)wire->out + LOUPE_WIRE_HEADER;
    request.length = wire->out_size - LOUPE_WIRE_HEADER;
    if (is_told(wire, kind, request, &reply))
        *body = body_of(reply);
    else if (!ask(wire, kind, request, body))
        return false;
    uint64_t status = loupe_wire_take(body, 1);
    wire->is_over = body->is_bad || status > 1;
    return !wire->is_over && status == 0;
}

bool loupe_wire_is_understood(struct loupe_wire *wire, const struct loupe_wire_body *body) {
    wire->is_over |= !loupe_wire_is_done(body);
    return !wire->is_over;
}

/* Between requests nothing else than INTERRUPT can come. */
bool loupe_wire_interrupted(struct loupe_wire *wire) {
    struct pollfd waiting = {.fd = wire->from, .events = POLLIN};
    enum loupe_wire_kind kind;
    struct loupe_wire_body body;
    if (!wire->is_over && !wire->is_interrupted && poll(&waiting, 1, 0) > 0 &&
        receive_any(wire, &kind, &body)) {
        wire->is_interrupted = kind == LOUPE_WIRE_INTERRUPT;
        wire->is_over = !wire->is_interrupted;
    }
    return wire->is_over || wire->is_interrupted;
}
