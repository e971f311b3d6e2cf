/*
 * capture.h - what a verb prints, taken as text instead.
 */
#ifndef LOUPE_CLI_CAPTURE_H
#define LOUPE_CLI_CAPTURE_H

#include "base/text.h"

#include <stdio.h>

struct capture {
    FILE *file; /* without a name */
    int stdout_copy;
};

/* From here on stdout goes nowhere else. False: errno says why, and nothing has changed. */
bool capture_begin(struct capture *capture);
/* stdout is what it was. What was printed, in memory of malloc; NULL: errno says why. */
char *capture_end(struct capture *capture, size_t *length_ret);

#endif
