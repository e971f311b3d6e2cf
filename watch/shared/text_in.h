/*
 * text_in.h - text files that the environment or the program names.
 */
#ifndef LOUPE_WATCH_TEXT_IN_H
#define LOUPE_WATCH_TEXT_IN_H

#include <stdio.h>

/* Open to be read, never waiting for whoever is to write into a pipe. NULL: *problem says why. */
FILE *watch_open_text(const char *name, const char **problem);

#endif
