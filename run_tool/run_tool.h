/*
 * How a library inside a program has the tool `loupe` answer about that program: as a process of
 * its own, which can stop all threads of this one.
 */
#ifndef LOUPE_RUN_TOOL_H
#define LOUPE_RUN_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#define LOUPE_NO_TOOL "the tool loupe is not beside this library: name it in LOUPE_TOOL"

enum { LOUPE_TOOL_PATH = 4096, LOUPE_TOOL_NOT_STARTED = 127 };

/* Where the tool is: `named`, or, if that is NULL, beside the library that calls this, in a build
 * tree or installed. False: it is not there, or may not be run. */
bool loupe_find_tool(const char *named, char path_ret[LOUPE_TOOL_PATH]);

/* Words that the program's functions have left where those of its caller will stand would be taken
 * for variables, and keep what the program leaked: called first.
 * A page has 4096 bytes. */
void loupe_overwrite_stack(unsigned pages);

/* Runs the tool with these words, of which the first is its name and NULL ends them, with
 * nothing of the program's environment but how text may look and how long the program may stand
 * still: the rest would load the library again. What it prints goes to the
 * descriptors `output` and `errors`. The tool may read this process. Returns its exit status, or
 * LOUPE_TOOL_NOT_STARTED. */
int loupe_run_tool(const char *path, const char *const words[], int output, int errors);

/* The same; what it prints is read into memory, which the caller frees. *text_ret NULL: it prints
 * more than most bytes, or cannot be read. */
int loupe_run_tool_reading(const char *path, const char *const words[], int errors, size_t most,
                           char **text_ret);

#endif
