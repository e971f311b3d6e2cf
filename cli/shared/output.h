/*
 * output.h - where the answer of a command goes: to standard output, into the file that -o names,
 * or into memory for another process of ours.
 *
 * A file is written beside its place and takes it when it is whole: nobody reads half an answer
 * there. What is a device or a pipe is written as it is.
 */
#ifndef LOUPE_CLI_OUTPUT_H
#define LOUPE_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* What is written now. */
FILE *cli_output(void);
/* From here on that is a new file. False: errno says why not. */
bool cli_output_begin(const char *path);
/* What was written is no answer, and takes no place. */
void cli_output_drop(void);
/* Everything that was written is where it should be, and standard output is what is written again.
 * False: it cannot be. */
bool cli_output_end(void);

/* From here on it is kept in memory. False: there is none. */
bool cli_output_keep(void);
/* What was written, in memory of malloc, and standard output is what is written again; NULL: memory
 * ran out. */
char *cli_output_kept(size_t *length_ret);

#endif
