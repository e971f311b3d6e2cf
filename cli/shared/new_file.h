/*
 * new_file.h - the files that answers and snapshots are written to: for their owner alone, since
 * they have texts of the program in them, and never through a link, which somebody else may have
 * put there.
 *
 * What /dev and /proc name, as /dev/stdout, is opened as it is, and so is a pipe.
 */
#ifndef LOUPE_CLI_NEW_FILE_H
#define LOUPE_CLI_NEW_FILE_H

#include <stdio.h>

enum { NEW_FILE_ENDING = sizeof(".part-XXXXXX") };

/* A new one in the place of a file or link of that name, as a descriptor. -1: errno says why not.
 */
int new_file_open(const char *path);
/* The same; NULL. */
FILE *new_file(const char *path);
/* One that is there already, to read and write. NULL. */
FILE *new_file_that_is_there(const char *path);
/* Removes one that was to be a new file and could not be written whole; not a device or a pipe. */
void new_file_remove(const char *path);
/* Makes the folders of a path, for their owner alone, as far as they can be made; not its last
 * part. */
void new_file_folders(char *path);
/* A new one in the same folder, that is to take the place of the other by rename(). beside: room
 * for strlen(path) + NEW_FILE_ENDING bytes. NULL, also where a device, a pipe or a folder has the
 * name: rename() would take its place. */
FILE *new_file_beside(const char *path, char *beside);

#endif
