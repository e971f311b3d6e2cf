#define _POSIX_C_SOURCE 200809L /* read() */

#include "serve/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool serve_input_init(struct serve_input *input, int descriptor) {
    *input = (struct serve_input){.descriptor = descriptor, .bytes = malloc(SERVE_LONGEST_LINE)};
    return input->bytes;
}

void serve_input_deinit(struct serve_input *input) {
    free(input->bytes);
}

/* Makes room for one more byte at least. */
static void make_room(struct serve_input *input) {
    if (input->begin) {
        memmove(input->bytes, input->bytes + input->begin, input->end - input->begin);
        input->end -= input->begin;
        input->scanned -= input->begin;
        input->begin = 0;
    }
    if (input->end == SERVE_LONGEST_LINE) {
        input->skips = true;
        input->end = input->scanned = 0;
    }
}

void serve_input_fill(struct serve_input *input) {
    make_room(input);
    ssize_t got;
    do
        got = read(input->descriptor, input->bytes + input->end, SERVE_LONGEST_LINE - input->end);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        input->is_over = true;
    else
        input->end += (size_t)got;
}

enum serve_line serve_input_take(struct serve_input *input, struct loupe_span *ret) {
    char *line = input->bytes + input->begin;
    char *end = memchr(input->bytes + input->scanned, '\n', input->end - input->scanned);
    bool is_last = !end && input->is_over && (input->end > input->begin || input->skips);
    input->scanned = input->end;
    if (!end && !is_last)
        return SERVE_NO_LINE;
    size_t length = end ? (size_t)(end - line) : input->end - input->begin;
    *ret = (struct loupe_span){line, length};
    input->begin += length + (end ? 1 : 0);
    input->scanned = input->begin;
    bool was_too_long = input->skips;
    input->skips = false;
    return was_too_long ? SERVE_LINE_TOO_LONG : SERVE_LINE;
}

void serve_input_put_back(struct serve_input *input, struct loupe_span line) {
    input->begin = input->scanned = (size_t)(line.bytes - input->bytes);
}
