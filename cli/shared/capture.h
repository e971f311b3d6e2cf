/*
 * capture.h - where answers in JSON go: to stdout, or into memory for somebody of ours who reads
 * them, as who draws pictures of them does.
 */
#ifndef LOUPE_CLI_CAPTURE_H
#define LOUPE_CLI_CAPTURE_H

#include "base/json.h"

#include <stdbool.h>

/* To be used by every verb that answers about a heap: its JSON, and then the end of the line. */
struct loupe_sink cli_answer_sink(void);
void cli_end_answer(void);

struct capture {
    struct capture *outer; /* that goes on when this one ends; or NULL */
    char *bytes;
    size_t length, room;
    bool is_cut; /* memory ran out */
};

/* From here on answers go into memory. */
void capture_begin(struct capture *capture);
/* Answers go where they went. What was said, in memory of malloc; NULL: memory ran out. */
char *capture_end(struct capture *capture, size_t *length_ret);

#endif
