/*
 * kept_file.h - the file of a snapshot: written beside its place, and put there when it is whole.
 */
#ifndef LOUPE_CLI_ENGINE_KEPT_FILE_H
#define LOUPE_CLI_ENGINE_KEPT_FILE_H

#include "base/json.h"

#include <stdio.h>

struct engine_kept_file {
    const char *path; /* the caller's */
    char *beside;
    FILE *file; /* NULL until something is written */
};

/* path may be empty: no file. False: no memory. */
bool engine_kept_file_init(struct engine_kept_file *kept, const char *path);
struct loupe_sink engine_kept_file_sink(struct engine_kept_file *kept);
/* Puts what was written into its place, if anything was. False: that cannot be done. */
bool engine_kept_file_keep(struct engine_kept_file *kept);
/* Takes away what was not kept. */
void engine_kept_file_deinit(struct engine_kept_file *kept);

#endif
