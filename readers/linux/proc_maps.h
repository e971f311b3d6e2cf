/*
 * proc_maps.h - the lines of /proc/PID/maps of Linux.
 */
#ifndef LOUPE_READERS_PROC_MAPS_H
#define LOUPE_READERS_PROC_MAPS_H

#include "base/status.h"
#include "base/text.h"

struct loupe_proc_mapping {
    uint64_t start, end;
    bool readable, writable, executable;
    uint64_t offset; /* in the file */
    uint32_t device_major, device_minor;
    uint64_t inode;         /* 0: no file */
    struct loupe_span path; /* as it stands there, loupe_proc_maps_path() */
};

/* Takes the line at *cursor, which moves to the next one. False at the end of the text. */
bool loupe_proc_maps_next(const char **cursor, struct loupe_proc_mapping *ret);

/* The path by which the file is opened, ended by a NUL: the kernel writes a line's end in it as
 * \012, and nothing else in another way, so that a file whose name has these four characters
 * cannot be told from one. ret: room for path.length + 1. */
void loupe_proc_maps_path(struct loupe_span path, char *ret);

#endif
