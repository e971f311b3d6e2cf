/* Answers that go into memory instead of to stdout. */
#include "shared/capture.h"

#include "shared/cli.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 16 };

/* The tool answers one question at a time. */
static struct capture *current;

static enum loupe_status keep(void *ctx, const char *bytes, size_t length) {
    struct capture *capture = ctx;
    if (!capture->is_cut && length > capture->room - capture->length) {
        size_t room = 2 * (capture->length + length) + FIRST_ROOM;
        char *larger = realloc(capture->bytes, room);
        capture->is_cut = !larger;
        capture->bytes = larger ? larger : capture->bytes;
        capture->room = larger ? room : capture->room;
    }
    if (capture->is_cut)
        return LOUPE_ENOMEM;
    memcpy(capture->bytes + capture->length, bytes, length);
    capture->length += length;
    return LOUPE_OK;
}

struct loupe_sink cli_answer_sink(void) {
    return current ? (struct loupe_sink){.write = keep, .ctx = current} : cli_stdout_sink();
}

void cli_end_answer(void) {
    struct loupe_sink sink = cli_answer_sink();
    sink.write(sink.ctx, "\n", 1);
}

void capture_begin(struct capture *capture) {
    *capture = (struct capture){.outer = current};
    current = capture;
}

char *capture_end(struct capture *capture, size_t *length_ret) {
    current = capture->outer;
    if (!capture->bytes && !capture->is_cut)
        capture->bytes = calloc(1, 1);
    if (capture->is_cut) {
        free(capture->bytes);
        capture->bytes = NULL;
    }
    *length_ret = capture->bytes ? capture->length : 0;
    return capture->bytes;
}
