/*
 * proc_file.h - files of /proc, whose size nobody says before.
 */
#ifndef LOUPE_READERS_PROC_FILE_H
#define LOUPE_READERS_PROC_FILE_H

#include <stddef.h>

/* All of it, ended by a NUL and freed by the caller; NULL: it cannot be read. */
char *loupe_proc_read_whole(const char *path, size_t *length_ret);

#endif
