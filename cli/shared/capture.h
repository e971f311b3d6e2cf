/*
 * capture.h - where answers in JSON and messages go: to the output and stderr, or into memory for
 * somebody of ours who reads them, as who draws pictures of answers does.
 */
#ifndef LOUPE_CLI_CAPTURE_H
#define LOUPE_CLI_CAPTURE_H

#include "shared/buffer.h"

#include <stdbool.h>

/* Text for people: to the output (output.h), whoever reads the answers. */
struct loupe_sink cli_text_sink(void);
/* To be used by every verb that answers in JSON, and then the end of the line. */
struct loupe_sink cli_answer_sink(void);
void cli_end_answer(void);
/* Lines beside the answer (cli.h: cli_note() and its like). */
struct loupe_sink cli_message_sink(void);

enum captured { CAPTURED_ANSWERS, CAPTURED_MESSAGES, CAPTURED_COUNT };

struct capture {
    struct capture *outer; /* that goes on when this one ends; or NULL */
    enum captured what;
    struct cli_buffer buffer;
    bool is_cut; /* memory ran out, or there was more than was wanted: buffer.is_too_large */
};

/* From here on they go into memory. */
void capture_begin(struct capture *capture, enum captured what);
/* They go where they went. What was said, in memory of malloc; NULL: it was cut. */
char *capture_end(struct capture *capture, size_t *length_ret);

#endif
