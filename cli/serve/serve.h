/*
 * serve.h - `loupe serve`: answers about heaps for other programs, by the Model Context Protocol
 * on stdin and stdout (docs/serve.md).
 */
#ifndef LOUPE_SERVE_H
#define LOUPE_SERVE_H

/* The words behind the command. Returns at the end of the input, with the exit status. */
int cli_serve(const char **words, unsigned count);

#endif
