/*
 * input.h - lines from a client, whatever it sends: never more of them in memory than the longest
 * message that is understood.
 */
#ifndef LOUPE_SERVE_INPUT_H
#define LOUPE_SERVE_INPUT_H

#include "base/text.h"

enum { SERVE_LONGEST_LINE = 1 << 20 };

struct serve_input {
    int descriptor;
    char *bytes;
    size_t begin, end, scanned; /* what is not taken yet; up to where it has no end of a line */
    bool is_over, skips;        /* the latter: the rest of a line that was too long */
};

enum serve_line { SERVE_LINE, SERVE_LINE_TOO_LONG, SERVE_NO_LINE };

/* False: no memory. */
bool serve_input_init(struct serve_input *input, int descriptor);
void serve_input_deinit(struct serve_input *input);

/* Waits for more bytes, and takes them or learns that there are none any more (is_over). Moves
 * what lines pointed to. */
void serve_input_fill(struct serve_input *input);
/* The next line that is here, without its end. SERVE_NO_LINE: fill first, or it is over. */
enum serve_line serve_input_take(struct serve_input *input, struct loupe_span *ret);
/* The line that was taken last comes once more. */
void serve_input_put_back(struct serve_input *input, struct loupe_span line);

#endif
