/* Answers and messages that go into memory instead of to the output and to stderr. */
#include "shared/capture.h"

#include "shared/output.h"

#include <stdlib.h>

/* The tool answers one question at a time. */
static struct capture *current[CAPTURED_COUNT];

static enum loupe_status write_to(void *file, const char *bytes, size_t length) {
    return fwrite(bytes, 1, length, file) == length ? LOUPE_OK : LOUPE_EINTERNAL;
}

static enum loupe_status keep(void *ctx, const char *bytes, size_t length) {
    struct capture *capture = ctx;
    struct loupe_sink sink = cli_buffer_sink(&capture->buffer);
    if (!capture->is_cut)
        capture->is_cut = sink.write(sink.ctx, bytes, length) != LOUPE_OK;
    return capture->is_cut ? LOUPE_ENOMEM : LOUPE_OK;
}

static struct loupe_sink sink_of(enum captured what, FILE *file) {
    return current[what] ? (struct loupe_sink){.write = keep, .ctx = current[what]}
                         : (struct loupe_sink){.write = write_to, .ctx = file};
}

struct loupe_sink cli_text_sink(void) {
    return (struct loupe_sink){.write = write_to, .ctx = cli_output()};
}

struct loupe_sink cli_answer_sink(void) {
    return sink_of(CAPTURED_ANSWERS, cli_output());
}

void cli_end_answer(void) {
    struct loupe_sink sink = cli_answer_sink();
    sink.write(sink.ctx, "\n", 1);
}

struct loupe_sink cli_message_sink(void) {
    if (!current[CAPTURED_MESSAGES])
        fflush(cli_output()); /* in the order in which they were said */
    return sink_of(CAPTURED_MESSAGES, stderr);
}

void capture_begin(struct capture *capture, enum captured what) {
    *capture = (struct capture){.outer = current[what], .what = what};
    current[what] = capture;
}

char *capture_end(struct capture *capture, size_t *length_ret) {
    current[capture->what] = capture->outer;
    if (!capture->buffer.bytes && !capture->is_cut)
        capture->buffer.bytes = calloc(1, 1);
    if (capture->is_cut) {
        free(capture->buffer.bytes);
        capture->buffer.bytes = NULL;
    }
    *length_ret = capture->buffer.bytes ? capture->buffer.length : 0;
    return capture->buffer.bytes;
}
