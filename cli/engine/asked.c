/* asked.c - a question with its memory, from its first answer to its last. */
#define _POSIX_C_SOURCE  200809L /* clock_gettime(), sysconf() */
#define _DARWIN_C_SOURCE         /* _SC_PHYS_PAGES, which Apple hides beside the former */

#include "engine/asked.h"

#include "shared/cli.h"
#include "loupe.h"
#include "piped/parts.h"
#include "report/report.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* What is read is kept until the answer is there: at most in half of this machine's memory. */
static uint64_t most_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
    const uint64_t otherwise = (uint64_t)4 << 30;
    bool known = pages > 0 && page_size > 0;
    return known ? (uint64_t)pages * (uint64_t)page_size / 2 : otherwise;
}

static uint64_t milliseconds_since_1970(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* What OPEN says. The time it has goes to *limit_ret. */
static const char *take_question(struct engine_asked *asked, struct loupe_wire_body *body,
                                 uint64_t *limit_ret) {
    struct loupe_question *question = &asked->question;
    question->address = loupe_wire_take(body, 8);
    question->limit = loupe_wire_take(body, 8);
    question->max_rings = (uint32_t)loupe_wire_take(body, 4);
    *limit_ret = loupe_wire_take(body, 8);
    uint64_t bytes = loupe_wire_take(body, 8);
    asked->stays_open = loupe_wire_take(body, 1) != 0;
    asked->query = loupe_wire_copy_text(loupe_wire_take_text(body));
    asked->arguments = loupe_wire_copy_text(loupe_wire_take_text(body));
    asked->path = loupe_wire_copy_text(loupe_wire_take_text(body));
    if (!asked->query || !asked->arguments || !asked->path)
        return "out of memory";
    if (!loupe_wire_is_done(body))
        return "the question is not understood";
    if (!loupe_query_named(asked->query, &question->query))
        return "there is no such question";
    asked->memory.bytes_left = bytes ? bytes : most_bytes();
    question->engine = "memory";
    question->arguments = *asked->arguments ? asked->arguments : NULL;
    return NULL;
}

/* What a snapshot says of where it came from, and where it goes. */
static const char *describe_target(struct engine_asked *asked,
                                   const struct loupe_piped_reader *reader) {
    struct loupe_question *question = &asked->question;
    question->program = reader->program;
    question->process = reader->process;
    question->of_core = reader->is_core;
    question->time = milliseconds_since_1970();
    if (!*asked->path)
        return NULL;
    question->file = engine_kept_file_sink(&asked->file);
    return engine_kept_file_init(&asked->file, asked->path) ? NULL : "out of memory";
}

static void answer_not_kept(const struct engine_asked *asked, struct cli_buffer *answer) {
    struct loupe_envelope envelope = {loupe_query_name(asked->question.query),
                                      asked->question.engine, NULL,
                                      asked->memory.machine.pointer_size};
    struct loupe_error error;
    struct loupe_json writer;
    answer->length = 0;
    loupe_json_init(&writer, cli_buffer_sink(answer));
    loupe_fail(&error, LOUPE_EUSAGE, 0, LOUPE_SNAPSHOT_NOT_WRITTEN);
    loupe_report_error(&writer, &envelope, &error);
    loupe_json_finish(&writer);
}

static void keep_file(struct engine_asked *asked, enum loupe_status status,
                      struct cli_buffer *answer) {
    if (!status && !engine_kept_file_keep(&asked->file))
        answer_not_kept(asked, answer);
}

const char *engine_asked_open(struct engine_asked *asked, struct loupe_piped_reader *reader,
                              struct loupe_wire_body *body, struct cli_buffer *answer) {
    uint64_t limit;
    *asked = (struct engine_asked){.session = NULL};
    loupe_piped_begin(reader);
    loupe_memory_init(&asked->memory, &loupe_piped_ops, reader, reader->machine, &cli_chunks);
    asked->memory.page_reads = loupe_piped_page_reads(reader);
    const char *problem = take_question(asked, body, &limit);
    if (!problem)
        problem = describe_target(asked, reader);
    if (problem) {
        engine_asked_close(asked);
        return problem;
    }
    loupe_memory_set_limit(&asked->memory, limit);
    asked->session = loupe_session_open(&asked->memory, &cli_chunks, &asked->question);
    if (!asked->session) /* it says so */
        loupe_answer(&asked->memory, &cli_chunks, &asked->question, cli_buffer_sink(answer));
    else
        keep_file(asked, loupe_session_begin(asked->session, cli_buffer_sink(answer)), answer);
    return NULL;
}

const char *engine_asked_more(struct engine_asked *asked, bool extend, struct loupe_wire_body *body,
                              struct cli_buffer *answer) {
    uint64_t limit = loupe_wire_take(body, 8);
    char *facts = loupe_wire_copy_text(loupe_wire_take_text(body));
    const char *problem = !facts                      ? "out of memory"
                          : !asked->session           ? "no question is open"
                          : !loupe_wire_is_done(body) ? "the question is not understood"
                                                      : NULL;
    if (!problem) {
        loupe_memory_set_limit(&asked->memory, limit);
        struct loupe_sink sink = cli_buffer_sink(answer);
        if (extend)
            loupe_session_extend(asked->session, facts, sink);
        else
            keep_file(asked, loupe_session_ask(asked->session, facts, sink), answer);
    }
    free(facts);
    return problem;
}

bool engine_asked_goes_on(const struct engine_asked *asked) {
    return asked->session && asked->stays_open && loupe_session_lists(asked->session);
}

void engine_asked_close(struct engine_asked *asked) {
    if (asked->session)
        loupe_session_close(asked->session);
    if (asked->memory.ops)
        loupe_memory_deinit(&asked->memory);
    engine_kept_file_deinit(&asked->file);
    free(asked->query);
    free(asked->arguments);
    free(asked->path);
    *asked = (struct engine_asked){.session = NULL};
}
