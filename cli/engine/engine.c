/* engine.c - the conversation of `loupe engine`: questions in, answers out, until nobody is there.
 */
#include "engine/engine.h"

#include "shared/cli.h"
#include "engine/asked.h"

#include <signal.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { PART = 1 << 20 }; /* of an answer, in one message */

static void say_hello(struct loupe_wire *wire) {
    loupe_wire_begin(wire);
    loupe_wire_put(wire, LOUPE_WIRE_VERSION, 4);
    loupe_wire_put_text(wire, loupe_span_of(LOUPE_VERSION));
    loupe_wire_send(wire, LOUPE_WIRE_HELLO);
}

static void send_answer(struct loupe_wire *wire, const struct cli_buffer *answer, bool stays_open) {
    size_t sent = 0;
    do {
        size_t part = answer->length - sent < PART ? answer->length - sent : PART;
        bool more = sent + part < answer->length;
        loupe_wire_begin(wire);
        loupe_wire_put(wire, more ? LOUPE_WIRE_MORE : stays_open ? LOUPE_WIRE_STAYS_OPEN : 0, 1);
        loupe_wire_put_bytes(wire, answer->bytes + sent, part);
        loupe_wire_send(wire, LOUPE_WIRE_ANSWER);
        sent += part;
    } while (sent < answer->length && !wire->is_over);
}

static void send_refusal(struct loupe_wire *wire, const char *problem) {
    loupe_wire_begin(wire);
    loupe_wire_put_text(wire, loupe_span_of(problem));
    loupe_wire_send(wire, LOUPE_WIRE_REFUSAL);
}

/* One question at a time; one that does not stay open ends at once, and one that lists nothing. */
static const char *open_question(struct engine_asked *asked, struct loupe_piped_reader *reader,
                                 struct loupe_wire_body *body, struct cli_buffer *answer) {
    engine_asked_close(asked);
    const char *problem = engine_asked_open(asked, reader, body, answer);
    if (!problem && !engine_asked_goes_on(asked))
        engine_asked_close(asked);
    return problem;
}

static const char *step(struct engine_asked *asked, struct loupe_piped_reader *reader,
                        enum loupe_wire_kind kind, struct loupe_wire_body *body,
                        struct cli_buffer *answer) {
    reader->wire->is_interrupted = false;
    if (kind == LOUPE_WIRE_OPEN)
        return open_question(asked, reader, body, answer);
    if (kind != LOUPE_WIRE_CLOSE)
        return engine_asked_more(asked, kind == LOUPE_WIRE_EXTEND, body, answer);
    engine_asked_close(asked);
    return NULL;
}

static void put_question(struct engine_asked *asked, struct loupe_piped_reader *reader,
                         enum loupe_wire_kind kind, struct loupe_wire_body *body) {
    struct cli_buffer answer = {.bytes = NULL};
    const char *problem = step(asked, reader, kind, body, &answer);
    loupe_wire_tell_used(reader->wire);
    if (problem)
        send_refusal(reader->wire, problem);
    else
        send_answer(reader->wire, &answer, engine_asked_goes_on(asked));
    if (!engine_asked_goes_on(asked))
        loupe_wire_forget(reader->wire);
    cli_buffer_deinit(&answer);
}

/* Another stop, perhaps of another process. */
static bool begin_stop(struct engine_asked *asked, struct loupe_piped_reader *reader,
                       struct loupe_wire *wire, struct loupe_wire_body *body) {
    engine_asked_close(asked);
    loupe_piped_close(reader);
    return loupe_piped_open(reader, wire, body);
}

/* False: that cannot be said now, or at all. */
static bool take_message(struct engine_asked *asked, struct loupe_piped_reader *reader,
                         struct loupe_wire *wire, struct loupe_wire_body *body,
                         enum loupe_wire_kind kind) {
    if (kind == LOUPE_WIRE_TARGET)
        return begin_stop(asked, reader, wire, body);
    if (!reader->wire || kind < LOUPE_WIRE_OPEN ||
        (kind > LOUPE_WIRE_CLOSE && kind != LOUPE_WIRE_KNOWN))
        return false;
    if (kind == LOUPE_WIRE_KNOWN)
        loupe_wire_learn(wire, *body);
    else
        put_question(asked, reader, kind, body);
    return true;
}

int engine_converse(struct loupe_wire *wire) {
    struct loupe_piped_reader reader = {.wire = NULL};
    struct engine_asked asked = {.session = NULL};
    enum loupe_wire_kind kind;
    struct loupe_wire_body body;
    bool makes_sense = true;
    say_hello(wire);
    while (makes_sense && loupe_wire_receive(wire, &kind, &body))
        makes_sense = take_message(&asked, &reader, wire, &body, kind);
    engine_asked_close(&asked);
    loupe_piped_close(&reader);
    return makes_sense ? CLI_OK : CLI_NONSENSE;
}

/*
 * The memory of a question is kept for the next one: to have it mapped again costs as much as a
 * small question does. Apple's malloc keeps it unasked.
 */
static void keep_memory(void) {
#ifdef __GLIBC__
    enum { KEPT = 64 << 20, LARGE = 32 << 20 };
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_MMAP_THRESHOLD, LARGE);
#endif
}

int cli_engine(const char **words, unsigned count) {
    (void)words;
    if (count || isatty(STDIN_FILENO))
        return cli_fail(CLI_NONSENSE, NULL,
                        "`loupe engine` is for the commands in lldb, which "
                        "speak to it on its standard input");
    struct loupe_wire wire;
    keep_memory();
    signal(SIGPIPE, SIG_IGN);
    loupe_wire_init(&wire, STDIN_FILENO, STDOUT_FILENO);
    int status = engine_converse(&wire);
    loupe_wire_deinit(&wire);
    return status;
}
