/*
 * debuginfod.h - `--debuginfod`: files of a core's images that are not on this machine, from the
 * servers that DEBUGINFOD_URLS names.
 *
 * The variable alone starts nothing. What is asked for tells the servers which builds of which
 * programs somebody has, and no more. What they send is kept only if it says that it is of the
 * build that was asked for, and is read like anything else that is hostile.
 */
#ifndef LOUPE_CLI_DEBUGINFOD_H
#define LOUPE_CLI_DEBUGINFOD_H

#include "image/image.h"

/* To be called before anything is fetched. NULL, or why nothing can be; in static storage. */
const char *debuginfod_begin(void);
/* As fetch() of struct loupe_reader_options. */
bool debuginfod_fetch(void *ctx, const struct loupe_image_id *build, bool debug_file, char *path,
                      size_t cap);
/* Says on standard error what became of it, since it was last said. */
void debuginfod_note(void);

#endif
