/*
 * shrunk_input.h - a file that becomes shorter while it is read, as one that somebody writes anew.
 */
#ifndef LOUPE_CLI_SHRUNK_INPUT_H
#define LOUPE_CLI_SHRUNK_INPUT_H

/* From now on the tool says so in one sentence and ends with 2, where the system would kill it. */
void cli_expect_shrunk_input(void);

#endif
