/*
 * refusal.h - the answer in JSON of who cannot answer.
 */
#ifndef LOUPE_CLI_REFUSAL_H
#define LOUPE_CLI_REFUSAL_H

#include "base/status.h"

/* Where path is a file, it is in that: nobody is to take an older answer there for this one's.
 * NULL: to the output. */
void cli_put_error(const char *query, const char *path, const struct loupe_error *error);

/* The same with what cli_fail() said last, as the error that a line has. Returns status. */
int cli_put_misuse(const char *query, const char *path, int status);

#endif
