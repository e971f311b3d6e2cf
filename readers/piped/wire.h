/*
 * wire.h - what `loupe engine`, a process beside a debugger, and the commands in that debugger say
 * to each other: the engine answers questions about a stopped process, and asks the debugger for
 * what it wants to know of that process. The other side: lldb_commands/engines/wire.py.
 *
 * A message is a header of 8 bytes, the body's size (u32), the kind (u16) and 0 (u16), and a body
 * of at most LOUPE_WIRE_LONGEST bytes. Numbers are little endian, a text is its length (u32) and
 * that many bytes without a NUL. What is longer, shorter or of another kind than is said here ends
 * the conversation: the engine exits, the debugger ends it.
 *
 *     engine    HELLO      u32 LOUPE_WIRE_VERSION, text version of Loupe
 *     debugger  TARGET     u8 bytes of a pointer, u8 enum loupe_arch, u8 LOUPE_WIRE_IS_..., u8 0,
 *                          u64 bits kept of an address whose bit 55 is clear, u64 bits set in one
 *                          whose bit 55 is set, u64 number of the process, text its program
 *
 * TARGET may come again, for another stop: what was known of the one before is forgotten. Then the
 * debugger puts a question, or goes on with the one that is open (core/session.h):
 *
 *     OPEN       u64 address, u64 limit, u32 rings, u64 microseconds, u64 most bytes to read (0: as
 *                the engine likes), u8 whether it stays open, text query, text arguments, text file
 *                of a snapshot
 *     ASK        u64 microseconds, text facts
 *     EXTEND     u64 microseconds, text facts
 *     CLOSE      -
 *     INTERRUPT  - whenever it likes: the question is to end soon. Nothing answers it
 *
 * and gets for each but INTERRUPT either
 *
 *     ANSWER     u8 LOUPE_WIRE_MORE (another part of it follows), LOUPE_WIRE_STAYS_OPEN; the rest
 * is JSON; of CLOSE, nothing REFUSAL    text why the question cannot be put
 *
 * A round trip costs more than most replies. So what the engine asked for when such a question was
 * put the last time can be told before the next one:
 *
 *     KNOWN      requests with their replies, each u16 kind, u32 size and as many bytes of the
 *                body, u32 size and as many bytes of the reply; they hold until the question is
 *                closed
 *     USED       (of the engine, before ANSWER) u16 each: the numbers of those that it had need of
 *
 * Replies to requests but READ, REGISTERS and FRAMES_END hold until the next TARGET, whether they
 * were asked for or told: the engine asks for them once, and nobody need tell them again.
 *
 * Until then the engine asks, one request after the other. The debugger sends REPLY to each, u8 0
 * for what follows or 1: that is not there, cannot be read or is not known. All requests only read.
 *
 *     READ        u64 address, u32 length, up to LOUPE_WIRE_LONGEST_READ -> the bytes
 *     REGION      u64 start, u64 end, u64 address -> regions (u64 an address in it, u64 start, u64
 *                 end, u8 readable): that around the address, and if it can be read those beside it
 *                 up to start and end
 *     FILE_PARTS  - -> parts (u64 start, u64 end) whose bytes READ takes from files of images
 *     SYMBOL      text name -> u64 address
 *     NAME        u64 address -> u64 offset in the symbol, text its name
 *     LINE        u64 address -> u32 line, text path
 *     REGIONS     - -> all regions (u64 start, u64 end, u8 LOUPE_WIRE_READABLE, ...)
 *     IMAGES      - -> texts, their paths
 *     SECTIONS    u32 image -> sections (u64 start, u64 size, u8 LOUPE_WIRE_LOADED, ..., text name)
 *     THREADS     - -> u64 each, the system's numbers
 *     REGISTERS   u32 thread, texts, their names -> for each u8 whether it is known, u64 value
 *     FRAMES_END  u32 thread -> u64 address
 *
 * Several of something stand one behind the other up to the end of the body.
 */
#ifndef LOUPE_READERS_WIRE_H
#define LOUPE_READERS_WIRE_H

#include "base/text.h"
#include "piped/facts.h"

enum {
    LOUPE_WIRE_VERSION = 1,
    LOUPE_WIRE_HEADER = 8,
    LOUPE_WIRE_LONGEST = 64 * 1024 * 1024,
    LOUPE_WIRE_LONGEST_READ = 4 * 1024 * 1024,
    LOUPE_WIRE_MOST_KNOWN = 256
};

