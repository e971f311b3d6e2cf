/*
 * fix.h - `loupe fix`: from a fix of a saved answer to a change of the source.
 */
#ifndef LOUPE_CLI_FIX_FIX_H
#define LOUPE_CLI_FIX_FIX_H

/* With the words behind the verb. The exit status. */
int cli_fix(const char **words, unsigned count);

#endif
