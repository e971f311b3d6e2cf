/*
 * many_heaps.h - `loupe report` and `loupe compare`: rows about many heaps, and what differs
 * between two collections of them. Each returns the exit status.
 */
#ifndef LOUPE_CLI_MANY_HEAPS_H
#define LOUPE_CLI_MANY_HEAPS_H

int cli_report(const char **words, unsigned count);
int cli_compare(const char **words, unsigned count);

#endif