enum loupe_wire_kind {
    LOUPE_WIRE_HELLO = 1,
    LOUPE_WIRE_TARGET,
    LOUPE_WIRE_OPEN,
    LOUPE_WIRE_ASK,
    LOUPE_WIRE_EXTEND,
    LOUPE_WIRE_CLOSE,
    LOUPE_WIRE_INTERRUPT,
    LOUPE_WIRE_ANSWER,
    LOUPE_WIRE_REFUSAL,
    LOUPE_WIRE_REPLY,
    LOUPE_WIRE_READ,
    LOUPE_WIRE_REGION,
    LOUPE_WIRE_FILE_PARTS,
    LOUPE_WIRE_SYMBOL,
    LOUPE_WIRE_NAME,
    LOUPE_WIRE_LINE,
    LOUPE_WIRE_REGIONS,
    LOUPE_WIRE_IMAGES,
    LOUPE_WIRE_SECTIONS,
    LOUPE_WIRE_THREADS,
    LOUPE_WIRE_REGISTERS,
    LOUPE_WIRE_FRAMES_END,
    LOUPE_WIRE_KNOWN,
    LOUPE_WIRE_USED
};

/* Of TARGET. IS_HERE: the process of that number on the engine's machine is the debugger's. */
enum { LOUPE_WIRE_IS_CORE = 1, LOUPE_WIRE_IS_APPLE = 2, LOUPE_WIRE_IS_HERE = 4 };
enum { LOUPE_WIRE_MORE = 1, LOUPE_WIRE_STAYS_OPEN = 2 }; /* of ANSWER */
enum { LOUPE_WIRE_READABLE = 1, LOUPE_WIRE_WRITABLE = 2, LOUPE_WIRE_IS_STACK = 4 };
enum { LOUPE_WIRE_LOADED = 1, LOUPE_WIRE_SECTION_WRITABLE = 2 };

/* ---- Bodies ---- */

/* What of a body was not taken yet. Behind its end everything is 0 and empty, and is_bad is set. */
struct loupe_wire_body {
    const uint8_t *at, *end;
    bool is_bad;
};

uint64_t loupe_wire_take(struct loupe_wire_body *body, unsigned bytes);
struct loupe_span loupe_wire_take_text(struct loupe_wire_body *body);
/* NULL: there are not so many. */
const uint8_t *loupe_wire_take_bytes(struct loupe_wire_body *body, size_t count);

static inline bool loupe_wire_has_more(const struct loupe_wire_body *body) {
    return !body->is_bad && body->at < body->end;
}

/* Whether all of it was taken, and was there. */
static inline bool loupe_wire_is_done(const struct loupe_wire_body *body) {
    return !body->is_bad && body->at == body->end;
}

/* ---- The conversation, as the engine has it ---- */

/* A request whose reply was told before it was asked for. */
struct loupe_wire_known {
    enum loupe_wire_kind kind;
    struct loupe_span request, reply;
    bool is_used;
};

struct loupe_wire {
    int from, to; /* descriptors */
    uint8_t *out, *in;
    size_t out_size, out_capacity, in_capacity;
    bool is_over;        /* nobody is there any more, or what they say makes no sense */
    bool is_interrupted; /* since the last question was put */
    uint8_t *known_bytes;
    struct loupe_wire_known known[LOUPE_WIRE_MOST_KNOWN];
    uint32_t known_count;
    struct loupe_wire_facts facts; /* of this stop */
};

void loupe_wire_init(struct loupe_wire *wire, int from, int to);
void loupe_wire_deinit(struct loupe_wire *wire);

/* The message that is sent next, field by field. */
void loupe_wire_begin(struct loupe_wire *wire);
void loupe_wire_put(struct loupe_wire *wire, uint64_t value, unsigned bytes);
void loupe_wire_put_bytes(struct loupe_wire *wire, const void *bytes, size_t count);
void loupe_wire_put_text(struct loupe_wire *wire, struct loupe_span text);
void loupe_wire_send(struct loupe_wire *wire, enum loupe_wire_kind kind);

/* Waits for a message, INTERRUPT apart. The body lasts until the next one. False: it is over. */
bool loupe_wire_receive(struct loupe_wire *wire, enum loupe_wire_kind *kind,
                        struct loupe_wire_body *body);

/* What was received last, KNOWN, is for the question that comes next. */
void loupe_wire_learn(struct loupe_wire *wire, struct loupe_wire_body body);
/* Says what of it was of use. */
void loupe_wire_tell_used(struct loupe_wire *wire);
void loupe_wire_forget(struct loupe_wire *wire);
/* Another stop: nothing that was said before holds. */
void loupe_wire_forget_stop(struct loupe_wire *wire);

/* Sends the request that was put together, unless its reply is known, and waits for that. False: it
 * says no, or the conversation is over. The body lasts until the next message, or longer. */
bool loupe_wire_request(struct loupe_wire *wire, enum loupe_wire_kind kind,
                        struct loupe_wire_body *body);

/* Whether all of a reply was taken, and was there: else the conversation is over. */
bool loupe_wire_is_understood(struct loupe_wire *wire, const struct loupe_wire_body *body);

/* Whether the question is to end soon. Never waits. */
bool loupe_wire_interrupted(struct loupe_wire *wire);

#endif
